"""Tests of all pairs of systems, with as many replicates as needed, and ranks.

An adaptive comparison doubles the replicates of a metric until each of its decisions is clear of
Monte-Carlo error. Tests by swaps start with few replicates, bootstrap tests with the replicates of
the intervals. Replicates of pairs are counted block by block: 300 systems have 44,850 pairs.

The interval of a difference has every difference that the test of the pair does not reject at the
alpha that the correction leaves to it, so that it excludes 0 exactly if the difference is
significant.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from math import isfinite
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from truebleu import _core
from truebleu._core import PairTally, swap_scales
from truebleu.errors import RefusedError, SettingError, UnknownNameError
from truebleu.resampling import TIE_TOLERANCE, Swaps, Values, as_replicates, as_values
from truebleu.significance.corrections import (
    CORRECTIONS,
    NullBlocks,
    adjust,
    adjusted_alphas,
    deviation,
    extremeness,
)
from truebleu.significance.intervals import jackknife_intervals
from truebleu.significance.replicates import (
    scale_swaps,
    swap_blocks,
    swap_ratios,
    swapped_sum_blocks,
)
from truebleu.significance.tests import (
    REPLICATE_TESTS,
    BootstrapTest,
    RunsTest,
    SwapTest,
    decision,
    fewest_replicates,
    find_test,
    monte_carlo_error,
    monte_carlo_interval,
    smallest_p,
)
from truebleu.significance.unit_counts import BLOCK_SIZE, pair_blocks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from truebleu._core import NativeMetric
    from truebleu.schema import Alternative
    from truebleu.significance.replicates import Progress
    from truebleu.significance.settings import CompareSettings
    from truebleu.significance.unit_counts import Pair, UnitCounts

__all__ = ["clusters", "probability_of_best", "rank_ranges"]

#: Ends of an interval; None if the test leaves an end open, both None without an interval.
DifferenceBounds: TypeAlias = "tuple[float | None, float | None]"

# First number of swaps, and largest number of replicates, of an adaptive comparison.
ADAPTIVE_START = 1000
ADAPTIVE_LIMIT = 1_000_000
# Number of differing units from which the shift of a test by swaps is a fair model.
ENOUGH_DIFFERING = 20
# Replicates kept for the ends of intervals: 64 MB.
KEPT = 1 << 23


@dataclass(frozen=True, slots=True, eq=False)
class PairTests:
    """p-values of all pairs by one metric, and what their intervals need.

    Attributes:
        p: p-value of each pair.
        p_se: Monte-Carlo standard error of each p.
        p_adjusted: p after the correction.
        replicates: number of replicates; 0 if the test needs none.
        exact: True if the replicates were all possible swaps, and for McNemar's exact test.
        decided: True if every decision is clear of Monte-Carlo error.
        smallest_p: smallest possible adjusted p.
        alphas: alpha of each pair's interval; see `adjusted_alphas`.
        invert: function of alphas that returns the lows and highs of the intervals that invert the
            test, infinite if the test rejects no difference; for a one-sided test, each end comes
            from the one-sided test in that direction. None if only p-values were requested.
        swap_ratios: see `replicates.swap_ratios`; None unless the test is by swaps.
    """

    p: Values
    p_se: Values
    p_adjusted: Values
    replicates: int
    exact: bool
    decided: bool
    smallest_p: float
    alphas: Values
    invert: Callable[[Values], Values] | None = None
    swap_ratios: Values | None = None

    @property
    def swap_scales(self) -> Values:
        """Factors that scale, or would scale, the swaps of each pair to the variance of samples."""
        if self.exact or self.swap_ratios is None:
            return np.ones_like(self.p)
        return swap_scales(self.swap_ratios)

    @property
    def is_scaled(self) -> bool:
        """True if swaps of any pair were, or would be, scaled to the variance of samples."""
        return bool((self.swap_scales != 1).any())

    def intervals(self, alphas: Values | None = None) -> list[DifferenceBounds]:
        """Return the interval of each pair at its alpha, with None for an open end."""
        if self.invert is None:
            raise AssertionError("intervals were not requested")
        bounds = self.invert(self.alphas if alphas is None else alphas).T.tolist()
        return [
            (low if isfinite(low) else None, high if isfinite(high) else None)
            for low, high in bounds
        ]


def pair_tests(
    statistics: UnitCounts,
    pairs: Sequence[Pair],
    differences: Values,
    settings: CompareSettings,
    *,
    exact: bool,
) -> PairTests:
    """Test the observed difference of each pair against the differences of the replicates.

    Args:
        statistics: counts of all systems by one metric.
        pairs: systems of each comparison.
        differences: differences of the test's replicates, shaped (replicate, pair).
        settings: test, alternative, level and correction.
        exact: True if the replicates are all possible swaps.
    """
    test = REPLICATE_TESTS[settings.test]
    # Differences are negated if lower is better.
    observed = statistics.sign * statistics.differences(pairs)
    replicated = statistics.sign * differences
    p = test.p_values(
        observed, replicated, settings.alternative, exact=exact, scale=statistics.scale
    )
    null = () if test.null is None else (test.null(observed, replicated),)
    evidence = p, len(differences), exact, NullBlocks(lambda: null)
    return _adjust_and_decide(statistics, pairs, settings, *evidence)


def _adjust_and_decide(
    statistics: UnitCounts,
    pairs: Sequence[Pair],
    settings: CompareSettings,
    p: Values,
    replicates: int,
    exact: bool,
    null: NullBlocks,
) -> PairTests:
    """Adjust p-values for multiple comparisons, and check that every decision is clear.

    Args:
        statistics: counts of all systems by one metric.
        pairs: systems of each comparison.
        settings: test, alternative, level and correction.
        p: p-value of each pair.
        replicates: number of replicates.
        exact: True if the replicates are all possible swaps.
        null: differences of equal systems, block by block.
    """
    test, correction = find_test(settings.test), CORRECTIONS[settings.correction]
    p_se = np.zeros_like(p) if exact else monte_carlo_error(p, replicates)
    # The swap of every unit is as extreme as the empty one in a two-sided test.
    extreme = 2 if settings.alternative == "two-sided" else 1
    smallest = extreme / replicates if exact else smallest_p(replicates)
    if correction.basis == "segment scores":
        means = statistics.unit_means(f"correction {correction.name}")
        left, right = np.array(pairs).T
        adjusted, alphas = correction.adjust(means)[left, right], np.full_like(p, settings.alpha)
        return PairTests(p, p_se, adjusted, replicates, exact, True, 0.0, alphas)
    if correction.basis == "replicates":
        if test.null is None:
            raise SettingError("correction", correction.name, f"holm with {test.title}")
        observed = statistics.sign * statistics.differences(pairs)
        adjusted = correction.adjust(
            observed, null, settings.alternative, exact=exact, scale=statistics.scale
        )
        # Standardized differences may round ties the other way; a corrected p is never smaller.
        adjusted = np.maximum(adjusted, p)
    else:
        adjusted = adjust(p, correction.name)
        smallest = float(adjust(np.full(len(pairs), smallest), correction.name).min())
    decided = exact or _is_clear(adjusted, p, replicates, settings)
    alphas = adjusted_alphas(p, adjusted, correction.name, settings.alpha)
    return PairTests(p, p_se, adjusted, replicates, exact, decided, smallest, alphas)


def _is_clear(adjusted: Values, p: Values, replicates: int, settings: CompareSettings) -> bool:
    """Return whether every decision is clear of Monte-Carlo error."""
    correction = CORRECTIONS[settings.correction]
    if correction.basis == "replicates":
        bounds = monte_carlo_interval(_share(adjusted, replicates), replicates)
    else:
        # Corrections are monotone in every p-value.
        ends = monte_carlo_interval(_share(p, replicates), replicates)
        bounds = np.stack([adjust(end, correction.name) for end in ends])
    return all(decision(low, high, settings.alpha) is not None for low, high in bounds.T)


def _share(p: Values, replicates: int) -> Values:
    """Return the share of extreme replicates: p without the observed test set."""
    return np.clip((p * (replicates + 1) - 1) / replicates, 0.0, 1.0)


# p-values, number of replicates, True if these are all swaps, and differences of equal systems.
Evidence: TypeAlias = "tuple[Values, int, bool, NullBlocks]"
# Function of the index of the first replicate and the number of replicates that returns scores
# shaped (replicate, system) for each metric.
Draw = Callable[[int, int], Sequence[Values]]


def all_pair_tests(
    statistics: Sequence[UnitCounts],
    scores: Sequence[Values],
    pairs: Sequence[Pair],
    settings: CompareSettings,
    draw: Draw,
    progress: Progress | None = None,
    parts: int = 1,
) -> list[PairTests]:
    """Test all pairs by all metrics.

    Args:
        statistics: counts by each metric; swaps exchange their rows.
        scores: scores on the bootstrap's first replicates, for each metric, shaped (replicate,
            system).
        pairs: systems of each comparison.
        settings: test, number of replicates, and whether to add replicates until decisions are
            clear.
        draw: function that scores further replicates of the bootstrap.
        progress: function called with the number of swaps made since the last call.
        parts: number of such calls that share the memory for the ends of intervals.
    """
    test = find_test(settings.test)
    if isinstance(test, RunsTest):
        return [_runs_tests(metric, pairs, test, settings) for metric in statistics]
    count = settings.test_replicates or settings.replicates
    replicates: Sequence[_Replicates]
    extend: Callable[[Sequence[int], int], None]
    tests: dict[int, PairTests] = {}
    if isinstance(test, SwapTest):
        if CORRECTIONS[settings.correction].basis != "replicates":
            exact = (i for i, metric in enumerate(statistics) if metric.has_exact_test)
            tests = {i: _mcnemar_tests(statistics[i], pairs, settings) for i in exact}
        room = KEPT // parts // len(statistics)
        swapped = [_SwapReplicates(metric, pairs, settings, test, room) for metric in statistics]
        replicates, extend = swapped, partial(_add_swaps, swapped, settings.seed, progress)
        if settings.adaptive and not Swaps(replicates=count).enumerates(statistics[0].units):
            minimum = fewest_replicates(settings.correction, len(pairs), settings.alpha)
            count = max(min(ADAPTIVE_START, count), minimum)
    else:
        resampled = [
            _BootstrapReplicates(metric, pairs, settings, test, of_metric)
            for metric, of_metric in zip(statistics, scores, strict=True)
        ]
        replicates, extend = resampled, partial(_add_draws, resampled, draw)
    sampled = [metric for metric in range(len(statistics)) if metric not in tests]
    unclear: Sequence[int] = sampled
    while unclear:
        extend(unclear, count)
        for metric in unclear:
            evidence = replicates[metric].evidence()
            tests[metric] = _adjust_and_decide(statistics[metric], pairs, settings, *evidence)
        unclear = [metric for metric in unclear if not tests[metric].decided]
        if not (settings.adaptive and unclear):
            break
        done = tests[unclear[0]].replicates
        count = min(2 * done, ADAPTIVE_LIMIT)
        if count <= done:
            break
    for metric in sampled:
        of_metric, tested = replicates[metric], tests[metric]
        invert = partial(of_metric.intervals, tested.p)
        tests[metric] = replace(tested, invert=invert, swap_ratios=of_metric.swap_ratios)
    return [tests[metric] for metric in range(len(statistics))]


def swap_tests(
    statistics: Sequence[UnitCounts],
    pairs: Sequence[Pair],
    settings: CompareSettings,
    progress: Progress | None = None,
) -> list[PairTests]:
    """Test all pairs by swaps, which need no scores on the bootstrap's replicates."""
    scores = [np.empty((0, metric.systems)) for metric in statistics]
    return all_pair_tests(statistics, scores, pairs, settings, lambda *_: scores, progress)


