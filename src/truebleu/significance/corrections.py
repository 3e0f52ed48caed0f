"""Corrections for many comparisons: adjusted p-values, compared with alpha as they are.

Bonferroni, Holm and Westfall-Young bound the probability of any false rejection; Benjamini-Hochberg
bounds the expected share of false rejections among all rejections. Bonferroni and Holm assume
nothing about how the comparisons depend on one another; Benjamini-Hochberg assumes independence or
positive dependence, which comparisons of the same systems need not have; Westfall-Young takes the
dependence from the replicates.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from truebleu.errors import SettingError, UnknownNameError
from truebleu.resampling import (
    TIE_TOLERANCE,
    Values,
    as_matrix,
    as_observed,
    as_probabilities,
    as_replicates,
    as_scale,
)
from truebleu.schema import ALTERNATIVES, MOST, Alternative, require_alpha, require_whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "CORRECTIONS",
    "Correction",
    "adjust",
    "experimentwise_error",
    "scheffe_p",
    "tukey_p",
    "westfall_young",
]


# Holm's correction of more comparisons (of some 45 systems) takes more than 80,000 replicates.
LARGEST_HOLM_FAMILY = 1000

#: Input of a correction: p-values alone, the replicates they come from, or segment scores.
Basis = Literal["p-values", "replicates", "segment scores"]


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction for many comparisons by one metric.

    Attributes:
        name: name in settings and options.
        title: name in sentences, as in "by Holm's correction".
        short_title: name in cells of tables.
        assumption: assumption under which the correction keeps its error rate.
        basis: input of the correction.
        adjust: function that returns adjusted p-values: from ascending p-values, before they are
            cut at 1; from observed differences and differences of equal systems, as `step_down`;
            or from segment scores, as `tukey_p`.
        half_width: function of segment scores and a level that returns the half-width of the
            correction's simultaneous intervals of differences, or None.
        alphas: function of the number of rejections, the number of comparisons and alpha that
            returns each comparison's own alpha, in the order of ascending p; see
            `adjusted_alphas`. None unless the basis is p-values.
    """

    name: str
    title: str
    short_title: str
    assumption: str
    adjust: Callable[..., Values]
    basis: Basis = "p-values"
    half_width: Callable[[ArrayLike, float], float] | None = None
    alphas: Callable[[int, int, float], Values | float] | None = None

    @property
    def assumes_nothing(self) -> bool:
        """True if the correction holds for any dependence between the comparisons."""
        return self.assumption == _NOTHING


def experimentwise_error(alpha: float, comparisons: int) -> float:
    """Compute the probability of any uncorrected rejection of independent true null hypotheses.

    1 - (1 - alpha)**k (Riezler & Maxwell 2005, §4.4, after Cohen 1995), for 15 systems:

    >>> round(experimentwise_error(0.05, 15 * 14 // 2), 4)
    0.9954
    """
    count = require_whole_number("comparisons", comparisons, 0, MOST)
    return float(-np.expm1(count * np.log1p(-require_alpha(alpha))))


