"""Confidence intervals from replicate scores, the table of all their methods, and corrections.

Scores are shaped (replicate,) or (replicate, system). An interval is an array of two, `low, high`,
each shaped like one replicate; its transpose has one pair per system.

What they assume. All bootstrap intervals: the units are independent draws from one population,
and the test set looks like it (Koehn 2004, §5, "Assumption"). Percentile: some monotone
transformation makes the score normal around the true one. BCa: as percentile, but bias and
skewness are estimated and corrected, so that the error of the coverage falls with 1/n instead of
1/sqrt(n) (Efron 1987). Student: the score is the mean of independent, about normal segment scores
(Koehn 2004, §4).
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from truebleu import _core
from truebleu.errors import SettingError, UnknownNameError
from truebleu.resampling import (
    TIE_TOLERANCE,
    Values,
    as_matrix,
    as_probabilities,
    as_replicates,
    as_scale,
    beside,
    jackknife_error,
    normal_quantile,
    tie_margin,
)
from truebleu.schema import (
    ALTERNATIVES,
    MOST,
    Alternative,
    require_alpha,
    require_level,
    require_whole_number,
)
from truebleu.significance.statistics import by_clusters, rate_interval, tango_bounds
from truebleu.significance.student import hall_interval, student_interval, student_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.schema import IntervalName
    from truebleu.significance.statistics import Pair, UnitCounts

__all__ = [
    "CORRECTIONS",
    "INTERVAL_METHODS",
    "Correction",
    "IntervalMethod",
    "adjust",
    "bca_interval",
    "experimentwise_error",
    "percentile_interval",
    "scheffe_p",
    "tukey_p",
    "westfall_young",
]

# 1000 * (1 - 0.9) / 2 is 49.99999999999999 in floats, and means 50.
WHOLE = 1e-6


def smallest_replicates(level: float) -> int:
    """The fewest replicates of which the interval at this level leaves anything out.

    >>> smallest_replicates(0.95), smallest_replicates(0.99)
    (40, 200)
    """
    return math.ceil(2 / (1 - require_level(level)) - WHOLE)


def percentile_interval(scores: ArrayLike, level: float) -> Values:
    """The middle of the sorted scores, the same whole number left out on either side.

    Koehn (2004, §5): of 1,000 scores at the level 0.95 the 26th to the 975th; Zhang & Vogel
    (2004, §3.1): of 2,000 the 51st smallest and the 51st largest.
    """
    ordered = _sorted_scores(scores, level)
    left_out = _left_out(len(ordered), level)
    return np.stack([ordered[left_out], ordered[-1 - left_out]])


def medians_and_relative_intervals(
    scores: Values, level: float
) -> list[tuple[float, tuple[float, float] | None]]:
    """The median of each system's scores, and the percentile interval around it in percent.

    Zhang & Vogel (2004, §3.1, Table 1): (bound - median) / median. For a negative median the
    division is by its size, so that the lower bound stays below zero. Zero has no percents: None.

    Args:
        scores: on the bootstrap's replicates, shaped (replicate, system).
        level: the level, such as 0.95.
    """
    count = len(scores)
    left_out = _left_out(count, level)
    ranks = [left_out, (count - 1) // 2, count // 2, count - 1 - left_out]
    results: list[tuple[float, tuple[float, float] | None]] = []
    for low, below, above, high in np.partition(scores, ranks, axis=0)[ranks].T.tolist():
        median = (below + above) / 2
        bounds = None
        if median != 0:
            size = abs(median)
            bounds = 100 * (low - median) / size, 100 * (high - median) / size
        results.append((median, bounds))
    return results


def bca_interval(
    estimate: ArrayLike, scores: ArrayLike, jackknife: ArrayLike, level: float
) -> Values:
    """The bias-corrected and accelerated interval (Efron 1987, eq. 4.3).

    Args:
        estimate: the score of the test set itself, one per system.
        scores: the replicates' scores.
        jackknife: the scores without one unit each, shaped (unit,) or (unit, system).
        level: the level, such as 0.95.
    """
    replicates = as_replicates("scores", scores)
    ordered = _sorted_scores(replicates, level)
    count = len(ordered)
    low, high = bca_levels(estimate, replicates, jackknife, level)
    bottom = np.minimum(_whole_parts(count * low), count - 1)
    top = np.minimum(_whole_parts(count * (1 - high)), count - 1)
    return np.stack([_at(ordered, bottom), _at(ordered, count - 1 - top)])


def bca_levels(
    estimate: ArrayLike, scores: ArrayLike, jackknife: ArrayLike, level: float
) -> Values:
    """The shares of the replicates below the two bounds of the BCa interval.

    (0.025, 0.975) at the level 0.95 without bias and skewness.
    """
    replicates = as_replicates("scores", scores)
    centre = beside(estimate, replicates, "estimate")
    left_out = as_replicates("jackknife", jackknife)
    if left_out.shape[1:] != centre.shape:
        expected = f"one row per unit, each shaped {centre.shape}"
        raise SettingError("jackknife", left_out.shape, expected)
    quantile = -normal_quantile((1 - require_level(level)) / 2)
    pairs = zip(
        _shares_below(centre, replicates).ravel(), _accelerations(left_out).ravel(), strict=True
    )
    levels = [
        (_bca_level(share, acceleration, -quantile), _bca_level(share, acceleration, quantile))
        for share, acceleration in pairs
    ]
    return np.asarray(np.array(levels).T.reshape(2, *centre.shape))


def _sorted_scores(scores: ArrayLike, level: float) -> Values:
    """The scores in ascending order, refused if too few for the level."""
    replicates = as_replicates("scores", scores)
    _left_out(len(replicates), level)
    return np.sort(replicates, axis=0)


def _left_out(replicates: int, level: float) -> int:
    """How many replicates are beyond an interval, on either side; refused if all are within."""
    least = smallest_replicates(level)
    if replicates < least:
        raise SettingError("replicates", replicates, f"at least {least} for the level {level}")
    return min(math.floor(replicates * (1 - level) / 2 + WHOLE), (replicates - 1) // 2)


def _whole_parts(numbers: Values) -> Values:
    return np.floor(numbers + WHOLE)


def _at(ordered: Values, positions: Values) -> Values:
    """For each system the score at its own position."""
    chosen = np.take_along_axis(ordered, positions.astype(np.intp)[np.newaxis], axis=0)
    return np.asarray(chosen[0])


def _shares_below(estimate: Values, replicates: Values) -> Values:
    """The share of the replicates below the estimate, ties counted half.

    Where it would be 0 or 1, whose normal quantile is infinite, it is half a replicate away.
    """
    margin = tie_margin(estimate, replicates)
    below = (replicates < estimate - margin).mean(axis=0)
    above = (replicates > estimate + margin).mean(axis=0)
    half = 0.5 / len(replicates)
    return np.asarray(np.clip((1 + below - above) / 2, half, 1 - half))


def _accelerations(jackknife: Values) -> Values:
    """Minus a sixth of the skewness of the jackknife scores (Efron 1987, eq. 6.6).

    0 where the score does not depend on which unit is left out.
    """
    influence = jackknife.mean(axis=0) - jackknife
    spread = np.abs(influence).max(axis=0)
    constant = spread <= tie_margin(0.0, jackknife)
    scaled = influence / np.where(constant, 1.0, spread)
    skewness = (scaled**3).sum(axis=0) / np.maximum((scaled**2).sum(axis=0), 1.0) ** 1.5
    return np.where(constant, 0.0, skewness / 6)


def _bca_level(share: float, acceleration: float, quantile: float) -> float:
    """The share of the replicates below the bound that belongs to a normal quantile."""
    from statistics import NormalDist

    normal = NormalDist()
    bias = normal.inv_cdf(share)
    moved = bias + quantile
    stretch = 1 - acceleration * moved
    if stretch <= 0:  # the formula's pole: its limit from the side of moderate quantiles
        return 1.0 if moved > 0 else 0.0
    return normal.cdf(bias + moved / stretch)


# Intervals of scores and of differences, by the method that settings name.


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Systems' scores, or differences of pairs, with what intervals of them are made of.

    Attributes:
        statistics: of all systems by one metric.
        scores: the systems' scores on the bootstrap's replicates, shaped (replicate, system).
        pairs: the systems whose differences are estimated; None for the scores themselves.
    """

    statistics: UnitCounts
    scores: Values
    pairs: Sequence[Pair] | None = None

    def of(self, scores: Values) -> Values:
        """What is estimated, of the scores of all systems along the last axis."""
        if self.pairs is None:
            return scores
        left, right = np.array(self.pairs).T
        return np.asarray(scores[..., left] - scores[..., right])

    @property
    def observed(self) -> Values:
        """On the test set itself."""
        return self.of(self.statistics.scores)

    @property
    def replicates(self) -> Values:
        """On the replicates, which systems share (Zhang & Vogel 2004, §3.2)."""
        return self.of(self.scores)

    def ranked(self, low: int, high: int) -> Values:
        """Of each estimate the replicates at two ranks, counted from 0 from the smallest on."""
        if self.pairs is None:
            return np.partition(self.scores, [low, high], axis=0)[[low, high]]
        return _core.Pairs(self.pairs).ranked(self.scores.T, [low, high])

    @property
    def jackknife(self) -> Values:
        """Without one unit each."""
        return self.of(self.statistics.jackknife_scores())


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalMethod:
    """A way to make confidence intervals.

    Attributes:
        name: what settings and options call it.
        title: what people call it.
        interval: makes `low, high` of estimates and a level.
        resamples: whether it is made of the bootstrap's replicates.
    """

    name: str
    title: str
    interval: Callable[[Estimates, float], Values]
    resamples: bool = False