def inverted_intervals(
    statistics: UnitCounts,
    pairs: Sequence[Pair],
    half_widths: Values,
    p: Values,
    alternative: Alternative,
    alpha: float,
) -> Values:
    """Return the intervals that invert a test: lows, highs, infinite if it rejects no difference.

    Args:
        statistics: counts of all systems by one metric.
        pairs: systems of each comparison.
        half_widths: half-widths below and above the differences, higher being better.
        p: p-values of the hypotheses that the differences are 0; they decide whether an interval
            contains 0 if two differences tie but for rounding.
        alternative: alternative of the test.
        alpha: significance level.
    """
    return _core.inverted_intervals(
        statistics.differences(pairs),
        half_widths,
        p,
        side=alternative,
        alpha=alpha,
        sign=statistics.sign,
    )


def _mcnemar_tests(
    statistics: UnitCounts, pairs: Sequence[Pair], settings: CompareSettings
) -> PairTests:
    """Test pairs of pass/fail scores exactly: p depends on neither the seed nor the order."""
    side = settings.alternative
    p, _ = mcnemar(statistics, pairs, side, settings.alpha)

    def of_pairs(chosen: NDArray[np.intp], alpha: float) -> Values:
        return mcnemar(statistics, [pairs[pair] for pair in chosen], side, alpha)[1]

    evidence = p, 2 ** min(statistics.units, 1000), True, NullBlocks(lambda: ())
    tests = _adjust_and_decide(statistics, pairs, settings, *evidence)
    return replace(tests, replicates=0, invert=partial(by_alpha, bounds=of_pairs))


