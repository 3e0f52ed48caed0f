"""Compare systems: scores with intervals, tests of all pairs or against a baseline, ranks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from truebleu import _core, schema
from truebleu._results import Result
from truebleu.counts.inputs import counts_of
from truebleu.errors import SettingError, UnknownNameError
from truebleu.resampling import Swaps
from truebleu.significance.corrections import CORRECTIONS, adjust, experimentwise_error
from truebleu.significance.groups import FEWEST_UNITS, segment_groups
from truebleu.significance.intervals import (
    Estimates,
    choose_interval,
    interval_bounds,
    medians_and_relative_intervals,
    simultaneous_intervals,
)
from truebleu.significance.optimizer_runs import RunResults, as_runs, two_way_equivalence_p
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
from truebleu.significance.people import PeopleAgreement, agreement_of_pairs
from truebleu.significance.replicates import bootstrap_scores
from truebleu.significance.settings import (
    CompareOptions,
    CompareSettings,
    chosen_unit,
    default_interval,
    for_comparisons,
    known_clusters,
    name_of_unit,
    require_enough_replicates,
    resolve_about,
    units_of,
)
from truebleu.significance.student import hall_p
from truebleu.significance.tests import TESTS, default_replicates, fewest_units
from truebleu.significance.unit_counts import count_units, design_effects, largest_units

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from typing_extensions import Unpack

    from truebleu.corpus.outline import ColumnsLike, Sizes
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike
    from truebleu.corpus.text_warnings import TextWarning
    from truebleu.counts.counts import Counts
    from truebleu.counts.inputs import Source
    from truebleu.metrics.base import Score, Signature
    from truebleu.metrics.registry import MetricsLike
    from truebleu.resampling import Values
    from truebleu.significance.groups import SegmentGroup
    from truebleu.significance.optimizer_runs import RunScores
    from truebleu.significance.pairs import DifferenceBounds, PairTests
    from truebleu.significance.replicates import Progress
    from truebleu.significance.unit_counts import Pair, UnitCounts

__all__ = [
    "Comparison",
    "GroupComparison",
    "MetricResult",
    "PairResult",
    "SystemResult",
]


@schema.takes(CompareSettings)
def compare(
    systems: SystemsLike | Source,
    references: ReferencesLike | None = None,
    metrics: MetricsLike | None = None,
    *,
    runs: str | Mapping[str, Sequence[str]] | None = None,
    by: ColumnsLike | None = None,
    documents: str | Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
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
        runs: where several outputs are runs of one system: the outputs of each system, or a pattern
            that their names have, such as "{system}.opt{run}".
        by: also compare by groups of segments: labels by name, one for each segment, or "domain" or
            "document". Corrected for the comparisons of all groups.
        documents: the document of each segment, where `systems` is no test set.
        domains: the domain of each segment, likewise.
        progress: called with the number of replicates made since the last call.
    """
    test, interval, unit = options["test"], options["interval"], options["unit"]
    replicates, correction = options["replicates"], options["correction"]
    # Of several answers to an item, each is a run of its own where nothing else is asked for.
    counts = counts_of(
        systems,
        references,
        metrics,
        documents,
        domains,
        verb="compare",
        by_runs=are_runs_compared({**options, "runs": runs, "by": by}),
    )
    names = list(counts.outline.systems)
    grouped = counts.outline.runs if runs is None else as_runs(runs, names)
    count = None if grouped is None else len(next(iter(grouped.values()), ()))
    about = resolve_about(options["about"], count)
    chosen = chosen_unit(unit, counts.outline)
    by_domain = options["by_domain"]
    settings = CompareSettings.from_options(
        options,
        test=test or ("two-way" if about == "further-runs" else "scaled"),
        unit=chosen,
        interval=interval or default_interval(about, chosen, by_domain=by_domain),
        about=about,
        primary=_primary(options["primary"], counts.labels),
    )
    if grouped is not None:
        names = list(grouped)
        outputs = [output for group in grouped.values() for output in group]
        counts = counts.select(outputs)
    elif settings.swap_runs != "together":
        raise SettingError(
            "swap_runs", settings.swap_runs, "runs beside it: without runs it does nothing"
        )
    pairs = pairs_to_compare(names, settings.baseline)  # refused before anything is counted
    outline = counts.outline
    columns = outline.columns(by)
    _require_groups(columns, settings, runs=grouped is not None)
    units = units_of(outline, settings)
    family_size = len(pairs) * (len(counts.metrics) if settings.correct_over == "metrics" else 1)
    settings = for_comparisons(
        settings, family_size, len(units), replicates=replicates, correction=correction
    )
    of_outputs = count_units(counts, units)

    def draw_outputs(first: int, count: int) -> list[Values]:
        return bootstrap_scores(of_outputs, units, settings.drawn(count), progress, first=first)

    scores = draw_outputs(0, settings.replicates)
    statistics = swapped = of_outputs
    of_runs = None
    if grouped is not None:
        of_runs = RunResults(grouped, of_outputs, scores, about, settings.seed)
        statistics, scores = of_runs.averages, of_runs.mean_scores(scores)
        swapped = of_runs.pooled if settings.swap_runs == "separately" else statistics

    def draw(first: int, count: int) -> list[Values]:
        further = draw_outputs(first, count)
        return further if of_runs is None else of_runs.mean_scores(further, first)

    tests = all_pair_tests(swapped, scores, pairs, settings, draw, progress)
    if settings.test == "scaled" and test is None and not any(part.is_scaled for part in tests):
        settings = replace(settings, test="ar")  # which has given the same
    if settings.correct_over == "metrics":
        adjusted = adjust(np.concatenate([part.p for part in tests]), settings.correction)
        parts_of = np.split(adjusted, len(tests))
        tests = [replace(part, p_adjusted=p) for part, p in zip(tests, parts_of, strict=True)]
    clusters_of = known_clusters(outline, settings)
    family = Family(
        names=names,
        pairs=pairs,
        settings=settings,
        people=options["people"],
        references=outline.references_each,
        unit_name=partial(name_of_unit, outline, units, settings),
        interval=interval,
    )
    parts = []
    for index, (metric, replicated, tested) in enumerate(
        zip(statistics, scores, tests, strict=True)
    ):
        rows = counts.metrics[index].rows.stored()
        if of_runs is not None:
            rows = of_runs.by_system(rows)
        effects = design_effects(metric, rows, clusters_of, pairs)
        part = family.results(metric, replicated, tested, effects)
        parts.append(part if of_runs is None else _with_runs(part, of_runs, index, pairs))
    groups: tuple[GroupComparison, ...] = ()
    if columns:
        groups = _compare_groups(
            counts,
            segment_groups(outline, columns, unit, settings),
            replace(settings, test=test or "scaled"),
            len(pairs),
            replicates=replicates,
            interval=interval,
        )
    return Comparison(
        test_set=outline.sizes,
        settings=settings,
        units=len(units),
        metrics={part.label: part.metric for part in parts},
        systems={
            name: {part.label: part.systems[place] for part in parts}
            for place, name in enumerate(names)
        },
        comparisons=tuple(pair for part in parts for pair in part.pairs),
        runs=grouped,
        groups=groups,
        warnings=outline.warnings,
    )