def _percentile(estimates: Estimates, level: float) -> Values:
    count = len(estimates.scores)
    left_out = _left_out(count, level)
    return estimates.ranked(left_out, count - 1 - left_out)


def _bca(estimates: Estimates, level: float) -> Values:
    return bca_interval(estimates.observed, estimates.replicates, estimates.jackknife, level)


def _student(estimates: Estimates, level: float) -> Values:
    return student_interval(
        estimates.of(estimates.statistics.unit_means("interval student")), level
    )


def _jackknife(estimates: Estimates, level: float) -> Values:
    left_out = estimates.jackknife
    half = student_quantile(level, len(left_out) - 1) * jackknife_error(left_out)
    return np.stack([estimates.observed - half, estimates.observed + half])


def _hall(estimates: Estimates, level: float) -> Values:
    return hall_interval(estimates.observed, estimates.jackknife, level)


def _rate(estimates: Estimates, level: float) -> Values:
    statistics = estimates.statistics
    if statistics.items is None or estimates.pairs is not None:
        expected = "pass/fail scores, all of them 0 or 1, of the same items"
        raise SettingError("interval", "that of a rate", expected)
    return rate_interval(statistics.rows.astype(np.float64), level)


def _two_way(estimates: Estimates, level: float) -> Values:
    from truebleu.significance.optimizer_runs import two_way_interval

    return two_way_interval(estimates.statistics, estimates.pairs, level)


