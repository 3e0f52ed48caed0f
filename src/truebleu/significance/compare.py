"""Compare systems: scores with intervals, tests of all pairs or against a baseline, ranks."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypedDict

import numpy as np

from truebleu._results import Result
from truebleu._settings import DEFAULT_REPLICATES, DEFAULT_SEED, checked
from truebleu.corpus.test_set import as_test_set
from truebleu.errors import SettingError
from truebleu.metrics.base import CountedMetric
from truebleu.metrics.registry import metric_labels, metrics_for
from truebleu.resampling import Bootstrap, Swaps
from truebleu.significance.corrections import (
    adjust,
    experimentwise_error,
)
from truebleu.significance.intervals import (
    INTERVAL_METHODS,
    Estimates,
    interval_bounds,
    median_and_relative_interval,
    simultaneous_intervals,
)
from truebleu.significance.pairs import (
    PAIR_BLOCK,
    all_pair_tests,
    clusters,
    pair_wins,
    pairs_to_compare,
    probability_of_best,
    rank_ranges,
    significantly_better,
)
from truebleu.significance.people import CURVES, agreement_of_pairs, require_curves
from truebleu.significance.settings import (
    CompareSettings,
    chosen_unit,
    default_interval,
    default_test,
    for_comparisons,
    known_clusters,
    require_enough_replicates,
    resolve_about,
    units_of,
)
from truebleu.significance.statistics import MetricStatistics, bootstrap_scores, pair_variances
from truebleu.significance.tests import (
    TESTS,
    default_replicates,
    fewest_units,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu._settings import About, Alternative, IntervalName, RunSwaps, Unit
    from truebleu.corpus.test_set import (
        ColumnsLike,
        ReferencesLike,
        SystemsLike,
        TestSet,
        TestSetOutline,
        TextWarning,
    )
    from truebleu.metrics.base import Metric, Score, Signature
    from truebleu.resampling import Values
    from truebleu.significance.groups import SegmentGroup
    from truebleu.significance.optimizer_runs import RunScores
    from truebleu.significance.pairs import PairTests
    from truebleu.significance.people import AgreementCurve, PeopleAgreement
    from truebleu.significance.statistics import Pair, PairVariance, Progress

RESULT_VERSION = 1

Bounds = tuple[float, float]
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

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        values = _plain(asdict(self))
        if self.runs is None:
            del values["runs"]
        return values


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """Two systems by one metric.

    Attributes:
        metric: the metric's label.
        a: the first system.
        b: the second system.
        difference: score of a minus score of b.
        interval: of the difference.
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
    interval: Bounds
    wins: float
    p: float
    p_se: float
    p_adjusted: float
    significant: bool
    differing_units: int
    design_effect: float | None = None
    largest_share: float | None = None
    swap_ratio: float | None = None
    simultaneous_interval: Bounds | None = None
    equivalence_p: float | None = None
    equivalence_p_adjusted: float | None = None
    equivalent: bool | None = None
    pooled_difference: float | None = None
    people: PeopleAgreement | None = None
    note: PairNote | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        values = _plain(asdict(self))
        if self.pooled_difference is None:
            del values["pooled_difference"]
        return values


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

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        values = {name: getattr(self, name) for name in self.__slots__ if name != "digits"}
        return {
            **values,
            **self.signature.to_dict(),
            "clusters": [list(cluster) for cluster in self.clusters],
        }


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
        comparisons: every pair by every metric, adjusted for those of all groups; the simultaneous
            intervals of all groups of the column hold together. None at all where there are too
            few units to test.
    """

    column: str
    label: str
    segments: int
    unit: Unit
    units: int
    systems: Mapping[str, Mapping[str, float]]
    comparisons: tuple[PairResult, ...]

    @checked
    def of(self, metric: str) -> tuple[PairResult, ...]:
        """The comparisons by one metric."""
        return tuple(pair for pair in self.comparisons if pair.metric == metric)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            **{name: getattr(self, name) for name in self.__slots__},
            "systems": [
                {"name": name, "scores": dict(scores)} for name, scores in self.systems.items()
            ],
            "comparisons": [pair.to_dict() for pair in self.comparisons],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
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

    @checked
    def of(self, metric: str) -> tuple[PairResult, ...]:
        """The comparisons by one metric."""
        return tuple(pair for pair in self.comparisons if pair.metric == metric)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``compare --format json`` prints them."""
        settings = {**self.settings.to_dict(), "units": self.units}
        runs: dict[str, Any] = {}
        if self.runs is None:
            del settings["swap_runs"], settings["about"]
        else:
            runs["runs"] = {system: list(outputs) for system, outputs in self.runs.items()}
            settings["runs"] = len(next(iter(self.runs.values())))
        return {
            "version": RESULT_VERSION,
            "test_set": self.test_set.to_dict(),
            "settings": settings,
            **runs,
            "metrics": [
                {"name": label, **metric.to_dict()} for label, metric in self.metrics.items()
            ],
            "systems": [
                {"name": name, "scores": {label: score.to_dict() for label, score in by.items()}}
                for name, by in self.systems.items()
            ],
            "comparisons": [pair.to_dict() for pair in self.comparisons],
            **({"groups": [group.to_dict() for group in self.groups]} if self.groups else {}),
            "warnings": [warning.to_dict() for warning in self.warnings],
        }


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {
        key: list(value) if isinstance(value, tuple) else value for key, value in values.items()
    }