def adjust(p_values: ArrayLike, method: str) -> Values:
    """Adjust p-values for multiple comparisons, keeping their order.

    >>> adjust([0.01, 0.04, 0.03], "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    if method not in P_VALUE_CORRECTIONS:
        raise UnknownNameError("correction", method, P_VALUE_CORRECTIONS)
    raw = as_probabilities("p_values", p_values)
    if raw.ndim != 1:
        raise SettingError("p_values", raw.shape, "one p-value per comparison")
    order = np.argsort(raw, kind="stable")
    adjusted = np.empty_like(raw)
    adjusted[order] = np.minimum(CORRECTIONS[method].adjust(raw[order]), 1)
    return adjusted


def adjusted_alphas(p_values: Values, adjusted: Values, method: str, alpha: float) -> Values:
    """Return the alpha at which each single comparison is rejected exactly if its adjusted p is.

    An interval that inverts the test of a comparison at this alpha excludes 0 exactly if the
    comparison is significant after the correction. It covers at least at the level, alone and not
    simultaneously. By Holm's method, the i-th of k rejections among m comparisons has
    alpha / (m - i + 1), and the others have alpha / (m - k).

    Args:
        p_values: p-value of each comparison.
        adjusted: p-values after the correction.
        method: name of the correction.
        alpha: significance level.

    >>> adjusted_alphas(np.array([0.01, 0.2]), np.array([0.02, 0.2]), "holm", 0.05).tolist()
    [0.025, 0.05]
    """
    rejected = adjusted <= alpha
    count, comparisons = int(rejected.sum()), len(p_values)
    correction = CORRECTIONS[method]
    if correction.basis == "segment scores" or comparisons == 0:
        return np.full(comparisons, alpha)
    order = np.lexsort((p_values, adjusted))
    alphas = np.empty(comparisons)
    if correction.alphas is not None:
        # Rounding must not lift a level above alpha.
        alphas[order] = np.minimum(correction.alphas(count, comparisons, alpha), alpha)
    else:
        # The factor by which the correction raises the p-value that comes next.
        following = order[min(count, comparisons - 1)]
        alphas[:] = alpha * p_values[following] / adjusted[following]
    return np.where(
        rejected, np.maximum(alphas, p_values), np.minimum(alphas, np.nextafter(p_values, 0))
    )


def smallest_factor(method: str, comparisons: int, *, only_one: bool = True) -> float:
    """Return the factor by which a correction raises the smallest p-value.

    1 for corrections that raise no p-values but look at replicates or segment scores.

    Args:
        method: name of the correction.
        comparisons: number of comparisons.
        only_one: True if no other comparison is significant; else all p-values are that small.

    >>> smallest_factor("holm", 780), smallest_factor("westfall-young", 780)
    (780.0, 1.0)
    >>> smallest_factor("bh", 780), smallest_factor("bh", 780, only_one=False)
    (780.0, 1.0)
    """
    if method not in P_VALUE_CORRECTIONS:
        return 1.0
    tiny = 1e-12 / comparisons
    p_values = np.ones(comparisons) if only_one else np.full(comparisons, tiny)
    p_values[0] = tiny
    return round(float(adjust(p_values, method)[0] / tiny), 6)


def default_correction(comparisons: int) -> str:
    """Return Holm's correction, or for very large families Westfall and Young's.

    Westfall and Young's needs no more replicates for more comparisons.

    >>> default_correction(780), default_correction(4950)
    ('holm', 'westfall-young')
    """
    return "holm" if comparisons <= LARGEST_HOLM_FAMILY else "westfall-young"


def westfall_young(
    observed: ArrayLike,
    null_differences: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    exact: bool = False,
    scale: ArrayLike = 0.0,
) -> Values:
    """Adjust p-values by the step-down maximum (Westfall & Young 1993, Alg. 4.1).

    Each comparison is adjusted for the largest of itself and all less extreme comparisons in the
    same replicates, so that strongly correlated comparisons cost little. Differences are divided
    by their null standard deviation, so that one noisy pair does not hide the others.

    Assumes what the single test assumes, and that the joint null distribution of some comparisons
    does not depend on whether the other comparisons are truly null (subset pivotality). Subset
    pivotality holds for pairs, because the replicates of a pair depend on its two systems only.

    Args:
        observed: difference of each comparison.
        null_differences: differences shaped (replicate, comparison), either after random swaps
            that all comparisons share, or bootstrap differences minus the observed.
        alternative: alternative of the single test.
        exact: True if the replicates are all swaps; see `randomization_p`.
        scale: size of the scores, to which rounding is relative.
    """
    null = as_replicates("null_differences", null_differences)
    if null.ndim != 2:
        raise SettingError("null_differences", null.shape, "shape (replicate, comparison)")
    difference = as_observed(observed, null)
    blocks = NullBlocks(lambda: (null,))
    return step_down(difference, blocks, alternative, exact=exact, scale=scale)


@dataclass(frozen=True, slots=True)
class NullBlocks:
    """Differences of equal systems on all replicates, recomputed block by block.

    Attributes:
        blocks: function that recomputes all differences, in blocks shaped (replicate, comparison).
    """

    blocks: Callable[[], Iterable[Values]]

    def spread(self) -> tuple[Values, Values]:
        """Return each comparison's standard deviation and largest absolute difference."""
        count, total, squares, largest = 0, 0.0, 0.0, 0.0
        for null in self.blocks():
            count += len(null)
            total = total + null.sum(axis=0)
            squares = squares + np.einsum("ij,ij->j", null, null)
            largest = np.maximum(largest, np.abs(null).max(axis=0))
        return deviation(count, np.asarray(total), np.asarray(squares)), np.asarray(largest)

    def count(
        self, factors: Values, alternative: Alternative, order: NDArray[np.intp], thresholds: Values
    ) -> tuple[NDArray[np.int64], int]:
        """Count the replicates whose step-down maximum reaches each threshold.

        The step-down maximum of a comparison is the largest difference of this comparison and the
        comparisons after it. Also returns the number of replicates.

        Args:
            factors: factor of each comparison's differences.
            alternative: side on which differences are extreme.
            order: order of the comparisons from the most extreme down; `thresholds` and the counts
                have this order.
            thresholds: observed statistics.
        """
        extreme, count = np.zeros(len(order), dtype=np.int64), 0
        for null in self.blocks():
            replicates = extremeness(null * factors, alternative)[:, order[::-1]]
            np.maximum.accumulate(replicates, axis=1, out=replicates)
            extreme += np.count_nonzero(replicates[:, ::-1] >= thresholds, axis=0)
            count += len(null)
        return extreme, count