#: All methods by name; a new one is an entry here, and its name in ``IntervalName``.
INTERVAL_METHODS: Mapping[str, IntervalMethod] = {
    method.name: method
    for method in (
        IntervalMethod(name="percentile", title="percentile", interval=_percentile, resamples=True),
        IntervalMethod(name="bca", title="BCa", interval=_bca, resamples=True),
        IntervalMethod(name="student", title="Student's", interval=_student),
        IntervalMethod(name="jackknife", title="jackknife t", interval=_jackknife),
        IntervalMethod(name="hall", title="Hall's skewness-corrected t", interval=_hall),
        IntervalMethod(name="wilson", title="Wilson's", interval=_rate),
        IntervalMethod(name="korn-graubard", title="Korn and Graubard's", interval=_rate),
        IntervalMethod(name="two-way", title="two-way t", interval=_two_way),
    )
}


# With fewer units, intervals take their skewness for chance.
LEAST_UNITS_OF_HALL = 30


def interval_method(
    statistics: UnitCounts, asked: IntervalName | None, usual: IntervalName
) -> IntervalName:
    """The method that was asked for, that of rates where all scores are 0 or 1, or the usual.

    With few units their skewness is not known: Hall's interval is then wider than Student's, in one
    of 20 samples by twice as much, and covers no more often (docs/evidence/defaults.md).
    """
    if asked is None and usual != "two-way" and statistics.items is not None:
        return "korn-graubard" if by_clusters(statistics.rows) else "wilson"
    few = asked is None and statistics.units < LEAST_UNITS_OF_HALL
    return "jackknife" if few and usual == "hall" else usual


def interval_bounds(
    statistics: UnitCounts,
    scores: Values,
    pairs: Sequence[Pair] | None,
    method: IntervalName,
    level: float,
) -> Values:
    """The intervals of all systems' scores, or of the differences of pairs: lows, highs."""
    bounds = INTERVAL_METHODS[method].interval(Estimates(statistics, scores, pairs), level)
    return np.clip(bounds, *statistics.metric.limits) if pairs is None else bounds


