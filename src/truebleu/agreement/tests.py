"""Tests of two metrics, and ranks of many: does one agree better with people than the other?

`permutation_test` is PERM-BOTH (Deutsch, Dror & Roth 2021): were the metrics equally good, either
score of a cell might as well be the other metric's. Both are standardised over the rated cells, so
that their scores can be swapped; every permutation swaps the scores of each cell by a fair coin,
and both hybrids are evaluated anew, their tie threshold calibrated anew too (with more than 65,536
pairs of cells by some hundred thresholds, for the metrics themselves too). It assumes that, under
the null hypothesis, the scores of a cell are exchangeable, independently of other cells.

`pair_permutation_test` permutes the outcomes of pairs of cells, as the WMT metrics tasks do since
2023 (Deutsch, Foster & Freitag 2023), for accuracy with ties: each metric gets its tie threshold
once; then a pair is right or wrong by each metric, and every permutation swaps the two outcomes of
each pair. It assumes that pairs are independent, which pairs that share an output are not, and that
the thresholds are given. So it rejects too often, the more so the larger the groups: in simulations
of equally good metrics at .05, 6 % of the time with 4 systems, 12 % with 8 and 16 % with 15, where
`permutation_test` rejected 3 to 5 % of the time.

`williams_test` (Williams 1959; Graham & Baldwin 2014) compares two Pearson correlations with the
same human scores. It assumes that (human, metric 1, metric 2) are independent draws from a
three-dimensional normal distribution. So it is for plain correlations: of system scores, or of
segments taken all together, but not of averages over groups, nor of ranks.

`judgment_permutation_test` is for people's comparisons of pairs: the five classes of counts add up
over segments, and every permutation swaps the metrics' counts of each segment.

The difference is that of metric 2 minus metric 1, and p the share of permutations whose difference
is at least as large as the observed, in either direction: all tests are two-sided. A one-sided p in
the direction that the data show is half of that, and rejects twice as often as it says; ask for one
only where the direction was fixed before the data were seen. The observed counts as one more
permutation, so that p is never 0; where all permutations are no more than those asked for, they are
all made, and p is exact with nothing added.

Swapping single cells takes the systems as given: a metric that favours some of them by chance is
better or worse for these systems, and the test says so. `permutation_test` with unit="system" swaps
all scores of a system at once, and so asks about other systems like these.

Metrics are ranked by the procedure of the WMT metrics tasks. They are sorted by value, names
breaking ties, and walked down: a metric joins the current cluster unless at least one member of it
is significantly better, in which case it opens the next. The rank of a metric is the number of its
cluster.

Clusters are not groups of metrics that can't be told apart, since earlier clusters are forgotten:
with A = B, B = C and A > C the ranks are 1, 1, 2 although B and C are not told apart.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from truebleu import _core, schema
from truebleu.agreement.coefficients import (
    Coefficient,
    Grouping,
    as_cells,
    calibrate_ties,
    coefficient,
    judgment_rows,
    measure_cells,
    paired_systems,
    rated_cells,
    require_choice,
    require_tie_threshold,
    values_of_rows,
)
from truebleu.errors import SettingError
from truebleu.resampling import Swaps, as_probabilities
from truebleu.significance.corrections import adjust
from truebleu.significance.tests import randomization_p, smallest_p

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from truebleu.agreement.data import Judgments
    from truebleu.resampling import Values

__all__ = [
    "MetricTest",
    "judgment_permutation_test",
    "pair_permutation_test",
    "permutation_test",
    "rank_metrics",
    "soft_pairwise_test",
    "williams_test",
]

#: What a test permutes: scores of cells, whole systems, outcomes of pairs, metrics on segments; or
#: Williams' test.
Method: TypeAlias = Literal["scores", "systems", "pairs", "segments", "williams"]
#: What tests of segment scores may permute.
Permute: TypeAlias = Literal["scores", "systems", "pairs"]
#: What is swapped together: the two scores of a cell, or all scores of a system.
Unit: TypeAlias = Literal["cell", "system"]

UNITS: tuple[Unit, ...] = get_args(Unit)
#: What swapping units is called.
METHODS: dict[Unit, Method] = {"cell": "scores", "system": "systems"}
# Standardised scores, or correlations, closer than this are the same but for rounding.
ROUNDING = 1e-12
# The determinant is a sum of numbers of the size of 1: less than this is what rounding leaves of 0.
NO_VARIANCE = 1e-14
# Coins that fit into the numbers by which the core enumerates permutations.
MOST_COINS = 62


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricTest:
    """Whether two metrics agree differently well with people.

    Attributes:
        better: the metric that agrees better, or metric 2 of a test of two.
        worse: the other.
        difference: how much better metric 2 agrees than metric 1; None where that is undefined.
        p: the p-value of the alternative; None where it is undefined.
        p_adjusted: p corrected for the number of pairs of metrics.
        significant: whether the corrected p is no more than alpha.
        reason: why there is no p-value, or what makes the test an empty one.
        alternative: "two-sided" asks whether either is better, "greater" whether metric 2 is,
            "less" whether metric 1 is.
        method: what was permuted; or "williams".
        permutations: how many were made; 0 where p is computed without them.
        exact: no chance is in p: all permutations were made, or their distribution is known.
        undefined: permutations in which a hybrid has no value, counted as if it were as large a
            difference as the observed.
        seed: of the permutations.
        t: the statistic of Williams' test, above 0 where metric 2 correlates better.
    """

    better: str = "metric 2"
    worse: str = "metric 1"
    difference: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    significant: bool | None = None
    reason: str | None = None
    alternative: schema.Alternative = "two-sided"
    method: Method
    permutations: int = 0
    exact: bool = False
    undefined: int = 0
    seed: int | None = None
    t: float | None = None

    @property
    def smallest_p(self) -> float:
        """The smallest p there could have been."""
        if not self.permutations:
            return 0.0
        if self.exact:
            # As far apart as the observed are no swap and, in the other direction, all swaps.
            return min(1.0, (1 + (self.alternative == "two-sided")) / self.permutations)
        return smallest_p(self.permutations)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**schema.to_builtins(self), "smallest_p": self.smallest_p}


@dataclass(frozen=True, slots=True, kw_only=True)
class Permutations:
    """What is permuted, how often, and what is asked.

    Attributes:
        unit: what is swapped together: the two scores of a "cell", which takes the systems as
            given; or all scores of a "system", to say something about other systems too.
        alternative: "two-sided"; or, fixed beforehand, "greater" for metric 2 being better, "less"
            for metric 1.
        permutations: how many; all of them are made where they are no more than these.
        seed: of the permutations.
    """

    unit: Unit = "cell"
    alternative: schema.Alternative = "two-sided"
    permutations: int = 10_000
    seed: int = schema.DEFAULT_SEED

    def __post_init__(self) -> None:
        schema.require_name("unit", self.unit, UNITS)
        schema.require_name("alternative", self.alternative, schema.ALTERNATIVES)
        schema.require_replicates("permutations", self.permutations)
        schema.require_seed(self.seed)

    def enumerates(self, coins: int) -> bool:
        """Whether all permutations of so many coins are made."""
        return coins <= MOST_COINS and 2**coins <= self.permutations

    def drawn(self, coins: int) -> dict[str, Any]:
        """Which permutations of so many coins the core makes."""
        exact = self.enumerates(coins)
        count = 2**coins if exact else self.permutations
        return {"first": 0, "replicates": count, "seed": None if exact else self.seed}

    def test(self, method: Method, *, exact: bool, **fields: Any) -> MetricTest:
        """A test by these permutations."""
        sides: dict[str, Any] = {"alternative": self.alternative, "seed": self.seed}
        return MetricTest(method=method, exact=exact, **sides, **fields)


def permutation_test(
    human: ArrayLike,
    metric1: ArrayLike,
    metric2: ArrayLike,
    by: Coefficient,
    *,
    studentized: bool = False,
    **options: Any,
) -> MetricTest:
    """Test two metrics by swapping their scores at random.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated; or one per system.
        metric1: the first metric's scores, shaped alike; higher is better.
        metric2: the second metric's.
        by: the coefficient of agreement. Its tie threshold must be 0 or calibrated, since a
            threshold has the unit of one metric.
        studentized: compare differences over their standard errors (Williams' statistic), for
            Pearson's r of one score per system. Of plain differences the test rejects too often on
            few systems, since scores were standardised by their own deviation.
        options: those of `Permutations`: unit, alternative, permutations and seed.
    """
    asked = Permutations(**options)
    if studentized and (by.name != "pearson" or by.grouping != "none"):
        raise SettingError("studentized", by.label, "Pearson's r without groups")
    if by.epsilon and not by.calibrated:
        expected = "0 or 'calibrated': permuted scores are standardised and have no unit"
        raise SettingError("epsilon", by.epsilon, expected)
    (ratings, first), (_, second) = as_cells(human, metric1), as_cells(human, metric2)
    values = [measure_cells(ratings, metric, by).value for metric in (first, second)]
    systems = asked.unit == "system"
    if systems:
        kept = rated_cells(ratings).any(axis=1)
        ratings, first, second = (np.ascontiguousarray(s[kept]) for s in (ratings, first, second))
    coins = len(ratings) if systems else int(rated_cells(ratings).sum())
    test = asked.test(METHODS[asked.unit], exact=asked.enumerates(coins))
    if studentized:
        cells = rated_cells(ratings)
        t = _hybrid_t(ratings[cells], first[cells], second[cells], asked)
        zeros = np.zeros_like(t)
        return hybrid_test(test, values, np.array([0.0, t[0]]), np.stack([zeros, t], 1)[1:])
    # First those of the metrics themselves, as the kernel of the permutations has them.
    hybrids = _core.Cells(ratings, *_exchangeable(first, second, ratings)).hybrid_values(
        by.native, systems=systems, **asked.drawn(coins)
    )
    return hybrid_test(test, values, hybrids[0], hybrids[1:])


def difference_of(values: Sequence[float | None]) -> float | None:
    """How much better metric 2 agrees than metric 1."""
    value1, value2 = values
    return None if value1 is None or value2 is None else value2 - value1


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
    metric, other = standardised(first, human), standardised(second, human)
    scores = np.unique(metric)
    if scores.size:
        after = np.searchsorted(scores, other).clip(1, max(scores.size - 1, 1))
        below, above = scores[after - 1], scores[np.minimum(after, scores.size - 1)]
        nearest = np.where(other - below <= above - other, below, above)
        other = np.where(np.abs(other - nearest) <= ROUNDING, nearest, other)
    return metric, other


def _hybrid_t(human: Values, first: Values, second: Values, asked: Permutations) -> Values:
    """Williams' statistic of two metrics, then of their hybrids; NaN where a hybrid is constant."""
    people, *metrics = ((x - x.mean()) / (x.std() or 1.0) for x in (human, first, second))
    # What each point adds to the sums that correlations are made of; products of both metrics
    # stay where they are.
    rows = np.concatenate([np.stack([x, x**2, x * people], axis=1) for x in metrics], axis=1)
    swaps = Swaps(replicates=asked.permutations, seed=asked.seed)
    count, exact = asked.drawn(len(rows))["replicates"], asked.enumerates(len(rows))
    moved = swaps.sums(np.ascontiguousarray(rows), 0, count, enumerated=exact)
    moved = np.concatenate([np.zeros((1, rows.shape[1])), moved])
    gained = moved[:, 3:] - moved[:, :3]
    totals = rows.sum(axis=0)
    sums1, sums2 = totals[:3] + gained, totals[3:] - gained
    n = len(rows)
    variances = [np.maximum(s[:, 1] / n - (s[:, 0] / n) ** 2, 0.0) for s in (sums1, sums2)]
    covariance = float(metrics[0] @ metrics[1]) / n - sums1[:, 0] * sums2[:, 0] / n**2
    with np.errstate(invalid="ignore", divide="ignore"):
        r1, r2 = (
            s[:, 2] / n / np.sqrt(variance)
            for s, variance in zip((sums1, sums2), variances, strict=True)
        )
        r12 = covariance / np.sqrt(variances[0] * variances[1])
        t, _ = _williams_t(r1, r2, r12, n)
        t = np.where(np.abs(r2 - r1) <= ROUNDING, 0.0, t)
    return np.where(np.minimum(*variances) <= ROUNDING, np.nan, t)


def _determinant(r1: Any, r2: Any, r12: Any) -> Any:
    """Of the matrix of three correlations: below 0 where no three variables can have them."""
    return 1 - r1 * r1 - r2 * r2 - r12 * r12 + 2 * r1 * r2 * r12


def _williams_t(r1: Any, r2: Any, r12: Any, n: int) -> tuple[Values, Values]:
    """Williams' statistic of correlations, and the variance that it has below the root.

    It is very large where the correlations determine each other, so that there is no variance.
    """
    variance = 2 * np.maximum(_determinant(r1, r2, r12), 0.0) * (n - 1) / max(n - 3, 1)
    variance = variance + ((r1 + r2) / 2) ** 2 * np.maximum(1 - r12, 0.0) ** 3
    lead = (r2 - r1) * np.sqrt((n - 1) * np.maximum(1 + r12, 0.0))
    return lead / np.sqrt(np.maximum(variance, NO_VARIANCE)), variance


def hybrid_test(
    test: MetricTest, values: Sequence[float | None], observed: Values, null: Values
) -> MetricTest:
    """The test with its difference and p-value, from the observed values and those of hybrids.

    A hybrid without a value, NaN, counts as if it differed as much as the metrics do.

    Args:
        test: all but the difference and the p-value.
        values: of both metrics.
        observed: the same as the kernel of the hybrids has them.
        null: of hybrids, shaped (permutation, 2).
    """
    test = replace(test, difference=difference_of(values))
    if test.difference is None:
        lacking = [f"metric {n}" for n, value in enumerate(values, 1) if value is None]
        return replace(test, reason=f"the coefficient of {' and '.join(lacking)} is undefined")
    difference = float(observed[1] - observed[0])
    differences = null[:, 1] - null[:, 0]
    undefined = np.isnan(differences)
    # Equal differences of quotients differ in their last digits; coefficients have the scale 1.
    p = randomization_p(
        difference,
        np.where(undefined, difference, differences),
        test.alternative,
        exact=test.exact,
        scale=1.0,
    )
    return replace(test, p=float(p), permutations=len(null), undefined=int(undefined.sum()))


def soft_pairwise_test(
    human: ArrayLike, metric1: ArrayLike, metric2: ArrayLike, **options: Any
) -> MetricTest:
    """Test whether two metrics differ in soft pairwise accuracy, by swapping segment scores.

    This is `permutation_test` for this accuracy. That of each hybrid is by
    the normal approximation, and the observed accuracies are approximated alike: a permutation test
    holds its level whatever the statistic is, so that this costs hardly any power. It takes a
    hundredth of the time that a thousand permutations of signs for each hybrid take.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated.
        metric1: the first metric's segment scores, shaped alike.
        metric2: the second metric's.
        options: those of `Permutations`: unit, alternative, permutations and seed.
    """
    asked = Permutations(**options)
    (ratings, first), (_, second) = as_cells(human, metric1), as_cells(human, metric2)
    rated = rated_cells(ratings)
    if not paired_systems(rated).size:
        raise SettingError("human", "no segment rated for two systems", "at least one")
    systems = asked.unit == "system"
    # Moving all scores leaves differences alone, and their sums have more digits near 0.
    people = np.where(rated, standardised(ratings, ratings), np.nan)
    cells = _core.Cells(people, standardised(first, ratings), standardised(second, ratings))
    # The draw that swaps nothing.
    observed = cells.hybrid_soft_accuracies(systems=False, first=0, replicates=1, seed=None)[0]
    # Cells are too many for all of their permutations.
    coins = len(rated) if systems else MOST_COINS + 1
    null = cells.hybrid_soft_accuracies(systems=systems, **asked.drawn(coins))
    test = asked.test(METHODS[asked.unit], exact=asked.enumerates(coins))
    return hybrid_test(test, observed.tolist(), observed, null)


# --------------------------------------------------------------------------------------------------
# Comparisons of pairs.


def judgment_permutation_test(
    metric1: ArrayLike, metric2: ArrayLike, judgments: Judgments, by: Coefficient, **options: Any
) -> MetricTest:
    """Test whether two metrics agree differently well, by swapping the metrics on segments.

    Assumes that, were the metrics equally good, either's answers about a segment might as well be
    the other's, independently of other segments.

    Args:
        metric1: scores shaped (system, item), higher for better.
        metric2: the second metric's.
        judgments: the comparisons.
        by: a coefficient made of counts of pairs.
        options: those of `Permutations`: alternative, permutations and seed.
    """
    asked = Permutations(**options)
    counts = judgment_rows([metric1, metric2], judgments, by)
    first, second = np.split(counts, 2, axis=1)
    # Where both give the same answers, swapping changes nothing.
    rows = np.ascontiguousarray(counts[(first != second).any(axis=1)])
    exact = asked.enumerates(len(rows))
    moved = np.zeros((1, counts.shape[1]))
    if len(rows):
        swaps = Swaps(replicates=asked.permutations, seed=asked.seed)
        moved = swaps.sums(rows, 0, asked.drawn(len(rows))["replicates"], enumerated=exact)
    from_first, from_second = np.split(moved, 2, axis=1)
    gained = from_second - from_first
    sums1, sums2 = first.sum(axis=0), second.sum(axis=0)
    observed = values_of_rows(by, [sums1, sums2])
    null = [
        values_of_rows(by, sums + gained) for sums, gained in ((sums1, gained), (sums2, -gained))
    ]
    test = asked.test("segments", exact=exact)
    values = [None if np.isnan(value) else float(value) for value in observed]
    return hybrid_test(test, values, observed, np.stack(null, axis=1))


# --------------------------------------------------------------------------------------------------
# Outcomes of pairs.


def pair_permutation_test(
    human: ArrayLike,
    metric1: ArrayLike,
    metric2: ArrayLike,
    *,
    grouping: Grouping = "item",
    micro: bool = False,
    epsilon: float | None = None,
    **options: Any,
) -> MetricTest:
    """Test two metrics' accuracy with ties by swapping outcomes of pairs at random.

    Only pairs that one metric alone has right matter. Where all groups weigh their pairs alike this
    is a sign test, whose p-value is exact. tau-eq, which is twice the accuracy less 1, has the same
    p-value.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated.
        metric1: the first metric's scores, shaped alike; higher is better.
        metric2: the second metric's.
        grouping: which cells make pairs: those of an item, of a system, or all.
        micro: groups count by their cells instead of alike.
        epsilon: the tie threshold of both; calibrated for each where it is not given.
        options: those of `Permutations`: alternative, permutations and seed.
    """
    asked = Permutations(**options)
    require_choice("grouping", grouping)
    (ratings, first), (_, second) = as_cells(human, metric1), as_cells(human, metric2)
    thresholds, values = [], []
    for metric in (first, second):
        threshold = 0.0
        if epsilon is not None:
            threshold = require_tie_threshold(epsilon)
        elif ties := calibrate_ties(ratings, metric, grouping=grouping, micro=micro):
            threshold = ties.epsilon
        by = coefficient(
            "acc-eq", epsilon=threshold, grouping=grouping, average="micro" if micro else "macro"
        )
        thresholds.append(threshold)
        values.append(measure_cells(ratings, metric, by).value)
    outcomes = _core.Cells(ratings, first, second).pair_outcomes(
        grouping=grouping, epsilons=(thresholds[0], thresholds[1])
    )
    # By size of group: cells, groups, pairs that metric 1 alone has right, and metric 2 alone.
    differing = [outcome for outcome in outcomes if outcome[2] + outcome[3] > 0]
    difference = difference_of(values)
    p, reason, exact = None, None, len(differing) < 2
    if difference is None:
        reason = "no two cells of a group are rated"
    elif not differing:
        p, reason = 1.0, "both metrics have the same pairs right: there is nothing to test"
    elif exact:
        _, _, only1, only2 = differing[0]
        p = sign_test(only1, only2, asked.alternative)
    else:
        p = _weighted_p(differing, asked, micro=micro)
    test = asked.test("pairs", exact=exact, permutations=0 if exact else asked.permutations)
    return replace(test, difference=difference, p=p, reason=reason)


def sign_test(losses: int, wins: int, alternative: schema.Alternative = "two-sided") -> float:
    """The exact p-value of so many wins among wins and losses that are equally likely.

    What is too small for a float is the smallest one, since no outcome is impossible.

    >>> sign_test(1, 3), sign_test(1, 3, "greater"), sign_test(3, 1, "greater")
    (0.625, 0.3125, 0.9375)
    """
    from scipy.stats import binomtest

    p = float(binomtest(wins, wins + losses, alternative=alternative).pvalue)
    return max(p, sys.float_info.min)


def _weighted_p(
    outcomes: list[tuple[int, int, int, int]], asked: Permutations, *, micro: bool
) -> float:
    """The p-value by random permutations, where pairs weigh differently.

    Of n pairs of one weight that a single metric has right, a random number go to metric 2.
    """
    cells, _, only1, only2 = np.array(outcomes, dtype=np.int64).T
    pairs = cells * (cells - 1) / 2
    weights: Values = (cells if micro else np.ones_like(pairs)) / pairs
    coins = only1 + only2
    heads = _core.heads(coins.tolist(), first=0, replicates=asked.permutations, seed=asked.seed)
    differences = (2.0 * heads - coins) @ weights
    observed = float((only2 - only1) @ weights)
    return float(randomization_p(observed, differences, asked.alternative))


# --------------------------------------------------------------------------------------------------
# Williams' test.


def williams_test(
    human: ArrayLike,
    metric1: ArrayLike,
    metric2: ArrayLike,
    *,
    alternative: schema.Alternative = "two-sided",
) -> MetricTest:
    """Test two metrics' Pearson correlations on the cells that have a human score.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated; or one per system.
        metric1: the first metric's scores, shaped alike.
        metric2: the second metric's.
        alternative: "two-sided"; or, fixed beforehand, "greater" for metric 2 being better, "less"
            for metric 1.
    """
    (ratings, first), (_, second) = as_cells(human, metric1), as_cells(human, metric2)
    rated = rated_cells(ratings)
    by = coefficient("pearson")
    r1, r2 = (measure_cells(ratings, metric, by).value for metric in (first, second))
    r12 = measure_cells(np.where(rated, first, np.nan), second, by).value
    if r1 is None or r2 is None or r12 is None:
        reason = "a correlation is undefined: human or metric scores do not vary"
        test = MetricTest(alternative=alternative, method="williams", exact=True, reason=reason)
        return replace(test, difference=difference_of([r1, r2]))
    return williams_test_of_correlations(r1, r2, r12, int(rated.sum()), alternative=alternative)


def williams_test_of_correlations(
    r1: float, r2: float, r12: float, n: int, *, alternative: schema.Alternative = "two-sided"
) -> MetricTest:
    """Test two correlations with a common variable.

    Args:
        r1: the correlation of the human scores with metric 1.
        r2: their correlation with metric 2.
        r12: the correlation of the metrics.
        n: the number of points.
        alternative: "two-sided"; or, fixed beforehand, "greater" for metric 2 being better, "less"
            for metric 1.

    >>> test = williams_test_of_correlations(0.8, 0.9, 0.7, 10)
    >>> round(test.p, 4)
    0.4044
    """
    schema.require_name("alternative", alternative, schema.ALTERNATIVES)
    for name, value in (("r1", r1), ("r2", r2), ("r12", r12)):
        if not -1 - ROUNDING <= value <= 1 + ROUNDING:
            raise SettingError(name, value, "a correlation from -1 to 1")
    test = MetricTest(difference=r2 - r1, alternative=alternative, method="williams", exact=True)
    if schema.require_whole_number("n", n, 0, schema.MOST) < 4:
        return replace(test, reason=f"{n} points leave no degrees of freedom: 4 are needed")
    if _determinant(r1, r2, r12) < -ROUNDING:
        expected = "three correlations that three variables can have"
        raise SettingError("correlations", (r1, r2, r12), expected)
    statistic, variance = _williams_t(r1, r2, r12, n)
    t = float(statistic)
    if abs(r1 - r2) <= ROUNDING and 1 - r12 <= ROUNDING:
        t = 0.0  # one metric is a multiple of the other: there is no difference to test
    elif variance <= NO_VARIANCE:
        reason = "the correlations determine each other: the test has no error to compare with"
        return replace(test, reason=reason)
    from scipy.stats import t as student

    if alternative == "two-sided":
        p = 2 * float(student.sf(abs(t), n - 3))
    else:
        p = float(student.sf(t if alternative == "greater" else -t, n - 3))
    return replace(test, p=p, t=t)


# --------------------------------------------------------------------------------------------------
# Ranks of metrics.


def rank_clusters(p_values: ArrayLike, alpha: float = 0.05) -> list[int]:
    """The rank of each metric, metrics given best first.

    Args:
        p_values: p_values[i][j], i < j, is the p-value of metric i against metric j; the rest is
            not looked at.
        alpha: a metric is beaten where p <= alpha.

    >>> rank_clusters([[0, 0.3, 0.01], [0, 0, 0.2], [0, 0, 0]])
    [1, 1, 2]
    """
    p = as_probabilities("p_values", p_values)
    threshold = schema.require_alpha(alpha)
    if p.ndim != 2 or p.shape[0] != p.shape[1]:
        raise SettingError("p_values", p.shape, "a square matrix (metric, metric)")
    ranks: list[int] = []
    start = 0
    for place in range(len(p)):
        if place and (p[start:place, place] <= threshold).any():
            start = place
        ranks.append((ranks[-1] if ranks else 0) + (start == place))
    return ranks


def rank_metrics(
    values: Mapping[str, float | None],
    test: Callable[[str, str], MetricTest],
    *,
    alpha: float = 0.05,
    correction: str = "none",
) -> tuple[dict[str, int | None], tuple[MetricTest, ...]]:
    """Rank metrics by value and by a test of every pair.

    Returns the number of each one's cluster, best first, from 1 (metrics without a value come last,
    in order of name, and have none), and every test, the better metrics first.

    Args:
        values: how well each metric agrees with people; None where that is undefined.
        test: given the names of a metric and of one that agrees no better, a test of whether they
            truly differ.
        alpha: the level of the tests.
        correction: for the number of pairs, by a name that `adjust` knows, such as "holm". The
            metrics tasks correct for nothing.

    >>> test = MetricTest(difference=0.2, p=0.01, method="scores")
    >>> rank_metrics({"a": 0.5, "b": 0.7}, lambda better, worse: test)[0]
    {'b': 1, 'a': 2}
    """
    threshold = schema.require_alpha(alpha)
    defined = {name: value for name, value in values.items() if value is not None}
    order = sorted(defined, key=lambda name: (-defined[name], name))
    tests = [test(better, worse) for better, worse in combinations(order, 2)]
    # Where there is nothing to test, nothing speaks against the two being equal.
    raw = [1.0 if tested.p is None else tested.p for tested in tests]
    adjusted = adjust(raw, correction) if raw else np.empty(0)
    matrix = np.zeros((len(order), len(order)))
    matrix[np.triu_indices(len(order), 1)] = adjusted
    pairs = tuple(
        replace(
            tested,
            better=better,
            worse=worse,
            difference=defined[better] - defined[worse],
            p=p,
            p_adjusted=corrected,
            significant=corrected <= threshold,
        )
        for (better, worse), tested, p, corrected in zip(
            combinations(order, 2), tests, raw, adjusted.tolist(), strict=True
        )
    )
    ranks: dict[str, int | None] = dict(zip(order, rank_clusters(matrix, threshold), strict=True))
    ranks.update((name, None) for name in sorted(values) if name not in defined)
    return ranks, pairs
