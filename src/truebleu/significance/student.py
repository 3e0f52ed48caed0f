"""Student's t: quantiles, p-values and intervals, of means, by the jackknife, and without skewness.

A corpus score is a function of sums over units, and its error is to first order a mean of n
influences, one for each unit, which the jackknife gives (Efron & Tibshirani 1993, §11.2). Runaway
outputs give these a long tail. A test set that by chance has few of them then has a good score and
a small standard error at once, and Student's t is too sure of itself on one side. Hall (1992, "On
the removal of skewness by transformation") takes t = (estimate - true) / se to

    h(t) = t + u t² + u² t³ / 3 + u / 2,   u = skewness / (3 sqrt(n)),

which is monotone and has about Student's distribution on both sides. On the side where the long
tail misleads, the degrees of freedom are those with which a variance of normal values would be
known as well: the relative variance of s² is (kurtosis - 1) / n, and 2 / degrees of normal values
(as Satterthwaite, 1946, matches them). Of 300 segments with a few runaway outputs that may be 30.
An interval and a test that are made of it always agree, and need no replicates.

Assumes independent units, and enough of them to have seen the tail: below about 60 no method knows
of the runaway outputs that the test set happens to lack.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from truebleu.errors import SettingError, UnknownNameError
from truebleu.resampling import TIE_TOLERANCE, as_values, beside, jackknife_values, normal_quantile
from truebleu.schema import ALTERNATIVES, require_level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from truebleu.resampling import Values
    from truebleu.schema import Alternative

__all__ = ["student_interval"]

# First unit and end of each stratum.
Strata: TypeAlias = "Sequence[tuple[int, int]]"


def student_quantile(level: float, degrees: int) -> float:
    """The t between minus and plus which this share of Student's distribution lies.

    Koehn's Table 2 has as many degrees of freedom as segments; an interval has one fewer.

    >>> round(student_quantile(0.95, 4), 3)
    2.776
    """
    return float(student_quantiles(level, degrees))


def student_quantiles(level: float, degrees: ArrayLike) -> Values:
    """The same for many degrees of freedom, which need not be whole numbers."""
    if isinstance(degrees, int) and degrees > 0:
        return np.asarray(_whole_degrees(require_level(level), degrees))
    from scipy.special import stdtrit  # slow to import, and seldom needed

    return np.asarray(-stdtrit(degrees, (1 - require_level(level)) / 2))


# From so many degrees of freedom on the expansion around the normal quantile is exact enough.
MANY_DEGREES = 1000


# Plans ask for the same quantile hundreds of times while they search.
@lru_cache(maxsize=4096)
def _whole_degrees(level: float, degrees: int) -> float:
    """Student's quantile by the finite sums for whole degrees (Abramowitz & Stegun, 26.7.3-4)."""
    if degrees >= MANY_DEGREES:
        z = -normal_quantile((1 - level) / 2)
        return (
            z
            + (z**3 + z) / (4 * degrees)
            + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
        )
    if degrees == 1:
        return 1 / math.tan(math.pi * (1 - level) / 2)
    odd = degrees % 2
    steps = np.arange(2 + odd, degrees - 1, 2)
    factors = np.cumprod(np.concatenate([[1.0], (steps - 1) / steps]))[: degrees // 2]
    low, high = 0.0, math.pi / 2
    for _ in range(80):
        angle = (low + high) / 2
        powers = math.cos(angle) ** (2 * np.arange(len(factors)) + odd)
        share = math.sin(angle) * float(factors @ powers)
        if odd:
            share = 2 / math.pi * (angle + share)
        low, high = (angle, high) if share < level else (low, angle)
    return math.sqrt(degrees) * math.tan((low + high) / 2)


def student_p(
    differences: ArrayLike,
    errors: ArrayLike,
    degrees: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    scale: ArrayLike = 0.0,
) -> Values:
    """p-values of differences over their standard errors, by Student's t.

    A difference without error is either none at all, p = 1, or certain, p = 0.

    >>> float(student_p(2.776, 1.0, 4).round(3))
    0.05

    Args:
        differences: turned so that more is better for the first system.
        errors: their standard errors.
        degrees: of freedom.
        alternative: as for `randomization_p`.
        scale: the size of the scores, to which rounding is relative.
    """
    from scipy.special import stdtr  # slow to import, and seldom needed

    if alternative not in ALTERNATIVES:
        raise UnknownNameError("alternative", alternative, ALTERNATIVES)
    difference, error = as_values("differences", differences), as_values("errors", errors)
    rounding = TIE_TOLERANCE * np.maximum(np.abs(difference), np.abs(scale))
    none = np.abs(difference) <= rounding
    certain = error <= rounding
    t = np.where(
        certain, np.where(none, 0.0, np.copysign(np.inf, difference)), difference
    ) / np.where(certain, 1.0, error)
    if alternative == "two-sided":
        p = 2 * stdtr(degrees, -np.abs(t))
    else:
        p = stdtr(degrees, t if alternative == "less" else -t)
    return np.asarray(np.where(certain & none, 1.0, p))[()]


def student_interval(values: ArrayLike, level: float) -> Values:
    """The mean of the segment scores plus and minus t * s / sqrt(n) (Koehn 2004, §4, eq. 5).

    Args:
        values: segment scores, shaped (segment,) or (segment, system).
        level: the level, such as 0.95.
    """
    array = as_values("values", values)
    if array.ndim == 0 or len(array) < 2:
        count = len(array) if array.ndim else 0
        raise SettingError("segments", count, "at least 2: one value does not show how values vary")
    half = (
        student_quantile(level, len(array) - 1) * array.std(axis=0, ddof=1) / math.sqrt(len(array))
    )
    mean = array.mean(axis=0)
    return np.stack([mean - half, mean + half])


def hall_interval(
    estimate: ArrayLike, jackknife: ArrayLike, level: float, strata: Strata | None = None
) -> Values:
    """The skewness-corrected interval of each estimate: lows, highs.

    Args:
        estimate: the score or difference on the test set itself, one or several.
        jackknife: the same without one unit each, shaped (unit,) or (unit, estimate).
        level: the level, such as 0.95.
        strata: first unit and end of each stratum, of whose mixture nothing is left to chance.
    """
    left_out = jackknife_values(jackknife)
    centre = beside(estimate, left_out, "estimate")
    error, u, degrees = _moments(left_out, strata)
    bounds = []
    for side in (1, -1):
        freedom = _freedom(side, u, degrees, len(left_out))
        quantile = np.reshape([student_quantile(level, int(d)) for d in freedom.flat], u.shape)
        bounds.append(centre - error * without_skewness(side * quantile, u))
    return np.stack(bounds)


def hall_p(
    estimate: ArrayLike,
    jackknife: ArrayLike,
    null: float = 0.0,
    alternative: Alternative = "greater",
    *,
    scale: ArrayLike = 0.0,
    strata: Strata | None = None,
) -> Values:
    """p-values of the hypotheses that the true values are `null`.

    Args:
        estimate: on the test set itself, turned so that more is better.
        jackknife: the same without one unit each, turned likewise.
        null: the value that is tested.
        alternative: "greater" asks whether the true value is above, "less" whether it is below.
        scale: the size of the scores, to which rounding is relative.
        strata: as for `hall_interval`.
    """
    left_out = jackknife_values(jackknife)
    distance = beside(estimate, left_out, "estimate") - null
    error, u, degrees = _moments(left_out, strata)
    certain = error <= TIE_TOLERANCE * np.maximum(np.abs(distance), np.abs(scale))
    t = distance / np.where(certain, 1.0, error)
    moved = np.where(certain, distance, t + u * t**2 + u**2 * t**3 / 3 + u / 2)
    errors = np.where(certain, 0.0, 1.0)
    scales = np.where(certain, np.abs(scale), 0.0)
    side = {"greater": 1.0, "less": -1.0}.get(alternative, np.sign(moved))
    freedom = _freedom(side, u, degrees, len(left_out))
    return student_p(moved, errors, freedom, alternative, scale=scales)


def _moments(left_out: Values, strata: Strata | None) -> tuple[Values, Values, Values]:
    """The standard error, skewness / (3 sqrt(n)) of the influences, and degrees of freedom.

    Where no influence varies, the first two are 0 and nothing lowers the degrees.
    """
    count = len(left_out)
    influence = (count - 1) * (left_out.mean(axis=0) - left_out)
    for first, end in strata or ((0, count),):
        part = influence[first:end]
        # One unit alone in its stratum shows nothing of how such units vary.
        influence[first:end] = (part - part.mean(axis=0)) * np.sqrt(
            len(part) / max(len(part) - 1, 1)
        )
    variance = (influence**2).mean(axis=0)
    safe = np.where(variance == 0, 1.0, variance)
    skewness = (influence**3).mean(axis=0) / safe**1.5
    kurtosis = (influence**4).mean(axis=0) / safe**2
    # Whole ones, rounded down: their quantiles need no SciPy.
    degrees = np.floor(np.minimum(2 * count / np.maximum(kurtosis - 1, 1e-9), count - 1))
    return (np.sqrt(variance / count), skewness / (3 * np.sqrt(count)), np.maximum(degrees, 1.0))


def _freedom(side: Values | float, u: Values, degrees: Values, count: int) -> Values:
    """The degrees of freedom on one side: fewer where the tail is on the other.

    There, a test set that happens to lack the tail has a large t. On the side of the tail t is
    rather too small, and needs no more caution.
    """
    return np.asarray(np.where(side * u < 0, degrees, count - 1.0))


def without_skewness(moved: ArrayLike, u: ArrayLike) -> Values:
    """The t that `h` takes there."""
    target, bend = np.asarray(moved, dtype=np.float64), np.asarray(u, dtype=np.float64)
    straight = np.abs(bend) < TIE_TOLERANCE
    safe = np.where(straight, 1.0, bend)
    bent = (np.cbrt(1 + 3 * safe * (target - safe / 2)) - 1) / safe
    return np.asarray(np.where(straight, target, bent))