def simultaneous_intervals(
    statistics: UnitCounts, scores: Values, pairs: Sequence[Pair], level: float
) -> Values:
    """Intervals of which all hold at once with this level: lows, highs.

    The largest of all pairs' |difference - mean| / sd in each bootstrap replicate gives one
    critical value for all (max-t; Davison & Hinkley 1997, §4.2.4). It is widened as Student's t is
    over the normal distribution, and multiplies each pair's jackknife standard error.
    """
    left, right = np.array(pairs).T
    scores = np.ascontiguousarray(scores)  # the systems of a replicate side by side
    centred = scores - scores.mean(axis=0)
    covariance = centred.T @ centred / len(scores)
    variance = covariance[left, left] + covariance[right, right] - 2 * covariance[left, right]
    smallest = (1e-9 * max(statistics.scale, 1e-300)) ** 2
    factor = np.where(variance > smallest, 1 / np.sqrt(np.maximum(variance, smallest)), 0.0)
    largest = _core.Pairs(pairs).largest_deviations(centred, factor.tolist())
    student = student_quantile(level, statistics.units - 1)
    normal = -normal_quantile((1 - level) / 2)
    critical = max(float(np.quantile(largest, level)) * student / normal, student)
    observed = statistics.differences(pairs)
    rates = statistics.paired_rates(pairs, level)
    if rates is not None:
        return tango_bounds(rates.first, rates.second, rates.count, critical)
    error = statistics.errors_of_pairs(pairs)
    return np.stack([observed - critical * error, observed + critical * error])


# Many comparisons at once: adjusted p-values, to be compared with alpha as they are.
#
# Of the corrections, Bonferroni, Šidák, Holm and Westfall-Young bound the probability of any false
# rejection; Benjamini-Hochberg bounds the expected share of the false among the rejections.
# Bonferroni and Holm assume nothing about how the comparisons depend on one another; Šidák and
# Benjamini-Hochberg assume independence or positive dependence, which comparisons of the same
# systems need not have; Westfall-Young takes the dependence from the replicates.


# Holm's correction of more comparisons (of some 45 systems) takes more than 80,000 replicates.
LARGEST_HOLM_FAMILY = 1000

