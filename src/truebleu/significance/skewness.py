"""Student's t of a corpus score with its skewness taken out: intervals, and tests at a margin.

A corpus score is a function of sums over units, and its error is to first order a mean of n
influences, one for each unit, which the jackknife gives (Efron & Tibshirani 1993, §11.2). Runaway
outputs give these a long tail. A test set that by chance has few of them then has a good score and
a small standard error at once, and Student's t is too sure of itself on one side. Hall (1992, "On
the removal of skewness by transformation") takes t = (estimate - true) / se to

    h(t) = t + u t² + u² t³ / 3 + u / 2,   u = skewness / (3 sqrt(n)),

which is monotone and has about Student's distribution on both sides. It needs no replicates, and an
interval and a test that are made of it always agree.

Assumes independent units, and enough of them to have seen the tail: below about 60 no method knows
of the runaway outputs that the test set happens to lack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from truebleu.errors import SettingError
from truebleu.resampling import TIE_TOLERANCE, as_replicates, as_values, beside
from truebleu.significance.intervals import student_quantiles
from truebleu.significance.p_values import student_p

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from truebleu._settings import Alternative
    from truebleu.resampling import Values

# First unit and end of each stratum.
Strata: TypeAlias = "Sequence[tuple[int, int]]"

__all__ = ["hall_interval", "hall_p"]


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
    left_out = _left_out(jackknife)
    centre = beside(estimate, left_out, "estimate")
    error, u = _error_and_skew(left_out, strata)
    quantile = student_quantiles(level, len(left_out) - 1)
    bounds = [centre - error * without_skewness(side * quantile, u) for side in (1, -1)]
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
    left_out = _left_out(jackknife)
    distance = beside(estimate, left_out, "estimate") - null
    error, u = _error_and_skew(left_out, strata)
    certain = error <= TIE_TOLERANCE * np.maximum(np.abs(distance), np.abs(scale))
    t = distance / np.where(certain, 1.0, error)
    moved = np.where(certain, distance, t + u * t**2 + u**2 * t**3 / 3 + u / 2)
    errors = np.where(certain, 0.0, 1.0)
    scales = np.where(certain, np.abs(scale), 0.0)
    return student_p(moved, errors, len(left_out) - 1, alternative, scale=scales)


def _left_out(jackknife: ArrayLike) -> Values:
    left_out = as_replicates("jackknife", as_values("jackknife", jackknife))
    if len(left_out) < 2:
        expected = "at least 2: one does not show how units vary"
        raise SettingError("units", len(left_out), expected)
    return left_out


def _error_and_skew(left_out: Values, strata: Strata | None) -> tuple[Values, Values]:
    """The standard error, and skewness / (3 sqrt(n)) of the influences; 0 where none vary."""
    count = len(left_out)
    influence = (count - 1) * (left_out.mean(axis=0) - left_out)
    for first, end in strata or ((0, count),):
        part = influence[first:end]
        # One unit alone in its stratum shows nothing of how such units vary.
        influence[first:end] = (part - part.mean(axis=0)) * np.sqrt(
            len(part) / max(len(part) - 1, 1)
        )
    variance = (influence**2).mean(axis=0)
    constant = variance == 0
    cubed = (influence**3).mean(axis=0) / np.where(constant, 1.0, variance) ** 1.5
    return np.sqrt(variance / count), cubed / (3 * np.sqrt(count))


def without_skewness(moved: ArrayLike, u: ArrayLike) -> Values:
    """The t that `h` takes there."""
    target, bend = np.asarray(moved, dtype=np.float64), np.asarray(u, dtype=np.float64)
    straight = np.abs(bend) < TIE_TOLERANCE
    safe = np.where(straight, 1.0, bend)
    bent = (np.cbrt(1 + 3 * safe * (target - safe / 2)) - 1) / safe
    return np.asarray(np.where(straight, target, bent))
