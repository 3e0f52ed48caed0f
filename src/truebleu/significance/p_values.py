"""p-values of one difference, from the differences of replicates.

Differences are of a first system's score minus a second's, turned so that more is better; they are
shaped (replicate,) or (replicate, comparison), and the observed ones like one replicate. The
p-values have the shape of the observed.

The observed test set counts as one more replicate, p = (c + 1) / (R + 1), so that p is never 0
and the level holds exactly for any R (Riezler & Maxwell 2005, Figs. 1 and 2; Davison & Hinkley
1997, §4.2). Ties, and near-ties that differ by rounding only, count as extreme: a system against
its copy gets p = 1.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from truebleu._settings import ALTERNATIVES, Alternative, require_alpha, require_level
from truebleu.errors import SettingError, UnknownNameError
from truebleu.resampling import (
    TIE_TOLERANCE,
    Values,
    as_probabilities,
    as_replicates,
    as_values,
    beside,
    tie_margin,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def randomization_p(
    observed: ArrayLike,
    differences: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    exact: bool = False,
    scale: ArrayLike = 0.0,
) -> Values:
    """Approximate randomization (Riezler & Maxwell 2005, §4.1, Fig. 1).

    Assumes that, were the systems equal, either output of a unit might as well be the other
    system's, independently of the other units. It assumes nothing about how units were chosen.

    Args:
        observed: the difference on the test set itself.
        differences: the differences after random swaps.
        alternative: "greater" asks whether the first system is better, "less" whether worse.
        exact: the differences are those of all 2**units swaps, the empty one among them; then
            the share of the extreme ones is p itself, and nothing is added.
        scale: the size of the scores, to which rounding is relative; see `tie_margin`.
    """
    null = as_replicates("differences", differences)
    extreme = _extreme(beside(observed, null), null, alternative, scale)
    return extreme.mean(axis=0) if exact else _with_the_observed(extreme)


def fewest_units(alpha: float, alternative: Alternative = "two-sided") -> int:
    """The fewest units whose swaps can give a p-value of alpha or less.

    Of the 2**n swaps of n units that differ one is as extreme as none, or two in a two-sided test.

    >>> fewest_units(0.05), fewest_units(0.05, "greater")
    (6, 5)
    """
    return math.ceil(-math.log2(require_alpha(alpha))) + (alternative == "two-sided")


def shifted_bootstrap_p(
    observed: ArrayLike,
    differences: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    scale: ArrayLike = 0.0,
) -> Values:
    """The bootstrap's differences, shifted to where equal systems would have them.

    Assumes that the units are independent draws from one population, and that the distribution of
    the difference keeps its shape when it is moved to zero (Noreen 1989; Riezler & Maxwell 2005,
    §4.2). Unlike randomization, it does not assume that the systems vary equally.

    The observed difference is subtracted: d_b - d varies around zero as d does around the true
    difference (Hall & Wilson 1991, first guideline; Efron & Tibshirani 1993, §16.4). The mean of
    the replicates, Noreen's choice, removes from them a bias of small test sets that the observed
    difference still has. For mean scores the two are the same; for curved ones (roots,
    exponentials) two-sided rejection rates at .05 differed by about .01 at most in simulations.
    One-sided tests by a curved score stray with either when the systems vary unequally.
    """
    replicates = as_replicates("differences", differences)
    difference = beside(observed, replicates)
    # Rounding is relative to what was subtracted, not to what is left.
    size = np.maximum(np.abs(replicates).max(axis=0), scale)
    return _with_the_observed(_extreme(difference, replicates - difference, alternative, size))


def absolute_bootstrap_p(
    observed: ArrayLike,
    differences: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    scale: ArrayLike = 0.0,
) -> Values:
    """Riezler & Maxwell's Fig. 2, also in Moses and sacreBLEU: |d_b| - mean|d_b| against |d|.

    Where all d_b have the sign of d, this counts one tail only, so that p is half of what it should
    be: at .05 it rejects 10 to 12 % of true null hypotheses. For comparison only.
    """
    if alternative != "two-sided":
        raise SettingError("alternative", alternative, "'two-sided' with absolute differences")
    sizes = np.abs(as_replicates("differences", differences))
    difference = beside(observed, sizes)
    margin = tie_margin(difference, sizes, scale)
    return _with_the_observed(sizes - sizes.mean(axis=0) >= np.abs(difference) - margin)


def bootstrap_wins(differences: ArrayLike, *, scale: ArrayLike = 0.0) -> Values:
    """The share of the replicates in which the first system is better (Koehn 2004, §6).

    A tie is half a win, so that the shares of both systems add up to 1. Not a p-value: "better
    in 95 % of the replicates" is one-sided, and two-sided only 90 %.
    """
    replicates = as_replicates("differences", differences)
    margin = tie_margin(0.0, replicates, scale)
    better = (replicates > margin).mean(axis=0)
    worse = (replicates < -margin).mean(axis=0)
    return np.asarray((1 + better - worse) / 2)[()]


def non_inferiority_p(differences: ArrayLike, margin: float, *, scale: ArrayLike = 0.0) -> Values:
    """Test the hypothesis that the first system is worse than the second by the margin or more.

    The share of bootstrap replicates at or below -margin: p <= alpha when the percentile interval
    at the level 1 - 2 alpha lies above -margin, and the assumptions are that interval's. A
    margin of 0 asks for superiority, a negative one for superiority by that much.
    """
    replicates = as_replicates("differences", differences)
    bound = _finite_margin(margin)
    tie = tie_margin(bound, replicates, scale)
    return _with_the_observed(replicates <= -bound + tie)


def equivalence_p(differences: ArrayLike, margin: float, *, scale: ArrayLike = 0.0) -> Values:
    """Test the hypothesis that the systems differ by the margin or more.

    Two one-sided tests (Schuirmann 1987): the larger of the p-values for "worse by the margin" and
    "better by the margin". Both are at the full alpha, since only one hypothesis can be true.
    """
    if not _finite_margin(margin) > 0:
        raise SettingError("margin", margin, "a number above 0: the largest difference that counts")
    replicates = as_replicates("differences", differences)
    worse = non_inferiority_p(replicates, margin, scale=scale)
    better = non_inferiority_p(-replicates, margin, scale=scale)
    return np.maximum(worse, better)


def student_p(
    differences: ArrayLike,
    errors: ArrayLike,
    degrees: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    scale: ArrayLike = 0.0,
) -> Values:
    """p-values of differences over their standard errors, by Student's t.

    A difference without error is either none at all, p = 1, or certain, p = 0.

    >>> float(student_p(2.776, 1.0, 4).round(3))
    0.05

    Args:
        differences: turned so that more is better for the first system.
        errors: their standard errors.
        degrees: of freedom.
        alternative: as for `randomization_p`.
        scale: the size of the scores, to which rounding is relative.
    """
    from scipy.special import stdtr  # slow to import, and seldom needed

    if alternative not in ALTERNATIVES:
        raise UnknownNameError("alternative", alternative, ALTERNATIVES)
    difference, error = as_values("differences", differences), as_values("errors", errors)
    rounding = TIE_TOLERANCE * np.maximum(np.abs(difference), np.abs(scale))
    none = np.abs(difference) <= rounding
    certain = error <= rounding
    t = np.where(
        certain, np.where(none, 0.0, np.copysign(np.inf, difference)), difference
    ) / np.where(certain, 1.0, error)
    if alternative == "two-sided":
        p = 2 * stdtr(degrees, -np.abs(t))
    else:
        p = stdtr(degrees, t if alternative == "less" else -t)
    return np.asarray(np.where(certain & none, 1.0, p))[()]


def _extreme(
    observed: Values, null: Values, alternative: Alternative, scale: ArrayLike
) -> NDArray[np.bool_]:
    """Which of the null's differences are at least as extreme as the observed."""
    return _at_least(observed, null, alternative, tie_margin(observed, null, scale))


