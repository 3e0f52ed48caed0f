"""Power of a paired test, and the variance of a difference.

On n units the difference is approximately normal around the true difference, plus a small bias for
nonlinear scores, with the standard error sd / sqrt(n). It is significant if it exceeds the critical
value t (n - 1 degrees of freedom) times the null standard error: approximate randomization takes
its null distribution from the tested test set, as Student's t takes its standard error. So the
power is the power of the t test (Johnson & Welch's 1940 approximation of the noncentral t). If the
units' values are skewed, a test set with more of the long tail has both a larger difference and a
larger null standard error, and their distance varies less: the covariance of a mean and a variance
is the third moment / n, so critical * skewness / sqrt(n) is subtracted from the variance of the
distance. For large n

    n = ((z[1 - alpha / 2] null_sd + z[power] sd) / difference) ** 2.

Power is the probability of a significant difference in the right direction. It assumes that units
are independent draws from one population and that the new test set is like the pilot. Below about
30 units it is rough.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu import _core
from truebleu.metrics.base import MeanScorer
from truebleu.resampling import TIE_TOLERANCE, as_values, on_exact_grid
from truebleu.schema import DEFAULT_SEED
from truebleu.significance.intervals import percentile_interval
from truebleu.significance.student import student_quantile
from truebleu.significance.tests import fewest_units

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from truebleu.schema import Alternative
    from truebleu.significance.unit_counts import UnitCounts

__all__ = ["MarginPlan", "SizePower"]

# Largest planned size, more units than any test set has.
MOST_UNITS = 10**12
# Relative tolerance of the smallest difference.
TOLERANCE = 1e-12
# Lower limit on the variance of the distance, which a long tail on few units would make negative.
SMALLEST_VARIANCE = 0.25
NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """The significance level of a single comparison, and its alternative."""

    alpha: float
    alternative: Alternative = "two-sided"

    @property
    def confidence(self) -> float:
        """Share of the null distribution between the bounds of the corresponding two-sided test."""
        return 1 - self.alpha if self.alternative == "two-sided" else 1 - 2 * self.alpha

    @property
    def min_units(self) -> int:
        """Smallest number of units on which a permutation test can be significant."""
        return max(fewest_units(self.alpha, self.alternative), 2)


def power(units: int, difference: float, variance: DifferenceVariance, test: PlannedTest) -> float:
    """Compute the power of a test for `difference` on `units` units.

    It is 0 below the smallest number of units that can be significant. The difference is negative
    if a one-sided test has the opposite direction.
    """
    if units < test.min_units:
        return 0.0
    freedom = units - 1
    bias, sd = variance.on(units)
    null_ratio = variance.null_ratio(difference) * variance.sd / sd
    critical = student_quantile(test.confidence, freedom) * null_ratio
    noncentral = (difference + bias) * math.sqrt(units) / sd
    return _power(noncentral, critical, freedom, variance.skewness)


def _power(noncentral: float, critical: float, freedom: int, skewness: float) -> float:
    """Compute the probability that a noncentral t of skewed values exceeds a critical value."""
    distance = noncentral - critical * (1 - 1 / (4 * freedom))
    squared = 1 + critical**2 / (2 * freedom) - critical * skewness / math.sqrt(freedom + 1)
    return NORMAL.cdf(distance / math.sqrt(max(squared, SMALLEST_VARIANCE)))


def units_needed(
    difference: float, target_power: float, variance: DifferenceVariance, test: PlannedTest
) -> int | None:
    """Find the smallest number of units with the target power, or None above MOST_UNITS.

    >>> units_needed(0.5, 0.8, DifferenceVariance(sd=1.0, null_sd=1.0), PlannedTest(0.05))
    34
    """
    return smallest_sample_size(
        lambda units: power(units, difference, variance, test), target_power, test.min_units
    )


def smallest_sample_size(
    power_on: Callable[[int], float], target_power: float, min_units: int
) -> int | None:
    """Find the smallest number of units with the target power, or None above MOST_UNITS.

    The function `power_on` must increase with the number of units.
    """
    enough = min_units
    while power_on(enough) < target_power:
        enough *= 2
        if enough > MOST_UNITS:
            return None
    smallest = max(enough // 2 + 1, min_units)
    return smallest + bisect_left(range(smallest, enough), target_power, key=power_on)


def gate_power(
    units: int, margin: float, variance: DifferenceVariance, alpha: float, side: int = 1
) -> float:
    """Compute the probability that a gate with a margin passes a truly equal system.

    The gate's test divides the difference by its own standard error, so that a margin has the power
    of a difference of this size; and it corrects for skewness, so that a long tail to the
    disadvantage of the new system raises the critical value.

    Args:
        units: number of units of the test set.
        margin: margin in points of the metric.
        variance: variance of the difference, with its skewness in favour of the new system.
        alpha: significance level of the one-sided test.
        side: 1, or -1 for the test that the new system is not better by the margin.
    """
    test = PlannedTest(alpha, "greater")
    if units < test.min_units:
        return 0.0
    freedom, skewness = units - 1, side * variance.skewness
    quantile = student_quantile(test.confidence, freedom)
    critical = _core.without_skewness(quantile, skewness / (3 * math.sqrt(units)))
    return _power(margin * math.sqrt(units) / variance.sd, critical, freedom, skewness)


def equivalence_power(
    units: int, margin: float, variance: DifferenceVariance, alpha: float
) -> float:
    """Compute the probability that two one-sided tests show truly equal systems to be equivalent.

    It is 1 minus the probabilities that either test fails, which they cannot do together.
    """
    powers = [gate_power(units, margin, variance, alpha, side) for side in (1, -1)]
    return max(0.0, sum(powers) - 1)


def smallest_difference(
    units: int, target_power: float, variance: DifferenceVariance, test: PlannedTest
) -> float | None:
    """Compute the minimum detectable difference for `units` units at the target power.

    None if there are too few units for any difference to be significant.
    """
    if units < test.min_units:
        return None
    low, high = 0.0, variance.sd
    while power(units, high, variance, test) < target_power:
        high *= 2
        if not math.isfinite(high):
            return None
    while high - low > TOLERANCE * high:
        middle = (low + high) / 2
        if power(units, middle, variance, test) < target_power:
            low = middle
        else:
            high = middle
    return high


# Power and minimum detectable difference by size.


# Limit on the rows of a table, to fit a page.
MOST_ROWS = 12
SMALLEST_FACTOR = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class SizePower:
    """Power and minimum detectable difference of a test set.

    Attributes:
        units: number of units.
        segments: approximate number of segments.
        power: power for the difference to detect; None without a difference.
        smallest_difference: minimum detectable difference at the target power; None if no
            difference can be significant.
    """

    units: int
    segments: int
    power: float | None
    smallest_difference: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginPlan:
    """A plan of a gate and an equivalence test of a truly equal system.

    Attributes:
        margin: margin in points of the metric.
        gate_units: number of units at which a gate passes the system with the target power; None
            above the largest planned size.
        gate_segments: approximate number of segments in gate_units.
        gate_power_now: probability that the gate passes the system at the pilot's size.
        equivalence_units: number of units at which two one-sided tests show equivalence with the
            target power; None above the largest planned size.
        equivalence_segments: approximate number of segments in equivalence_units.
        equivalence_power_now: probability that the tests show equivalence at the pilot's size.
    """

    margin: float
    gate_units: int | None
    gate_segments: int | None
    gate_power_now: float
    equivalence_units: int | None
    equivalence_segments: int | None
    equivalence_power_now: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A difference to detect with a target power; None for only the detectable differences."""

    variance: DifferenceVariance
    test: PlannedTest
    target_power: float
    difference: float | None
    segments_per_unit: float

    def units_needed(self, sd: float | None = None) -> int | None:
        """Compute the units needed to detect the difference, given another `sd` if not None."""
        if self.difference is None:
            return None
        variance = self.variance
        if sd is not None:
            # The factor avoids a division by 0 if all units of a bootstrap sample are equal.
            variance = variance.scaled(max(sd / variance.sd, SMALLEST_FACTOR))
        return units_needed(self.difference, self.target_power, variance, self.test)

    def segments(self, units: int | None) -> int | None:
        """Convert units to the approximate number of segments."""
        return None if units is None else round(units * self.segments_per_unit)

    def size(self, units: int) -> SizePower:
        """Compute the power and the minimum detectable difference for `units` units."""
        difference, variance, test = self.difference, self.variance, self.test
        return SizePower(
            units=units,
            segments=round(units * self.segments_per_unit),
            power=None if difference is None else power(units, difference, variance, test),
            smallest_difference=smallest_difference(units, self.target_power, variance, test),
        )

    def margin_plan(self, margin: float, units: int, skewness: float, sd: float) -> MarginPlan:
        """Plan a gate and an equivalence test of a truly equal system.

        Args:
            margin: margin in points of the metric.
            units: number of units of the pilot.
            skewness: skewness of the difference, in favour of the system that the gate passes.
            sd: standard deviation of one unit to plan sizes with.
        """
        alpha = self.test.alpha
        min_units = PlannedTest(alpha, "greater").min_units
        variance = replace(self.variance, skewness=skewness)
        planned = variance.scaled(sd / variance.sd)
        values: dict[str, Any] = {}
        for name, function in (("gate", gate_power), ("equivalence", equivalence_power)):
            power_on = partial(function, margin=margin, alpha=alpha)
            needed = smallest_sample_size(
                partial(power_on, variance=planned), self.target_power, min_units
            )
            values[f"{name}_units"] = needed
            values[f"{name}_segments"] = self.segments(needed)
            values[f"{name}_power_now"] = power_on(units, variance=variance)
        return MarginPlan(margin=margin, **values)