def are_runs_compared(options: Mapping[str, Any]) -> bool:
    """Return whether runs of scored models are systems: if no option asks for something else."""
    is_open = all(options.get(name) is None for name in ("runs", "test", "interval"))
    return is_open and not options.get("by")


def _primary(asked: str | None, labels: Sequence[str]) -> str | None:
    """The metric whose verdict counts; None where there is only one."""
    if asked is not None:
        known = {label.lower(): label for label in labels}
        if asked.lower() not in known:
            raise UnknownNameError("primary", asked, labels)
        return known[asked.lower()]
    return labels[0] if len(labels) > 1 else None


def _with_runs(
    part: ResultsByMetric, of_runs: RunResults, metric: int, pairs: Sequence[Pair]
) -> ResultsByMetric:
    """The results by one metric, with what runs add to them."""
    pooled = of_runs.pooled[metric].differences(pairs).tolist()
    systems = zip(part.systems, of_runs.run_scores(metric), strict=True)
    return replace(
        part,
        systems=[replace(result, runs=runs) for result, runs in systems],
        pairs=[
            replace(result, pooled_difference=difference)
            for result, difference in zip(part.pairs, pooled, strict=True)
        ],
    )


def _require_groups(
    columns: Mapping[str, Sequence[str]], settings: CompareSettings, *, runs: bool
) -> None:
    """Refuse what groups of segments cannot stand beside."""
    asked = {"runs": runs, "margin": settings.margin is not None, "adaptive": settings.adaptive}
    beside = [name for name, there in asked.items() if there]
    if columns and beside:
        raise SettingError("by", ", ".join(columns), f"no {beside[0]} beside it")


# Groups of segments.


