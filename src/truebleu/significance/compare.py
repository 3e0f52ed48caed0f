"""Compare systems: scores with intervals, tests of all pairs or against a baseline, ranks."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import numpy as np

from truebleu.errors import SettingError, UnknownNameError
from truebleu.metrics.base import CountedMetric
from truebleu.metrics.registry import metric_labels
from truebleu.resampling import Swaps
from truebleu.schema import (
    DEFAULT_REPLICATES,
    DEFAULT_SEED,
    About,
    Baseline,
    BlockLength,
    ByDomain,
    IntervalName,
    Level,
    Replicates,
    RunSwaps,
    Seed,
    Setting,
    Tested,
    UnitChoice,
    picked,
    verb,
)
from truebleu.scores.inputs import inputs_of
from truebleu.significance.comparison import Comparison, Family, GroupComparison
from truebleu.significance.corrections import CORRECTIONS, adjust
from truebleu.significance.optimizer_runs import RunResults, as_runs
from truebleu.significance.pairs import all_pair_tests, pairs_to_compare
from truebleu.significance.people import PUBLISHED, curves_of
from truebleu.significance.settings import (
    FAMILIES,
    FEWEST_UNITS,
    CompareSettings,
    chosen_unit,
    default_interval,
    for_comparisons,
    known_clusters,
    name_of_unit,
    require_enough_replicates,
    resolve_about,
    segment_groups,
    units_of,
)
from truebleu.significance.statistics import MetricStatistics, bootstrap_scores, design_effects
from truebleu.significance.tests import TESTS, default_replicates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from truebleu.corpus.test_set import ColumnsLike, ReferencesLike, SystemsLike, TestSet
    from truebleu.metrics.base import Score
    from truebleu.metrics.registry import MetricsLike
    from truebleu.resampling import Values
    from truebleu.significance.comparison import PairResult, ResultsByMetric, SystemResult
    from truebleu.significance.people import PeopleLike
    from truebleu.significance.settings import SegmentGroup
    from truebleu.significance.statistics import Pair, Progress


@verb
def compare(
    systems: SystemsLike,
    references: ReferencesLike | None = None,
    metrics: MetricsLike = "bleu",
    *,
    baseline: Baseline = None,
    test: Annotated[str | None, Setting(choices=tuple(TESTS))] = None,
    margin: Annotated[float | None, Setting(above=0, metavar="D")] = None,
    level: Level = 0.95,
    replicates: Replicates = None,
    seed: Seed = DEFAULT_SEED,
    unit: UnitChoice = None,
    block_length: BlockLength = None,
    by_domain: ByDomain = False,
    alternative: Tested = "two-sided",
    correction: Annotated[str | None, Setting(choices=tuple(CORRECTIONS), rare=True)] = None,
    primary: Annotated[str | None, Setting(metavar="METRIC", rare=True)] = None,
    correct_over: Annotated[str, Setting(choices=FAMILIES, rare=True)] = "pairs",
    interval: Annotated[IntervalName | None, Setting(rare=True)] = None,
    adaptive: Annotated[bool, Setting(rare=True)] = False,
    runs: str | Mapping[str, Sequence[str]] | None = None,
    about: Annotated[About | None, Setting(rare=True)] = None,
    swap_runs: Annotated[RunSwaps, Setting(rare=True)] = "together",
    by: ColumnsLike | None = None,
    people: PeopleLike = PUBLISHED,
    documents: str | Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Which differences between systems are real?

    >>> texts = {"a": ["the cat sat on the mat"] * 9, "b": ["a cat is on a mat"] * 9}
    >>> result = compare(texts, ["the cat sat on the mat"] * 9)
    >>> result.comparisons[0].significant
    True

    Args:
        systems: a test set, or the outputs of two or more systems by name; with metrics="scores",
            their scores of each item.
        references: one text, or one per translator; None with a test set.
        metrics: names or objects: "bleu", ["bleu", "chrf:word_order=2"], BLEU().
        test: the test of significance; approximate randomization, unless you choose another.
        margin: the largest difference that does not matter; adds a test of equivalence.
        correction: for the number of comparisons by a metric; Holm's, and Westfall and Young's from
            1,001 comparisons on.
        primary: of several metrics, the one whose verdict counts; the first unless you choose. The
            others are described beside it.
        correct_over: "pairs" corrects for the comparisons by each metric; "metrics" for those by
            all metrics together, so that the verdicts by all of them count.
        interval: how intervals of scores are made; Hall's by documents or blocks, else percentiles;
            for pass/fail scores Wilson's, by documents Korn and Graubard's.
        adaptive: make as many replicates as clear decisions need.
        runs: where several outputs are runs of one system: the outputs of each system, or a pattern
            that their names have, such as "{system}.opt{run}".
        about: what a verdict on systems with runs is about; further runs where every system has two
            or more.
        swap_runs: about these runs, whether swaps take all runs of a unit together, or each of them
            separately, as MultEval does.
        by: also compare by groups of segments: labels by name, one for each segment, or "domain" or
            "document". Corrected for the comparisons of all groups.
        people: what says how often human raters prefer the same system: "kocmi" for the curves of
            Kocmi et al. (2024), curves of your own, or None.
        documents: the document of each segment, where `systems` is no test set.
        domains: the domain of each segment, likewise.
        progress: called with the number of replicates made since the last call.
    """
    asked = locals()
    # Of several answers to an item, each is a run of its own where nothing else is asked for.
    parsed, test_set = inputs_of(
        systems,
        references,
        metrics,
        documents,
        domains,
        compared_by="compare",
        by_runs=runs is None and not by and test is None and interval is None,
    )
    curves = curves_of(people, parsed)
    names = list(test_set.systems)
    grouped = getattr(test_set, "runs", None)
    if runs is not None:
        grouped = as_runs(runs, names)
    about = resolve_about(about, None if grouped is None else len(next(iter(grouped.values()), ())))
    chosen = chosen_unit(unit, test_set)
    settings = picked(
        CompareSettings,
        asked,
        test=test or ("two-way" if about == "further-runs" else "ar"),
        replicates=replicates or DEFAULT_REPLICATES,
        correction=correction or "holm",
        unit=chosen,
        interval=interval or default_interval(about, chosen, by_domain=by_domain),
        about=about,
        primary=_primary(primary, metric_labels(parsed)),
    )
    if grouped is not None:
        names = list(grouped)
        outputs = [output for group in grouped.values() for output in group]
        test_set = replace(test_set, systems={name: test_set.systems[name] for name in outputs})
    elif swap_runs != "together":
        raise SettingError("swap_runs", swap_runs, "runs beside it: without runs it does nothing")
    pairs = pairs_to_compare(names, baseline)  # refused before anything is counted
    columns = test_set.columns(by)
    _require_groups(columns, settings, runs=grouped is not None)
    units = units_of(test_set, settings)
    family_size = len(pairs) * (len(parsed) if correct_over == "metrics" else 1)
    settings = for_comparisons(
        settings, family_size, len(units), replicates=replicates, correction=correction
    )
    counted = [CountedMetric(metric, metric.count(test_set)) for metric in parsed]
    counts = [metric.counts.array() for metric in counted]
    of_outputs = [
        MetricStatistics.of(label, metric, rows, units)
        for label, metric, rows in zip(metric_labels(parsed), parsed, counts, strict=True)
    ]

    def draw_outputs(first: int, count: int) -> list[Values]:
        return bootstrap_scores(of_outputs, units, settings.drawn(count), progress, first=first)

    scores = draw_outputs(0, settings.replicates)
    statistics = swapped = of_outputs
    of_runs = None
    if grouped is not None:
        of_runs = RunResults(grouped, of_outputs, scores, about, seed)
        statistics, scores = of_runs.averages, of_runs.mean_scores(scores)
        swapped = of_runs.pooled if swap_runs == "separately" else statistics

    def draw(first: int, count: int) -> list[Values]:
        further = draw_outputs(first, count)
        return further if of_runs is None else of_runs.mean_scores(further, first)

    tests = all_pair_tests(swapped, scores, pairs, settings, draw, progress)
    if correct_over == "metrics":
        adjusted = adjust(np.concatenate([part.p for part in tests]), settings.correction)
        parts_of = np.split(adjusted, len(tests))
        tests = [replace(part, p_adjusted=p) for part, p in zip(tests, parts_of, strict=True)]
    clusters_of = known_clusters(test_set, settings)
    family = picked(
        Family,
        locals(),
        references=test_set.references_per_segment,
        unit_name=partial(name_of_unit, test_set, units, settings),
    )
    parts = []
    for index, (metric, replicated, tested) in enumerate(
        zip(statistics, scores, tests, strict=True)
    ):
        rows = counts[index] if of_runs is None else of_runs.by_system(counts[index])
        effects = design_effects(metric, rows, clusters_of, pairs)
        part = family.results(metric, replicated, tested, effects)
        parts.append(part if of_runs is None else _with_runs(part, of_runs, index, pairs))
    groups: tuple[GroupComparison, ...] = ()
    if columns:
        groups = _compare_groups(
            test_set,
            counted,
            segment_groups(test_set, columns, unit, settings),
            settings,
            len(pairs),
            replicates=replicates,
            interval=interval,
        )
    return Comparison(
        test_set=test_set.outline,
        settings=settings,
        units=len(units),
        metrics={part.label: part.metric for part in parts},
        systems={
            name: {part.label: part.systems[place] for part in parts}
            for place, name in enumerate(names)
        },
        comparisons=tuple(pair for part in parts for pair in part.pairs),
        runs=grouped,
        groups=groups,
        warnings=test_set.warnings,
    )