def round_sizes(anchors: list[int], min_units: int) -> list[int]:
    """Return sizes for a table: the anchors and round numbers around them."""
    low, high = max(min(anchors) / 4, min_units), max(max(anchors) * 4, min_units)
    decades = range(int(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for leading_digits in ((1, 2, 5), (1,)):
        numbers = [digit * 10**decade for decade in decades for digit in leading_digits]
        sizes = {number for number in numbers if low <= number <= high}
        # Drop round numbers within 10 % of an anchor.
        sizes = {size for size in sizes if all(abs(size / anchor - 1) > 0.1 for anchor in anchors)}
        sizes |= {max(size, min_units) for size in anchors}
        if len(sizes) <= MOST_ROWS:
            break
    return sorted(sizes)


# --------------------------------------------------------------------------------------------------
# Estimates of the variance of a difference between two systems from a pilot.
#
# A score is a function of sums over units, so to first order the error of a difference D on a test
# set of n units is the mean of the units' influences, (n - 1) (D - D without the unit), as in the
# jackknife (Efron & Tibshirani 1993, §11.2). If sd is their standard deviation, D has the standard
# error sd / sqrt(n). This is exact for a mean of segment scores, and the linear part for ratios and
# geometric means.
#
# Approximate randomization uses the null distribution of D under swaps of the two outputs of units.
# To first order a swap of unit i subtracts 2 c_i from D, with c_i the change of the difference
# along (x_i - y_i) / 2 at the mean of both systems' sums, and the variance of D under the null
# hypothesis is the sum of all c_i squared. If the systems differ, a large unit contributes more to
# it than to the sampling variance, since c_i includes the unit's share of D itself.
# `DifferenceVariance` removes that share, in proportion to the unit's size, and adds it back for
# any difference.
#
# `Curvature` corrects for nonlinear scores. BLEU's brevity penalty has a kink at equal lengths of
# output and reference. A system at the kink loses score by random changes in length and never
# gains, so its score on small test sets is lower on average, by an amount proportional to 1 / the
# square root of their size. The jackknife of the pilot sees one side of the kink only. So the
# bootstrap's deviations of the sums are stretched by sqrt(pilot / units): they then vary like the
# sums of a test set of that size, and their scores show the bias and the nonlinear variance.

# Few replicates are enough, since the linear part of each replicate is known and subtracted.
REPLICATES = 2000
# Smallest variance of a replicate, as a share of the pilot's, and smallest kurtosis above 1: a
# replicate may have equal units only.
SMALLEST_SPREAD = 0.05
# Lower limit on the null variance, which is extrapolated for large differences, as a share of the
# null variance without a difference.
SMALLEST_NULL_SHARE = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceVariance:
    """The variance of a difference between two systems, for one unit.

    Attributes:
        sd: standard deviation of one unit's influence: to first order, the standard error on n
            units is sd / sqrt(n).
        null_sd: standard deviation of one unit under random swaps without a difference.
        slope: half the derivative of the null variance by the difference.
        skewness: skewness of one unit's influence, positive if the long tail is in favour of the
            difference to detect.
        curvature: bias and variance of a nonlinear score on small test sets; None if linear.
        factor: factor by which the deviations were scaled.
    """

    sd: float
    null_sd: float
    slope: float = 0.0
    skewness: float = 0.0
    curvature: Curvature | None = None
    factor: float = 1.0

    def on(self, units: int) -> tuple[float, float]:
        """Return the bias of the difference on `units` units, and the standard deviation of one."""
        if self.curvature is None:
            return 0.0, self.sd
        bias, ratio = self.curvature.at(units, self.factor)
        return bias, self.sd * ratio

    def null_ratio(self, difference: float) -> float:
        """Return the ratio of the standard deviation under swaps to `sd`, given the difference."""
        equal = (self.null_sd / self.sd) ** 2
        ratio = equal + 2 * (self.slope / self.sd) * (difference / self.sd)
        return math.sqrt(max(ratio, SMALLEST_NULL_SHARE * equal))

    def scaled(self, factor: float) -> DifferenceVariance:
        """Return the variance with all deviations multiplied by a factor."""
        return replace(
            self,
            sd=self.sd * factor,
            null_sd=self.null_sd * factor,
            slope=self.slope * factor,
            factor=self.factor * factor,
        )


def influences(statistics: UnitCounts, a: int, b: int) -> NDArray[np.float64]:
    """Compute each unit's influence on the difference a - b; their mean is about 0."""
    jackknife = statistics.jackknife_scores()
    scores = statistics.scores
    left_out = jackknife[:, a] - jackknife[:, b]
    return as_values(
        "scores without one unit", (len(left_out) - 1) * (scores[a] - scores[b] - left_out)
    )


def swap_effects(statistics: UnitCounts, a: int, b: int) -> NDArray[np.float64]:
    """Compute half the change of the difference a - b by a swap of each unit, times the units.

    The mean of the effects is the difference, up to the nonlinearity of the score.
    """
    sums = statistics.sums
    middle = (sums[a] + sums[b]) / 2
    half = (statistics.rows[:, a] - statistics.rows[:, b]) / 2
    changes = statistics.metric.score(middle + half) - statistics.metric.score(middle - half)
    return as_values("scores after a swap", len(half) * changes)


def difference_variance(
    statistics: UnitCounts,
    pair: tuple[int, int],
    sizes: NDArray[np.float64],
    direction: int,
    seed: int = DEFAULT_SEED,
) -> DifferenceVariance:
    """Estimate the variance of a difference between two systems, whose rows must differ.

    Args:
        statistics: counts by unit.
        pair: indices of the two systems.
        sizes: sizes of the units, such as words; a metric that is a mean has its own.
        direction: sign of the difference to detect: -1 if the second system has more.
        seed: seed of the bootstrap for curvature.
    """
    a, b = pair
    influence = influences(statistics, a, b)
    weights = statistics.rows[:, a, 1] if isinstance(statistics.metric, MeanScorer) else sizes
    weights = weights / weights.mean()
    without = (
        swap_effects(statistics, a, b)
        - float(statistics.scores[a] - statistics.scores[b]) * weights
    )
    curvature = None
    if not isinstance(statistics.metric, MeanScorer):  # a mean is linear
        curvature = Curvature(statistics, pair, influence, direction, seed)
    return DifferenceVariance(
        sd=float(influence.std(ddof=1)),
        null_sd=math.sqrt(float((without**2).sum()) / (len(without) - 1)),
        slope=direction * float((without * weights).mean()),
        skewness=direction * _skewness(influence),
        curvature=curvature,
    )


def varies_only_by_rounding(influence: NDArray[np.float64], scale: float) -> bool:
    """Return whether two systems differ equally in all units, except for rounding errors."""
    rounding = TIE_TOLERANCE * max(scale, 1.0) * len(influence)
    return bool(np.ptp(influence) <= rounding)


def _skewness(influence: NDArray[np.float64]) -> float:
    centred = influence - influence.mean()
    return float((centred**3).mean() / (centred**2).mean() ** 1.5)


def largest_share(influence: NDArray[np.float64]) -> float:
    """Compute the largest share of a single unit in the variance."""
    squares = (influence - influence.mean()) ** 2
    return float(squares.max() / squares.sum())


def bootstrap_sd_intervals(
    influence: NDArray[np.float64], levels: Sequence[float], replicates: int, seed: int
) -> list[tuple[float, float]]:
    """Compute the intervals of the standard deviation of influences, at several levels.

    The bootstrap-t of the logarithm of the variance, whose standard error follows from the
    kurtosis: it does not assume normal influences, which have long tails, and of documents its
    upper ends cover more often than percentiles (docs/how-to/plan-a-test-set.md). With few units it
    is still too narrow, because a bootstrap cannot draw values that the pilot lacks.
    """
    count = len(influence)
    centred = influence - influence.mean()
    centred /= centred.std()
    columns = on_exact_grid(centred[:, np.newaxis] ** np.arange(1, 5))
    sums = _core.Rows(columns).bootstrap_sums(
        strata=((0, count),), first=0, replicates=replicates, seed=seed
    )
    mean, second, third, fourth = sums.T / count
    variance = np.maximum(second - mean**2, SMALLEST_SPREAD)
    fourth = fourth - 4 * mean * third + 6 * mean**2 * second - 3 * mean**4
    errors = np.sqrt(np.maximum(fourth / variance**2 - 1, SMALLEST_SPREAD) / count)
    deviations = np.log(variance) / errors
    error = math.sqrt(max(float((centred**4).mean()) - 1, 0.0) / count)
    sd = float(influence.std(ddof=1))
    intervals = []
    for level in levels:
        low, high = percentile_interval(deviations, level) * error / 2
        intervals.append((sd * math.exp(-max(high, 0.0)), sd * math.exp(-min(low, 0.0))))
    return intervals


class Curvature:
    """Scores of two systems on stretched replicates of a pilot.

    Args:
        statistics: counts by unit.
        pair: indices of the two systems.
        influence: influence of each unit on the difference of the pair.
        direction: 1, or -1 to negate the difference.
        seed: seed of the replicates.
    """

    def __init__(
        self,
        statistics: UnitCounts,
        pair: tuple[int, int],
        influence: NDArray[np.float64],
        direction: int,
        seed: int,
    ) -> None:
        rows = statistics.rows[:, list(pair)]
        units, _, columns = rows.shape
        table = np.concatenate([rows.reshape(units, -1), influence[:, np.newaxis]], axis=1)
        table = on_exact_grid(table)
        replicates = _core.Rows(table).bootstrap_sums(
            strata=((0, units),), first=0, replicates=REPLICATES, seed=seed
        )
        deviations = replicates - table.sum(axis=0)
        self._metric = statistics.metric
        self._units = units
        self._sums = rows.sum(axis=0)
        self._counts = (rows >= 0).all(axis=(0, 1))
        self._deviations = deviations[:, :-1].reshape(-1, 2, columns)
        self._linear = direction * deviations[:, -1] / units
        self._direction = direction
        self._difference = self._differences(self._sums[np.newaxis])[0]
        self._cache: dict[float, tuple[float, float]] = {}

    def at(self, units: int, factor: float = 1.0) -> tuple[float, float]:
        """Return the bias on `units` units, and the deviation as a multiple of the linear one.

        The deviations are also multiplied by `factor`.
        """
        stretch = factor * math.sqrt(self._units / units)
        if stretch not in self._cache:
            self._cache[stretch] = self._measure(stretch)
        return self._cache[stretch]

    def _measure(self, stretch: float) -> tuple[float, float]:
        sums = self._sums + stretch * self._deviations
        # Counts cannot be negative, however far a replicate is stretched.
        differences = self._differences(np.where(self._counts, np.maximum(sums, 0.0), sums))
        linear = stretch * self._linear
        linear_sd, sd = float(linear.std()), float(differences.std())
        # Replicates of a few units are stretched too far: use the linear approximation.
        if not (math.isfinite(sd) and sd > 0 and linear_sd > 0):
            return 0.0, 1.0
        return float((differences - self._difference - linear).mean()), sd / linear_sd

    def _differences(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute the differences in score of sums shaped (replicate, system, column)."""
        scores = self._metric.score(sums)
        return np.asarray(self._direction * (scores[:, 0] - scores[:, 1]))
