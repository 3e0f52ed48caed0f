"""Reports of agreement: human and metric scores of systems, and the pairs that they order apart.

The page that `truebleu.reports.page.agreement` renders shows which metric agrees best, the scores
of every system with both intervals, and the pairs of systems that people and a metric order
differently, with the segments in which they differ most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from truebleu._results import PageResult
from truebleu.agreement.agree import Agreement, as_judgments
from truebleu.agreement.data import AgreementData, agreement_data, as_lists
from truebleu.counts.counts import Counts
from truebleu.counts.rows import ArrayRows, Rows
from truebleu.errors import SettingError
from truebleu.human.judgments import HumanScores
from truebleu.metrics.base import GivenMean, Signature, mean_statistics
from truebleu.schema import ComparedByValue
from truebleu.significance.compare import compare

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from truebleu.agreement.agree import HumanLike
    from truebleu.resampling import Values
    from truebleu.significance.compare import Comparison, PairResult

__all__ = ["AgreementReport", "DisputedPair", "DisputedSegment", "agreement_report"]

#: Limits of what a page shows of each metric: pairs, and segments of a pair.
MOST_PAIRS, MOST_SEGMENTS = 6, 4
# Probability that a resampled test set has no judged unit, from which nothing is resampled.
RARE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputedSegment:
    """A segment in which people prefer the first system by more than the metric does.

    Attributes:
        number: number of the segment, from 1.
        human: human scores of both systems.
        metric: metric scores of both systems.
        source: source text, or None.
        outputs: outputs of both systems, or None without texts.
    """

    number: int
    human: tuple[float, float]
    metric: tuple[float, float]
    source: str | None = None
    outputs: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputedPair:
    """Two systems that people and a metric order differently.

    Attributes:
        better: system that people score higher.
        worse: the other system.
        human: difference of the human scores, better minus worse.
        human_p: p-value of `human`, adjusted for all pairs.
        human_significant: True if the difference of the human scores is significant.
        metric: difference of the metric scores, better minus worse.
        metric_p: p-value of `metric`, adjusted for all pairs.
        metric_significant: True if the difference of the metric scores is significant.
        segments: segments with the largest disagreement, largest first.
    """

    better: str
    worse: str
    human: float
    human_p: float
    human_significant: bool
    metric: float
    metric_p: float
    metric_significant: bool
    segments: tuple[DisputedSegment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AgreementReport(ComparedByValue, PageResult):
    """Report of the agreement of metrics with people.

    Attributes:
        agreement: values, intervals and tests of the metrics.
        comparison: scores and pairs of systems by people and by each metric; None unless people
            scored enough segments.
        human: label of the human scores in `comparison`.
        disputed: pairs that people and a metric order differently, by metric; pairs with
            significant differences first.
    """

    REPORT: ClassVar[str] = "truebleu.reports.page.agreement"

    agreement: Agreement
    comparison: Comparison | None
    human: str
    disputed: Mapping[str, tuple[DisputedPair, ...]]

    def facts(self) -> dict[str, Any]:
        """Return the values of the agreement, without sentences."""
        return self.agreement.facts()


def agreement_report(
    agreement: Agreement, counts: Counts, human: HumanLike, *, name: str = "people"
) -> AgreementReport:
    """Compare the systems by people and by each metric, and find the pairs that they order apart.

    Args:
        agreement: result of `agree` without a grid.
        counts: counts of the metrics, as `agree` took them.
        human: human scores, as `agree` took them.
        name: name of the human scores on the page, such as "mqm".
    """
    if agreement.grid is not None:
        raise SettingError("agreement", "a choice from a grid", "an agreement without a grid")
    settings = agreement.settings
    judgments = as_judgments(human, lower_is_better=settings.human_lower_is_better)
    short = AgreementReport(agreement=agreement, comparison=None, human=name, disputed={})
    if not isinstance(judgments, HumanScores) or judgments.level != "segment":
        return short
    data = agreement_data(counts, judgments, system_scores=settings.system_scores)
    if not _are_enough(data):
        return short
    systems = data.people.systems
    while name in counts.labels:
        name += " (people)"
    judged = counts.select(systems)
    whole = _with_people(judged, data, judgments, name)
    comparison = compare(whole, seed=settings.seed, level=settings.level)
    disputed = {
        label: tuple(_disputed(label, name, comparison, data, judged)) for label in data.metrics
    }
    return AgreementReport(
        agreement=agreement, comparison=comparison, human=name, disputed=disputed
    )


def _are_enough(data: AgreementData) -> bool:
    """Return whether every resampled test set has judged units, almost surely."""
    units = [bool(column.all()) for column in data.people.judged_cells.T]
    if data.documents is not None:
        by_document: dict[str, bool] = {}
        for document, is_judged in zip(data.documents, units, strict=True):
            by_document[document] = by_document.get(document, False) or is_judged
        units = list(by_document.values())
    return bool((1 - sum(units) / len(units)) ** len(units) <= RARE)


def _with_people(counts: Counts, data: AgreementData, human: HumanScores, name: str) -> Counts:
    """Return the counts with human scores as the first metric."""
    scores = data.people.scores_with_means
    assert scores is not None  # noqa: S101  # people scored segments
    scorer = GivenMean(name=name, signature=Signature.of(name, scores=human.signature[-12:]))
    people = (scorer, Rows.of(ArrayRows(mean_statistics(as_lists(scores)).array())))
    metrics = [(metric.scorer, metric.rows) for metric in counts.metrics]
    joined = Counts.of(replace(counts.outline, warnings=()), [people, *metrics])
    labels = zip(joined.metrics[1:], counts.labels, strict=True)
    named = (joined.metrics[0], *(replace(metric, label=label) for metric, label in labels))
    return replace(joined, metrics=named)


def _disputed(
    label: str, human: str, comparison: Comparison, data: AgreementData, counts: Counts
) -> Iterator[DisputedPair]:
    """Yield the pairs that people and a metric order differently, by the number of findings."""
    sign = data.metrics[label].scorer.sign
    pairs: list[tuple[PairResult, PairResult]] = [
        (of_people, of_metric)
        for of_people, of_metric in zip(comparison.of(human), comparison.of(label), strict=True)
        if of_people.difference * of_metric.difference * sign < 0
    ]
    # Two significant differences first, then the smaller p of the other pairs.
    pairs.sort(key=lambda pair: (-pair[0].significant - pair[1].significant, pair[0].p_adjusted))
    for index, (of_people, of_metric) in enumerate(pairs):
        turn = 1 if of_people.difference > 0 else -1
        better, worse = (of_people.a, of_people.b)[::turn]
        segments: tuple[DisputedSegment, ...] = ()
        if index < MOST_PAIRS:
            segments = tuple(_disputed_segments(label, better, worse, data, counts))
        sides: Any = {}
        for name, pair in (("human", of_people), ("metric", of_metric)):
            sides[name] = turn * pair.difference
            sides |= {f"{name}_p": pair.p_adjusted, f"{name}_significant": pair.significant}
        yield DisputedPair(better=better, worse=worse, segments=segments, **sides)


def _disputed_segments(
    label: str, better: str, worse: str, data: AgreementData, counts: Counts
) -> Iterator[DisputedSegment]:
    """Yield the segments in which people prefer `better` more than the metric does, most first."""
    human, metric = data.human, data.metrics[label].items
    assert human is not None  # noqa: S101  # people scored segments
    assert metric is not None  # noqa: S101  # people scored segments
    sign, texts = data.metrics[label].scorer.sign, counts.texts
    first, second = (data.people.systems.index(name) for name in (better, worse))
    judged = ~np.isnan(human)
    excess = _difference(human, judged, first, second) - _difference(metric, judged, first, second)
    order = np.argsort(np.where(np.isnan(excess), np.inf, -excess), kind="stable")
    for index in order[:MOST_SEGMENTS].tolist():
        if not excess[index] > 0:
            return
        outputs = source = None
        if texts is not None:
            outputs = (texts.systems[better][index] or "", texts.systems[worse][index] or "")
            source = None if texts.source is None else texts.source[index]
        yield DisputedSegment(
            number=index + 1,
            human=_cells(human, first, second, index),
            metric=_cells(sign * metric, first, second, index),
            source=source,
            outputs=outputs,
        )


def _difference(scores: Values, judged: Values, first: int, second: int) -> Values:
    """Return the differences of two systems in standard deviations of all judged scores."""
    deviation = float(np.std(scores[judged])) or 1.0
    both = judged[first] & judged[second]
    return np.where(both, (scores[first] - scores[second]) / deviation, np.nan)


def _cells(scores: Values, first: int, second: int, index: int) -> tuple[float, float]:
    return float(scores[first, index]), float(scores[second, index])
