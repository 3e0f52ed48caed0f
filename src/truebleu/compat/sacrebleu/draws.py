"""sacreBLEU's random numbers: which rows a resampled text takes, which segments a trial swaps.

NumPy's generator fills an array row by row, so a few rows at a time take the same numbers off its
stream as sacreBLEU's one call for all of them, and no array of replicates by segments is kept.
"""

from __future__ import annotations

import os
from math import gcd
from typing import TYPE_CHECKING

import numpy as np

from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

SEED = "12345"
SEED_VARIABLE = "SACREBLEU_SEED"

# Whole numbers up to this are exact in single precision, so the order of adding does not matter.
EXACT = 2**24

# Draws at once: enough for a matrix product to be fast, few enough for the memory.
BLOCK = 2**20

# Swaps that one word of the generator gives; what is left of a word at the end of a call is lost.
WORD = 32


def seed_from_environment() -> str:
    """The seed as SACREBLEU_SEED has it, in lower case; ``none`` means a new one for every run."""
    return os.environ.get(SEED_VARIABLE, SEED).lower()


def generator(seed: str) -> np.random.Generator:
    """A generator at the start of its stream. 0 is a seed like any other."""
    try:
        return np.random.default_rng(None if seed == "none" else int(seed))
    except ValueError:
        expected = "a whole number from 0 up, or none"
        raise SettingError(SEED_VARIABLE, seed, expected) from None


def bootstrap_sums(
    tables: Sequence[NDArray[np.float64]], replicates: int, stream: np.random.Generator
) -> list[NDArray[np.float32]]:
    """Sums of drawn rows in single precision: for each table, one row per replicate.

    Args:
        tables: what is summed: arrays of one row per segment. All take the same draws.
        replicates: how many resampled texts, each with as many draws as there are segments.
        stream: where the draws come from.
    """
    size = len(tables[0])
    sums = [np.empty((replicates, table.shape[1]), dtype=np.float32) for table in tables]
    adders = [_Adder(table) for table in tables]
    step = max(1, BLOCK // size)
    for start in range(0, replicates, step):
        draws = stream.choice(size, size=(min(step, replicates - start), size), replace=True)
        times = _times(draws)
        for result, adder in zip(sums, adders, strict=True):
            result[start : start + step] = adder.sums(draws, times)
    return sums


def swap_sums(
    tables: Sequence[NDArray[np.float64]], trials: int, stream: np.random.Generator
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """For each table, of each trial: the sums over segments that it swaps, and over the others."""
    shapes = [(trials, table.shape[1]) for table in tables]
    sums = [(np.empty(shape), np.empty(shape)) for shape in shapes]
    fractional = [np.flatnonzero((table != np.floor(table)).any(axis=0)) for table in tables]
    start = 0
    for swaps in _swaps(trials, len(tables[0]), stream):
        stop = start + len(swaps)
        weights = swaps.astype(np.float64)
        for (swapped, others), table, columns in zip(sums, tables, fractional, strict=True):
            np.matmul(weights, table, out=swapped[start:stop])
            for column in columns:
                both = _add_in_order(table[:, column], swaps)
                swapped[start:stop, column], others[start:stop, column] = both
        start = stop
    for (swapped, others), table, columns in zip(sums, tables, fractional, strict=True):
        whole = np.delete(np.arange(table.shape[1]), columns)
        others[:, whole] = table.sum(axis=0)[whole] - swapped[:, whole]
    return sums


def _add_in_order(
    fractions: NDArray[np.float64], swaps: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums over swapped segments and over the others, from the first segment to the last.

    Rounded fractions make ties that are none, and sacreBLEU counts them. It leaves the order of
    adding to a library that has one for each kind of processor; this is the most common order.
    """
    # One segment per row: NumPy adds rows in their order, but numbers along a row in pairs.
    both = np.ascontiguousarray(np.concatenate([swaps, ~swaps]).T)
    swapped, others = np.split(np.where(both, fractions[:, np.newaxis], 0.0).sum(axis=0), 2)
    return swapped, others


def _swaps(trials: int, size: int, stream: np.random.Generator) -> Iterator[NDArray[np.bool_]]:
    """Which segments each trial swaps, a few trials at a time."""
    step = max(1, BLOCK // size)
    # A call must end where a word ends, or the next one would start at another bit.
    whole_words = WORD // gcd(size, WORD)
    at_once = -(-step // whole_words) * whole_words
    for start in range(0, trials, at_once):
        rows = min(at_once, trials - start)
        swaps = stream.integers(2, size=(rows, size), dtype=np.bool_)
        for first in range(0, rows, step):
            yield swaps[first : first + step]


def _times(draws: NDArray[np.int64]) -> NDArray[np.float64]:
    """How often each row of draws has each segment."""
    replicates, size = draws.shape
    offsets = size * np.arange(replicates)[:, np.newaxis]
    times = np.bincount((draws + offsets).ravel(), minlength=replicates * size)
    return times.reshape(replicates, size).astype(np.float64)


class _Adder:
    """Adds up the drawn rows of a table as sacreBLEU does: one after the other, in float32."""

    def __init__(self, table: NDArray[np.float64]) -> None:
        self._table = table
        self._single = table.astype(np.float32)
        # No replicate can be exact with fractions, and few where the text itself is too long.
        self._whole = bool((table == np.floor(table)).all() and table.sum(axis=0).max() <= EXACT)

    def sums(
        self, draws: NDArray[np.int64], times: NDArray[np.float64]
    ) -> NDArray[np.float32] | NDArray[np.float64]:
        if not self._whole:
            return np.stack([self._one_by_one(draw) for draw in draws])
        # While a sum stays exact, any way of adding gives it, and a matrix product is the fastest.
        sums = times @ self._table
        for replicate in np.flatnonzero(sums.max(axis=1) > EXACT):
            sums[replicate] = self._one_by_one(draws[replicate])
        return sums

    def _one_by_one(self, draw: NDArray[np.int64]) -> NDArray[np.float32]:
        total: NDArray[np.float32] = self._single[draw].sum(axis=0)
        return total
