"""All pairs of systems: tested with as many replicates as are needed, and the ranks that follow.

An adaptive comparison doubles the replicates of a metric until each of its decisions is clear
of Monte-Carlo error. By swaps it starts with few; by the bootstrap with those that the
intervals have. Replicates of pairs are counted block by block: 300 systems have 44,850 pairs.

The interval of a difference has every difference that the test of the pair does not reject, so that
it leaves out 0 exactly where p, uncorrected, is at most the significance level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import isfinite
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from truebleu import _core
from truebleu._core import PairTally
from truebleu.errors import RefusedError, SettingError, UnknownNameError
from truebleu.resampling import TIE_TOLERANCE, Swaps, Values, as_replicates, as_values
from truebleu.significance.corrections import (
    CORRECTIONS,
    NullBlocks,
    adjust,
    deviation,
    extremeness,
)
from truebleu.significance.rates import tango_interval
from truebleu.significance.statistics import (
    scaled_swaps,
    swap_blocks,
    swap_ratios,
    swap_scales,
    taken_blocks,
)
from truebleu.significance.tests import (
    SignificanceTest,
    decision,
    fewest_replicates,
    find_test,
    monte_carlo_error,
    monte_carlo_interval,
    rejecting,
    smallest_p,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from truebleu._core import NativeMetric
    from truebleu.schema import Alternative
    from truebleu.significance.settings import CompareSettings
    from truebleu.significance.statistics import Pair, Progress, UnitCounts

__all__ = ["clusters", "probability_of_best", "rank_ranges"]

#: The ends of a difference's interval; None where the test leaves one open.
DifferenceBounds: TypeAlias = "tuple[float | None, float | None]"

# An adaptive comparison by swaps starts with this many, and every one gives up after so many.
ADAPTIVE_START = 1000
ADAPTIVE_LIMIT = 1_000_000
# Differences of bootstrap replicates that are looked at together: 32 MB.
PAIR_BLOCK = 1 << 22
# Replicates that are kept for the ends of intervals: 64 MB.
KEPT = 1 << 23


@dataclass(frozen=True, slots=True, eq=False)
class PairTests:
    """p-values of all pairs by one metric.

    Attributes:
        p: the p-value of each pair.
        p_se: its Monte-Carlo standard error.
        p_adjusted: p after the correction.
        replicates: how many there were; 0 where the test needs none.
        exact: whether they were all swaps there are.
        decided: whether every decision is clear of Monte-Carlo error.
        smallest_p: the smallest adjusted p that there could have been.
        intervals: the differences that the test does not reject, lows and highs, infinite where it
            rejects none; of a one-sided test, each end is that of the test in its direction. None
            where only p-values were asked for.
        swap_ratios: see `statistics.swap_ratios`; None of other tests than by swaps.
    """

    p: Values
    p_se: Values
    p_adjusted: Values
    replicates: int
    exact: bool
    decided: bool
    smallest_p: float
    intervals: Values | None = None
    swap_ratios: Values | None = None

    @property
    def is_scaled(self) -> bool:
        """Whether swaps of any pair were, or would be, scaled to the variance of samples."""
        if self.exact or self.swap_ratios is None:
            return False
        return bool((swap_scales(self.swap_ratios) != 1).any())

    def interval(self, pair: int) -> DifferenceBounds:
        """Of one pair; None where an end is open."""
        if self.intervals is None:
            raise AssertionError("intervals were not asked for")
        low, high = self.intervals[:, pair].tolist()
        return low if isfinite(low) else None, high if isfinite(high) else None


def pair_tests(
    statistics: UnitCounts,
    pairs: Sequence[Pair],
    differences: Values,
    settings: CompareSettings,
    *,
    exact: bool,
) -> PairTests:
    """Test the observed difference of each pair against those of the replicates.

    Args:
        statistics: of all systems by one metric.
        pairs: the systems of each comparison.
        differences: shaped (replicate, pair), of the replicates that the test has.
        settings: which test, alternative, level and correction.
        exact: the replicates are all possible swaps.
    """
    test = find_test(settings.test)
    # From here on more is better for the first system.
    observed = statistics.sign * statistics.differences(pairs)
    replicated = statistics.sign * differences
    p = test.p_values(
        observed, replicated, settings.alternative, exact=exact, scale=statistics.scale
    )
    null = (replicated if test.null is None else test.null(observed, replicated),)
    evidence = p, len(differences), exact, NullBlocks(lambda: null)
    return _judged(statistics, pairs, settings, evidence)


#: What replicates say about all pairs by one metric: the p-values, how many replicates there were,
#: whether they were all swaps there are, and the differences that equal systems have.
Evidence: TypeAlias = "tuple[Values, int, bool, NullBlocks]"


def _judged(
    statistics: UnitCounts,
    pairs: Sequence[Pair],
    settings: CompareSettings,
    evidence: Evidence,
) -> PairTests:
    """The p-values with their error, corrected, and whether every decision is clear."""
    test, correction = find_test(settings.test), CORRECTIONS[settings.correction]
    p, replicates, exact, null = evidence
    p_se = np.zeros_like(p) if exact else monte_carlo_error(p, replicates)
    # Of all swaps two are as extreme as none in a two-sided test: none, and that of every unit.
    extreme = 2 if settings.alternative == "two-sided" else 1
    smallest = extreme / replicates if exact else smallest_p(replicates)
    if correction.basis == "segment scores":
        means = statistics.unit_means(f"correction {correction.name}")
        left, right = np.array(pairs).T
        adjusted = correction.adjust(means)[left, right]
        return PairTests(p, p_se, adjusted, replicates, exact, decided=True, smallest_p=0.0)
    if correction.basis == "replicates":
        if test.null is None:
            raise SettingError("correction", correction.name, f"another one with {test.title}")
        observed = statistics.sign * statistics.differences(pairs)
        adjusted = correction.adjust(
            observed, null, settings.alternative, exact=exact, scale=statistics.scale
        )
        # Standardised, ties may round the other way; a corrected p is never below the other.
        adjusted = np.maximum(adjusted, p)
        bounds = monte_carlo_interval(_share(adjusted, replicates), replicates)
    else:
        adjusted = adjust(p, correction.name)
        # Corrections are monotone in every p-value.
        bounds = np.stack(
            [
                adjust(bound, correction.name)
                for bound in monte_carlo_interval(_share(p, replicates), replicates)
            ]
        )
        smallest = float(adjust(np.full(len(pairs), smallest), correction.name).min())
    clear = all(decision(low, high, settings.alpha) is not None for low, high in bounds.T)
    return PairTests(p, p_se, adjusted, replicates, exact, exact or clear, smallest)


def _share(p: Values, replicates: int) -> Values:
    """The share of the replicates that were extreme: p without the observed test set."""
    return np.clip((p * (replicates + 1) - 1) / replicates, 0.0, 1.0)


# Called with the first replicate and their number; by metric, scores shaped (replicate, system).
Draw = Callable[[int, int], Sequence[Values]]


def all_pair_tests(
    statistics: Sequence[UnitCounts],
    scores: Sequence[Values],
    pairs: Sequence[Pair],
    settings: CompareSettings,
    draw: Draw,
    progress: Progress | None = None,
) -> list[PairTests]:
    """Test all pairs by all metrics.

    Args:
        statistics: what is tested, one for each metric; swaps exchange its rows.
        scores: for each metric the scores on the bootstrap's first replicates, shaped
            (replicate, system).
        pairs: the systems of each comparison.
        settings: which test, how many replicates, and whether more of them where needed.
        draw: makes scores on the bootstrap's further replicates.
        progress: hears of swaps as they are made.
    """
    test = find_test(settings.test)
    if test.source == "runs":
        return [_run_tests(metric, pairs, test, settings) for metric in statistics]
    count = settings.test_replicates or settings.replicates
    replicates: _Swapped | _Drawn
    if test.source == "swaps":
        replicates = _Swapped(statistics, pairs, settings, progress)
        if settings.adaptive and not Swaps(replicates=count).enumerates(statistics[0].units):
            least = fewest_replicates(settings.correction, len(pairs), settings.alpha)
            count = max(min(ADAPTIVE_START, count), least)
    else:
        replicates = _Drawn(statistics, pairs, settings, scores, draw)
    unclear = list(range(len(statistics)))
    tests: dict[int, PairTests] = {}
    while True:
        replicates.make(unclear, count)
        for metric in unclear:
            evidence = replicates.evidence(metric)
            tests[metric] = _judged(statistics[metric], pairs, settings, evidence)
        unclear = [metric for metric in unclear if not tests[metric].decided]
        if not (settings.adaptive and unclear):
            break
        done = tests[unclear[0]].replicates
        count = min(2 * done, ADAPTIVE_LIMIT)
        if count <= done:
            break
    results = []
    for place, of_metric in enumerate(statistics):
        asked = tests[place].p, settings.alternative, settings.alpha
        bounds = standing_differences(of_metric, pairs, replicates.reach(place), *asked)
        ratios = None
        if isinstance(replicates, _Swapped):
            bounds = with_rates(of_metric, pairs, bounds, *asked)
            ratios = replicates.ratios[place]
        results.append(replace(tests[place], intervals=bounds, swap_ratios=ratios))
    return results


def standing_differences(
    statistics: UnitCounts,
    pairs: Sequence[Pair],
    reach: Values,
    p: Values,
    alternative: Alternative,
    alpha: float,
) -> Values:
    """The differences that a test does not reject: lows, highs, infinite where it rejects none.

    Args:
        statistics: of all systems by one metric.
        pairs: the systems of each comparison.
        reach: how far the intervals reach below and above the differences, more being better.
        p: of the hypothesis that they are 0; it decides whether an interval holds 0 where two
            differences tie but for rounding.
        alternative: what was tested against.
        alpha: the significance level.
    """
    observed = statistics.sign * statistics.differences(pairs)
    low, high = observed - reach[0], observed + reach[1]
    if alternative != "less":
        low = np.where(p > alpha, np.minimum(low, 0.0), low)
    if alternative != "greater":
        high = np.where(p > alpha, np.maximum(high, 0.0), high)
    # Without a sign of 0.
    return np.stack([low, high] if statistics.sign > 0 else [-high, -low]) + 0.0


def with_rates(
    statistics: UnitCounts,
    pairs: Sequence[Pair],
    bounds: Values,
    p: Values,
    alternative: Alternative,
    alpha: float,
) -> Values:
    """The same of pass/fail scores: Tango's intervals, in accord with the test.

    A shift is no model of scores that are 0 or 1. Where Tango's interval leaves out 0 and the test,
    which is McNemar's exact one, does not reject it, the interval is widened to 0; where it holds 0
    and the test rejects it, as chance in the swaps may have it, the end is the test's own.
    """
    level = 1 - alpha if alternative == "two-sided" else max(1 - 2 * alpha, 1e-9)
    rates = statistics.paired_rates(pairs, level)
    if rates is None:
        return bounds
    low, high = tango_interval(*rates, level)
    ahead = statistics.differences(pairs) > 0
    stands = p > alpha
    if alternative == "two-sided":
        decides_low, decides_high = ahead, ~ahead
    else:
        is_low = (alternative == "greater") == (statistics.sign > 0)
        decides_low, decides_high = np.full(len(pairs), is_low), np.full(len(pairs), not is_low)
    low = np.where(stands, np.where(decides_low, np.minimum(low, 0), low), low)
    high = np.where(stands, np.where(decides_high, np.maximum(high, 0), high), high)
    low = np.where(~stands & decides_low & (low <= 0), bounds[0], low)
    high = np.where(~stands & decides_high & (high >= 0), bounds[1], high)
    return np.stack([low, high]) + 0.0


def _run_tests(
    statistics: UnitCounts,
    pairs: Sequence[Pair],
    test: SignificanceTest,
    settings: CompareSettings,
) -> PairTests:
    """Tests by a variance that needs no replicates: nothing about them is left to chance."""
    asked = settings.alternative, settings.alpha
    p = test.p_value(statistics, pairs, settings.alternative)
    reach = np.stack([test.reach(statistics, pairs, *asked)] * 2)
    bounds = standing_differences(statistics, pairs, reach, p, *asked)
    errors, adjusted = np.zeros_like(p), adjust(p, settings.correction)
    return PairTests(p, errors, adjusted, 0, False, True, smallest_p=0.0, intervals=bounds)


class _Swapped:
    """Random swaps, of which only the extreme ones are counted, and the farthest kept."""

    def __init__(
        self,
        statistics: Sequence[UnitCounts],
        pairs: Sequence[Pair],
        settings: CompareSettings,
        progress: Progress | None,
    ) -> None:
        self._statistics, self._pairs, self._settings = statistics, pairs, settings
        self._progress = progress
        self._observed = [metric.sign * metric.differences(pairs) for metric in statistics]
        self.ratios = [swap_ratios(metric, pairs) for metric in statistics]
        is_scaled = find_test(settings.test).scaled
        self._scales = [swap_scales(r) if is_scaled else np.ones_like(r) for r in self.ratios]
        # Of each metric, so far: tallies, how many replicates, and of those how many were kept.
        self._tallies: dict[int, PairTally] = {}
        self._done, self._kept = [0] * len(statistics), [0] * len(statistics)
        self._exact = [False] * len(statistics)
        # Pairs with one first system are scored together: with the baseline first, all of them.
        self._turn = 1 if settings.baseline is None else -1

    def make(self, metrics: Sequence[int], count: int) -> None:
        """Make as many replicates of these metrics as are missing; all metrics have as many."""
        swaps = Swaps(replicates=count, seed=self._settings.seed)
        first, units = self._done[metrics[0]], self._statistics[0].units
        exact = swaps.enumerates(units)
        if exact:
            first, count = 0, 2**units
        else:
            swaps = replace(swaps, replicates=count - first)
        if first == 0:
            kept = rejecting(count, self._settings.alpha, exact=exact)
            if len(self._pairs) > _pairs_that_fit(kept, KEPT // len(self._statistics)):
                kept = 0
            for metric in metrics:
                self._tallies[metric] = self._tally(metric, slice(None), kept)
                self._kept[metric], self._exact[metric] = kept, exact
        if exact:
            self._scales = [np.ones_like(scales) for scales in self._scales]
        for metric, differences, shares in self._swapped(
            metrics, slice(None), swaps, self._progress, first
        ):
            self._tallies[metric].add(differences, shares)
        for metric in metrics:
            self._done[metric] = count

    def _swapped(
        self,
        metrics: Sequence[int],
        part: slice,
        swaps: Swaps,
        progress: Progress | None = None,
        first: int = 0,
    ) -> Iterator[tuple[int, Values, Values]]:
        """By metric the differences of some pairs after swaps, and the shares that are swapped."""
        pairs = self._pairs[part]
        pairs = pairs if self._turn > 0 else [(b, a) for a, b in pairs]
        chosen = [self._statistics[metric] for metric in metrics]
        for place, differences, shares in swap_blocks(chosen, pairs, swaps, progress, first=first):
            scales = self._scales[metrics[place]][part]
            yield metrics[place], *scaled_swaps(differences, shares, scales)

    def _tally(self, metric: int, part: slice, kept: int) -> PairTally:
        """That of no replicates of some pairs."""
        statistics, observed = self._statistics[metric], self._observed[metric][part]
        side = self._settings.alternative
        margins = TIE_TOLERANCE * np.maximum(np.abs(observed), statistics.scale)
        return PairTally(
            observed.tolist(),
            (extremeness(observed, side) - margins).tolist(),
            sign=self._turn * statistics.sign,
            side=side,
            kept=kept,
        )

    def evidence(self, metric: int) -> Evidence:
        """What the swaps so far say by one metric."""
        tally, count, exact = self._tallies[metric], self._done[metric], self._exact[metric]
        extreme = tally.extreme.astype(np.int64)
        p = extreme / count if exact else (extreme + 1) / (count + 1)
        statistics = self._statistics[metric]
        native = statistics.metric.native()
        null = NullBlocks(partial(self._again, metric))
        if native is not None:
            swaps = Swaps(replicates=count, seed=self._settings.seed)
            scales = self._scales[metric]
            counted = statistics, self._pairs, native, swaps, tally, count, scales
            null = _NativeNull(null.blocks, *counted)
        return p, count, exact, null

    def _again(self, metric: int) -> Iterator[Values]:
        turn = self._turn * self._statistics[metric].sign
        swaps = Swaps(replicates=self._done[metric], seed=self._settings.seed)
        for _, block, _ in self._swapped([metric], slice(None), swaps):
            yield turn * block

    def reach(self, metric: int) -> Values:
        """How far intervals reach below and above the observed differences, more being better."""
        rank = rejecting(self._done[metric], self._settings.alpha, exact=self._exact[metric])
        if rank == self._kept[metric] and rank > 0:
            return self._tallies[metric].reach
        if rank > 0:
            return self._farthest(metric, rank)
        return np.full((2, len(self._pairs)), np.inf)

    def _farthest(self, metric: int, rank: int) -> Values:
        """The reach where the farthest of all pairs do not fit: the same swaps again, in parts."""
        swaps = Swaps(replicates=self._done[metric], seed=self._settings.seed)
        size = max(1, _pairs_that_fit(rank, KEPT))
        parts = []
        for start in range(0, len(self._pairs), size):
            part = slice(start, start + size)
            tally = self._tally(metric, part, rank)
            for _, differences, shares in self._swapped([metric], part, swaps):
                tally.add(differences, shares)
            parts.append(tally.reach)
        return np.concatenate(parts, axis=1)


def _pairs_that_fit(rank: int, numbers: int) -> int:
    """Of how many pairs the farthest replicates, below and above, are no more than so many."""
    return numbers // (2 * (2 * rank + 16))


@dataclass(frozen=True, slots=True, eq=False)
class _NativeNull(NullBlocks):
    """Differences after swaps, counted again without being made."""

    statistics: UnitCounts
    pairs: Sequence[Pair]
    native: NativeMetric
    swaps: Swaps
    tally: PairTally
    replicates: int
    scales: Values

    def spread(self) -> tuple[Values, Values]:
        """See `NullBlocks`."""
        total, squares, largest = self.tally.spread
        return deviation(self.replicates, total, squares), largest

    def count(
        self, factors: Values, alternative: Alternative, order: NDArray[np.intp], reached: Values
    ) -> tuple[NDArray[np.int64], int]:
        """See `NullBlocks`."""
        extreme = np.zeros(len(order), dtype=np.int64)
        pairs = _core.Pairs(self.pairs)
        for _, (taken,) in taken_blocks([self.statistics], self.swaps):
            extreme += pairs.step_down_counts(
                taken,
                self.statistics.sums,
                self.native,
                factors=(self.statistics.sign * factors * self.scales).tolist(),
                side=alternative,
                order=order.tolist(),
                bounds=reached.tolist(),
            ).astype(np.int64)
        return extreme, self.replicates


class _Drawn:
    """Bootstrap replicates: systems' scores are kept, the differences of pairs are not."""

    def __init__(
        self,
        statistics: Sequence[UnitCounts],
        pairs: Sequence[Pair],
        settings: CompareSettings,
        scores: Sequence[Values],
        draw: Draw,
    ) -> None:
        self._statistics, self._settings, self._draw = statistics, settings, draw
        self._test, self._scores = find_test(settings.test), list(scores)
        self._left, self._right = np.array(pairs).T
        self._observed = [metric.sign * metric.differences(pairs) for metric in statistics]

    def make(self, metrics: Sequence[int], count: int) -> None:
        """Draw as many replicates as are missing."""
        done = len(self._scores[metrics[0]])
        if count > done:
            further = self._draw(done, count - done)
            for metric in metrics:
                self._scores[metric] = np.concatenate([self._scores[metric], further[metric]])

    def evidence(self, metric: int) -> Evidence:
        """What the draws so far say by one metric."""
        statistics, scores = self._statistics[metric], self._scores[metric]
        size = max(1, PAIR_BLOCK // len(scores))
        p = np.empty(len(self._left))
        for start in range(0, len(p), size):
            part = slice(start, start + size)
            p[part] = self._test.p_values(
                self._observed[metric][part],
                self._differences(scores, metric, part),
                self._settings.alternative,
                scale=statistics.scale,
            )
        return p, len(scores), False, NullBlocks(partial(self._null, metric))

    def reach(self, metric: int) -> Values:
        """How far intervals reach below and above the observed differences, more being better."""
        scores, observed = self._scores[metric], self._observed[metric]
        rank = rejecting(len(scores), self._settings.alpha)
        reach = np.full((2, len(observed)), np.inf)
        size = max(1, PAIR_BLOCK // len(scores))
        for start in range(0, len(observed) if rank else 0, size):
            part = slice(start, start + size)
            differences = self._differences(scores, metric, part)
            reach[:, part] = self._test.reach(
                observed[part], differences, self._settings.alternative, rank
            )
        return reach

    def _differences(self, scores: Values, metric: int, part: slice) -> Values:
        differences = scores[:, self._left[part]] - scores[:, self._right[part]]
        return np.asarray(self._statistics[metric].sign * differences)

    def _null(self, metric: int) -> Iterator[Values]:
        scores, observed = self._scores[metric], self._observed[metric]
        size = max(1, PAIR_BLOCK // len(observed))
        for start in range(0, len(scores), size):
            drawn = self._differences(scores[start : start + size], metric, slice(None))
            if self._test.null is not None:
                yield self._test.null(observed, drawn)


# Ranks. `better[i, j]` says that system i is significantly better than system j.


def pair_wins(scores: Values, pairs: Sequence[Pair], *, sign: int, scale: float) -> Values:
    """As `bootstrap_wins` of the pairs' differences, which are not kept.

    Args:
        scores: on the bootstrap's replicates, shaped (replicate, system).
        pairs: the systems of each comparison.
        sign: -1 where less is better.
        scale: the size of the scores, to which rounding is relative.
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
    """The matrix of who is significantly better than whom; pairs not compared are not.

    Args:
        systems: how many systems there are.
        pairs: the numbers of a first and a second system, for each comparison.
        differences: the first system's score minus the second's, for each comparison.
        significant: the decision on each comparison.
        higher_is_better: whether more of the metric is better.
    """
    better = np.zeros((systems, systems), dtype=np.bool_)
    ahead = as_values("differences", differences) * (1 if higher_is_better else -1)
    for (first, second), lead, real in zip(pairs, ahead, np.asarray(significant), strict=True):
        better[first, second] = real and lead > 0
        better[second, first] = real and lead < 0
    return better


def rank_ranges(better: ArrayLike) -> list[tuple[int, int]]:
    """The best and the worst rank that each system may have.

    Behind all that are significantly better, ahead of all that are significantly worse: from the
    losses plus one to the number of systems minus the wins, as in the WMT findings.

    >>> rank_ranges([[False, False, True], [False, False, False], [False, False, False]])
    [(1, 2), (1, 3), (2, 3)]
    """
    wins = _decisions(better)
    first = 1 + wins.sum(axis=0)
    last = len(wins) - wins.sum(axis=1)
    return [(int(best), int(worst)) for best, worst in zip(first, last, strict=True)]


def probability_of_best(scores: ArrayLike, *, higher_is_better: bool = True) -> list[float]:
    """The share of the replicates in which each system is the best; those that tie share it.

    Assumes what the bootstrap does. The shares add up to 1.

    Args:
        scores: shaped (replicate, system).
        higher_is_better: whether more of the metric is better.
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
    """Groups of systems that can't be told apart, the best group first, each best first.

    As in the WMT findings: systems are sorted by score, and a line is drawn where every system
    above is significantly better than every system below. Two systems of one group may well
    differ significantly, but then a chain of undecided pairs joins them.

    Args:
        scores: the score of each system on the test set itself.
        better: which pairs differ significantly.
        higher_is_better: whether more of the metric is better.

    >>> clusters([30.0, 35.0, 34.9], [[0, 0, 0], [1, 0, 0], [1, 0, 0]])
    [[1, 2], [0]]
    """
    wins = _decisions(better)
    quality = as_values("scores", scores) * (1 if higher_is_better else -1)
    if quality.shape != wins.shape[:1]:
        raise SettingError("scores", quality.shape, f"one score for each of {len(wins)} systems")
    order = np.argsort(-quality, kind="stable")
    groups: list[list[int]] = []
    for place, system in enumerate(order):
        if place == 0 or wins[np.ix_(order[:place], order[place:])].all():
            groups.append([])
        groups[-1].append(int(system))
    return groups


def _decisions(better: ArrayLike) -> NDArray[np.bool_]:
    """The decisions as a checked square matrix in which nobody beats a system that beats them."""
    wins = np.asarray(better, dtype=np.bool_)
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1]:
        raise SettingError("better", wins.shape, "a square matrix (system, system)")
    if (wins & wins.T).any():
        first, second = (int(number) for number in np.argwhere(wins & wins.T)[0])
        expected = "at most one better system in each pair, and none better than itself"
        raise SettingError("better", (first, second), expected)
    return wins


def pairs_to_compare(names: Sequence[str], baseline: str | None) -> list[Pair]:
    """All pairs in the order of the systems, or every other system with the baseline."""
    if len(names) < 2:
        given = "1 system" if names else "no systems"
        raise RefusedError(f"{given} given: it takes at least two to compare; score takes one")
    if baseline is None:
        return list(combinations(range(len(names)), 2))
    if baseline not in names:
        raise UnknownNameError("baseline", baseline, names)
    against = list(names).index(baseline)
    return [(system, against) for system in range(len(names)) if system != against]
