"""Ranks of many systems, from which pairs differ significantly and from replicate scores.

`better[i, j]` says that system i is significantly better than system j.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truebleu.errors import SettingError
from truebleu.resampling import TIE_TOLERANCE, Values, as_replicates, as_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


def significantly_better(
    systems: int,
    pairs: Sequence[tuple[int, int]],
    differences: ArrayLike,
    significant: ArrayLike,
    *,
    higher_is_better: bool = True,
) -> NDArray[np.bool_]:
    """The matrix of who is significantly better than whom; pairs not compared are not.

    Args:
        systems: how many systems there are.
        pairs: the numbers of a first and a second system, for each comparison.
        differences: the first system's score minus the second's, for each comparison.
        significant: the decision on each comparison.
        higher_is_better: whether more of the metric is better.
    """
    better = np.zeros((systems, systems), dtype=np.bool_)
    ahead = as_values("differences", differences) * (1 if higher_is_better else -1)
    for (first, second), lead, real in zip(pairs, ahead, np.asarray(significant), strict=True):
        better[first, second] = real and lead > 0
        better[second, first] = real and lead < 0
    return better


def rank_ranges(better: ArrayLike) -> list[tuple[int, int]]:
    """The best and the worst rank that each system may have.

    Behind all that are significantly better, ahead of all that are significantly worse: from the
    losses plus one to the number of systems minus the wins, as in the WMT findings.

    >>> rank_ranges([[False, False, True], [False, False, False], [False, False, False]])
    [(1, 2), (1, 3), (2, 3)]
    """
    wins = _decisions(better)
    first = 1 + wins.sum(axis=0)
    last = len(wins) - wins.sum(axis=1)
    return [(int(best), int(worst)) for best, worst in zip(first, last, strict=True)]


def probability_of_best(scores: ArrayLike, *, higher_is_better: bool = True) -> list[float]:
    """The share of the replicates in which each system is the best; those that tie share it.

    Assumes what the bootstrap does. The shares add up to 1.

    Args:
        scores: shaped (replicate, system).
        higher_is_better: whether more of the metric is better.
    """
    replicates = as_replicates("scores", scores)
    if replicates.ndim != 2 or replicates.shape[1] == 0:
        raise SettingError("scores", replicates.shape, "shape (replicate, system)")
    quality = replicates if higher_is_better else -replicates
    best = quality.max(axis=1, keepdims=True)
    among_the_best = quality >= best - TIE_TOLERANCE * np.abs(quality).max(axis=1, keepdims=True)
    shares: Values = (among_the_best / among_the_best.sum(axis=1, keepdims=True)).mean(axis=0)
    return [float(share) for share in shares]


def clusters(
    scores: ArrayLike, better: ArrayLike, *, higher_is_better: bool = True
) -> list[list[int]]:
    """Groups of systems that can't be told apart, the best group first, each best first.

    As in the WMT findings: systems are sorted by score, and a line is drawn where every system
    above is significantly better than every system below. Two systems of one group may well
    differ significantly, but then a chain of undecided pairs joins them.

    Args:
        scores: the score of each system on the test set itself.
        better: which pairs differ significantly.
        higher_is_better: whether more of the metric is better.

    >>> clusters([30.0, 35.0, 34.9], [[0, 0, 0], [1, 0, 0], [1, 0, 0]])
    [[1, 2], [0]]
    """
    wins = _decisions(better)
    quality = as_values("scores", scores) * (1 if higher_is_better else -1)
    if quality.shape != wins.shape[:1]:
        raise SettingError("scores", quality.shape, f"one score for each of {len(wins)} systems")
    order = np.argsort(-quality, kind="stable")
    groups: list[list[int]] = []
    for place, system in enumerate(order):
        if place == 0 or wins[np.ix_(order[:place], order[place:])].all():
            groups.append([])
        groups[-1].append(int(system))
    return groups


def _decisions(better: ArrayLike) -> NDArray[np.bool_]:
    """The decisions as a checked square matrix in which nobody beats a system that beats them."""
    wins = np.asarray(better, dtype=np.bool_)
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1]:
        raise SettingError("better", wins.shape, "a square matrix (system, system)")
    if (wins & wins.T).any():
        first, second = (int(number) for number in np.argwhere(wins & wins.T)[0])
        expected = "at most one better system in each pair, and none better than itself"
        raise SettingError("better", (first, second), expected)
    return wins
