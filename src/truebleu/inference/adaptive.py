"""Tests of all pairs by all metrics, with as many replicates as were asked for or are needed.

An adaptive comparison doubles the replicates of a metric until each of its decisions is clear of
Monte-Carlo error. By swaps it starts with few; by the bootstrap with those that the intervals have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from truebleu.inference.replication import swap_differences
from truebleu.inference.testing import Tested, test_pairs
from truebleu.resampling import Swaps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.inference.counted import Counted
    from truebleu.inference.replication import Pair, Progress
    from truebleu.inference.settings import CompareSettings

# An adaptive comparison by swaps starts with this many, and every one gives up after so many.
ADAPTIVE_START = 1000
ADAPTIVE_LIMIT = 1_000_000
# Differences that may be kept while decisions are not clear: half a gigabyte.
ADAPTIVE_SIZE = 1 << 26

# Called with the first replicate and their number; by metric, scores shaped (replicate, system).
Draw = Callable[[int, int], "Sequence[NDArray[np.float64]]"]
# Called with the numbers of metrics, the first replicate and their number; by metric, differences
# shaped (replicate, pair), and whether these are those of all swaps there are.
_Make = Callable[[Sequence[int], int, int], "tuple[Sequence[NDArray[np.float64]], bool]"]


def test_by_swaps(
    counted: Sequence[Counted],
    pairs: Sequence[Pair],
    settings: CompareSettings,
    progress: Progress | None,
) -> list[Tested]:
    """Test all pairs by all metrics with approximate randomization."""
    units = len(counted[0].rows)

    def make(
        metrics: Sequence[int], first: int, count: int
    ) -> tuple[Sequence[NDArray[np.float64]], bool]:
        chosen = [counted[metric] for metric in metrics]
        all_so_far = Swaps(replicates=first + count, seed=settings.seed)
        if all_so_far.enumerates(units):
            return swap_differences(chosen, pairs, all_so_far, progress), True
        swaps = Swaps(replicates=count, seed=settings.seed)
        return swap_differences(chosen, pairs, swaps, progress, first=first), False

    start = settings.samples
    if settings.adaptive and not Swaps(replicates=start).enumerates(units):
        start = min(ADAPTIVE_START, start)
    return _test(counted, pairs, settings, start, make)


def test_by_bootstrap(
    counted: Sequence[Counted],
    scores: Sequence[NDArray[np.float64]],
    pairs: Sequence[Pair],
    settings: CompareSettings,
    draw: Draw,
) -> list[Tested]:
    """Test all pairs by all metrics with the shifted bootstrap.

    Args:
        counted: the counts, one for each metric.
        scores: for each metric the scores on the first replicates, shaped (replicate, system).
        pairs: the systems of each comparison.
        settings: which form of the test, and how many replicates.
        draw: makes scores on further replicates.
    """
    left, right = np.array(pairs).T

    def make(
        metrics: Sequence[int], first: int, count: int
    ) -> tuple[Sequence[NDArray[np.float64]], bool]:
        drawn = scores if first == 0 else draw(first, count)
        return [drawn[metric][:, left] - drawn[metric][:, right] for metric in metrics], False

    return _test(counted, pairs, settings, len(scores[0]), make)


def _test(
    counted: Sequence[Counted],
    pairs: Sequence[Pair],
    settings: CompareSettings,
    start: int,
    make: _Make,
) -> list[Tested]:
    unclear = list(range(len(counted)))
    made, exact = make(unclear, 0, start)
    differences = dict(enumerate(made))
    tested: dict[int, Tested] = {}
    while True:
        for metric in unclear:
            found = differences[metric]
            tested[metric] = test_pairs(counted[metric], pairs, found, settings, exact=exact)
        unclear = [metric for metric in unclear if not tested[metric].decided]
        differences = {metric: differences[metric] for metric in unclear}
        if not (settings.adaptive and unclear):
            break
        done = tested[unclear[0]].samples
        most = min(ADAPTIVE_LIMIT, ADAPTIVE_SIZE // (len(pairs) * len(unclear)))
        further = min(done, most - done)
        if further <= 0:
            break
        made, exact = make(unclear, done, further)
        for metric, more in zip(unclear, made, strict=True):
            differences[metric] = more if exact else np.concatenate([differences[metric], more])
    return [tested[metric] for metric in range(len(counted))]
