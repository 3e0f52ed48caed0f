"""Tukey's and Scheffé's tests of all pairs, for metrics that are means of segment scores.

Riezler & Maxwell (2005, §4.4) name them for comparing many systems. The layout is a randomised
complete block design: every segment (block) is translated by every system (treatment), and a score
is a system's effect plus the segment's plus an error. Assumes independent normal errors of one
variance: no pair of systems varies more than another. SciPy has the distributions.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from truebleu.errors import MissingExtraError
from truebleu.inference.arguments import TIE_TOLERANCE, Values, as_matrix

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray


def tukey_p(segment_scores: ArrayLike) -> Values:
    """p-values of all pairs by Tukey's honestly significant difference, adjusted for all pairs.

    The largest of the m means differs from the smallest, in standard errors of one mean, as the
    studentised range does (Tukey 1953; Kirk 2013, ch. 8).

    Args:
        segment_scores: shaped (segment, system), at least two of each.

    Returns:
        A symmetric matrix (system, system) with ones on the diagonal.
    """
    try:
        from scipy.integrate import IntegrationWarning
        from scipy.stats import studentized_range
    except ImportError as error:
        raise MissingExtraError("Tukey's test", "stats") from error
    scores = as_matrix("segment_scores", segment_scores, "segment", "system")
    segments, systems = scores.shape

    def p_of(differences: Values, variance: float) -> Values:
        ranges = np.abs(differences) / np.sqrt(variance / segments)
        with warnings.catch_warnings():
            # Where p is almost 1 SciPy doubts its integral, which is right nevertheless.
            warnings.simplefilter("ignore", IntegrationWarning)
            return np.asarray(studentized_range.sf(ranges, systems, _degrees(scores)))

    return _all_pairs(scores, p_of)


def scheffe_p(segment_scores: ArrayLike) -> Values:
    """p-values of all pairs by Scheffé's method, adjusted for every contrast of the means.

    More cautious than Tukey's, since it also allows for comparisons of averages of systems: half
    the squared difference in squared standard errors, over m - 1, as F (Scheffé 1953).

    Args:
        segment_scores: shaped (segment, system), at least two of each.

    Returns:
        A symmetric matrix (system, system) with ones on the diagonal.
    """
    try:
        from scipy.stats import f
    except ImportError as error:
        raise MissingExtraError("Scheffé's test", "stats") from error
    scores = as_matrix("segment_scores", segment_scores, "segment", "system")
    segments, systems = scores.shape

    def p_of(differences: Values, variance: float) -> Values:
        ratios = differences**2 / (2 * variance / segments) / (systems - 1)
        return np.asarray(f.sf(ratios, systems - 1, _degrees(scores)))

    return _all_pairs(scores, p_of)


def error_variance(segment_scores: ArrayLike) -> float:
    """The mean square of what neither the segment nor the system explains."""
    scores = as_matrix("segment_scores", segment_scores, "segment", "system")
    rest = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    return float((rest**2).sum() / _degrees(scores))


def _degrees(scores: Values) -> int:
    segments, systems = scores.shape
    return int((segments - 1) * (systems - 1))


def _all_pairs(scores: Values, p_of: Callable[[Values, float], Values]) -> Values:
    """The matrix of p-values, from a function of the differences and the error's variance.

    Where systems differ by the same amount on every segment nothing is left to chance: p is 0, or
    1 if that amount is zero.
    """
    means = scores.mean(axis=0)
    above: tuple[NDArray[np.intp], ...] = np.triu_indices(len(means), k=1)
    differences = means[above[0]] - means[above[1]]
    variance = error_variance(scores)
    rounding = TIE_TOLERANCE * np.abs(scores).max()
    if variance > rounding**2:
        p = p_of(differences, variance)
    else:
        p = np.where(np.abs(differences) <= rounding, 1.0, 0.0)
    matrix = np.ones((len(means), len(means)))
    matrix[above] = matrix.T[above] = np.clip(p, 0, 1)
    return matrix
