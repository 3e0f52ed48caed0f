"""The result of a comparison: how tests and replicates become it, and how it is read from JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypedDict

import numpy as np

from truebleu._results import Result, plain
from truebleu.significance.corrections import adjust, experimentwise_error
from truebleu.significance.intervals import (
    Estimates,
    interval_bounds,
    medians_and_relative_intervals,
    simultaneous_intervals,
)
from truebleu.significance.pairs import (
    PAIR_BLOCK,
    clusters,
    pair_wins,
    probability_of_best,
    rank_ranges,
    significantly_better,
)
from truebleu.significance.people import PeopleAgreement, agreement_of_pairs
from truebleu.significance.statistics import MetricStatistics, pair_variances
from truebleu.significance.tests import TESTS, fewest_units, rejecting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.test_set import TestSetOutline, TextWarning
    from truebleu.metrics.base import Signature
    from truebleu.resampling import Values
    from truebleu.schema import Unit
    from truebleu.significance.optimizer_runs import RunScores
    from truebleu.significance.pairs import DifferenceBounds, PairTests
    from truebleu.significance.people import AgreementCurve
    from truebleu.significance.settings import CompareSettings
    from truebleu.significance.statistics import Pair

__all__ = ["Comparison", "GroupComparison", "MetricResult", "PairResult", "SystemResult"]

RESULT_VERSION = 1

Bounds = tuple[float, float]
#: Why an end is open.
OpenEnd = Literal["one-sided test", "too few units", "too few replicates"]
#: What makes the test of a pair moot; `truebleu.reports.compare` puts it into words.
PairNote = Literal["identical", "few units differ"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemResult:
    """One system by one metric.

    Attributes:
        score: on the whole test set; the average over runs, where there are several.
        interval: of the score.
        median: of the replicates' scores (Zhang & Vogel 2004, §3.1).
        relative_interval: the interval around the median in percent of it; None at a median of 0.
        rank_range: best and worst rank that the tests leave; None for a metric without direction,
            and where not all pairs were compared.
        p_best: the share of replicates in which the system is best; None without direction.
        runs: the scores of its runs; None where runs are not compared.
    """

    score: float
    interval: Bounds
    median: float
    relative_interval: Bounds | None
    rank_range: tuple[int, int] | None
    p_best: float | None
    runs: RunScores | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """Two systems by one metric.

    Attributes:
        metric: the metric's label.
        a: the first system.
        b: the second system.
        difference: score of a minus score of b.
        interval: all differences that the pair's test does not reject: it leaves out 0 exactly
            where p is at most 1 minus the level. An end is None where the test leaves it open.
        open_end: why it does; None where both ends are numbers.
        simultaneous_interval: of the difference, all of which hold at once with the level; None
            for a single comparison, and of further runs.
        wins: the share of replicates in which a is better, ties half (Koehn 2004, §6).
        p: how often equal systems would differ by at least this much.
        p_se: Monte-Carlo standard error of p.
        p_adjusted: p after the correction for all comparisons by this metric.
        significant: whether p_adjusted is at most the significance level.
        differing_units: the units in which the metric counts the two systems differently.
        design_effect: the variance of the difference by documents or blocks over that by
            segments; None where neither is known.
        largest_share: the share of the variance of the difference that one unit carries; None
            where it does not vary.
        largest_unit: the name of that document, or the number of that segment.
        swap_ratio: the variance of the difference over random swaps over that over samples of
            units; below 1, approximate randomization rejects equal scores too often. None where the
            difference does not vary.
        equivalence_p: of the test that they differ by the margin or more; None without a margin.
        equivalence_p_adjusted: the same after a correction for all comparisons by this metric.
        equivalent: whether that is at most the significance level; None without a margin.
        pooled_difference: of all runs as one corpus, which is what swaps of separate runs test;
            None where runs are not compared.
        people: how often people agree with such a difference; None where no curve is known.
        note: what makes the test moot.
    """

    metric: str
    a: str
    b: str
    difference: float
    interval: DifferenceBounds
    wins: float
    p: float
    p_se: float
    p_adjusted: float
    significant: bool
    differing_units: int
    design_effect: float | None = None
    largest_share: float | None = None
    largest_unit: str | None = None
    swap_ratio: float | None = None
    simultaneous_interval: Bounds | None = None
    equivalence_p: float | None = None
    equivalence_p_adjusted: float | None = None
    equivalent: bool | None = None
    pooled_difference: float | None = None
    people: PeopleAgreement | None = None
    note: PairNote | None = None
    open_end: OpenEnd | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricResult:
    """What holds for a metric as a whole.

    Attributes:
        signature: all that must match before its scores may be compared.
        higher_is_better: None for a metric without direction.
        digits: decimals of a score that people should see.
        clusters: groups of systems that the tests do not separate, best first; none for a metric
            without direction, and where not all pairs were compared.
        experimentwise_error: the chance of at least one false alarm among all comparisons, if
            none of the systems differed and nothing were corrected (Riezler & Maxwell 2005, §4.4).
        replicates: of the test; all 2**units of them where that was no more, 0 where it needs none.
        exact: whether those were all.
        decided: whether every decision is clear of Monte-Carlo error.
        smallest_p: the smallest adjusted p that so many replicates and comparisons can give; above
            the significance level, nothing could have been significant.
    """

    signature: Signature
    higher_is_better: bool | None
    clusters: tuple[tuple[str, ...], ...]
    experimentwise_error: float
    replicates: int
    exact: bool
    decided: bool
    smallest_p: float
    digits: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupComparison:
    """The comparisons of systems on a group of segments.

    Attributes:
        column: what the segments are grouped by.
        label: of the group.
        segments: how many there are.
        unit: what was drawn or swapped as a whole.
        units: how many.
        systems: the scores by name and metric's label.
        comparisons: every pair by every metric, adjusted for those of all groups; simultaneous
            intervals are of the pairs of this group. None at all where there are too few units to
            test.
    """

    column: str
    label: str
    segments: int
    unit: Unit
    units: int
    systems: Mapping[str, Mapping[str, float]]
    comparisons: tuple[PairResult, ...]

    def of(self, metric: str) -> tuple[PairResult, ...]:
        """The comparisons by one metric."""
        return tuple(pair for pair in self.comparisons if pair.metric == metric)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**plain(self), "systems": _named(self.systems)}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparison(Result):
    """Every system and every compared pair by every metric.

    Attributes:
        test_set: its sizes and names.
        settings: how the systems were compared.
        units: how many were drawn or swapped.
        metrics: what holds for each metric, by its label.
        systems: by name and metric's label.
        comparisons: every pair by every metric.
        runs: for each system the names of its outputs; None where runs are not compared.
        groups: the same of groups of segments, where these were asked for.
        warnings: what is suspicious about the texts.
    """

    REPORT: ClassVar[str] = "truebleu.reports.compare"

    test_set: TestSetOutline
    settings: CompareSettings
    units: int
    metrics: Mapping[str, MetricResult]
    systems: Mapping[str, Mapping[str, SystemResult]]
    comparisons: tuple[PairResult, ...]
    runs: Mapping[str, tuple[str, ...]] | None = None
    groups: tuple[GroupComparison, ...] = ()
    warnings: tuple[TextWarning, ...] = ()

    def of(self, metric: str) -> tuple[PairResult, ...]:
        """The comparisons by one metric."""
        return tuple(pair for pair in self.comparisons if pair.metric == metric)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``compare --format json`` prints them."""
        metrics = [{"name": label, **plain(metric)} for label, metric in self.metrics.items()]
        settings = {**plain(self.settings), "units": self.units}
        groups = [group.to_dict() for group in self.groups]
        whole = {"settings": settings, "metrics": metrics, "systems": _named(self.systems)}
        return Result.to_dict(self) | whole | {"groups": groups}


