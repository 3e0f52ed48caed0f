"""Scores of items by any tool, such as accuracy, passed tests or the scores of a judge.

Models correspond to systems, items to segments, and documents to clusters of items that belong
together, such as questions about one passage. Items pair by their names.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import truebleu.corpus.tables as tables
import truebleu.scores.formats as formats
from truebleu.corpus._files import Files, expand_paths, parse_location
from truebleu.corpus._reading import read_labels
from truebleu.corpus.fingerprints import Fingerprints
from truebleu.corpus.outline import Outline
from truebleu.corpus.repetitions import are_many, repetition_warning
from truebleu.corpus.sequences import Frame, is_frame
from truebleu.corpus.test_set import TestSet
from truebleu.errors import EmptyTextError, MalformedFileError, SettingError, UnpairedSegmentsError
from truebleu.scores.given import GivenScores, require_answers
from truebleu.scores.item_texts import AnswerTexts, ItemTexts
from truebleu.scores.pairing import most_answers, pair_items, pair_scores

if TYPE_CHECKING:
    from os import PathLike

    from truebleu.corpus.text_warnings import TextWarning
    from truebleu.metrics.base import CountSystems, GivenMean, Requested
    from truebleu.scores.evaluations import Evaluation

__all__ = ["ItemScores", "read_benchmarks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemScores:
    """Scores of models on the same items.

    Attributes:
        evaluations: evaluation of each model.
        items: name and checksum of each item.
        answers: "mean", pass@K or pass^K of several answers to an item; None for the default.
        documents: document of each item, or None.
        domains: domain of each item, or None.

    >>> import truebleu
    >>> items = ItemScores.of({"old": [1, 0, 0, 1, 0, 0], "new": [1, 1, 0, 1, 1, 1]})
    >>> result = truebleu.compare(items, replicates=100)
    >>> result.comparisons[0].difference
    -0.5
    """

    evaluations: tuple[Evaluation, ...]
    items: tuple[tuple[str, str], ...]
    answers: str | None = None
    documents: tuple[str, ...] | None = None
    domains: tuple[str, ...] | None = None

    @classmethod
    def read(
        cls,
        systems: Sequence[str | PathLike[str]],
        *,
        documents: str | None = None,
        answers: str | None = None,
    ) -> ItemScores:
        """Read files of scores, one or more for each model; see docs/reference/metrics/scores.md.

        Args:
            systems: files, NAME=FILE, FILE#FILTER, folders or patterns; FILE#SYSTEM is one model of
                a file with several.
            documents: field of the items that tells which belong together, or a file with a label
                for each item.
            answers: "mean", pass@K or pass^K of several answers to an item; None for the default.
        """
        return cls.pair(read_systems(systems), documents, answers)

    @classmethod
    def of(
        cls,
        systems: Mapping[str, Iterable[Any] | Frame] | Sequence[Mapping[str, Any]] | Frame,
        *,
        documents: str | None = None,
        answers: str | None = None,
    ) -> ItemScores:
        """Take scores that are in memory, by model: a list of numbers, or of rows with names.

        Args:
            systems: for each model a score of every item, None or NaN if it is missing; or
                mappings such as {"id": "q1", "score": 1.0, "passage": "p1"}, in any order; or a
                data frame with such rows. Or rows or a data frame of all models with a column such
                as model, as Inspect's samples_df makes it.
            documents: field of those rows that tells which items belong together.
            answers: "mean", pass@K or pass^K of several rows of one item; None for the default.
        """
        if is_frame(systems) or not isinstance(systems, Mapping):
            name = "data frame" if is_frame(systems) else "rows"
            evaluations = formats.evaluations_in_memory(name, systems, of_models=True)
            return cls.pair(evaluations, documents, answers)
        evaluations = []
        for name, rows in systems.items():
            of_name = formats.evaluations_in_memory(name, rows)
            evaluations += [replace(of_name[0], system=name)] if len(of_name) == 1 else of_name
        return cls.pair(evaluations, documents, answers)

    @classmethod
    def pair(
        cls, evaluations: Sequence[Evaluation], documents: str | None, answers: str | None
    ) -> ItemScores:
        """Pair the items of some evaluations; `documents` is a field or a file."""
        require_answers(answers)
        items = tuple(pair_items(evaluations).items())
        first = evaluations[0]
        for evaluation in evaluations if answers is None and first.are_runs else ():
            counts = most_answers(evaluation), most_answers(first)
            if counts[0] != counts[1]:
                expected = (
                    f"{counts[1]} answers, as in {first.label}; answers=mean averages any number"
                )
                evaluation.refuse(None, f"{counts[0]} answers to an item", expected)
        scores = cls(evaluations=tuple(evaluations), items=items, answers=answers)
        documents = documents or first.documents or None
        if documents is None:
            return scores
        if os.path.exists(parse_location(documents).path):
            layout = read_labels(Files(), documents, first.label, len(items))
            return replace(scores, documents=layout.documents, domains=layout.domains)
        labels = scores.labels(documents)
        if labels is None:
            fields = {field for item in first.items for field in item.fields}
            expected = f"a file, or a field of the items: {', '.join(sorted(fields)) or 'none'}"
            raise SettingError("documents", documents, expected)
        return replace(scores, documents=labels)

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.items)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(evaluation.system for evaluation in self.evaluations)

    def labels(self, name: str) -> tuple[str, ...] | None:
        """Return a field of all items, or None if no item has it."""
        label_of: dict[str, str] = {}
        for evaluation in self.evaluations:
            for item, label in evaluation.labels(name).items():
                if label_of.setdefault(item, label) != label:
                    expected = f"{label_of[item]}, as in {self.evaluations[0].label}"
                    evaluation.refuse(None, f"{name} {label} of item {item}", expected)
        for item, _ in self.items if label_of else ():
            if item not in label_of:
                expected = f"a {name} for each item"
                self.evaluations[0].refuse(None, f"no {name} of item {item}", expected)
        return tuple(label_of[item] for item, _ in self.items) if label_of else None

    def outline(self, *, by_runs: bool = False) -> Outline:
        """Return the outline of the items.

        Args:
            by_runs: True if the runs of a model, such as epochs, are systems of their own, called
                NAME.run1, NAME.run2, …
        """
        systems, runs = self.systems, None
        first = self.evaluations[0]
        count = most_answers(first)
        are_runs = all(evaluation.are_runs for evaluation in self.evaluations)
        if by_runs and count > 1 and are_runs and self.answers is None:
            runs = {name: tuple(f"{name}.run{n}" for n in range(1, count + 1)) for name in systems}
            systems = tuple(run for names in runs.values() for run in names)
        # Fields other than names, scores and runs.
        items = [item for evaluation in self.evaluations for item in evaluation.items]
        reserved = {*tables.ITEM, *tables.SYSTEM, *tables.ANSWER, *tables.BENCHMARK}
        scores = {name for item in items for name in item.scores or ()}
        fields = dict.fromkeys(str(name) for item in items for name in item.fields)
        repeats, warnings = self._repeats()
        return Outline(
            systems=systems,
            segments=len(self),
            rows="items",
            documents=self.documents,
            domains=self.domains,
            names=tuple(name for name, _ in self.items) if first.has_names else None,
            fields=self.labels,
            field_names=tuple(n for n in fields if n not in scores and n.lower() not in reserved),
            runs=runs,
            fingerprints=item_fingerprints(self.items),
            warnings=warnings,
            repeats=repeats,
        )

    def _repeats(self) -> tuple[tuple[int, ...] | None, tuple[TextWarning, ...]]:
        """Return the first item with the question and target of each; None if few are equal."""
        evaluations = reversed(self.evaluations)
        contents = {item.name: item.contents for e in evaluations for item in e.items}
        first: dict[str, int] = {}
        rows = tuple(
            first.setdefault(contents[name] or name, index)
            for index, (name, _) in enumerate(self.items)
        )
        if not are_many(len(rows) - len(first), len(rows)):
            return None, ()
        label = self.evaluations[0].label
        return rows, (repetition_warning(label, rows, "question and target", "items"),)

    def texts(self, filter_: str) -> ItemTexts | None:
        """Return the texts of the items and of their answers by one filter, or None."""
        nothing = AnswerTexts()
        answers: dict[str, tuple[AnswerTexts, ...]] = {}
        shared: dict[str, AnswerTexts] = {}
        for evaluation in self.evaluations:
            first: dict[str, AnswerTexts] = {}
            for item in evaluation.chosen_items(filter_):
                first.setdefault(item.name, item.texts)
                if item.texts.question or item.texts.target:
                    shared.setdefault(item.name, item.texts)
            answers[evaluation.system] = tuple(first.get(n, nothing) for n, _ in self.items)
        items = tuple(shared.get(name, nothing) for name, _ in self.items)
        is_known = any(any(text) for texts in (items, *answers.values()) for text in texts)
        return ItemTexts(items=items, answers=answers) if is_known else None

    def attach(self, requested: Requested, outline: Outline) -> tuple[GivenMean, CountSystems]:
        """Return the scorer of the items' scores, and a function that makes the rows of models."""
        if not isinstance(requested, GivenScores):
            name = getattr(requested, "name", "it")
            expected = f"texts and references, which {name} needs; for scores use -m scores"
            raise SettingError("metric", name, expected)
        if requested.has_scores:
            return requested.attach(outline, None)
        default = "mean" if outline.runs is None else "runs"
        answers = requested.answers or self.answers or default
        scores = pair_scores(
            self.evaluations, dict(self.items), requested.column, requested.filter, answers
        )
        is_mean = answers in ("mean", "runs")
        name = requested.name
        if name in ("", "scores", requested.column):
            name = scores.name if is_mean else f"{scores.name} {answers}"
        averaged = max(map(most_answers, self.evaluations)) if answers == "mean" else 1
        # The texts were scored with these systems, so they need no comparison.
        scores = replace(scores, texts={}, answers=averaged)
        return replace(requested, table=scores, name=name, answers=None).attach(outline, None)


