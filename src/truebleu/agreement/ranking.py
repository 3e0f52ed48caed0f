"""Ranks: of metrics by their agreement with people, and of systems by human scores alone.

Metrics are ranked by the procedure of the WMT metrics tasks. They are sorted by value, names
breaking ties, and walked down: a metric joins the current cluster unless at least one member of it
is significantly better, in which case it opens the next. The rank of a metric is the number of its
cluster.

Clusters are not groups of metrics that can't be told apart, since earlier clusters are forgotten:
with A = B, B = C and A > C the ranks are 1, 1, 2 although B and C are not told apart.

Systems are ranked as the WMT findings do it. To win over another, a system needs the higher mean
and a test on the segments rated for both.

- "wmt22" and before: Mann & Whitney's U, one-sided; the two sets of scores count as independent
  samples. A line is drawn after a system if every system above it, up to the last line, wins
  against all systems below it.
- "wmt24": Wilcoxon's signed ranks, two-sided, by domain; the domains' p-values are combined by
  Stouffer's method, and the mean of a system is the mean of its domains' means. A line is
  drawn where all systems above are told apart from all below.
- "wmt25": Wilcoxon's signed ranks, one-sided. A system's range of ranks grows outwards from its
  place until the first significant difference on either side; a line is drawn where no range
  crosses. Two ratings of a segment are two columns of scores here.

All of them assume independent segments, and Wilcoxon's test that differences are symmetric around
their median. None of them corrects for the number of pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from truebleu._settings import require_alpha, require_name
from truebleu.agreement.coefficients import as_human, rated_cells
from truebleu.errors import SettingError
from truebleu.resampling import as_probabilities
from truebleu.significance.corrections import adjust
from truebleu.significance.pairs import rank_ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.agreement.tests import MetricTest
    from truebleu.resampling import Values

__all__ = ["rank_metrics", "rank_systems"]

#: Procedures by which WMT ranks systems.
Procedure: TypeAlias = Literal["wmt22", "wmt24", "wmt25"]

PROCEDURES: tuple[Procedure, ...] = get_args(Procedure)


class RankedMetrics(NamedTuple):
    """Metrics, best first, with the ranks of their clusters and the tests between them.

    Attributes:
        ranks: the number of each one's cluster, from 1; metrics without a value come last, in order
            of name, and have none.
        pairs: every test, the better metrics first.
    """

    ranks: Mapping[str, int | None]
    pairs: tuple[MetricTest, ...]


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
    threshold = require_alpha(alpha)
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
) -> RankedMetrics:
    """Rank metrics by value and by a test of every pair.

    Args:
        values: how well each metric agrees with people; None where that is undefined.
        test: given the names of a metric and of one that agrees no better, a test of whether they
            truly differ.
        alpha: the level of the tests.
        correction: for the number of pairs, by a name that `adjust` knows, such as "holm". The
            metrics tasks correct for nothing.

    >>> from truebleu.agreement.tests import MetricTest
    >>> test = MetricTest(difference=0.2, p=0.01, method="scores")
    >>> dict(rank_metrics({"a": 0.5, "b": 0.7}, lambda better, worse: test).ranks)
    {'b': 1, 'a': 2}
    """
    threshold = require_alpha(alpha)
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
    return RankedMetrics(ranks, pairs)


# --------------------------------------------------------------------------------------------------
# Systems.


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedSystem:
    """One system among the others.

    Attributes:
        name: the system.
        mean: its human score.
        rank_range: the best and the worst rank it may have.
        cluster: the number of its cluster, from 1, the best first.
        wins: how many systems it is significantly better than.
        losses: how many are significantly better than it.
    """

    name: str
    mean: float
    rank_range: tuple[int, int]
    cluster: int
    wins: int
    losses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanRanking:
    """All systems, best first.

    Attributes:
        procedure: whose rules were followed.
        alpha: the level of the tests.
        systems: the systems, by falling mean.
        unrated: systems without any human score, which have no rank.
        p_values: a row for each system, best first: p of its being better than the column's (or,
            in "wmt24", different from it); None for itself and where no segment is rated for both.
    """

    procedure: Procedure
    alpha: float
    systems: tuple[RankedSystem, ...]
    unrated: tuple[str, ...]
    p_values: tuple[tuple[float | None, ...], ...]


def rank_systems(
    names: Sequence[str],
    human: ArrayLike,
    *,
    procedure: Procedure = "wmt25",
    domains: Sequence[str] | None = None,
    alpha: float = 0.05,
) -> HumanRanking:
    """Rank systems by their human scores.

    Args:
        names: the systems.
        human: their scores shaped (system, segment), NaN where nobody rated; higher is better.
        procedure: one of PROCEDURES.
        domains: the domain of each segment, with "wmt24" only; without it there is one domain.
        alpha: the level of the tests.
    """
    require_name("procedure", procedure, PROCEDURES)
    require_alpha(alpha)
    scores = as_human(human)
    if len(names) != len(scores):
        raise SettingError("names", len(names), f"one for each of {len(scores)} rows of scores")
    masks = _domain_masks(domains, scores.shape[1], procedure)
    means = np.array([_mean(row, masks) for row in scores])
    rated = np.flatnonzero(~np.isnan(means))
    if len(rated) < 2:
        raise SettingError("systems with human scores", len(rated), "at least two")
    order = sorted(map(int, rated), key=lambda number: (-means[number], names[number]))
    p = _p_values(scores[order], masks, procedure)
    systems = _ranked([names[number] for number in order], means[order], p, procedure, alpha)
    return HumanRanking(
        procedure=procedure,
        alpha=alpha,
        systems=systems,
        unrated=tuple(name for name, mean in zip(names, means, strict=True) if math.isnan(mean)),
        p_values=tuple(
            tuple(None if math.isnan(value) else float(value) for value in row) for row in p
        ),
    )


def _domain_masks(
    domains: Sequence[str] | None, segments: int, procedure: Procedure
) -> list[NDArray[np.bool_]]:
    """Which segments are in each domain."""
    if domains is None:
        return [np.ones(segments, dtype=np.bool_)]
    if procedure != "wmt24":
        raise SettingError("domains", "given", f"none with {procedure!r}, which takes all together")
    if len(domains) != segments:
        raise SettingError("domains", len(domains), f"one for each of {segments} segments")
    labels = np.asarray(domains)
    return [labels == name for name in dict.fromkeys(domains)]


def _mean(scores: Values, masks: list[NDArray[np.bool_]]) -> float:
    """The mean of the domains' means; NaN without any score. One domain is a plain mean."""
    kept = [scores[mask & ~np.isnan(scores)] for mask in masks]
    means = [part.mean() for part in kept if part.size]
    return float(np.mean(means)) if means else math.nan


