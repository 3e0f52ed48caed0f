"""The permutation test of two metrics on the outcomes of pairs, for accuracy with ties.

As in the WMT metrics tasks since 2023 (Deutsch, Foster & Freitag 2023): each metric gets its tie
threshold once; then a pair of cells is right or wrong by each metric, and every draw exchanges the
two outcomes of each pair by a fair coin. Only pairs that one metric alone has right matter. Where
all groups weigh their pairs alike this is a sign test, whose p-value is exact: with a pairs that
only metric 2 has right and b that only metric 1 has, P(Binomial(a + b, 1/2) >= a). Otherwise pairs
of groups of different sizes differ in weight, and exchanges are drawn.

Assumes that pairs are independent, which pairs that share an output are not, and takes the
thresholds for given. So it rejects too often, the more so the larger the groups: in simulations of
equally good metrics at .05, 6 % of the time with 4 systems, 12 % with 8 and 16 % with 15.
`exchange_test`, which assumes neither, rejected 3 to 5 % of the time.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import numpy as np

from truebleu import _core
from truebleu.agreement.certainty.permutation import DRAWS, MetricTest
from truebleu.agreement.measures.coefficients import coefficient
from truebleu.agreement.measures.grouping import Measure
from truebleu.agreement.measures.measuring import measure_cells
from truebleu.agreement.measures.pairs import (
    Grouping,
    as_cells,
    require_grouping,
    require_tie_threshold,
)
from truebleu.agreement.measures.ties import calibrate_cells
from truebleu.errors import UnknownNameError
from truebleu.inference.p_values import ALTERNATIVES, Alternative, randomization_p
from truebleu.seeds import DEFAULT_SEED, require_replicates, require_seed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from truebleu.inference.arguments import Values


def pair_outcome_test(
    human: ArrayLike,
    metric1: ArrayLike,
    metric2: ArrayLike,
    *,
    grouping: Grouping = "item",
    micro: bool = False,
    epsilons: tuple[float, float] | None = None,
    alternative: Alternative = "greater",
    draws: int = DRAWS,
    seed: int = DEFAULT_SEED,
) -> MetricTest:
    """Test two metrics' accuracy with ties by exchanging outcomes of pairs.

    tau-eq, which is twice the accuracy less 1, has the same p-value.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated.
        metric1: the first metric's scores, shaped alike; higher is better.
        metric2: the second metric's.
        grouping: which cells make pairs: those of an item, of a system, or all.
        micro: groups count by their cells instead of alike.
        epsilons: the tie thresholds of both; calibrated where they are not given.
        alternative: "greater" for metric 2 being better, "less" for metric 1, or "two-sided".
        draws: exchanges, where the p-value is not exact.
        seed: of the draws.
    """
    require_replicates("draws", draws)
    require_seed(seed)
    if alternative not in ALTERNATIVES:
        raise UnknownNameError("alternative", alternative, ALTERNATIVES)
    require_grouping(grouping)
    (ratings, first), (_, second) = as_cells(human, metric1), as_cells(human, metric2)
    thresholds = [
        _threshold(ratings, one, grouping, micro, given)
        for one, given in zip((first, second), epsilons or (None, None), strict=True)
    ]
    values = [
        _accuracy(ratings, one, grouping, micro, threshold)
        for one, threshold in zip((first, second), thresholds, strict=True)
    ]
    outcomes = _core.pair_outcomes(
        ratings,
        np.stack([first, second]),
        grouping=grouping,
        epsilons=(thresholds[0], thresholds[1]),
    )
    return _result(values, outcomes, micro=micro, alternative=alternative, draws=draws, seed=seed)


def _threshold(
    human: Values, metric: Values, grouping: Grouping, micro: bool, given: float | None
) -> float:
    """The tie threshold that was given, or the calibrated one; 0 where there is no pair."""
    if given is not None:
        return require_tie_threshold(given, "epsilons")
    found = calibrate_cells(human, metric, grouping=grouping, micro=micro)
    return 0.0 if found is None else found.epsilon


def _accuracy(
    human: Values, metric: Values, grouping: Grouping, micro: bool, threshold: float
) -> float | None:
    by = Measure(
        coefficient=coefficient("acc-eq", epsilon=threshold),
        grouping=grouping,
        average="micro" if micro else "macro",
    )
    return measure_cells(human, metric, by).value


def _result(
    values: list[float | None],
    outcomes: list[tuple[int, int, int, int]],
    *,
    micro: bool,
    alternative: Alternative,
    draws: int,
    seed: int,
) -> MetricTest:
    """The test, from outcomes by size of group: cells, groups, right by one metric alone."""
    value1, value2 = values
    p: float | None = None
    exact, reason = True, None
    differing = [one for one in outcomes if one[2] + one[3] > 0]
    if value1 is None or value2 is None:
        reason = "no two cells of a group are rated"
    elif not differing:
        p, reason = 1.0, "both metrics have the same pairs right: there is nothing to test"
    elif len(differing) == 1:
        _, _, only1, only2 = differing[0]
        p = sign_test(only1, only2, alternative)
    else:
        exact = False
        p = _weighted_p(differing, micro=micro, alternative=alternative, draws=draws, seed=seed)
    return MetricTest(
        value1=value1,
        value2=value2,
        difference=None if value1 is None or value2 is None else value2 - value1,
        p=p,
        reason=reason,
        alternative=alternative,
        form="pairs",
        draws=0 if exact else draws,
        exact=exact,
        undefined=0,
        seed=seed,
    )


def sign_test(losses: int, wins: int, alternative: Alternative = "greater") -> float:
    """The exact p-value of so many wins among wins and losses that are equally likely.

    >>> sign_test(1, 3), sign_test(3, 1), sign_test(1, 3, "two-sided")
    (0.3125, 0.9375, 0.625)
    """
    if alternative == "greater":
        return binomial_upper_tail(wins + losses, wins)
    if alternative == "less":
        return binomial_upper_tail(wins + losses, losses)
    return min(1.0, 2 * binomial_upper_tail(wins + losses, max(wins, losses)))


def binomial_upper_tail(coins: int, heads: int) -> float:
    """The probability that at least so many of fair coins show heads.

    Terms are multiplied up from the largest one, so that even a million coins cost no digits; what
    is too small for a float is the smallest one, since no outcome is impossible.

    >>> binomial_upper_tail(4, 3)
    0.3125
    """
    if heads <= 0:
        return 1.0
    middle = coins // 2
    upward = np.arange(middle, coins, dtype=np.float64)
    # C(n, k + 1) / C(n, k) = (n - k) / (k + 1), relative to the middle term.
    above = np.concatenate([[1.0], np.cumprod((coins - upward) / (upward + 1))])
    downward = np.arange(middle, 0, -1, dtype=np.float64)
    below = np.cumprod(downward / (coins - downward + 1))
    total = math.fsum(above) + math.fsum(below)
    if heads <= middle:
        tail = 1 - math.fsum(below[middle - heads :]) / total
    else:
        tail = math.fsum(above[heads - middle :]) / total
    return max(tail, sys.float_info.min)


def _weighted_p(
    outcomes: list[tuple[int, int, int, int]],
    *,
    micro: bool,
    alternative: Alternative,
    draws: int,
    seed: int,
) -> float:
    """The p-value by random exchanges, where pairs weigh differently.

    Of n pairs of one weight that a single metric has right, a random number go to metric 2.
    """
    pairs = np.array([cells * (cells - 1) / 2 for cells, *_ in outcomes])
    cells = np.array([cells for cells, *_ in outcomes], dtype=np.float64)
    weights: Values = (cells if micro else np.ones_like(cells)) / pairs
    only1, only2 = (np.array([one[column] for one in outcomes]) for column in (2, 3))
    coins = only1 + only2
    heads = _core.heads(coins.tolist(), first=0, draws=draws, seed=seed)
    differences = (2.0 * heads - coins) @ weights
    observed = float((only2 - only1) @ weights)
    return float(randomization_p(observed, differences, alternative))
