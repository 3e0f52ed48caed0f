"""Agreement with human raters by the published procedures, in plain NumPy, as a peer.

Written from the definitions that mt-metrics-eval follows, not from its code: for each segment the
rated systems, and SciPy's Kendall; tie thresholds by sorting the pairs and updating counts
pair by pair; the permutation test by repeating all of it for both hybrids of every draw. Each
also has a version in NumPy alone, as fast as possible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]


def kendall_by_segment(human: Matrix, metric: Matrix) -> float:
    """Compute the mean over segments of Kendall's tau-b, if it is defined.

    One call of SciPy for each segment, which is how mt-metrics-eval groups by item.
    """
    from scipy.stats import kendalltau

    values = []
    for segment in range(human.shape[1]):
        rated = ~np.isnan(human[:, segment])
        tau = kendalltau(human[rated, segment], metric[rated, segment]).statistic
        if not np.isnan(tau):
            values.append(tau)
    return float(np.mean(values))


def kendall_by_signs(human: Matrix, metric: Matrix) -> float:
    """Compute `kendall_by_segment` from the signs of differences instead of SciPy."""
    values = []
    for segment in range(human.shape[1]):
        rated = ~np.isnan(human[:, segment])
        h, m = human[rated, segment], metric[rated, segment]
        people, scores = np.sign(h[:, np.newaxis] - h), np.sign(m[:, np.newaxis] - m)
        norm = np.sqrt((people**2).sum() * (scores**2).sum())
        if norm > 0:
            values.append((people * scores).sum() / norm)
    return float(np.mean(values))


def kendall_at_once(human: Matrix, metric: Matrix) -> float:
    """Compute `kendall_by_segment` by whole arrays, if every cell is rated."""
    first, second = np.triu_indices(len(human), 1)
    people = np.sign(human[first] - human[second])
    scores = np.sign(metric[first] - metric[second])
    norms = np.sqrt((people**2).sum(axis=0) * (scores**2).sum(axis=0))
    defined = norms > 0
    return float(np.mean((people * scores).sum(axis=0)[defined] / norms[defined]))


def calibrated_accuracy(human: Matrix, metric: Matrix) -> float:
    """Compute accuracy with the best tie threshold (Deutsch et al. 2023), averaged over segments.

    All pairs are sorted by the difference of their metric scores; the threshold passes them one by
    one, and the accuracy of the pair's segment is updated.
    """
    pairs = np.triu_indices(len(human), 1)
    differences, right_if_tied, right_if_not = [], [], []
    for segment in range(human.shape[1]):
        h, m = human[:, segment], metric[:, segment]
        people = (h[:, np.newaxis] - h)[pairs]
        scores = (m[:, np.newaxis] - m)[pairs]
        differences.append(np.abs(scores))
        right_if_tied.append(people == 0)
        right_if_not.append(people * scores > 0)
    size = np.concatenate(differences)
    order = np.argsort(size, kind="stable")
    tied = np.concatenate(right_if_tied)[order].tolist()
    apart = np.concatenate(right_if_not)[order].tolist()
    sizes = size[order].tolist()
    per_segment = len(pairs[0])
    accuracy: float = sum(apart) / per_segment
    best, last = -1.0, 0.0
    for difference, if_tied, if_not in zip(sizes, tied, apart, strict=True):
        if difference > last:
            best = max(best, accuracy)
            last = difference
        accuracy += (if_tied - if_not) / per_segment
    segments: int = human.shape[1]
    return max(best, accuracy) / segments


def calibrated_accuracy_at_once(human: Matrix, metric: Matrix) -> float:
    """Compute `calibrated_accuracy` by whole arrays."""
    first, second = np.triu_indices(len(human), 1)
    people = human[first] - human[second]
    scores = metric[first] - metric[second]
    size = np.abs(scores).ravel()
    order = np.argsort(size)
    gains = ((people == 0).astype(np.int64) - (people * scores > 0)).ravel()[order]
    sums = np.cumsum(gains)
    ordered = size[order]
    ends = np.append(ordered[1:] > ordered[:-1], True)
    best = int(sums[ends].max(initial=0 if ordered[0] > 0 else sums[ends][0]))
    return (int((people * scores > 0).sum()) + best) / len(gains)


def hybrids(first: Matrix, second: Matrix, exchanged: NDArray[np.bool_]) -> tuple[Matrix, Matrix]:
    """Return two metrics with the scores of some cells exchanged."""
    return np.where(exchanged, second, first), np.where(exchanged, first, second)


def standardised(metric: Matrix) -> Matrix:
    """Scale values to mean 0 and standard deviation 1."""
    return np.asarray((metric - metric.mean()) / metric.std())