def _p_values(scores: Values, masks: list[NDArray[np.bool_]], procedure: Procedure) -> Values:
    """The p of each row's system being better than each column's; NaN where it can't be tested."""
    count = len(scores)
    rated = rated_cells(scores)
    p = np.full((count, count), np.nan)
    for a in range(count):
        for b in range(count):
            both = rated[a] & rated[b]
            if a == b or not both.any():
                continue
            if procedure == "wmt22":
                p[a, b] = _mann_whitney(scores[a, both], scores[b, both])
            elif procedure == "wmt25":
                p[a, b] = _signed_ranks(scores[a, both] - scores[b, both], "greater")
            elif a < b:
                parts = [scores[a, both & mask] - scores[b, both & mask] for mask in masks]
                # A domain in which the two never differ says nothing, neither for nor against.
                tests = [_signed_ranks(part, "two-sided") for part in parts if part.any()]
                p[a, b] = p[b, a] = stouffer(tests) if tests else 1.0
    return p


def stouffer(p_values: Sequence[float]) -> float:
    """One p-value of several: the sum of their normal quantiles over the root of their number.

    >>> round(stouffer([0.05, 0.05]), 4)
    0.01
    """
    from scipy.stats import combine_pvalues

    # A p-value of 1 has no finite quantile, and outweighs all others: together they are 1 too.
    if len(p_values) == 1 or max(p_values) >= 1:
        return max(p_values)
    return float(combine_pvalues(p_values, method="stouffer").pvalue)


def _mann_whitney(first: Values, second: Values) -> float:
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(first, second, alternative="greater").pvalue)


def _signed_ranks(differences: Values, alternative: str) -> float:
    """Wilcoxon's test, zeros dropped; 1 where nothing is left, as nothing then speaks against."""
    from scipy.stats import wilcoxon

    if not differences.any():
        return 1.0
    return float(wilcoxon(differences, alternative=alternative).pvalue)


def _ranked(
    names: Sequence[str], means: Values, p: Values, procedure: Procedure, alpha: float
) -> tuple[RankedSystem, ...]:
    """Ranges and clusters of systems given best first."""
    with np.errstate(invalid="ignore"):
        better = (p < alpha) & (means[:, np.newaxis] > means)
        ranges = _ranges_from_place(p < alpha) if procedure == "wmt25" else rank_ranges(better)
        # A pair that can't be tested is not told apart.
        separated = p <= alpha
    if procedure == "wmt25":
        lines = _lines_by_ranges(ranges)
    elif procedure == "wmt24":
        lines = _lines(len(p), lambda cluster, end: separated[cluster, end:].all())
    else:
        # The fewest wins in the cluster are all systems below.
        wins = better.sum(axis=1)
        lines = _lines(len(p), lambda cluster, end: wins[cluster].min() == len(wins) - end)
    clusters = 1 + np.cumsum([False, *lines[:-1]])
    return tuple(
        RankedSystem(
            name=name,
            mean=float(means[place]),
            rank_range=ranges[place],
            cluster=int(clusters[place]),
            wins=int(better[place].sum()),
            losses=int(better[:, place].sum()),
        )
        for place, name in enumerate(names)
    )


def _ranges_from_place(significant: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """From each place up and down to the first significant difference."""
    count = len(significant)
    ranges = []
    for place in range(count):
        best = worst = place
        while best > 0 and not significant[best - 1, place]:
            best -= 1
        while worst < count - 1 and not significant[place, worst + 1]:
            worst += 1
        ranges.append((best + 1, worst + 1))
    return ranges


def _lines(count: int, ends: Callable[[slice, int], np.bool_]) -> list[bool]:
    """Whether a line follows each place: the cluster up to it ends there."""
    lines: list[bool] = []
    start = 0
    for place in range(count):
        lines.append(bool(ends(slice(start, place + 1), place + 1)))
        if lines[-1]:
            start = place + 1
    return lines


def _lines_by_ranges(ranges: list[tuple[int, int]]) -> list[bool]:
    """Whether a line follows each place: ranges above end there, ranges below start after it."""
    return [
        all(worst <= place for _, worst in ranges[:place])
        and all(best > place for best, _ in ranges[place:])
        for place in range(1, len(ranges) + 1)
    ]
