"""Resampling with sacreBLEU's random numbers and its precision, digit by digit.

The generator, the order of the draws and the way an interval is read off are sacreBLEU's, so that
its published p-values and intervals can be repeated. NumPy's generator fills an array row by row,
so a few rows at a time take the same numbers off its stream as sacreBLEU's one call for all of
them, and no array of replicates by segments is kept.

Statistics are single precision there, and what NumPy 2 makes of them stays so: for chrF and TER up
to the mean and the interval, for BLEU up to the precisions of the n-grams.
"""

from __future__ import annotations

import os
from math import exp, gcd, log
from statistics import mean
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

SEED = "12345"
SEED_VARIABLE = "SACREBLEU_SEED"

# Whole numbers up to this are exact in single precision, so the order of adding does not matter.
EXACT = 2**24

# Draws at once: enough for a matrix product to be fast, few enough for the memory.
BLOCK = 2**20

# Swaps that one word of the generator gives; what is left of a word at the end of a call is lost.
WORD = 32

# sacreBLEU's logarithm of 0.
LOG_ZERO = -9_999_999_999.0

# What chrF++.py scores for an order without n-grams or without a match.
EPSILON = 1e-16


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
            return np.stack([self._row_by_row(draw) for draw in draws])
        # While a sum stays exact, any way of adding gives it, and a matrix product is the fastest.
        sums = times @ self._table
        for replicate in np.flatnonzero(sums.max(axis=1) > EXACT):
            sums[replicate] = self._row_by_row(draws[replicate])
        return sums

    def _row_by_row(self, draw: NDArray[np.int64]) -> NDArray[np.float32]:
        total: NDArray[np.float32] = self._single[draw].sum(axis=0)
        return total


def bootstrap(
    rows: NDArray[np.float64],
    replicates: int,
    score: Callable[[NDArray[np.float32]], NDArray[np.floating[Any]]],
) -> tuple[str, NDArray[np.floating[Any]]]:
    """The seed as signatures show it, and the scores of resampled texts."""
    seed = seed_from_environment()
    (sums,) = bootstrap_sums([rows], replicates, generator(seed))
    return seed, score(sums)


def interval(scores: Sequence[float] | NDArray[np.floating[Any]]) -> tuple[float, float]:
    """The mean of the scores, and half the width of their middle 95 percent."""
    ordered = np.sort(scores)
    tail = len(ordered) // 40
    half = 0.5 * (ordered[len(ordered) - 1 - tail] - ordered[tail])
    # The mean is exact until it is rounded to the precision that the scores have.
    exact = mean(float(score) for score in ordered)
    return float(ordered.dtype.type(exact)), float(half)


