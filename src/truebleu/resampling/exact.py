"""Rows on a grid on which every sum is exact.

Floating-point sums depend on the order of adding, and so on threads and machines. Sums of whole
numbers below 2**53 do not. So columns that hold fractions (TER's mean reference lengths, NIST's
information) are rounded to a grid so fine that scores move by less than a billionth, and so coarse
that no replicate's sum ever needs rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Bits of a float64's significand, less one for the doubling in a difference of two sums.
SIGNIFICANT_BITS = 52
# Rows looked at together: a million of them need no second copy for that.
BLOCK = 1 << 16


def on_exact_grid(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rows, with fractional columns rounded to a power of two.

    A replicate draws as many rows as there are, so no sum exceeds that number times the largest
    absolute value of its column.
    """
    size = np.maximum(rows.max(axis=0, initial=0.0), -rows.min(axis=0, initial=0.0))
    largest = size * max(len(rows), 1)
    fractional = np.zeros(rows.shape[1], dtype=np.bool_)
    for start in range(0, len(rows), BLOCK):
        part = rows[start : start + BLOCK]
        fractional |= (part != np.floor(part)).any(axis=0)
    if not fractional.any():
        return np.ascontiguousarray(rows)
    _, exponent = np.frexp(largest)
    step = np.where(fractional, np.ldexp(1.0, exponent - SIGNIFICANT_BITS), 1.0)
    return np.ascontiguousarray(np.rint(rows / step) * step)
