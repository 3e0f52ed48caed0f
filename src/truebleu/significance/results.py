"""Results of comparisons: systems, pairs, metrics and groups, and their making from tests."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from truebleu import schema
from truebleu._results import Result
from truebleu.metrics.base import MeanScorer
from truebleu.significance.corrections import (
    CORRECTIONS,
    LARGEST_HOLM_FAMILY,
    adjust,
    experimentwise_error,
)
from truebleu.significance.human_curves import PeopleAgreement, agreement_of_pairs
from truebleu.significance.intervals import (
    Estimates,
    choose_interval,
    hall_p,
    interval_bounds,
    medians_and_relative_intervals,
    score_bounds,
)
from truebleu.significance.optimizer_runs import RunAverage, SystemRuns, two_way_equivalence_p
from truebleu.significance.pairs import (
    adjust_together,
    all_pair_tests,
    clusters,
    pair_wins,
    pairs_to_compare,
    probability_of_best,
    rank_ranges,
    significantly_better,
)
from truebleu.significance.replicates import bootstrap_scores
from truebleu.significance.settings import (
    CompareSettings,
    known_clusters,
    name_of_unit,
    resolve_settings,
)
from truebleu.significance.tests import TESTS, fewest_units
from truebleu.significance.unit_counts import (
    are_rates,
    count_units,
    design_effects,
    largest_units,
    pair_blocks,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.outline import Sizes
    from truebleu.corpus.text_warnings import TextWarning
    from truebleu.counts.counts import Counts
    from truebleu.metrics.base import Scorer, Signature
    from truebleu.resampling import Values
    from truebleu.significance.optimizer_runs import RunScores
    from truebleu.significance.pairs import DifferenceBounds, PairTests
    from truebleu.significance.replicates import Progress
    from truebleu.significance.unit_counts import Pair, UnitCounts

Bounds = tuple[float, float]
#: Reasons why an end is open.
OpenEnd = Literal["one-sided test", "too few units", "few units differ", "too few replicates"]
#: Reasons why the test of a pair is moot; `truebleu.reports.compare` puts them into words.
PairNote = Literal["identical", "few units differ"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemResult:
    """One system by one metric.

    Attributes:
        score: score on the whole test set, or the average over runs.
        interval: interval of the score; both ends are None if the scores do not vary.
        median: median of the replicates' scores (Zhang & Vogel 2004, §3.1).
        relative_interval: interval around the median in per cent of the median; None at a median
            of 0.
        rank_range: best and worst rank that the tests leave; None for a metric without direction,
            and if not all pairs were compared.
        p_best: share of replicates in which the system is best; None without direction.
        runs: scores of the system's runs; None if no runs are compared.
    """

    score: float
    interval: DifferenceBounds
    median: float
    relative_interval: Bounds | None
    rank_range: tuple[int, int] | None
    p_best: float | None
    runs: RunScores | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """Two systems by one metric.

    Attributes:
        metric: label of the metric.
        a: name of the first system.
        b: name of the second system.
        difference: score of a minus score of b.
        interval: interval of the differences that the pair's test does not reject, adjusted for
            all comparisons: it excludes 0 exactly if p_adjusted is at most 1 minus the level. It
            covers at least at the level, alone and not simultaneously. An end that the test leaves
            open is None; both are if too few units differ. Pass/fail scores have Tango's interval,
            and Tukey's and Scheffé's corrections their own.
        open_end: reason why an end is open; None if both ends are numbers.
        uncorrected_interval: the interval without a correction, which excludes 0 exactly if p is at
            most 1 minus the level; None if nothing was corrected, and for more than 1,000 pairs.
        wins: share of replicates in which a is better; a tie counts half (Koehn 2004, §6).
        p: p-value: how often equal systems would differ by at least this much.
        p_se: Monte-Carlo standard error of p.
        p_adjusted: p after the correction for all comparisons by this metric.
        significant: True if p_adjusted is at most the significance level.
        differing_units: number of units in which the metric counts the two systems differently.
        fixed: number of items that a gets right and b does not, of pass/fail scores; else None.
        broken: number of items that b gets right and a does not, of pass/fail scores; else None.
        effect_size: Cohen's g of pass/fail scores, the share of fixed items among the fixed and
            broken ones minus 1/2: 0.05 is small, 0.15 medium, 0.25 large. None for other scores,
            and if no item is fixed or broken.
        design_effect: variance of the difference by documents or blocks over its variance by
            segments; None if neither documents nor blocks are known.
        largest_share: largest share of one unit in the variance of the difference; None if the
            difference does not vary.
        largest_unit: name or number of this unit.
        swap_ratio: variance of the difference over random swaps, divided by its variance over
            samples of units; below 1, unscaled approximate randomization rejects equal scores too
            often. None if the difference does not vary, and for tests without swaps.
        equivalence_p: p-value of the hypothesis that the systems differ by the margin or more;
            None without a margin.
        equivalence_p_adjusted: equivalence_p after a correction for all comparisons by this metric.
        equivalent: True if equivalence_p_adjusted is at most the significance level; None without
            a margin.
        pooled_difference: difference of the scores of all runs as one corpus, which swaps of
            separate runs test; None if no runs are compared.
        people: human agreement with such a difference; None if it is not significant, or no curve
            is known.
        note: reason why the test is moot, or None.
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
    fixed: int | None = None
    broken: int | None = None
    effect_size: float | None = None
    design_effect: float | None = None
    largest_share: float | None = None
    largest_unit: str | None = None
    swap_ratio: float | None = None
    equivalence_p: float | None = None
    equivalence_p_adjusted: float | None = None
    equivalent: bool | None = None
    pooled_difference: float | None = None
    people: PeopleAgreement | None = None
    note: PairNote | None = None
    open_end: OpenEnd | None = None
    uncorrected_interval: DifferenceBounds | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricResult:
    """Results of a metric as a whole.

    Attributes:
        signature: all that must match before scores of the metric may be compared.
        higher_is_better: direction of the metric; None without direction.
        digits: decimals of a score to display.
        clusters: groups of systems that the tests do not separate, best first; empty for a metric
            without direction, and if not all pairs were compared.
        experimentwise_error: probability of at least one false alarm among all comparisons, if
            none of the systems differed and nothing were corrected (Riezler & Maxwell 2005, §4.4).
        replicates: number of replicates of the test; all 2**units if those are no more, 0 if the
            test needs none.
        exact: True if the replicates were all possible swaps, and for McNemar's exact test.
        decided: True if every decision is clear of Monte-Carlo error.
        smallest_p: smallest adjusted p that the replicates and comparisons allow; if it is above
            the significance level, nothing could have been significant.
        test: name of the test: "mcnemar" for pass/fail scores with items as units, which replaces
            swaps, else the test of the settings.
        interval_method: method of the intervals of scores.
        pass_fail: True if all scores are 0 or 1, whose differences have Tango's interval.
        percent: True if all scores are 0 or 1, or averages of runs whose scores are; people read
            them in percent.
        unmatched: smallest order of n-grams without any match of each system that has one, whose
            score is smoothing.
        rare_zeros: number of scores of each system that are 0 and far from all others, if there are
            1 to 9 of them and at most a tenth.
    """

    signature: Signature
    higher_is_better: bool | None
    clusters: tuple[tuple[str, ...], ...]
    experimentwise_error: float
    replicates: int
    exact: bool
    decided: bool
    smallest_p: float
    test: str = "ar"
    interval_method: schema.IntervalName = "percentile"
    pass_fail: bool = False
    percent: bool = False
    digits: int = 2
    unmatched: Mapping[str, int] = field(default_factory=dict)
    rare_zeros: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupComparison:
    """Comparisons of systems on a group of segments.

    Attributes:
        column: name of the labels that group the segments.
        label: label of the group.
        segments: number of segments.
        unit: unit that was resampled or swapped as a whole.
        units: number of units.
        systems: scores by system and metric label.
        comparisons: every pair by every metric, adjusted for the comparisons of all groups. Empty
            with too few units to test.
        test: significance test that was used; None with too few units to test.
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
        """Return the comparisons by one metric."""
        return tuple(pair for pair in self.comparisons if pair.metric == metric)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**schema.to_builtins(self), "systems": _named(self.systems)}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupHeterogeneity:
    """Variation of a pair's difference between the groups of a column.

    Attributes:
        metric: label of the metric.
        column: name of the labels that group the segments.
        a: name of the first system.
        b: name of the second system.
        groups: number of groups that were tested.
        p: p-value of the hypothesis that the true differences of all groups are equal, by Welch's
            F, or Cochran's Q of pass/fail scores; groups count as independent.
        p_adjusted: p after Holm's correction over all pairs and columns, by this metric.
        tau: standard deviation of the true differences.
        i_squared: share of the variance between groups that is not due to errors within groups.
    """

    metric: str
    column: str
    a: str
    b: str
    groups: int
    p: float
    p_adjusted: float
    tau: float
    i_squared: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparison(Result):
    """Every system and every compared pair by every metric.

    Attributes:
        test_set: sizes and names of the test set.
        settings: settings of the comparison.
        units: number of units that were resampled or swapped.
        metrics: results of each metric as a whole, by label.
        systems: results by system and metric label.
        comparisons: every pair by every metric.
        runs: names of the outputs of each system; None if no runs are compared.
        groups: comparisons on groups of segments, if requested.
        heterogeneity: variation of each pair's difference between the groups of each column.
        warnings: warnings about the texts.
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
    heterogeneity: tuple[GroupHeterogeneity, ...] = ()
    warnings: tuple[TextWarning, ...] = ()

    def of(self, metric: str) -> tuple[PairResult, ...]:
        """Return the comparisons by one metric."""
        return tuple(pair for pair in self.comparisons if pair.metric == metric)

    def facts(self) -> dict[str, Any]:
        """Return plain values, without sentences."""
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
    """Return systems with their scores, as JSON has them."""
    return [
        {"name": name, "scores": schema.to_builtins(scores)} for name, scores in systems.items()
    ]


