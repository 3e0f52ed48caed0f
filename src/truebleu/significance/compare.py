"""What a comparison finds, as plain frozen values."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.corpus import as_test_set
from truebleu.errors import SettingError, UnknownNameError
from truebleu.metrics.registry import as_metrics
from truebleu.resampling import Bootstrap
from truebleu.significance.corrections import experimentwise_error
from truebleu.significance.intervals import (
    basic_interval,
    bca_interval,
    median_and_relative_interval,
    percentile_interval,
    student_interval,
)
from truebleu.significance.p_values import bootstrap_wins, equivalence_p, fewest_units
from truebleu.significance.ranking import (
    clusters,
    probability_of_best,
    rank_ranges,
    significantly_better,
)
from truebleu.significance.settings import CompareSettings, units_of
from truebleu.significance.statistics import bootstrap_scores, metric_statistics
from truebleu.significance.tests import TESTS, all_pair_tests

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet, TextLike
    from truebleu.metrics.base import Metric, Signature
    from truebleu.significance.statistics import MetricStatistics, Pair, Progress
    from truebleu.significance.tests import Draw, PairTests

RESULT_VERSION = 1

Bounds = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemResult:
    """One system by one metric.

    Attributes:
        score: on the whole test set.
        interval: where the score would lie on other test sets like this one.
        median: of the replicates' scores (Zhang & Vogel 2004, §3.1).
        relative_interval: the interval around the median in percent of it; None at a median of 0.
        rank_range: best and worst rank that the tests leave; None for a metric without direction.
        p_best: the share of replicates in which the system is best; None likewise.
    """

    score: float
    interval: Bounds
    median: float
    relative_interval: Bounds | None
    rank_range: tuple[int, int] | None
    p_best: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """Two systems by one metric.

    Attributes:
        metric: the metric's label.
        a: the first system.
        b: the second system.
        difference: score of a minus score of b.
        interval: of the difference.
        wins: the share of replicates in which a is better, ties half (Koehn 2004, §6).
        p: how often equal systems would differ by this much.
        p_se: Monte-Carlo standard error of p.
        p_adjusted: p after the correction for all comparisons by this metric.
        significant: whether p_adjusted is at most the significance level.
        equivalence_p: of the test that they differ by the margin or more; None without a margin.
        note: what a reader must know, such as that the outputs are identical.
    """

    metric: str
    a: str
    b: str
    difference: float
    interval: Bounds
    wins: float
    p: float
    p_se: float
    p_adjusted: float
    significant: bool
    equivalence_p: float | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricResult:
    """What holds for a metric as a whole.

    Attributes:
        signature: all that must match before its scores may be compared.
        higher_is_better: None for a metric without direction.
        digits: decimals of a score that people should see.
        clusters: groups of systems that the tests do not separate, best first; none for a metric
            without direction.
        experimentwise_error: the chance of at least one false alarm among all comparisons, if
            none of the systems differed and nothing were corrected (Riezler & Maxwell 2005, §4.4).
        replicates: replicates of the test; all 2**units of them where that was no more.
        exact: whether those were all.
        decided: whether every decision is clear of Monte-Carlo error.
        smallest_p: the smallest adjusted p that so many replicates and comparisons can give; above
            the significance level, nothing could have been significant.
    """

    signature: Signature
    higher_is_better: bool | None
    clusters: tuple[tuple[str, ...], ...]
    experimentwise_error: float
    replicates: int
    exact: bool
    decided: bool
    smallest_p: float
    digits: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Every system and every compared pair by every metric."""

    test_set: Mapping[str, Any]
    settings: Mapping[str, Any]
    metrics: Mapping[str, MetricResult]
    systems: Mapping[str, Mapping[str, SystemResult]]
    comparisons: tuple[PairResult, ...]
    warnings: tuple[Mapping[str, Any], ...] = field(default=())

    def of(self, metric: str) -> tuple[PairResult, ...]:
        """The comparisons by one metric."""
        return tuple(pair for pair in self.comparisons if pair.metric == metric)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``compare --format json`` prints them."""
        return {
            "version": RESULT_VERSION,
            "test_set": dict(self.test_set),
            "settings": dict(self.settings),
            "metrics": [_metric_dict(label, metric) for label, metric in self.metrics.items()],
            "systems": [
                {
                    "name": name,
                    "scores": {label: _plain(asdict(found)) for label, found in scores.items()},
                }
                for name, scores in self.systems.items()
            ],
            "comparisons": [_plain(asdict(pair)) for pair in self.comparisons],
            "warnings": [dict(warning) for warning in self.warnings],
        }


def _metric_dict(label: str, metric: MetricResult) -> dict[str, Any]:
    return {
        "name": label,
        "signature": str(metric.signature),
        "higher_is_better": metric.higher_is_better,
        "clusters": [list(cluster) for cluster in metric.clusters],
        "experimentwise_error": metric.experimentwise_error,
        "replicates": metric.replicates,
        "exact": metric.exact,
        "decided": metric.decided,
        "smallest_p": metric.smallest_p,
    }


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {
        key: list(value) if isinstance(value, tuple) else value for key, value in values.items()
    }


# Compare systems: scores with intervals, tests of all pairs or against a baseline, ranks.


def compare(
    systems: Mapping[str, TextLike],
    references: Sequence[TextLike] | TextLike,
    metrics: Sequence[str | Metric] = ("bleu",),
    settings: CompareSettings | None = None,
) -> Comparison:
    """Which differences between systems are real?

    >>> texts = {"a": ["the cat sat on the mat"] * 9, "b": ["a cat is on a mat"] * 9}
    >>> result = compare(texts, ["the cat sat on the mat"] * 9)
    >>> result.comparisons[0].significant
    True
    """
    return compare_test_set(as_test_set(systems, references), metrics, settings)


def compare_test_set(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    settings: CompareSettings | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare the systems of a test set; progress hears of replicates as they are made."""
    settings = settings or CompareSettings()
    names = list(test_set.systems)
    pairs_to_compare(names, settings.baseline)  # refused before anything is counted
    units = units_of(test_set, settings)
    counted = metric_statistics(test_set, as_metrics(metrics), units)

    def draw(first: int, count: int) -> list[NDArray[np.float64]]:
        bootstrap = Bootstrap(replicates=count, seed=settings.seed)
        return bootstrap_scores(counted, units, bootstrap, progress, first=first)

    scores = draw(0, settings.replicates)
    return compare_counted(test_set, names, counted, scores, settings, draw, progress)


