"""Tests of significance: the table of tests, and their p-values.

A test says where its replicates come from and which p-value they give. All pairs of systems by all
metrics share the same replicates.

A difference is a first system's score minus a second's, negated if lower is better. Differences are
shaped (replicate,) or (replicate, comparison), observed differences like one replicate, and
p-values like the observed differences.

The observed test set counts as one more replicate, p = (c + 1) / (R + 1), so that p is never 0
and the level holds exactly for any R (Riezler & Maxwell 2005, Figs. 1 and 2; Davison & Hinkley
1997, §4.2). Ties, and near-ties that differ by rounding only, count as extreme: a system against
its copy gets p = 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np

from truebleu import _core
from truebleu.errors import SettingError, UnknownNameError
from truebleu.resampling import (
    Bootstrap,
    Swaps,
    Units,
    Values,
    as_observed,
    as_probabilities,
    as_replicates,
    as_scale,
    tie_margin,
)
from truebleu.schema import (
    ALTERNATIVES,
    DEFAULT_REPLICATES,
    MOST,
    Alternative,
    require_alpha,
    require_whole_number,
)
from truebleu.significance.corrections import extremeness, smallest_factor
from truebleu.significance.optimizer_runs import two_way_half_widths, two_way_p
from truebleu.significance.rates import wilson_interval
from truebleu.significance.replicates import bootstrap_scores, swap_blocks, swap_ratios

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.significance.unit_counts import Pair, UnitCounts

__all__ = [
    "TESTS",
    "BootstrapTest",
    "RunsTest",
    "SignificanceTest",
    "SwapTest",
    "absolute_bootstrap_p",
    "bootstrap_wins",
    "fewest_units",
    "find_test",
    "monte_carlo_error",
    "monte_carlo_interval",
    "randomization_p",
    "shifted_bootstrap_p",
    "smallest_p",
]


def randomization_p(
    observed: ArrayLike,
    differences: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    exact: bool = False,
    scale: ArrayLike = 0.0,
) -> Values:
    """Return p by approximate randomization (Riezler & Maxwell 2005, §4.1, Fig. 1).

    Assumes that, were the systems equal, the two outputs of each unit would be exchangeable,
    independently of the other units. It assumes nothing about how units were chosen.

    Args:
        observed: difference on the test set itself.
        differences: differences after random swaps.
        alternative: "greater" asks whether the first system is better, "less" whether worse.
        exact: True if the differences are after all 2**units swaps, including the empty one; the
            share of extreme differences is then p itself, and nothing is added.
        scale: size of the scores, to which rounding is relative; see `tie_margin`.
    """
    null = as_replicates("differences", differences)
    extreme = _extreme(as_observed(observed, null), null, alternative, scale)
    return extreme.mean(axis=0) if exact else _with_the_observed(extreme)


def fewest_units(alpha: float, alternative: Alternative = "two-sided") -> int:
    """Return the smallest number of units whose swaps can give a p-value of alpha or less.

    Among the 2**n swaps of n differing units, one is as extreme as the observed difference, or two
    in a two-sided test.

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
    """Return p by the bootstrap's differences, shifted by the observed difference.

    Assumes that the units are independent draws from one population, and that the distribution of
    the difference keeps its shape when it is shifted to zero (Noreen 1989; Riezler & Maxwell 2005,
    §4.2). Unlike randomization, it does not assume that the systems vary equally.

    The observed difference is subtracted: d_b - d varies around zero as d does around the true
    difference (Hall & Wilson 1991, first guideline; Efron & Tibshirani 1993, §16.4). The mean of
    the replicates, Noreen's choice, removes from them a bias of small test sets that the observed
    difference still has. For mean scores the two are the same; for nonlinear ones
    (roots, exponentials) two-sided rejection rates at .05 differed by about .01 at most in
    simulations.
    One-sided tests by a nonlinear score stray with either when the systems vary unequally.
    """
    replicates = as_replicates("differences", differences)
    difference = as_observed(observed, replicates)
    # Rounding is relative to the size before the subtraction.
    largest = np.abs(replicates).max(axis=0)
    size = np.maximum(largest, as_scale(scale, largest))
    return _with_the_observed(_extreme(difference, replicates - difference, alternative, size))


