"""How much a difference between two systems varies, as far as a pilot tells.

A score is a function of sums over units, so to first order the error of a difference D on a test
set of n units is a mean of n values, one for each unit: its influence, (n - 1) (D - D without the
unit), of which the jackknife is made (Efron & Tibshirani 1993, §11.2). Their standard deviation
is that of one unit: on n such units D has the standard error sd / sqrt(n). For a mean of segment
scores this is exact, for ratios and geometric means it is the linear part.

Approximate randomization judges D by another yardstick: by how much swapping the two outputs of
units moves it. To first order a swap of unit i takes 2 c_i from D, with c_i the change of the
difference along (x_i - y_i) / 2 at the mean of both systems' sums, and the variance of D under the
null hypothesis is the sum of all c_i squared. A large unit adds more to it than to the sampling
variance when there is a difference, since c_i holds the unit's share of D itself.
`DifferenceVariance` takes that share out, in proportion to the unit's size, so that it can be put
back for any difference.

What the linear view misses is `Curvature`. BLEU's brevity penalty has a kink where the output is as
long as the reference. A system at that point loses by chance in length and never gains, so its
score on small test sets is lower on average, by an amount that falls only with the square root of
their size. The jackknife of the pilot sees one side of the kink. So the bootstrap's deviations of
the sums are stretched by sqrt(pilot / units): they then vary as the sums of a test set of so many
units do, and their scores show the bias and the curved variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from truebleu import _core
from truebleu.resampling import TIE_TOLERANCE, as_values, on_exact_grid
from truebleu.schema import DEFAULT_SEED
from truebleu.significance.intervals import percentile_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.significance.statistics import MetricStatistics


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


def influences(statistics: MetricStatistics, a: int, b: int) -> NDArray[np.float64]:
    """How much each unit adds to the error of the difference a - b; their mean is about 0."""
    jackknife = statistics.jackknife_scores()
    scores = statistics.scores
    left_out = jackknife[:, a] - jackknife[:, b]
    return as_values(
        "scores without one unit", (len(left_out) - 1) * (scores[a] - scores[b] - left_out)
    )


def swap_effects(statistics: MetricStatistics, a: int, b: int) -> NDArray[np.float64]:
    """What each unit adds to the difference a - b if swapping it takes twice that away.

    Their mean is the difference, up to what is not linear in the score.
    """
    sums = statistics.sums
    middle = (sums[a] + sums[b]) / 2
    half = (statistics.rows[:, a] - statistics.rows[:, b]) / 2
    moved = statistics.metric.score(middle + half) - statistics.metric.score(middle - half)
    return as_values("scores after a swap", len(half) * moved)


def difference_variance(
    statistics: MetricStatistics,
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
    weights = statistics.rows[:, a, 1] if statistics.metric.is_mean else sizes
    weights = weights / weights.mean()
    without = (
        swap_effects(statistics, a, b)
        - float(statistics.scores[a] - statistics.scores[b]) * weights
    )
    curvature = None
    if not statistics.metric.is_mean:  # a mean is linear
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
        statistics: MetricStatistics,
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
