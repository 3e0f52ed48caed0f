"""Moments: means and standard deviations that are put together from parts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.studies.apparatus.widths import as_record, from_record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Of so many values their mean, and the sum of their squared deviations from it."""

    count: int
    mean: NDArray[np.float64]
    squares: NDArray[np.float64]

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Moments:
        """The moments along the first axis."""
        mean = values.mean(axis=0)
        return cls(len(values), mean, ((values - mean) ** 2).sum(axis=0))

    @classmethod
    def combined(cls, parts: Sequence[Moments]) -> Moments:
        """The moments of all values of the parts (Chan, Golub & LeVeque 1983, eq. 2.1)."""
        return reduce(cls._and, parts)

    def _and(self, other: Moments) -> Moments:
        count = self.count + other.count
        apart = other.mean - self.mean
        mean = self.mean + apart * (other.count / count)
        squares = self.squares + other.squares + apart**2 * (self.count * other.count / count)
        return Moments(count, mean, squares)

    @property
    def deviation(self) -> NDArray[np.float64]:
        """The standard deviation, with count - 1; NaN of a single value."""
        if self.count < 2:
            return np.full_like(self.mean, np.nan)
        return np.asarray(np.sqrt(self.squares / (self.count - 1)))

    def to_record(self) -> list[Any]:
        """Plain values for a journal."""
        return [self.count, as_record(self.mean), as_record(self.squares)]

    @classmethod
    def from_record(cls, record: Sequence[Any]) -> Moments:
        """What a journal kept."""
        count, mean, squares = record
        return cls(count, from_record(mean), from_record(squares))