#: What a correction looks at: p-values alone, the replicates they come from, or segment scores.
Basis = Literal["p-values", "replicates", "segment scores"]


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction for many comparisons by one metric.

    Attributes:
        name: what settings and options call it.
        title: what people call it, as in "by Holm's correction".
        short_title: the same for cells of tables.
        assumption: what must hold for its promise to hold.
        basis: what it looks at.
        adjust: makes adjusted p-values of it: of ascending p-values, before they are cut at 1; of
            observed differences and those of equal systems, as `step_down`; or of segment
            scores, as `tukey_p`.
        half_width: how far its own simultaneous intervals of differences reach, of segment scores
            and a level; None where it has none.
    """

    name: str
    title: str
    short_title: str
    assumption: str
    adjust: Callable[..., Values]
    basis: Basis = "p-values"
    half_width: Callable[[ArrayLike, float], float] | None = None

    @property
    def assumes_nothing(self) -> bool:
        """Whether it holds however the comparisons depend on one another."""
        return self.assumption == _NOTHING


def experimentwise_error(alpha: float, comparisons: int) -> float:
    """The probability of any rejection among independent true null hypotheses, uncorrected.

    1 - (1 - alpha)**k (Riezler & Maxwell 2005, §4.4, after Cohen 1995), for 15 systems:

    >>> round(experimentwise_error(0.05, 15 * 14 // 2), 4)
    0.9954
    """
    count = require_whole_number("comparisons", comparisons, 0, MOST)
    return float(-np.expm1(count * np.log1p(-require_alpha(alpha))))


def adjust(p_values: ArrayLike, method: str) -> Values:
    """The p-values as they are after a correction, in the given order.

    >>> adjust([0.01, 0.04, 0.03], "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    if method not in P_VALUE_CORRECTIONS:
        raise UnknownNameError("correction", method, P_VALUE_CORRECTIONS)
    raw = as_probabilities("p_values", p_values)
    if raw.ndim != 1:
        raise SettingError("p_values", raw.shape, "one p-value per comparison")
    order = np.argsort(raw, kind="stable")
    adjusted = np.empty_like(raw)
    adjusted[order] = np.minimum(CORRECTIONS[method].adjust(raw[order]), 1)
    return adjusted


def smallest_factor(method: str, comparisons: int, *, alone: bool = True) -> float:
    """By how much a correction raises the smallest p-value.

    1 for corrections that raise no p-values but look at replicates or segment scores.

    Args:
        method: the correction.
        comparisons: how many there are.
        alone: whether no other comparison is significant; else all p-values are that small.

    >>> smallest_factor("holm", 780), smallest_factor("westfall-young", 780)
    (780.0, 1.0)
    >>> smallest_factor("bh", 780), smallest_factor("bh", 780, alone=False)
    (780.0, 1.0)
    """
    if method not in P_VALUE_CORRECTIONS:
        return 1.0
    tiny = 1e-12 / comparisons
    p_values = np.ones(comparisons) if alone else np.full(comparisons, tiny)
    p_values[0] = tiny
    return round(float(adjust(p_values, method)[0] / tiny), 6)


def default_correction(comparisons: int) -> str:
    """Holm's; for very large families that of Westfall and Young, which needs no more replicates.

    >>> default_correction(780), default_correction(4950)
    ('holm', 'westfall-young')
    """
    return "holm" if comparisons <= LARGEST_HOLM_FAMILY else "westfall-young"


def westfall_young(
    observed: ArrayLike,
    null_differences: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    exact: bool = False,
    scale: ArrayLike = 0.0,
) -> Values:
    """Adjusted p-values by the step-down maximum (Westfall & Young 1993, Alg. 4.1).

    Each comparison is adjusted for the largest of those that are no clearer than itself, in the
    same replicates, so that comparisons which rise and fall together cost little. Differences are
    divided by their null standard deviation, so that one noisy pair does not hide the others.

    Assumes what the single test does, and that the joint null distribution of some comparisons is
    the same whether or not the rest are truly null (subset pivotality). It is for pairs, because
    the replicates of a pair depend on its two systems only.

    Args:
        observed: the difference of each comparison.
        null_differences: shaped (replicate, comparison): random swaps that all comparisons share,
            or bootstrap differences minus the observed.
        alternative: as for the single test.
        exact: the replicates are all swaps; see `randomization_p`.
        scale: the size of the scores, to which rounding is relative.
    """
    null = as_replicates("null_differences", null_differences)
    if null.ndim != 2:
        raise SettingError("null_differences", null.shape, "shape (replicate, comparison)")
    difference = beside(observed, null)
    blocks = NullBlocks(lambda: (null,))
    return step_down(difference, blocks, alternative, exact=exact, scale=scale)


@dataclass(frozen=True, slots=True)
class NullBlocks:
    """The differences that equal systems have on all replicates, which need not be kept.

    Attributes:
        blocks: makes them all, each time anew, in blocks shaped (replicate, comparison).
    """

    blocks: Callable[[], Iterable[Values]]

    def spread(self) -> tuple[Values, Values]:
        """The standard deviation of each comparison, and its largest size."""
        count, total, squares, largest = 0, 0.0, 0.0, 0.0
        for null in self.blocks():
            count += len(null)
            total = total + null.sum(axis=0)
            squares = squares + np.einsum("ij,ij->j", null, null)
            largest = np.maximum(largest, np.abs(null).max(axis=0))
        return deviation(count, np.asarray(total), np.asarray(squares)), np.asarray(largest)

    def count(
        self, factors: Values, alternative: Alternative, order: NDArray[np.intp], reached: Values
    ) -> tuple[NDArray[np.int64], int]:
        """How many replicates reach each of some values, and how many replicates there are.

        A replicate reaches a value by the largest of a comparison and those after it.

        Args:
            factors: that each comparison is multiplied by.
            alternative: on which side differences are extreme.
            order: of the comparisons; what is reached and the counts are in this order.
            reached: the values.
        """
        extreme, count = np.zeros(len(order), dtype=np.int64), 0
        for null in self.blocks():
            # In each replicate the largest of a comparison and those after it.
            replicates = extremeness(null * factors, alternative)[:, order[::-1]]
            np.maximum.accumulate(replicates, axis=1, out=replicates)
            extreme += np.count_nonzero(replicates[:, ::-1] >= reached, axis=0)
            count += len(null)
        return extreme, count


def deviation(count: int, total: Values, squares: Values) -> Values:
    """The standard deviation of so many numbers, from their sum and that of their squares."""
    mean = total / count
    return np.sqrt(np.maximum(squares / count - mean**2, 0.0))


def step_down(
    observed: Values,
    null: NullBlocks,
    alternative: Alternative = "two-sided",
    *,
    exact: bool = False,
    scale: ArrayLike = 0.0,
) -> Values:
    """The same of replicates that are not kept.

    First it asks how much each comparison varies, then how many replicates have maxima that reach
    what was observed.
    """
    spread, largest = null.spread()
    largest = np.maximum(largest, np.abs(observed))
    margin = TIE_TOLERANCE * np.maximum(largest, as_scale(scale, largest))
    # A comparison whose null does not vary is either no difference at all, 0, or one that no
    # replicate can reach, infinite.
    constant = spread <= margin
    divisor = np.where(constant, 1.0, spread)
    certain = np.where(np.abs(observed) <= margin, 0.0, np.copysign(np.inf, observed))
    statistics = extremeness(np.where(constant, certain, observed / divisor), alternative)
    order = np.argsort(-statistics, kind="stable")
    reached = (statistics * (1 - TIE_TOLERANCE * np.sign(statistics)))[order]
    factor = np.where(constant, 0.0, 1.0 / divisor)
    extreme, count = null.count(factor, alternative, order, reached)
    shares = extreme / count if exact else (extreme + 1) / (count + 1)
    adjusted = np.empty_like(observed)
    adjusted[order] = np.maximum.accumulate(shares)
    return adjusted


def extremeness(differences: Values, alternative: Alternative) -> Values:
    """The differences turned so that extreme ones are large."""
    if alternative == "two-sided":
        return np.abs(differences)
    if alternative == "greater":
        return differences
    if alternative == "less":
        return -differences
    raise UnknownNameError("alternative", alternative, ALTERNATIVES)


# Adjustments of ascending p-values, before they are cut at 1.


def _none(p: Values) -> Values:
    return p


def _bonferroni(p: Values) -> Values:
    return p * len(p)


def _sidak(p: Values) -> Values:
    with np.errstate(divide="ignore"):  # log(0) of a p-value of 1 gives 1 in the end
        return np.asarray(-np.expm1(len(p) * np.log1p(-p)))


def _holm(p: Values) -> Values:
    """Holm (1979): step down from the smallest, each times the number still to be tested."""
    return np.maximum.accumulate(p * np.arange(len(p), 0, -1))


def _benjamini_hochberg(p: Values) -> Values:
    """Benjamini & Hochberg (1995): step up, each times the number of tests over its rank."""
    scaled = p * len(p) / np.arange(1, len(p) + 1)
    return np.minimum.accumulate(scaled[::-1])[::-1]


# Tukey's and Scheffé's tests of all pairs, for metrics that are means of segment scores.
#
# Riezler & Maxwell (2005, §4.4) name them for comparing many systems. The layout is a randomised
# complete block design: every segment (block) is translated by every system (treatment), and a
# score is a system's effect plus the segment's plus an error. Assumes independent normal errors
# of one variance: no pair of systems varies more than another. SciPy has the distributions.


def tukey_p(segment_scores: ArrayLike) -> Values:
    """p-values of all pairs by Tukey's honestly significant difference, adjusted for all pairs.

    The largest of the m means differs from the smallest, in standard errors of one mean, as the
    studentised range does (Tukey 1953; Kirk 2013, ch. 8).

    Args:
        segment_scores: shaped (segment, system), at least two of each.

    Returns:
        A symmetric matrix (system, system) with ones on the diagonal.
    """
    from scipy.integrate import IntegrationWarning
    from scipy.stats import studentized_range

    scores, segments, systems, degrees = _design(segment_scores)

    def p_of(differences: Values, variance: float) -> Values:
        ranges = np.abs(differences) / np.sqrt(variance / segments)
        with warnings.catch_warnings():
            # Where p is almost 1 SciPy doubts its integral, which is right nevertheless.
            warnings.simplefilter("ignore", IntegrationWarning)
            return np.asarray(studentized_range.sf(ranges, systems, degrees))

    return _all_pairs(scores, p_of)


def scheffe_p(segment_scores: ArrayLike) -> Values:
    """p-values of all pairs by Scheffé's method, adjusted for every contrast of the means.

    More cautious than Tukey's, since it also allows for comparisons of averages of systems: half
    the squared difference in squared standard errors, over m - 1, as F (Scheffé 1953).

    Takes and gives what `tukey_p` does.
    """
    from scipy.stats import f

    scores, segments, systems, degrees = _design(segment_scores)

    def p_of(differences: Values, variance: float) -> Values:
        ratios = differences**2 / (2 * variance / segments) / (systems - 1)
        return np.asarray(f.sf(ratios, systems - 1, degrees))

    return _all_pairs(scores, p_of)


def tukey_half_width(segment_scores: ArrayLike, level: float) -> float:
    """How far Tukey's simultaneous intervals of differences reach to either side."""
    from scipy.stats import studentized_range

    scores, segments, systems, degrees = _design(segment_scores)
    critical = float(studentized_range.ppf(level, systems, degrees))
    return critical * float(np.sqrt(error_variance(scores) / segments))


def scheffe_half_width(segment_scores: ArrayLike, level: float) -> float:
    """The same of Scheffé's, which hold for every contrast of the means."""
    from scipy.stats import f

    scores, segments, systems, degrees = _design(segment_scores)
    critical = (systems - 1) * float(f.ppf(level, systems - 1, degrees))
    return float(np.sqrt(critical * 2 * error_variance(scores) / segments))


def error_variance(segment_scores: ArrayLike) -> float:
    """The mean square of what neither the segment nor the system explains."""
    scores, _, _, degrees = _design(segment_scores)
    rest = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    return float((rest**2).sum() / degrees)


def _design(segment_scores: ArrayLike) -> tuple[Values, int, int, int]:
    """The scores, checked; how many segments and systems; and the degrees of freedom."""
    scores = as_matrix("segment_scores", segment_scores, "segment", "system")
    segments, systems = scores.shape
    return scores, segments, systems, (segments - 1) * (systems - 1)


def _all_pairs(scores: Values, p_of: Callable[[Values, float], Values]) -> Values:
    """The matrix of p-values, from a function of the differences and the error's variance.

    Where systems differ by the same amount on every segment nothing is left to chance: p is 0, or
    1 if that amount is zero.
    """
    means = scores.mean(axis=0)
    above: tuple[NDArray[np.intp], ...] = np.triu_indices(len(means), k=1)
    differences = means[above[0]] - means[above[1]]
    variance = error_variance(scores)
    rounding = TIE_TOLERANCE * np.abs(scores).max()
    if variance > rounding**2:
        p = p_of(differences, variance)
    else:
        p = np.where(np.abs(differences) <= rounding, 1.0, 0.0)
    matrix = np.ones((len(means), len(means)))
    matrix[above] = matrix.T[above] = np.clip(p, 0, 1)
    return matrix


# The table of corrections.

_NOTHING = "nothing about how the comparisons depend on one another"
_POSITIVE = "independent comparisons, or positively dependent ones"
_NORMAL = "segment scores with independent normal errors of one variance"

#: All corrections by name; a new one is an entry here.
CORRECTIONS: Mapping[str, Correction] = {
    correction.name: correction
    for correction in (
        Correction("none", "no correction", "none", "that there is one comparison", _none),
        Correction("bonferroni", "Bonferroni's correction", "Bonferroni", _NOTHING, _bonferroni),
        Correction("sidak", "Šidák's correction", "Šidák", _POSITIVE, _sidak),
        Correction("holm", "Holm's correction", "Holm", _NOTHING, _holm),
        Correction(
            "bh",
            "Benjamini and Hochberg's correction",
            "Benjamini-Hochberg",
            _POSITIVE,
            _benjamini_hochberg,
        ),
        Correction(
            "westfall-young",
            "Westfall and Young's correction",
            "Westfall-Young",
            "that some comparisons vary alike whether or not the others are null",
            step_down,
            "replicates",
        ),
        Correction(
            "tukey",
            "Tukey's honest significance test",
            "Tukey",
            _NORMAL,
            tukey_p,
            "segment scores",
            tukey_half_width,
        ),
        Correction(
            "scheffe",
            "Scheffé's test",
            "Scheffé",
            _NORMAL,
            scheffe_p,
            "segment scores",
            scheffe_half_width,
        ),
    )
}
#: Those that need nothing but p-values.
P_VALUE_CORRECTIONS = tuple(
    name for name, correction in CORRECTIONS.items() if correction.basis == "p-values"
)
