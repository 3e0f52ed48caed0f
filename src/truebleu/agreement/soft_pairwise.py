"""Soft pairwise accuracy: are a metric and people equally sure which of two systems is better?

SPA (Thompson et al. 2024) is the mean over pairs of systems i < j of 1 - |p_h - p_m|, where p_h and
p_m are the one-sided p-values, from human and from metric scores, of a paired permutation test that
i is better than j. Unlike accuracy it does not ask a metric to order systems that people can't tell
apart.

For systems i and j, x_ik - x_jk is the difference on segment k. Were they equally good, each
difference might as well have the other sign: p is the share of permutations, signs w, for which
sum_k w_k (x_ik - x_jk) is no less than the observed sum_k (x_ik - x_jk). It is small if i is
better, and counts ties, so that a system against its copy has p = 1. It is the definition's share,
without the 1 added to a test's p-value. Both sides use the segments that people rated for both
systems of a pair, and the same permutations.

Intervals and tests need thousands of accuracies. They use the normal approximation: the sum of n
differences with random signs has mean 0 and the sum of squared differences for variance, so that
from some dozens of segments on p is about 1 - Phi(sum d / sqrt(sum d^2)). Both sums are over
segments, and nothing needs to be permuted.

Segments are assumed to be independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from truebleu import _core
from truebleu.agreement.bootstrap import (
    BLOCK_SIZE,
    Replicates,
    Resample,
    require_resample,
    units_of_judged,
)
from truebleu.agreement.coefficients import (
    MetricAgreement,
    as_cells,
    as_human,
    as_metric,
    rated_cells,
)
from truebleu.agreement.tests import (
    METHODS,
    MOST_COINS,
    MetricTest,
    Unit,
    hybrid_test,
    require_permutations,
    standardised,
)
from truebleu.errors import SettingError
from truebleu.resampling import TIE_TOLERANCE, Bootstrap, Swaps, on_exact_grid
from truebleu.schema import DEFAULT_SEED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.resampling import Values
    from truebleu.schema import Alternative

__all__ = ["soft_pairwise_accuracy", "soft_pairwise_test"]

# With 1,000 permutations, as the metrics tasks have it, the value changes by 0.002 or so from seed
# to seed; with these by a tenth of that.
PERMUTATIONS = 100_000


def soft_pairwise_accuracy(
    human: ArrayLike,
    metrics: Mapping[str, ArrayLike],
    *,
    permutations: int = PERMUTATIONS,
    seed: int = DEFAULT_SEED,
) -> dict[str, MetricAgreement]:
    """Soft pairwise accuracy of metrics, all by the same permutations.

    Groups are pairs of systems here: those that share no rated segment are undefined.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated.
        metrics: the scores of each metric by its name, shaped alike; higher is better.
        permutations: of signs; all of them are made where they are no more than these.
        seed: of the permutations.

    >>> human = [[0, -1, 0, -5], [-1, -1, -5, 0], [-5, -2, -1, -6]]
    >>> metric = [[60, 50, 55, 20], [55, 52, 40, 30], [10, 30, 30, 25]]
    >>> soft_pairwise_accuracy(human, {"metric": metric})["metric"].value
    0.875
    """
    ratings = as_human(human)
    if len(ratings) < 2:
        raise SettingError("systems", len(ratings), "at least two: accuracy is about pairs")
    scores = [as_metric(name, metric, ratings) for name, metric in metrics.items()]
    rated = rated_cells(ratings)
    matrices = np.stack([np.where(rated, ratings, 0.0), *scores])
    tested = paired_permutations(matrices, rated, Swaps(replicates=permutations, seed=seed))
    people, *others = tested.p_values
    notes = () if tested.pairs else ("no two systems share a rated segment",)
    return {
        name: MetricAgreement(
            metric=name,
            value=float(1 - np.abs(p - people).mean()) if tested.pairs else None,
            groups=len(tested.pairs),
            undefined_groups=comb(len(ratings), 2) - len(tested.pairs),
            notes=notes,
        )
        for name, p in zip(metrics, others, strict=True)
    }


# --------------------------------------------------------------------------------------------------
# Paired permutation tests of all pairs of systems.


@dataclass(frozen=True, slots=True, eq=False)
class PairedPermutations:
    """The p-values of all pairs of systems, i < j in order, and how they came about.

    Attributes:
        p_values: shaped (matrix, pair); only pairs with a segment rated for both.
        pairs: the systems of each of these pairs.
        permutations: how many were made.
        exact: these are all there are.
    """

    p_values: Values
    pairs: tuple[tuple[int, int], ...]
    permutations: int
    exact: bool


def paired_permutations(
    matrices: Values, rated: NDArray[np.bool_], swaps: Swaps
) -> PairedPermutations:
    """Test all pairs of systems by every matrix of scores, all with the same permutations.

    Args:
        matrices: finite scores shaped (matrix, system, segment).
        rated: the cells that count, shaped (system, segment).
        swaps: how many permutations, and the seed; fewer where all of them are fewer.
    """
    shared = rated.sum(axis=0) >= 2
    rated, matrices = rated[:, shared], matrices[:, :, shared]
    count, _, segments = matrices.shape
    first, second = paired_systems(rated)
    exact = swaps.enumerates(segments)
    permutations = 2**segments if exact else swaps.replicates
    p_values = np.empty((count, len(first)))
    size = max(1, BLOCK_SIZE // (count * max(segments, 1)))
    for start in range(0, len(first), size):
        chosen = slice(start, start + size)
        left, right = first[chosen], second[chosen]
        differences = (matrices[:, left] - matrices[:, right]) * (rated[left] & rated[right])
        # Below which size a sum is 0 but for rounding: decimal scores such as 0.1 add up to nearly,
        # not exactly, the same, and among human scores, which have few values, ties are common.
        margins = TIE_TOLERANCE * np.abs(differences).sum(axis=2)
        reached = _core.Rows(on_exact_grid(differences.reshape(-1, segments).T)).count_at_most(
            margins.ravel().tolist(),
            first=0,
            replicates=permutations,
            seed=None if exact else swaps.seed,
        )
        p_values[:, chosen] = reached.reshape(count, -1) / permutations
    pairs = tuple(zip(first.tolist(), second.tolist(), strict=True))
    return PairedPermutations(p_values, pairs, permutations, exact)


def paired_systems(rated: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The pairs of systems that share a rated segment, shaped (2, pair)."""
    return np.stack(np.nonzero(np.triu(rated @ rated.T, 1)))


