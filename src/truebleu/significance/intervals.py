"""Confidence intervals from replicate scores, and the table of all interval methods.

Scores are shaped (replicate,) or (replicate, system). An interval is an array of two, `low, high`,
each shaped like one replicate; its transpose has one pair per system.

Assumptions. All bootstrap intervals: the units are independent draws from one population, which the
test set represents (Koehn 2004, §5, "Assumption"). Percentile: some monotone transformation makes
the score normal around the true score. BCa: as percentile, but bias and skewness are estimated and
corrected, so that the coverage error falls with 1/n instead of 1/sqrt(n) (Efron 1987). Student: the
score is the mean of independent, about normal segment scores (Koehn 2004, §4).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from truebleu import _core
from truebleu.errors import SettingError, UnknownNameError
from truebleu.resampling import (
    TIE_TOLERANCE,
    Values,
    as_observed,
    as_replicates,
    as_values,
    jackknife_values,
)
from truebleu.schema import ALTERNATIVES, require_level
from truebleu.significance.student import student_quantile
from truebleu.significance.unit_counts import are_clustered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from truebleu.schema import Alternative, IntervalName
    from truebleu.significance.unit_counts import Pair, UnitCounts

__all__ = [
    "INTERVAL_METHODS",
    "IntervalMethod",
    "bca_interval",
    "percentile_interval",
    "student_interval",
]


def min_replicates(level: float) -> int:
    """Return the smallest number of replicates at which an interval excludes any of them.

    >>> min_replicates(0.95), min_replicates(0.99)
    (40, 200)
    """
    return _core.min_replicates(require_level(level))


def percentile_interval(scores: ArrayLike, level: float) -> Values:
    """Return the bounds of the middle of the sorted scores, excluding equally many on each side.

    At the level 0.95, Koehn (2004, §5) takes the 26th to the 975th of 1,000 scores, and Zhang &
    Vogel (2004, §3.1) the 51st smallest and the 51st largest of 2,000.
    """
    replicates = as_replicates("scores", scores)
    _percentile_rank(len(replicates), level)
    columns = replicates.reshape(len(replicates), -1)
    bounds = _core.intervals("percentile", level, replicates=columns)
    return bounds.reshape(2, *replicates.shape[1:])


def medians_and_relative_intervals(
    scores: Values, level: float
) -> list[tuple[float, tuple[float, float] | None]]:
    """Return each system's median score, and the percentile interval around it in per cent.

    The relative bounds are (bound - median) / |median| (Zhang & Vogel 2004, §3.1, Table 1; the
    absolute value keeps the lower bound below zero). The interval is None for a median of zero.

    Args:
        scores: scores on the bootstrap's replicates, shaped (replicate, system).
        level: confidence level, such as 0.95.
    """
    count = len(scores)
    rank = _percentile_rank(count, level)
    ranks = [rank, (count - 1) // 2, count // 2, count - 1 - rank]
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
    """Return the bias-corrected and accelerated interval (Efron 1987, eq. 4.3).

    Args:
        estimate: score on the test set itself, one per system.
        scores: scores on the replicates.
        jackknife: scores without one unit each, shaped (unit,) or (unit, system).
        level: confidence level, such as 0.95.
    """
    replicates = as_replicates("scores", scores)
    _percentile_rank(len(replicates), level)
    centre = as_observed(estimate, replicates, "estimate")
    left_out = as_replicates("jackknife", jackknife)
    if left_out.shape[1:] != centre.shape:
        expected = f"one row per unit, each shaped {centre.shape}"
        raise SettingError("jackknife", left_out.shape, expected)
    bounds = _core.intervals(
        "bca",
        level,
        estimates=centre.ravel(),
        replicates=replicates.reshape(len(replicates), -1),
        jackknife=left_out.reshape(len(left_out), -1),
    )
    return bounds.reshape(2, *centre.shape)


def _percentile_rank(replicates: int, level: float) -> int:
    """Return the number of replicates to exclude on each side; raises SettingError for 0."""
    minimum = min_replicates(level)
    if replicates < minimum:
        raise SettingError("replicates", replicates, f"at least {minimum} for the level {level}")
    return _core.percentile_rank(replicates, level)


# Student's intervals of means, and intervals and p-values by a skewness-corrected jackknife t;
# `crates/core/src/statistics/jackknife.rs` has the formulas, and what they assume.


# First unit and end of each stratum.
Strata: TypeAlias = "Sequence[tuple[int, int]]"


def student_interval(values: ArrayLike, level: float) -> Values:
    """Return the mean of the segment scores plus and minus t * s / sqrt(n) (Koehn 2004, eq. 5).

    Args:
        values: segment scores, shaped (segment,) or (segment, system).
        level: confidence level, such as 0.95.
    """
    array = as_values("values", values)
    if array.ndim == 0 or len(array) < 2:
        count = len(array) if array.ndim else 0
        raise SettingError("segments", count, "at least 2: one value does not show how values vary")
    bounds = _core.mean_intervals(array.reshape(len(array), -1), require_level(level))
    return bounds.reshape(2, *array.shape[1:])


def hall_interval(
    estimate: ArrayLike, jackknife: ArrayLike, level: float, strata: Strata | None = None
) -> Values:
    """Return the skewness-corrected interval of each estimate: lows, highs.

    Args:
        estimate: score or difference on the test set itself, one or several.
        jackknife: estimates without one unit each, shaped (unit,) or (unit, estimate).
        level: confidence level, such as 0.95.
        strata: first unit and end of each stratum; the mixture of strata is fixed.
    """
    left_out = jackknife_values(jackknife)
    centre = as_observed(estimate, left_out, "estimate")
    bounds = _core.intervals(
        "hall",
        require_level(level),
        estimates=centre.ravel(),
        jackknife=left_out.reshape(len(left_out), -1),
        strata=strata or (),
    )
    return bounds.reshape(2, *centre.shape)


def hall_p(
    estimate: ArrayLike,
    jackknife: ArrayLike,
    null: float = 0.0,
    alternative: Alternative = "greater",
    *,
    scale: ArrayLike = 0.0,
    strata: Strata | None = None,
) -> Values:
    """Return p-values of the hypotheses that the true values are `null`.

    Args:
        estimate: estimates on the test set itself, negated if lower is better.
        jackknife: estimates without one unit each, negated likewise.
        null: hypothesized value.
        alternative: "greater" asks whether the true value is above, "less" whether it is below.
        scale: size of the scores, to which rounding is relative.
        strata: strata, see `hall_interval`.
    """
    if alternative not in ALTERNATIVES:
        raise UnknownNameError("alternative", alternative, ALTERNATIVES)
    left_out = jackknife_values(jackknife)
    distance = as_observed(estimate, left_out, "estimate") - null
    sizes = np.broadcast_to(np.asarray(scale, dtype=np.float64), distance.shape)
    columns = left_out.reshape(len(left_out), -1)
    p = _core.hall_p(distance.ravel(), columns, alternative, sizes.ravel(), strata or ())
    return np.asarray(p.reshape(distance.shape))[()]


# Intervals of scores and of differences, by the method that settings name.


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Scores of systems, or differences of pairs, with the data of their intervals.

    Attributes:
        statistics: counts of all systems by one metric.
        scores: systems' scores on the bootstrap's replicates, shaped (replicate, system).
        pairs: systems whose differences are estimated; None for the scores themselves.
    """

    statistics: UnitCounts
    scores: Values
    pairs: Sequence[Pair] | None = None

    def of(self, scores: Values) -> Values:
        """Return the estimates from scores of all systems along the last axis."""
        if self.pairs is None:
            return scores
        left, right = np.array(self.pairs).T
        return np.asarray(scores[..., left] - scores[..., right])

    @property
    def observed(self) -> Values:
        """Estimates on the test set itself."""
        return self.of(self.statistics.scores)

    @property
    def replicates(self) -> Values:
        """Estimates on the replicates, which systems share (Zhang & Vogel 2004, §3.2)."""
        return self.of(self.scores)

    def ranked(self, low: int, high: int) -> Values:
        """Return each estimate's replicates at two ranks, counted from 0 at the smallest."""
        if self.pairs is None:
            return np.partition(self.scores, [low, high], axis=0)[[low, high]]
        return _core.Pairs(self.pairs).ranked(self.scores.T, [low, high])

    @property
    def jackknife(self) -> Values:
        """Estimates without one unit each."""
        return self.of(self.statistics.jackknife_scores())


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalMethod:
    """A method of confidence intervals.

    Attributes:
        name: name in settings and options.
        title: name in reports.
        interval: function of estimates and a level that returns `low, high`.
        resamples: True if the interval uses the bootstrap's replicates.
    """

    name: str
    title: str
    interval: Callable[[Estimates, float], Values]
    resamples: bool = False