class ResampledSystems:
    """Systems resampled, with the tests of all pairs by each metric, before intervals are made.

    Attributes:
        settings: settings of the comparison.
        pairs: indices of the systems of each comparison.
        tests: tests of all pairs, for each metric.
    """

    def __init__(
        self,
        counts: Counts,
        outputs: Mapping[str, tuple[str, ...]] | None,
        options: Mapping[str, Any],
        progress: Progress | None = None,
        parts: int = 1,
    ) -> None:
        """Resample the systems and test all pairs.

        Args:
            counts: counts of the systems, or of their runs.
            outputs: outputs of each system, or None if no runs are compared.
            options: options of `compare`.
            progress: function called with the number of replicates made since the last call.
            parts: number of such tests that share the memory for intervals.
        """
        self._outline, self._outputs = counts.outline, outputs
        self._options, self._progress = options, progress
        self._names = list(counts.outline.systems if outputs is None else outputs)
        self.pairs = pairs_to_compare(self._names, options["baseline"])
        self.settings, self._units = resolve_settings(options, counts, outputs, len(self.pairs))
        self._segments = [metric.rows.stored() for metric in counts.metrics]
        self._by_output = self._counts = count_units(counts, self._units)
        self._runs: SystemRuns | None = None
        if outputs is not None:
            settings = self.settings
            self._runs = SystemRuns(outputs, self._by_output, settings.about, settings.seed)
            self._counts = self._runs.averages
        self._output_scores = self._score_outputs(0, self.settings.replicates)
        self._scores = self._average(self._output_scores)
        self.tests = self._test(parts)
        # The default test scales no swaps if they vary as much as samples.
        is_default = options["test"] is None and self.settings.test == "scaled"
        if is_default and not any(tests.is_scaled for tests in self.tests):
            self.settings = replace(self.settings, test="ar")

    def _score_outputs(self, first: int, count: int) -> list[Values]:
        bootstrap = self.settings.bootstrap(count)
        return bootstrap_scores(
            self._by_output, self._units, bootstrap, self._progress, first=first
        )

    def _average(self, scores: list[Values], first: int = 0) -> list[Values]:
        return scores if self._runs is None else self._runs.mean_scores(scores, first)

    def _test(self, parts: int) -> list[PairTests]:
        settings, swapped = self.settings, self._counts
        if self._runs is not None and settings.swap_runs == "separately":
            swapped = self._runs.pooled

        def draw(first: int, count: int) -> list[Values]:
            return self._average(self._score_outputs(first, count), first)

        tests = all_pair_tests(
            swapped, self._scores, self.pairs, settings, draw, self._progress, parts
        )
        if settings.correct_over == "pairs":
            return tests
        return adjust_together(tests, settings.correction, settings.alpha)

    def results(self, groups: tuple[GroupComparison, ...] = ()) -> Comparison:
        """Make the result of the comparison."""
        metrics: dict[str, MetricResult] = {}
        systems: dict[str, dict[str, SystemResult]] = {name: {} for name in self._names}
        comparisons: list[PairResult] = []
        for index, counts in enumerate(self._counts):
            # Column order, so that the scores of a system are contiguous for the kernels.
            scores = np.asfortranarray(self._scores[index])
            rows = self._segments[index]
            if self._runs is not None:
                rows = self._runs.by_system(rows)
            better = significantly_better(
                counts.systems,
                self.pairs,
                counts.differences(self.pairs),
                self.tests[index].p_adjusted <= self.settings.alpha,
                higher_is_better=counts.sign == 1,
            )
            # Ranks against a baseline would depend on comparisons that were not made.
            has_ranks = counts.metric.higher_is_better is not None
            has_ranks = has_ranks and self.settings.baseline is None
            metric = self._metric(index, rows, better if has_ranks else None)
            metrics[counts.label] = metric
            results = self._systems(index, scores, metric, better if has_ranks else None)
            for name, result in zip(self._names, results, strict=True):
                systems[name][counts.label] = result
            comparisons += self._pairs(index, scores, rows)
        return Comparison(
            test_set=self._outline.sizes,
            settings=self.settings,
            units=len(self._units),
            metrics=metrics,
            systems=systems,
            comparisons=tuple(comparisons),
            runs=self._outputs,
            groups=groups,
            warnings=self._outline.warnings,
        )

    def _metric(self, index: int, rows: Values, better: NDArray[np.bool_] | None) -> MetricResult:
        """Return the results of a metric as a whole; `better` is None without ranks."""
        counts, tests, settings = self._counts[index], self.tests[index], self.settings
        scorer, groups = counts.metric, []
        if better is not None:
            groups = clusters(counts.scores, better, higher_is_better=counts.sign == 1)
        return MetricResult(
            signature=scorer.signature.with_references(self._outline.references_each),
            higher_is_better=scorer.higher_is_better,
            clusters=tuple(tuple(self._names[system] for system in group) for group in groups),
            experimentwise_error=experimentwise_error(settings.alpha, len(self.pairs)),
            replicates=tests.replicates,
            exact=tests.exact,
            decided=tests.decided,
            smallest_p=tests.smallest_p,
            test=_test_name(counts, settings),
            digits=scorer.digits,
            interval_method=choose_interval(counts, self._options["interval"], settings.interval),
            pass_fail=counts.items is not None,
            percent=_are_percentages(scorer, rows),
            unmatched={
                name: order
                for name, sums in zip(self._names, counts.sums, strict=True)
                if (order := scorer.describe(sums.tolist(), None).unmatched_order)
            },
            rare_zeros={
                name: count
                for name, count in zip(self._names, counts.rare_zeros, strict=True)
                if count
            },
        )

    def _systems(
        self, index: int, scores: Values, metric: MetricResult, better: NDArray[np.bool_] | None
    ) -> list[SystemResult]:
        counts, level = self._counts[index], self.settings.level
        low, high = interval_bounds(counts, scores, None, metric.interval_method, level)
        nothing = [None] * counts.systems
        medians, relative = zip(*medians_and_relative_intervals(scores, level), strict=True)
        columns: dict[str, Sequence[Any]] = {
            "score": counts.scores.tolist(),
            "interval": [score_bounds(*ends) for ends in zip(low, high, strict=True)],
            "median": medians,
            "relative_interval": relative,
            "rank_range": nothing if better is None else rank_ranges(better),
            "p_best": nothing
            if metric.higher_is_better is None
            else probability_of_best(scores, higher_is_better=counts.sign == 1),
        }
        if self._runs is not None:
            columns["runs"] = self._runs.run_scores(index, self._output_scores[index])
        return [SystemResult(**row) for row in _rows(columns)]

    def _pairs(self, index: int, scores: Values, rows: Values) -> list[PairResult]:
        pairs, settings, outline = self.pairs, self.settings, self._outline
        counts, tests = self._counts[index], self.tests[index]
        differing = counts.differing_units(pairs)
        minimum = _fewest_differing(counts.units, settings, settings.alpha)
        largest = largest_units(counts, pairs)
        nothing = [None] * len(pairs)
        significant = (tests.p_adjusted <= settings.alpha).tolist()
        ratios = nothing if tests.swap_ratios is None else tests.swap_ratios.tolist()
        columns: dict[str, Sequence[Any]] = {
            "a": [self._names[a] for a, _ in pairs],
            "b": [self._names[b] for _, b in pairs],
            "difference": counts.differences(pairs).tolist(),
            "wins": pair_wins(scores, pairs, sign=counts.sign, scale=counts.scale).tolist(),
            "p": tests.p.tolist(),
            "p_se": tests.p_se.tolist(),
            "p_adjusted": tests.p_adjusted.tolist(),
            "significant": significant,
            "differing_units": differing,
            **_discordance(counts, pairs),
            "note": [
                "identical" if count == 0 else "few units differ" if count < minimum else None
                for count in differing
            ],
            "design_effect": design_effects(counts, rows, known_clusters(outline, settings), pairs),
            "largest_share": [share for _, share in largest],
            "largest_unit": [
                name_of_unit(outline, self._units, settings, unit) for unit, _ in largest
            ],
            "swap_ratio": [None if ratio != ratio else ratio for ratio in ratios],
            "people": agreement_of_pairs(
                counts.metric,
                self._options["people"],
                pairs,
                counts.scores,
                outline.references_each,
                decided=significant,
                replicates=lambda: scores,
            ),
        }
        if self._runs is not None:
            pooled = self._runs.pooled[index].differences(pairs)
            columns["pooled_difference"] = pooled.tolist()
        columns |= _difference_bounds(tests, counts, pairs, settings)
        columns |= _equivalence(counts, scores, pairs, settings)
        correction = CORRECTIONS[settings.correction]
        if correction.half_width is not None:
            means = counts.unit_means(f"correction {correction.name}")
            half = correction.half_width(means, settings.level)
            differences = columns["difference"]
            columns["uncorrected_interval"] = columns["interval"]
            columns["interval"] = [(d - half, d + half) for d in differences]
            columns["open_end"] = nothing
        return [PairResult(metric=counts.label, **row) for row in _rows(columns)]