@checked
def compare(
    systems: SystemsLike,
    references: ReferencesLike | None = None,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    test: str | None = None,
    replicates: int | None = None,
    seed: int = DEFAULT_SEED,
    level: float = 0.95,
    correction: str | None = None,
    unit: Unit | None = None,
    block_length: int | None = None,
    by_domain: bool = False,
    alternative: Alternative = "two-sided",
    interval: IntervalName | None = None,
    margin: float | None = None,
    adaptive: bool = False,
    baseline: str | None = None,
    by: ColumnsLike | None = None,
    runs: str | Mapping[str, Sequence[str]] | None = None,
    about: About | None = None,
    swap_runs: RunSwaps = "together",
    curves: Sequence[AgreementCurve] | None = CURVES,
    documents: Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Which differences between systems are real?

    >>> texts = {"a": ["the cat sat on the mat"] * 9, "b": ["a cat is on a mat"] * 9}
    >>> result = compare(texts, ["the cat sat on the mat"] * 9)
    >>> result.comparisons[0].significant
    True

    Args:
        systems: a test set, or the outputs of two or more systems by name.
        references: one text, or one per translator; None with a test set.
        metrics: names or objects: ``"bleu"``, ``"chrf:word_order=2"``, ``BLEU()``.
        test: "ar", approximate randomization; or another of `significance.TESTS`. A verdict about
            further runs has a test of its own, "two-way".
        replicates: how many, of the bootstrap and of the test; None for 10,000, and for as many
            of the test as so many comparisons need for a clear difference to be significant.
        seed: any whole number from 0 up.
        level: of the intervals, and 1 minus the significance level of the tests.
        correction: for many comparisons by one metric; one of `significance.CORRECTIONS`. None
            for Holm's, or for Westfall and Young's from 1,001 comparisons on.
        unit: what is drawn or swapped as a whole: "segment", "document" or "block"; None for
            documents where they are known, else segments.
        block_length: segments in a block, with unit "block".
        by_domain: draw within each domain, so that every replicate has the same mixture.
        alternative: "two-sided"; "greater" asks only whether the first system is better, "less"
            whether it is worse.
        interval: how intervals are made; one of `significance.INTERVAL_METHODS`. None for what
            covers best: "hall" by documents or blocks, "percentile" by segments, "two-way" with
            the test of that name.
        margin: the largest difference that does not matter; adds a test of equivalence.
        adaptive: make as many replicates as clear decisions need.
        baseline: compare all others with this system, instead of all pairs.
        by: also compare by groups of segments: labels by name, one for each segment, or names of
            what is known, "domain" or "document". Corrected for the comparisons of all groups.
        runs: where several outputs are runs of one system, the names of each system's outputs, or
            a pattern such as "{system}.opt{run}" that their names have.
        about: whether the verdict is about "further-runs" of the same systems, or "these-runs"
            only. The default is further runs where every system has two or more.
        swap_runs: about these runs, whether swaps take all runs of a unit "together", or each of
            them "separately", as MultEval does.
        curves: what says how often people agree with a difference; None to leave that out.
        documents: the document of each segment, where `systems` is no test set.
        domains: the domain of each segment, likewise.
        progress: called with the number of replicates made since the last call.
    """
    test_set = as_test_set(systems, references, documents=documents, domains=domains)
    parsed, test_set = metrics_for(metrics, test_set)
    require_curves(parsed, curves)
    names = list(test_set.systems)
    grouped = None
    if runs is not None:
        from truebleu.significance.optimizer_runs import as_runs

        grouped = as_runs(runs, names)
    runs_of_each = None if grouped is None else len(next(iter(grouped.values()), ()))
    about = resolve_about(about, runs_of_each)
    chosen = chosen_unit(unit, test_set)
    settings = CompareSettings(
        test=test or default_test(about),
        replicates=DEFAULT_REPLICATES if replicates is None else replicates,
        seed=seed,
        level=level,
        correction="holm" if correction is None else correction,
        unit=chosen,
        block_length=block_length,
        by_domain=by_domain,
        alternative=alternative,
        interval=interval or default_interval(about, chosen, by_domain=by_domain),
        margin=margin,
        adaptive=adaptive,
        baseline=baseline,
        about=about,
        swap_runs=swap_runs,
    )
    if grouped is not None:
        _require_runs_interval(settings)
        names = list(grouped)
        used = [output for group in grouped.values() for output in group]
        test_set = replace(test_set, systems={name: test_set.systems[name] for name in used})
    elif swap_runs != "together":
        raise SettingError("swap_runs", swap_runs, "runs beside it: without runs it does nothing")
    pairs = pairs_to_compare(names, baseline)  # refused before anything is counted
    columns = test_set.columns(by)
    _require_groups(columns, settings, runs=grouped is not None)
    units = units_of(test_set, settings)
    settings = for_comparisons(
        settings, len(pairs), len(units), replicates=replicates, correction=correction
    )
    counted = [CountedMetric(metric, metric.count(test_set)) for metric in parsed]
    counts = [metric.counts.array() for metric in counted]
    statistics = swapped = outputs = [
        MetricStatistics.of(label, metric, rows, units)
        for label, metric, rows in zip(metric_labels(parsed), parsed, counts, strict=True)
    ]
    clusters_of = known_clusters(test_set, settings)

    def draw_outputs(first: int, count: int) -> list[Values]:
        bootstrap = Bootstrap(replicates=count, seed=seed)
        return bootstrap_scores(outputs, units, bootstrap, progress, first=first)

    scores = draw_outputs(0, settings.replicates)
    results = None
    if grouped is not None:
        from truebleu.significance.optimizer_runs import RunResults

        results = RunResults(grouped, outputs, scores, about, seed)
        statistics, scores = results.averages, results.mean_scores(scores)
        swapped = results.pooled if swap_runs == "separately" else statistics

    def draw(first: int, count: int) -> list[Values]:
        further = draw_outputs(first, count)
        return further if results is None else results.mean_scores(further, first)

    tests = all_pair_tests(swapped, scores, pairs, settings, draw, progress)
    by_system: dict[str, dict[str, SystemResult]] = {name: {} for name in names}
    comparisons: list[PairResult] = []
    by_metric: dict[str, MetricResult] = {}
    for index, (metric, replicated, tested) in enumerate(
        zip(statistics, scores, tests, strict=True)
    ):
        better = _better(metric, pairs, tested, settings.alpha)
        system_results = _system_results(metric, replicated, better, settings)
        clustered = None
        if clusters_of is not None:
            rows = counts[index] if results is None else results.side_by_side(counts[index])
            by_segment, by_cluster = (
                MetricStatistics.of(metric.label, metric.metric, rows, kind) for kind in clusters_of
            )
            clustered = by_segment, by_cluster
        pair_results = _pair_results(
            metric,
            replicated,
            names,
            pairs,
            tested,
            settings,
            pair_variances(metric, pairs, clustered),
        )
        agreements = agreement_of_pairs(metric.metric, curves, pairs, metric.scores, replicated)
        pair_results = [
            replace(pair, people=people)
            for pair, people in zip(pair_results, agreements, strict=True)
        ]
        if results is not None:
            system_results = [
                replace(result, runs=run_scores)
                for result, run_scores in zip(
                    system_results, results.run_scores(index), strict=True
                )
            ]
            pooled = results.pooled[index].scores
            pair_results = [
                replace(result, pooled_difference=float(pooled[a] - pooled[b]))
                for result, (a, b) in zip(pair_results, pairs, strict=True)
            ]
        for name, result in zip(names, system_results, strict=True):
            by_system[name][metric.label] = result
        comparisons += pair_results
        by_metric[metric.label] = MetricResult(
            signature=metric.metric.signature.with_references(test_set.references_per_segment),
            higher_is_better=metric.metric.higher_is_better,
            clusters=_clusters(metric, names, better, settings),
            experimentwise_error=experimentwise_error(settings.alpha, len(pairs)),
            replicates=tested.replicates,
            exact=tested.exact,
            decided=tested.decided,
            smallest_p=tested.smallest_p,
            digits=metric.metric.digits,
        )
    groups: tuple[GroupComparison, ...] = ()
    if columns:
        from truebleu.significance.groups import segment_groups

        groups = _compare_groups(
            test_set,
            counted,
            segment_groups(test_set, columns, unit, settings),
            settings,
            len(pairs),
            replicates=replicates,
            interval=interval,
        )
    return Comparison(
        test_set=test_set.outline,
        settings=settings,
        units=len(units),
        metrics=by_metric,
        systems=by_system,
        comparisons=tuple(comparisons),
        runs=grouped,
        groups=groups,
        warnings=test_set.warnings,
    )


def _require_groups(
    columns: Mapping[str, Sequence[str]], settings: CompareSettings, *, runs: bool
) -> None:
    """Refuse what groups of segments cannot stand beside."""
    beside = [
        name
        for name, there in (
            ("runs", runs),
            ("margin", settings.margin is not None),
            ("adaptive", settings.adaptive),
        )
        if there
    ]
    if columns and beside:
        raise SettingError("by", ", ".join(columns), f"no {beside[0]} beside it")


def _require_runs_interval(settings: CompareSettings) -> None:
    if INTERVAL_METHODS[settings.interval].means_only:
        usable = [name for name, method in INTERVAL_METHODS.items() if not method.means_only]
        expected = f"one of {', '.join(usable)} with optimizer runs"
        raise SettingError("interval", settings.interval, expected)


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
        statistics, scores, None, settings.interval, settings.level, settings.seed
    )
    # Against a baseline only, ranks would follow from comparisons that were not made.
    ranks = rank_ranges(better) if directed and settings.baseline is None else None
    best = probability_of_best(scores, higher_is_better=statistics.sign == 1)
    results = []
    for system, score in enumerate(statistics.scores.tolist()):
        median, relative = median_and_relative_interval(scores[:, system], settings.level)
        results.append(
            SystemResult(
                score=score,
                interval=(float(low[system]), float(high[system])),
                median=median,
                relative_interval=relative,
                rank_range=None if ranks is None else ranks[system],
                p_best=best[system] if directed else None,
            )
        )
    return results


def _pair_results(
    statistics: MetricStatistics,
    scores: Values,
    names: Sequence[str],
    pairs: Sequence[Pair],
    tested: PairTests,
    settings: CompareSettings,
    variances: Sequence[PairVariance],
) -> list[PairResult]:
    equivalence = _equivalence(statistics, scores, pairs, settings)
    results: list[PairResult] = []
    # Systems one after the other: what kernels read of a pair then stands together.
    by_system = np.asfortranarray(scores)
    for part in _parts(pairs, scores):
        results += _some_pair_results(
            statistics,
            by_system,
            names,
            pairs,
            tested,
            settings,
            variances[part],
            equivalence[part],
            part,
        )
    if len(pairs) == 1 or TESTS[settings.test].source == "runs":
        return results
    bounds = simultaneous_intervals(statistics, scores, pairs, settings.level).T.tolist()
    return [
        replace(pair, simultaneous_interval=(low, high))
        for pair, (low, high) in zip(results, bounds, strict=True)
    ]


def _parts(pairs: Sequence[Pair], scores: Values) -> list[slice]:
    """Pairs by the block: their differences on all replicates would fill the memory."""
    size = max(1, PAIR_BLOCK // len(scores))
    return [slice(start, start + size) for start in range(0, len(pairs), size)]


def _some_pair_results(
    statistics: MetricStatistics,
    scores: Values,
    names: Sequence[str],
    all_pairs: Sequence[Pair],
    tested: PairTests,
    settings: CompareSettings,
    variances: Sequence[PairVariance],
    equivalence: Sequence[_Equivalence],
    part: slice,
) -> list[PairResult]:
    pairs = all_pairs[part]
    p, p_se, p_adjusted = tested.p[part], tested.p_se[part], tested.p_adjusted[part]
    observed = statistics.scores
    wins = pair_wins(scores, pairs, sign=statistics.sign, scale=statistics.scale)
    low, high = interval_bounds(
        statistics, scores, pairs, settings.interval, settings.level, settings.seed
    )
    results = []
    for index, (a, b) in enumerate(pairs):
        differing = statistics.differing(a, b)
        results.append(
            PairResult(
                metric=statistics.label,
                a=names[a],
                b=names[b],
                difference=float(observed[a] - observed[b]),
                interval=(float(low[index]), float(high[index])),
                wins=float(wins[index]),
                p=float(p[index]),
                p_se=float(p_se[index]),
                p_adjusted=float(p_adjusted[index]),
                significant=bool(p_adjusted[index] <= settings.alpha),
                differing_units=differing,
                design_effect=variances[index].design_effect,
                largest_share=variances[index].largest_share,
                swap_ratio=variances[index].swap_ratio,
                **equivalence[index],
                note=_note(differing, len(statistics.rows), settings),
            )
        )
    return results


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


def _note(differing: int, units: int, settings: CompareSettings) -> PairNote | None:
    """What makes a test moot: units that are the same in both systems, all or almost all."""
    if differing == 0:
        return "identical"
    enough = min(fewest_units(settings.alpha, settings.alternative), units)
    swaps = TESTS[settings.test].source == "swaps"
    return "few units differ" if swaps and differing < enough else None


# Groups of segments.


# More comparisons than this would need more replicates than anybody waits for.
MOST_GROUP_COMPARISONS = 2500


def _compare_groups(
    test_set: TestSet,
    metrics: Sequence[CountedMetric],
    groups: Sequence[SegmentGroup],
    settings: CompareSettings,
    pairs: int,
    *,
    replicates: int | None,
    interval: IntervalName | None,
) -> tuple[GroupComparison, ...]:
    """The comparisons of so many pairs in each group, adjusted for those of all groups."""
    from truebleu.significance.groups import FEWEST_UNITS
    from truebleu.significance.scores import score

    tested = [group for group in groups if group.units >= FEWEST_UNITS]
    family = len(tested) * pairs
    if family > MOST_GROUP_COMPARISONS:
        found = f"{len(tested)} groups with {pairs} comparisons each"
        expected = f"at most {MOST_GROUP_COMPARISONS:,} comparisons; fewer groups, or a baseline"
        raise SettingError("by", found, expected)
    settings = replace(
        settings,
        replicates=_group_replicates(settings, family, tested, replicates),
    )
    results = []
    for group in groups:
        part, part_metrics = group.part(test_set, metrics)
        comparisons: tuple[PairResult, ...] = ()
        systems: Mapping[str, Mapping[str, SystemResult | Score]]
        if group in tested:
            compared = compare(
                part,
                metrics=part_metrics,
                **group.resampling(tested, settings, interval),
                test=settings.test,
                correction="none",
                alternative=settings.alternative,
                baseline=settings.baseline,
            )
            systems, comparisons = compared.systems, compared.comparisons
        else:
            systems = score(part, metrics=part_metrics)
        scores = {
            name: {label: float(result.score) for label, result in by.items()}
            for name, by in systems.items()
        }
        results.append(GroupComparison(**group.values(), systems=scores, comparisons=comparisons))
    return _adjusted(results, settings.p_value_correction, settings.alpha)


def _group_replicates(
    settings: CompareSettings,
    family: int,
    tested: Sequence[SegmentGroup],
    replicates: int | None,
) -> int:
    """As many replicates as the comparisons of all groups need, or those that were asked for."""
    correction = settings.p_value_correction
    if replicates is None:
        return max(settings.replicates, default_replicates(correction, family, settings.alpha))
    swaps = Swaps(replicates=replicates)
    if not all(swaps.enumerates(group.units) for group in tested):
        require_enough_replicates(
            replicates, correction, max(family, 1), settings.alpha, kind="comparisons of groups"
        )
    return replicates


def _adjusted(
    groups: Sequence[GroupComparison], correction: str, alpha: float
) -> tuple[GroupComparison, ...]:
    """The groups with p-values adjusted over all of them, metric by metric."""
    labels = {pair.metric for group in groups for pair in group.comparisons}
    by_label: dict[str, Iterator[float]] = {}
    for label in labels:
        p = [pair.p for group in groups for pair in group.of(label)]
        by_label[label] = iter(adjust(np.array(p), correction).tolist())
    results = []
    for group in groups:
        comparisons = []
        for pair in group.comparisons:
            p_adjusted = next(by_label[pair.metric])
            comparisons.append(
                replace(
                    pair,
                    p_adjusted=p_adjusted,
                    significant=p_adjusted <= alpha,
                    simultaneous_interval=pair.simultaneous_interval or pair.interval,
                )
            )
        results.append(replace(group, comparisons=tuple(comparisons)))
    return tuple(results)