def mcnemar(
    statistics: UnitCounts, pairs: Sequence[Pair], alternative: Alternative, alpha: float
) -> tuple[Values, Values]:
    """Return the p-values of McNemar's exact test, and the intervals that agree with them.

    Assumes independent items. Its p is the limit of approximate randomization of 0/1 scores: the
    binomial's with the items that only one of two systems gets right.
    """
    level = _core.inverted_level(alpha, alternative)
    rates = statistics.paired_rates(pairs, level)
    if rates is None:
        raise AssertionError("scores are not pass/fail")
    tests = _core.mcnemar_tests(rates, side=alternative, alpha=alpha, sign=statistics.sign)
    return tests[0], tests[1:]


def _runs_tests(
    statistics: UnitCounts, pairs: Sequence[Pair], test: RunsTest, settings: CompareSettings
) -> PairTests:
    """Test all pairs without replicates, so that p-values have no Monte-Carlo error."""
    side = settings.alternative
    p = test.p_values(statistics, pairs, side)

    def of_pairs(chosen: NDArray[np.intp], alpha: float) -> Values:
        part = [pairs[pair] for pair in chosen]
        half_widths = test.half_widths(statistics, part, side, alpha)
        return inverted_intervals(statistics, part, half_widths, p[chosen], side, alpha)

    adjusted = adjust(p, settings.correction)
    alphas = adjusted_alphas(p, adjusted, settings.correction, settings.alpha)
    invert = partial(by_alpha, bounds=of_pairs)
    return PairTests(p, np.zeros_like(p), adjusted, 0, False, True, 0.0, alphas, invert)


