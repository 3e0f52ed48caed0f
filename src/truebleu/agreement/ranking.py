"""Ranks of systems by human scores alone, as the WMT findings make them.

To win over another, a system needs the higher mean
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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from truebleu.agreement.coefficients import as_human, rated_cells
from truebleu.errors import SettingError
from truebleu.schema import require_alpha, require_name
from truebleu.significance.pairs import rank_ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.resampling import Values

__all__ = ["rank_systems"]

#: Procedures by which WMT ranks systems.
Procedure: TypeAlias = Literal["wmt22", "wmt24", "wmt25"]

PROCEDURES: tuple[Procedure, ...] = get_args(Procedure)


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
    wins, bounds = better.sum(axis=1), np.array(ranges)
    ends: Callable[[slice, int], np.bool_] = {
        # The fewest wins in the cluster are all systems below.
        "wmt22": lambda cluster, end: wins[cluster].min() == len(wins) - end,
        "wmt24": lambda cluster, end: separated[cluster, end:].all(),
        # Ranges above end there, ranges below start after it.
        "wmt25": lambda _, end: (bounds[:end, 1] <= end).all() & (bounds[end:, 0] > end).all(),
    }[procedure]
    clusters, start = [1], 0
    for place in range(1, len(p)):
        is_line = bool(ends(slice(start, place), place))
        start = place if is_line else start
        clusters.append(clusters[-1] + is_line)
    return tuple(
        RankedSystem(
            name=name,
            mean=float(means[place]),
            rank_range=ranges[place],
            cluster=clusters[place],
            wins=int(wins[place]),
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
