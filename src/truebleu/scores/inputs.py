"""Where verbs begin: what a caller gives becomes metrics and a test set.

From memory by `inputs_of`; from files of any kind (texts, saved statistics, scores of other tools)
by `read_any`, for commands, the fixture for pytest and the action for pipelines.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truebleu._core import Segments
from truebleu.corpus._files import expanded, locate, may_hold_statistics, stem
from truebleu.corpus._reading import read_test_set
from truebleu.corpus.tables import SYSTEM
from truebleu.corpus.test_set import (
    TestSet,
    as_test_set,
    column_values,
    frame_columns,
    is_frame,
    labels_of,
)
from truebleu.errors import RefusedError, SettingError
from truebleu.metrics.registry import MetricsLike, as_metrics, metrics_for

if TYPE_CHECKING:
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike, TextLike
    from truebleu.metrics.base import Metric
    from truebleu.metrics.statistics import SavedStatistics

#: The metric of verbs unless another is chosen; scores without texts are their own metric.
DEFAULT_METRIC = "bleu"


def inputs_of(
    systems: SystemsLike,
    references: ReferencesLike | None,
    metrics: MetricsLike,
    documents: str | Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
    source: TextLike | None = None,
    *,
    compared_by: str = "",
    by_runs: bool = False,
) -> tuple[list[Metric], TestSet]:
    """The metrics as they count the test set, and the test set with its warnings.

    >>> metrics, test_set = inputs_of({"a": [0, 1, 1], "b": [1, 1, 1]}, None, "scores")
    >>> metrics[0].name, len(test_set)
    ('score', 3)

    Args:
        systems: what `as_test_set` takes; or, without references, scores by system: numbers, rows
            with the names of items, or a data frame with columns such as system, item and score.
        references: one text, or one per translator; None with a test set or with scores.
        metrics: names or objects.
        documents: the document of each segment or item; of scores also the name of a field.
        domains: the domain of each segment or item.
        source: what was translated.
        compared_by: the verb that needs several systems, if it does.
        by_runs: whether runs of scored systems, such as epochs, are systems of their own.
    """
    if compared_by and _is_text(systems):
        # As other tools take them: compare(outputs_a, outputs_b, references).
        call = f'{compared_by}({{"a": outputs_a, "b": outputs_b}}, references)'
        raise RefusedError(f"systems are given by name: {call}")
    if references is not None or isinstance(systems, TestSet):
        test_set = as_test_set(
            systems, references, source=source, documents=documents, domains=domains
        )
        is_scored = hasattr(test_set, "evaluations")
        return _for_runs(by_runs, _by_scores(metrics) if is_scored else metrics, test_set)
    scores = _scores_in(systems, metrics)
    if scores is None:
        return metrics_for(metrics, as_test_set(systems))
    # Tools and archives take longer to import than plain scores take in all.
    from truebleu.scores.scored import ScoredTestSet

    if source is not None:
        raise SettingError("source", type(source), "none beside scores, which have no texts")
    parsed = as_metrics(_by_scores(metrics))
    field = documents if isinstance(documents, str) else None
    scored = ScoredTestSet.of(scores, documents=field, answers=_answers(parsed))
    against = "the scores", len(scored)
    if field is None:
        scored = replace(scored, documents=labels_of("documents", documents, *against))
    scored = replace(scored, domains=labels_of("domains", domains, *against))
    return _for_runs(by_runs, parsed, scored.common(parsed))


def _by_scores(metrics: MetricsLike) -> MetricsLike:
    """The metrics of systems without texts, unless others are chosen."""
    return "scores" if metrics == DEFAULT_METRIC else metrics


def _for_runs(
    by_runs: bool, metrics: MetricsLike, test_set: TestSet
) -> tuple[list[Metric], TestSet]:
    """The metrics and the test set, with runs as systems where answers are runs of them."""
    parsed = as_metrics(metrics)
    split = getattr(test_set, "by_runs", None)
    are_free = all(getattr(metric, "has_scores", None) is False for metric in parsed)
    if by_runs and split is not None and are_free and _answers(parsed) is None:
        test_set = split()
    return metrics_for(parsed, test_set)


def _scores_in(systems: Any, metrics: MetricsLike) -> Any:
    """The scores that stand in the place of texts; None where there are none."""
    if is_frame(systems):
        columns = frame_columns("systems", systems)
        if any(name.strip().lower() in SYSTEM for name in columns):
            return systems
        systems = {name: column_values(values) for name, values in columns.items()}
    if not isinstance(systems, Mapping) or not systems:
        return None
    asked = any(hasattr(metric, "answers") for metric in as_metrics(metrics))
    return systems if asked or all(map(_is_scored, systems.values())) else None


def _is_scored(answers: Any) -> bool:
    """Whether a system is known by numbers, or by rows with the names of items."""
    if is_frame(answers):
        return True
    # Looking into an iterator would take its first answer away.
    if isinstance(answers, str | bytes | Segments | Iterator) or not isinstance(answers, Iterable):
        return False
    first = next((answer for answer in answers if answer is not None), "")
    return isinstance(first, int | float | Mapping) or hasattr(first, "dtype")


def _is_text(value: object) -> bool:
    is_list = isinstance(value, list | tuple) and bool(value) and isinstance(value[0], str)
    return is_list or isinstance(value, Segments)


def _answers(metrics: Sequence[Metric]) -> str | None:
    """What several answers to an item are, as the first metric that says it has it."""
    ways = (getattr(metric, "answers", None) for metric in metrics)
    return next((way for way in ways if way is not None), None)


# Files.

NEED_REFERENCES = (
    "at least one, as in -r FILE, or --test-set NAME; files of scores are compared by -m scores"
)


def are_scores(systems: Sequence[str]) -> bool:
    """Whether files hold scores, those of a tool or in tables of items, and no texts."""
    places = [locate(written) for written in expanded(systems)]
    if not all(map(os.path.isfile, (place.path for place in places))):
        return False
    if any(may_hold_statistics(place.path) for place in places):
        return False
    from truebleu.scores.formats import holds_scores

    # Of a table, FILE#COLUMN is a text.
    return all(holds_scores(place.path, table=place.column is None) for place in places)


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
    what = "statistics" if saved else "scores"
    labels = {"source": source, "documents": documents if saved else None}
    for name, file in labels.items() if saved or not references else ():
        if file is not None:
            raise RefusedError(f"{name} {file} needs texts: {what} have none")
    if texts and saved and not references:
        raise SettingError("references", "none", NEED_REFERENCES)
    if saved and not references:
        from truebleu.metrics.statistics import SavedTestSet

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
    location, *others = map(locate, (written, *systems))
    name = location.name or stem(location.path)
    if location.name is not None:
        return [*systems, written], name
    # A new run of a system usually has the name of the old one.
    if name in {other.name or stem(other.path) for other in others}:
        name = f"{name} (baseline)"
    return [*systems, f"{name}={written}"], name


def _statistics_among(systems: Sequence[str]) -> tuple[list[str], list[SavedStatistics]]:
    """The files that are texts, and the systems of those that are statistics."""
    texts: list[str] = []
    saved: list[SavedStatistics] = []
    for written in systems:
        location = locate(written)
        if location.column is not None or not may_hold_statistics(location.path):
            texts.append(written)
            continue
        from truebleu.metrics.statistics import read_statistics

        statistics = read_statistics(location.path)
        if location.name is None:
            saved += statistics
        elif len(statistics) == 1:
            saved.append(replace(statistics[0], system=location.name))
        else:
            expected = f"no name for a file of {len(statistics)} systems"
            raise SettingError("system", written, expected)
    return texts, saved


def _with_statistics(
    test_set: TestSet, saved: Sequence[SavedStatistics], metrics: Sequence[Metric]
) -> TestSet:
    """Texts and statistics together, refused unless the references are the same."""
    from truebleu.metrics.statistics import SavedStatistics, SavedTestSet

    for statistics in saved:
        statistics.require_same_references(test_set)
    counted = SavedStatistics.of(test_set, metrics) if test_set.systems else ()
    together = SavedTestSet.of((*counted, *saved))
    names = test_set.reference_names
    return replace(together, warnings=test_set.warnings, reference_names=names)


def _without_references(
    systems: Sequence[str], metrics: Sequence[Metric], documents: str | None
) -> TestSet:
    """What was scored elsewhere: a file of scores for each system, or for all of them."""
    from truebleu.scores.scored import (
        OutsideScores,
        ScoredTestSet,
        read_evaluated_texts,
        textless_test_set,
    )

    if not systems:
        return textless_test_set(metrics, documents)
    if any(isinstance(metric, OutsideScores) for metric in metrics):
        scored = ScoredTestSet.read(systems, documents=documents, answers=_answers(metrics))
        return scored.common(metrics)
    test_set = read_evaluated_texts(systems, metrics, documents)
    if test_set is None:
        raise SettingError("references", "none", NEED_REFERENCES)
    return test_set
