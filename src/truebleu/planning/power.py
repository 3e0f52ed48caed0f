"""The power of a paired test: how often it finds a difference that is there.

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

from truebleu.significance.student import student_quantile, without_skewness
from truebleu.significance.tests import fewest_units

if TYPE_CHECKING:
    from collections.abc import Callable

    from truebleu.planning.variance import DifferenceVariance
    from truebleu.schema import Alternative

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

    >>> from truebleu.planning.variance import DifferenceVariance
    >>> units_needed(0.5, 0.8, DifferenceVariance(sd=1.0, null_sd=1.0), PlannedTest(0.05))
    34
    """
    return fewest_with(lambda units: power(units, difference, variance, test), wanted, test.fewest)


def fewest_with(chance: Callable[[int], float], wanted: float, fewest: int) -> int | None:
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
    critical = float(without_skewness(moved, skewness / (3 * math.sqrt(units))))
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


# Rows of a table that fits a page, and points of a curve that looks smooth.
MOST_ROWS, POINTS = 12, 40
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
            needed = fewest_with(at, self.wanted, fewest)
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


def dense_sizes(anchors: list[int], fewest: int) -> list[int]:
    """Sizes for a curve, from a tenth of the smaller anchor to four times the larger."""
    low, high = max(min(anchors) / 10, fewest), max(max(anchors) * 4, fewest)
    sizes = {round(low * (high / low) ** (point / POINTS)) for point in range(POINTS + 1)}
    return sorted(sizes | {max(size, fewest) for size in anchors})