def _primary(asked: str | None, labels: Sequence[str]) -> str | None:
    """The metric whose verdict counts; None where there is only one."""
    if asked is not None:
        known = {label.lower(): label for label in labels}
        if asked.lower() not in known:
            raise UnknownNameError("primary", asked, labels)
        return known[asked.lower()]
    return labels[0] if len(labels) > 1 else None


def _with_runs(
    part: ResultsByMetric, of_runs: RunResults, metric: int, pairs: Sequence[Pair]
) -> ResultsByMetric:
    """The results by one metric, with what runs add to them."""
    pooled = of_runs.pooled[metric].differences(pairs).tolist()
    systems = zip(part.systems, of_runs.run_scores(metric), strict=True)
    return replace(
        part,
        systems=[replace(result, runs=runs) for result, runs in systems],
        pairs=[
            replace(result, pooled_difference=difference)
            for result, difference in zip(part.pairs, pooled, strict=True)
        ],
    )


def _require_groups(
    columns: Mapping[str, Sequence[str]], settings: CompareSettings, *, runs: bool
) -> None:
    """Refuse what groups of segments cannot stand beside."""
    asked = {"runs": runs, "margin": settings.margin is not None, "adaptive": settings.adaptive}
    beside = [name for name, there in asked.items() if there]
    if columns and beside:
        raise SettingError("by", ", ".join(columns), f"no {beside[0]} beside it")