def adjust_together(tests: Sequence[PairTests], correction: str, alpha: float) -> list[PairTests]:
    """Adjust the p-values of several metrics or groups, and their intervals, as one family."""
    if not tests:
        return []
    p = np.concatenate([of_pairs.p for of_pairs in tests])
    adjusted = adjust(p, correction)
    ends = np.cumsum([len(of_pairs.p) for of_pairs in tests])[:-1]
    split = (
        np.split(values, ends)
        for values in (adjusted, adjusted_alphas(p, adjusted, correction, alpha))
    )
    return [
        replace(of_pairs, p_adjusted=p_adjusted, alphas=alphas)
        for of_pairs, p_adjusted, alphas in zip(tests, *split, strict=True)
    ]


def by_alpha(alphas: Values, bounds: Callable[[NDArray[np.intp], float], Values]) -> Values:
    """Return lows and highs of all pairs, computed for the pairs of each alpha together."""
    intervals = np.empty((2, len(alphas)))
    for alpha in np.unique(alphas):
        chosen = np.flatnonzero(alphas == alpha)
        intervals[:, chosen] = bounds(chosen, float(alpha))
    return intervals


class _Replicates(ABC):
    """Replicates of one metric: evidence about all pairs, and intervals that agree with it.

    Attributes:
        statistics: counts of all systems by the metric.
        all_pairs: systems of each comparison.
        swap_ratios: see `replicates.swap_ratios`; None for the bootstrap.
    """

    swap_ratios: Values | None = None

    def __init__(
        self, statistics: UnitCounts, pairs: Sequence[Pair], settings: CompareSettings
    ) -> None:
        self.statistics, self.all_pairs, self._settings = statistics, pairs, settings
        self._observed = statistics.sign * statistics.differences(pairs)

    @abstractmethod
    def evidence(self) -> Evidence:
        """Return the evidence of the replicates so far."""

    @abstractmethod
    def half_widths(self, alphas: Values) -> Values:
        """Return the half-widths of intervals below and above the observed differences."""

    def intervals(self, p: Values, alphas: Values) -> Values:
        """Return the intervals that invert the test at these alphas, given its p-values."""
        half_widths = self.half_widths(alphas)
        return by_alpha(
            alphas, lambda chosen, alpha: self._inverted(chosen, alpha, half_widths, p[chosen])
        )

    def _inverted(
        self, chosen: NDArray[np.intp], alpha: float, half_widths: Values, p: Values
    ) -> Values:
        """Return the intervals of some pairs, given the half-widths of all."""
        pairs, side = [self.all_pairs[pair] for pair in chosen], self._settings.alternative
        return inverted_intervals(self.statistics, pairs, half_widths[:, chosen], p, side, alpha)

    def _ranks(self, alphas: Values, replicates: int, *, exact: bool) -> NDArray[np.intp]:
        """Return the rank of the replicate at the end of each interval; 0 if it is open."""
        values, index = np.unique(alphas, return_inverse=True)
        ranks = [_core.critical_rank(replicates, alpha, exact=exact) for alpha in values]
        return np.array(ranks, dtype=np.intp)[index]


