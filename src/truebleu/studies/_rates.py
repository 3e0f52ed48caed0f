"""Rates and means over samples, with the error that they have by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truebleu.significance.intervals import student_quantile
from truebleu.significance.p_values import monte_carlo_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

# Many tests, levels and metrics are judged side by side: at 95 % every twentieth of them would be
# blamed for what was chance.
REJECTION_CONFIDENCE = 0.99


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something happened, as a share, with its 95 % interval."""

    value: float
    low: float
    high: float

    def holds(self, expected: float) -> bool:
        """Whether the expected share is within the error."""
        return self.low <= expected <= self.high

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f})"


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its 95 % error over independent samples; no error from a single one."""

    value: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """The mean of values; the error is Student's, that of a mean over so many."""
        array = np.asarray(values, dtype=np.float64)
        mean = float(array.mean())
        if len(array) < 2:
            return cls(mean, None, None)
        error = float(array.std(ddof=1)) / len(array) ** 0.5
        half = student_quantile(0.95, len(array) - 1) * error
        return cls(mean, mean - half, mean + half)

    def around(self, value: float) -> Mean:
        """The same error around another value."""
        if self.low is None or self.high is None:
            return Mean(value, None, None)
        return Mean(value, value + self.low - self.value, value + self.high - self.value)

    def negated(self) -> Mean:
        """The same with the other sign."""
        low = None if self.high is None else -self.high
        return Mean(-self.value, low, None if self.low is None else -self.low)

    def percent(self) -> str:
        """For a sentence: the share in percent, with the error where there is one."""
        if self.low is None or self.high is None:
            return f"{100 * self.value:.1f} %"
        return f"{100 * self.value:.1f} % (error {100 * self.low:.1f} to {100 * self.high:.1f})"


def binomial_rate(hits: int, trials: int) -> Rate:
    """A share of independent trials, with its binomial interval (Wilson 1927)."""
    return _rate(hits / trials, trials)


def rejection_rate(rejections: int, trials: int) -> Rate:
    """The same with an interval of 99 %, for rates of which many are judged side by side."""
    value = rejections / trials
    low, high = monte_carlo_interval(value, trials, REJECTION_CONFIDENCE)
    return Rate(value, float(low), float(high))


def clustered_rate(hits: ArrayLike) -> Rate:
    """A share of hits, shaped (sample, anything), where only samples are independent.

    All systems and pairs are tested on the same samples, so their hits are correlated.
    """
    array = np.asarray(hits, dtype=np.float64)
    by_sample = array.reshape(len(array), -1)
    totals = np.full(len(by_sample), by_sample.shape[1])
    return ratio_rate(by_sample.sum(axis=1), totals)


def ratio_rate(hits: ArrayLike, totals: ArrayLike) -> Rate:
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
    return _rate(share, max(1, round(equivalent)))


def _rate(value: float, trials: int) -> Rate:
    low, high = (float(bound) for bound in monte_carlo_interval(value, trials, 0.95))
    # At 0 and 1 the bound is the share itself, but for rounding.
    return Rate(value, min(low, value), max(high, value))
