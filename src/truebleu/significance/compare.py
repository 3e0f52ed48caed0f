"""Compare systems: scores with intervals, tests of all pairs or against a baseline, ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from truebleu._settings import DEFAULT_REPLICATES, DEFAULT_SEED
from truebleu.corpus.test_set import as_test_set
from truebleu.errors import SettingError
from truebleu.metrics.base import CountedMetric
from truebleu.metrics.registry import as_metrics, metric_labels, metrics_for
from truebleu.resampling import PoissonBootstrap, Swaps
from truebleu.significance.comparison import (
    Comparison,
    GroupComparison,
    by_metric_and_system,
    results_by_metric,
)
from truebleu.significance.corrections import CORRECTIONS, adjust
from truebleu.significance.intervals import (
    INTERVAL_METHODS,
)
from truebleu.significance.pairs import (
    all_pair_tests,
    pairs_to_compare,
)
from truebleu.significance.people import CURVES, require_curves
from truebleu.significance.settings import (
    CompareSettings,
    chosen_unit,
    default_interval,
    default_test,
    for_comparisons,
    known_clusters,
    require_enough_replicates,
    resolve_about,
    units_of,
)
from truebleu.significance.statistics import MetricStatistics, bootstrap_scores
from truebleu.significance.tests import TESTS, default_replicates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from truebleu._settings import About, Alternative, BootstrapName, IntervalName, RunSwaps, Unit
    from truebleu.corpus.streams import TestSetStream
    from truebleu.corpus.test_set import (
        ColumnsLike,
        ReferencesLike,
        SystemsLike,
        TestSet,
    )
    from truebleu.metrics.base import Metric, Score
    from truebleu.resampling import Values
    from truebleu.significance.comparison import PairResult, SystemResult
    from truebleu.significance.groups import SegmentGroup
    from truebleu.significance.people import AgreementCurve
    from truebleu.significance.statistics import Progress


def compare(
    systems: SystemsLike | TestSetStream,
    references: ReferencesLike | None = None,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    test: str | None = None,
    replicates: int | None = None,
    seed: int = DEFAULT_SEED,
    level: float = 0.95,
    correction: str | None = None,
    unit: Unit | None = None,
    block_length: int | None = None,
    by_domain: bool = False,
    alternative: Alternative = "two-sided",
    interval: IntervalName | None = None,
    bootstrap: BootstrapName | None = None,
    margin: float | None = None,
    adaptive: bool = False,
    baseline: str | None = None,
    by: ColumnsLike | None = None,
    runs: str | Mapping[str, Sequence[str]] | None = None,
    about: About | None = None,
    swap_runs: RunSwaps = "together",
    curves: Sequence[AgreementCurve] | None = CURVES,
    documents: Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Comparison:
    """Which differences between systems are real?

    >>> texts = {"a": ["the cat sat on the mat"] * 9, "b": ["a cat is on a mat"] * 9}
    >>> result = compare(texts, ["the cat sat on the mat"] * 9)
    >>> result.comparisons[0].significant
    True

    Args:
        systems: a test set, or the outputs of two or more systems by name; a stream of test sets
            where they are larger than memory, by segments or documents.
        references: one text, or one per translator; None with a test set.
        metrics: names or objects: ``"bleu"``, ``"chrf:word_order=2"``, ``BLEU()``.
        test: "ar", approximate randomization; or another of `significance.TESTS`. A verdict about
            further runs has a test of its own, "two-way".
        replicates: how many, of the bootstrap and of the test; None for 10,000, and for as many
            of the test as so many comparisons need for a clear difference to be significant.
        seed: any whole number from 0 up.
        level: of the intervals, and 1 minus the significance level of the tests.
        correction: for many comparisons by one metric; one of `significance.CORRECTIONS`. None
            for Holm's, or for Westfall and Young's from 1,001 comparisons on.
        unit: what is drawn or swapped as a whole: "segment", "document" or "block"; None for
            documents where they are known, else segments.
        block_length: segments in a block, with unit "block".
        by_domain: draw within each domain, so that every replicate has the same mixture.
        alternative: "two-sided"; "greater" asks only whether the first system is better, "less"
            whether it is worse.
        interval: how intervals are made; one of `significance.INTERVAL_METHODS`. None for what
            covers best: "hall" by documents or blocks, "percentile" by segments, "two-way" with
            the test of that name.
        bootstrap: "multinomial" draws as many units as there are; "poisson" weighs each by a number
            of its own, as is done of a stream.
        margin: the largest difference that does not matter; adds a test of equivalence.
        adaptive: make as many replicates as clear decisions need.
        baseline: compare all others with this system, instead of all pairs.
        by: also compare by groups of segments: labels by name, one for each segment, or names of
            what is known, "domain" or "document". Corrected for the comparisons of all groups.
        runs: where several outputs are runs of one system, the names of each system's outputs, or
            a pattern such as "{system}.opt{run}" that their names have.
        about: whether the verdict is about "further-runs" of the same systems, or "these-runs"
            only. The default is further runs where every system has two or more.
        swap_runs: about these runs, whether swaps take all runs of a unit "together", or each of
            them "separately", as MultEval does.
        curves: what says how often people agree with a difference; None to leave that out.
        documents: the document of each segment, where `systems` is no test set.
        domains: the domain of each segment, likewise.
        progress: called with the number of replicates made since the last call; of a stream, with
            that of segments counted.
        executor: where parts of a stream are counted, such as `truebleu.execution.Processes(4)`.
    """
    if getattr(systems, "is_streamed", False):
        from truebleu.significance.streaming import refuse_in_parts

        refuse_in_parts(
            references=references,
            unit=unit if unit == "block" else None,
            block_length=block_length,
            by_domain=by_domain or None,
            adaptive=adaptive or None,
            by=by,
            runs=runs,
            about=about,
            swap_runs=None if swap_runs == "together" else swap_runs,
            documents=documents,
            domains=domains,
        )
        return _compare_stream(
            cast("TestSetStream", systems),
            metrics,
            test=test or "ar",
            replicates=replicates,
            seed=seed,
            level=level,
            correction=correction,
            unit=unit,
            alternative=alternative,
            interval=interval or "percentile",
            bootstrap="poisson" if bootstrap is None else bootstrap,
            margin=margin,
            baseline=baseline,
            curves=curves,
            progress=progress,
            executor=executor,
        )
    if executor is not None:
        raise SettingError("executor", executor, "a stream: only its parts are counted elsewhere")
    test_set = as_test_set(
        cast("SystemsLike", systems), references, documents=documents, domains=domains
    )
    parsed, test_set = metrics_for(metrics, test_set)
    require_curves(parsed, curves)
    names = list(test_set.systems)
    grouped = None
    if runs is not None:
        from truebleu.significance.optimizer_runs import as_runs

        grouped = as_runs(runs, names)
    runs_of_each = None if grouped is None else len(next(iter(grouped.values()), ()))
    about = resolve_about(about, runs_of_each)
    chosen = chosen_unit(unit, test_set)
    settings = CompareSettings(
        test=test or default_test(about),
        replicates=DEFAULT_REPLICATES if replicates is None else replicates,
        seed=seed,
        level=level,
        correction="holm" if correction is None else correction,
        unit=chosen,
        block_length=block_length,
        by_domain=by_domain,
        alternative=alternative,
        interval=interval or default_interval(about, chosen, by_domain=by_domain),
        bootstrap="multinomial" if bootstrap is None else bootstrap,
        margin=margin,
        adaptive=adaptive,
        baseline=baseline,
        about=about,
        swap_runs=swap_runs,
    )
    if grouped is not None:
        _require_runs_interval(settings)
        names = list(grouped)
        used = [output for group in grouped.values() for output in group]
        test_set = replace(test_set, systems={name: test_set.systems[name] for name in used})
    elif swap_runs != "together":
        raise SettingError("swap_runs", swap_runs, "runs beside it: without runs it does nothing")
    pairs = pairs_to_compare(names, baseline)  # refused before anything is counted
    columns = test_set.columns(by)
    _require_groups(columns, settings, runs=grouped is not None)
    units = units_of(test_set, settings)
    settings = for_comparisons(
        settings, len(pairs), len(units), replicates=replicates, correction=correction
    )
    counted = [CountedMetric(metric, metric.count(test_set)) for metric in parsed]
    counts = [metric.counts.array() for metric in counted]
    statistics = swapped = outputs = [
        MetricStatistics.of(label, metric, rows, units)
        for label, metric, rows in zip(metric_labels(parsed), parsed, counts, strict=True)
    ]
    clusters_of = known_clusters(test_set, settings)

    def draw_outputs(first: int, count: int) -> list[Values]:
        return bootstrap_scores(outputs, units, settings.drawn(count), progress, first=first)

    scores = draw_outputs(0, settings.replicates)
    results = None
    if grouped is not None:
        from truebleu.significance.optimizer_runs import RunResults

        results = RunResults(grouped, outputs, scores, about, seed)
        statistics, scores = results.averages, results.mean_scores(scores)
        swapped = results.pooled if swap_runs == "separately" else statistics

    def draw(first: int, count: int) -> list[Values]:
        further = draw_outputs(first, count)
        return further if results is None else results.mean_scores(further, first)

    tests = all_pair_tests(swapped, scores, pairs, settings, draw, progress)
    parts = []
    for index, (metric, replicated, tested) in enumerate(
        zip(statistics, scores, tests, strict=True)
    ):
        clustered = None
        if clusters_of is not None:
            rows = counts[index] if results is None else results.side_by_side(counts[index])
            by_segment, by_cluster = (
                MetricStatistics.of(metric.label, metric.metric, rows, kind) for kind in clusters_of
            )
            clustered = by_segment, by_cluster
        part = results_by_metric(
            metric,
            replicated,
            tested,
            names,
            pairs,
            settings,
            curves=curves,
            references=test_set.references_per_segment,
            clustered=clustered,
        )
        if results is not None:
            pooled = results.pooled[index].scores
            part = replace(
                part,
                systems=[
                    replace(result, runs=run_scores)
                    for result, run_scores in zip(
                        part.systems, results.run_scores(index), strict=True
                    )
                ],
                pairs=[
                    replace(result, pooled_difference=float(pooled[a] - pooled[b]))
                    for result, (a, b) in zip(part.pairs, pairs, strict=True)
                ],
            )
        parts.append(part)
    groups: tuple[GroupComparison, ...] = ()
    if columns:
        from truebleu.significance.groups import segment_groups

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
        **by_metric_and_system(parts, names),
        runs=grouped,
        groups=groups,
        warnings=test_set.warnings,
    )


# Test sets that come in parts.


def _compare_stream(
    stream: TestSetStream,
    metrics: Sequence[str | Metric],
    *,
    replicates: int | None,
    correction: str | None,
    unit: Unit | None,
    curves: Sequence[AgreementCurve] | None,
    progress: Progress | None,
    executor: Executor | None,
    **chosen: Any,
) -> Comparison:
    """As `compare` does, of a test set that comes in parts."""
    from truebleu.significance.streaming import (
        BOOTSTRAP_REPLICATES,
        Plan,
        require_streamable,
        stream_statistics,
    )

    settings = CompareSettings(
        replicates=BOOTSTRAP_REPLICATES if replicates is None else replicates,
        correction="holm" if correction is None else correction,
        **chosen,
    )
    require_streamable(settings)
    test = TESTS[settings.test]
    if test.needs_units or CORRECTIONS[settings.correction].basis == "segment scores":
        name = "test" if test.needs_units else "correction"
        expected = "another one where texts are read part by part"
        raise SettingError(name, getattr(settings, name), expected)
    require_curves(as_metrics(metrics), curves)
    pairs = pairs_to_compare(stream.systems, settings.baseline)
    settings = for_comparisons(
        settings, len(pairs), MANY_UNITS, replicates=replicates, correction=correction
    )
    swaps = Swaps(replicates=settings.test_replicates or settings.replicates, seed=settings.seed)
    plan = Plan(
        swaps=swaps if test.source == "swaps" else None,
        bootstrap=PoissonBootstrap(
            replicates=settings.replicates
            if test.source == "swaps"
            else settings.test_replicates or settings.replicates,
            seed=settings.seed,
        ),
        pairs=tuple((min(pair), max(pair)) for pair in pairs),
        moments=True,
        unit=unit,
        studentized=test.studentized,
    )
    streamed = stream_statistics(stream, metrics, plan, progress, executor)
    if streamed.units < 2:
        raise SettingError("test set", f"one {streamed.unit}", "at least two: one shows no spread")
    settings = replace(settings, unit=streamed.unit)
    scores = streamed.drawn
    tests = all_pair_tests(streamed.statistics, scores, pairs, settings, _no_more)
    parts = [
        results_by_metric(
            metric,
            drawn[: settings.replicates],
            tested,
            stream.systems,
            pairs,
            settings,
            curves=curves,
            references=streamed.references_per_segment,
            clustered=None if streamed.by_segment is None else (streamed.by_segment[place], metric),
        )
        for place, (metric, drawn, tested) in enumerate(
            zip(streamed.statistics, scores, tests, strict=True)
        )
    ]
    return Comparison(
        test_set=streamed.outline,
        settings=settings,
        units=streamed.units,
        **by_metric_and_system(parts, stream.systems),
        warnings=streamed.warnings,
    )


# More than all swaps of them could be made.
MANY_UNITS = 1 << 20


def _no_more(_first: int, _count: int) -> list[Values]:
    """No replicates beyond those that were made while the parts were there."""
    return []


def _require_groups(
    columns: Mapping[str, Sequence[str]], settings: CompareSettings, *, runs: bool
) -> None:
    """Refuse what groups of segments cannot stand beside."""
    beside = [
        name
        for name, there in (
            ("runs", runs),
            ("margin", settings.margin is not None),
            ("adaptive", settings.adaptive),
        )
        if there
    ]
    if columns and beside:
        raise SettingError("by", ", ".join(columns), f"no {beside[0]} beside it")


def _require_runs_interval(settings: CompareSettings) -> None:
    if INTERVAL_METHODS[settings.interval].means_only:
        usable = [name for name, method in INTERVAL_METHODS.items() if not method.means_only]
        expected = f"one of {', '.join(usable)} with optimizer runs"
        raise SettingError("interval", settings.interval, expected)


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
    from truebleu.significance.groups import FEWEST_UNITS
    from truebleu.significance.scores import score

    tested = [group for group in groups if group.units >= FEWEST_UNITS]
    family = len(tested) * pairs
    if family > MOST_GROUP_COMPARISONS:
        found = f"{len(tested)} groups with {pairs} comparisons each"
        expected = f"at most {MOST_GROUP_COMPARISONS:,} comparisons; fewer groups, or a baseline"
        raise SettingError("by", found, expected)
    settings = replace(
        settings,
        replicates=_group_replicates(settings, family, tested, replicates),
    )
    results = []
    for group in groups:
        part, part_metrics = group.part(test_set, metrics)
        comparisons: tuple[PairResult, ...] = ()
        systems: Mapping[str, Mapping[str, SystemResult | Score]]
        if group in tested:
            compared = compare(
                part,
                metrics=part_metrics,
                **group.resampling(tested, settings, interval),
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
    settings: CompareSettings,
    family: int,
    tested: Sequence[SegmentGroup],
    replicates: int | None,
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
        p = [pair.p for group in groups for pair in group.of(label)]
        by_label[label] = iter(adjust(np.array(p), correction).tolist())
    results = []
    for group in groups:
        comparisons = []
        for pair in group.comparisons:
            p_adjusted = next(by_label[pair.metric])
            comparisons.append(
                replace(
                    pair,
                    p_adjusted=p_adjusted,
                    significant=p_adjusted <= alpha,
                    simultaneous_interval=pair.simultaneous_interval or pair.interval,
                )
            )
        results.append(replace(group, comparisons=tuple(comparisons)))
    return tuple(results)