class _SwapReplicates(_Replicates):
    """Random swaps: extreme replicates are counted, and only the farthest ones stored.

    Attributes:
        count: number of swaps so far.
    """

    def __init__(
        self,
        statistics: UnitCounts,
        pairs: Sequence[Pair],
        settings: CompareSettings,
        test: SwapTest,
        room: int,
    ) -> None:
        super().__init__(statistics, pairs, settings)
        self.swap_ratios = ratios = swap_ratios(statistics, pairs)
        self._scales = swap_scales(ratios) if test.scaled else np.ones_like(ratios)
        # Pairs that share their first system are scored together: with a baseline, all pairs.
        self._turn = 1 if settings.baseline is None else -1
        self._room = room
        self.count, self._exact, self._rank = 0, False, 0
        self._tally = self._empty_tally(slice(None), 0)

    def prepare(self, count: int, *, exact: bool) -> None:
        """Prepare for replicates up to `count`; the first call decides how many are stored."""
        if exact:
            # The exhaustive swaps, which replace the random ones so far, are not scaled.
            self._scales = np.ones_like(self._scales)
        if exact or self.count == 0:
            rank = _core.critical_rank(count, self._settings.alpha, exact=exact)
            self._rank = rank if len(self.all_pairs) <= _pairs_that_fit(rank, self._room) else 0
            self._tally = self._empty_tally(slice(None), self._rank)
        self.count, self._exact = count, exact

    def pairs(self, part: slice = slice(None)) -> Sequence[Pair]:
        """Return pairs with the systems in the order in which they are scored."""
        pairs = self.all_pairs[part]
        return pairs if self._turn > 0 else [(b, a) for a, b in pairs]

    def add(self, differences: Values, shares: Values) -> None:
        """Count the differences of all pairs after swaps."""
        self._tally.add(*scale_swaps(differences, shares, self._scales))

    def _empty_tally(self, part: slice, rank: int) -> PairTally:
        observed, side = self._observed[part], self._settings.alternative
        margins = TIE_TOLERANCE * np.maximum(np.abs(observed), self.statistics.scale)
        return PairTally(
            observed.tolist(),
            (extremeness(observed, side) - margins).tolist(),
            sign=self._turn * self.statistics.sign,
            side=side,
            kept=rank,
        )

    def evidence(self) -> Evidence:
        """Return the evidence of the swaps so far."""
        p = _core.p_values(self._tally.extreme, self.count, exact=self._exact)
        if self.statistics.has_exact_test:
            settings = self._settings
            p, _ = mcnemar(self.statistics, self.all_pairs, settings.alternative, settings.alpha)
        native = self.statistics.metric.native()
        null = NullBlocks(self._null) if native is None else _NativeNull(self._null, self, native)
        return p, self.count, self._exact, null

    def spread(self) -> tuple[Values, Values]:
        """Return the standard deviation and largest absolute difference of each pair's swaps."""
        total, squares, largest = self._tally.spread
        return deviation(self.count, total, squares), largest

    def swapped_sums(self) -> Iterator[Values]:
        """Yield the sums over the units of all swaps so far, block by block."""
        for _, (sums,) in swapped_sum_blocks([self.statistics], self._swaps()):
            yield sums

    def scaled(self, factors: Values) -> list[float]:
        """Multiply factors of pairs by the scales of their swaps, negated if lower is better."""
        return list((self.statistics.sign * factors * self._scales).tolist())

    def _swaps(self) -> Swaps:
        return Swaps(replicates=self.count, seed=self._settings.seed)

    def _again(self, part: slice = slice(None)) -> Iterator[tuple[Values, Values]]:
        """Recompute and yield the scaled differences and shares of all swaps so far."""
        swapped = swap_blocks([self.statistics], self.pairs(part), self._swaps())
        for _, differences, shares in swapped:
            yield scale_swaps(differences, shares, self._scales[part])

    def _null(self) -> Iterator[Values]:
        sign = self._turn * self.statistics.sign
        return (sign * differences for differences, _ in self._again())

    def half_widths(self, alphas: Values) -> Values:
        """Return the half-widths of the intervals that invert the test by swaps."""
        ranks = self._ranks(alphas, self.count, exact=self._exact)
        rank = int(ranks.max())
        if rank <= self._rank:
            return self._tally.half_widths(ranks.tolist())
        # The farthest replicates of all pairs do not fit: repeat the swaps in parts.
        size = max(1, _pairs_that_fit(rank, KEPT))
        parts = []
        for start in range(0, len(self.all_pairs), size):
            part = slice(start, start + size)
            tally = self._empty_tally(part, rank)
            for block in self._again(part):
                tally.add(*block)
            parts.append(tally.half_widths(ranks[part].tolist()))
        return np.concatenate(parts, axis=1)

    @cached_property
    def _differing(self) -> NDArray[np.intp]:
        """Number of units in which the systems of each pair differ."""
        return np.array(self.statistics.differing_units(self.all_pairs), dtype=np.intp)

    def _inverted(
        self, chosen: NDArray[np.intp], alpha: float, half_widths: Values, p: Values
    ) -> Values:
        """Return the intervals that invert the test; pass/fail scores get Tango's."""
        statistics, side = self.statistics, self._settings.alternative
        pairs = [self.all_pairs[pair] for pair in chosen]
        if statistics.has_exact_test:
            return mcnemar(statistics, pairs, side, alpha)[1]
        bounds = super()._inverted(chosen, alpha, half_widths, p)
        level = _core.inverted_level(alpha, side)
        rates = statistics.paired_rates(pairs, level)
        if rates is not None:
            differences, sign = statistics.differences(pairs), statistics.sign
            return _core.pass_fail_intervals(
                differences, rates, bounds, p, side=side, alpha=alpha, sign=sign
            )
        few = np.flatnonzero(self._differing[chosen] < ENOUGH_DIFFERING)
        if len(few):
            student = jackknife_intervals(statistics, [pairs[pair] for pair in few], level)
            bounds[:, few] = _core.few_differing_intervals(
                bounds[:, few],
                student,
                self._differing[chosen[few]].tolist(),
                p[few],
                units=statistics.units,
                side=side,
                alpha=alpha,
            )
        return bounds