def deviation(count: int, total: Values, squares: Values) -> Values:
    """Compute the standard deviation of `count` numbers from their sum and sum of squares."""
    mean = total / count
    return np.sqrt(np.maximum(squares / count - mean**2, 0.0))


def step_down(
    observed: Values,
    null: NullBlocks,
    alternative: Alternative = "two-sided",
    *,
    exact: bool = False,
    scale: ArrayLike = 0.0,
) -> Values:
    """Adjust p-values by the step-down maximum, recomputing null replicates block by block.

    The first pass estimates the standard deviation of each comparison, the second counts the
    replicates whose maxima reach the observed statistics. See `westfall_young`.
    """
    spread, largest = null.spread()
    largest = np.maximum(largest, np.abs(observed))
    margin = TIE_TOLERANCE * np.maximum(largest, as_scale(scale, largest))
    # If the null of a comparison does not vary, its statistic is 0 without a difference, and
    # infinite with a difference, which no replicate can reach.
    constant = spread <= margin
    divisor = np.where(constant, 1.0, spread)
    certain = np.where(np.abs(observed) <= margin, 0.0, np.copysign(np.inf, observed))
    statistics = extremeness(np.where(constant, certain, observed / divisor), alternative)
    order = np.argsort(-statistics, kind="stable")
    thresholds = (statistics * (1 - TIE_TOLERANCE * np.sign(statistics)))[order]
    factor = np.where(constant, 0.0, 1.0 / divisor)
    extreme, count = null.count(factor, alternative, order, thresholds)
    shares = extreme / count if exact else (extreme + 1) / (count + 1)
    adjusted = np.empty_like(observed)
    adjusted[order] = np.maximum.accumulate(shares)
    return adjusted


def extremeness(differences: Values, alternative: Alternative) -> Values:
    """Return the size of differences, or in a one-sided test the differences in its direction."""
    if alternative == "two-sided":
        return np.abs(differences)
    if alternative == "greater":
        return differences
    if alternative == "less":
        return -differences
    raise UnknownNameError("alternative", alternative, ALTERNATIVES)


# Adjustments of ascending p-values, before they are cut at 1.


def _none(p: Values) -> Values:
    return p


def _bonferroni(p: Values) -> Values:
    return p * len(p)


def _holm(p: Values) -> Values:
    """Step down from the smallest p, times the number still to be tested (Holm 1979)."""
    return np.maximum.accumulate(p * np.arange(len(p), 0, -1))


def _benjamini_hochberg(p: Values) -> Values:
    """Step up, each p times the number of tests over its rank (Benjamini & Hochberg 1995)."""
    scaled = p * len(p) / np.arange(1, len(p) + 1)
    return np.minimum.accumulate(scaled[::-1])[::-1]


def _holm_alphas(rejected: int, comparisons: int, alpha: float) -> Values:
    steps = np.minimum(np.arange(comparisons), rejected)
    return np.asarray(alpha / np.maximum(comparisons - steps, 1))


def _benjamini_hochberg_alphas(rejected: int, comparisons: int, alpha: float) -> Values:
    """Return the levels of Benjamini and Yekutieli (2005), which bound the false coverage rate."""
    ranks = np.where(np.arange(comparisons) < rejected, rejected, rejected + 1)
    return alpha * ranks / comparisons


# Tukey's and Scheffé's tests of all pairs, for metrics that are means of segment scores.
#
# Riezler & Maxwell (2005, §4.4) name them for comparing many systems. The layout is a randomised
# complete block design: every segment (block) is translated by every system (treatment), and a
# score is a system's effect plus the segment's plus an error. Assumes independent normal errors
# of one variance: no pair of systems varies more than another. SciPy has the distributions.


def tukey_p(segment_scores: ArrayLike) -> Values:
    """Compute p-values of all pairs by Tukey's honestly significant difference, adjusted.

    The largest of the m means minus the smallest, in standard errors of one mean, has the
    studentised range distribution (Tukey 1953; Kirk 2013, ch. 8).

    Args:
        segment_scores: scores shaped (segment, system), at least two of each.

    Returns:
        A symmetric matrix (system, system) with ones on the diagonal.
    """
    from scipy.integrate import IntegrationWarning
    from scipy.stats import studentized_range

    scores, segments, systems, degrees = _design(segment_scores)

    def p_of(differences: Values, variance: float) -> Values:
        ranges = np.abs(differences) / np.sqrt(variance / segments)
        with warnings.catch_warnings():
            # If p is almost 1, SciPy warns about its integral, which is correct nevertheless.
            warnings.simplefilter("ignore", IntegrationWarning)
            return np.asarray(studentized_range.sf(ranges, systems, degrees))

    return _all_pairs(scores, p_of)