def absolute_bootstrap_p(
    observed: ArrayLike,
    differences: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    scale: ArrayLike = 0.0,
) -> Values:
    """Return p by comparing `|d_b|` less its mean with `|d|` (Riezler & Maxwell 2005, Fig. 2).

    Moses and sacreBLEU do so too. If all d_b have the sign of d, this counts one tail only, so that
    p is half of what it should be: at .05 it rejects 10 to 13 % of true null hypotheses. For
    comparison only.
    """
    if alternative != "two-sided":
        raise SettingError("alternative", alternative, "'two-sided' with absolute differences")
    sizes = np.abs(as_replicates("differences", differences))
    difference = as_observed(observed, sizes)
    margin = tie_margin(difference, sizes, scale)
    return _with_the_observed(sizes - sizes.mean(axis=0) >= np.abs(difference) - margin)


def wins_p(
    _observed: ArrayLike,
    differences: ArrayLike,
    _alternative: Alternative = "two-sided",
    *,
    scale: ArrayLike = 0.0,
) -> Values:
    """Return the share of replicates that the system with most wins does not win (Koehn 2004, §6).

    Koehn calls a system better if it wins 95 % of the replicates: this share is then at most 5 %.
    """
    replicates = as_replicates("differences", differences)
    margin = tie_margin(0.0, replicates, scale)
    return np.minimum(
        _with_the_observed(replicates <= margin), _with_the_observed(replicates >= -margin)
    )


def interval_p(
    observed: ArrayLike,
    differences: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    scale: ArrayLike = 0.0,
) -> Values:
    """Return a p at most alpha if the percentile interval at 1 - alpha omits 0 (Zhang & Vogel)."""
    return np.minimum(2 * wins_p(observed, differences, alternative, scale=scale), 1.0)


def bootstrap_wins(differences: ArrayLike, *, scale: ArrayLike = 0.0) -> Values:
    """Return the share of the replicates in which the first system is better (Koehn 2004, §6).

    A tie is half a win, so that the shares of both systems add up to 1. Not a p-value: "better
    in 95 % of the replicates" is one-sided, and two-sided only 90 %.
    """
    replicates = as_replicates("differences", differences)
    margin = tie_margin(0.0, replicates, scale)
    better = (replicates > margin).mean(axis=0)
    worse = (replicates < -margin).mean(axis=0)
    return np.asarray((1 + better - worse) / 2)[()]


def _extreme(
    observed: Values, null: Values, alternative: Alternative, scale: ArrayLike
) -> NDArray[np.bool_]:
    """Return which of the null differences are at least as extreme as the observed one."""
    margin = tie_margin(observed, null, scale)
    return extremeness(null, alternative) >= extremeness(observed, alternative) - margin


def _with_the_observed(extreme: NDArray[np.bool_]) -> Values:
    """Return the share of extreme replicates, counting the observed test set as one of them."""
    return np.asarray((np.count_nonzero(extreme, axis=0) + 1) / (len(extreme) + 1))[()]


# Half-widths of the interval that inverts a test, below and above the observed difference: it
# contains the differences at which at least `rank` replicates are extreme.


def shifted_half_widths(
    observed: Values, differences: Values, alternative: Alternative, rank: int
) -> Values:
    """Return the half-widths of the interval that inverts `shifted_bootstrap_p`.

    The replicates' deviations from the observed difference do not depend on the hypothesis. Each
    end of a one-sided test is from the test in its direction.
    """
    null = differences - observed
    if alternative == "two-sided":
        return np.stack([_largest(np.abs(null), rank)] * 2)
    return np.stack([_largest(null, rank), _largest(-null, rank)])


def absolute_half_widths(
    _observed: Values, differences: Values, _alternative: Alternative, rank: int
) -> Values:
    """Return the half-widths of the interval that inverts `absolute_bootstrap_p`."""
    sizes = np.abs(differences)
    return np.stack([_largest(sizes - sizes.mean(axis=0), rank)] * 2)


def wins_half_widths(
    observed: Values, differences: Values, _alternative: Alternative, rank: int
) -> Values:
    """Return the half-widths of the percentile interval that inverts `wins_p`."""
    shifted = differences - observed
    return np.stack([_largest(-shifted, rank), _largest(shifted, rank)])