def item_fingerprints(items: Sequence[tuple[str, str]]) -> Fingerprints:
    """Return the fingerprint of items by their names and checksums; each has length 1."""
    digest = tables.digest(repr(tuple(items)).encode())
    return Fingerprints(references=digest, outputs={}, lengths=(1,) * len(items))


def read_systems(systems: Sequence[str | PathLike[str]]) -> list[Evaluation]:
    """Read the evaluations in files, with the names given to the systems."""
    evaluations: list[Evaluation] = []
    for argument in formats.score_files(systems):
        location = parse_location(argument)
        of_file = formats.read_evaluations(location.path)
        chosen = location.column
        named = [e for e in of_file if len(of_file) > 1 and chosen in (e.system, e.benchmark)]
        if named:
            of_file = named
        elif chosen is not None:
            of_file = [_choose_score(evaluation, chosen) for evaluation in of_file]
        if location.name is not None:
            if len(of_file) != 1:
                expected = f"no name for a file of {len(of_file)} systems"
                raise SettingError("system", str(argument), expected)
            of_file = [replace(of_file[0], system=location.name)]
        evaluations += of_file
    return evaluations


def _choose_score(evaluation: Evaluation, chosen: str) -> Evaluation:
    """Keep one score, the answers of one filter, or both, as in `exact_match,strict-match`."""
    name, _, filter_ = chosen.partition(",")
    items = evaluation.items
    if any(name in (item.scores or {}) for item in items):
        scored = ((item, (item.scores or {}).get(name)) for item in items)
        items = tuple(item._replace(scores={name: score}) for item, score in scored)
        evaluation = replace(evaluation, items=items)
    else:
        filter_ = chosen
    items = tuple(evaluation.chosen_items(filter_)) if filter_ else items
    return replace(evaluation, items=items)


