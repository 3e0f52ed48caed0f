"""Permutation tests of two metrics: does the one agree better with people than the other?

PERM-BOTH (Deutsch, Dror & Roth 2021): were the metrics equally good, either score of a cell might
as well be the other metric's. Both are standardised over the rated cells, so that their scores can
be exchanged; every draw exchanges each cell by a fair coin, and both hybrids are evaluated anew,
their tie threshold calibrated anew too. With difference = value 2 - value 1, p is the share of
draws whose difference is no less than the observed, the observed counted as one more draw so that p
is never 0. Where all 2**cells exchanges are no more than the draws asked for, as at system level,
they are all made, and p is exact with nothing added.

Assumes that, under the null hypothesis, the scores of a cell are exchangeable, independently of the
other cells. It says whether metrics differ on these systems and segments, not on others: the cells
are not resampled.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

import numpy as np

from truebleu import _core
from truebleu._seeds import DEFAULT_SEED, require_replicates, require_seed
from truebleu.agreement.bootstrap import (
    Over,
    Replicates,
    SegmentStatistics,
    bootstrap_system_agreement,
    require_over,
    units_of_segments,
)
from truebleu.agreement.coefficients import (
    FORMULAS,
    Grouping,
    Measure,
    as_cells,
    coefficient,
    from_classes,
    measure_by,
    rated_cells,
    require_grouping,
    require_tie_threshold,
)
from truebleu.agreement.judgments import Judgments, count_judgments_by_item, judged_value
from truebleu.agreement.measures import measure_cells
from truebleu.agreement.soft_pairwise import normal_p, paired_signs, paired_systems, soft_accuracies
from truebleu.agreement.ties import calibrate_cells
from truebleu.errors import MissingExtraError, SettingError, UnknownNameError
from truebleu.resampling import Bootstrap, Swaps
from truebleu.significance.p_values import ALTERNATIVES, Alternative, randomization_p, smallest_p

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.agreement.agree import AgreeSettings
    from truebleu.agreement.coefficients import Coefficient
    from truebleu.agreement.judgments import Judgments
    from truebleu.significance._checks import Values

#: "scores" exchanges the scores of cells, "pairs" the outcomes of pairs of cells.
Form = Literal["scores", "pairs"]
FORMS: tuple[Form, ...] = get_args(Form)
DRAWS = 10_000
# Standardised scores closer than this are the same but for rounding.
ROUNDING = 1e-12
# Draws of exchanges whose hybrids are tested together, so that memory stays bounded.
HYBRIDS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricTest:
    """Whether metric 2 agrees better with people than metric 1.

    Attributes:
        value1: how well metric 1 agrees; None where that is undefined.
        value2: how well metric 2 does.
        difference: value 2 minus value 1.
        p: the p-value of the alternative; None where a value is undefined.
        reason: why there is no p-value, or what makes the test an empty one.
        alternative: "greater" asks whether metric 2 is better, "less" whether metric 1 is.
        form: "scores" where scores were exchanged, "pairs" where outcomes of pairs were.
        draws: how many exchanges were made.
        exact: no chance is in p: all exchanges were made, or their distribution is known.
        undefined: draws in which a hybrid has no value, counted as if it were as large a
            difference as the observed.
        seed: of the draws.
    """

    value1: float | None
    value2: float | None
    difference: float | None
    p: float | None
    reason: str | None
    alternative: Alternative
    form: Form
    draws: int
    exact: bool
    undefined: int
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def exchange_test(
    human: ArrayLike,
    metric1: ArrayLike,
    metric2: ArrayLike,
    by: Measure,
    *,
    alternative: Alternative = "greater",
    draws: int = DRAWS,
    seed: int = DEFAULT_SEED,
) -> MetricTest:
    """Test two metrics by exchanging their scores.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated; or one per system.
        metric1: the first metric's scores, shaped alike; higher is better.
        metric2: the second metric's.
        by: the measure of agreement. Its tie threshold must be 0 or calibrated, since a threshold
            has the unit of one metric.
        alternative: "greater" for metric 2 being better, "less" for metric 1, or "two-sided".
        draws: exchanges; all of them are made where they are no more than these.
        seed: of the draws.
    """
    require_replicates("draws", draws)
    require_seed(seed)
    if by.coefficient.epsilon and not by.coefficient.calibrated:
        expected = "0 or 'calibrated': exchanged scores are standardised and have no unit"
        raise SettingError("epsilon", by.coefficient.epsilon, expected)
    (ratings, first), (_, second) = as_cells(human, metric1), as_cells(human, metric2)
    values = [measure_cells(ratings, one, by).value for one in (first, second)]
    cells = int(rated_cells(ratings).sum())
    exact = _enumerates(cells, draws)
    metrics = np.stack(_exchangeable(first, second, ratings))

    def hybrids(count: int, *, enumerated: bool) -> Values:
        return _core.hybrid_values(
            ratings,
            metrics,
            **by.native,
            first=0,
            draws=count,
            seed=None if enumerated else seed,
        )

    # Exchanging nothing: the observed values as the kernel of the draws has them.
    observed = hybrids(1, enumerated=True)[0]
    null = hybrids(2**cells if exact else draws, enumerated=exact)
    return _result(values, observed, null, alternative=alternative, exact=exact, seed=seed)


def soft_pairwise_test(
    human: ArrayLike,
    metric1: ArrayLike,
    metric2: ArrayLike,
    *,
    alternative: Alternative = "greater",
    draws: int = 1000,
    sign_draws: int = 1000,
    seed: int = DEFAULT_SEED,
) -> MetricTest:
    """Test whether two metrics differ in soft pairwise accuracy, by exchanging segment scores.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated.
        metric1: the first metric's segment scores, shaped alike.
        metric2: the second metric's.
        alternative: "greater" for metric 2 being better, "less" for metric 1, or "two-sided".
        draws: exchanges of scores.
        sign_draws: draws of signs for the p-values of which each hybrid's accuracy is made.
        seed: of both.
    """
    require_replicates("draws", draws)
    (ratings, first), (_, second) = as_cells(human, metric1), as_cells(human, metric2)
    rated = rated_cells(ratings)
    people = np.where(rated, ratings, 0.0)
    first, second = standardised(first, ratings), standardised(second, ratings)
    swaps = Swaps(replicates=sign_draws, seed=seed)

    def accuracies(matrices: list[Values]) -> list[float | None]:
        found = paired_signs(np.stack([people, *matrices]), rated, swaps)
        return soft_accuracies(found.p_values[0], found.p_values[1:])

    values = accuracies([first, second])
    if None in values:
        return _undefined(values, alternative, seed)
    null: list[float | None] = []
    for start in range(0, draws, HYBRIDS):
        count = min(HYBRIDS, draws - start)
        coins = _core.exchanged_cells(rated.size, first=start, draws=count, seed=seed)
        hybrids: list[Values] = []
        for coin in coins.reshape(count, *rated.shape):
            hybrids += [np.where(coin, second, first), np.where(coin, first, second)]
        null += accuracies(hybrids)
    pairs = np.array(null, dtype=np.float64).reshape(draws, 2)
    observed = np.array(values, dtype=np.float64)
    return _result(values, observed, pairs, alternative=alternative, exact=False, seed=seed)


def standardised(metric: Values, human: Values) -> Values:
    """The metric with mean 0 and standard deviation 1 over rated cells; constant ones become 0."""
    rated = rated_cells(human)
    kept = metric[rated]
    if kept.size == 0 or (kept == kept[0]).all():
        return np.zeros_like(metric)
    return np.where(rated, (metric - kept.mean()) / kept.std(), 0.0)


def _exchangeable(first: Values, second: Values, human: Values) -> tuple[Values, Values]:
    """Both metrics standardised, scores that are equal but for rounding made equal.

    Ties of one metric must stay ties in hybrids: the same metric in another unit, such as percent,
    differs from it in the last digits of its standardised scores only.
    """
    one, other = standardised(first, human), standardised(second, human)
    known = np.unique(one)
    if known.size:
        after = np.searchsorted(known, other).clip(1, max(known.size - 1, 1))
        below, above = known[after - 1], known[np.minimum(after, known.size - 1)]
        nearest = np.where(other - below <= above - other, below, above)
        other = np.where(np.abs(other - nearest) <= ROUNDING, nearest, other)
    return one, other


def _enumerates(cells: int, draws: int) -> bool:
    """Whether all exchanges are no more than the draws asked for."""
    return cells < 63 and 2**cells <= draws


def _result(
    values: list[float | None],
    observed: Values,
    null: Values,
    *,
    alternative: Alternative,
    exact: bool,
    seed: int,
) -> MetricTest:
    """The test, from the observed values and those of hybrids, shaped (draw, 2)."""
    value1, value2 = values
    if value1 is None or value2 is None:
        return _undefined(values, alternative, seed)
    difference = float(observed[1] - observed[0])
    differences = null[:, 1] - null[:, 0]
    lacking: NDArray[np.bool_] = np.isnan(differences)
    differences = np.where(lacking, difference, differences)
    # Equal differences of quotients differ in their last digits; coefficients have the scale 1.
    p = randomization_p(difference, differences, alternative, exact=exact, scale=1.0)
    return MetricTest(
        value1=value1,
        value2=value2,
        difference=value2 - value1,
        p=float(p),
        reason=None,
        alternative=alternative,
        form="scores",
        draws=len(null),
        exact=exact,
        undefined=int(lacking.sum()),
        seed=seed,
    )


def _undefined(values: list[float | None], alternative: Alternative, seed: int) -> MetricTest:
    lacking = " and ".join(f"metric {n}" for n, value in enumerate(values, 1) if value is None)
    return MetricTest(
        value1=values[0],
        value2=values[1],
        difference=None,
        p=None,
        reason=f"the coefficient of {lacking} is undefined",
        alternative=alternative,
        form="scores",
        draws=0,
        exact=False,
        undefined=0,
        seed=seed,
    )


# Does one metric have the higher soft pairwise accuracy? A test by exchanged segment scores.
#
# PERM-BOTH as in `permutation`, with the normal approximation of every hybrid's accuracy instead of
# drawn signs. The observed accuracies are approximated alike: the permutation test holds its level
# whatever the statistic is, so that the approximation costs no honesty, and hardly any power. It
# takes a hundredth of the time that a thousand draws of signs for each hybrid take.
#
# Assumes that, were the metrics equally good, either score of a cell might as well be the other's.


# Numbers that a block of hybrids may hold: 32 MB.
BLOCK_SIZE = 1 << 22


def soft_exchange_test(
    human: ArrayLike, worse: ArrayLike, better: ArrayLike, *, draws: int, seed: int
) -> float:
    """The one-sided p-value that the better metric is truly better.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated.
        worse: the segment scores of the metric with the lower accuracy, shaped alike.
        better: those of the other metric.
        draws: exchanges.
        seed: of the draws.
    """
    require_replicates("draws", draws)
    require_seed(seed)
    (ratings, first), (_, second) = as_cells(human, worse), as_cells(human, better)
    rated = rated_cells(ratings)
    pairs = paired_systems(rated)
    if not pairs.size:
        raise SettingError("human", "no segment rated for two systems", "at least one")
    # Far from 0, sums of squares would drown the differences; moving all scores leaves these alone.
    people = _p_values(standardised(ratings, ratings)[np.newaxis], rated, pairs)
    first, second = standardised(first, ratings), standardised(second, ratings)

    def accuracies(matrices: Values) -> Values:
        found = _p_values(matrices, rated, pairs)
        return np.asarray(1 - np.abs(found - people).mean(axis=1))

    observed = accuracies(np.stack([first, second]))
    differences = np.empty(draws)
    size = max(1, BLOCK_SIZE // (2 * rated.size))
    for start in range(0, draws, size):
        count = min(size, draws - start)
        coins = _core.exchanged_cells(rated.size, first=start, draws=count, seed=seed)
        coins = coins.reshape(count, *rated.shape)
        of_first = accuracies(np.where(coins, second, first))
        differences[start : start + count] = accuracies(np.where(coins, first, second)) - of_first
    return float(randomization_p(observed[1] - observed[0], differences, "greater", scale=1.0))


def _p_values(matrices: Values, rated: NDArray[np.bool_], pairs: NDArray[np.intp]) -> Values:
    """The p-values of all pairs of systems, shaped (matrix, pair).

    Sums of squared differences are those of squares less twice those of products, each over the
    segments that are rated for both systems; unrated cells hold 0.
    """
    left, right = pairs
    counts = rated.astype(np.float64)
    totals = matrices @ counts.T
    squares = matrices**2 @ counts.T
    products = matrices @ matrices.swapaxes(1, 2)
    both = squares + squares.swapaxes(1, 2) - 2 * products
    # What rounding leaves of equal systems is no difference.
    both = np.where(both > 1e-12 * (squares + squares.swapaxes(1, 2)), both, 0.0)
    differences = totals - totals.swapaxes(1, 2)
    return normal_p(differences[:, left, right], both[:, left, right])


# The permutation test of two metrics on the outcomes of pairs, for accuracy with ties.
#
# As in the WMT metrics tasks since 2023 (Deutsch, Foster & Freitag 2023): each metric gets its
# tie threshold once; then a pair of cells is right or wrong by each metric, and every draw
# exchanges the two outcomes of each pair by a fair coin. Only pairs that one metric alone has
# right matter. Where all groups weigh their pairs alike this is a sign test, whose p-value is
# exact: with a pairs that only metric 2 has right and b that only metric 1 has, P(Binomial(a + b,
# 1/2) >= a). Otherwise pairs of groups of different sizes differ in weight, and exchanges are
# drawn.
#
# Assumes that pairs are independent, which pairs that share an output are not, and takes the
# thresholds for given. So it rejects too often, the more so the larger the groups: in simulations
# of equally good metrics at .05, 6 % of the time with 4 systems, 12 % with 8 and 16 % with 15.
# `exchange_test`, which assumes neither, rejected 3 to 5 % of the time.


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
    return _pair_outcomes_result(
        values, outcomes, micro=micro, alternative=alternative, draws=draws, seed=seed
    )


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


def _pair_outcomes_result(
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


# Williams' test: do two metrics differ in their Pearson correlation with the same human scores?
#
# Williams (1959), as recommended for metrics by Graham & Baldwin (2014). The two correlations
# share the human scores and so depend on each other; the test takes this from the metrics' own
# correlation.
#
# Assumes that (human, metric 1, metric 2) are independent draws from a three-dimensional normal
# distribution. So it is for plain Pearson correlations: of system scores, or of segments taken all
# together, but not of averages over groups, nor of ranks.


# The determinant is a sum of numbers of the size of 1: less than this is what rounding leaves of 0.
NO_SPREAD = 1e-14


@dataclass(frozen=True, slots=True, kw_only=True)
class Williams:
    """The test, and the correlations that it compares.

    Attributes:
        t: above 0 where metric 1 correlates better; None where the test is not defined.
        p_one_sided: of the metric that correlates better being the better one; at most 0.5.
        p_two_sided: of any difference; twice as large.
        reason: why there is no p-value.
        r1: the correlation of metric 1 with the human scores; None where one does not vary.
        r2: that of metric 2.
        r12: that of the two metrics.
        n: how many cells were rated.
    """

    t: float | None
    p_one_sided: float | None
    p_two_sided: float | None
    reason: str | None
    r1: float | None
    r2: float | None
    r12: float | None
    n: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def williams(human: ArrayLike, metric1: ArrayLike, metric2: ArrayLike) -> Williams:
    """Test two metrics on the cells that have a human score.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated; or one per system.
        metric1: the first metric's scores, shaped alike.
        metric2: the second metric's.
    """
    (ratings, first), (_, second) = as_cells(human, metric1), as_cells(human, metric2)
    rated = rated_cells(ratings)
    by = measure_by("pearson")
    r1, r2 = (measure_cells(ratings, metric, by).value for metric in (first, second))
    r12 = measure_cells(np.where(rated, first, np.nan), second, by).value
    n = int(rated.sum())
    if r1 is None or r2 is None or r12 is None:
        reason = "a correlation is undefined: human or metric scores do not vary"
        return _williams_undefined(reason, r1, r2, r12, n)
    return williams_test(r1, r2, r12, n)


def williams_test(r1: float, r2: float, r12: float, n: int) -> Williams:
    """Test two correlations with a common variable.

    Args:
        r1: the correlation of the human scores with metric 1.
        r2: their correlation with metric 2.
        r12: the correlation of the metrics.
        n: the number of points.

    >>> round(williams_test(0.9, 0.8, 0.7, 10).p_two_sided, 4)
    0.4044
    """
    for name, value in (("r1", r1), ("r2", r2), ("r12", r12)):
        if not -1 - ROUNDING <= value <= 1 + ROUNDING:
            raise SettingError(name, value, "a correlation from -1 to 1")
    if n < 4:
        return _williams_undefined(
            f"{n} points leave no degrees of freedom: 4 are needed", r1, r2, r12, n
        )
    determinant = 1 - r1 * r1 - r2 * r2 - r12 * r12 + 2 * r1 * r2 * r12
    if determinant < -ROUNDING:
        expected = "three correlations that three variables can have"
        raise SettingError("correlations", (r1, r2, r12), expected)
    mean = (r1 + r2) / 2
    spread = 2 * max(determinant, 0.0) * (n - 1) / (n - 3) + mean**2 * max(1 - r12, 0.0) ** 3
    lead = (r1 - r2) * math.sqrt((n - 1) * max(1 + r12, 0.0))
    if abs(r1 - r2) <= ROUNDING and 1 - r12 <= ROUNDING:
        t = 0.0  # one metric is a multiple of the other: there is no difference to test
    elif spread <= NO_SPREAD:
        reason = "the correlations determine each other: the test has no error to compare with"
        return _williams_undefined(reason, r1, r2, r12, n)
    else:
        t = lead / math.sqrt(spread)
    p = _upper_tail(abs(t), n - 3)
    return Williams(t=t, p_one_sided=p, p_two_sided=2 * p, reason=None, r1=r1, r2=r2, r12=r12, n=n)


def _upper_tail(t: float, degrees: int) -> float:
    try:
        from scipy.stats import t as student
    except ImportError as error:
        raise MissingExtraError("Williams' test", "stats") from error
    return float(student.sf(t, degrees))


def _williams_undefined(
    reason: str, r1: float | None, r2: float | None, r12: float | None, n: int
) -> Williams:
    return Williams(
        t=None, p_one_sided=None, p_two_sided=None, reason=reason, r1=r1, r2=r2, r12=r12, n=n
    )


# Comparisons of pairs resampled: intervals of a coefficient, and tests between metrics.
#
# What a coefficient of comparisons is made of are counts of five classes, which add up over
# segments. So a replicate is a sum of rows, one per segment, like that of any other metric.


CLASSES = 5


def bootstrap_judgments(
    metrics: Mapping[str, Values],
    judgments: Judgments,
    by: Coefficient,
    *,
    over: Over,
    documents: Sequence[str] | None,
    replicates: int,
    seed: int,
) -> Replicates:
    """A coefficient of comparisons on bootstrap replicates of segments or documents.

    Only segments with a judgment are drawn, or documents with one: others tell nothing here.

    Args:
        metrics: scores shaped (system, segment) by name, higher for better.
        judgments: the comparisons.
        by: a coefficient made of counts of pairs.
        over: "segments" or "documents".
        documents: the document of each segment, with "documents".
        replicates: how many.
        seed: of the draws.
    """
    require_over(over, replicates, seed)
    if over.endswith("systems"):
        expected = "'segments' or 'documents' where people compared pairs"
        raise SettingError("over", over, expected)
    rows = _rows(metrics, judgments, by)
    judged = np.unique(judgments.item)
    labels = None if documents is None else [documents[segment] for segment in judged]
    units = units_of_segments(over, len(judged), labels)
    assert units is not None  # noqa: S101  # only where systems alone are drawn
    by_unit = np.ascontiguousarray(units.add_up(rows[judged]))
    sums = Bootstrap(replicates=replicates, seed=seed).sums(by_unit, units, 0, replicates)
    values = [[_value(by, one) for one in row.reshape(len(metrics), CLASSES)] for row in sums]
    observed = {name: judged_value(one, judgments, by)[0] for name, one in metrics.items()}
    return Replicates(observed, np.array(values, dtype=np.float64), over, seed)


def bootstrap_shares_of_wins(
    metrics: Mapping[str, SegmentStatistics],
    judgments: Judgments,
    by: Coefficient,
    *,
    over: Over,
    documents: Sequence[str] | None,
    replicates: int,
    seed: int,
) -> Replicates:
    """Metrics' system scores against shares of wins, on bootstrap replicates.

    A segment is drawn with all its comparisons. A share of wins is the mean of 1 for each win and 0
    for each loss, so that these are human scores of as many rows, beside those of the metrics.

    Args:
        metrics: what each metric counts, by name.
        judgments: the comparisons.
        by: the coefficient of the system scores.
        over: what is drawn.
        documents: the document of each segment, where documents are drawn.
        replicates: how many.
        seed: of the draws.
    """
    segments, systems = next(iter(metrics.values())).rows.shape[:2]
    decided = np.flatnonzero(judgments.verdict)
    human = np.full((systems, segments + len(decided)), np.nan)
    columns = segments + np.arange(len(decided))
    human[judgments.left[decided], columns] = judgments.verdict[decided] > 0
    human[judgments.right[decided], columns] = judgments.verdict[decided] < 0
    padded = {
        name: SegmentStatistics(
            np.concatenate([one.rows, np.zeros((len(decided), *one.rows.shape[1:]))]), one.score
        )
        for name, one in metrics.items()
    }
    labels: list[str] | None = None
    if over != "systems":
        labels = list(map(str, range(segments))) if documents is None else list(documents)
        labels += [labels[segment] for segment in judgments.item[decided]]
    found = bootstrap_system_agreement(
        human,
        padded,
        by,
        # The rows of one segment belong together like those of a document.
        over=cast("Over", over.replace("segments", "documents")),
        documents=labels,
        replicates=replicates,
        seed=seed,
    )
    return replace(found, over=over)


def judgment_test(
    worse: Values,
    better: Values,
    judgments: Judgments,
    by: Coefficient,
    *,
    draws: int,
    seed: int,
) -> tuple[float, bool, int]:
    """Whether the better metric is truly better, by exchanging the metrics on segments.

    Assumes that, were the metrics equally good, either's answers about a segment might as well be
    the other's, independently of other segments.

    Returns:
        The one-sided p-value, whether it is of all exchanges that there are, and of how many.
    """
    everything = _rows({"worse": worse, "better": better}, judgments, by)
    # Where both give the same answers, an exchange changes nothing.
    differing = (everything[:, :CLASSES] != everything[:, CLASSES:]).any(axis=1)
    rows = np.ascontiguousarray(everything[differing])
    swaps = Swaps(replicates=draws, seed=seed)
    exact = swaps.enumerates(len(rows))
    count = 2 ** len(rows) if exact else draws
    if len(rows):
        taken = swaps.sums(rows, 0, count, enumerated=exact)
    else:
        taken = np.zeros((1, 2 * CLASSES))
    sums = everything.sum(axis=0)
    differences = np.array([_difference(by, sums, one) for one in taken], dtype=np.float64)
    observed = _difference(by, sums, np.zeros_like(sums))
    # A hybrid without a value counts as if it differed as much as the metrics do.
    differences = np.where(np.isnan(differences), observed, differences)
    p = randomization_p(observed, differences, "greater", exact=exact, scale=1.0)
    return float(p), exact, count


def _rows(metrics: Mapping[str, Values], judgments: Judgments, by: Coefficient) -> Values:
    """The five classes of every metric side by side, one row per segment."""
    if by.name not in FORMULAS or by.calibrated:
        known = ", ".join(FORMULAS)
        raise SettingError("coefficient", by.label, f"one for comparisons of pairs: {known}")
    counts = [
        count_judgments_by_item(one, judgments, epsilon=by.parameter) for one in metrics.values()
    ]
    return np.concatenate(counts, axis=1).astype(np.float64)


def _value(by: Coefficient, classes: Values) -> float:
    """The coefficient of summed counts; NaN where it is undefined."""
    value = FORMULAS[by.name](from_classes(classes))
    return np.nan if value is None else value


def _difference(by: Coefficient, sums: Values, taken: Values) -> float:
    """Better less worse, after the segments that were taken changed sides."""
    (worse, better), (from_worse, from_better) = sums.reshape(2, -1), taken.reshape(2, -1)
    moved = from_better - from_worse
    return _value(by, better - moved) - _value(by, worse + moved)


# Tests whether one metric agrees better with people than another, as a question calls for them.


# All exchanges of so many systems are made, however few draws are asked for: 16,384.
EXACT_SYSTEMS = 14

SCORES = "permutation test, scores exchanged"
OUTCOMES = "permutation test, outcomes of pairs exchanged"
SEGMENTS = "permutation test, segments exchanged"
WILLIAMS = "Williams' test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """One test.

    Attributes:
        p: one-sided, that the better metric is truly better.
        exact: whether no chance is in it.
        draws: exchanges that were made; 0 where p is computed without them.
        smallest: the smallest p that there could have been.
        note: what makes the test an empty one.
    """

    p: float
    exact: bool
    draws: int
    smallest: float = 0.0
    note: str | None = None


#: Given the names of a metric and of one that agrees no better.
Test: TypeAlias = Callable[[str, str], Tested]


def items_test(
    human: Values, metrics: Mapping[str, Values], by: Measure, settings: AgreeSettings
) -> tuple[Test, str]:
    """The test of a coefficient of items, and what it is called."""
    coefficient = by.coefficient
    if settings.test == "williams":
        return _williams(human, metrics), WILLIAMS
    # A threshold has the unit of its metric's scores, so that these cannot be exchanged.
    fixed = bool(coefficient.epsilon) and not coefficient.calibrated
    if fixed or (coefficient.calibrated and settings.exchange == "pairs"):
        epsilons = (coefficient.parameter, coefficient.parameter) if fixed else None

        def outcomes(better: str, worse: str) -> Tested:
            return _tested(
                pair_outcome_test(
                    human,
                    metrics[worse],
                    metrics[better],
                    grouping=by.grouping,
                    micro=by.average == "micro",
                    epsilons=epsilons,
                    draws=settings.draws,
                    seed=settings.seed,
                )
            )

        return outcomes, OUTCOMES
    return _exchange(human, metrics, by, settings.draws, settings.seed), SCORES


def systems_test(
    human: Values, metrics: Mapping[str, Values], by: Measure, settings: AgreeSettings
) -> tuple[Test, str]:
    """The test of a coefficient of system scores, and what it is called."""
    if settings.test == "williams":
        return _williams(human, metrics), WILLIAMS
    draws = settings.draws
    if len(human) <= EXACT_SYSTEMS:
        draws = max(draws, 2 ** len(human))
    return _exchange(human, metrics, by, draws, settings.seed), SCORES


def soft_accuracy_test(
    human: Values, metrics: Mapping[str, Values], settings: AgreeSettings
) -> tuple[Test, str]:
    """The test of soft pairwise accuracy, and what it is called."""

    def test(better: str, worse: str) -> Tested:
        p = soft_exchange_test(
            human, metrics[worse], metrics[better], draws=settings.draws, seed=settings.seed
        )
        return Tested(p=p, exact=False, draws=settings.draws, smallest=smallest_p(settings.draws))

    return test, SCORES


def comparisons_test(
    judgments: Judgments, metrics: Mapping[str, Values], by: Measure, settings: AgreeSettings
) -> tuple[Test, str]:
    """The test of a coefficient of compared pairs, and what it is called."""

    def test(better: str, worse: str) -> Tested:
        p, exact, draws = judgment_test(
            metrics[worse],
            metrics[better],
            judgments,
            by.coefficient,
            draws=settings.draws,
            seed=settings.seed,
        )
        return Tested(p=p, exact=exact, draws=draws, smallest=_smallest(draws, exact=exact))

    return test, SEGMENTS


def _exchange(
    human: Values, metrics: Mapping[str, Values], by: Measure, draws: int, seed: int
) -> Test:
    def test(better: str, worse: str) -> Tested:
        found = exchange_test(human, metrics[worse], metrics[better], by, draws=draws, seed=seed)
        return _tested(found)

    return test


def _williams(human: Values, metrics: Mapping[str, Values]) -> Test:
    def test(better: str, worse: str) -> Tested:
        found = williams(human, metrics[better], metrics[worse])
        p = 1.0 if found.p_one_sided is None else found.p_one_sided
        return Tested(p=p, exact=True, draws=0, note=found.reason)

    return test


def _tested(found: MetricTest) -> Tested:
    """A test of metrics that both have a value, and then it has one too."""
    return Tested(
        p=1.0 if found.p is None else found.p,
        exact=found.exact,
        draws=found.draws,
        smallest=_smallest(found.draws, exact=found.exact),
        note=found.reason,
    )


def _smallest(draws: int, *, exact: bool) -> float:
    if draws == 0:
        return 0.0
    return 1 / draws if exact else smallest_p(draws)
