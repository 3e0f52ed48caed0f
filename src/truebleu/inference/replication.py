"""Scores of every system on many replicates, block by block: all that inference works on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from truebleu import _core
from truebleu.inference.counted import apart, side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from truebleu.inference.counted import Counted
    from truebleu.resampling import Bootstrap, Swaps, Units

# Called with how many replicates have been made since the last call.
Progress = Callable[[int], object]
# Numbers that a block of replicate sums may hold: 32 MB.
BLOCK_SIZE = 1 << 22
# Enough replicates to keep all threads busy, few enough to report progress.
LARGEST_BLOCK = 1 << 12
# Rows that a block of replicates may add up: a second of work, or a few.
BLOCK_WORK = 1 << 29

Pair = tuple[int, int]


def bootstrap_scores(
    counted: Sequence[Counted],
    units: Units,
    bootstrap: Bootstrap,
    progress: Progress | None = None,
    *,
    first: int = 0,
) -> list[NDArray[np.float64]]:
    """For each metric the scores of every system on every replicate, shaped (replicate, system).

    All systems and metrics are scored on the same resampled test sets: every comparison is paired.
    """
    rows = side_by_side(counted)
    scores = [np.empty((bootstrap.replicates, one.systems)) for one in counted]
    for start, count in _blocks(bootstrap.replicates, rows.shape[1], len(rows)):
        sums = apart(bootstrap.sums(rows, units, first + start, count), counted)
        for one, part, into in zip(counted, sums, scores, strict=True):
            into[start : start + count] = one.metric.score(part)
        if progress is not None:
            progress(count)
    return scores


def swap_differences(
    counted: Sequence[Counted],
    pairs: Sequence[Pair],
    swaps: Swaps,
    progress: Progress | None = None,
    *,
    first: int = 0,
) -> list[NDArray[np.float64]]:
    """For each metric the differences of each pair after random swaps, shaped (replicate, pair).

    Swapping X and Y on a set of units moves the sums of X by S(Y) - S(X), where S adds up these
    units, and those of Y by as much the other way: S of each system serves all of its pairs.
    """
    rows = side_by_side(counted)
    enumerated = swaps.enumerates(len(rows))
    replicates = 2 ** len(rows) if enumerated else swaps.replicates
    blocks: list[list[NDArray[np.float64]]] = [[] for _ in counted]
    width = max(rows.shape[1], *(_width_of_pairs(one, len(pairs)) for one in counted))
    for start, count in _blocks(replicates, width, len(rows)):
        taken = apart(swaps.sums(rows, first + start, count, enumerated=enumerated), counted)
        for one, part, into in zip(counted, taken, blocks, strict=True):
            into.append(_differences(one, part, pairs))
        if progress is not None:
            progress(count)
    return [into[0] if len(into) == 1 else np.concatenate(into) for into in blocks]


def _differences(
    one: Counted, taken: NDArray[np.float64], pairs: Sequence[Pair]
) -> NDArray[np.float64]:
    scorer = one.metric.scorer()
    if scorer is not None:
        return _core.pair_differences(taken, one.sums, pairs, scorer)
    first, second = one.metric.score(_core.pair_sums(taken, one.sums, pairs))
    return np.asarray(first - second)


def _width_of_pairs(one: Counted, pairs: int) -> int:
    """How many numbers a replicate takes while its pairs are scored."""
    columns: int = one.rows.shape[2]
    return pairs if one.metric.scorer() is not None else 2 * pairs * columns


def _blocks(replicates: int, width: int, rows: int) -> Iterator[tuple[int, int]]:
    """First replicate and number of each block."""
    size = max(1, min(LARGEST_BLOCK, BLOCK_SIZE // max(width, 1), BLOCK_WORK // max(rows, 1)))
    for first in range(0, replicates, size):
        yield first, min(size, replicates - first)
