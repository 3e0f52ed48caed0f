"""Systems in files of any kind: texts, saved statistics, and scores that other tools made.

Commands, the fixture for pytest and the action for pipelines read their files by this.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from truebleu.corpus._files import locate, may_hold_statistics, stem
from truebleu.corpus._reading import read_test_set
from truebleu.errors import RefusedError, SettingError
from truebleu.metrics.registry import metrics_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import Metric
    from truebleu.metrics.statistics_files import SavedStatistics

NEED_REFERENCES = (
    "at least one, as in -r FILE, or --test-set NAME; files of scores are compared by -m scores"
)


def read_any(
    systems: Sequence[str],
    references: Sequence[str],
    metrics: Sequence[Metric] = (),
    *,
    source: str | None = None,
    documents: str | None = None,
    strict: bool = False,
    read: Callable[..., TestSet] = read_test_set,
) -> TestSet:
    """The test set of some files.

    Args:
        systems: outputs; statistics, which need no references and beside which texts are counted;
            or, without references, scores and evaluations that keep their texts.
        references: what outputs are compared with, one translator each.
        metrics: what the systems will be scored by.
        source: what was translated.
        documents: a file with the document of each segment; of scores, also a field of the items.
        strict: whether anything suspicious about the texts is an error.
        read: what reads texts that have no statistics beside them.
    """
    texts, saved = _statistics_among(systems)
    if saved or not references:
        what = "statistics" if saved else "scores"
        _refuse_labels(what, source=source, documents=documents if saved else None)
    if texts and saved and not references:
        raise SettingError("references", "none", NEED_REFERENCES)
    if saved and not references:
        from truebleu.metrics.statistics_files import SavedTestSet

        return SavedTestSet.of(saved)
    if not references:
        if strict:
            raise RefusedError("strict needs texts: scores have none")
        return _without_references(systems, metrics, documents)
    if saved:  # whose references must be those of the texts
        read = read_test_set
    test_set = read(texts, references, source=source, documents=documents, strict=strict)
    if metrics and texts:
        _, test_set = metrics_for(metrics, test_set)
    return _with_statistics(test_set, saved, metrics) if saved else test_set


def with_baseline(systems: Sequence[str], written: str) -> tuple[list[str], str]:
    """Systems and another one, and its name, which no other system has."""
    location = locate(written)
    name = location.name or stem(location.path)
    if location.name is None and name in {
        locate(system).name or stem(locate(system).path) for system in systems
    }:
        # A new run of a system usually has the name of the old one.
        name = f"{name} (baseline)"
    named = written if location.name is not None else f"{name}={written}"
    return [*systems, named], name


def _refuse_labels(what: str, **labels: str | None) -> None:
    for name, file in labels.items():
        if file is not None:
            raise RefusedError(f"{name} {file} needs texts: {what} have none")


def _statistics_among(systems: Sequence[str]) -> tuple[list[str], list[SavedStatistics]]:
    """The files that are texts, and the systems of those that are statistics."""
    texts: list[str] = []
    saved: list[SavedStatistics] = []
    for written in systems:
        location = locate(written)
        if location.column is not None or not may_hold_statistics(location.path):
            texts.append(written)
            continue
        from truebleu.metrics.statistics_files import read_all_statistics

        statistics = read_all_statistics(location.path)
        if location.name is None:
            saved += statistics
        elif len(statistics) == 1:
            saved.append(statistics[0].named(location.name))
        else:
            expected = f"no name for a file of {len(statistics)} systems"
            raise SettingError("system", written, expected)
    return texts, saved


def _with_statistics(
    test_set: TestSet, saved: Sequence[SavedStatistics], metrics: Sequence[Metric]
) -> TestSet:
    """Texts and statistics together, refused unless the references are the same."""
    from truebleu.metrics.statistics_files import SavedStatistics, SavedTestSet

    for statistics in saved:
        statistics.require_same_references(test_set)
    counted = SavedStatistics.of_systems(test_set, metrics) if test_set.systems else ()
    together = SavedTestSet.of((*counted, *saved))
    names = test_set.reference_names
    return replace(together, warnings=test_set.warnings, reference_names=names)


def _without_references(
    systems: Sequence[str], metrics: Sequence[Metric], documents: str | None
) -> TestSet:
    """What was scored elsewhere: a file of scores for each system, or for all of them."""
    from truebleu.scores.given import GivenScores, textless_test_set
    from truebleu.scores.scored_test_set import ScoredTestSet, read_evaluated_texts

    if not systems:
        return textless_test_set(metrics, documents)
    by_scores = [metric for metric in metrics if isinstance(metric, GivenScores)]
    if by_scores:
        answers = next((m.answers for m in by_scores if m.answers is not None), None)
        return ScoredTestSet.read(systems, documents=documents, answers=answers)
    test_set = read_evaluated_texts(systems, metrics, documents)
    if test_set is None:
        raise SettingError("references", "none", NEED_REFERENCES)
    return test_set
