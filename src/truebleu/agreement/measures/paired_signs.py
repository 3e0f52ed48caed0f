"""Paired permutation tests of all pairs of systems: one draw of signs serves every pair and metric.

For systems i and j, x_ik - x_jk is the difference on segment k. Were they equally good, each
difference might as well have the other sign: p is the share of draws of signs w for which
sum_k w_k (x_ik - x_jk) is no less than the observed sum_k (x_ik - x_jk). It is one-sided, small if
i is better, and counts ties, so that a system against its copy has p = 1. A draw that turns the
signs of some segments reaches the observed sum just if their differences add up to 0 or less.

Assumes that segments are independent. Segments not rated for both systems of a pair do not enter.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from truebleu.inference.arguments import TIE_TOLERANCE, Values
from truebleu.resampling.exact import on_exact_grid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from truebleu.resampling import Swaps

# Numbers that a block of draws, or of differences, may hold: 32 MB.
BLOCK_SIZE = 1 << 22
LARGEST_BLOCK = 1 << 12

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class PairedSigns:
    """The p-values of all pairs of systems, i < j in order, and how they came about.

    Attributes:
        p_values: shaped (matrix, pair); only pairs with a segment rated for both.
        pairs: the systems of each of these pairs.
        unpaired: pairs of systems that share no rated segment.
        draws: how many draws of signs were made.
        exact: the draws are all there are.
    """

    p_values: Values
    pairs: tuple[Pair, ...]
    unpaired: tuple[Pair, ...]
    draws: int
    exact: bool


def paired_signs(matrices: Values, rated: NDArray[np.bool_], swaps: Swaps) -> PairedSigns:
    """Test all pairs of systems by every matrix of scores, all with the same draws.

    Args:
        matrices: finite scores shaped (matrix, system, segment).
        rated: the cells that count, shaped (system, segment).
        swaps: how many draws, and the seed; fewer where all of them are fewer.
    """
    shared = rated.sum(axis=0) >= 2
    rated, matrices = rated[:, shared], matrices[:, :, shared]
    systems, segments = rated.shape
    everything = list(combinations(range(systems), 2))
    pairs = [(a, b) for a, b in everything if (rated[a] & rated[b]).any()]
    exact = swaps.enumerates(segments)
    draws = 2**segments if exact else swaps.replicates
    margins = _margins(matrices, rated, pairs)
    if rated.all():
        reached = _count_by_system(matrices, pairs, margins, swaps, draws)
    else:
        reached = _count_by_pair(matrices, rated, pairs, margins, swaps, draws)
    unpaired = tuple(sorted(set(everything) - set(pairs)))
    return PairedSigns(reached / draws, tuple(pairs), unpaired, draws, exact)


def _margins(matrices: Values, rated: NDArray[np.bool_], pairs: list[Pair]) -> Values:
    """Below which size a sum of differences is 0 but for rounding, shaped (matrix, pair).

    Decimal scores such as 0.1 add up to nearly, not exactly, the same; draws that tie are common
    among human scores, which have few values.
    """
    margins = np.empty((len(matrices), len(pairs)))
    for number, (a, b) in enumerate(pairs):
        both = rated[a] & rated[b]
        difference = np.abs(matrices[:, a] - matrices[:, b])
        margins[:, number] = TIE_TOLERANCE * (difference * both).sum(axis=1)
    return margins


def _count_by_system(
    matrices: Values, pairs: list[Pair], margins: Values, swaps: Swaps, draws: int
) -> NDArray[np.int64]:
    """Draws that reach the observed sum, where all segments are rated for all systems.

    A sum of differences is then a difference of the systems' sums: two columns instead of one for
    each pair.
    """
    count, systems, segments = matrices.shape
    rows = on_exact_grid(matrices.transpose(2, 0, 1).reshape(segments, count * systems))
    first, second = (np.array([pair[side] for pair in pairs], dtype=np.intp) for side in (0, 1))
    reached = np.zeros((count, len(pairs)), dtype=np.int64)
    exact = swaps.enumerates(segments)
    for start, size in _blocks(draws, count * max(systems, len(pairs))):
        taken = swaps.sums(rows, start, size, enumerated=exact).reshape(size, count, systems)
        moved = taken[:, :, first] - taken[:, :, second]
        reached += np.count_nonzero(moved <= margins, axis=0)
    return reached


def _count_by_pair(
    matrices: Values,
    rated: NDArray[np.bool_],
    pairs: list[Pair],
    margins: Values,
    swaps: Swaps,
    draws: int,
) -> NDArray[np.int64]:
    """Draws that reach the observed sum, each pair on the segments rated for both."""
    count, _, segments = matrices.shape
    reached = np.zeros((count, len(pairs)), dtype=np.int64)
    exact = swaps.enumerates(segments)
    for begin, size in _blocks(len(pairs), count * max(segments, 1)):
        some = slice(begin, begin + size)
        columns = [
            (matrices[:, a] - matrices[:, b]) * (rated[a] & rated[b]) for a, b in pairs[some]
        ]
        # Shaped (segment, matrix, pair).
        rows = on_exact_grid(np.stack(columns).transpose(2, 1, 0).reshape(segments, -1))
        for start, block in _blocks(draws, rows.shape[1]):
            taken = swaps.sums(rows, start, block, enumerated=exact).reshape(block, count, -1)
            reached[:, some] += np.count_nonzero(taken <= margins[:, some], axis=0)
    return reached


def _blocks(count: int, width: int) -> Iterator[tuple[int, int]]:
    """First number and size of each block."""
    size = max(1, min(LARGEST_BLOCK, BLOCK_SIZE // max(width, 1)))
    for start in range(0, count, size):
        yield start, min(size, count - start)
