"""Rates: intervals of pass/fail scores, which are 0 or 1, and of paired differences of them.

Near 0 and 1 no bootstrap and no t holds: ten successes in ten tries vary in no resample. Score
intervals do. A rate has Wilson's (1927), and by documents or blocks, where results go together,
that of Korn and Graubard (1998): Clopper and Pearson's with as many tries as clusters are worth.
The difference of two rates on the same items has Tango's (1998), which leaves out 0 where McNemar's
test rejects, with as many items as the clusters are worth. Gates, which must not be fooled, take
Clopper and Pearson's bounds (1934) of the share of items that only one of the two gets right, and
of those among them that the new one does.

Assumes independent items, or clusters; nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.resampling import TIE_TOLERANCE, normal_quantile
from truebleu.significance.student import student_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.metrics.base import Metric
    from truebleu.resampling import Values

__all__ = [
    "clopper_pearson_interval",
    "korn_graubard_interval",
    "tango_interval",
    "wilson_interval",
]


def are_rates(metric: Metric, rows: NDArray[Any]) -> bool:
    """Whether a metric's scores are all 0 or 1, and of the same segments for all systems."""
    if not metric.is_mean or rows.ndim != 3 or rows.shape[2] != 2:
        return False
    scores, counts = rows[..., 0], rows[..., 1]
    same_items = (counts == counts[:, :1]).all() and ((counts == 0) | (counts == 1)).all()
    return bool(same_items and counts.any() and ((scores == 0) | (scores == 1)).all())


def wilson_interval(rate: ArrayLike, count: ArrayLike, level: float) -> Values:
    """Wilson's score interval of a rate in so many tries, which need not be whole: low, high.

    >>> wilson_interval(1.0, 10, 0.95).round(4).tolist()
    [0.7225, 1.0]
    """
    share, tries = np.asarray(rate, dtype=np.float64), np.asarray(count, dtype=np.float64)
    return _closed(wilson_bounds(share, tries, level), share)


def wilson_bounds(share: Values, tries: Values | np.float64, level: float) -> Values:
    """The same as rounding leaves it: an end may miss 0 or 1 by a hair."""
    square = _quantile(level) ** 2
    centre = share + square / (2 * tries)
    half = np.sqrt(square * (share * (1 - share) / tries + square / (4 * tries**2)))
    return np.asarray(np.stack([centre - half, centre + half]) / (1 + square / tries))


def clopper_pearson_interval(rate: ArrayLike, count: ArrayLike, level: float) -> Values:
    """Clopper and Pearson's interval, which covers at least as often as its level says.

    >>> clopper_pearson_interval(1.0, 10, 0.95).round(4).tolist()
    [0.6915, 1.0]
    """
    from scipy.special import betaincinv  # slow to import, and seldom needed

    share, tries = np.broadcast_arrays(np.asarray(rate, float), np.asarray(count, float))
    hits, tail = share * tries, (1 - level) / 2
    misses = tries - hits
    low = betaincinv(np.maximum(hits, 1e-9), misses + 1, tail)
    high = betaincinv(hits + 1, np.maximum(misses, 1e-9), 1 - tail)
    return _closed(np.stack([low, high]), share)


def _closed(bounds: Values, rate: Values) -> Values:
    """No success leaves 0 open, and nothing but successes 1, whatever rounding does."""
    low, high = bounds
    return np.stack([np.where(rate <= 0, 0.0, low), np.where(rate >= 1, 1.0, high)]).clip(0, 1)


def _quantile(level: float) -> float:
    return -normal_quantile((1 - level) / 2)


def effective_tries(
    variance: ArrayLike, alone: ArrayLike, count: ArrayLike, clusters: int, level: float
) -> Values:
    """As many independent tries as those in clusters are worth (Korn and Graubard 1998).

    Where nothing varies, clusters are worth one try each; never more than there are.

    Args:
        variance: of the rate or difference by clusters.
        alone: that of a single independent try.
        count: of the tries.
        clusters: how many there are.
        level: of the interval.
    """
    spread, single = np.asarray(variance, dtype=np.float64), np.asarray(alone, dtype=np.float64)
    tries = np.asarray(count, dtype=np.float64)
    varies = (spread > 1e-12) & (single > 1e-12)
    worth = np.where(varies, single / np.where(varies, spread, 1.0), clusters)
    few = student_quantile(level, int(tries.max()) - 1) / student_quantile(level, clusters - 1)
    return np.asarray(np.minimum(worth, tries) * np.where(worth < tries, few**2, 1.0))


def korn_graubard_interval(successes: ArrayLike, tries: ArrayLike, level: float) -> Values:
    """Korn and Graubard's interval of a rate over clusters: low, high.

    Args:
        successes: of each cluster, shaped (cluster,) or (cluster, system).
        tries: likewise.
        level: the level, such as 0.95.
    """
    x, n = np.asarray(successes, dtype=np.float64), np.asarray(tries, dtype=np.float64)
    count = n.sum(axis=0)
    rate = x.sum(axis=0) / count
    if (n == 1).all():
        return wilson_interval(rate, count, level)
    worth = effective_tries(
        linear_variance(x - rate * n, count), rate * (1 - rate), count, len(x), level
    )
    return clopper_pearson_interval(rate, worth, level)