def scheffe_p(segment_scores: ArrayLike) -> Values:
    """Compute p-values of all pairs by Scheffé's method, adjusted for every contrast of the means.

    More conservative than Tukey's, since it also allows for comparisons of averages of systems:
    half the squared difference in squared standard errors, over m - 1, has an F distribution
    (Scheffé 1953). Takes and returns what `tukey_p` does.
    """
    from scipy.stats import f

    scores, segments, systems, degrees = _design(segment_scores)

    def p_of(differences: Values, variance: float) -> Values:
        ratios = differences**2 / (2 * variance / segments) / (systems - 1)
        return np.asarray(f.sf(ratios, systems - 1, degrees))

    return _all_pairs(scores, p_of)


def tukey_half_width(segment_scores: ArrayLike, level: float) -> float:
    """Compute the half-width of Tukey's simultaneous intervals of differences."""
    from scipy.stats import studentized_range

    scores, segments, systems, degrees = _design(segment_scores)
    critical = float(studentized_range.ppf(level, systems, degrees))
    return critical * float(np.sqrt(error_variance(scores) / segments))


def scheffe_half_width(segment_scores: ArrayLike, level: float) -> float:
    """Compute the half-width of Scheffé's simultaneous intervals, valid for every contrast."""
    from scipy.stats import f

    scores, segments, systems, degrees = _design(segment_scores)
    critical = (systems - 1) * float(f.ppf(level, systems - 1, degrees))
    return float(np.sqrt(critical * 2 * error_variance(scores) / segments))


def error_variance(segment_scores: ArrayLike) -> float:
    """Compute the residual mean square of the two-way layout of segments and systems."""
    scores, _, _, degrees = _design(segment_scores)
    residuals = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    return float((residuals**2).sum() / degrees)


def _design(segment_scores: ArrayLike) -> tuple[Values, int, int, int]:
    """Return checked scores, the numbers of segments and systems, and the error's degrees."""
    scores = as_matrix("segment_scores", segment_scores, "segment", "system")
    segments, systems = scores.shape
    return scores, segments, systems, (segments - 1) * (systems - 1)


def _all_pairs(scores: Values, p_of: Callable[[Values, float], Values]) -> Values:
    """Return the matrix of p-values, from a function of the differences and the error variance.

    If all systems differ by constant amounts on every segment, there is no error: p is 0, or 1 for
    systems with equal scores.
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


# The table of corrections.

_NOTHING = "nothing about how the comparisons depend on one another"
_POSITIVE = "independent comparisons, or positively dependent ones"
_NORMAL = "segment scores with independent normal errors of one variance"

#: All corrections by name; a new one is an entry here.
CORRECTIONS: Mapping[str, Correction] = {
    correction.name: correction
    for correction in (
        Correction(
            "none",
            "no correction",
            "none",
            "that there is one comparison",
            _none,
            alphas=lambda _, __, alpha: alpha,
        ),
        Correction(
            "bonferroni",
            "Bonferroni's correction",
            "Bonferroni",
            _NOTHING,
            _bonferroni,
            alphas=lambda _, comparisons, alpha: alpha / comparisons,
        ),
        Correction("holm", "Holm's correction", "Holm", _NOTHING, _holm, alphas=_holm_alphas),
        Correction(
            "bh",
            "Benjamini and Hochberg's correction",
            "Benjamini-Hochberg",
            _POSITIVE,
            _benjamini_hochberg,
            alphas=_benjamini_hochberg_alphas,
        ),
        Correction(
            "westfall-young",
            "Westfall and Young's correction",
            "Westfall-Young",
            "that some comparisons vary alike whether or not the others are null",
            step_down,
            "replicates",
        ),
        Correction(
            "tukey",
            "Tukey's honest significance test",
            "Tukey",
            _NORMAL,
            tukey_p,
            "segment scores",
            tukey_half_width,
        ),
        Correction(
            "scheffe",
            "Scheffé's test",
            "Scheffé",
            _NORMAL,
            scheffe_p,
            "segment scores",
            scheffe_half_width,
        ),
    )
}
#: Names of the corrections that need nothing but p-values.
P_VALUE_CORRECTIONS = tuple(
    name for name, correction in CORRECTIONS.items() if correction.basis == "p-values"
)