def _rows(columns: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Yield the fields of each result from columns of values."""
    return (
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    )


def _are_percentages(scorer: Scorer, rows: Values) -> bool:
    """Return whether all scores of items, or of their runs, are 0 or 1."""
    # The columns of runs stand side by side.
    of_runs, width = scorer, 2
    if isinstance(scorer, RunAverage):
        of_runs, width = scorer.metric, 2 * scorer.runs
    if not isinstance(of_runs, MeanScorer) or rows.shape[2] != width:
        return False
    return are_rates(of_runs, rows.reshape(len(rows), -1, 2))


def _test_name(counts: UnitCounts, settings: CompareSettings) -> str:
    by_swaps = TESTS[settings.test].source == "swaps"
    return "mcnemar" if by_swaps and counts.has_exact_test else settings.test


def _discordance(counts: UnitCounts, pairs: Sequence[Pair]) -> dict[str, Sequence[Any]]:
    """Count fixed and broken items of pass/fail scores, and return Cohen's g."""
    items = counts.discordant_items(pairs)
    if items is None:
        return {}
    fixed, broken = (numbers.astype(int).tolist() for numbers in items)
    return {
        "fixed": fixed,
        "broken": broken,
        "effect_size": [cohens_g(*both) for both in zip(fixed, broken, strict=True)],
    }


def cohens_g(fixed: int, broken: int) -> float | None:
    """Return the share of fixed items among fixed and broken ones minus 1/2; None without any.

    >>> cohens_g(108, 84)
    0.0625
    """
    return fixed / (fixed + broken) - 1 / 2 if fixed + broken else None


def _difference_bounds(
    tested: PairTests, counts: UnitCounts, pairs: Sequence[Pair], settings: CompareSettings
) -> dict[str, list[Any]]:
    """Return the intervals of differences, with an open end if the test is one-sided."""
    one_sided = settings.alternative != "two-sided"
    has_low = not one_sided or (settings.alternative == "greater") == (counts.sign > 0)
    has_high = not one_sided or not has_low

    def sided(bounds: DifferenceBounds) -> DifferenceBounds:
        return bounds[0] if has_low else None, bounds[1] if has_high else None

    differing = counts.differing_units(pairs)

    def of_pairs(alphas: Values) -> list[DifferenceBounds]:
        # Equal systems leave nothing to invert, except rates.
        return [
            sided(bounds) if count or counts.items is not None else (None, None)
            for bounds, count in zip(tested.intervals(alphas), differing, strict=True)
        ]

    intervals = of_pairs(tested.alphas)
    columns: dict[str, list[Any]] = {"interval": intervals}
    uncorrected = np.full_like(tested.alphas, settings.alpha)
    # More pairs may need the replicates a second time.
    if (tested.alphas != uncorrected).any() and len(pairs) <= LARGEST_HOLM_FAMILY:
        columns["uncorrected_interval"] = of_pairs(uncorrected)
    reasons: list[OpenEnd | None] = []
    for interval, alpha, count in zip(intervals, tested.alphas.tolist(), differing, strict=True):
        if None not in interval:
            reasons.append(None)
        elif (interval[0] if has_low else interval[1]) is not None:
            reasons.append("one-sided test")
        elif counts.units < fewest_units(alpha, settings.alternative):
            reasons.append("too few units")
        elif count < max(1, _fewest_differing(counts.units, settings, alpha)):
            reasons.append("few units differ")
        else:
            reasons.append("too few replicates")
    return columns | {"open_end": reasons}


def _equivalence(
    statistics: UnitCounts, scores: Values, pairs: Sequence[Pair], settings: CompareSettings
) -> dict[str, list[Any]]:
    """Test the equivalence of all pairs; return nothing without a margin.

    Two one-sided tests (Schuirmann 1987): the larger p of "worse by the margin" and "better by it".
    """
    if settings.margin is None:
        return {}
    if TESTS[settings.test].source == "runs":
        p = two_way_equivalence_p(statistics, pairs, settings.margin)
    else:
        # Blocks, because the jackknife differences of all pairs would fill the memory.
        blocks = pair_blocks(len(pairs), statistics.units)
        p = np.concatenate(
            [_hall_equivalence_p(statistics, scores, pairs[b], settings.margin) for b in blocks]
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


def _fewest_differing(units: int, settings: CompareSettings, alpha: float) -> int:
    """Return the number of differing units below which no test by swaps can be significant."""
    if TESTS[settings.test].source != "swaps":
        return 0
    return min(fewest_units(alpha, settings.alternative), units)