def compare_counted(
    test_set: TestSet,
    names: Sequence[str],
    counted: Sequence[MetricStatistics],
    scores: Sequence[NDArray[np.float64]],
    settings: CompareSettings,
    draw: Draw,
    progress: Progress | None = None,
    *,
    swapped: Sequence[MetricStatistics] | None = None,
) -> Comparison:
    """Compare systems by their counts and by their scores on the bootstrap's replicates.

    Args:
        test_set: what was counted.
        names: the systems' names, in the order of the counts.
        counted: the counts by unit, one for each metric.
        scores: for each metric the scores, shaped (replicate, system).
        settings: how to compare.
        draw: makes scores on further replicates, for an adaptive test by the bootstrap.
        progress: hears of replicates as they are made.
        swapped: the counts that randomization exchanges row by row, where these are others.
    """
    pairs = pairs_to_compare(names, settings.baseline)
    tested = all_pair_tests(swapped or counted, scores, pairs, settings, draw, progress)
    references = test_set.references_per_segment
    systems: dict[str, dict[str, SystemResult]] = {name: {} for name in names}
    found: list[PairResult] = []
    summary: dict[str, MetricResult] = {}
    for one, replicates, test in zip(counted, scores, tested, strict=True):
        better = _better(one, pairs, test, settings.alpha)
        found += _pair_results(one, replicates, names, pairs, test, settings)
        for name, result in zip(
            names, _system_results(one, replicates, better, settings), strict=True
        ):
            systems[name][one.label] = result
        summary[one.label] = MetricResult(
            signature=one.metric.signature.with_references(references),
            higher_is_better=one.metric.higher_is_better,
            clusters=_clusters(one, names, better),
            experimentwise_error=experimentwise_error(settings.alpha, len(pairs)),
            replicates=test.replicates,
            exact=test.exact,
            decided=test.decided,
            smallest_p=test.smallest_p,
            digits=one.metric.digits,
        )
    return Comparison(
        test_set=test_set.to_dict(),
        settings={**settings.to_dict(), "units": len(counted[0].rows)},
        metrics=summary,
        systems=systems,
        comparisons=tuple(found),
        warnings=tuple(warning.to_dict() for warning in test_set.warnings),
    )


def pairs_to_compare(names: Sequence[str], baseline: str | None) -> list[Pair]:
    """All pairs in the order of the systems, or every other system with the baseline."""
    if len(names) < 2:
        raise SettingError("systems", len(names), "at least two to compare")
    if baseline is None:
        return list(combinations(range(len(names)), 2))
    if baseline not in names:
        raise UnknownNameError("baseline", baseline, names)
    against = list(names).index(baseline)
    return [(system, against) for system in range(len(names)) if system != against]


def _better(
    one: MetricStatistics, pairs: Sequence[Pair], test: PairTests, alpha: float
) -> NDArray[np.bool_]:
    scores = one.scores
    left, right = np.array(pairs).T
    return significantly_better(
        one.systems,
        pairs,
        scores[left] - scores[right],
        test.p_adjusted <= alpha,
        higher_is_better=one.sign == 1,
    )


