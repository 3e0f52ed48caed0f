"""Ranks of systems by human scores alone, as in the WMT findings.

A system wins against another if its mean is higher and a test on the segments rated for both is
significant.

- "wmt22" and before: Mann & Whitney's U, one-sided; the two sets of scores count as independent
  samples. A cluster ends after a system if every system in it wins against all systems below.
- "wmt24": Wilcoxon's signed ranks, two-sided, by domain; the domains' p-values are combined by
  Stouffer's method, and the mean of a system is the mean of its domains' means. A cluster ends if
  all its systems differ significantly from all systems below.
- "wmt25": Wilcoxon's signed ranks, one-sided. A system's range of ranks extends from its rank by
  the mean to the first significant difference on either side; a cluster ends between two ranks if
  no range crosses them. Two ratings of a segment are two columns of scores here.

All procedures assume independent segments, and Wilcoxon's test assumes that differences are
symmetric around their median. None of the procedures corrects for the number of pairs.
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
    """One ranked system.

    Attributes:
        name: name of the system.
        mean: mean human score.
        rank_range: best and worst rank that the system may have.
        cluster: number of the system's cluster; 1 is the best.
        wins: number of systems that are significantly worse.
        losses: number of systems that are significantly better.
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
        procedure: name of the WMT procedure.
        alpha: significance level of the tests.
        systems: the systems by descending mean.
        unrated: systems without a human score, which have no rank.
        p_values: p-values by row and column of `systems`: that the row's system is better than the
            column's ("wmt24": different); None on the diagonal and without common segments.
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
        names: names of the systems.
        human: human scores shaped (system, segment), NaN if unrated; higher is better.
        procedure: a name in PROCEDURES.
        domains: domain of each segment, with "wmt24" only; None means a single domain.
        alpha: significance level of the tests.
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
    systems = _rank([names[number] for number in order], means[order], p, procedure, alpha)
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
    """Return a mask of the segments of each domain."""
    if domains is None:
        return [np.ones(segments, dtype=np.bool_)]
    if procedure != "wmt24":
        raise SettingError("domains", "given", f"None with {procedure!r}, which pools all domains")
    if len(domains) != segments:
        raise SettingError("domains", len(domains), f"one for each of {segments} segments")
    labels = np.asarray(domains)
    return [labels == name for name in dict.fromkeys(domains)]


def _mean(scores: Values, masks: list[NDArray[np.bool_]]) -> float:
    """Average the domains' mean scores; NaN without any score."""
    by_domain = [scores[mask & ~np.isnan(scores)] for mask in masks]
    means = [domain.mean() for domain in by_domain if domain.size]
    return float(np.mean(means)) if means else math.nan


def _p_values(scores: Values, masks: list[NDArray[np.bool_]], procedure: Procedure) -> Values:
    """Compute the p-value of each row's system being better than each column's; NaN if untested."""
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
                # A domain in which the two never differ is left out.
                tests = [_signed_ranks(part, "two-sided") for part in parts if part.any()]
                p[a, b] = p[b, a] = stouffer(tests) if tests else 1.0
    return p


def stouffer(p_values: Sequence[float]) -> float:
    """Combine p-values: the sum of their normal quantiles over the square root of their number.

    >>> round(stouffer([0.05, 0.05]), 4)
    0.01
    """
    from scipy.stats import combine_pvalues

    # The quantile of a p-value of 1 is infinite and outweighs all others: the combined p is 1 too.
    if len(p_values) == 1 or max(p_values) >= 1:
        return max(p_values)
    return float(combine_pvalues(p_values, method="stouffer").pvalue)


def _mann_whitney(first: Values, second: Values) -> float:
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(first, second, alternative="greater").pvalue)


def _signed_ranks(differences: Values, alternative: str) -> float:
    """Return the p-value of Wilcoxon's test without zeros; 1 if all differences are 0."""
    from scipy.stats import wilcoxon

    if not differences.any():
        return 1.0
    return float(wilcoxon(differences, alternative=alternative).pvalue)


def _rank(
    names: Sequence[str], means: Values, p: Values, procedure: Procedure, alpha: float
) -> tuple[RankedSystem, ...]:
    """Compute rank ranges and clusters of systems in order of their mean, best first."""
    with np.errstate(invalid="ignore"):
        better = (p < alpha) & (means[:, np.newaxis] > means)
        ranges = _ranges_from_place(p < alpha) if procedure == "wmt25" else rank_ranges(better)
        # NaN, the p-value of an untested pair, is not significant.
        separated = p <= alpha
    wins, bounds = better.sum(axis=1), np.array(ranges)
    ends: Callable[[slice, int], np.bool_] = {
        # Every system of the cluster wins against all systems below.
        "wmt22": lambda cluster, end: wins[cluster].min() == len(wins) - end,
        "wmt24": lambda cluster, end: separated[cluster, end:].all(),
        # Ranges above end at `end`, and ranges below start after it.
        "wmt25": lambda _, end: (bounds[:end, 1] <= end).all() & (bounds[end:, 0] > end).all(),
    }[procedure]
    clusters, start = [1], 0
    for index in range(1, len(p)):
        is_line = bool(ends(slice(start, index), index))
        start = index if is_line else start
        clusters.append(clusters[-1] + is_line)
    return tuple(
        RankedSystem(
            name=name,
            mean=float(means[index]),
            rank_range=ranges[index],
            cluster=clusters[index],
            wins=int(wins[index]),
            losses=int(better[:, index].sum()),
        )
        for index, name in enumerate(names)
    )


def _ranges_from_place(significant: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Extend each system's ranks up and down to the first significant difference."""
    count = len(significant)
    ranges = []
    for index in range(count):
        best = worst = index
        while best > 0 and not significant[best - 1, index]:
            best -= 1
        while worst < count - 1 and not significant[index, worst + 1]:
            worst += 1
        ranges.append((best + 1, worst + 1))
    return ranges