def linear_variance(deviations: Values, count: Values) -> Values:
    """Of a ratio whose clusters deviate by so much from what their size lets expect."""
    clusters = len(deviations)
    return np.asarray(clusters / (clusters - 1) * (deviations**2).sum(axis=0) / count**2)


def tango_interval(first: ArrayLike, second: ArrayLike, count: ArrayLike, level: float) -> Values:
    """Tango's score interval of a difference of two rates on the same items: low, high.

    >>> tango_interval(12, 2, 50, 0.95).round(4).tolist()
    [0.0611, 0.3447]

    Args:
        first: the items that only the first gets right, which need not be whole; one number or one
            for each pair, as the others are.
        second: those that only the second gets right.
        count: of all items.
        level: the level, such as 0.95.
    """
    return tango_bounds(first, second, count, _quantile(level))


def tango_bounds(first: ArrayLike, second: ArrayLike, count: ArrayLike, z: float) -> Values:
    """The same by the quantile of the normal distribution that belongs to the level."""
    b, c, n = np.broadcast_arrays(*(np.asarray(part, float) for part in (first, second, count)))

    def rejected(difference: Values, side: int) -> NDArray[np.bool_]:
        """Whether the score test rejects the differences that lie on one side."""
        room = difference * (1 - difference)
        middle = b + c - (2 * n - b + c) * difference
        only_second = (np.sqrt(np.maximum(middle**2 + 8 * n * c * room, 0.0)) + middle) / (4 * n)
        variance = np.maximum(n * (2 * only_second + room), 0.0)
        return np.asarray(side * (b - c - n * difference) > z * np.sqrt(variance) + 1e-12)

    bounds = []
    for side in (1, -1):
        inside, outside = (b - c) / n, np.full(b.shape, -float(side))
        for _ in range(60):
            middle = (inside + outside) / 2
            beyond = rejected(middle, side)
            inside, outside = np.where(beyond, inside, middle), np.where(beyond, middle, outside)
        bounds.append(np.where(np.abs(inside + side) < TIE_TOLERANCE, -side, inside))
    return np.stack(bounds)


def exact_bounds(first: float, second: float, count: float, alpha: float) -> Values:
    """Bounds that a paired difference of rates lies beyond in at most alpha of all cases, each.

    Of the items that one of the two gets right, Clopper and Pearson bound the first's share, and
    their share of all items: where the first's is one half, the difference is 0 whatever that is.
    """
    apart, level = first + second, 1 - 2 * alpha
    among = np.array([-1.0, 1.0])
    if apart:
        among = 2 * clopper_pearson_interval(first / apart, apart, level) - 1
    fewest, most = clopper_pearson_interval(apart / count, count, level)
    return np.asarray(np.where(among * [-1, 1] > 0, most, fewest) * among)


def exact_p(first: float, second: float, count: float, margin: float) -> float:
    """P of the hypothesis that the first rate is lower by the margin or more, by those bounds."""
    low, high = 0.0, 0.5
    if exact_bounds(first, second, count, high)[0] <= -margin:
        return 1.0
    for _ in range(60):
        middle = (low + high) / 2
        passes = exact_bounds(first, second, count, middle)[0] > -margin
        low, high = (low, middle) if passes else (middle, high)
    return high


# Rates of all systems by one metric, of their counts by unit, shaped (unit, system, 2).


def by_clusters(rows: Values) -> bool:
    """Whether units hold several items."""
    return bool((rows[..., 1] > 1).any())


def rate_interval(rows: Values, level: float) -> Values:
    """The interval of every system's rate: lows, highs."""
    successes, tries = rows[..., 0], rows[..., 1]
    if by_clusters(rows):
        return korn_graubard_interval(successes, tries, level)
    count = tries.sum(axis=0)
    return wilson_interval(successes.sum(axis=0) / count, count, level)


@dataclass(frozen=True, slots=True)
class PairedRates:
    """The items that one of two systems gets right, worth so many items that are independent."""

    first: Values
    second: Values
    count: Values

    @property
    def alone(self) -> tuple[float, float, float]:
        """Those of the first pair."""
        return float(self.first[0]), float(self.second[0]), float(self.count[0])

    @classmethod
    def of(
        cls, rows: Values, items: NDArray[Any], pairs: Sequence[tuple[int, int]], level: float
    ) -> PairedRates:
        """Those of all pairs.

        Args:
            rows: the counts by unit.
            items: those by item.
            pairs: the systems of each difference.
            level: of intervals, which decides what few clusters are worth.
        """
        left, right = np.array(pairs).T
        scores = items[..., 0]
        first, second = (
            np.array([np.count_nonzero(scores[:, a] > scores[:, b]) for a, b in each], dtype=float)
            for each in (pairs, [(b, a) for a, b in pairs])
        )
        count = rows[..., 1].sum(axis=0)[left].astype(np.float64)
        if not by_clusters(rows):
            return cls(first, second, count)
        lead = (first - second) / count
        gains = rows[:, left, 0] - rows[:, right, 0] - lead * rows[:, left, 1]
        alone = (first + second) / count - lead**2
        worth = effective_tries(linear_variance(gains, count), alone, count, len(rows), level)
        return cls(first * worth / count, second * worth / count, worth)
