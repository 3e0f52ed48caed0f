"""Intervals by the bootstrap, with sacreBLEU's random numbers and its precision, digit by digit.

Statistics are single precision there, and what NumPy 2 makes of them stays so: for chrF and TER up
to the mean and the interval, for BLEU up to the precisions of the n-grams. The generator, the order
of the draws and the way the interval is read off are sacreBLEU's too, so that its published
intervals can be repeated.
"""

from __future__ import annotations

import os
from statistics import mean
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

SEED = "12345"
SEED_VARIABLE = "SACREBLEU_SEED"

# Whole numbers below this are exact in single precision, so the order of adding does not matter.
EXACT = 2**24

# Draws at once: enough for a matrix product, few enough for the cache and for long texts.
BLOCK = 2**16

# sacreBLEU's logarithm of 0.
LOG_ZERO = -9_999_999_999.0


def bootstrap(
    rows: NDArray[np.float64],
    replicates: int,
    score: Callable[[NDArray[np.float32]], NDArray[np.floating[Any]]],
) -> tuple[str, NDArray[np.floating[Any]]]:
    """The seed as signatures show it, and the scores of resampled texts."""
    seed = os.environ.get(SEED_VARIABLE, SEED).lower()
    return seed, score(_sums(rows, replicates, _generator(seed)))


def interval(scores: Sequence[float] | NDArray[np.floating[Any]]) -> tuple[float, float]:
    """The mean of the scores, and half the width of their middle 95 percent."""
    ordered = np.sort(scores)
    tail = len(ordered) // 40
    half = 0.5 * (ordered[len(ordered) - 1 - tail] - ordered[tail])
    # The mean is exact until it is rounded to the precision that the scores have.
    exact = mean(float(score) for score in ordered)
    return float(ordered.dtype.type(exact)), float(half)


def _generator(seed: str) -> np.random.Generator:
    try:
        return np.random.default_rng(None if seed == "none" else int(seed))
    except ValueError:
        expected = "a whole number from 0 up, or none"
        raise SettingError(SEED_VARIABLE, seed, expected) from None


def _sums(
    rows: NDArray[np.float64], replicates: int, generator: np.random.Generator
) -> NDArray[np.float32]:
    """Sums of drawn rows: replicate after replicate, each with as many draws as there are rows."""
    size, width = rows.shape
    sums = np.empty((replicates, width), dtype=np.float32)
    single = rows.astype(np.float32)
    exact = bool((rows == np.floor(rows)).all() and rows.max() * size < EXACT)
    step = max(1, BLOCK // size)
    for start in range(0, replicates, step):
        block = sums[start : start + step]
        # Drawing by blocks takes the same numbers off the stream as drawing all at once.
        draws = generator.choice(size, size=(len(block), size), replace=True)
        if exact:
            offsets = size * np.arange(len(block))[:, np.newaxis]
            times = np.bincount((draws + offsets).ravel(), minlength=len(block) * size)
            block[:] = times.reshape(len(block), size).astype(np.float64) @ rows
        else:
            for sum_, draw in zip(block, draws, strict=True):
                sum_[:] = single[draw].sum(axis=0)
    return sums


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
    logs = np.full_like(precisions, LOG_ZERO)
    np.log(precisions, out=logs, where=precisions > 0)
    orders = np.full(len(sums), order)
    if effective_order:
        # Without any n-gram there is no match either, and the score is 0 below.
        orders = np.maximum(counted.sum(axis=1), 1)
        logs[np.arange(order) >= orders[:, np.newaxis]] = 0.0
    scores: NDArray[np.float64] = _brevity_penalty(lengths) * np.exp(logs.sum(axis=1) / orders)
    scores[nothing] = 0.0
    return scores


def _brevity_penalty(lengths: NDArray[np.float32]) -> NDArray[np.float64]:
    output, reference = lengths.astype(np.float64).T
    ratio = np.divide(reference, output, out=np.full_like(output, np.inf), where=output > 0)
    return np.where(output >= reference, 1.0, np.exp(1 - ratio))


def chrf_scores(
    sums: NDArray[np.float32], *, beta: float, eps_smoothing: bool
) -> NDArray[np.float32]:
    """Scores of sums by chrF, all in single precision."""
    epsilon = np.float32(1e-16)
    factor = np.float32(beta**2)
    zero = np.zeros(len(sums), dtype=np.float32)
    smoothed, precision_sum, recall_sum, orders = (zero.copy() for _ in range(4))
    for output, reference, match in np.split(sums.T, sums.shape[1] // 3):
        precision = _ratio(match, output, epsilon)
        recall = _ratio(match, reference, epsilon)
        smoothed += _f_score(precision, recall, factor, epsilon)
        present = (output > 0) & (reference > 0)
        precision_sum += np.where(present, precision, 0)
        recall_sum += np.where(present, recall, 0)
        orders += present
    if eps_smoothing:
        mean_score: NDArray[np.float32] = 100 * smoothed / np.float32(sums.shape[1] // 3)
        return mean_score
    nothing = np.float32(0)
    precision = _ratio(precision_sum, orders, nothing)
    recall = _ratio(recall_sum, orders, nothing)
    score: NDArray[np.float32] = 100 * _f_score(precision, recall, factor, nothing)
    return score


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


def ter_scores(sums: NDArray[np.float32]) -> NDArray[np.float32]:
    """TER of sums, all in single precision."""
    edits, length = sums.T
    # Edits without a reference word count as one per word.
    return 100 * np.where(length > 0, _ratio(edits, length, np.float32(0)), edits > 0).astype(
        np.float32
    )
