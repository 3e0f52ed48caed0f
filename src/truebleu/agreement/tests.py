"""Tests of whether one metric agrees better with human raters than another, and ranks of metrics.

`permutation_test` is PERM-BOTH (Deutsch, Dror & Roth 2021): under the null hypothesis that the
metrics are equally good, their scores of a cell are exchangeable, independently of other cells.
Both metrics are standardised over the rated cells, so that their scores can be swapped. Every
permutation swaps the scores of each cell by a fair coin and evaluates both hybrids, with their own
calibrated tie threshold (with more than 65,536 pairs of cells, by some hundred thresholds, for the
metrics themselves too).

`pair_permutation_test` permutes the outcomes of pairs of cells, as in the WMT metrics tasks since
2023 (Deutsch, Foster & Freitag 2023), for accuracy with ties. The tie threshold of each metric is
calibrated once; then a pair is right or wrong by each metric, and every permutation swaps the two
outcomes of each pair. It assumes that pairs are independent, which pairs that share an output are
not, and that the thresholds are given. So it rejects too often, increasingly with the size of the
groups: in simulations of equally good metrics at .05, 6 % of the time with 4 systems, 12 % with 8
and 16 % with 15, while `permutation_test` rejected 3 to 5 % of the time.

`williams_test` (Williams 1959; Graham & Baldwin 2014) compares two Pearson correlations with
common human scores. It assumes that (human, metric 1, metric 2) are independent draws from a
three-dimensional normal distribution. So it is for correlations of system scores, or of all
segments as one group, but not for averages over groups, nor for ranks.

`judgment_permutation_test` is for human comparisons of pairs: the five classes of counts add up
over segments, and every permutation swaps the metrics' counts of each segment.

A difference is metric 2 minus metric 1, and p is the share of permutations whose difference is at
least as large as the observed difference in absolute value: tests are two-sided by default. A
one-sided p in the direction that the data show is half as large, and its Type I error rate is twice
the level; use it only if the direction was fixed before the data were seen. The observed difference
counts as one more permutation, so that p is never 0. If there are no more permutations than
requested, all of them are made, and p is exact, with nothing added.

Swaps of single cells take the systems as given: a metric that favours some of these systems by
chance is truly better or worse for them, and the test can detect it. `permutation_test` with
unit="system" swaps all scores of a system at once, and so generalizes to other systems like these.

Metrics are ranked by the procedure of the WMT metrics tasks. They are sorted by value, then by
name; each metric joins the current cluster unless at least one member of the cluster is
significantly better; then it opens the next cluster. The rank of a metric is the number of its
cluster.

Metrics of one cluster need not be the metrics without a significant difference, since earlier
clusters are ignored: with A = B, B = C and A > C the ranks are 1, 1, 2, although B and C do not
differ significantly.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from truebleu import _core, schema
from truebleu.agreement.coefficients import (
    Coefficient,
    as_cells,
    coefficient,
    judgment_rows,
    measure_cells,
    paired_systems,
    rated_cells,
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

#: Method of a test: permutations of scores of cells, of whole systems, of outcomes of pairs or of
#: metrics on segments; or Williams' test.
Method: TypeAlias = Literal["scores", "systems", "pairs", "segments", "williams"]
#: Permutations that tests of segment scores may use.
Permute: TypeAlias = Literal["scores", "systems", "pairs"]
#: Unit of a swap: the two scores of a cell, or all scores of a system.
Unit: TypeAlias = Literal["cell", "system"]

#: Method of a test that swaps a unit.
METHODS: dict[Unit, Method] = {"cell": "scores", "system": "systems"}
# Largest rounding error of standardised scores and correlations.
ROUNDING = 1e-12
# Largest rounding error of the determinant, a sum of numbers of about 1.
NO_VARIANCE = 1e-14
#: Accuracy with calibrated ties by item, as in WMT.
ACCURACY = coefficient("acc-eq:calibrated", grouping="item")
# Limit on units whose permutations the core enumerates by a 64-bit integer.
MOST_UNITS = 62


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricTest:
    """A test of whether two metrics differ in their agreement with people.

    Attributes:
        better: the metric that agrees better, or metric 2 of a single test.
        worse: the metric that agrees worse, or metric 1 of a single test.
        difference: agreement of metric 2 minus agreement of metric 1, or None if undefined.
        p: p-value of the alternative, or None if undefined.
        p_adjusted: p-value corrected for the number of pairs of metrics.
        significant: True if the corrected p-value is at most alpha.
        reason: reason why there is no p-value or nothing to test, or None.
        alternative: "two-sided", "greater" (metric 2 is better) or "less" (metric 1 is better).
        method: name of the permutations, or "williams".
        permutations: number of permutations; 0 if p is computed without them.
        exact: True if p has no Monte-Carlo error: all permutations were made, or their
            distribution is known.
        undefined: number of permutations in which a hybrid has no value; they count as differences
            as large as the observed.
        seed: seed of the permutations.
        t: statistic of Williams' test, above 0 if metric 2 correlates better.
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
        """The smallest possible p-value."""
        if not self.permutations:
            return 0.0
        if self.exact:
            # No swap gives the observed difference, and all swaps give its negative.
            return min(1.0, (1 + (self.alternative == "two-sided")) / self.permutations)
        return smallest_p(self.permutations)

    def to_dict(self) -> dict[str, Any]:
        """Return builtin values for JSON."""
        return {**schema.to_builtins(self), "smallest_p": self.smallest_p}