# --------------------------------------------------------------------------------------------------
# Intervals and tests.


def bootstrap_soft_pairwise(
    human: ArrayLike,
    metrics: Mapping[str, ArrayLike],
    observed: Mapping[str, float | None],
    *,
    resample: Resample = "segments",
    documents: Sequence[str] | None = None,
    replicates: int,
    seed: int,
) -> Replicates:
    """Soft pairwise accuracy of metrics on bootstrap replicates of segments or documents.

    The value depends on the number of segments: with ever more of them all p-values become 0 or 1.
    So the interval is about test sets of this size. A replicate is a sample of a sample, whose
    p-values are further apart than those of the data: replicates lie lower than the value on
    average, often by a quarter of the interval's width. Percentiles are right nonetheless: of test
    sets of 200 segments drawn from wmt21 en-de, about 95 % of the intervals covered the mean of all
    such test sets, but 75 % of those that were mirrored at the value.

    Replicates are moved so that they lie around the observed value as they lie around that of the
    normal approximation.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated.
        metrics: the scores of each metric by its name, shaped alike; higher is better.
        observed: the value of each metric.
        resample: "segments" or "documents": with drawn systems it would be another statistic.
        documents: the document of each segment, with "documents".
        replicates: how many.
        seed: of the replicates.
    """
    require_resample(resample, replicates, seed)
    missing = [name for name in metrics if name not in observed]
    if missing:
        raise SettingError("observed", list(observed), f"the value of {missing[0]!r} among them")
    ratings = as_human(human)
    rated = rated_cells(ratings)
    pairs = paired_systems(rated)
    # Segments that nobody rated are no part of what the interval is about.
    segments = np.flatnonzero(rated.any(axis=0))
    where = "for soft pairwise accuracy"
    units = units_of_judged(resample, ratings.shape[1], documents, segments, where)
    values = np.full((replicates, len(metrics)), np.nan)
    chosen = [number for number, name in enumerate(metrics) if observed[name] is not None]
    if not pairs.size or not chosen:
        return Replicates(observed, values)
    names = list(metrics)
    left, right = pairs
    both = (rated[left] & rated[right]).T
    bootstrap = Bootstrap(replicates=replicates, seed=seed)

    def by_unit(*columns: Values) -> Values:
        return on_exact_grid(units.add_up(np.concatenate(columns, axis=1)[segments]))

    def moments(scores: Values) -> tuple[Values, Values]:
        """By segment, the differences of all pairs and their squares."""
        differences = (scores[left] - scores[right]).T * both
        return differences, differences**2

    def p_values(rows: Values, start: int, count: int) -> Values:
        """Of all pairs: on the whole test set, then on some replicates."""
        drawn = bootstrap.sums(rows, units, start, count)
        sums = np.concatenate([rows.sum(axis=0)[np.newaxis], drawn])
        parts = sums.reshape(1 + count, 2, -1)
        totals, squares = parts[:, 0], parts[:, 1]
        return _core.one_sided_p(totals.ravel(), squares.ravel()).reshape(totals.shape)

    shared_rows = by_unit(both.astype(np.float64))
    people_rows = by_unit(*moments(np.where(rated, ratings, 0.0)))
    # One metric and some replicates at a time: all of them would fill the memory.
    size = max(1, BLOCK_SIZE // (2 * pairs.shape[1]))
    for start in range(0, replicates, size):
        count = min(size, replicates - start)
        drawn = bootstrap.sums(shared_rows, units, start, count)
        shared = np.concatenate([shared_rows.sum(axis=0)[np.newaxis], drawn]) > 0
        people = p_values(people_rows, start, count)
        for number in chosen:
            scores = as_metric(names[number], metrics[names[number]], ratings)
            p = p_values(by_unit(*moments(scores)), start, count)
            centre, *replicated = _accuracies(p, people, shared)
            moved = np.array(replicated) - centre + observed[names[number]]
            values[start : start + count, number] = moved.clip(0.0, 1.0)
    return Replicates(observed, values)


def _accuracies(metric: Values, people: Values, shared: NDArray[np.bool_]) -> Values:
    """1 - mean |p_h - p_m| of each replicate, over the pairs that it has.

    NaN where no segment of a replicate is rated for two systems.
    """
    distances = np.where(shared, np.abs(metric - people), 0.0).sum(axis=1)
    count = shared.sum(axis=1)
    return np.where(count > 0, 1 - distances / np.maximum(count, 1), np.nan)


def soft_pairwise_test(
    human: ArrayLike,
    metric1: ArrayLike,
    metric2: ArrayLike,
    *,
    unit: Unit = "cell",
    alternative: Alternative = "two-sided",
    permutations: int = 1000,
    seed: int = DEFAULT_SEED,
) -> MetricTest:
    """Test whether two metrics differ in soft pairwise accuracy, by swapping segment scores.

    This is `truebleu.agreement.tests.permutation_test` for this accuracy. That of each hybrid is by
    the normal approximation, and the observed accuracies are approximated alike: a permutation test
    holds its level whatever the statistic is, so that this costs hardly any power. It takes a
    hundredth of the time that a thousand permutations of signs for each hybrid take.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated.
        metric1: the first metric's segment scores, shaped alike.
        metric2: the second metric's.
        unit: what is swapped together: the two scores of a "cell", which takes the systems as
            given; or all scores of a "system", to say something about other systems too.
        alternative: "two-sided"; or, fixed beforehand, "greater" for metric 2 being better, "less"
            for metric 1.
        permutations: swaps of scores; with systems all of them are made where they are no more.
        seed: of the swaps.
    """
    require_permutations(unit, permutations, seed)
    (ratings, first), (_, second) = as_cells(human, metric1), as_cells(human, metric2)
    rated = rated_cells(ratings)
    if not paired_systems(rated).size:
        raise SettingError("human", "no segment rated for two systems", "at least one")
    exact = unit == "system" and len(rated) <= MOST_COINS and 2 ** len(rated) <= permutations
    # Moving all scores leaves differences alone, and their sums have more digits near 0.
    people = np.where(rated, standardised(ratings, ratings), np.nan)
    cells = _core.Cells(people, standardised(first, ratings), standardised(second, ratings))
    # The draw that swaps nothing.
    observed = cells.hybrid_soft_accuracies(systems=False, first=0, replicates=1, seed=None)[0]
    null = cells.hybrid_soft_accuracies(
        systems=unit == "system",
        first=0,
        replicates=2 ** len(rated) if exact else permutations,
        seed=None if exact else seed,
    )
    test = MetricTest(alternative=alternative, method=METHODS[unit], exact=exact, seed=seed)
    return hybrid_test(test, observed.tolist(), observed, null)
