"""Power and variance: how often a paired test finds a difference, and how much that varies.

On n units the difference is about normal around the true one, with the standard error sd /
sqrt(n), and where a score is curved around a value that is a little off. The test calls it
significant when it exceeds t times the null standard error, with t of n - 1 degrees of freedom:
approximate randomization takes its null distribution from the test set that it judges, as
Student's t takes its standard error. So the power is that of the t test (Johnson & Welch's 1940
approximation of the noncentral t). Where the units' values are skewed, a test set that by chance
has much of the long tail has a large difference and a large yardstick, and the distance between the
two varies less: the covariance of a mean and a variance is the third moment / n, so that
critical * skewness / sqrt(n) comes off the variance of that distance. For large n

    n = ((z[1 - alpha / 2] null_sd + z[power] sd) / difference) ** 2.

Power counts differences that are significant and in the right direction. It assumes that units are
independent draws from one population and that the new test set is like the pilot. Below about 30
units it is rough.
"""

from __future__ import annotations

import math
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
    from collections.abc import Callable

    from numpy.typing import NDArray

    from truebleu.schema import Alternative
    from truebleu.significance.unit_counts import UnitCounts

__all__ = ["MarginPlan", "SizePower"]

# More units than any test set has: beyond that, the answer is that there is no such test set.
MOST_UNITS = 10**12
# How near to the smallest difference is near enough, as a share of it.
TOLERANCE = 1e-12
# A long tail on few units would leave the distance to the yardstick no chance at all.
SMALLEST_VARIANCE = 0.25
NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """A test as far as its power goes: the significance level of one comparison, and the sides."""

    alpha: float
    alternative: Alternative = "two-sided"

    @property
    def confidence(self) -> float:
        """The share of the null's distribution between the bounds of a two-sided test like it."""
        return 1 - self.alpha if self.alternative == "two-sided" else 1 - 2 * self.alpha

    @property
    def fewest(self) -> int:
        """The fewest units on which swaps can be significant at all."""
        return max(fewest_units(self.alpha, self.alternative), 2)


def power(units: int, difference: float, variance: DifferenceVariance, test: PlannedTest) -> float:
    """The chance that the test finds this difference on so many units.

    0 on fewer units than can be significant. The difference is negative where a one-sided test
    looks the other way.
    """
    return 0.0 if units < test.fewest else _power(units, difference, variance, test)


def _power(units: int, difference: float, variance: DifferenceVariance, test: PlannedTest) -> float:
    """The same on units that are enough."""
    freedom = units - 1
    bias, sd = variance.on(units)
    yardstick = variance.null_ratio(difference) * variance.sd / sd
    critical = student_quantile(test.confidence, freedom) * yardstick
    noncentral = (difference + bias) * math.sqrt(units) / sd
    distance = noncentral - critical * (1 - 1 / (4 * freedom))
    squared = 1 + critical**2 / (2 * freedom) - critical * variance.skewness / math.sqrt(units)
    return NORMAL.cdf(distance / math.sqrt(max(squared, SMALLEST_VARIANCE)))


def units_needed(
    difference: float, wanted: float, variance: DifferenceVariance, test: PlannedTest
) -> int | None:
    """The fewest units on which this difference is found with the power wanted; None beyond reach.

    >>> units_needed(0.5, 0.8, DifferenceVariance(sd=1.0, null_sd=1.0), PlannedTest(0.05))
    34
    """
    return smallest_sample_size(
        lambda units: power(units, difference, variance, test), wanted, test.fewest
    )


