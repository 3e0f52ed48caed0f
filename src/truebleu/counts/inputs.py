"""Inputs of verbs: texts, scores or counts are recognized and counted here.

`counts_of` takes texts, scores and counts in memory; `counts_of_files` takes files of any kind, for
commands, the pytest fixture and the action for pipelines.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from truebleu._core import Segments
from truebleu.corpus._files import may_hold_statistics, parse_location, stem
from truebleu.corpus._reading import read_test_set
from truebleu.corpus.sequences import column_values, frame_columns, is_frame, labels_of
from truebleu.corpus.tables import ITEM, SYSTEM
from truebleu.corpus.test_set import TestSet, as_test_set
from truebleu.counts.counting import (
    DEFAULT_METRIC,
    NEED_REFERENCES,
    count_annotations,
    count_files,
    count_texts,
    need_only_source,
)
from truebleu.counts.counts import Counts
from truebleu.errors import (
    MissingColumnError,
    RefusedError,
    SettingError,
    UnpairedSegmentsError,
    first_names,
)
from truebleu.metrics.base import FileMeasure, Metric
from truebleu.metrics.registry import as_requested

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from truebleu.corpus._reading import TestSetParts
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike
    from truebleu.counts.rows import Rows
    from truebleu.metrics.base import CountSystems, Requested, Scorer
    from truebleu.metrics.registry import MetricsLike
    from truebleu.scores.evaluation_set import EvaluationSet
    from truebleu.scores.items import ItemScores

    #: Inputs of verbs other than texts: counts, a test set, scores of items, an evaluation set, or
    #: a path.
    Source: TypeAlias = Counts | TestSet | ItemScores | EvaluationSet | os.PathLike[str]

__all__ = ["count"]

WHERE_LP = "None, unless `systems` is the folder of an evaluation set"
#: Default metric of items: their scores.
ITEM_METRIC = "scores"


def count(
    systems: SystemsLike | Source,
    references: ReferencesLike | None = None,
    metrics: MetricsLike | None = None,
    *,
    documents: str | Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
    source: TextLike | None = None,
    lp: str | None = None,
) -> Counts:
    """Count a test set once, for any number of functions such as `compare`.

    >>> counts = count({"a": [0, 1, 1], "b": [1, 1, 1]})
    >>> counts.labels, counts.outline.rows
    (['score'], 'items')

    Args:
        systems: a test set, outputs by system name, the outputs of a single system, scores of
            items by model, or paths.
        references: one text, or one per translator; None with a test set or with scores.
        metrics: names or objects; BLEU of texts and the scores of items by default.
        documents: document of each segment or item; with scores also the name of a field.
        domains: domain of each segment or item.
        source: source text, for metrics such as COMET.
        lp: language pair, if `systems` is the folder of an evaluation set with several.
    """
    return counts_of(systems, references, metrics, documents, domains, source, lp=lp)


def counts_of(
    systems: SystemsLike | Source,
    references: ReferencesLike | None = None,
    metrics: MetricsLike | None = None,
    documents: str | Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
    source: TextLike | None = None,
    *,
    lp: str | None = None,
    verb: str = "",
    by_runs: bool = False,
    lower_is_better: bool | None = None,
) -> Counts:
    """Count texts, or take counts or scores.

    Args:
        systems: counts, a test set, scores of items, an evaluation set, or what `as_test_set`
            takes; without references, scores by model: numbers, rows with the names of items, or
            rows or a data frame with columns such as system, item and score. Or paths, as commands
            take files.
        references: one text, or one per translator; None with counts, a test set or scores.
        metrics: names or objects; None for the default.
        documents: document of each segment or item; with scores also the name of a field.
        domains: domain of each segment or item.
        source: source text.
        lp: language pair, if `systems` is the folder of an evaluation set with several.
        verb: name of the verb if it needs several systems.
        by_runs: True if runs of scored models, such as epochs, are systems of their own.
        lower_is_better: direction of scores of other programs, or None if their names tell.
    """
    if lower_is_better is not None and metrics is None:
        metrics = ITEM_METRIC if references is None else DEFAULT_METRIC
    if metrics is not None:
        metrics = with_direction(as_requested(metrics), lower_is_better)
    paths = paths_in(systems)
    if paths is not None:
        files = [] if references is None else paths_in(references)
        if files is None:
            raise SettingError("references", type(references), "paths, as the systems are")
        file = documents if isinstance(documents, str) else None
        counts = counts_of_files(
            paths,
            files,
            metrics,
            source=cast("str | None", source),
            documents=file,
            lp=lp,
            keep_texts=True,
            by_runs=by_runs,
        )
        return _with_labels(counts, documents if file is None else None, domains)
    if lp is not None:
        raise SettingError("lp", lp, WHERE_LP)
    if isinstance(systems, Counts):
        _require_none("counts", references=references, metrics=metrics, source=source)
        return _with_labels(systems, documents, domains)
    if verb and _are_unnamed_scores(systems):
        raise RefusedError(f'scores are given by model: {verb}({{"a": scores_a, "b": scores_b}})')
    first = systems[:1] if isinstance(systems, list | tuple) and references is not None else ()
    if verb and (_is_text(systems) or any(map(_is_text, first))):
        # Other tools are called like this: compare(outputs_a, outputs_b, references).
        call = f'{verb}({{"a": outputs_a, "b": outputs_b}}, references)'
        raise RefusedError(f"systems are given by name: {call}")
    if references is not None or isinstance(systems, TestSet):
        test_set = as_test_set(
            cast("SystemsLike", systems),
            references,
            source=source,
            documents=documents,
            domains=domains,
        )
        return count_texts(test_set, metrics)
    if not isinstance(systems, Mapping):
        from truebleu.scores.evaluation_set import EvaluationSet

        if isinstance(systems, EvaluationSet):
            _require_none("an evaluation set", source=source)
            return _with_labels(count_evaluation_set(systems, metrics), documents, domains)
    scores = _scores_in(systems, metrics)
    if scores is None:
        texts = cast("SystemsLike", systems)
        test_set = as_test_set(texts, source=source, documents=documents, domains=domains)
        return count_texts(test_set, metrics)
    _require_none("scores", source=source)
    requested = as_requested(metrics, ITEM_METRIC)
    # Importing the formats of tools takes longer than reading plain scores.
    from truebleu.scores.items import ItemScores

    items = scores
    if not isinstance(items, ItemScores):
        file = documents if isinstance(documents, str) else None
        items = ItemScores.of(scores, documents=file, answers=_answers(requested))
        documents = documents if file is None else None
    given = {"documents": documents, "domains": domains}
    labels: dict[str, Any] = {
        name: labels_of(name, values, "the scores", len(items))
        for name, values in given.items()
        if values is not None
    }
    keep_texts = verb in ("", "report")
    return count_items(replace(items, **labels), requested, by_runs=by_runs, keep_texts=keep_texts)


def count_items(
    items: ItemScores,
    metrics: MetricsLike | None = None,
    *,
    by_runs: bool = False,
    keep_texts: bool = False,
) -> Counts:
    """Make counts of the scores of items.

    Args:
        items: scores of models on the same items.
        metrics: scores to take; None for the only one, or the tool's main one.
        by_runs: True if runs of models, such as epochs, are systems of their own.
        keep_texts: True to keep questions, targets and outputs.
    """
    from truebleu.scores.given import GivenScores

    requested = _join_filters(as_requested(metrics, ITEM_METRIC), items)
    given = [metric for metric in requested if isinstance(metric, GivenScores)]
    of_items = [metric for metric in given if not metric.has_scores]
    by_runs = by_runs and len(of_items) == len(requested)
    by_runs = by_runs and all(metric.answers is None for metric in of_items)
    outline = items.outline(by_runs=by_runs)
    counts = Counts.of(outline, [items.attach(metric, outline) for metric in requested])
    filters = [metric.filter for metric in of_items]
    if keep_texts and filters and outline.runs is None:
        counts = replace(counts, item_texts=items.texts(filters[0]))
    if len(of_items) == len(requested) and all(m.missing == "common" for m in of_items):
        return _common_items(counts, items)
    return counts


def count_evaluation_set(
    evaluation_set: EvaluationSet, metrics: MetricsLike | None = None, *, human: bool = True
) -> Counts:
    """Make counts of the stored scores of an evaluation set.

    Args:
        evaluation_set: evaluation set of a language pair.
        metrics: metrics to count from the texts, besides all stored metrics.
        human: True to put the human scores before the metrics.
    """
    outline, texts = evaluation_set.outline, evaluation_set.texts
    stored = [*([evaluation_set.human] if human else []), *evaluation_set.metrics]
    counted: list[tuple[Scorer, Rows | CountSystems]] = []
    counted += [scores.attach(outline.systems) for scores in stored]
    if metrics is not None:
        counts = count_texts(texts, metrics)
        counted += [(metric.scorer, metric.rows) for metric in counts.metrics]
    return Counts.of(outline, counted, texts)


def _join_filters(requested: Sequence[Requested], items: ItemScores) -> list[Requested]:
    """Take the name of a filter after a score as its filter: `exact_match,strict-match`."""
    filters = {item.filter for item in items.evaluations[0].items}
    joined: list[Requested] = []
    for metric in requested:
        column = getattr(metric, "column", "") if getattr(metric, "is_name", False) else ""
        if joined and column in filters - {""}:
            joined[-1] = replace(cast("Any", joined[-1]), filter=column)
        else:
            joined.append(metric)
    return joined


def _common_items(counts: Counts, items: ItemScores) -> Counts:
    """Keep the items with scores of all models; raises SettingError if no items are left."""
    rows = [metric.rows.stored()[:, :, 1].all(1) for metric in counts.metrics]
    common = [index for index, row in enumerate(zip(*rows, strict=True)) if all(row)]
    if not common:
        found = f"no item with scores by {' and '.join(counts.labels)} of all systems"
        raise SettingError("missing", found, "at least one item, or missing=omit")
    if len(common) == len(counts):
        return counts
    from truebleu.scores.items import item_fingerprints

    fingerprints = item_fingerprints([items.items[index] for index in common])
    warnings = counts.outline.warnings
    counts = counts.subset(common)
    outline = replace(counts.outline, fingerprints=fingerprints, warnings=warnings)
    return replace(counts, outline=outline)


def with_direction(metrics: Sequence[Requested], lower: bool | None) -> Sequence[Requested]:
    """Give scores of other programs a direction; raises SettingError if there are none."""
    if lower is None:
        return metrics
    if all(isinstance(metric, Metric) for metric in metrics):
        raise RefusedError(
            "--lower-is-better and --higher-is-better (lower_is_better=) are for scores of other "
            "programs: -m scores"
        )
    return [
        metric
        if isinstance(metric, Metric)
        else replace(cast("Any", metric), higher_is_better=not lower)
        for metric in metrics
    ]


def paths_in(value: object) -> list[str] | None:
    """Return paths as commands take them, or None if the value is no path, or texts."""
    if isinstance(value, str):
        return [value] if value and os.path.exists(parse_location(value).path) else None
    if isinstance(value, os.PathLike):
        value = [value]
    if isinstance(value, Mapping) and value:
        paths = paths_in(list(value.values()))
        names = zip(value, paths or (), strict=True) if paths else ()
        return [f"{name}={path}" for name, path in names] or None
    if not isinstance(value, list | tuple) or not value or not all(map(_is_path, value)):
        return None
    return [os.fspath(path) for path in value]


def _is_path(value: object) -> bool:
    # A text is a path if there is such a file, which has an ending or a folder.
    if not isinstance(value, str):
        return isinstance(value, os.PathLike)
    looks_like_path = "." in value or os.sep in value or os.path.isdir(value)
    return looks_like_path and "\n" not in value and os.path.exists(parse_location(value).path)


def _are_rows(value: object) -> bool:
    is_list = isinstance(value, list | tuple) and bool(value)
    return is_list and all(isinstance(row, Mapping) for row in cast("Sequence[object]", value))


def _require_none(noun: str, **arguments: object) -> None:
    for name, value in arguments.items():
        if value is not None:
            raise SettingError(name, type(value), f"None with {noun}, which have their own {name}")


def _with_labels(
    counts: Counts, documents: str | Iterable[object] | None, domains: Iterable[object] | None
) -> Counts:
    """Give counts other documents or domains."""
    outline, against = counts.outline, ("the test set", len(counts))
    if isinstance(documents, str):
        documents = outline.columns([documents])[documents]
    if documents is not None:
        outline = replace(outline, documents=labels_of("documents", documents, *against))
    if domains is not None:
        outline = replace(outline, domains=labels_of("domains", domains, *against))
    return replace(counts, outline=outline)


def _scores_in(systems: Any, metrics: MetricsLike | None) -> Any:
    """Return `systems` as scores by model, or None if they are texts."""
    if is_frame(systems):
        columns = frame_columns("systems", systems)
        if any(name.strip().lower() in SYSTEM for name in columns):
            return systems
        systems = {name: column_values(values) for name, values in columns.items()}
        names = next((name for name in systems if name.strip().lower() in ITEM), None)
        if names is not None:
            items = systems.pop(names)
            systems = {
                name: [{"id": item, "score": s} for item, s in zip(items, scores, strict=True)]
                for name, scores in systems.items()
            }
    if not isinstance(systems, Mapping):
        from truebleu.scores.items import ItemScores

        return systems if _are_rows(systems) or isinstance(systems, ItemScores) else None
    if not systems:
        return None
    are_scores = any(not isinstance(metric, Metric) for metric in as_requested(metrics, ""))
    return systems if are_scores or all(map(_is_scored, systems.values())) else None


def _is_scored(answers: Any) -> bool:
    """Return whether a system is given as numbers, or as rows with the names of items."""
    if is_frame(answers):
        return True
    # Looking into an iterator would consume its first answer.
    if isinstance(answers, str | bytes | Segments | Iterator) or not isinstance(answers, Iterable):
        return False
    first = next((answer for answer in answers if answer is not None), "")
    return isinstance(first, int | float | Mapping) or hasattr(first, "dtype")


def _are_unnamed_scores(value: Any) -> bool:
    """Return whether scores of one or several models are given without their names."""
    if isinstance(value, Mapping) or is_frame(value) or _are_rows(value):
        return False
    return _is_scored(value) or (
        isinstance(value, list | tuple) and any(map(_is_scored, value[:1]))
    )


def _is_text(value: object) -> bool:
    is_list = isinstance(value, list | tuple) and bool(value) and isinstance(value[0], str)
    return is_list or isinstance(value, Segments)


def _answers(requested: Sequence[Requested]) -> str | None:
    """Return the scoring of several answers to an item, from the first metric that sets it."""
    from truebleu.scores.given import GivenScores

    answers = (metric.answers for metric in requested if isinstance(metric, GivenScores))
    return next((scoring for scoring in answers if scoring is not None), None)


# Files.


def counts_of_files(
    systems: Sequence[str],
    references: Sequence[str],
    metrics: MetricsLike | None = None,
    *,
    source: str | None = None,
    documents: str | None = None,
    lp: str | None = None,
    strict: bool = False,
    keep_texts: bool = False,
    fingerprints: bool = False,
    by_runs: bool = False,
    watch: Callable[[TestSetParts], object] | None = None,
) -> Counts:
    """Count files of any kind.

    Args:
        systems: outputs, saved counts, or both; without references saved counts, scores, or
            evaluations that keep their texts; or the folder of an evaluation set.
        references: references of the outputs, one translator each.
        metrics: names or objects; None for the default.
        source: source text.
        documents: file with the document of each segment; with scores also a field of the items.
        lp: language pair of an evaluation set; None for the only one.
        strict: True if a warning about the texts is an error.
        keep_texts: True to keep the texts in memory, False to forget them part by part.
        fingerprints: True to compute the fingerprints that saved counts and ledgers need.
        by_runs: True if runs of scored models, such as epochs, are systems of their own.
        watch: function called with the parts that were read, for progress.
    """
    requested = as_requested(metrics, "")
    if any(isinstance(metric, FileMeasure) for metric in requested):
        return count_annotations(systems, references, requested, documents)
    if len(systems) == 1 and os.path.isdir(systems[0]):
        from truebleu.scores.evaluation_set import EvaluationSet, is_evaluation_set

        if is_evaluation_set(systems[0]):
            evaluation_set = EvaluationSet.read(systems[0], lp, references=references)
            return count_evaluation_set(evaluation_set, metrics)
    if lp is not None:
        raise SettingError("lp", lp, WHERE_LP)
    texts, saved = _split_saved(systems, metrics)
    if source is not None and not (references or saved) and need_only_source(requested):
        test_set = read_test_set(texts, [], source=source, documents=documents, strict=strict)
        return count_texts(test_set, metrics)
    if saved:
        _refuse_files("saved counts", source=source, documents=documents)
    elif source is not None and not references:
        if are_scores(systems):
            _refuse_files("scores", source=source)
        raise RefusedError(NEED_REFERENCES)
    if not references:
        if texts and saved:
            raise RefusedError(NEED_REFERENCES)
        if saved:
            return _join(saved)
        if strict:
            raise RefusedError("strict needs texts: scores have none")
        return _count_without_references(
            systems, metrics, documents, by_runs=by_runs, keep_texts=keep_texts
        )
    if keep_texts or saved or not texts:
        test_set = read_test_set(
            texts, references, source=source, documents=documents, strict=strict
        )
        counts = count_texts(test_set, metrics)
    else:
        counts = count_files(
            texts,
            references,
            metrics,
            source=source,
            documents=documents,
            strict=strict,
            fingerprints=fingerprints,
            watch=watch,
        )
    if not saved:
        return counts
    if counts.outline.systems:
        joined = _join([("texts", counts), *saved])
    else:
        joined = _join(saved)
        for path, other in saved:
            counts.require_same_references(other, path)
    outline = replace(
        joined.outline,
        warnings=counts.outline.warnings,
        reference_names=counts.outline.reference_names,
    )
    return replace(joined, outline=outline)


def _refuse_files(noun: str, **files: str | None) -> None:
    """Raise RefusedError if a file is given that only texts can use."""
    for name, file in files.items():
        if file is not None:
            raise RefusedError(f"{name} {file} needs texts: {noun} have none")


def _split_saved(
    systems: Sequence[str], metrics: MetricsLike | None
) -> tuple[list[str], list[tuple[str, Counts]]]:
    """Return the files that are texts, and the paths and counts of the saved counts."""
    texts: list[str] = []
    saved: list[tuple[str, Counts]] = []
    for argument in systems:
        location = parse_location(argument)
        if location.column is not None or not may_hold_statistics(location.path):
            texts.append(argument)
            continue
        from truebleu.counts.saved import read_counts, rename_system

        counts = read_counts(location.path, metrics)
        if location.name is not None:
            counts = rename_system(counts, location.name, argument)
        saved.append((location.path, counts))
    return texts, saved


def _join(saved: Sequence[tuple[str, Counts]]) -> Counts:
    """Join the systems of saved counts; raises OtherCountsError unless they match."""
    (_, counts), *others = saved
    for path, other in others:
        counts = counts.join(other, path)
    return counts


def _count_without_references(
    systems: Sequence[str],
    metrics: MetricsLike | None,
    documents: str | None,
    *,
    by_runs: bool,
    keep_texts: bool,
) -> Counts:
    """Make counts of scores of other tools: a file for each model, or one for all systems."""
    from truebleu.scores.given import GivenScores, textless_outline
    from truebleu.scores.items import ItemScores, read_evaluated_texts

    if metrics is None and systems and are_scores(systems):
        metrics = ITEM_METRIC
    requested = as_requested(metrics, DEFAULT_METRIC)
    if not systems:
        outline, given = textless_outline(requested, documents)
        return Counts.of(outline, [metric.attach(outline, None) for metric in given])
    have_scores = (isinstance(metric, GivenScores) and metric.has_scores for metric in requested)
    if all(have_scores) and not are_scores(systems):
        # Outputs tell only which systems and segments have the scores.
        outputs = read_test_set(systems, systems[:1])
        counts = _count_without_references(
            (), requested, documents, by_runs=False, keep_texts=False
        )
        if len(outputs) != len(counts):
            raise UnpairedSegmentsError(systems[0], len(outputs), "the file of scores", len(counts))
        return counts.select(list(outputs.systems))
    if any(not isinstance(metric, Metric) for metric in requested):
        items = ItemScores.read(systems, documents=documents, answers=_answers(requested))
        return count_items(items, requested, by_runs=by_runs, keep_texts=keep_texts)
    test_set = read_evaluated_texts(systems, documents)
    if test_set is None:
        raise RefusedError(NEED_REFERENCES)
    return count_texts(test_set, requested)


def read_texts(
    systems: Sequence[str],
    references: Sequence[str],
    *,
    source: str | None = None,
    documents: str | None = None,
    strict: bool = False,
) -> TestSet:
    """Read texts, or evaluations that keep their texts; raises RefusedError without references."""
    if references:
        return read_test_set(systems, references, source=source, documents=documents, strict=strict)
    from truebleu.scores.items import read_evaluated_texts

    _refuse_files("scores", source=source, documents=documents)
    test_set = read_evaluated_texts(systems, None) if systems else None
    if test_set is None:
        raise RefusedError(NEED_REFERENCES)
    return test_set


def are_scores(systems: Sequence[str]) -> bool:
    """Return whether files hold only scores, of a tool or in tables of items, without texts."""
    from truebleu.scores.formats import score_files

    locations = [parse_location(argument) for argument in score_files(systems)]
    return bool(locations) and all(_holds_scores(at.path, at.column) for at in locations)


def holds_benchmarks(paths: Sequence[str]) -> bool:
    """Return whether files and folders hold scores of items, by the first file of each."""
    from truebleu.scores.formats import score_files

    locations = (parse_location(path) for path in paths)
    firsts = (next(iter(score_files([location.path])), "") for location in locations)
    return all(_holds_scores(str(first)) for first in firsts)


def _holds_scores(path: str, column: str | None = None) -> bool:
    from truebleu.scores.formats import holds_scores

    return os.path.isfile(path) and not may_hold_statistics(path) and holds_scores(path, column)


def count_benchmarks(
    paths: Sequence[str], metrics: MetricsLike | None = None, documents: str | None = None
) -> dict[str, Counts]:
    """Count the benchmarks in files of scores, by their names.

    Args:
        paths: files or folders of scores.
        metrics: scores to take; None for the main score of each benchmark, which is called "score"
            if benchmarks have different ones.
        documents: field of the items that tells which belong together.
    """
    from truebleu.scores.given import GivenScores
    from truebleu.scores.items import read_benchmarks

    requested = as_requested(metrics, ITEM_METRIC)
    given = [metric for metric in requested if isinstance(metric, GivenScores)]
    benchmarks = read_benchmarks(
        paths,
        documents=documents,
        answers=_answers(given),
        filters=next((metric.filter for metric in given if metric.filter), None),
    )
    try:
        counts = {name: count_items(items, requested) for name, items in benchmarks.items()}
    except MissingColumnError as error:
        path, kind, name, known = error.args
        expected = f"a {kind} that every benchmark has, or several: -m {name}/{known[0]}"
        raise SettingError(
            "metrics", f"{name} ({path} has {first_names(known)})", expected
        ) from None
    has_one_score = len(requested) == len(given) == 1 and given[0].name in ("", "scores")
    if has_one_score and len({tuple(of_set.labels) for of_set in counts.values()}) > 1:
        named = replace(given[0], name="score")
        return {name: count_items(items, [named]) for name, items in benchmarks.items()}
    return counts


def with_baseline(systems: Sequence[str], argument: str) -> tuple[list[str], str]:
    """Append the baseline; return all systems and the baseline's name.

    The name gets ' (baseline)' added if the baseline's file name is already in use.
    """
    location, *others = map(parse_location, (argument, *systems))
    name = location.name or stem(location.path)
    if location.name is not None:
        return [*systems, argument], name
    # A new run of a system usually has the name of the old one.
    if name in {other.name or stem(other.path) for other in others}:
        name = f"{name} (baseline)"
    return [*systems, f"{name}={argument}"], name