def _clusters(
    one: MetricStatistics, names: Sequence[str], better: NDArray[np.bool_]
) -> tuple[tuple[str, ...], ...]:
    if one.metric.higher_is_better is None:
        return ()
    groups = clusters(one.scores, better, higher_is_better=one.sign == 1)
    return tuple(tuple(names[system] for system in group) for group in groups)


def _system_results(
    one: MetricStatistics,
    replicates: NDArray[np.float64],
    better: NDArray[np.bool_],
    settings: CompareSettings,
) -> list[SystemResult]:
    directed = one.metric.higher_is_better is not None
    low, high = score_intervals(one, replicates, settings)
    ranks = rank_ranges(better)
    best = probability_of_best(replicates, higher_is_better=one.sign == 1)
    results = []
    for system, score in enumerate(one.scores.tolist()):
        median, relative = median_and_relative_interval(replicates[:, system], settings.level)
        results.append(
            SystemResult(
                score=score,
                interval=(float(low[system]), float(high[system])),
                median=median,
                relative_interval=relative,
                rank_range=ranks[system] if directed else None,
                p_best=best[system] if directed else None,
            )
        )
    return results


def score_intervals(
    one: MetricStatistics, replicates: NDArray[np.float64], settings: CompareSettings
) -> NDArray[np.float64]:
    """The intervals of all systems' scores by the chosen method: lows, highs."""
    if settings.interval == "basic":
        return basic_interval(one.scores, replicates, settings.level)
    if settings.interval == "bca":
        return bca_interval(one.scores, replicates, one.jackknife_scores(), settings.level)
    if settings.interval == "student":
        means = one.unit_means("interval student")
        return np.stack([student_interval(v, settings.level) for v in means.T], axis=1)
    return percentile_interval(replicates, settings.level)


def difference_intervals(
    one: MetricStatistics,
    replicates: NDArray[np.float64],
    pairs: Sequence[Pair],
    settings: CompareSettings,
) -> NDArray[np.float64]:
    """The intervals of the differences, from the same replicates (Zhang & Vogel 2004, §3.2)."""
    left, right = np.array(pairs).T
    differences = replicates[:, left] - replicates[:, right]
    observed = one.scores[left] - one.scores[right]
    if settings.interval == "basic":
        return basic_interval(observed, differences, settings.level)
    if settings.interval == "bca":
        jackknife = one.jackknife_scores()
        without = jackknife[:, left] - jackknife[:, right]
        return bca_interval(observed, differences, without, settings.level)
    if settings.interval == "student":
        means = one.unit_means("interval student")
        paired = (means[:, left] - means[:, right]).T
        return np.stack([student_interval(v, settings.level) for v in paired], axis=1)
    return percentile_interval(differences, settings.level)


def _pair_results(
    one: MetricStatistics,
    replicates: NDArray[np.float64],
    names: Sequence[str],
    pairs: Sequence[Pair],
    test: PairTests,
    settings: CompareSettings,
) -> list[PairResult]:
    left, right = np.array(pairs).T
    scores = one.scores
    differences = replicates[:, left] - replicates[:, right]
    wins = bootstrap_wins(one.sign * differences, scale=one.scale)
    low, high = difference_intervals(one, replicates, pairs, settings)
    equivalent = None
    if settings.margin is not None:
        equivalent = equivalence_p(differences, settings.margin, scale=one.scale)
    return [
        PairResult(
            metric=one.label,
            a=names[a],
            b=names[b],
            difference=float(scores[a] - scores[b]),
            interval=(float(low[index]), float(high[index])),
            wins=float(wins[index]),
            p=float(test.p[index]),
            p_se=float(test.p_se[index]),
            p_adjusted=float(test.p_adjusted[index]),
            significant=bool(test.p_adjusted[index] <= settings.alpha),
            equivalence_p=None if equivalent is None else float(equivalent[index]),
            note=_note(one, a, b, settings),
        )
        for index, (a, b) in enumerate(pairs)
    ]


def _note(one: MetricStatistics, a: int, b: int, settings: CompareSettings) -> str | None:
    """What makes a test moot: counts that are the same in every unit, or in almost every one."""
    differing = one.differing(a, b)
    if differing == 0:
        return f"{one.label} counts the same in every unit of both"
    enough = fewest_units(settings.alpha, settings.alternative)
    if TESTS[settings.test].source == "swaps" and differing < min(enough, len(one.rows)):
        return (
            f"they differ in {differing} of {len(one.rows)} {settings.unit}s, "
            "too few for any difference to be significant"
        )
    return None
