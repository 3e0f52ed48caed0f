"""Student's t: quantiles, p-values and intervals of means, and skewness-corrected jackknife t.

`crates/core/src/statistics/jackknife.rs` has the formulas, and what they assume.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from truebleu import _core
from truebleu.errors import SettingError, UnknownNameError
from truebleu.resampling import as_observed, as_values, jackknife_values
from truebleu.schema import ALTERNATIVES, require_level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from truebleu.resampling import Values
    from truebleu.schema import Alternative

__all__ = ["student_interval"]

# First unit and end of each stratum.
Strata: TypeAlias = "Sequence[tuple[int, int]]"


def student_quantile(level: float, degrees: float) -> float:
    """Return the two-sided critical value of Student's t: -t to t has probability `level`.

    Koehn's Table 2 has as many degrees of freedom as segments; an interval has one fewer.

    >>> round(student_quantile(0.95, 4), 3)
    2.776
    """
    return float(student_quantiles(level, degrees))


def student_quantiles(level: float, degrees: ArrayLike) -> Values:
    """Return the quantile of `student_quantile` for each number of degrees of freedom."""
    freedom = np.asarray(degrees, dtype=np.float64)
    return _core.student_quantiles(require_level(level), freedom.ravel()).reshape(freedom.shape)


def student_p(
    differences: ArrayLike,
    errors: ArrayLike,
    degrees: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    scale: ArrayLike = 0.0,
) -> Values:
    """Return p-values of differences over their standard errors, by Student's t.

    If the standard error is 0, p is 1 for no difference, and 0 for any other.

    >>> float(student_p(2.776, 1.0, 4).round(3))
    0.05

    Args:
        differences: differences, negated if lower is better for the first system.
        errors: standard errors of the differences.
        degrees: degrees of freedom.
        alternative: direction of the test, see `randomization_p`.
        scale: size of the scores, to which rounding is relative.
    """
    if alternative not in ALTERNATIVES:
        raise UnknownNameError("alternative", alternative, ALTERNATIVES)
    values = as_values("differences", differences), as_values("errors", errors), degrees, scale
    difference, *others = np.broadcast_arrays(*(np.asarray(part, float) for part in values))
    error, freedom, sizes = (part.ravel() for part in others)
    p = _core.student_p(difference.ravel(), error, freedom, sizes, alternative)
    return np.asarray(p.reshape(difference.shape))[()]


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