def _percentile(estimates: Estimates, level: float) -> Values:
    count = len(estimates.scores)
    rank = _percentile_rank(count, level)
    return estimates.ranked(rank, count - 1 - rank)


def _bca(estimates: Estimates, level: float) -> Values:
    return bca_interval(estimates.observed, estimates.replicates, estimates.jackknife, level)


def _student(estimates: Estimates, level: float) -> Values:
    return student_interval(
        estimates.of(estimates.statistics.unit_means("interval student")), level
    )


def _jackknife(estimates: Estimates, level: float) -> Values:
    left_out = jackknife_values(estimates.jackknife)
    return _core.intervals("jackknife", level, estimates=estimates.observed, jackknife=left_out)


def jackknife_intervals(statistics: UnitCounts, pairs: Sequence[Pair], level: float) -> Values:
    """Return Student's intervals of differences by the standard error of the jackknife."""
    half = student_quantile(level, statistics.units - 1) * statistics.errors_of_pairs(pairs)
    observed = statistics.differences(pairs)
    return np.stack([observed - half, observed + half])


def _gaffke(estimates: Estimates, level: float) -> Values:
    if estimates.pairs is not None:
        raise SettingError("interval", "gaffke", "an interval of differences")
    means = estimates.statistics.unit_means("interval gaffke")
    return _core.intervals("gaffke", level, successes=means.astype(np.float64))


