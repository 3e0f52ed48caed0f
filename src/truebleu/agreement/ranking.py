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
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from truebleu._settings import require_alpha
from truebleu.agreement.coefficients import as_human, rated_cells
from truebleu.errors import SettingError, UnknownNameError
from truebleu.resampling import Values, as_probabilities
from truebleu.significance.corrections import adjust
from truebleu.significance.pairs import rank_ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.agreement.tests import MetricTest


#: Procedures by which WMT ranks systems.
Procedure: TypeAlias = Literal["wmt22", "wmt24", "wmt25"]

PROCEDURES: tuple[Procedure, ...] = get_args(Procedure)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricPair:
    """A metric tested against one that agrees no better with people.

    Attributes:
        better: the metric with the higher value.
        worse: the other.
        difference: by how much it is higher.
        test: whether they truly differ.
        p_adjusted: p corrected for the number of pairs.
        significant: whether the corrected p is no more than alpha.
    """

    better: str
    worse: str
    difference: float
    test: MetricTest
    p_adjusted: float
    significant: bool

    @property
    def p(self) -> float:
        """The p-value; 1 where there is nothing to test."""
        return 1.0 if self.test.p is None else self.test.p

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "better": self.better,
            "worse": self.worse,
            "difference": self.difference,
            "p": self.p,
            "p_adjusted": self.p_adjusted,
            "significant": self.significant,
            "exact": self.test.exact,
            "permutations": self.test.permutations,
            "smallest_p": self.test.smallest_p,
            "alternative": self.test.alternative,
            "reason": self.test.reason,
        }


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
    >>> test = MetricTest(value1=0.5, value2=0.7, p=0.01, method="scores")
    >>> rank_metrics({"a": 0.5, "b": 0.7}, lambda better, worse: test).order
    ('b', 'a')
    """
    tested = TestedMetrics.of(values, test)
    adjusted = adjust(tested.p_values, correction)
    return tested.ranked(adjusted, alpha=alpha, correction=correction)


@dataclass(frozen=True, slots=True)
class TestedMetrics:
    """Metrics tested pair by pair, before p-values are corrected, alone or with other questions'.

    Attributes:
        values: of the metrics that have one, best first.
        undefined: metrics without a value, in order of name.
        tests: of all pairs, the better metrics first.
    """

    __test__: ClassVar[bool] = False  # not a test of pytest's

    values: Mapping[str, float]
    undefined: tuple[str, ...]
    tests: tuple[MetricTest, ...]

    @classmethod
    def of(
        cls, values: Mapping[str, float | None], test: Callable[[str, str], MetricTest]
    ) -> TestedMetrics:
        """Test every pair; see `rank_metrics`."""
        defined = {name: value for name, value in values.items() if value is not None}
        order = sorted(defined, key=lambda name: (-defined[name], name))
        return cls(
            values={name: defined[name] for name in order},
            undefined=tuple(sorted(name for name, value in values.items() if value is None)),
            tests=tuple(test(better, worse) for better, worse in combinations(order, 2)),
        )

    @property
    def p_values(self) -> Values:
        """The p-value of each test; 1 where there is nothing to test."""
        return np.array([1.0 if test.p is None else test.p for test in self.tests], np.float64)

    @property
    def smallest_p(self) -> Values:
        """The smallest p-value that each test could have had."""
        return np.array([test.smallest_p for test in self.tests], dtype=np.float64)

    def ranked(self, adjusted: Values, *, alpha: float, correction: str) -> RankedMetrics:
        """Ranks by the corrected p-values of the tests."""
        threshold = require_alpha(alpha)
        order = list(self.values)
        matrix = np.zeros((len(order), len(order)))
        pairs = []
        for (a, b), test, p in zip(
            combinations(range(len(order)), 2), self.tests, adjusted, strict=True
        ):
            matrix[a, b] = p
            pairs.append(
                MetricPair(
                    better=order[a],
                    worse=order[b],
                    difference=self.values[order[a]] - self.values[order[b]],
                    test=test,
                    p_adjusted=float(p),
                    significant=bool(p <= threshold),
                )
            )
        return RankedMetrics(
            order=tuple(order),
            values=tuple(self.values.values()),
            ranks=tuple(rank_clusters(matrix, threshold)),
            undefined=self.undefined,
            pairs=tuple(pairs),
            correction=correction,
            alpha=threshold,
        )


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

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


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
    if procedure not in PROCEDURES:
        raise UnknownNameError("procedure", procedure, PROCEDURES)
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
    if len(p_values) == 1:
        return p_values[0]
    normal = NormalDist()
    # A p-value of 1 has no finite quantile, and outweighs all others: together they are 1 too.
    # So does one of 0, which the normal approximation gives to a difference beyond all doubt.
    if any(p >= 1 for p in p_values):
        return 1.0
    if any(p <= 0 for p in p_values):
        return 0.0
    total = sum(-normal.inv_cdf(p) for p in p_values) / math.sqrt(len(p_values))
    return normal.cdf(-total)


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
    if procedure == "wmt22":
        lines = _lines_by_wins(better)
    elif procedure == "wmt24":
        lines = _lines_by_separation(p, alpha)
    else:
        lines = _lines_by_ranges(ranges)
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


def _lines_by_wins(better: NDArray[np.bool_]) -> list[bool]:
    """Whether a line follows each place: the fewest wins in the cluster are all systems below."""
    wins = better.sum(axis=1)
    lines = []
    start = 0
    for place in range(len(wins)):
        below = len(wins) - place - 1
        lines.append(bool(wins[start : place + 1].min() == below))
        if lines[-1]:
            start = place + 1
    return lines


def _lines_by_separation(p: Values, alpha: float) -> list[bool]:
    """Whether a line follows each place: the cluster is told apart from all systems below."""
    lines = []
    start = 0
    for place in range(len(p)):
        # A pair that can't be tested is not told apart.
        separated = p[start : place + 1, place + 1 :] <= alpha
        lines.append(bool(separated.all()))
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
