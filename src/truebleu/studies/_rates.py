"""Shares of repetitions: how often something happened, and how sure that share is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truebleu.significance.p_values import monte_carlo_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95 % interval."""

    value: float
    low: float
    high: float

    def holds(self, expected: float) -> bool:
        """Whether the expected share is within the error."""
        return self.low <= expected <= self.high

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f})"


def share_of(hits: int, repetitions: int) -> Share:
    """A share of independent repetitions, with its binomial interval (Wilson 1927)."""
    return _share(hits / repetitions, repetitions)


def share_of_clusters(hits: ArrayLike) -> Share:
    """A share of hits, shaped (sample, anything), where only samples are independent.

    All systems and pairs are judged on the same samples, so that their hits go together.
    """
    array = np.asarray(hits, dtype=np.float64)
    by_sample = array.reshape(len(array), -1)
    totals = np.full(len(by_sample), by_sample.shape[1])
    return share_of_uneven_clusters(by_sample.sum(axis=1), totals)


def share_of_uneven_clusters(hits: ArrayLike, totals: ArrayLike) -> Share:
    """A share of hits in trials, of which every sample has some, many or none; shaped (sample,).

    The variance of the share is that of a ratio of two sums over independent samples (Cochran
    1977, §6.4). The interval is Wilson's of as many independent trials as would vary as much, and
    of no more than there are. Where all trials hit, or none does, the samples show no variance:
    then they count as one trial each.
    """
    hit, total = np.asarray(hits, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    hit, total = hit[total > 0], total[total > 0]
    count, trials = len(total), float(total.sum())
    share = float(hit.sum()) / trials
    equivalent = float(count)
    if count > 1 and 0 < share < 1:
        residuals = hit - share * total
        variance = float(residuals @ residuals) * count / (count - 1) / trials**2
        equivalent = min(trials, share * (1 - share) / variance) if variance > 0 else trials
    return _share(share, max(1, round(equivalent)))


def _share(value: float, trials: int) -> Share:
    low, high = (float(bound) for bound in monte_carlo_interval(value, trials, 0.95))
    # At 0 and 1 the bound is the share itself, but for rounding.
    return Share(value, min(low, value), max(high, value))
