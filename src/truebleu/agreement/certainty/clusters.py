"""Ranks of metrics: who is better by value, and where a line is drawn between them.

The procedure of the WMT metrics tasks. Metrics are sorted by value, names breaking ties, and
walked down: a metric joins the current cluster unless at least one member of it is significantly
better, in which case it opens the next. The rank of a metric is the number of its cluster.

Clusters are not groups of metrics that can't be told apart, since earlier clusters are forgotten:
with A = B, B = C and A > C the ranks are 1, 1, 2 although B and C are not told apart.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.errors import SettingError
from truebleu.inference.arguments import as_probabilities, require_alpha
from truebleu.inference.multiplicity import adjust

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricPair:
    """A metric tested against one that agrees no better with people.

    Attributes:
        better: the metric with the higher value.
        worse: the other.
        difference: by how much it is higher.
        p: one-sided, that it is truly better.
        adjusted_p: p corrected for the number of pairs.
        significant: whether the corrected p is no more than alpha.
    """

    better: str
    worse: str
    difference: float
    p: float
    adjusted_p: float
    significant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedMetrics:
    """Metrics, best first, with the ranks of their clusters and the tests between them.

    Attributes:
        order: names of the metrics that have a value, best first.
        values: their values.
        ranks: the number of each one's cluster, from 1.
        undefined: metrics without a value, in order of name; they have no rank.
        pairs: every test, the better metrics first.
        correction: how p-values were corrected for the number of pairs.
        alpha: the level of the tests.
    """

    order: tuple[str, ...]
    values: tuple[float, ...]
    ranks: tuple[int, ...]
    undefined: tuple[str, ...]
    pairs: tuple[MetricPair, ...]
    correction: str
    alpha: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def rank_clusters(p_values: ArrayLike, alpha: float = 0.05) -> list[int]:
    """The rank of each metric, metrics given best first.

    Args:
        p_values: p_values[i][j], i < j, is the p-value that metric i is better than metric j; the
            rest is not looked at.
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
    test: Callable[[str, str], float],
    *,
    alpha: float = 0.05,
    correction: str = "none",
) -> RankedMetrics:
    """Rank metrics by value and by a test of every pair.

    Args:
        values: how well each metric agrees with people; None where that is undefined.
        test: given the names of a metric and of one that agrees no better, the one-sided p-value
            that the first is truly better.
        alpha: the level of the tests.
        correction: for the number of pairs, by a name that `adjust` knows, such as "holm". The
            metrics tasks correct for nothing.

    >>> rank_metrics({"a": 0.5, "b": 0.7}, lambda better, worse: 0.01).order
    ('b', 'a')
    """
    threshold = require_alpha(alpha)
    defined = {name: value for name, value in values.items() if value is not None}
    order = sorted(defined, key=lambda name: (-defined[name], name))
    pairs = list(combinations(range(len(order)), 2))
    raw = np.array([test(order[a], order[b]) for a, b in pairs], dtype=np.float64)
    adjusted = adjust(raw, correction)
    matrix = np.zeros((len(order), len(order)))
    for (a, b), p in zip(pairs, adjusted, strict=True):
        matrix[a, b] = p
    return RankedMetrics(
        order=tuple(order),
        values=tuple(defined[name] for name in order),
        ranks=tuple(rank_clusters(matrix, threshold)),
        undefined=tuple(sorted(name for name, value in values.items() if value is None)),
        pairs=tuple(
            MetricPair(
                better=order[a],
                worse=order[b],
                difference=defined[order[a]] - defined[order[b]],
                p=float(p),
                adjusted_p=float(corrected),
                significant=bool(corrected <= threshold),
            )
            for (a, b), p, corrected in zip(pairs, raw, adjusted, strict=True)
        ),
        correction=correction,
        alpha=threshold,
    )