def _named(systems: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Systems with their scores, as JSON has them."""
    return [{"name": name, "scores": plain(scores)} for name, scores in systems.items()]


@dataclass(frozen=True, slots=True)
class ResultsByMetric:
    """The metric, all systems and all pairs by one metric."""

    label: str
    metric: MetricResult
    systems: list[SystemResult]
    pairs: list[PairResult]


class _Results(TypedDict):
    metrics: dict[str, MetricResult]
    systems: dict[str, dict[str, SystemResult]]
    comparisons: tuple[PairResult, ...]


def by_metric_and_system(parts: Sequence[ResultsByMetric], names: Sequence[str]) -> _Results:
    """What a comparison holds of all metrics."""
    return {
        "metrics": {part.label: part.metric for part in parts},
        "systems": {
            name: {part.label: part.systems[place] for part in parts}
            for place, name in enumerate(names)
        },
        "comparisons": tuple(pair for part in parts for pair in part.pairs),
    }


def results_by_metric(
    statistics: MetricStatistics,
    scores: Values,
    tested: PairTests,
    names: Sequence[str],
    pairs: Sequence[Pair],
    settings: CompareSettings,
    *,
    curves: Sequence[AgreementCurve] | None,
    references: int | None,
    unit_name: Callable[[int | None], str | None],
    clustered: tuple[MetricStatistics, MetricStatistics] | None = None,
) -> ResultsByMetric:
    """What tests and replicates say by one metric.

    Args:
        statistics: of all systems.
        scores: on the bootstrap's replicates, shaped (replicate, system).
        tested: the p-values of all pairs.
        names: of the systems.
        pairs: the systems of each comparison.
        settings: of the comparison.
        curves: what says how often people agree with a difference.
        references: how many each segment has.
        unit_name: what people call a unit.
        clustered: the statistics by segment and by document or block, where these are known.
    """
    better = _better(statistics, pairs, tested, settings.alpha)
    # Systems one after the other: what kernels read of a system then stands together.
    scores = np.asfortranarray(scores)
    return ResultsByMetric(
        statistics.label,
        MetricResult(
            signature=statistics.metric.signature.with_references(references),
            higher_is_better=statistics.metric.higher_is_better,
            clusters=_clusters(statistics, names, better, settings),
            experimentwise_error=experimentwise_error(settings.alpha, len(pairs)),
            replicates=tested.replicates,
            exact=tested.exact,
            decided=tested.decided,
            smallest_p=tested.smallest_p,
            digits=statistics.metric.digits,
        ),
        _system_results(statistics, scores, better, settings),
        _pair_results(
            statistics,
            scores,
            names,
            pairs,
            tested,
            settings,
            curves,
            references,
            clustered,
            unit_name,
        ),
    )


def _better(
    statistics: MetricStatistics, pairs: Sequence[Pair], tested: PairTests, alpha: float
) -> NDArray[np.bool_]:
    scores = statistics.scores
    left, right = np.array(pairs).T
    return significantly_better(
        statistics.systems,
        pairs,
        scores[left] - scores[right],
        tested.p_adjusted <= alpha,
        higher_is_better=statistics.sign == 1,
    )


def _clusters(
    statistics: MetricStatistics,
    names: Sequence[str],
    better: NDArray[np.bool_],
    settings: CompareSettings,
) -> tuple[tuple[str, ...], ...]:
    if statistics.metric.higher_is_better is None or settings.baseline is not None:
        return ()
    groups = clusters(statistics.scores, better, higher_is_better=statistics.sign == 1)
    return tuple(tuple(names[system] for system in group) for group in groups)


def _system_results(
    statistics: MetricStatistics,
    scores: Values,
    better: NDArray[np.bool_],
    settings: CompareSettings,
) -> list[SystemResult]:
    directed = statistics.metric.higher_is_better is not None
    low, high = interval_bounds(
        statistics, scores, None, settings.interval, settings.level
    ).tolist()
    # Against a baseline only, ranks would follow from comparisons that were not made.
    ranks = rank_ranges(better) if directed and settings.baseline is None else None
    best = probability_of_best(scores, higher_is_better=statistics.sign == 1)
    medians = medians_and_relative_intervals(scores, settings.level)
    return [
        SystemResult(
            score=score,
            interval=(low[system], high[system]),
            median=median,
            relative_interval=relative,
            rank_range=None if ranks is None else ranks[system],
            p_best=best[system] if directed else None,
        )
        for system, (score, (median, relative)) in enumerate(
            zip(statistics.scores.tolist(), medians, strict=True)
        )
    ]


def _pair_results(
    statistics: MetricStatistics,
    scores: Values,
    names: Sequence[str],
    pairs: Sequence[Pair],
    tested: PairTests,
    settings: CompareSettings,
    curves: Sequence[AgreementCurve] | None,
    references: int | None,
    clustered: tuple[MetricStatistics, MetricStatistics] | None,
    unit_name: Callable[[int | None], str | None],
) -> list[PairResult]:
    left, right = np.array(pairs).T
    intervals = _difference_bounds(tested, statistics.sign, settings)
    simultaneous: list[Bounds | None] = [None] * len(pairs)
    if len(pairs) > 1 and TESTS[settings.test].source != "runs":
        bounds = simultaneous_intervals(statistics, scores, pairs, settings.level)
        simultaneous = [*zip(*bounds.tolist(), strict=True)]
    differing = statistics.differing_units(pairs)
    variances = pair_variances(statistics, pairs, clustered)
    equivalence = _equivalence(statistics, scores, pairs, settings)
    people = agreement_of_pairs(
        statistics.metric, curves, pairs, statistics.scores, scores, references
    )
    differences = (statistics.scores[left] - statistics.scores[right]).tolist()
    wins = pair_wins(scores, pairs, sign=statistics.sign, scale=statistics.scale).tolist()
    p, p_se, p_adjusted = (part.tolist() for part in (tested.p, tested.p_se, tested.p_adjusted))
    least = _fewest_differing(statistics.units, settings)
    return [
        PairResult(
            metric=statistics.label,
            a=names[a],
            b=names[b],
            difference=differences[place],
            **intervals[place],
            simultaneous_interval=simultaneous[place],
            wins=wins[place],
            p=p[place],
            p_se=p_se[place],
            p_adjusted=p_adjusted[place],
            significant=p_adjusted[place] <= settings.alpha,
            differing_units=differing[place],
            design_effect=variances[place].design_effect,
            largest_share=variances[place].largest_share,
            largest_unit=unit_name(variances[place].largest_unit),
            swap_ratio=variances[place].swap_ratio,
            **equivalence[place],
            people=people[place],
            note=_note(differing[place], least),
        )
        for place, (a, b) in enumerate(pairs)
    ]


class _DifferenceBounds(TypedDict):
    interval: DifferenceBounds
    open_end: OpenEnd | None


def _difference_bounds(
    tested: PairTests, sign: int, settings: CompareSettings
) -> list[_DifferenceBounds]:
    """The intervals of differences; a one-sided test has one end, that of its direction."""
    one_sided = settings.alternative != "two-sided"
    has_low = not one_sided or (settings.alternative == "greater") == (sign > 0)
    has_high = not one_sided or not has_low
    too_few: OpenEnd = "too few units"
    if tested.replicates and not rejecting(tested.replicates, settings.alpha, exact=tested.exact):
        too_few = "too few replicates"
    bounds: list[_DifferenceBounds] = []
    for pair in range(len(tested.p)):
        low, high = tested.interval(pair)
        interval = (low if has_low else None, high if has_high else None)
        open_end: OpenEnd | None = None
        if None in interval:
            decides = interval[0] if has_low else interval[1]
            open_end = too_few if decides is None else "one-sided test"
        bounds.append({"interval": interval, "open_end": open_end})
    return bounds


def _parts(pairs: Sequence[Pair], scores: Values) -> list[slice]:
    """Pairs by the block: their differences on all replicates would fill the memory."""
    size = max(1, PAIR_BLOCK // len(scores))
    return [slice(start, start + size) for start in range(0, len(pairs), size)]


class _Equivalence(TypedDict, total=False):
    equivalence_p: float
    equivalence_p_adjusted: float
    equivalent: bool


def _equivalence(
    statistics: MetricStatistics,
    scores: Values,
    pairs: Sequence[Pair],
    settings: CompareSettings,
) -> list[_Equivalence]:
    """The tests of equivalence of all pairs; nothing without a margin.

    Two one-sided tests (Schuirmann 1987): the larger p of "worse by the margin" and "better by it".
    """
    if settings.margin is None:
        return [{} for _ in pairs]
    if TESTS[settings.test].source == "runs":
        from truebleu.significance.optimizer_runs import two_way_equivalence_p

        p = two_way_equivalence_p(statistics, pairs, settings.margin)
    else:
        p = np.concatenate(
            [
                _hall_equivalence_p(statistics, scores, pairs[part], settings.margin)
                for part in _parts(pairs, scores)
            ]
        )
    adjusted = adjust(p, settings.p_value_correction)
    return [
        {
            "equivalence_p": float(raw),
            "equivalence_p_adjusted": float(corrected),
            "equivalent": bool(corrected <= settings.alpha),
        }
        for raw, corrected in zip(p, adjusted, strict=True)
    ]


def _hall_equivalence_p(
    statistics: MetricStatistics, scores: Values, pairs: Sequence[Pair], margin: float
) -> Values:
    from truebleu.significance.student import hall_p

    estimates = Estimates(statistics, scores, pairs)
    worse, better = (
        hall_p(
            side * estimates.observed, side * estimates.jackknife, -margin, scale=statistics.scale
        )
        for side in (1, -1)
    )
    return np.asarray(np.maximum(worse, better))


def _fewest_differing(units: int, settings: CompareSettings) -> int:
    """In how many units systems must differ for a test by swaps to find anything."""
    if TESTS[settings.test].source != "swaps":
        return 0
    return min(fewest_units(settings.alpha, settings.alternative), units)


def _note(differing: int, least: int) -> PairNote | None:
    """What makes a test moot: units that are the same in both systems, all or almost all."""
    if differing == 0:
        return "identical"
    return "few units differ" if differing < least else None
