"""Reports: a comparison, its explanation, and the statistics of every segment.

The page that `truebleu.reports.page` renders adds up the statistics of any selection of segments,
for their exact scores, tests and intervals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from truebleu import schema
from truebleu._results import PageResult, Result
from truebleu.counts.inputs import counts_of
from truebleu.errors import SettingError, UnpairedSegmentsError
from truebleu.explanation.contributions import mean_gradient
from truebleu.explanation.explain import Compared, ReportOptions
from truebleu.significance.groups import MOST_COMPARISONS
from truebleu.significance.settings import ResamplingSettings, units_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from truebleu.corpus.outline import ColumnsLike
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike
    from truebleu.counts.counts import Counts, MetricCounts
    from truebleu.counts.inputs import Source
    from truebleu.explanation.explain import Explanation
    from truebleu.explanation.slices import Variable
    from truebleu.metrics.registry import MetricsLike
    from truebleu.resampling import Units
    from truebleu.significance.compare import Comparison
    from truebleu.significance.replicates import Progress

    Values = NDArray[np.float64]

__all__ = ["Report", "Segments"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Segments(schema.ComparedByValue):
    """All segments or items of a report.

    Attributes:
        counts: counts by each metric, with the texts if they are known.
        variables: slices of the test set.
        flagged: degenerate outputs by system and flag, as indices of segments from 0.
        units: units that tests swap as a whole.
        human: human scores of the segments by system, by the name of the scores.
    """

    counts: Counts
    variables: tuple[Variable, ...]
    flagged: Mapping[str, Mapping[str, tuple[int, ...]]]
    units: Units
    human: Mapping[str, Mapping[str, Sequence[float | None]]]

    def contributions(self, metric: MetricCounts, first: int, second: int) -> Values:
        """Return each segment's contribution to the difference between two systems, by index."""
        if first > second:  # equal digits in both orders
            return -self.contributions(metric, second, first)
        rows = metric.rows.floats()
        sums = rows.sum(axis=0)
        gradient, _ = mean_gradient(metric.scorer, sums[second, None], sums[first, None])
        return np.asarray((rows[:, first] - rows[:, second]) @ gradient[0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Report(schema.ComparedByValue, PageResult):
    """Report about the systems of a test set.

    Attributes:
        comparison: scores, differences, ranks and p-values.
        explanation: explanations of some pairs, or None in a report of a comparison only.
        segments: segments with their statistics, or None in a report of a comparison only.
        agreement: agreement of the metrics with human raters, or None without human scores.
    """

    REPORT: ClassVar[str] = "truebleu.reports.page"

    comparison: Comparison
    explanation: Explanation | None = None
    segments: Segments | None = None
    agreement: Result | None = None

    def facts(self) -> dict[str, Any]:
        """Return the values of the comparison, explanations and agreement as built-in types."""
        values = self.comparison.facts()
        if self.explanation is not None:
            explained = self.explanation.facts()
            values["explanations"] = explained["explanations"]
        if self.agreement is not None:
            values["agreement"] = self.agreement.facts()
        return values


@schema.takes(ReportOptions, ResamplingSettings.refuse_conflicts)
def report(
    systems: SystemsLike | Source,
    references: ReferencesLike | None = None,
    metrics: MetricsLike | None = None,
    *,
    by: ColumnsLike | None = None,
    counts: Mapping[str, int] | None = None,
    source: TextLike | None = None,
    documents: str | Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
    human: Mapping[str, Mapping[str, Sequence[float | None]]] | None = None,
    agreement: Result | None = None,
    progress: Progress | None = None,
    **options: Unpack[ReportOptions],
) -> Report:
    """Report scores, differences and their explanations, for one page.

    The report compares all pairs, or all systems with the baseline, and explains the differences to
    the baseline; without a baseline, the difference between the two best systems by the first
    metric.

    >>> texts = {"a": ["the cat sat on the mat"] * 9, "b": ["the cat sat on a mat"] * 9}
    >>> result = report(texts, ["the cat sat on the mat"] * 9)
    >>> [pair.comparison.a for pair in result.explanation.pairs]
    ['a']

    Args:
        systems: a test set, the outputs of two or more systems by name, scores of items by model,
            or counts.
        references: one text, or one per translator; None with a test set, scores or counts.
        metrics: names or objects: "bleu", ["bleu", "chrf:word_order=2"], BLEU(). Default: BLEU, or
            the scores of items.
        by: more labels to slice by, one for each segment, by name.
        counts: frequencies of words in the training data, to find rare words.
        source: source text, unless `systems` is a test set.
        documents: document of each segment, unless `systems` is a test set.
        domains: domain of each segment, unless `systems` is a test set.
        human: human scores, one for each segment, by name of the scores and system.
        agreement: result of `truebleu.agree`.
        progress: function that is called with the number of replicates since the last call.
    """
    system_counts = counts_of(
        systems, references, metrics, documents, domains, source, verb="report"
    )
    _require_paired(system_counts, human or {})
    groups = _groups_to_compare(system_counts, by)
    compared = Compared(system_counts, by, counts, groups, progress=progress, **options)
    comparison = compared.comparison
    return Report(
        comparison=comparison,
        explanation=compared.explain(_pairs_to_explain(comparison)),
        segments=Segments(
            counts=system_counts,
            variables=compared.cuts,
            flagged=compared.flagged,
            units=units_of(system_counts.outline, comparison.settings),
            human=human or {},
        ),
        agreement=agreement,
    )


#: Maximum number of groups of a column that the first screen shows.
MOST_GROUPS = 12


def _groups_to_compare(counts: Counts, by: ColumnsLike | None) -> dict[str, tuple[str, ...]]:
    """Return the columns with few groups, if their comparisons are not too many."""
    columns = {
        name: labels
        for name, labels in counts.outline.columns(by).items()
        if len(set(labels)) <= MOST_GROUPS
    }
    systems = len(counts.outline.systems)
    groups = sum(len(set(labels)) for labels in columns.values())
    return columns if groups * systems * (systems - 1) // 2 <= MOST_COMPARISONS else {}


def _pairs_to_explain(comparison: Comparison) -> list[tuple[str, str]]:
    """Choose all pairs with the baseline, or else the two best systems by the first metric."""
    compared = [(pair.a, pair.b) for pair in comparison.comparisons]
    if comparison.settings.baseline is not None:
        return list(dict.fromkeys(compared))
    label, metric = next(iter(comparison.metrics.items()))
    sign = -1 if metric.higher_is_better is not False else 1
    ordered = sorted(
        comparison.systems, key=lambda name: sign * comparison.systems[name][label].score
    )
    best = set(ordered[:2])
    return [pair for pair in dict.fromkeys(compared) if set(pair) == best]


def _require_paired(
    counts: Counts, human: Mapping[str, Mapping[str, Sequence[float | None]]]
) -> None:
    """Raise an error for scores of other segments, or of unknown systems."""
    systems = counts.outline.systems
    for value in (human, *human.values()) if isinstance(human, Mapping) else (human,):
        if not isinstance(value, Mapping):
            expected = "scores of each segment, by the name of the scores and the system"
            raise SettingError("human", value, expected)
    for label, by_system in human.items():
        for system, scores in by_system.items():
            if system not in systems:
                raise SettingError(label, system, f"one of {', '.join(systems)}")
            if len(scores) != len(counts):
                raise UnpairedSegmentsError(
                    f"{label} of {system}", len(scores), "texts", len(counts)
                )