# More comparisons than this would need more replicates than anybody waits for.
MOST_GROUP_COMPARISONS = 2500


def _compare_groups(
    counts: Counts,
    groups: Sequence[SegmentGroup],
    settings: CompareSettings,
    pairs: int,
    *,
    replicates: int | None,
    interval: schema.IntervalName | None,
) -> tuple[GroupComparison, ...]:
    """Compare all `pairs` in each group; p-values are adjusted across groups."""
    from truebleu.significance.scores import score

    tested = [group for group in groups if group.units >= FEWEST_UNITS]
    family = len(tested) * pairs
    if family > MOST_GROUP_COMPARISONS:
        found = f"{len(tested)} groups with {pairs} comparisons each"
        expected = f"at most {MOST_GROUP_COMPARISONS:,} comparisons; fewer groups, or a baseline"
        raise SettingError("by", found, expected)
    settings = replace(settings, replicates=_group_replicates(settings, family, tested, replicates))
    results = []
    for group in groups:
        part = counts.subset(group.segments)
        comparisons: tuple[PairResult, ...] = ()
        systems: Mapping[str, Mapping[str, SystemResult | Score]]
        if group in tested:
            compared = compare(
                part,
                **{**group.resampling(tested, settings, interval), "level": settings.level},
                test=None if settings.test == "scaled" else settings.test,
                correction="none",
                alternative=settings.alternative,
                baseline=settings.baseline,
            )
            systems, comparisons = compared.systems, compared.comparisons
        else:
            systems = score(part)
        scores = {
            name: {label: float(result.score) for label, result in by.items()}
            for name, by in systems.items()
        }
        used = compared.settings.test if group in tested else None
        results.append(
            GroupComparison(**group.values(), systems=scores, comparisons=comparisons, test=used)
        )
    return _adjusted(results, settings.p_value_correction, settings.alpha)


def _group_replicates(
    settings: CompareSettings, family: int, tested: Sequence[SegmentGroup], replicates: int | None
) -> int:
    """As many replicates as the comparisons of all groups need, or those that were asked for."""
    if not tested:
        return settings.replicates
    correction = settings.p_value_correction
    if replicates is None:
        return max(settings.replicates, default_replicates(correction, family, settings.alpha))
    swaps = Swaps(replicates=replicates)
    if not all(swaps.enumerates(group.units) for group in tested):
        require_enough_replicates(
            replicates, correction, family, settings.alpha, kind="comparisons of groups"
        )
    return replicates


def _adjusted(
    groups: Sequence[GroupComparison], correction: str, alpha: float
) -> tuple[GroupComparison, ...]:
    """The groups with p-values adjusted over all of them, metric by metric."""
    labels = {pair.metric for group in groups for pair in group.comparisons}
    by_label: dict[str, Iterator[float]] = {}
    for label in labels:
        p_values = [pair.p for group in groups for pair in group.of(label)]
        by_label[label] = iter(adjust(np.array(p_values), correction).tolist())

    def corrected(pair: PairResult) -> PairResult:
        p = next(by_label[pair.metric])
        return replace(pair, p_adjusted=p, significant=p <= alpha)

    return tuple(
        replace(group, comparisons=tuple(map(corrected, group.comparisons))) for group in groups
    )


# The result.


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
            where p is at most 1 minus the level. An end is None where the test leaves it open. Of
            pass/fail scores, Tango's interval, in accord with the test.
        open_end: why it does; None where both ends are numbers.
        simultaneous_interval: of the difference, all of which hold at once with the level; that of
            Tukey's or Scheffé's test where it corrects. None for a single comparison otherwise, and
            of further runs. Of a group of segments, those of this group hold at once.
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
            units; below 1, approximate randomization that is not scaled rejects equal scores too
            often. None where the difference does not vary, and of tests without swaps.
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
        interval_method: how intervals of scores were made.
        pass_fail: whether all scores are 0 or 1, of which differences have Tango's interval.
    """

    signature: Signature
    higher_is_better: bool | None
    clusters: tuple[tuple[str, ...], ...]
    experimentwise_error: float
    replicates: int
    exact: bool
    decided: bool
    smallest_p: float
    interval_method: schema.IntervalName = "percentile"
    pass_fail: bool = False
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
        test: the test of significance that was used; None where there is none.
    """

    column: str
    label: str
    segments: int
    unit: schema.Unit
    units: int
    systems: Mapping[str, Mapping[str, float]]
    comparisons: tuple[PairResult, ...]
    test: str | None = None

    def of(self, metric: str) -> tuple[PairResult, ...]:
        """The comparisons by one metric."""
        return tuple(pair for pair in self.comparisons if pair.metric == metric)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**schema.to_builtins(self), "systems": _named(self.systems)}


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

    test_set: Sizes
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

    def facts(self) -> dict[str, Any]:
        """Plain values, without sentences."""
        metrics = [
            {"name": label, **schema.to_builtins(metric)} for label, metric in self.metrics.items()
        ]
        settings = {**schema.to_builtins(self.settings), "units": self.units}
        groups = [group.to_dict() for group in self.groups]
        whole = {"settings": settings, "metrics": metrics, "systems": _named(self.systems)}
        values = Result.facts(self) | whole | {"groups": groups}
        del values["units"]
        return values


