"""Tests of significance: the table of tests, and the p-values that they give.

A test says where its replicates come from and which p-value they give. All pairs of systems by all
metrics share the same replicates.

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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

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
from truebleu.significance.optimizer_runs import two_way_p, two_way_reach
from truebleu.significance.rates import wilson_interval
from truebleu.significance.statistics import bootstrap_scores, swap_blocks, swap_ratios, swap_scales

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.significance.statistics import Pair, Progress, UnitCounts

__all__ = [
    "TESTS",
    "SignificanceTest",
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
    extreme = _extreme(as_observed(observed, null), null, alternative, scale)
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
    difference = as_observed(observed, replicates)
    # Rounding is relative to what was subtracted, not to what is left.
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
    """Riezler & Maxwell's Fig. 2, also in Moses and sacreBLEU: `|d_b|` less its mean against `|d|`.

    Where all d_b have the sign of d, this counts one tail only, so that p is half of what it should
    be: at .05 it rejects 10 to 13 % of true null hypotheses. For comparison only.
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
    """The share of replicates in which the system that is mostly better is not (Koehn 2004, §6).

    Koehn calls a system better that is so in 95 % of the replicates: this is at most 5 % there.
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
    """At most alpha where the percentile interval at 1 - alpha leaves out 0 (Zhang & Vogel)."""
    return np.minimum(2 * wins_p(observed, differences, alternative, scale=scale), 1.0)


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


def _extreme(
    observed: Values, null: Values, alternative: Alternative, scale: ArrayLike
) -> NDArray[np.bool_]:
    """Which of the null's differences are at least as extreme as the observed."""
    margin = tie_margin(observed, null, scale)
    return extremeness(null, alternative) >= extremeness(observed, alternative) - margin


def _with_the_observed(extreme: NDArray[np.bool_]) -> Values:
    """The share of the extreme, the observed counted as one of them."""
    return np.asarray((np.count_nonzero(extreme, axis=0) + 1) / (len(extreme) + 1))[()]


# Intervals that agree with a test: the differences that it does not reject. A hypothesis is
# rejected where fewer than so many replicates are as far from it as the observed difference.


def rejecting(replicates: int, alpha: float, *, exact: bool = False) -> int:
    """The smallest number of extreme replicates that leaves a hypothesis standing.

    0 where no number rejects it: there are too few replicates.

    >>> rejecting(9_999, 0.05), rejecting(2**6, 0.05, exact=True), rejecting(10, 0.05)
    (500, 4, 0)
    """
    share = replicates if exact else replicates + 1
    rank = math.floor(require_alpha(alpha) * share)
    # As p is compared: 0.1 * 10 may be a little less than 1, and 1 / 10 is not above 0.1.
    rank += (rank + 1) / share <= alpha
    rank -= rank / share > alpha
    return rank + 1 if exact else rank


def shifted_reach(
    observed: Values, differences: Values, alternative: Alternative, rank: int
) -> Values:
    """How far an interval reaches below and above, that the shifted bootstrap does not reject.

    The replicates' differences from the observed do not depend on the hypothesis. One-sided, each
    end is that of the test in its direction: `basic_interval` at twice the distance from 1.
    """
    null = differences - observed
    if alternative == "two-sided":
        return np.stack([_largest(np.abs(null), rank)] * 2)
    return np.stack([_largest(null, rank), _largest(-null, rank)])


def absolute_reach(
    _observed: Values, differences: Values, _alternative: Alternative, rank: int
) -> Values:
    """The same of `absolute_bootstrap_p`, with the sizes that it compares the difference with."""
    sizes = np.abs(differences)
    return np.stack([_largest(sizes - sizes.mean(axis=0), rank)] * 2)


def percentile_reach(
    observed: Values, differences: Values, _alternative: Alternative, rank: int
) -> Values:
    """The same of `wins_p`: percentiles with so many replicates beyond either end."""
    moved = differences - observed
    return np.stack([_largest(-moved, rank), _largest(moved, rank)])


