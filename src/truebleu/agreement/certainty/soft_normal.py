"""Soft pairwise accuracy by the normal approximation, for the thousands that resampling needs.

The sum of n differences with random signs has mean 0, the sum of squared differences for variance,
and from some dozens of segments on about a normal distribution: the p-value of the paired
permutation test is then about 1 - Phi(sum d / sqrt(sum d^2)). Both sums are over segments, so that
nothing needs to be drawn. The value that is reported is of drawn signs (`soft_pairwise`); its
spread and the tests between metrics come from here.
"""

from __future__ import annotations

from itertools import combinations
from math import erfc
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.inference.arguments import Values


def paired_systems(rated: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The pairs of systems that share a rated segment, shaped (2, pair)."""
    shared = (rated @ rated.T).astype(np.bool_)
    pairs = [(a, b) for a, b in combinations(range(len(rated)), 2) if shared[a, b]]
    found: NDArray[np.intp] = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    return found


def normal_p(totals: Values, squares: Values) -> Values:
    """One-sided p-values from sums of differences and of their squares, of any shape.

    Small where the first system is better. Equal systems have p = 1: every sum of their
    differences is as large as the observed.
    """
    spread = np.sqrt(np.maximum(squares, 0.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.where(spread > 0, totals / spread, 0.0)
    return np.where(spread > 0, 0.5 * _erfc(z / np.sqrt(2)), 1.0)


def _erfc(x: Values) -> Values:
    """The complementary error function, which NumPy does not have."""
    return np.fromiter(map(erfc, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)
