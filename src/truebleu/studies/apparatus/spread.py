"""Spread: how far a score or a difference varies over samples, against independent units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

# What is smaller than this share of the values is rounding.
ROUNDING = 1e-12
# Halvings of an interval that leave nothing of it in floats.
BISECTIONS = 60


class Quantity(NamedTuple):
    """What spreads: a system's score, or by how much one system is better than another.

    Attributes:
        name: for people.
        system: the system, or the better one of the pair.
        other: the worse one; None for a score.
    """

    name: str
    system: int
    other: int | None = None

    def of(self, scores: ArrayLike, sign: int) -> NDArray[np.float64]:
        """Its values, of scores shaped (..., system)."""
        array = np.asarray(scores, dtype=np.float64)
        if self.other is None:
            return np.asarray(array[..., self.system])
        return np.asarray(sign * (array[..., self.system] - array[..., self.other]))


class Cut(NamedTuple):
    """The samples of one kind: the least value, the greatest, and the standard deviation."""

    low: float | None
    high: float | None
    sd: float


@dataclass(frozen=True, slots=True)
class Spread:
    """How far a quantity varies over blocks, over broad samples and over independent units.

    Attributes:
        name: the quantity.
        pool: its value in the pool; None of a mean over quantities.
        samples: how many blocks there are, and as many broad samples.
        block: over blocks of consecutive units.
        broad: over broad samples.
        independent_sd: the standard deviation over samples of independent units.
    """

    name: str
    pool: float | None
    samples: int
    block: Cut
    broad: Cut
    independent_sd: float

    def effect(self, cut: Cut) -> float | None:
        """The design effect: the variance over that of independent units; None where both are 0."""
        if self.independent_sd == 0:
            return None
        return float((cut.sd / self.independent_sd) ** 2)

    def effect_interval(self, cut: Cut) -> tuple[float | None, float | None]:
        """The 95 % interval of the design effect, were scores of samples normal and independent."""
        effect, degrees = self.effect(cut), self.samples - 1
        if effect is None:
            return None, None
        return (
            effect * degrees / chi_square(0.975, degrees),
            effect * degrees / chi_square(0.025, degrees),
        )


def spread_of(
    name: str, pool: float, *, block: ArrayLike, broad: ArrayLike, independent: ArrayLike
) -> Spread:
    """The spread of values over samples of each kind."""
    blocks = np.asarray(block, dtype=np.float64)
    return Spread(
        name, pool, len(blocks), _cut(blocks), _cut(np.asarray(broad)), _sd(np.asarray(independent))
    )


def mean_spread(name: str, spreads: Sequence[Spread]) -> Spread:
    """The mean of variances, which all samples share, as a spread of its own."""
    return Spread(
        name,
        None,
        spreads[0].samples,
        Cut(None, None, _mean_sd([spread.block.sd for spread in spreads])),
        Cut(None, None, _mean_sd([spread.broad.sd for spread in spreads])),
        _mean_sd([spread.independent_sd for spread in spreads]),
    )


def chi_square(share: float, degrees: int) -> float:
    """The quantile of chi-square, found by bisection; SciPy is not always there."""
    low, high = 0.0, float(degrees)
    while _chi_square_below(high, degrees) < share:
        low, high = high, 2 * high
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _chi_square_below(middle, degrees) < share else (low, middle)
    return (low + high) / 2


def _chi_square_below(value: float, degrees: int) -> float:
    """The share of chi-square below a value: the series of the incomplete gamma function."""
    shape, half = degrees / 2, value / 2
    if half == 0:
        return 0.0
    term = total = math.exp(shape * math.log(half) - half - math.lgamma(shape + 1))
    while term > ROUNDING * total:
        shape += 1
        term *= half / shape
        total += term
    return total


def _cut(values: NDArray[np.float64]) -> Cut:
    return Cut(float(values.min()), float(values.max()), _sd(values))


def _sd(values: NDArray[np.float64]) -> float:
    sd = float(values.std(ddof=1))
    return 0.0 if sd <= ROUNDING * float(np.abs(values).max()) else sd


def _mean_sd(deviations: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(deviations))))
