"""Scores on many replicates: resampled test sets and random swaps, in blocks.

Blocks keep memory small: no matrix of replicates by segments is ever stored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from truebleu import _core
from truebleu.errors import SettingError
from truebleu.metrics.base import MeanScorer
from truebleu.resampling import Swaps
from truebleu.schema import MOST, require_whole_number
from truebleu.significance.unit_counts import BLOCK_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.resampling import Bootstrap, Units, Values
    from truebleu.significance.unit_counts import Pair, UnitCounts

__all__ = ["bootstrap_scores"]

# Function called with the number of replicates made since the last call.
Progress = Callable[[int], object]

# Enough replicates to keep all threads busy, few enough to report progress.
LARGEST_BLOCK = 1 << 12
# Most rows that a block of replicates adds up: a second or two of work.
BLOCK_WORK = 1 << 31


def side_by_side(statistics: Sequence[UnitCounts]) -> Values:
    """Return the counts of all metrics and systems in one row per unit, to draw them together."""
    if not statistics:
        raise SettingError("statistics", [], "counts of at least one metric")
    rows = [metric.rows.reshape(len(metric.rows), metric.width) for metric in statistics]
    return rows[0] if len(rows) == 1 else np.concatenate(rows, axis=1)


def split_sums(sums: Values, statistics: Sequence[UnitCounts]) -> list[Values]:
    """Split sums of rows from `side_by_side` by metric, each shaped (replicate, system, column)."""
    ends = np.cumsum([metric.width for metric in statistics])
    parts = np.split(sums, ends[:-1], axis=1)
    return [
        part.reshape(len(part), *metric.rows.shape[1:])
        for part, metric in zip(parts, statistics, strict=True)
    ]


def bootstrap_scores(
    statistics: Sequence[UnitCounts],
    units: Units,
    bootstrap: Bootstrap,
    progress: Progress | None = None,
    *,
    first: int = 0,
) -> list[Values]:
    """Score all systems on each replicate by each metric, shaped (replicate, system).

    All systems and metrics are scored on the same resampled test sets: every comparison is paired.
    """
    rows = side_by_side(statistics)
    require_whole_number("first", first, 0, MOST)
    scores = [np.empty((bootstrap.replicates, metric.systems)) for metric in statistics]
    for start, count in _blocks(bootstrap.replicates, rows.shape[1], len(rows)):
        sums = split_sums(bootstrap.sums(rows, units, first + start, count), statistics)
        for metric, part, into in zip(statistics, sums, scores, strict=True):
            into[start : start + count] = metric.metric.score(part)
        if progress is not None:
            progress(count)
    return scores


def swap_blocks(
    statistics: Sequence[UnitCounts],
    pairs: Sequence[Pair],
    swaps: Swaps,
    progress: Progress | None = None,
    *,
    first: int = 0,
) -> Iterator[tuple[int, Values, Values]]:
    """Yield the differences of each pair after random swaps, in blocks of replicates.

    Swapping X and Y on a set of units changes the sums of X by S(Y) - S(X), where S adds up these
    units, and the sums of Y by S(X) - S(Y): the S of each system serves all of its pairs.

    Yields:
        The index of the metric, the differences, and the swapped shares of the text; see
        `swapped_shares`.
    """
    for start, swapped_sums in swapped_sum_blocks(statistics, swaps, progress, first=first):
        for index, (metric, sums) in enumerate(zip(statistics, swapped_sums, strict=True)):
            size = max(1, BLOCK_SIZE // _width_of_pairs(metric, len(pairs)))
            for row in range(0, len(sums), size):
                part = sums[row : row + size]
                differences = _differences(metric, part, pairs)
                yield index, differences, swapped_shares(metric, part, pairs, swaps, start + row)


def swapped_shares(
    statistics: UnitCounts, swapped_sums: Values, pairs: Sequence[Pair], swaps: Swaps, first: int
) -> Values:
    """Return the share of the text that each replicate swaps, by the metric's weights.

    Without weights, all units have equal weight.

    Args:
        statistics: counts of all systems by one metric.
        swapped_sums: sums over the swapped units, shaped (replicate, system, column).
        pairs: systems of each comparison.
        swaps: swaps that made the sums.
        first: first replicate.

    Returns:
        Shares shaped (replicate, pair), or (replicate, 1) if all pairs have equal shares: systems
        differ if each is counted against the closest of several references.
    """
    columns = list(statistics.metric.weight_columns)
    shares = _core.swapped_shares(swapped_sums, statistics.sums, columns, pairs)
    if shares is not None:
        return shares
    coins, enumerated = np.ones((statistics.units, 1)), swaps.enumerates(statistics.units)
    return swaps.sums(coins, first, len(swapped_sums), enumerated=enumerated) / statistics.units


def swapped_sum_blocks(
    statistics: Sequence[UnitCounts],
    swaps: Swaps,
    progress: Progress | None = None,
    *,
    first: int = 0,
) -> Iterator[tuple[int, list[Values]]]:
    """Yield the sums over the units that each replicate swaps, in blocks of replicates.

    Args:
        statistics: counts of all systems, by each metric.
        swaps: number of replicates, and their seed.
        progress: function called with the number of replicates used since the last call.
        first: first replicate.

    Yields:
        The first replicate of the block, and sums shaped (replicate, system, column) for each
        metric.
    """
    rows = side_by_side(statistics)
    require_whole_number("first", first, 0, MOST)
    units = statistics[0].units
    enumerated = swaps.enumerates(units)
    replicates = 2**units if enumerated else swaps.replicates
    for start, count in _blocks(replicates, rows.shape[1], len(rows)):
        sums = swaps.sums(rows, first + start, count, enumerated=enumerated)
        yield first + start, split_sums(sums, statistics)
        if progress is not None:
            progress(count)


def _differences(statistics: UnitCounts, swapped_sums: Values, pairs: Sequence[Pair]) -> Values:
    """Return the differences of pairs after swaps, from the sums over the swapped units."""
    native = statistics.metric.native()
    if native is not None:
        return _core.Pairs(pairs).differences(swapped_sums, statistics.sums, native)
    first, second = statistics.metric.score(_core.Pairs(pairs).sums(swapped_sums, statistics.sums))
    return np.asarray(first - second)


def _width_of_pairs(statistics: UnitCounts, pairs: int) -> int:
    """Return how many numbers are needed to score the pairs of a replicate."""
    columns: int = statistics.rows.shape[2]
    return pairs if statistics.metric.native() is not None else 2 * pairs * columns


def _blocks(replicates: int, width: int, rows: int) -> Iterator[tuple[int, int]]:
    """Yield the first replicate and the number of replicates of each block."""
    size = max(1, min(LARGEST_BLOCK, BLOCK_SIZE // max(width, 1), BLOCK_WORK // max(rows, 1)))
    for first in range(0, replicates, size):
        yield first, min(size, replicates - first)


# Swaps that vary less than samples reject true null hypotheses too often, so they are scaled.


def swap_ratios(statistics: UnitCounts, pairs: Sequence[Pair]) -> Values:
    """Return the ratio of each pair's variance over random swaps to its variance over samples.

    About 1 if outputs are exchangeable. Below 1 if a count affects only one of the scores, as
    lengths do if one output is short and the other long: swaps then make two systems more alike
    than samples do. Means over units have ratio 1. NaN if nothing varies.
    """
    if isinstance(statistics.metric, MeanScorer):
        return np.ones(len(pairs))
    if statistics.units < 2:
        return np.full(len(pairs), np.nan)
    squares, count = np.zeros(len(pairs)), 0
    for _, block, _ in swap_blocks([statistics], pairs, Swaps(replicates=_core.SWAPS_OF_RATIOS)):
        squares += (block**2).sum(axis=0)
        count += len(block)
    return _core.swap_ratios(squares, count, statistics.errors_of_pairs(pairs), statistics.scale)


def scale_swaps(differences: Values, shares: Values, scales: Values) -> tuple[Values, Values]:
    """Scale differences after swaps and the swapped shares of the text.

    Each pair has one scale, from `swap_scales`.
    """
    if (scales == 1).all():
        return differences, shares
    return _core.scale_swaps(differences, shares, scales.tolist())
