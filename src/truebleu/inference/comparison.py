"""Compare systems: scores with intervals, tests of all pairs or against a baseline, ranks."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from truebleu.corpus import as_test_set
from truebleu.errors import SettingError, UnknownNameError
from truebleu.inference.adaptive import test_by_bootstrap, test_by_swaps
from truebleu.inference.counted import count_all
from truebleu.inference.intervals import (
    basic_interval,
    bca_interval,
    median_and_relative_interval,
    percentile_interval,
    student_interval,
)
from truebleu.inference.multiplicity import experimentwise_error
from truebleu.inference.p_values import bootstrap_wins, equivalence_p, fewest_units
from truebleu.inference.ranking import (
    clusters,
    probability_of_best,
    rank_ranges,
    significantly_better,
)
from truebleu.inference.replication import bootstrap_scores
from truebleu.inference.results import Comparison, MetricResult, PairResult, SystemResult
from truebleu.inference.settings import CompareSettings
from truebleu.metrics.registry import as_metrics
from truebleu.resampling import Bootstrap, Units

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet, TextLike
    from truebleu.inference.adaptive import Draw
    from truebleu.inference.counted import Counted
    from truebleu.inference.replication import Pair, Progress
    from truebleu.inference.testing import Tested
    from truebleu.metrics.metric import Metric


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
    counted = count_all(test_set, as_metrics(metrics), units)

    def draw(first: int, count: int) -> list[NDArray[np.float64]]:
        bootstrap = Bootstrap(replicates=count, seed=settings.seed)
        return bootstrap_scores(counted, units, bootstrap, progress, first=first)

    scores = draw(0, settings.samples)
    return compare_counted(test_set, names, counted, scores, settings, draw, progress)


def compare_counted(
    test_set: TestSet,
    names: Sequence[str],
    counted: Sequence[Counted],
    scores: Sequence[NDArray[np.float64]],
    settings: CompareSettings,
    draw: Draw,
    progress: Progress | None = None,
    *,
    swapped: Sequence[Counted] | None = None,
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
    if settings.test == "ar":
        tested = test_by_swaps(swapped or counted, pairs, settings, progress)
    else:
        tested = test_by_bootstrap(counted, scores, pairs, settings, draw)
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
            samples=test.samples,
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


def units_of(test_set: TestSet, settings: CompareSettings) -> Units:
    """What is drawn or swapped as a whole; at least two of them, or nothing can be resampled."""
    strata = None
    if settings.by_domain:
        if test_set.domains is None:
            raise SettingError("by_domain", True, "a test set with domains; see --documents")
        strata = test_set.domains
    if settings.unit == "document":
        if test_set.documents is None:
            raise SettingError("unit", "document", "a test set with documents; see --documents")
        units = Units.documents(test_set.documents, strata)
    elif settings.block_length is not None:
        units = Units.blocks(len(test_set), settings.block_length, strata)
    else:
        units = Units.segments(len(test_set), strata)
    if len(units) < 2:
        found = f"one {settings.unit}"
        raise SettingError("test set", found, "at least two: one says nothing about the spread")
    return units


def _better(one: Counted, pairs: Sequence[Pair], test: Tested, alpha: float) -> NDArray[np.bool_]:
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
    one: Counted, names: Sequence[str], better: NDArray[np.bool_]
) -> tuple[tuple[str, ...], ...]:
    if one.metric.higher_is_better is None:
        return ()
    groups = clusters(one.scores, better, higher_is_better=one.sign == 1)
    return tuple(tuple(names[system] for system in group) for group in groups)


def _system_results(
    one: Counted,
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
    one: Counted, replicates: NDArray[np.float64], settings: CompareSettings
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
    one: Counted,
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
    one: Counted,
    replicates: NDArray[np.float64],
    names: Sequence[str],
    pairs: Sequence[Pair],
    test: Tested,
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


def _note(one: Counted, a: int, b: int, settings: CompareSettings) -> str | None:
    """What makes a test moot: counts that are the same in every unit, or in almost every one."""
    differing = one.differing(a, b)
    if differing == 0:
        return f"{one.label} counts the same in every unit of both"
    enough = fewest_units(settings.alpha, settings.alternative)
    if settings.test == "ar" and differing < min(enough, len(one.rows)):
        return (
            f"they differ in {differing} of {len(one.rows)} {settings.unit}s, "
            "too few for any difference to be significant"
        )
    return None
