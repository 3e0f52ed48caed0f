"""How sure a p-value is that was estimated from a limited number of replicates."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from truebleu.errors import SettingError
from truebleu.inference.arguments import Values, as_probabilities, require_alpha, require_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

# So seldom may a look at unfinished replicates mistake on which side of alpha p is.
CLEAR = 1 - 1e-3


def smallest_p(replicates: int) -> float:
    """The p-value when no replicate is extreme: 1 / (R + 1).

    >>> smallest_p(9_999)
    0.0001
    """
    return 1 / (_count(replicates) + 1)


def replicates_for(alpha: float) -> int:
    """The fewest replicates that can give a p-value of alpha or less.

    >>> replicates_for(0.05)
    19
    """
    return max(1, math.ceil(1 / require_alpha(alpha) - 1 - 1e-6))


def monte_carlo_error(p: ArrayLike, replicates: int) -> Values:
    """The standard error of p from this many replicates: sqrt(p (1 - p) / R).

    0 for p = 1, and of no use there or at the smallest p: `monte_carlo_interval` covers these.
    """
    share = as_probabilities("p", p)
    return np.asarray(np.sqrt(share * (1 - share) / _count(replicates)))[()]


def monte_carlo_interval(p: ArrayLike, replicates: int, confidence: float = CLEAR) -> Values:
    """Between which bounds p would lie with endless replicates: `low, high` (Wilson 1927).

    Corrections are monotone in every p-value: those of all lows and of all highs bound the
    corrected ones.
    """
    share = as_probabilities("p", p)
    count = _count(replicates)
    square = NormalDist().inv_cdf((1 - require_level(confidence)) / 2) ** 2
    centre = share + square / (2 * count)
    half = np.sqrt(square * (share * (1 - share) / count + square / (4 * count**2)))
    bounds = np.stack([centre - half, centre + half]) / (1 + square / count)
    return bounds.clip(0, 1)


def decision(low: float, high: float, alpha: float) -> bool | None:
    """Whether a p-value known to lie from low to high is significant; None if it may be either.

    >>> decision(0.01, 0.03, alpha=0.05), decision(0.06, 0.09, alpha=0.05)
    (True, False)
    >>> decision(0.04, 0.06, alpha=0.05) is None
    True
    """
    threshold = require_alpha(alpha)
    if high <= threshold:
        return True
    return False if low > threshold else None


def _count(replicates: int) -> int:
    if replicates < 1:
        raise SettingError("replicates", replicates, "a whole number of at least 1")
    return replicates