def _add_swaps(
    replicates: Sequence[_SwapReplicates],
    seed: int,
    progress: Progress | None,
    metrics: Sequence[int],
    count: int,
) -> None:
    """Make the missing swaps up to `count` for metrics that have equally many so far."""
    chosen = [replicates[metric] for metric in metrics]
    statistics, pairs = [of_metric.statistics for of_metric in chosen], chosen[0].pairs()
    swaps, units = Swaps(replicates=count, seed=seed), statistics[0].units
    exact = swaps.enumerates(units)
    first = 0 if exact else chosen[0].count
    for of_metric in chosen:
        of_metric.prepare(2**units if exact else count, exact=exact)
    if not exact:
        swaps = replace(swaps, replicates=count - first)
    for index, differences, shares in swap_blocks(statistics, pairs, swaps, progress, first=first):
        chosen[index].add(differences, shares)


def _pairs_that_fit(rank: int, numbers: int) -> int:
    """Return the number of pairs whose farthest replicates fit into an array of `numbers`."""
    return numbers // (2 * (2 * rank + 16))


@dataclass(frozen=True, slots=True, eq=False)
class _NativeNull(NullBlocks):
    """Differences after swaps, counted again by the core without returning them."""

    swaps: _SwapReplicates
    native: NativeMetric

    def spread(self) -> tuple[Values, Values]:
        """Return each comparison's standard deviation and largest absolute difference."""
        return self.swaps.spread()

    def count(
        self, factors: Values, alternative: Alternative, order: NDArray[np.intp], thresholds: Values
    ) -> tuple[NDArray[np.int64], int]:
        """Count the replicates that reach each value; see `NullBlocks.count`."""
        extreme, pairs = np.zeros(len(order), dtype=np.int64), _core.Pairs(self.swaps.all_pairs)
        for sums in self.swaps.swapped_sums():
            extreme += pairs.step_down_counts(
                sums,
                self.swaps.statistics.sums,
                self.native,
                factors=self.swaps.scaled(factors),
                side=alternative,
                order=order.tolist(),
                bounds=thresholds.tolist(),
            ).astype(np.int64)
        return extreme, self.swaps.count