def read_benchmarks(
    paths: Sequence[str],
    *,
    documents: str | None = None,
    answers: str | None = None,
    filters: str | None = None,
) -> dict[str, ItemScores]:
    """Read the benchmarks in files of scores, by their names, as `panel` takes them.

    Args:
        paths: files of scores, or folders of such files, including subfolders. The name of a
            benchmark is given by the tool, by a column such as benchmark, or by the folder.
            FILE#FILTER is one of several filters.
        documents: field of the items that tells which belong together, if they have it.
        answers: "mean", pass@K or pass^K of several answers to an item; None for the default.
        filters: filter by which answers were extracted; A/B takes the first that a benchmark has.
            None for strict-match, flexible-extract, or the first.
    """
    evaluations: dict[tuple[str, str], Evaluation] = {}
    for path in paths:
        location = parse_location(path)
        chosen = location.column or filters
        is_folder = os.path.isdir(location.path)
        files = list(formats.files_inside(location.path)) if is_folder else [location.path]
        if not files:
            raise EmptyTextError(path)
        for file in files:
            folder = os.path.basename(os.path.dirname(os.path.abspath(file)))
            for evaluation in formats.read_evaluations(file, by_benchmark=True):
                key = evaluation.benchmark or folder, evaluation.system
                if key in evaluations:
                    expected = f"each model once; it is also in {evaluations[key].label}"
                    evaluation.refuse(None, f"{key[1]} on {key[0]} again", expected)
                items = tuple(evaluation.chosen_items(chosen or ""))
                evaluations[key] = replace(evaluation, benchmark=key[0], items=items)
    by_benchmark: dict[str, list[Evaluation]] = {}
    for (benchmark, _), evaluation in evaluations.items():
        by_benchmark.setdefault(benchmark, []).append(evaluation)
    sets = {name: ItemScores.pair(parts, None, answers) for name, parts in by_benchmark.items()}
    if documents is None:
        return sets
    labels = {name: items.labels(documents) for name, items in sets.items()}
    if not any(labels.values()):
        raise SettingError("documents", documents, "a field of the items of a benchmark")
    return {name: replace(items, documents=labels[name]) for name, items in sets.items()}


