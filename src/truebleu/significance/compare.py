"""Compare systems: scores with intervals, tests of all pairs or against a baseline, ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truebleu import schema
from truebleu.counts.inputs import counts_of
from truebleu.errors import SettingError
from truebleu.significance.groups import (
    FEWEST_UNITS,
    SegmentGroup,
    group_replicates,
    heterogeneity_of_groups,
    segment_groups,
)
from truebleu.significance.optimizer_runs import SystemRuns, are_runs_compared, select_runs
from truebleu.significance.pairs import adjust_together, all_pair_tests, pairs_to_compare
from truebleu.significance.replicates import bootstrap_scores
from truebleu.significance.results import (
    Comparison,
    Family,
    GroupComparison,
    MetricResult,
    PairResult,
    ResampledMetric,
    SystemResult,
)
from truebleu.significance.scores import score
from truebleu.significance.settings import CompareOptions, CompareSettings, resolve_settings
from truebleu.significance.unit_counts import count_units

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from typing_extensions import Unpack

    from truebleu.corpus.outline import ColumnsLike
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike
    from truebleu.counts.counts import Counts
    from truebleu.counts.inputs import Source
    from truebleu.metrics.base import Score
    from truebleu.metrics.registry import MetricsLike
    from truebleu.resampling import Units, Values
    from truebleu.significance.pairs import PairTests
    from truebleu.significance.replicates import Progress
    from truebleu.significance.unit_counts import Pair

__all__ = ["Comparison", "GroupComparison", "MetricResult", "PairResult", "SystemResult"]


@schema.takes(CompareSettings)
def compare(
    systems: SystemsLike | Source,
    references: ReferencesLike | None = None,
    metrics: MetricsLike | None = None,
    *,
    runs: str | Mapping[str, Sequence[str]] | None = None,
    by: ColumnsLike | None = None,
    source: TextLike | None = None,
    documents: str | Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
    lp: str | None = None,
    progress: Progress | None = None,
    **options: Unpack[CompareOptions],
) -> Comparison:
    """Which differences between systems are real?

    >>> texts = {"a": ["the cat sat on the mat"] * 9, "b": ["a cat is on a mat"] * 9}
    >>> result = compare(texts, ["the cat sat on the mat"] * 9)
    >>> result.comparisons[0].significant
    True

    Args:
        systems: a test set, the outputs of two or more systems by name, scores of items by model,
            or counts.
        references: one text, or one per translator; None with a test set, scores or counts.
        metrics: names or objects: "bleu", ["bleu", "chrf:word_order=2"], BLEU(). Default: BLEU, or
            the scores of items.
        runs: outputs of each system, or a pattern of their names such as "{system}.opt{run}", if
            several outputs are runs of one system.
        by: also compare groups of segments: labels by name, one for each segment, or "domain" or
            "document". Corrected for the comparisons of all groups.
        source: source text, for metrics such as COMET.
        documents: document of each segment, if `systems` is not a test set.
        domains: domain of each segment, if `systems` is not a test set.
        lp: language pair, if `systems` is the folder of an evaluation set with several.
        progress: function called with the number of replicates made since the last call.
    """
    by_runs = are_runs_compared({**options, "runs": runs, "by": by})
    counts = counts_of(
        systems,
        references,
        metrics,
        documents,
        domains,
        source,
        lp=lp,
        verb="compare",
        by_runs=by_runs,
        lower_is_better=options["lower_is_better"],
    )
    counts, outputs = select_runs(counts, runs)
    if outputs is None:
        counts = counts.without_copies(options["baseline"])
    columns = counts.outline.columns(by)
    tested = _Tested(counts, outputs, options, columns, progress)
    groups = _compare_groups(counts, columns, tested.settings, len(tested.family.pairs), options)
    result = tested.results(groups)
    if not groups:
        return result
    of_segments = segment_groups(counts.outline, columns, options["unit"], tested.settings)
    large = [group for group in of_segments if group.units >= FEWEST_UNITS]
    varied = heterogeneity_of_groups(counts, large, tested.family.pairs, tested.settings)
    return replace(result, heterogeneity=varied)


class _Tested:
    """Systems with the tests of all pairs by each metric, before their intervals are made.

    Attributes:
        settings: settings of the comparison.
        family: the pairs, and all that the results of all metrics share.
        tests: tests of all pairs, for each metric.
    """

    def __init__(
        self,
        counts: Counts,
        outputs: Mapping[str, tuple[str, ...]] | None,
        options: Mapping[str, Any],
        columns: Mapping[str, Sequence[str]],
        progress: Progress | None = None,
        parts: int = 1,
    ) -> None:
        names = list(counts.outline.systems if outputs is None else outputs)
        pairs = pairs_to_compare(names, options["baseline"])
        self.settings, units = resolve_settings(options, counts, outputs, len(pairs))
        _require_groups(columns, self.settings, runs=outputs is not None)
        self._outputs = outputs
        self._replicates = _Replicates(counts, units, self.settings, outputs, progress)
        self.tests = self._replicates.tests(pairs, parts)
        self.family = Family(
            names=names,
            pairs=pairs,
            outline=counts.outline,
            units=units,
            settings=_with_used_test(self.settings, options["test"], self.tests),
            people=options["people"],
            interval=options["interval"],
        )

    def results(self, groups: tuple[GroupComparison, ...] = ()) -> Comparison:
        """Make the result of the comparison."""
        return self.family.results(self._replicates.by_metric(self.tests), self._outputs, groups)


class _Replicates:
    """Counts of all systems by unit, and their scores on the bootstrap's replicates.

    Attributes:
        counts: counts of the systems, for each metric.
        scores: scores on the replicates, for each metric, shaped (replicate, system).
    """

    def __init__(
        self,
        counts: Counts,
        units: Units,
        settings: CompareSettings,
        outputs: Mapping[str, tuple[str, ...]] | None,
        progress: Progress | None,
    ) -> None:
        self._segments = [metric.rows.stored() for metric in counts.metrics]
        self._units, self._settings, self._progress = units, settings, progress
        self._outputs = count_units(counts, units)
        self._runs = (
            None
            if outputs is None
            else SystemRuns(outputs, self._outputs, settings.about, settings.seed)
        )
        self._output_scores = self._score_outputs(0, settings.replicates)
        self.counts = self._outputs if self._runs is None else self._runs.averages
        self.scores = self._average(self._output_scores)

    def draw(self, first: int, count: int) -> list[Values]:
        """Score the systems by each metric on `count` further replicates."""
        return self._average(self._score_outputs(first, count), first)

    def tests(self, pairs: Sequence[Pair], parts: int) -> list[PairTests]:
        """Test all pairs by each metric; `parts` such tests share the memory for intervals."""
        settings, swapped = self._settings, self.counts
        if self._runs is not None and settings.swap_runs == "separately":
            swapped = self._runs.pooled
        tests = all_pair_tests(
            swapped, self.scores, pairs, settings, self.draw, self._progress, parts
        )
        if settings.correct_over == "pairs":
            return tests
        return adjust_together(tests, settings.correction, settings.alpha)

    def by_metric(self, tests: Sequence[PairTests]) -> list[ResampledMetric]:
        """Return the counts, scores and tests of each metric."""
        return [
            ResampledMetric(
                counts=self.counts[index],
                rows=rows if self._runs is None else self._runs.by_system(rows),
                scores=self.scores[index],
                tests=tests[index],
                runs=None
                if self._runs is None
                else self._runs.run_scores(index, self._output_scores[index]),
            )
            for index, rows in enumerate(self._segments)
        ]

    def _score_outputs(self, first: int, count: int) -> list[Values]:
        bootstrap = self._settings.bootstrap(count)
        return bootstrap_scores(self._outputs, self._units, bootstrap, self._progress, first=first)

    def _average(self, scores: list[Values], first: int = 0) -> list[Values]:
        return scores if self._runs is None else self._runs.mean_scores(scores, first)


def _with_used_test(
    settings: CompareSettings, requested: str | None, tests: Sequence[PairTests]
) -> CompareSettings:
    """Return the settings with test `ar` if the default test, `scaled`, scaled no swaps."""
    if settings.test != "scaled" or requested is not None or any(t.is_scaled for t in tests):
        return settings
    return replace(settings, test="ar")


def _require_groups(
    columns: Mapping[str, Sequence[str]], settings: CompareSettings, *, runs: bool
) -> None:
    """Raise SettingError for settings that exclude groups of segments."""
    requested = {"runs": runs, "margin": settings.margin is not None, "adaptive": settings.adaptive}
    conflicts = [name for name, is_requested in requested.items() if is_requested]
    if columns and conflicts:
        raise SettingError("by", ", ".join(columns), f"None with {conflicts[0]}")


def _compare_groups(
    counts: Counts,
    columns: Mapping[str, Sequence[str]],
    settings: CompareSettings,
    pairs: int,
    options: Mapping[str, Any],
) -> tuple[GroupComparison, ...]:
    """Compare all pairs in each group; p-values are adjusted across groups.

    Args:
        counts: counts of the whole test set.
        columns: labels of all segments by name.
        settings: settings of the whole test set.
        pairs: number of pairs.
        options: requested options of `compare`.
    """
    groups = segment_groups(counts.outline, columns, options["unit"], settings)
    large = [group for group in groups if group.units >= FEWEST_UNITS]
    replicates = group_replicates(settings, large, pairs, options["replicates"])
    tested = {
        group: _test_group(counts, group, replace(settings, replicates=replicates), options, large)
        for group in large
    }
    for metric in range(len(counts.metrics)):
        of_metric = [of_group.tests[metric] for of_group in tested.values()]
        adjusted = adjust_together(of_metric, settings.p_value_correction, settings.alpha)
        for of_group, tests in zip(tested.values(), adjusted, strict=True):
            of_group.tests[metric] = tests
    return tuple(_group_result(counts, group, tested.get(group)) for group in groups)


def _test_group(
    counts: Counts,
    group: SegmentGroup,
    settings: CompareSettings,
    options: Mapping[str, Any],
    large: Sequence[SegmentGroup],
) -> _Tested:
    """Test all pairs on one group of those that are large enough."""
    of_group: dict[str, Any] = {
        **options,
        **group.resampling(large, settings, options["interval"]),
        "level": settings.level,
        "test": None if settings.test == "scaled" else settings.test,
        "correction": "none",
        "correct_over": "pairs",
    }
    return _Tested(counts.subset(group.segments), None, of_group, {}, parts=len(large))


def _group_result(counts: Counts, group: SegmentGroup, tested: _Tested | None) -> GroupComparison:
    """Make the result of one group; a group with too few units is only scored."""
    systems: Mapping[str, Mapping[str, SystemResult | Score]]
    comparisons: tuple[PairResult, ...] = ()
    test = None
    if tested is not None:
        compared = tested.results()
        systems, comparisons = compared.systems, compared.comparisons
        test = compared.settings.test
    else:
        systems = score(counts.subset(group.segments))
    scores = {
        name: {label: float(result.score) for label, result in by_label.items()}
        for name, by_label in systems.items()
    }
    return GroupComparison(**group.values(), systems=scores, comparisons=comparisons, test=test)
