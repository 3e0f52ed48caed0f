"""Compare systems: scores with intervals, tests of all pairs or against a baseline, ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truebleu import schema
from truebleu.counts.inputs import counts_of
from truebleu.errors import SettingError
from truebleu.significance.groups import (
    FEWEST_UNITS,
    SegmentGroup,
    group_replicates,
    heterogeneity_of_groups,
    segment_groups,
)
from truebleu.significance.optimizer_runs import are_runs_compared, select_runs
from truebleu.significance.pairs import adjust_together
from truebleu.significance.results import (
    Comparison,
    GroupComparison,
    MetricResult,
    PairResult,
    ResampledSystems,
    SystemResult,
)
from truebleu.significance.scores import score
from truebleu.significance.settings import CompareOptions, CompareSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from typing_extensions import Unpack

    from truebleu.corpus.outline import ColumnsLike
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike
    from truebleu.counts.counts import Counts
    from truebleu.counts.inputs import Source
    from truebleu.metrics.base import Score
    from truebleu.metrics.registry import MetricsLike
    from truebleu.significance.replicates import Progress

__all__ = ["Comparison", "GroupComparison", "MetricResult", "PairResult", "SystemResult"]


@schema.takes(CompareSettings)
def compare(
    systems: SystemsLike | Source,
    references: ReferencesLike | None = None,
    metrics: MetricsLike | None = None,
    *,
    runs: str | Mapping[str, Sequence[str]] | None = None,
    by: ColumnsLike | None = None,
    source: TextLike | None = None,
    documents: str | Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
    lp: str | None = None,
    progress: Progress | None = None,
    **options: Unpack[CompareOptions],
) -> Comparison:
    """Which differences between systems are real?

    >>> texts = {"a": ["the cat sat on the mat"] * 9, "b": ["a cat is on a mat"] * 9}
    >>> result = compare(texts, ["the cat sat on the mat"] * 9)
    >>> result.comparisons[0].significant
    True

    Args:
        systems: a test set, the outputs of two or more systems by name, scores of items by model,
            or counts.
        references: one text, or one per translator; None with a test set, scores or counts.
        metrics: names or objects: "bleu", ["bleu", "chrf:word_order=2"], BLEU(). Default: BLEU, or
            the scores of items.
        runs: outputs of each system, or a pattern of their names such as "{system}.opt{run}", if
            several outputs are runs of one system.
        by: also compare groups of segments: labels by name, one for each segment, or "domain" or
            "document". Corrected for the comparisons of all groups.
        source: source text, for metrics such as COMET.
        documents: document of each segment, if `systems` is not a test set.
        domains: domain of each segment, if `systems` is not a test set.
        lp: language pair, if `systems` is the folder of an evaluation set with several.
        progress: function called with the number of replicates made since the last call.
    """
    by_runs = are_runs_compared({**options, "runs": runs, "by": by})
    counts = counts_of(
        systems,
        references,
        metrics,
        documents,
        domains,
        source,
        lp=lp,
        verb="compare",
        by_runs=by_runs,
        lower_is_better=options["lower_is_better"],
    )
    counts, outputs = select_runs(counts, runs)
    if outputs is None:
        counts = counts.without_copies(options["baseline"])
    columns = counts.outline.columns(by)
    conflicts = {"runs": outputs, "margin": options["margin"], "adaptive": options["adaptive"]}
    for name, requested in conflicts.items() if columns else ():
        if requested:
            raise SettingError("by", ", ".join(columns), f"None with {name}")
    tested = ResampledSystems(counts, outputs, options, progress)
    if not columns:
        return tested.results()
    groups = segment_groups(counts.outline, columns, options["unit"], tested.settings)
    large = [group for group in groups if group.units >= FEWEST_UNITS]
    result = tested.results(_compare_groups(counts, groups, large, tested, options))
    varied = heterogeneity_of_groups(counts, large, tested.pairs, tested.settings)
    return replace(result, heterogeneity=varied)


def _compare_groups(
    counts: Counts,
    groups: Sequence[SegmentGroup],
    large: Sequence[SegmentGroup],
    overall: ResampledSystems,
    options: Mapping[str, Any],
) -> tuple[GroupComparison, ...]:
    """Compare all pairs in each large group, adjusted across groups; only score small groups.

    Args:
        counts: counts of the whole test set.
        groups: all groups.
        large: groups with enough units to be tested.
        overall: tests of the whole test set.
        options: requested options of `compare`.
    """
    settings = overall.settings
    replicates = group_replicates(settings, large, len(overall.pairs), options["replicates"])
    tested: dict[SegmentGroup, ResampledSystems] = {}
    for group in large:
        of_group: dict[str, Any] = {
            **options,
            **group.resampling(large, settings, options["interval"]),
            "replicates": replicates,
            "level": settings.level,
            "test": None if options["test"] == "scaled" else options["test"],
            "correction": "none",
            "correct_over": "pairs",
        }
        part = counts.subset(group.segments)
        tested[group] = ResampledSystems(part, None, of_group, parts=len(large))
    for metric in range(len(counts.metrics)):
        of_metric = [resampled.tests[metric] for resampled in tested.values()]
        adjusted = adjust_together(of_metric, settings.p_value_correction, settings.alpha)
        for resampled, tests in zip(tested.values(), adjusted, strict=True):
            resampled.tests[metric] = tests
    results = []
    for group in groups:
        systems: Mapping[str, Mapping[str, SystemResult | Score]]
        comparisons: tuple[PairResult, ...] = ()
        test = None
        if group in tested:
            compared = tested[group].results()
            systems, comparisons = compared.systems, compared.comparisons
            test = compared.settings.test
        else:
            systems = score(counts.subset(group.segments))
        scores = {
            name: {label: float(result.score) for label, result in by_label.items()}
            for name, by_label in systems.items()
        }
        values = group.values()
        results.append(
            GroupComparison(**values, systems=scores, comparisons=comparisons, test=test)
        )
    return tuple(results)