def interval_half_widths(
    observed: Values, differences: Values, alternative: Alternative, rank: int
) -> Values:
    """Return the half-widths of the percentile interval that inverts `interval_p`."""
    if rank < 2:
        return np.full((2, *observed.shape), np.inf)
    return wins_half_widths(observed, differences, alternative, rank // 2)


def _largest(values: Values, rank: int) -> Values:
    """Return the `rank`-th largest value of each column."""
    return np.asarray(np.partition(values, len(values) - rank, axis=0)[len(values) - rank])


# Monte-Carlo error of p-values that are estimated from a finite number of replicates.


# Confidence at which a Monte-Carlo interval must exclude alpha before replicates stop.
CLEAR = 1 - 1e-3


def smallest_p(replicates: int) -> float:
    """Return the p-value if no replicate is extreme: 1 / (R + 1).

    >>> smallest_p(9_999)
    0.0001
    """
    return 1 / (_count(replicates) + 1)


def replicates_for(alpha: float) -> int:
    """Return the smallest number of replicates that can give a p-value of alpha or less.

    >>> replicates_for(0.05)
    19
    """
    return max(1, math.ceil(1 / require_alpha(alpha) - 1 - 1e-6))


def monte_carlo_error(p: ArrayLike, replicates: int) -> Values:
    """Compute the standard error of p from `replicates` replicates: sqrt(p (1 - p) / R).

    Useless at p = 1, as the error is 0 there, and at the smallest p: see `monte_carlo_interval`.
    """
    share = as_probabilities("p", p)
    return np.asarray(np.sqrt(share * (1 - share) / _count(replicates)))[()]


def monte_carlo_interval(p: ArrayLike, replicates: int, confidence: float = CLEAR) -> Values:
    """Return bounds of p with infinitely many replicates: `low, high` (Wilson 1927).

    Corrections are monotone in every p-value: corrected lows and highs bound corrected p-values.
    """
    share = as_probabilities("p", p)
    count = _count(replicates)
    return wilson_interval(share, count, confidence)


def decision(low: float, high: float, alpha: float) -> bool | None:
    """Return whether a p-value between low and high is significant, or None if undecided.

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
    return require_whole_number("replicates", replicates, 1, MOST)


# The tests.


#: Source of p-values: outputs swapped at random, test sets drawn with replacement, or without
#: replicates the variance over segments and optimizer runs.
Source = Literal["swaps", "bootstrap", "runs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignificanceTest:
    """A test of the hypothesis that two systems are equally good.

    Attributes:
        name: name in settings and options.
        title: name in reports.
        origin: publication or tool with this test.
        alternatives: alternatives that it can test.
        caution: caveat about the p-values, or None.
        null: function of the observed and the replicates' differences that returns differences of
            equal systems, as some corrections need, or None.
    """

    name: str
    title: str
    origin: str
    alternatives: tuple[Alternative, ...] = ALTERNATIVES
    caution: str | None = None
    null: Callable[[Values, Values], Values] | None = None
    source: ClassVar[Source]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicateTest(SignificanceTest):
    """A test by the differences of replicates.

    Attributes:
        p_value: function that returns p-values from the observed differences, the replicates'
            differences, the alternative and the keyword `scale`.
    """

    p_value: Callable[..., Values]

    def p_values(
        self,
        observed: Values,
        differences: Values,
        alternative: Alternative = "two-sided",
        *,
        exact: bool = False,
        scale: float = 0.0,
    ) -> Values:
        """Return the p-value of each comparison; `exact` if the replicates are all swaps."""
        exhaustive = {"exact": True} if exact else {}
        return self.p_value(observed, differences, alternative, scale=scale, **exhaustive)

    def differences(
        self,
        statistics: UnitCounts,
        pairs: Sequence[Pair],
        *,
        replicates: int,
        seed: int,
        first: int = 0,
    ) -> tuple[Values, bool]:
        """Return the replicates' differences, shaped (replicate, pair), and True if exhaustive.

        All possible swaps are made if they are no more than the replicates.
        """
        if not isinstance(self, SwapTest):
            bootstrap = Bootstrap(replicates=replicates, seed=seed)
            units = Units.segments(statistics.units)
            (scores,) = bootstrap_scores([statistics], units, bootstrap, first=first)
            left, right = np.array(pairs).T
            return scores[:, left] - scores[:, right], False
        swaps = Swaps(replicates=replicates, seed=seed)
        exact = swaps.enumerates(statistics.units)
        blocks = swap_blocks([statistics], pairs, swaps, first=0 if exact else first)
        differences = np.concatenate([block for _, block, _ in blocks])
        if self.scaled and not exact:
            differences *= _core.swap_scales(swap_ratios(statistics, pairs))
        return differences, exact


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapTest(ReplicateTest):
    """A test by random swaps of the systems' outputs, see `randomization_p`.

    Attributes:
        scaled: True if swaps that vary less than samples are scaled up to their variance.
    """

    p_value: Callable[..., Values] = randomization_p
    null: Callable[[Values, Values], Values] | None = lambda _observed, differences: differences
    scaled: bool = False
    source: ClassVar[Source] = "swaps"


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapTest(ReplicateTest):
    """A test by test sets resampled with replacement.

    Attributes:
        half_widths: function of the observed differences, the replicates' differences, the
            alternative and the critical rank that returns the half-widths of the interval that
            inverts the test.
        counts_wins: True if the test decides by the share of replicates that a system wins.
    """

    half_widths: Callable[[Values, Values, Alternative, int], Values]
    counts_wins: bool = False
    source: ClassVar[Source] = "bootstrap"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsTest(SignificanceTest):
    """A test by the variance over segments and optimizer runs, without replicates.

    Attributes:
        p_values: function of the statistics, the pairs and the alternative that returns p-values.
        half_widths: function of the statistics, the pairs, the alternative and the significance
            level that returns the half-widths of the intervals that invert the test.
    """

    p_values: Callable[[UnitCounts, Sequence[Pair], Alternative], Values]
    half_widths: Callable[[UnitCounts, Sequence[Pair], Alternative, float], Values]
    source: ClassVar[Source] = "runs"


AnyTest: TypeAlias = "SwapTest | BootstrapTest | RunsTest"

#: All tests by name; a new one is an entry here.
TESTS: Mapping[str, AnyTest] = {
    test.name: test
    for test in (
        SwapTest(
            name="ar",
            title="approximate randomization",
            origin="Riezler & Maxwell 2005, Fig. 1",
        ),
        SwapTest(
            name="scaled",
            title="scaled approximate randomization",
            origin="after Janssen 1997; Chung & Romano 2013",
            scaled=True,
        ),
        BootstrapTest(
            name="bootstrap",
            title="shifted bootstrap",
            origin="Hall & Wilson 1991",
            p_value=shifted_bootstrap_p,
            half_widths=shifted_half_widths,
            null=lambda observed, differences: differences - observed,
        ),
        BootstrapTest(
            name="bootstrap-absolute",
            title="bootstrap of absolute differences",
            origin="Riezler & Maxwell 2005, Fig. 2; sacreBLEU",
            p_value=absolute_bootstrap_p,
            half_widths=absolute_half_widths,
            alternatives=("two-sided",),
            caution="it centres absolute differences, and so rejects too often",
        ),
        BootstrapTest(
            name="wins",
            title="paired bootstrap by wins",
            origin="Koehn 2004, §6",
            p_value=wins_p,
            half_widths=wins_half_widths,
            alternatives=("two-sided",),
            caution="by 95 % of the replicates it calls equal systems different in 9 to 11 % of "
            "all cases, and its interval is a 90 % one",
            counts_wins=True,
        ),
        BootstrapTest(
            name="interval",
            title="bootstrap interval of the difference",
            origin="Zhang & Vogel 2004, §3.2",
            p_value=interval_p,
            half_widths=interval_half_widths,
            alternatives=("two-sided",),
            caution="at 95 % it calls equal systems different in 4 to 7 % of all cases with 500 "
            "segments, and in more with fewer",
        ),
        RunsTest(
            name="two-way",
            title="two-way t test",
            origin="Satterthwaite 1946; Welch 1947",
            p_values=two_way_p,
            half_widths=two_way_half_widths,
        ),
    )
}
#: Tests whose p-values come from replicates.
REPLICATE_TESTS: Mapping[str, SwapTest | BootstrapTest] = {
    name: test for name, test in TESTS.items() if not isinstance(test, RunsTest)
}


def find_test(name: str) -> AnyTest:
    """Return the test of this name; raises UnknownNameError.

    >>> find_test("ar").title
    'approximate randomization'
    """
    if name not in TESTS:
        raise UnknownNameError("test", name, tuple(TESTS))
    return TESTS[name]


def fewest_replicates(correction: str, comparisons: int, alpha: float) -> int:
    """Return the smallest number of replicates for one clear difference to be significant.

    Its p-value is corrected for the number of comparisons.

    >>> fewest_replicates("holm", 780, 0.05), fewest_replicates("none", 780, 0.05)
    (15599, 19)
    """
    return replicates_for(alpha / smallest_factor(correction, comparisons))


def default_replicates(correction: str, comparisons: int, alpha: float) -> int:
    """Return the default number of replicates of a test for a number of comparisons.

    At least 10,000, and at least four times the number with which one clear difference can be
    significant.

    >>> default_replicates("holm", 1, 0.05), default_replicates("holm", 780, 0.05)
    (10000, 62400)
    """
    return max(DEFAULT_REPLICATES, math.ceil(4 * smallest_factor(correction, comparisons) / alpha))