def read_evaluated_texts(systems: Sequence[str], documents: str | None) -> TestSet | None:
    """Read the outputs and references that evaluations keep; None if the files keep none."""
    paths = [parse_location(argument).path for argument in expand_paths(systems)]
    if not all(map(os.path.isfile, paths)):
        return None
    have_texts = [formats.keeps_texts(path) for path in paths]
    if not any(have_texts):
        return None
    if not all(have_texts):
        expected = f"an evaluation with its outputs, as in {paths[have_texts.index(True)]}"
        raise MalformedFileError(paths[have_texts.index(False)], None, "no outputs", expected)
    evaluations = read_systems(systems)
    scores = ItemScores.pair(evaluations, documents, "mean")
    outputs: dict[str, list[str]] = {}
    references: list[tuple[str, ...]] = []
    for evaluation in evaluations:
        chosen = {item.name: item for item in evaluation.chosen_items()}
        if len(chosen) != len(scores.items):
            first = evaluations[0].label
            raise UnpairedSegmentsError(evaluation.label, len(chosen), first, len(scores.items))
        items = [chosen[name] for name, _ in scores.items]
        for item in items:
            missing = "text as the output" if item.output is None else "target"
            if item.output is None or not item.references:
                found = f"no {missing} of item {item.name}"
                evaluation.refuse(item.line, found, "a text to score; for scores use -m scores")
        outputs[evaluation.system] = [item.output or "" for item in items]
        references = references or [item.references for item in items]
    width = max(map(len, references))
    return TestSet(
        systems=outputs,
        references=tuple(
            [texts[i] if i < len(texts) else None for texts in references] for i in range(width)
        ),
        reference_names=tuple(f"target {i}" for i in range(1, width + 1)),
        documents=scores.documents,
    )