def _named(systems: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Systems with their scores, as JSON has them."""
    return [
        {"name": name, "scores": schema.to_builtins(scores)} for name, scores in systems.items()
    ]


@dataclass(frozen=True, slots=True)
class ResultsByMetric:
    """The metric, all systems and all pairs by one metric."""

    label: str
    metric: MetricResult
    systems: list[SystemResult]
    pairs: list[PairResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The pairs that are compared, and what their results are made with.

    Attributes:
        names: of the systems.
        pairs: the systems of each comparison.
        settings: of the comparison.
        people: what says how often people agree with a difference.
        references: how many each segment has.
        unit_name: what people call a unit.
        interval: how intervals of scores are made, where that was asked for.
    """

    names: Sequence[str]
    pairs: Sequence[Pair]
    settings: CompareSettings
    people: str | None
    references: int | None
    unit_name: Callable[[int | None], str | None]
    interval: schema.IntervalName | None = None

    def results(
        self,
        statistics: UnitCounts,
        scores: Values,
        tested: PairTests,
        effects: Sequence[float | None],
    ) -> ResultsByMetric:
        """What tests and replicates say by one metric.

        Args:
            statistics: of all systems.
            scores: on the bootstrap's replicates, shaped (replicate, system).
            tested: the p-values of all pairs.
            effects: the design effect of each pair's difference, where clusters are known.
        """
        settings, metric, higher = self.settings, statistics.metric, statistics.sign == 1
        # Systems one after the other: what kernels read of a system then stands together.
        scores = np.asfortranarray(scores)
        better = significantly_better(
            statistics.systems,
            self.pairs,
            statistics.differences(self.pairs),
            tested.p_adjusted <= settings.alpha,
            higher_is_better=higher,
        )
        # Against a baseline only, ranks would follow from comparisons that were not made.
        ranked = metric.higher_is_better is not None and settings.baseline is None
        groups = clusters(statistics.scores, better, higher_is_better=higher) if ranked else []
        method = choose_interval(statistics, self.interval, settings.interval)
        return ResultsByMetric(
            statistics.label,
            MetricResult(
                signature=metric.signature.with_references(self.references),
                higher_is_better=metric.higher_is_better,
                clusters=tuple(tuple(self.names[system] for system in group) for group in groups),
                experimentwise_error=experimentwise_error(settings.alpha, len(self.pairs)),
                replicates=tested.replicates,
                exact=tested.exact,
                decided=tested.decided,
                smallest_p=tested.smallest_p,
                digits=metric.digits,
                interval_method=method,
                pass_fail=statistics.items is not None,
            ),
            self._systems(statistics, scores, rank_ranges(better) if ranked else None, method),
            self._pairs(statistics, scores, tested, effects),
        )

    def _systems(
        self,
        statistics: UnitCounts,
        scores: Values,
        ranks: Sequence[tuple[int, int]] | None,
        method: schema.IntervalName,
    ) -> list[SystemResult]:
        level = self.settings.level
        low, high = interval_bounds(statistics, scores, None, method, level)
        best: Sequence[float | None] = [None] * statistics.systems
        if statistics.metric.higher_is_better is not None:
            best = probability_of_best(scores, higher_is_better=statistics.sign == 1)
        medians, relative = zip(*medians_and_relative_intervals(scores, level), strict=True)
        columns: dict[str, Sequence[Any]] = {
            "score": statistics.scores.tolist(),
            "interval": [*zip(low.tolist(), high.tolist(), strict=True)],
            "median": medians,
            "relative_interval": relative,
            "rank_range": [None] * statistics.systems if ranks is None else ranks,
            "p_best": best,
        }
        return [SystemResult(**row) for row in _rows(columns)]

    def _pairs(
        self,
        statistics: UnitCounts,
        scores: Values,
        tested: PairTests,
        effects: Sequence[float | None],
    ) -> list[PairResult]:
        pairs, settings, sign = self.pairs, self.settings, statistics.sign
        differing = statistics.differing_units(pairs)
        least = _fewest_differing(statistics.units, settings)
        largest = largest_units(statistics, pairs)
        ratios = [None] * len(pairs) if tested.swap_ratios is None else tested.swap_ratios.tolist()
        columns: dict[str, Sequence[Any]] = {
            "a": [self.names[a] for a, _ in pairs],
            "b": [self.names[b] for _, b in pairs],
            "difference": statistics.differences(pairs).tolist(),
            "wins": pair_wins(scores, pairs, sign=sign, scale=statistics.scale).tolist(),
            "p": tested.p.tolist(),
            "p_se": tested.p_se.tolist(),
            "p_adjusted": tested.p_adjusted.tolist(),
            "significant": (tested.p_adjusted <= settings.alpha).tolist(),
            "differing_units": differing,
            "note": [_note(count, least) for count in differing],
            "design_effect": effects,
            "largest_share": [unit.share for unit in largest],
            "largest_unit": [self.unit_name(unit.unit) for unit in largest],
            "swap_ratio": [None if ratio != ratio else ratio for ratio in ratios],
            "people": agreement_of_pairs(
                statistics.metric, self.people, pairs, statistics.scores, self.references
            ),
        }
        columns |= _difference_bounds(tested, sign, settings)
        columns |= _equivalence(statistics, scores, pairs, settings)
        correction = CORRECTIONS[settings.correction]
        if correction.half_width is not None:
            means = statistics.unit_means(f"correction {correction.name}")
            half = correction.half_width(means, settings.level)
            leads = columns["difference"]
            columns["simultaneous_interval"] = [(lead - half, lead + half) for lead in leads]
        elif len(pairs) > 1 and TESTS[settings.test].source != "runs":
            bounds = simultaneous_intervals(statistics, scores, pairs, settings.level)
            columns["simultaneous_interval"] = [*zip(*bounds.tolist(), strict=True)]
        return [PairResult(metric=statistics.label, **row) for row in _rows(columns)]


def _rows(columns: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """The fields of each result, of the values that all of them have."""
    return (
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    )


def _difference_bounds(
    tested: PairTests, sign: int, settings: CompareSettings
) -> dict[str, list[Any]]:
    """The intervals of differences; a one-sided test has one end, that of its direction."""
    one_sided = settings.alternative != "two-sided"
    has_low = not one_sided or (settings.alternative == "greater") == (sign > 0)
    has_high = not one_sided or not has_low
    too_few: OpenEnd = "too few units"
    replicates = tested.replicates
    if replicates and not _core.critical_rank(replicates, settings.alpha, exact=tested.exact):
        too_few = "too few replicates"
    intervals, open_ends = [], []
    for pair in range(len(tested.p)):
        low, high = tested.interval(pair)
        interval = (low if has_low else None, high if has_high else None)
        open_end: OpenEnd | None = None
        if None in interval:
            decides = interval[0] if has_low else interval[1]
            open_end = too_few if decides is None else "one-sided test"
        intervals.append(interval)
        open_ends.append(open_end)
    return {"interval": intervals, "open_end": open_ends}


def _equivalence(
    statistics: UnitCounts, scores: Values, pairs: Sequence[Pair], settings: CompareSettings
) -> dict[str, list[Any]]:
    """The tests of equivalence of all pairs; nothing without a margin.

    Two one-sided tests (Schuirmann 1987): the larger p of "worse by the margin" and "better by it".
    """
    if settings.margin is None:
        return {}
    if TESTS[settings.test].source == "runs":
        p = two_way_equivalence_p(statistics, pairs, settings.margin)
    else:
        # By the block: the differences of all pairs without each unit would fill the memory.
        size = max(1, PAIR_BLOCK // statistics.units)
        parts = (pairs[start : start + size] for start in range(0, len(pairs), size))
        p = np.concatenate(
            [_hall_equivalence_p(statistics, scores, part, settings.margin) for part in parts]
        )
    adjusted = adjust(p, settings.p_value_correction)
    return {
        "equivalence_p": p.tolist(),
        "equivalence_p_adjusted": adjusted.tolist(),
        "equivalent": (adjusted <= settings.alpha).tolist(),
    }


def _hall_equivalence_p(
    statistics: UnitCounts, scores: Values, pairs: Sequence[Pair], margin: float
) -> Values:
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
