"""Replicates: the sums of test sets drawn with replacement, and of units swapped at random.

Floating-point sums depend on the order of adding, and so on threads and machines. Sums of whole
numbers below 2**53 do not. So columns that hold fractions (TER's mean reference lengths, NIST's
information) are rounded to a grid so fine that scores move by less than a billionth, and so coarse
that no replicate's sum ever needs rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truebleu import _core
from truebleu._seeds import DEFAULT_SEED, require_replicates, require_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.resampling.units import Units

# Bits of a float64's significand, less one for the doubling in a difference of two sums.
SIGNIFICANT_BITS = 52
# Rows looked at together: a million of them need no second copy for that.
BLOCK = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap:
    """Draw as many units as there are, within each stratum (Koehn 2004, §5).

    Replicate i depends on (seed, i) alone.
    Assumes that units are independent draws from what the test set stands for.
    """

    replicates: int = 1000
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        require_replicates("replicates", self.replicates)
        require_seed(self.seed)

    def sums(
        self, rows: NDArray[np.float64], units: Units, first: int, count: int
    ) -> NDArray[np.float64]:
        """Summed rows of `count` replicates from the first on, shaped (replicate, column)."""
        return _core.bootstrap_sums(
            rows, strata=units.strata, first=first, replicates=count, seed=self.seed
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Swaps:
    """Take each unit by a fair coin (Riezler & Maxwell 2005, Fig. 1).

    Replicate i depends on (seed, i) alone.
    Assumes that under the null hypothesis the two outputs of each unit could as well have come from
    the other system, and nothing about how scores are distributed.
    """

    replicates: int = 10_000
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        require_replicates("replicates", self.replicates)
        require_seed(self.seed)

    def enumerates(self, units: int) -> bool:
        """Whether all 2**units swaps are no more than the replicates asked for."""
        return units < 63 and 2**units <= self.replicates

    def sums(
        self, rows: NDArray[np.float64], first: int, count: int, *, enumerated: bool
    ) -> NDArray[np.float64]:
        """Summed rows of the units that each replicate takes, shaped (replicate, column)."""
        seed = None if enumerated else self.seed
        return _core.swapped_sums(rows, first=first, replicates=count, seed=seed)


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
