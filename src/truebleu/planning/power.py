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
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

from truebleu.significance.intervals import student_quantile
from truebleu.significance.p_values import fewest_units

if TYPE_CHECKING:
    from truebleu.planning.variance import DifferenceVariance
    from truebleu.significance.p_values import Alternative

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
    if units < test.fewest:
        return 0.0
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
    >>> units_needed(0.5, 0.8, DifferenceVariance.known(1.0), PlannedTest(0.05))
    34
    """
    enough = test.fewest
    while power(enough, difference, variance, test) < wanted:
        enough *= 2
        if enough > MOST_UNITS:
            return None
    too_few = max(enough // 2, test.fewest - 1)
    while enough - too_few > 1:
        middle = (enough + too_few) // 2
        if power(middle, difference, variance, test) < wanted:
            too_few = middle
        else:
            enough = middle
    return enough


def smallest_difference(
    units: int, wanted: float, variance: DifferenceVariance, test: PlannedTest
) -> float | None:
    """The smallest difference that so many units find with the power wanted.

    None where none is, on fewer units than can be significant.
    """
    if units < test.fewest:
        return None
    low, high = 0.0, variance.sd
    while power(units, high, variance, test) < wanted:
        high *= 2
        if not math.isfinite(high):
            return None
    while high - low > TOLERANCE * high:
        middle = (low + high) / 2
        if power(units, middle, variance, test) < wanted:
            low = middle
        else:
            high = middle
    return high