def half_percentile_reach(
    observed: Values, differences: Values, alternative: Alternative, rank: int
) -> Values:
    """The same of `interval_p`: with half as many."""
    if rank < 2:
        return np.full((2, *observed.shape), np.inf)
    return percentile_reach(observed, differences, alternative, rank // 2)


def _largest(values: Values, rank: int) -> Values:
    """The value of this rank in each column, from the largest down."""
    return np.asarray(np.partition(values, len(values) - rank, axis=0)[len(values) - rank])


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
    return wilson_interval(share, count, confidence)


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
    return require_whole_number("replicates", replicates, 1, MOST)


# The tests.


def _not_by_swaps(*_: object) -> Values:
    raise AssertionError("the swaps of pairs are tallied")


#: What a test's p-values come from: outputs swapped at random, test sets drawn with replacement, or
#: without replicates the variance over segments and optimizer runs.
Source = Literal["swaps", "bootstrap", "runs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignificanceTest:
    """A test of the hypothesis that two systems are equally good.

    Attributes:
        name: what settings and options call it.
        title: what people call it.
        origin: where it is described, or who does it so.
        source: what its replicates are, or that it needs none.
        p_value: a function of the observed differences, the replicates', the alternative and the
            keyword `scale`, as `randomization_p`; of swaps it also takes `exact`. Of runs, a
            function of the statistics, the pairs and the alternative, as `two_way_p`.
        reach: how far the interval of a difference reaches below and above it, that holds all that
            the test does not reject: a function of the bootstrap's differences, as `shifted_reach`,
            or of the statistics of runs, as `two_way_reach`. Swaps are counted instead.
        null: a function of the observed and the replicates' differences that gives those of equal
            systems, for corrections that look at replicates; None where there is none.
        scaled: whether swaps that vary less than samples are scaled up to their variance.
        alternatives: those that can be tested.
        caution: what a reader of its p-values must know.
        counts_wins: whether it decides by the share of replicates in which a system is better.
    """

    name: str
    title: str
    origin: str
    source: Source
    p_value: Callable[..., Values]
    reach: Callable[..., Values] = _not_by_swaps
    null: Callable[[Values, Values], Values] | None = None
    scaled: bool = False
    alternatives: tuple[Alternative, ...] = ALTERNATIVES
    caution: str | None = None
    counts_wins: bool = False

    def p_values(
        self,
        observed: Values,
        differences: Values,
        alternative: Alternative = "two-sided",
        *,
        exact: bool = False,
        scale: float = 0.0,
    ) -> Values:
        """The p-value of each comparison; more must be better for the first system.

        Args:
            observed: the difference of each comparison.
            differences: those of the replicates, shaped (replicate, comparison).
            alternative: what is tested against.
            exact: the replicates are all swaps there are.
            scale: the size of the scores, to which rounding is relative.
        """
        enumerated = {"exact": True} if exact else {}
        return self.p_value(observed, differences, alternative, scale=scale, **enumerated)

    def differences(
        self,
        statistics: Sequence[UnitCounts],
        pairs: Sequence[Pair],
        *,
        replicates: int,
        seed: int,
        first: int = 0,
        progress: Progress | None = None,
    ) -> tuple[list[Values], bool]:
        """By metric the replicates' differences, and whether these are of all swaps there are.

        Differences are shaped (replicate, pair). Rows of the statistics are what is swapped or
        drawn; all swaps are made where these are no more than was asked for.
        """
        units = len(statistics[0].rows)
        if self.source == "swaps":
            swaps = Swaps(replicates=replicates, seed=seed)
            exact = swaps.enumerates(units)
            start = 0 if exact else first
            blocks: list[list[Values]] = [[] for _ in statistics]
            for place, block, _ in swap_blocks(statistics, pairs, swaps, progress, first=start):
                blocks[place].append(block)
            swapped = [np.concatenate(of_metric) for of_metric in blocks]
            if self.scaled and not exact:
                scales = [swap_scales(swap_ratios(metric, pairs)) for metric in statistics]
                swapped = [part * scale for part, scale in zip(swapped, scales, strict=True)]
            return swapped, exact
        left, right = np.array(pairs).T
        bootstrap = Bootstrap(replicates=replicates, seed=seed)
        drawn = bootstrap_scores(
            statistics, Units.segments(units), bootstrap, progress, first=first
        )
        return [scores[:, left] - scores[:, right] for scores in drawn], False


def _around_zero(_observed: Values, differences: Values) -> Values:
    return differences


def _shifted(observed: Values, differences: Values) -> Values:
    return differences - observed


#: All tests by name; a new one is an entry here.
TESTS: Mapping[str, SignificanceTest] = {
    test.name: test
    for test in (
        SignificanceTest(
            name="ar",
            title="approximate randomization",
            origin="Riezler & Maxwell 2005, Fig. 1",
            source="swaps",
            p_value=randomization_p,
            null=_around_zero,
        ),
        SignificanceTest(
            name="scaled",
            title="scaled approximate randomization",
            origin="after Janssen 1997; Chung & Romano 2013",
            source="swaps",
            p_value=randomization_p,
            null=_around_zero,
            scaled=True,
        ),
        SignificanceTest(
            name="bootstrap",
            title="shifted bootstrap",
            origin="Hall & Wilson 1991",
            source="bootstrap",
            p_value=shifted_bootstrap_p,
            reach=shifted_reach,
            null=_shifted,
        ),
        SignificanceTest(
            name="bootstrap-absolute",
            title="bootstrap of absolute differences",
            origin="Riezler & Maxwell 2005, Fig. 2; sacreBLEU",
            source="bootstrap",
            p_value=absolute_bootstrap_p,
            reach=absolute_reach,
            alternatives=("two-sided",),
            caution="it centres absolute differences, and so rejects too often",
        ),
        SignificanceTest(
            name="wins",
            title="paired bootstrap by wins",
            origin="Koehn 2004, §6",
            source="bootstrap",
            p_value=wins_p,
            reach=percentile_reach,
            alternatives=("two-sided",),
            caution="by 95 % of the replicates it calls equal systems different in 9 to 11 % of "
            "all cases, and its interval is a 90 % one",
            counts_wins=True,
        ),
        SignificanceTest(
            name="interval",
            title="bootstrap interval of the difference",
            origin="Zhang & Vogel 2004, §3.2",
            source="bootstrap",
            p_value=interval_p,
            reach=half_percentile_reach,
            alternatives=("two-sided",),
            caution="at 95 % it calls equal systems different in 4 to 7 % of all cases with 500 "
            "segments, and in more with fewer",
        ),
        SignificanceTest(
            name="two-way",
            title="two-way t test",
            origin="Satterthwaite 1946; Welch 1947",
            source="runs",
            p_value=two_way_p,
            reach=two_way_reach,
        ),
    )
}


def find_test(name: str) -> SignificanceTest:
    """The test of this name.

    >>> find_test("ar").title
    'approximate randomization'
    """
    if name not in TESTS:
        raise UnknownNameError("test", name, tuple(TESTS))
    return TESTS[name]


def fewest_replicates(correction: str, comparisons: int, alpha: float) -> int:
    """The fewest replicates of which one clear difference can be significant, corrected.

    >>> fewest_replicates("holm", 780, 0.05), fewest_replicates("none", 780, 0.05)
    (15599, 19)
    """
    return replicates_for(alpha / smallest_factor(correction, comparisons))


def default_replicates(correction: str, comparisons: int, alpha: float) -> int:
    """How many replicates a test makes for so many comparisons unless you say otherwise.

    At least 10,000, and four times what one clear difference needs to be significant.

    >>> default_replicates("holm", 1, 0.05), default_replicates("holm", 780, 0.05)
    (10000, 62400)
    """
    return max(DEFAULT_REPLICATES, math.ceil(4 * smallest_factor(correction, comparisons) / alpha))