class _BootstrapReplicates(_Replicates):
    """Bootstrap replicates: scores of systems are stored, differences of pairs are not.

    Attributes:
        scores: scores shaped (replicate, system).
    """

    def __init__(
        self,
        statistics: UnitCounts,
        pairs: Sequence[Pair],
        settings: CompareSettings,
        test: BootstrapTest,
        scores: Values,
    ) -> None:
        super().__init__(statistics, pairs, settings)
        self._test, self.scores = test, scores
        self._left, self._right = np.array(pairs).T

    def evidence(self) -> Evidence:
        """Return the evidence of the replicates so far."""
        p = np.empty(len(self.all_pairs))
        for part, differences in self._parts():
            p[part] = self._test.p_values(
                self._observed[part],
                differences,
                self._settings.alternative,
                scale=self.statistics.scale,
            )
        return p, len(self.scores), False, NullBlocks(self._null)

    def half_widths(self, alphas: Values) -> Values:
        """Return the half-widths of the intervals that invert the bootstrap test."""
        ranks = self._ranks(alphas, len(self.scores), exact=False)
        half_widths = np.full((2, len(self.all_pairs)), np.inf)
        for part, differences in self._parts():
            observed = self._observed[part]
            for rank in np.unique(ranks[part][ranks[part] > 0]).tolist():
                chosen = np.flatnonzero(ranks[part] == rank)
                half_widths[:, part.start + chosen] = self._test.half_widths(
                    observed[chosen], differences[:, chosen], self._settings.alternative, rank
                )
        return half_widths

    def _parts(self) -> Iterator[tuple[slice, Values]]:
        """Yield the pairs block by block, with their differences on all replicates."""
        for part in pair_blocks(len(self.all_pairs), len(self.scores)):
            yield part, self._differences(self.scores, part)

    def _differences(self, scores: Values, part: slice) -> Values:
        differences = scores[:, self._left[part]] - scores[:, self._right[part]]
        return np.asarray(self.statistics.sign * differences)

    def _null(self) -> Iterator[Values]:
        size = max(1, BLOCK_SIZE // len(self.all_pairs))
        for start in range(0, len(self.scores) if self._test.null else 0, size):
            differences = self._differences(self.scores[start : start + size], slice(None))
            if self._test.null is not None:
                yield self._test.null(self._observed, differences)


def _add_draws(
    replicates: Sequence[_BootstrapReplicates], draw: Draw, metrics: Sequence[int], count: int
) -> None:
    """Draw the missing replicates up to `count` for metrics that have equally many so far."""
    done = len(replicates[metrics[0]].scores)
    if count > done:
        further = draw(done, count - done)
        for metric in metrics:
            of_metric = replicates[metric]
            of_metric.scores = np.concatenate([of_metric.scores, further[metric]])


# Ranks. `better[i, j]` is True if system i is significantly better than system j.


def pair_wins(scores: Values, pairs: Sequence[Pair], *, sign: int, scale: float) -> Values:
    """Return the share of replicates in which each first system is better (Koehn 2004, §6).

    A tie is half a win, so that the shares of both systems add up to 1.

    Args:
        scores: scores on the bootstrap's replicates, shaped (replicate, system).
        pairs: systems of each comparison.
        sign: -1 if lower is better, else 1.
        scale: size of the scores, to which rounding is relative.
    """
    above, below = _core.Pairs(pairs).above_and_below(
        scores.T, tolerance=TIE_TOLERANCE, scale=scale
    )
    count = len(scores)
    better, worse = (above, below) if sign > 0 else (below, above)
    return np.asarray((1 + better / count - worse / count) / 2)


def significantly_better(
    systems: int,
    pairs: Sequence[tuple[int, int]],
    differences: ArrayLike,
    significant: ArrayLike,
    *,
    higher_is_better: bool = True,
) -> NDArray[np.bool_]:
    """Return the matrix of significantly better systems; False for pairs that are not compared.

    Args:
        systems: number of systems.
        pairs: indices of a first and a second system, for each comparison.
        differences: first system's score minus the second's, for each comparison.
        significant: decision on each comparison.
        higher_is_better: False if lower scores are better.
    """
    better = np.zeros((systems, systems), dtype=np.bool_)
    gains = as_values("differences", differences) * (1 if higher_is_better else -1)
    for (first, second), gain, real in zip(pairs, gains, np.asarray(significant), strict=True):
        better[first, second] = real and gain > 0
        better[second, first] = real and gain < 0
    return better


def rank_ranges(better: ArrayLike) -> list[tuple[int, int]]:
    """Return the best and the worst rank that each system may have.

    A system ranks behind all significantly better systems and ahead of all significantly worse
    ones: from its losses plus one to the number of systems minus its wins, as in the WMT findings.

    >>> rank_ranges([[False, False, True], [False, False, False], [False, False, False]])
    [(1, 2), (1, 3), (2, 3)]
    """
    wins = _decisions(better)
    first = 1 + wins.sum(axis=0)
    last = len(wins) - wins.sum(axis=1)
    return [(int(best), int(worst)) for best, worst in zip(first, last, strict=True)]


def probability_of_best(scores: ArrayLike, *, higher_is_better: bool = True) -> list[float]:
    """Return the share of replicates in which each system is the best; ties share a replicate.

    Assumes what the bootstrap assumes. The shares add up to 1.

    Args:
        scores: scores shaped (replicate, system).
        higher_is_better: False if lower scores are better.
    """
    replicates = as_replicates("scores", scores)
    if replicates.ndim != 2 or replicates.shape[1] == 0:
        raise SettingError("scores", replicates.shape, "shape (replicate, system)")
    quality = replicates if higher_is_better else -replicates
    best = quality.max(axis=1, keepdims=True)
    among_the_best = quality >= best - TIE_TOLERANCE * np.abs(quality).max(axis=1, keepdims=True)
    shares: Values = (among_the_best / among_the_best.sum(axis=1, keepdims=True)).mean(axis=0)
    return [float(share) for share in shares]


def clusters(
    scores: ArrayLike, better: ArrayLike, *, higher_is_better: bool = True
) -> list[list[int]]:
    """Return groups of systems that can't be told apart, the best group first, each best first.

    Systems are sorted by score, and a line is drawn wherever every system above is significantly
    better than every system below, as in the WMT findings. Two systems of one group may well
    differ significantly, but then a chain of undecided pairs joins them.

    Args:
        scores: score of each system on the test set itself.
        better: matrix of significantly better systems, see `significantly_better`.
        higher_is_better: False if lower scores are better.

    >>> clusters([30.0, 35.0, 34.9], [[0, 0, 0], [1, 0, 0], [1, 0, 0]])
    [[1, 2], [0]]
    """
    wins = _decisions(better)
    quality = as_values("scores", scores) * (1 if higher_is_better else -1)
    if quality.shape != wins.shape[:1]:
        raise SettingError("scores", quality.shape, f"one score for each of {len(wins)} systems")
    order = np.argsort(-quality, kind="stable")
    groups: list[list[int]] = []
    for rank, system in enumerate(order):
        if rank == 0 or wins[np.ix_(order[:rank], order[rank:])].all():
            groups.append([])
        groups[-1].append(int(system))
    return groups


def _decisions(better: ArrayLike) -> NDArray[np.bool_]:
    """Check that decisions are a square matrix, and that no two systems beat each other."""
    wins = np.asarray(better, dtype=np.bool_)
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1]:
        raise SettingError("better", wins.shape, "a square matrix (system, system)")
    if (wins & wins.T).any():
        first, second = (int(number) for number in np.argwhere(wins & wins.T)[0])
        expected = "at most one better system in each pair, and False on the diagonal"
        raise SettingError("better", (first, second), expected)
    return wins


def pairs_to_compare(names: Sequence[str], baseline: str | None) -> list[Pair]:
    """Return all pairs in the order of the systems, or every other system with the baseline."""
    if len(names) < 2:
        given = "1 system" if names else "no systems"
        raise RefusedError(f"{given} given: it takes at least two to compare; score takes one")
    if baseline is None:
        return list(combinations(range(len(names)), 2))
    if baseline not in names:
        raise UnknownNameError("baseline", baseline, names)
    against = list(names).index(baseline)
    return [(system, against) for system in range(len(names)) if system != against]