# Groups of segments.


# More comparisons than this would need more replicates than anybody waits for.
MOST_GROUP_COMPARISONS = 2500


def _compare_groups(
    test_set: TestSet,
    metrics: Sequence[CountedMetric],
    groups: Sequence[SegmentGroup],
    settings: CompareSettings,
    pairs: int,
    *,
    replicates: int | None,
    interval: IntervalName | None,
) -> tuple[GroupComparison, ...]:
    """The comparisons of so many pairs in each group, adjusted for those of all groups."""
    from truebleu.significance.scores import score

    tested = [group for group in groups if group.units >= FEWEST_UNITS]
    family = len(tested) * pairs
    if family > MOST_GROUP_COMPARISONS:
        found = f"{len(tested)} groups with {pairs} comparisons each"
        expected = f"at most {MOST_GROUP_COMPARISONS:,} comparisons; fewer groups, or a baseline"
        raise SettingError("by", found, expected)
    settings = replace(settings, replicates=_group_replicates(settings, family, tested, replicates))
    results = []
    for group in groups:
        part, part_metrics = group.part(test_set, metrics)
        comparisons: tuple[PairResult, ...] = ()
        systems: Mapping[str, Mapping[str, SystemResult | Score]]
        if group in tested:
            compared = compare(
                part,
                metrics=part_metrics,
                **{**group.resampling(tested, settings, interval), "level": settings.level},
                test=settings.test,
                correction="none",
                alternative=settings.alternative,
                baseline=settings.baseline,
            )
            systems, comparisons = compared.systems, compared.comparisons
        else:
            systems = score(part, metrics=part_metrics)
        scores = {
            name: {label: float(result.score) for label, result in by.items()}
            for name, by in systems.items()
        }
        results.append(GroupComparison(**group.values(), systems=scores, comparisons=comparisons))
    return _adjusted(results, settings.p_value_correction, settings.alpha)


def _group_replicates(
    settings: CompareSettings, family: int, tested: Sequence[SegmentGroup], replicates: int | None
) -> int:
    """As many replicates as the comparisons of all groups need, or those that were asked for."""
    correction = settings.p_value_correction
    if replicates is None:
        return max(settings.replicates, default_replicates(correction, family, settings.alpha))
    swaps = Swaps(replicates=replicates)
    if not all(swaps.enumerates(group.units) for group in tested):
        require_enough_replicates(
            replicates, correction, max(family, 1), settings.alpha, kind="comparisons of groups"
        )
    return replicates


def _adjusted(
    groups: Sequence[GroupComparison], correction: str, alpha: float
) -> tuple[GroupComparison, ...]:
    """The groups with p-values adjusted over all of them, metric by metric."""
    labels = {pair.metric for group in groups for pair in group.comparisons}
    by_label: dict[str, Iterator[float]] = {}
    for label in labels:
        p_values = [pair.p for group in groups for pair in group.of(label)]
        by_label[label] = iter(adjust(np.array(p_values), correction).tolist())

    def corrected(pair: PairResult) -> PairResult:
        p = next(by_label[pair.metric])
        return replace(pair, p_adjusted=p, significant=p <= alpha)

    return tuple(
        replace(group, comparisons=tuple(map(corrected, group.comparisons))) for group in groups
    )
