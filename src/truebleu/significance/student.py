"""Student's t: quantiles and p-values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truebleu import _core
from truebleu.errors import UnknownNameError
from truebleu.resampling import as_values
from truebleu.schema import ALTERNATIVES, require_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from truebleu.resampling import Values
    from truebleu.schema import Alternative


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