@dataclass(frozen=True, slots=True, kw_only=True)
class Permutations:
    """Settings of a permutation test.

    Attributes:
        unit: unit of a swap: the two scores of a "cell", which takes the systems as given; or all
            scores of a "system", which generalizes to other systems.
        alternative: "two-sided"; or, fixed beforehand, "greater" for metric 2 being better, "less"
            for metric 1.
        permutations: number of permutations; if there are no more, all of them are made.
        seed: seed of the permutations.
    """

    unit: Unit = "cell"
    alternative: schema.Alternative = "two-sided"
    permutations: int = 10_000
    seed: schema.Seed = schema.DEFAULT_SEED

    def __post_init__(self) -> None:
        schema.check_fields(self)
        schema.require_replicates("permutations", self.permutations)

    def enumerates(self, units: int) -> bool:
        """Return whether all permutations of `units` units are enumerated."""
        return units <= MOST_UNITS and 2**units <= self.permutations

    def for_core(self, units: int) -> dict[str, Any]:
        """Return the core's settings for permutations of `units` units."""
        exact = self.enumerates(units)
        count = 2**units if exact else self.permutations
        return {"first": 0, "replicates": count, "seed": None if exact else self.seed}

    def swapped_sums(self, rows: Values) -> Values:
        """Return the sums of the swapped rows of each permutation, shaped (permutation, column)."""
        swaps = Swaps(replicates=self.permutations, seed=self.seed)
        count, exact = self.for_core(len(rows))["replicates"], self.enumerates(len(rows))
        return swaps.sums(np.ascontiguousarray(rows), 0, count, enumerated=exact)

    def test(self, method: Method, *, exact: bool, **fields: Any) -> MetricTest:
        """Return a test with these settings."""
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
        human: human scores shaped (system, segment), NaN if unrated; or one per system.
        metric1: the first metric's scores, in the shape of `human`; higher is better.
        metric2: the second metric's scores, in the shape of `human`.
        by: the coefficient of agreement. Its tie threshold must be 0 or calibrated, since a
            threshold has the unit of one metric.
        studentized: True to compare differences over their standard errors (Williams' statistic),
            for Pearson's r of one score per system. A test of plain differences rejects too often
            on few systems, since scores were standardised by their own deviation.
        options: fields of `Permutations`: unit, alternative, permutations and seed.
    """
    settings = Permutations(**options)
    if studentized and (by.name != "pearson" or by.grouping != "none"):
        raise SettingError("studentized", by.label, "Pearson's r without groups")
    if by.epsilon and not by.calibrated:
        expected = "0 or 'calibrated': permuted scores are standardised and have no unit"
        raise SettingError("epsilon", by.epsilon, expected)
    (ratings, first), (_, second) = as_cells(human, metric1), as_cells(human, metric2)
    values = [measure_cells(ratings, metric, by).value for metric in (first, second)]
    systems = settings.unit == "system"
    if systems:
        rated = rated_cells(ratings).any(axis=1)
        ratings, first, second = (np.ascontiguousarray(s[rated]) for s in (ratings, first, second))
    units = len(ratings) if systems else int(rated_cells(ratings).sum())
    test = settings.test(METHODS[settings.unit], exact=settings.enumerates(units))
    if studentized:
        cells = rated_cells(ratings)
        t = _hybrid_t(ratings[cells], first[cells], second[cells], settings)
        zeros = np.zeros_like(t)
        return hybrid_test(test, values, np.array([0.0, t[0]]), np.stack([zeros, t], 1)[1:])
    # The first row is the metrics' own values by the kernel, without swaps.
    hybrids = _core.Cells(ratings, *_exchangeable(first, second, ratings)).hybrid_values(
        by.native, systems=systems, **settings.for_core(units)
    )
    return hybrid_test(test, values, hybrids[0], hybrids[1:])


def difference_of(values: Sequence[float | None]) -> float | None:
    """Subtract the value of metric 1 from the value of metric 2; None if one is undefined."""
    value1, value2 = values
    return None if value1 is None or value2 is None else value2 - value1


def standardised(metric: Values, human: Values) -> Values:
    """Standardise a metric's scores over the rated cells; constant scores become 0."""
    rated = rated_cells(human)
    scores = metric[rated]
    if scores.size == 0 or (scores == scores[0]).all():
        return np.zeros_like(metric)
    return np.where(rated, (metric - scores.mean()) / scores.std(), 0.0)


def _exchangeable(first: Values, second: Values, human: Values) -> tuple[Values, Values]:
    """Standardise both metrics, and equalize scores that differ only by rounding.

    Ties must remain ties in hybrids: a copy of a metric in another unit, such as percent, differs
    from the metric in the last digits of its standardised scores only.
    """
    metric, other = standardised(first, human), standardised(second, human)
    scores = np.unique(metric)
    if scores.size:
        after = np.searchsorted(scores, other).clip(1, max(scores.size - 1, 1))
        below, above = scores[after - 1], scores[np.minimum(after, scores.size - 1)]
        nearest = np.where(other - below <= above - other, below, above)
        other = np.where(np.abs(other - nearest) <= ROUNDING, nearest, other)
    return metric, other


def _hybrid_t(human: Values, first: Values, second: Values, settings: Permutations) -> Values:
    """Compute Williams' statistic of two metrics, then of their hybrids; NaN if one is constant."""
    people, *metrics = ((x - x.mean()) / (x.std() or 1.0) for x in (human, first, second))
    # Terms of the sums in correlations by point; swaps do not change the products of both metrics.
    rows = np.concatenate([np.stack([x, x**2, x * people], axis=1) for x in metrics], axis=1)
    swapped_sums = np.concatenate([np.zeros((1, rows.shape[1])), settings.swapped_sums(rows)])
    changes = swapped_sums[:, 3:] - swapped_sums[:, :3]
    totals = rows.sum(axis=0)
    sums1, sums2 = totals[:3] + changes, totals[3:] - changes
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


def _williams_t(r1: Any, r2: Any, r12: Any, n: int) -> tuple[Values, Values]:
    """Compute Williams' statistic of correlations, and the variance in its denominator.

    The statistic is very large if the correlations determine each other and the variance is 0.
    """
    determinant = 1 - r1 * r1 - r2 * r2 - r12 * r12 + 2 * r1 * r2 * r12
    variance = 2 * np.maximum(determinant, 0.0) * (n - 1) / max(n - 3, 1)
    variance = variance + ((r1 + r2) / 2) ** 2 * np.maximum(1 - r12, 0.0) ** 3
    difference = (r2 - r1) * np.sqrt((n - 1) * np.maximum(1 + r12, 0.0))
    return difference / np.sqrt(np.maximum(variance, NO_VARIANCE)), variance


def hybrid_test(
    test: MetricTest, values: Sequence[float | None], observed: Values, null: Values
) -> MetricTest:
    """Return a test completed with its difference and its p-value by values of hybrids.

    An undefined hybrid (NaN) counts as a difference as large as the observed.

    Args:
        test: the test without difference and p-value.
        values: values of both metrics.
        observed: values of both metrics by the kernel of the hybrids.
        null: values of hybrids, shaped (permutation, 2).
    """
    test = replace(test, difference=difference_of(values))
    if test.difference is None:
        missing = [f"metric {n}" for n, value in enumerate(values, 1) if value is None]
        return replace(test, reason=f"the coefficient of {' and '.join(missing)} is undefined")
    difference = float(observed[1] - observed[0])
    differences = null[:, 1] - null[:, 0]
    undefined = np.isnan(differences)
    # Rounding changes the last digits of equal differences; coefficients have the scale 1.
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

    This is `permutation_test` for soft pairwise accuracy. The accuracies of the metrics and of all
    hybrids are computed by the normal approximation: a permutation test holds its level with any
    statistic, and the approximation costs hardly any power. It takes a hundredth of the time of a
    thousand permutations of signs for each hybrid.

    Args:
        human: human scores shaped (system, segment), NaN if unrated.
        metric1: the first metric's segment scores, in the shape of `human`.
        metric2: the second metric's segment scores, in the shape of `human`.
        options: fields of `Permutations`: unit, alternative, permutations and seed.
    """
    settings = Permutations(**options)
    (ratings, first), (_, second) = as_cells(human, metric1), as_cells(human, metric2)
    rated = rated_cells(ratings)
    if not paired_systems(rated).size:
        raise SettingError("human", "no segment rated for two systems", "at least one")
    systems = settings.unit == "system"
    # Centred scores have the same differences, and sums near 0 have more digits.
    people = np.where(rated, standardised(ratings, ratings), np.nan)
    cells = _core.Cells(people, standardised(first, ratings), standardised(second, ratings))
    # The enumerated permutation 0 swaps nothing.
    observed = cells.hybrid_soft_accuracies(systems=False, first=0, replicates=1, seed=None)[0]
    # Permutations of cells are too many to enumerate.
    units = len(rated) if systems else MOST_UNITS + 1
    null = cells.hybrid_soft_accuracies(systems=systems, **settings.for_core(units))
    test = settings.test(METHODS[settings.unit], exact=settings.enumerates(units))
    return hybrid_test(test, observed.tolist(), observed, null)


# --------------------------------------------------------------------------------------------------
# Comparisons of pairs.


def judgment_permutation_test(
    metric1: ArrayLike, metric2: ArrayLike, judgments: Judgments, by: Coefficient, **options: Any
) -> MetricTest:
    """Test whether two metrics agree differently well, by swapping the metrics on segments.

    Assumes that, if the metrics are equally good, their counts of a segment are exchangeable,
    independently of other segments.

    Args:
        metric1: the first metric's scores shaped (system, item); higher is better.
        metric2: the second metric's scores, in the same shape.
        judgments: the comparisons.
        by: a coefficient made of counts of pairs.
        options: fields of `Permutations`: alternative, permutations and seed.
    """
    settings = Permutations(**options)
    counts = judgment_rows([metric1, metric2], judgments, by)
    first, second = np.split(counts, 2, axis=1)
    # A swap of equal counts changes nothing.
    rows = counts[(first != second).any(axis=1)]
    swapped_sums = settings.swapped_sums(rows) if len(rows) else np.zeros((1, counts.shape[1]))
    from_first, from_second = np.split(swapped_sums, 2, axis=1)
    changes = from_second - from_first
    sums1, sums2 = first.sum(axis=0), second.sum(axis=0)
    observed = values_of_rows(by, [sums1, sums2])
    null = [values_of_rows(by, sums) for sums in (sums1 + changes, sums2 - changes)]
    test = settings.test("segments", exact=settings.enumerates(len(rows)))
    values = [None if np.isnan(value) else float(value) for value in observed]
    return hybrid_test(test, values, observed, np.stack(null, axis=1))


# --------------------------------------------------------------------------------------------------
# Outcomes of pairs.


def pair_permutation_test(
    human: ArrayLike,
    metric1: ArrayLike,
    metric2: ArrayLike,
    by: Coefficient = ACCURACY,
    **options: Any,
) -> MetricTest:
    """Test two metrics' accuracy with ties by swapping outcomes of pairs at random.

    Only discordant pairs matter, which one metric alone has right. If all groups weigh their pairs
    equally, this is a sign test, whose p-value is exact. tau-eq, which is 2 accuracy - 1, has the
    same p-value.

    Args:
        human: human scores shaped (system, segment), NaN if unrated.
        metric1: the first metric's scores, in the shape of `human`; higher is better.
        metric2: the second metric's scores, in the shape of `human`.
        by: "acc-eq" or "tau-eq", with a tie threshold or calibrated for each metric.
        options: fields of `Permutations`: alternative, permutations and seed.
    """
    settings = Permutations(**options)
    (ratings, first), (_, second) = as_cells(human, metric1), as_cells(human, metric2)
    measured = [measure_cells(ratings, metric, by) for metric in (first, second)]
    epsilons = [by.parameter if each.epsilon is None else each.epsilon for each in measured]
    outcomes = _core.Cells(ratings, first, second).pair_outcomes(
        grouping=by.grouping, epsilons=(epsilons[0], epsilons[1])
    )
    # Outcomes by size of group: cells, groups, and pairs that only metric 1 or only 2 has right.
    discordant = [outcome for outcome in outcomes if outcome[2] + outcome[3] > 0]
    difference = difference_of([each.value for each in measured])
    p, reason, exact = None, None, len(discordant) < 2
    if difference is None:
        reason = "no two cells of a group are rated"
    elif not discordant:
        p, reason = 1.0, "both metrics have the same pairs right: there is nothing to test"
    elif exact:
        _, _, only1, only2 = discordant[0]
        p = sign_test(only1, only2, settings.alternative)
    else:
        p = _weighted_p(discordant, settings, micro=by.average == "micro")
    test = settings.test("pairs", exact=exact, permutations=0 if exact else settings.permutations)
    return replace(test, difference=difference, p=p, reason=reason)


def sign_test(losses: int, wins: int, alternative: schema.Alternative = "two-sided") -> float:
    """Return the exact binomial p-value of `wins` in `wins + losses` trials with probability 1/2.

    A p-value too small for a float becomes the smallest float, since no outcome is impossible.

    >>> sign_test(1, 3), sign_test(1, 3, "greater"), sign_test(3, 1, "greater")
    (0.625, 0.3125, 0.9375)
    """
    from scipy.stats import binomtest

    p = float(binomtest(wins, wins + losses, alternative=alternative).pvalue)
    return max(p, sys.float_info.min)


def _weighted_p(
    outcomes: list[tuple[int, int, int, int]], settings: Permutations, *, micro: bool
) -> float:
    """Compute the p-value of pairs with different weights by random permutations.

    Each permutation assigns a binomial number of the discordant pairs of one weight to metric 2.
    """
    cells, _, only1, only2 = np.array(outcomes, dtype=np.int64).T
    pairs = cells * (cells - 1) / 2
    weights: Values = (cells if micro else np.ones_like(pairs)) / pairs
    coins = only1 + only2
    heads = _core.heads(
        coins.tolist(), first=0, replicates=settings.permutations, seed=settings.seed
    )
    differences = (2.0 * heads - coins) @ weights
    observed = float((only2 - only1) @ weights)
    return float(randomization_p(observed, differences, settings.alternative))


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
        human: human scores shaped (system, segment), NaN if unrated; or one per system.
        metric1: the first metric's scores, in the shape of `human`.
        metric2: the second metric's scores, in the shape of `human`.
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
    """Test two correlations with a common variable over `n` points, as `williams_test` does.

    Args:
        r1: correlation of the human scores with metric 1.
        r2: correlation of the human scores with metric 2.
        r12: correlation of the two metrics.
        n: number of points.
        alternative: alternative, as of `williams_test`.

    >>> test = williams_test_of_correlations(0.8, 0.9, 0.7, 10)
    >>> round(test.p, 4)
    0.4044
    """
    schema.require_name("alternative", alternative, schema.ALTERNATIVES)
    test = MetricTest(difference=r2 - r1, alternative=alternative, method="williams", exact=True)
    if n < 4:
        return replace(test, reason=f"{n} points leave no degrees of freedom: 4 are needed")
    statistic, variance = _williams_t(r1, r2, r12, n)
    t = float(statistic)
    if abs(r1 - r2) <= ROUNDING and 1 - r12 <= ROUNDING:
        t = 0.0  # one metric is a multiple of the other
    elif variance <= NO_VARIANCE:
        reason = "the correlations determine each other: the test has no error to compare with"
        return replace(test, reason=reason)
    from scipy.stats import t as student

    tail = {"two-sided": abs(t), "greater": t, "less": -t}[alternative]
    p = float(student.sf(tail, n - 3)) * (1 + (alternative == "two-sided"))
    return replace(test, p=p, t=t)


# --------------------------------------------------------------------------------------------------
# Ranks of metrics.


def rank_clusters(p_values: ArrayLike, alpha: float = 0.05) -> list[int]:
    """Return the rank of each metric; metrics are in order of their value, best first.

    Args:
        p_values: p-values of metric i against metric j at [i][j], i < j; the rest is ignored.
        alpha: significance level: metric i is significantly better if p <= alpha.

    >>> rank_clusters([[0, 0.3, 0.01], [0, 0, 0.2], [0, 0, 0]])
    [1, 1, 2]
    """
    p = as_probabilities("p_values", p_values)
    threshold = schema.require_alpha(alpha)
    if p.ndim != 2 or p.shape[0] != p.shape[1]:
        raise SettingError("p_values", p.shape, "a square matrix (metric, metric)")
    ranks: list[int] = []
    start = 0
    for index in range(len(p)):
        if index and (p[start:index, index] <= threshold).any():
            start = index
        ranks.append((ranks[-1] if ranks else 0) + (start == index))
    return ranks


def rank_metrics(
    values: Mapping[str, float | None],
    test: Callable[[str, str], MetricTest],
    *,
    alpha: float = 0.05,
    correction: str = "none",
) -> tuple[dict[str, int | None], tuple[MetricTest, ...]]:
    """Rank metrics by value and by a test of every pair.

    Returns the rank of each metric, best first, and all tests in order of the better metric. Ranks
    count from 1; metrics without a value come last, in order of name, with None.

    Args:
        values: agreement of each metric with people, or None if undefined.
        test: function that tests two metrics by name, the metric with the larger value first.
        alpha: significance level of the tests.
        correction: correction for the number of pairs, such as "holm"; the metrics tasks use
            "none".

    >>> test = MetricTest(difference=0.2, p=0.01, method="scores")
    >>> rank_metrics({"a": 0.5, "b": 0.7}, lambda better, worse: test)[0]
    {'b': 1, 'a': 2}
    """
    threshold = schema.require_alpha(alpha)
    defined = {name: value for name, value in values.items() if value is not None}
    order = sorted(defined, key=lambda name: (-defined[name], name))
    named = list(combinations(order, 2))
    tests = [test(better, worse) for better, worse in named]
    # A test without a p-value cannot reject.
    raw = [1.0 if tested.p is None else tested.p for tested in tests]
    adjusted = adjust(raw, correction) if raw else np.empty(0)
    matrix = np.zeros((len(order), len(order)))
    matrix[np.triu_indices(len(order), 1)] = adjusted
    pairs = []
    for (better, worse), tested, p, p_adjusted in zip(named, tests, raw, adjusted, strict=True):
        decision: Any = {"p": p, "p_adjusted": float(p_adjusted)}
        decision["significant"] = bool(p_adjusted <= threshold)
        difference = defined[better] - defined[worse]
        pairs.append(replace(tested, better=better, worse=worse, difference=difference, **decision))
    ranks: dict[str, int | None] = dict(zip(order, rank_clusters(matrix, threshold), strict=True))
    ranks.update((name, None) for name in sorted(values) if name not in defined)
    return ranks, tuple(pairs)