def smallest_sample_size(chance: Callable[[int], float], wanted: float, fewest: int) -> int | None:
    """The fewest units with the chance wanted, which grows with them; None beyond reach."""
    enough = fewest
    while chance(enough) < wanted:
        enough *= 2
        if enough > MOST_UNITS:
            return None
    too_few = max(enough // 2, fewest - 1)
    while enough - too_few > 1:
        middle = (enough + too_few) // 2
        if chance(middle) < wanted:
            too_few = middle
        else:
            enough = middle
    return enough


def gate_power(
    units: int, margin: float, variance: DifferenceVariance, alpha: float, side: int = 1
) -> float:
    """The chance that a gate with this margin passes a system that is truly equal.

    Its test takes the difference over its own standard error, so that equal systems are as far from
    the margin as a difference of that size is from none; and it takes out the skewness, so that
    where the long tail is to the disadvantage of the new system, more must be shown.

    Args:
        units: of the test set.
        margin: in points of the metric.
        variance: of the difference, with its skewness in favour of the new system.
        alpha: of the one-sided test.
        side: -1 for the test that it is not better by the margin.
    """
    test = PlannedTest(alpha, "greater")
    if units < test.fewest:
        return 0.0
    freedom, skewness = units - 1, side * variance.skewness
    moved = student_quantile(test.confidence, freedom)
    critical = _core.without_skewness(moved, skewness / (3 * math.sqrt(units)))
    distance = margin * math.sqrt(units) / variance.sd - critical * (1 - 1 / (4 * freedom))
    squared = 1 + critical**2 / (2 * freedom) - critical * skewness / math.sqrt(units)
    return NORMAL.cdf(distance / math.sqrt(max(squared, SMALLEST_VARIANCE)))


def equivalence_power(
    units: int, margin: float, variance: DifferenceVariance, alpha: float
) -> float:
    """The chance that two one-sided tests show truly equal systems to be equivalent.

    Both must: the chance is 1 minus those that one or the other does not, never both at once.
    """
    both = sum(gate_power(units, margin, variance, alpha, side) for side in (1, -1))
    return max(0.0, both - 1)


def smallest_difference(
    units: int, wanted: float, variance: DifferenceVariance, test: PlannedTest
) -> float | None:
    """The smallest difference that so many units find with the power wanted.

    None where none is, on fewer units than can be significant.
    """
    if units < test.fewest:
        return None
    low, high = 0.0, variance.sd
    while _power(units, high, variance, test) < wanted:
        high *= 2
        if not math.isfinite(high):
            return None
    while high - low > TOLERANCE * high:
        middle = (low + high) / 2
        if _power(units, middle, variance, test) < wanted:
            low = middle
        else:
            high = middle
    return high


# What a test set of some size can find, and how large one must be.


# Rows of a table that fits a page.
MOST_ROWS = 12
SMALLEST_FACTOR = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class SizePower:
    """What a test set of some size can find.

    Attributes:
        units: its units.
        segments: about how many segments that is.
        power: for the difference asked about; None where none was.
        smallest_difference: found with the power wanted; None where no difference can be.
    """

    units: int
    segments: int
    power: float | None
    smallest_difference: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginPlan:
    """When a system that is truly equal passes a gate with a margin, or is shown equivalent.

    Attributes:
        margin: in points of the metric.
        gate_units: at which a gate passes it with the power wanted; None beyond reach.
        gate_segments: about how many segments that is.
        gate_power_now: of the pilot's size.
        equivalence_units: at which two one-sided tests show it to be equivalent; None likewise.
        equivalence_segments: about how many segments that is.
        equivalence_power_now: of the pilot's size.
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
    """A difference to find with some power, or none to ask what can be found."""

    variance: DifferenceVariance
    test: PlannedTest
    wanted: float
    difference: float | None
    segments_per_unit: float

    def units_needed(self, sd: float | None = None) -> int | None:
        """The units that find the difference, if there is one; were the deviation another."""
        if self.difference is None:
            return None
        variance = self.variance
        if sd is not None:
            # A deviation of 0, as of a pilot's few equal units, would ask for a division by it.
            variance = variance.scaled(max(sd / variance.sd, SMALLEST_FACTOR))
        return units_needed(self.difference, self.wanted, variance, self.test)

    def segments(self, units: int | None) -> int | None:
        """About how many segments so many units have."""
        return None if units is None else round(units * self.segments_per_unit)

    def size(self, units: int) -> SizePower:
        """What a test set of so many units can find."""
        chance = None
        if self.difference is not None:
            chance = power(units, self.difference, self.variance, self.test)
        return SizePower(
            units=units,
            segments=round(units * self.segments_per_unit),
            power=chance,
            smallest_difference=smallest_difference(units, self.wanted, self.variance, self.test),
        )

    def margin_plan(self, margin: float, units: int, skewness: float) -> MarginPlan:
        """When a gate passes a system that is truly equal, and a test shows it equivalent.

        Args:
            margin: in points of the metric.
            units: of the pilot.
            skewness: of the difference, in favour of the system that a gate would pass.
        """
        alpha = self.test.alpha
        fewest = PlannedTest(alpha, "greater").fewest
        variance = replace(self.variance, skewness=skewness)
        values: dict[str, Any] = {}
        for name, chance in (("gate", gate_power), ("equivalence", equivalence_power)):
            at = partial(chance, margin=margin, variance=variance, alpha=alpha)
            needed = smallest_sample_size(at, self.wanted, fewest)
            values[f"{name}_units"] = needed
            values[f"{name}_segments"] = self.segments(needed)
            values[f"{name}_power_now"] = at(units)
        return MarginPlan(margin=margin, **values)


def round_sizes(anchors: list[int], fewest: int) -> list[int]:
    """Sizes for a table: the anchors and round numbers around them."""
    low, high = max(min(anchors) / 4, fewest), max(max(anchors) * 4, fewest)
    decades = range(int(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for leading in ((1, 2, 5), (1,)):
        numbers = [lead * 10**decade for decade in decades for lead in leading]
        sizes = {number for number in numbers if low <= number <= high}
        # What is nearly an anchor would only repeat it.
        sizes = {size for size in sizes if all(abs(size / anchor - 1) > 0.1 for anchor in anchors)}
        sizes |= {max(size, fewest) for size in anchors}
        if len(sizes) <= MOST_ROWS:
            break
    return sorted(sizes)


# --------------------------------------------------------------------------------------------------
# How much a difference between two systems varies, as far as a pilot tells.
#
# A score is a function of sums over units, so to first order the error of a difference D on a test
# set of n units is a mean of n values, one for each unit: its influence, (n - 1) (D - D without the
# unit), of which the jackknife is made (Efron & Tibshirani 1993, §11.2). Their standard deviation
# is that of one unit: on n such units D has the standard error sd / sqrt(n). For a mean of segment
# scores this is exact, for ratios and geometric means it is the linear part.
#
# Approximate randomization judges D by another yardstick: by how much swapping the two outputs of
# units moves it. To first order a swap of unit i takes 2 c_i from D, with c_i the change of the
# difference along (x_i - y_i) / 2 at the mean of both systems' sums, and the variance of D under
# the null hypothesis is the sum of all c_i squared. A large unit adds more to it than to the
# sampling variance when there is a difference, since c_i holds the unit's share of D itself.
# `DifferenceVariance` takes that share out, in proportion to the unit's size, so that it can be put
# back for any difference.
#
# What the linear view misses is `Curvature`. BLEU's brevity penalty has a kink where the output is
# as long as the reference. A system at that point loses by chance in length and never gains, so its
# score on small test sets is lower on average, by an amount that falls only with the square root of
# their size. The jackknife of the pilot sees one side of the kink. So the bootstrap's deviations of
# the sums are stretched by sqrt(pilot / units): they then vary as the sums of a test set of so many
# units do, and their scores show the bias and the curved variance.

# The linear part of each replicate is known and subtracted, so that few will do.
REPLICATES = 2000
# The null variance of a large difference is an extrapolation; it stays above this share of that
# without a difference.
SMALLEST_NULL_SHARE = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceVariance:
    """How much a difference between two systems varies, for one unit.

    Attributes:
        sd: of one unit's influence: to first order, the standard error on n units is sd / sqrt(n).
        null_sd: likewise of the difference after random swaps, were there no difference.
        slope: half of how much the null variance grows with the difference.
        skewness: of one unit's influence; above 0 where the long tail is in favour of the
            difference to find.
        curvature: what the first order misses on small test sets; None for nothing.
        factor: by which all of it was scaled.
    """

    sd: float
    null_sd: float
    slope: float = 0.0
    skewness: float = 0.0
    curvature: Curvature | None = None
    factor: float = 1.0

    def on(self, units: int) -> tuple[float, float]:
        """The bias of the difference on so many units, and its standard deviation for one."""
        if self.curvature is None:
            return 0.0, self.sd
        bias, ratio = self.curvature.at(units, self.factor)
        return bias, self.sd * ratio

    def null_ratio(self, difference: float) -> float:
        """The test's yardstick over sd, where the systems differ by so much."""
        plain = (self.null_sd / self.sd) ** 2
        ratio = plain + 2 * (self.slope / self.sd) * (difference / self.sd)
        return math.sqrt(max(ratio, SMALLEST_NULL_SHARE * plain))

    def scaled(self, factor: float) -> DifferenceVariance:
        """The same, were all of it larger by a factor."""
        return replace(
            self,
            sd=self.sd * factor,
            null_sd=self.null_sd * factor,
            slope=self.slope * factor,
            factor=self.factor * factor,
        )


def influences(statistics: UnitCounts, a: int, b: int) -> NDArray[np.float64]:
    """How much each unit adds to the error of the difference a - b; their mean is about 0."""
    jackknife = statistics.jackknife_scores()
    scores = statistics.scores
    left_out = jackknife[:, a] - jackknife[:, b]
    return as_values(
        "scores without one unit", (len(left_out) - 1) * (scores[a] - scores[b] - left_out)
    )


def swap_effects(statistics: UnitCounts, a: int, b: int) -> NDArray[np.float64]:
    """What each unit adds to the difference a - b if swapping it takes twice that away.

    Their mean is the difference, up to what is not linear in the score.
    """
    sums = statistics.sums
    middle = (sums[a] + sums[b]) / 2
    half = (statistics.rows[:, a] - statistics.rows[:, b]) / 2
    moved = statistics.metric.score(middle + half) - statistics.metric.score(middle - half)
    return as_values("scores after a swap", len(half) * moved)


def difference_variance(
    statistics: UnitCounts,
    pair: tuple[int, int],
    sizes: NDArray[np.float64],
    direction: int,
    seed: int = DEFAULT_SEED,
) -> DifferenceVariance:
    """How much the difference between two systems varies; their rows must differ.

    Args:
        statistics: the metric's statistics by unit.
        pair: the two systems.
        sizes: of the units, such as words; a metric that is a mean brings its own.
        direction: -1 where the difference to find is that the second system has more.
        seed: of the bootstrap that looks for curvature.
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
    """Whether the units differ by rounding only: then two systems score alike in each of them."""
    rounding = TIE_TOLERANCE * max(scale, 1.0) * len(influence)
    return bool(np.ptp(influence) <= rounding)


def _skewness(influence: NDArray[np.float64]) -> float:
    centred = influence - influence.mean()
    return float((centred**3).mean() / (centred**2).mean() ** 1.5)


def largest_share(influence: NDArray[np.float64]) -> float:
    """The share of the variance that is one unit's: near 1 where a single unit decides."""
    squares = (influence - influence.mean()) ** 2
    return float(squares.max() / squares.sum())


def bootstrap_sd_interval(
    influence: NDArray[np.float64], level: float, replicates: int, seed: int
) -> tuple[float, float]:
    """Where the standard deviation of such units lies: the percentile interval of its bootstrap.

    Unlike the chi-square interval it does not take the influences for normal, and theirs have long
    tails. From few units it is still too narrow: what no unit of the pilot did, none can repeat.
    """
    count = len(influence)
    centred = influence - influence.mean()
    columns = on_exact_grid(np.stack([centred, centred**2], axis=1))
    sums = _core.Rows(columns).bootstrap_sums(
        strata=((0, count),), first=0, replicates=replicates, seed=seed
    )
    variances = np.maximum(sums[:, 1] - sums[:, 0] ** 2 / count, 0.0) / (count - 1)
    low, high = percentile_interval(np.sqrt(variances), level)
    return float(low), float(high)


class Curvature:
    """Scores of two systems on stretched replicates of a pilot.

    Args:
        statistics: the metric's statistics by unit.
        pair: the two systems.
        influence: of each unit on the difference of the pair.
        direction: 1, or -1 to turn the difference.
        seed: of the replicates.
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
        self._difference = self._of(self._sums[np.newaxis])[0]
        self._known: dict[float, tuple[float, float]] = {}

    def at(self, units: int, factor: float = 1.0) -> tuple[float, float]:
        """The bias on so many units, and the spread as a multiple of the linear one.

        The factor stretches the deviations, for a spread that is larger by it.
        """
        stretch = factor * math.sqrt(self._units / units)
        if stretch not in self._known:
            self._known[stretch] = self._measure(stretch)
        return self._known[stretch]

    def _measure(self, stretch: float) -> tuple[float, float]:
        sums = self._sums + stretch * self._deviations
        # Counts cannot be negative, however far a stretched replicate would go.
        differences = self._of(np.where(self._counts, np.maximum(sums, 0.0), sums))
        linear = stretch * self._linear
        spread, curved = float(linear.std()), float(differences.std())
        # A handful of units is stretched too far to tell: fall back on the linear view.
        if not (math.isfinite(curved) and curved > 0 and spread > 0):
            return 0.0, 1.0
        return float((differences - self._difference - linear).mean()), curved / spread

    def _of(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """The differences of pairs of sums, shaped (replicate, system, column)."""
        scores = self._metric.score(sums)
        return np.asarray(self._direction * (scores[:, 0] - scores[:, 1]))