def bleu_scores(
    sums: NDArray[np.float32], *, smooth: str, smooth_value: float, effective_order: bool
) -> NDArray[np.float64]:
    """BLEU of sums: precisions in single precision, what follows in double."""
    lengths, counts = np.split(sums, [2], axis=1)
    matches, totals = (part.copy() for part in np.split(counts, 2, axis=1))
    order = matches.shape[1]
    nothing = ~matches.any(axis=1)
    if smooth == "add-k":
        matches[:, 1:] += smooth_value
        totals[:, 1:] += smooth_value
    counted = np.logical_and.accumulate(totals != 0, axis=1)
    unmatched = counted & (matches == 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precisions = 100.0 * matches / totals
        if smooth == "exp":
            halvings = np.float32(2) ** unmatched.cumsum(axis=1, dtype=np.float32)
            precisions = np.where(unmatched, 100.0 / (halvings * totals), precisions)
        elif smooth == "floor":
            precisions = np.where(unmatched, 100.0 * smooth_value / totals, precisions)
    precisions = np.where(counted, precisions, 0).astype(np.float64)
    logs = _each(_log, precisions)
    orders = np.full(len(sums), order)
    if effective_order:
        # Without any n-gram there is no match either, and the score is 0 below.
        orders = np.maximum(counted.sum(axis=1), 1)
        logs[np.arange(order) >= orders[:, np.newaxis]] = 0.0
    # Accumulating adds from left to right, which a sum of many orders would not.
    sum_of_logs = np.add.accumulate(logs, axis=1)[:, -1]
    scores = _brevity_penalty(lengths) * _each(exp, sum_of_logs / orders)
    scores[nothing] = 0.0
    return scores


def _brevity_penalty(lengths: NDArray[np.float32]) -> NDArray[np.float64]:
    output, reference = lengths.astype(np.float64).T
    ratio = np.divide(reference, output, out=np.full_like(output, np.inf), where=output > 0)
    return np.where(output >= reference, 1.0, _each(exp, np.minimum(1 - ratio, 0.0)))


def _log(value: float) -> float:
    return log(value) if value > 0 else LOG_ZERO


def _each(function: Callable[[float], float], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The function of every value: sacreBLEU takes Python's, whose last digit NumPy's may lack."""
    return np.array([function(value) for value in values.ravel().tolist()]).reshape(values.shape)


def chrf_scores(
    sums: NDArray[np.float32], *, beta: float, eps_smoothing: bool
) -> NDArray[np.floating[Any]]:
    """Scores of sums by chrF, all in single precision."""
    epsilon = np.float32(EPSILON)
    factor = np.float32(beta**2)
    zero = np.zeros(len(sums), dtype=np.float32)
    smoothed, precision_sum, recall_sum, orders = (zero.copy() for _ in range(4))
    constant = np.ones(len(sums), dtype=np.bool_)
    for output, reference, match in np.split(sums.T, sums.shape[1] // 3):
        precision = _ratio(match, output, epsilon)
        recall = _ratio(match, reference, epsilon)
        smoothed += _f_score(precision, recall, factor, epsilon)
        present = (output > 0) & (reference > 0)
        precision_sum += np.where(present, precision, 0)
        recall_sum += np.where(present, recall, 0)
        orders += present
        constant &= (precision + recall == 0) | ((output <= 0) & (reference <= 0))
    if eps_smoothing:
        count = sums.shape[1] // 3
        scores = _as_array(100 * smoothed / np.float32(count), constant=constant)
        scores[constant] = 100 * sum([EPSILON] * count) / count
        return scores
    nothing = np.float32(0)
    precision = _ratio(precision_sum, orders, nothing)
    recall = _ratio(recall_sum, orders, nothing)
    scores = 100 * _f_score(precision, recall, factor, nothing)
    return _as_array(scores, constant=np.equal(precision + recall, 0))


def _ratio(
    part: NDArray[np.float32], whole: NDArray[np.float32], otherwise: np.float32
) -> NDArray[np.float32]:
    return np.divide(part, whole, out=np.full_like(part, otherwise), where=whole > 0)


def _f_score(
    precision: NDArray[np.float32],
    recall: NDArray[np.float32],
    factor: np.float32,
    otherwise: np.float32,
) -> NDArray[np.float32]:
    return _ratio((1 + factor) * precision * recall, factor * precision + recall, otherwise)


def ter_scores(sums: NDArray[np.float32]) -> NDArray[np.floating[Any]]:
    """TER of sums, all in single precision."""
    edits, length = sums.T
    # Edits without a reference word count as one per word.
    rates = np.where(length > 0, _ratio(edits, length, np.float32(0)), edits > 0)
    return _as_array(100 * rates.astype(np.float32), constant=np.less_equal(length, 0))


def _as_array(
    scores: NDArray[np.float32], *, constant: NDArray[np.bool_]
) -> NDArray[np.floating[Any]]:
    """The scores, in double precision where one of them is a constant of sacreBLEU's program.

    That is a number of Python's, and an array of such and of single precision is double.
    """
    return scores.astype(np.float64) if constant.any() else scores