def extreme_counts(
    observed: Values, null: Values, alternative: Alternative, margin: Values
) -> NDArray[np.int64]:
    """How many of a block of the null's differences are at least as extreme as the observed.

    Args:
        observed: the difference of each comparison.
        null: shaped (replicate, comparison).
        alternative: as for `randomization_p`.
        margin: how far apart two differences may be and still tie.
    """
    reached = _at_least(observed, null, alternative, margin)
    return np.asarray(np.count_nonzero(reached, axis=0), dtype=np.int64)


def _at_least(
    observed: Values, null: Values, alternative: Alternative, margin: Values
) -> NDArray[np.bool_]:
    if alternative == "two-sided":
        return np.asarray(np.abs(null) >= np.abs(observed) - margin)
    if alternative == "greater":
        return np.asarray(null >= observed - margin)
    if alternative == "less":
        return np.asarray(null <= observed + margin)
    raise UnknownNameError("alternative", alternative, ALTERNATIVES)


def _with_the_observed(extreme: NDArray[np.bool_]) -> Values:
    """The share of the extreme, the observed counted as one of them."""
    return np.asarray((np.count_nonzero(extreme, axis=0) + 1) / (len(extreme) + 1))[()]


def _finite_margin(margin: float) -> float:
    if not math.isfinite(margin):
        raise SettingError("margin", margin, "a finite number")
    return float(margin)


# How sure a p-value is that was estimated from a limited number of replicates.


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