def _hall(estimates: Estimates, level: float) -> Values:
    return hall_interval(estimates.observed, estimates.jackknife, level)


def _rate(estimates: Estimates, level: float) -> Values:
    statistics = estimates.statistics
    if statistics.items is None or estimates.pairs is not None:
        expected = "pass/fail scores, all of them 0 or 1, on the same items for all systems"
        raise SettingError("interval", "an interval of rates", expected)
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
        IntervalMethod(name="gaffke", title="Gaffke's", interval=_gaffke),
        IntervalMethod(name="hall", title="Hall's skewness-corrected t", interval=_hall),
        IntervalMethod(name="wilson", title="Wilson's", interval=_rate),
        IntervalMethod(name="korn-graubard", title="Korn and Graubard's", interval=_rate),
        IntervalMethod(name="two-way", title="two-way t", interval=_two_way),
    )
}


def choose_interval(
    statistics: UnitCounts, requested: IntervalName | None, default: IntervalName
) -> IntervalName:
    """Return the requested method, or the default, which depends on the kind of scores.

    Scores that are all 0 or 1 get a method for rates, and means of few scores Gaffke's. Few units
    do not show their skewness: Hall's interval is then wider than Student's, in one of 20 samples
    twice as wide, and covers no more often (docs/evidence/defaults.md).
    """
    if statistics.items is not None:
        kind = "clustered rates" if are_clustered(statistics.rows) else "rates"
    else:
        kind = "means" if statistics.are_single_scores else "any"
    name = _core.choose_interval(requested, default, kind, statistics.units)
    return cast("IntervalName", name)


def interval_bounds(
    statistics: UnitCounts,
    scores: Values,
    pairs: Sequence[Pair] | None,
    method: IntervalName,
    level: float,
) -> Values:
    """Return the intervals of all systems' scores, or of the differences of pairs: lows, highs.

    Both ends are NaN if the units do not vary: an interval without width would cover nothing.
    """
    bounds = INTERVAL_METHODS[method].interval(Estimates(statistics, scores, pairs), level)
    if pairs is not None:
        return bounds
    low, high = bounds = np.clip(bounds, *statistics.metric.limits)
    has_width = high - low > TIE_TOLERANCE * np.maximum(np.abs(low), np.abs(high))
    return np.where(has_width, bounds, np.nan)


def score_bounds(low: float, high: float) -> tuple[float | None, float | None]:
    """Return the interval of a score; both ends are None if the scores do not vary."""
    return (None, None) if isnan(low) else (float(low), float(high))
