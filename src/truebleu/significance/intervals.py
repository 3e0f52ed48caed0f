"""Confidence intervals from replicate scores, and the table of all their methods.

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
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truebleu import _core
from truebleu.errors import SettingError
from truebleu.resampling import Values, as_replicates, beside, jackknife_error, tie_margin
from truebleu.schema import require_level
from truebleu.significance.rates import are_clustered
from truebleu.significance.student import hall_interval, student_interval, student_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from truebleu.schema import IntervalName
    from truebleu.significance.statistics import Pair, UnitCounts

__all__ = ["INTERVAL_METHODS", "IntervalMethod", "bca_interval", "percentile_interval"]

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
    quantile = -_core.normal_quantile((1 - require_level(level)) / 2)
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
    name = "korn-graubard" if are_clustered(statistics.rows) else "wilson"
    successes, trials = np.moveaxis(statistics.rows.astype(np.float64), 2, 0)
    return _core.intervals(name, level, successes=successes, trials=trials)


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
        return "korn-graubard" if are_clustered(statistics.rows) else "wilson"
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
    normal = -_core.normal_quantile((1 - level) / 2)
    critical = max(float(np.quantile(largest, level)) * student / normal, student)
    observed = statistics.differences(pairs)
    rates = statistics.paired_rates(pairs, level)
    if rates is not None:
        return _core.tango_bounds(rates, critical)
    error = statistics.errors_of_pairs(pairs)
    return np.stack([observed - critical * error, observed + critical * error])
