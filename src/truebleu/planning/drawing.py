"""Which segments of a pool a test set takes: broad, random, stratified, or whole documents.

All take a source of random numbers in [0, 1), and give positions from 0 in the order of the pool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from truebleu.streams import Draw

    Positions = NDArray[np.int64]

# Documents that may go again so that the last one fits.
MOST_DROPPED = 10


def broad(count: int, size: int, draw: Draw) -> Positions:
    """Every k-th segment from a random start (Koehn 2004, §3.3: a broad sample).

    Where size does not divide the pool, steps differ by at most one: position i is the whole part
    of (i + start) count / size, so every stretch of the pool is taken from alike, and every segment
    is equally likely.

    >>> broad(10, 4, lambda: 0.0).tolist()
    [0, 2, 5, 7]
    """
    start = int(draw() * count)
    return (np.arange(size, dtype=np.int64) * count + start) // size


def random(count: int, size: int, draw: Draw) -> Positions:
    """A simple random sample without replacement."""
    return np.sort(_in_random_order(count, draw)[:size])


def stratified(strata: Sequence[Hashable], size: int, draw: Draw, groups: Positions) -> Positions:
    """A random sample of each stratum, as large as its share of the pool.

    Within a stratum each group, a whole number such as that of a length, has its share too: the
    segments stand by group, in random order, and every k-th is taken. So small groups cannot
    spoil the shares of strata, and every segment of a stratum is equally likely.
    """
    order = _in_random_order(len(strata), draw)
    members: dict[Hashable, list[int]] = {}
    for position in order[np.argsort(groups[order], kind="stable")].tolist():
        members.setdefault(strata[position], []).append(position)
    # In the order of the pool, so that ties of remainders do not depend on the random order.
    ordered = [members[stratum] for stratum in dict.fromkeys(strata)]
    taken = allocate([len(one) for one in ordered], size)
    chosen = [
        np.array(one)[broad(len(one), many, draw)]
        for one, many in zip(ordered, taken, strict=True)
        if many
    ]
    return np.sort(np.concatenate(chosen))


def allocate(counts: Sequence[int], size: int) -> list[int]:
    """Whole numbers in proportion to the counts that add up to size, by largest remainder.

    No stratum gets more than it has, nor a whole one less or more than its share. Of equal
    remainders the earlier stratum's counts.

    >>> allocate([50, 30, 20], 7)
    [4, 2, 1]
    """
    total = sum(counts)
    shares = [divmod(size * count, total) for count in counts]
    taken = [whole for whole, _ in shares]
    by_remainder = sorted(range(len(counts)), key=lambda i: (-shares[i][1], i))
    for stratum in by_remainder[: size - sum(taken)]:
        taken[stratum] += 1
    return taken


def whole_documents(documents: Sequence[str], size: int, draw: Draw) -> Positions:
    """Whole documents in random order, until the number of segments is as near as it gets.

    Only what fills the gap at the end is chosen for its length, among all documents that are left:
    choosing more of them so would favour short ones. Where nothing fits, some that came last may
    go. At least one is taken.
    """
    numbers: dict[str, int] = {}
    of_segment = np.array([numbers.setdefault(name, len(numbers)) for name in documents])
    lengths = np.bincount(of_segment)
    order = _in_random_order(len(numbers), draw)
    fitting = int(np.searchsorted(np.cumsum(lengths[order]), size, side="right"))
    best, taken = len(documents) + size, order
    for kept in range(fitting, max(fitting - MOST_DROPPED, 0) - 1, -1):
        chosen = _filled(order, kept, lengths, size)
        distance = abs(int(lengths[chosen].sum()) - size)
        if distance < best:
            best, taken = distance, chosen
    return np.flatnonzero(np.isin(of_segment, taken))


def _filled(order: Positions, kept: int, lengths: Positions, size: int) -> Positions:
    """The first documents of an order, and the best of the others while one comes nearer."""
    chosen, rest = order[:kept], order[kept:]
    while len(rest):
        missing = size - int(lengths[chosen].sum())
        distances = np.abs(lengths[rest] - missing)
        nearest = int(np.argmin(distances))
        if len(chosen) and distances[nearest] >= abs(missing):
            break
        chosen, rest = np.append(chosen, rest[nearest]), np.delete(rest, nearest)
    return chosen


def _in_random_order(count: int, draw: Draw) -> Positions:
    keys = np.fromiter((draw() for _ in range(count)), dtype=np.float64, count=count)
    return np.argsort(keys, kind="stable")
