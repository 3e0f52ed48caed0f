"""Confidence intervals from replicate scores, and the table of all methods to make intervals.

Scores are shaped (replicate,) or (replicate, system). An interval is an array of two, `low, high`,
each shaped like one replicate; its transpose has one pair per system.

What they assume. All bootstrap intervals: the units are independent draws from one population,
and the test set looks like it (Koehn 2004, §5, "Assumption"). Percentile: some monotone
transformation makes the score normal around the true one. Basic: the error's distribution does not
depend on the true score. BCa: as percentile, but bias and skewness are estimated and corrected,
so that the error of the coverage falls with 1/n instead of 1/sqrt(n) (Efron 1987). Bootstrap-t: the
error over its standard error is distributed alike, whatever the true score. Delta: the score is
about linear within its error, and the error about normal, as of many units. Student: the score is
the mean of independent, about normal segment scores (Koehn 2004, §4).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truebleu import _core
from truebleu._settings import DEFAULT_SEED, require_level
from truebleu.errors import SettingError
from truebleu.resampling import (
    Bootstrap,
    Units,
    Values,
    as_replicates,
    beside,
    normal_quantile,
    on_exact_grid,
    tie_margin,
)
from truebleu.significance.statistics import signs_of_pairs
from truebleu.significance.student import (
    hall_interval,
    jackknife_t_interval,
    student_interval,
    student_quantile,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu._settings import IntervalName
    from truebleu.significance.statistics import MetricStatistics, Pair

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
    _require_enough(count, level)
    left_out = _left_out(count, level)
    ranks = [left_out, (count - 1) // 2, count // 2, count - 1 - left_out]
    results: list[tuple[float, tuple[float, float] | None]] = []
    for low, below, above, high in _core.ranked(scores.T, None, ranks).T.tolist():
        median = (below + above) / 2
        bounds = None
        if median != 0:
            size = abs(median)
            bounds = 100 * (low - median) / size, 100 * (high - median) / size
        results.append((median, bounds))
    return results


def basic_interval(estimate: ArrayLike, scores: ArrayLike, level: float) -> Values:
    """The percentile interval mirrored at the estimate (Davison & Hinkley 1997, eq. 5.6).

    The replicates lie around the estimate as the estimate lies around the true score.
    """
    replicates = as_replicates("scores", scores)
    low, high = percentile_interval(replicates, level)
    centre = beside(estimate, replicates, "estimate")
    return np.stack([2 * centre - high, 2 * centre - low])


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
    _require_enough(len(replicates), level)
    return np.sort(replicates, axis=0)


def _require_enough(replicates: int, level: float) -> None:
    least = smallest_replicates(level)
    if replicates < least:
        raise SettingError("replicates", replicates, f"at least {least} for the level {level}")


def _left_out(replicates: int, level: float) -> int:
    """How many replicates are beyond an interval, on either side."""
    return min(_whole_part(replicates * (1 - level) / 2), (replicates - 1) // 2)


def _whole_part(number: float) -> int:
    return math.floor(number + WHOLE)


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
        seed: of the bootstrap, where more is needed of its replicates than scores.
    """

    statistics: MetricStatistics
    scores: Values
    pairs: Sequence[Pair] | None = None
    seed: int = DEFAULT_SEED

    def _of(self, scores: Values) -> Values:
        """What is estimated, of the scores of all systems along the last axis."""
        if self.pairs is None:
            return scores
        left, right = np.array(self.pairs).T
        return np.asarray(scores[..., left] - scores[..., right])

    @property
    def observed(self) -> Values:
        """On the test set itself."""
        return self._of(self.statistics.scores)

    @property
    def replicates(self) -> Values:
        """On the replicates, which systems share (Zhang & Vogel 2004, §3.2)."""
        return self._of(self.scores)

    def ranked(self, low: int, high: int) -> Values:
        """Of each estimate the replicates at two ranks, counted from 0 from the smallest on."""
        return _core.ranked(self.scores.T, self.pairs, [low, high])

    @property
    def jackknife(self) -> Values:
        """Without one unit each."""
        return self._of(self.statistics.jackknife_scores())

    def studentized(self) -> tuple[Values, Values]:
        """The standard error of each estimate, and its replicates' errors over their own.

        Standard errors are those of the delta method, by the gradient at the sums of a replicate:
        n / (n - 1) times g'Mg - (g's)^2 / n, where M adds up the products of the columns of units.
        """
        gradient, rows = self.statistics.metric.gradient, self.statistics.rows
        estimated: Sequence[tuple[int, ...]] = self.pairs or [
            (system,) for system in range(rows.shape[1])
        ]
        bootstrap = Bootstrap(replicates=len(self.scores), seed=self.seed)
        errors, studentized = [], []
        for systems in estimated:
            # Both systems of a pair side by side; the gradient of the second counts negatively.
            wide = rows[:, list(systems)]
            signs = np.array([1.0, -1.0])[: len(systems)]

            def error(sums: Values, products: Values, signs: Values = signs) -> Values:
                slope = gradient(sums) * signs[:, None]
                slope = slope.reshape(*slope.shape[:-2], -1)
                flat = sums.reshape(*sums.shape[:-2], -1)
                squares = np.einsum("...i,...ij,...j->...", slope, products, slope)
                squares -= np.einsum("...i,...i->...", slope, flat) ** 2 / len(rows)
                return np.asarray(np.sqrt(np.maximum(squares * len(rows) / (len(rows) - 1), 0.0)))

            own = error(wide.sum(axis=0), _products(wide.reshape(len(rows), -1)).sum(axis=0))
            drawn = self._drawn_errors(wide, bootstrap, error)
            moved = self.scores[:, systems[0]] - self.statistics.scores[systems[0]]
            if len(systems) > 1:
                moved = moved - (self.scores[:, systems[1]] - self.statistics.scores[systems[1]])
            least = 1e-12 * max(self.statistics.scale, 1e-300)
            # A replicate without error is either no error at all, or one beyond all others.
            without = np.where(np.abs(moved) <= least, 0.0, np.copysign(np.inf, moved))
            studentized.append(np.where(drawn > least, moved / np.maximum(drawn, least), without))
            errors.append(own)
        return np.array(errors), np.stack(studentized, axis=1)

    def _drawn_errors(
        self, wide: Values, bootstrap: Bootstrap, error: Callable[[Values, Values], Values]
    ) -> Values:
        """The standard errors of one estimate on the bootstrap's replicates."""
        count, width = len(wide), wide.shape[1] * wide.shape[2]
        flat = wide.reshape(count, width)
        upper = np.triu_indices(width)
        columns = on_exact_grid(
            np.concatenate([flat, _products(flat)[:, upper[0], upper[1]]], axis=1)
        )
        drawn = np.empty(bootstrap.replicates)
        size = max(1, BLOCK // (width * width))
        for start in range(0, bootstrap.replicates, size):
            drawn_now = min(size, bootstrap.replicates - start)
            sums = bootstrap.sums(columns, Units.segments(count), start, drawn_now)
            products = np.empty((drawn_now, width, width))
            products[:, upper[0], upper[1]] = sums[:, width:]
            products[:, upper[1], upper[0]] = sums[:, width:]
            drawn[start : start + drawn_now] = error(
                sums[:, :width].reshape(drawn_now, *wide.shape[1:]), products
            )
        return drawn

    def delta_errors(self) -> Values:
        """The standard error of each estimate, by the delta method."""
        signs = signs_of_pairs(self.pairs, self.statistics.systems)
        return np.asarray(np.sqrt(self.statistics.variances(signs)))

    def is_bent(self) -> NDArray[np.bool_]:
        """Whether the delta method does not hold: its error is not that of the replicates."""
        centred = self.scores - self.statistics.scores
        means = centred.mean(axis=0)
        covariance = (centred - means).T @ (centred - means) / len(centred)
        signs = signs_of_pairs(self.pairs, self.statistics.systems)
        deviation = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", signs, covariance, signs), 0.0))
        errors = self.delta_errors()
        room = BENT * errors + 1e-9 * max(self.statistics.scale, 1e-300)
        return np.asarray((np.abs(deviation - errors) > room) | (np.abs(signs @ means) > room))

    @property
    def unit_scores(self) -> Values:
        """Of each unit, by a metric that is their mean."""
        return self._of(self.statistics.unit_means("interval student"))


def _products(rows: Values) -> Values:
    """The products of all columns of each row, shaped (row, column, column)."""
    return np.asarray(rows[:, :, None] * rows[:, None, :])


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalMethod:
    """A way to make confidence intervals.

    Attributes:
        name: what settings and options call it.
        title: what people call it.
        interval: makes `low, high` of estimates and a level.
        means_only: whether it is for metrics that are means over segments only.
        resamples: whether it is made of the bootstrap's replicates.
        fails: which estimates it does not hold for, whose interval holds that of percentiles, too;
            None where it always holds as well as it does.
    """

    name: str
    title: str
    interval: Callable[[Estimates, float], Values]
    means_only: bool = False
    resamples: bool = False
    fails: Callable[[Estimates], NDArray[np.bool_]] | None = None


def _percentile(estimates: Estimates, level: float) -> Values:
    count = len(estimates.scores)
    _require_enough(count, level)
    left_out = _left_out(count, level)
    return estimates.ranked(left_out, count - 1 - left_out)


def _basic(estimates: Estimates, level: float) -> Values:
    low, high = _percentile(estimates, level)
    return np.stack([2 * estimates.observed - high, 2 * estimates.observed - low])


def _bca(estimates: Estimates, level: float) -> Values:
    return bca_interval(estimates.observed, estimates.replicates, estimates.jackknife, level)


def _bootstrap_t(estimates: Estimates, level: float) -> Values:
    """The estimate less its error times the t of the replicates (Efron 1982, §10.10)."""
    errors, studentized = estimates.studentized()
    low, high = _middle(studentized, level)
    return np.stack([estimates.observed - high * errors, estimates.observed - low * errors])


def _middle(values: Values, level: float) -> Values:
    """The middle of sorted values, which may be infinite."""
    _require_enough(len(values), level)
    left_out = _left_out(len(values), level)
    ordered = np.sort(values, axis=0)
    return np.stack([ordered[left_out], ordered[-1 - left_out]])


def _student(estimates: Estimates, level: float) -> Values:
    each = (student_interval(scores, level) for scores in estimates.unit_scores.T)
    return np.stack(list(each), axis=1)


def _jackknife_t(estimates: Estimates, level: float) -> Values:
    return jackknife_t_interval(estimates.observed, estimates.jackknife, level)


def _hall(estimates: Estimates, level: float) -> Values:
    return hall_interval(estimates.observed, estimates.jackknife, level)


# The replicates' standard deviation may differ from the delta method's by such a share, and their
# mean from the estimate by such a share of the standard error: more is not by chance.
BENT = 0.15


def _delta(estimates: Estimates, level: float) -> Values:
    """The estimate and a normal quantile times the delta method's standard error.

    Where the score bends within its error, as at the brevity penalty's corner, neither this holds
    nor the bootstrap (Fang & Santos 2019): the interval then holds that of percentiles, too.
    """
    normal = -normal_quantile((1 - level) / 2)
    half = normal * estimates.delta_errors()
    bounds = np.stack([estimates.observed - half, estimates.observed + half])
    bent = estimates.is_bent()
    if bent.any():
        low, high = _percentile(estimates, level)
        bounds[0] = np.where(bent, np.minimum(bounds[0], low), bounds[0])
        bounds[1] = np.where(bent, np.maximum(bounds[1], high), bounds[1])
    return bounds


def _two_way(estimates: Estimates, level: float) -> Values:
    from truebleu.significance.optimizer_runs import two_way_interval

    return two_way_interval(estimates.statistics, estimates.pairs, level)


#: All methods by name; a new one is an entry here, and its name in ``IntervalName``.
INTERVAL_METHODS: Mapping[str, IntervalMethod] = {
    method.name: method
    for method in (
        IntervalMethod(
            name="percentile",
            title="percentile",
            interval=_percentile,
            resamples=True,
        ),
        IntervalMethod(
            name="basic",
            title="basic bootstrap",
            interval=_basic,
            resamples=True,
        ),
        IntervalMethod(name="bca", title="BCa", interval=_bca, resamples=True),
        IntervalMethod(
            name="bootstrap-t", title="bootstrap-t", interval=_bootstrap_t, resamples=True
        ),
        IntervalMethod(name="student", title="Student's", interval=_student, means_only=True),
        IntervalMethod(name="jackknife-t", title="jackknife-t", interval=_jackknife_t),
        IntervalMethod(name="hall", title="Hall's skewness-corrected t", interval=_hall),
        IntervalMethod(
            name="delta",
            title="delta-method",
            interval=_delta,
            fails=Estimates.is_bent,
        ),
        IntervalMethod(name="two-way", title="two-way t", interval=_two_way),
    )
}


def interval_bounds(
    statistics: MetricStatistics,
    scores: Values,
    pairs: Sequence[Pair] | None,
    method: IntervalName,
    level: float,
    seed: int = DEFAULT_SEED,
) -> Values:
    """The intervals of all systems' scores, or of the differences of pairs: lows, highs."""
    estimates = Estimates(statistics, scores, pairs, seed)
    return INTERVAL_METHODS[method].interval(estimates, level)


def widened_intervals(
    statistics: MetricStatistics,
    scores: Values,
    pairs: Sequence[Pair] | None,
    method: IntervalName,
) -> list[bool]:
    """Which intervals hold that of percentiles, too, since the method fails."""
    fails = INTERVAL_METHODS[method].fails
    if fails is None:
        return [False] * (statistics.systems if pairs is None else len(pairs))
    failed: list[bool] = fails(Estimates(statistics, scores, pairs)).tolist()
    return failed


# Differences of replicates that are looked at together: 32 MB.
BLOCK = 1 << 22


def simultaneous_intervals(
    statistics: MetricStatistics, scores: Values, pairs: Sequence[Pair], level: float
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
    largest = _core.largest_deviations(centred, pairs, factor.tolist())
    student = student_quantile(level, statistics.units - 1)
    normal = -normal_quantile((1 - level) / 2)
    critical = max(float(np.quantile(largest, level)) * student / normal, student)
    observed = statistics.scores[left] - statistics.scores[right]
    error = statistics.errors_of_pairs(pairs)
    return np.stack([observed - critical * error, observed + critical * error])
