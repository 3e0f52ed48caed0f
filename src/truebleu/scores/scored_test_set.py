"""A test set known by its scores alone: anything that was evaluated item by item, by any tool.

Accuracy, pass or fail, a judge's scores: systems are models, segments are items, and documents are
clusters of items that go together, such as questions about one passage. Items pair by their names.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import comb
from typing import TYPE_CHECKING, Any

from truebleu.corpus._files import Files, expanded, locate
from truebleu.corpus._reading import read_labels
from truebleu.corpus.tables import digest
from truebleu.corpus.test_set import TestSet, TextWarning, is_frame
from truebleu.errors import (
    EmptyTextError,
    MalformedFileError,
    SettingError,
    UnpairedSegmentsError,
)
from truebleu.metrics._counted import AbsentText, CountedTestSet
from truebleu.metrics.base import CountedMetric
from truebleu.metrics.registry import metrics_for
from truebleu.scores.evaluations import Evaluation, items_of, mean, paired
from truebleu.scores.given import GivenScores, require_answers
from truebleu.scores.reading import (
    evaluations_in_memory,
    keeps_texts,
    read_evaluations,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike

    from truebleu.corpus.test_set import Frame
    from truebleu.metrics.base import Metric
    from truebleu.scores.evaluations import Answer

__all__ = ["ScoredTestSet", "read_benchmarks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredTestSet(CountedTestSet):
    """Systems that are known by the scores of their answers alone; metrics are `GivenScores`.

    Attributes:
        evaluations: what each system got.
        items: the names of the items and their checksums.
        answers: what several answers to one item are: averaged; runs, whose systems are then called
            NAME.run1, NAME.run2, …; or pass@K or pass^K, the chance that one or all of K are right.

    >>> import truebleu
    >>> scored = ScoredTestSet.of({"old": [1, 0, 0, 1, 0, 0], "new": [1, 1, 0, 1, 1, 1]})
    >>> result = truebleu.compare(scored, metrics=["scores"], replicates=100)
    >>> result.comparisons[0].difference
    -0.5
    """

    evaluations: tuple[Evaluation, ...] = ()
    items: tuple[tuple[str, str], ...] = ()
    answers: str = "mean"

    @classmethod
    def read(
        cls,
        systems: Sequence[str | PathLike[str]],
        *,
        documents: str | None = None,
        answers: str | None = None,
    ) -> ScoredTestSet:
        """Files of scores, one or more for each system; see docs/reference/metrics/scores.md.

        Args:
            systems: files, NAME=FILE, FILE#FILTER, folders or patterns; of a file with several
                systems, FILE#SYSTEM is one of them.
            documents: a field of the items that tells which belong together, or a file with a label
                for each item.
            answers: what several answers to one item are; None for their mean.
        """
        return cls._made(read_systems(systems), documents, answers)

    @classmethod
    def of(
        cls,
        systems: Mapping[str, Iterable[Any] | Frame] | Frame,
        *,
        documents: str | None = None,
        answers: str | None = None,
    ) -> ScoredTestSet:
        """Scores that are in memory, by system: a list of numbers, or of rows with names.

        Args:
            systems: for each system a score of every item, None or NaN where it is missing; or
                mappings such as {"id": "q1", "score": 1.0, "passage": "p1"}, in any order; or a
                data frame with such rows. Or one data frame of all systems with a column such as
                model, as Inspect's samples_df makes it.
            documents: a field of those rows that tells which items belong together.
            answers: what several rows of one item are; None for their mean.
        """
        if is_frame(systems):
            return cls._made(evaluations_in_memory("data frame", systems), documents, answers)
        if not isinstance(systems, Mapping):
            expected = "scores by system, such as {'a': [1, 0]}, or a data frame"
            raise SettingError("systems", type(systems), expected)
        evaluations: list[Evaluation] = []
        for name, rows in systems.items():
            own = evaluations_in_memory(name, rows)
            evaluations += [replace(own[0], system=name)] if len(own) == 1 else own
        return cls._made(evaluations, documents, answers)

    @classmethod
    def _made(
        cls, evaluations: Sequence[Evaluation], documents: str | None, answers: str | None
    ) -> ScoredTestSet:
        require_answers(answers)
        items = tuple(items_of(evaluations).items())
        systems: dict[str, AbsentText] = {}
        warnings = []
        for evaluation in evaluations:
            text = AbsentText(evaluation.label, len(items))
            most = _most_answers(evaluation)
            names = [evaluation.system]
            if answers == "runs":
                names = [f"{evaluation.system}.run{run}" for run in range(1, most + 1)]
            elif answers is None and most > 1:
                message = (
                    f"{evaluation.label}: up to {most} answers to an item are averaged; "
                    "scores:answers=runs takes them as runs of the system, answers=pass@K asks "
                    "whether one of K is right"
                )
                warning = TextWarning("answers-averaged", evaluation.label, most, None, message)
                warnings.append(warning)
            systems |= dict.fromkeys(names, text)
        blank = AbsentText("references", len(items))
        test_set = cls(
            systems=systems,
            references=(blank,),
            reference_names=("none",),
            warnings=tuple(dict.fromkeys(warnings)),
            is_examined=True,
            evaluations=tuple(evaluations),
            items=items,
            answers=answers or "mean",
        )
        return test_set if documents is None else test_set._with_documents(documents)

    @property
    def reference_lengths(self) -> tuple[int, ...]:
        """Every item counts alike."""
        return (1,) * len(self)

    @property
    def segment_names(self) -> tuple[str, ...] | None:
        """The names of the items; None where files tell them apart by their order alone."""
        if not self.evaluations[0].has_names:
            return None
        return tuple(name for name, _ in self.items)

    @property
    def fingerprint(self) -> str:
        """Of the items and their checksums."""
        return digest(repr(self.items).encode())

    def labels(self, name: str) -> tuple[str, ...] | None:
        """A field of the items; domains and documents where they are known."""
        known = TestSet.labels(self, name)
        if known is not None:
            return known
        label_of: dict[str, str] = {}
        for evaluation in self.evaluations:
            for item, label in evaluation.labels(name).items():
                if label_of.setdefault(item, label) != label:
                    expected = f"{label_of[item]}, as in {self.evaluations[0].label}"
                    evaluation.refuse(None, f"{name} {label} of item {item}", expected)
        for item, _ in self.items if label_of else ():
            if item not in label_of:
                self.evaluations[0].refuse(None, f"no {name} of item {item}", "one for each item")
        return tuple(label_of[item] for item, _ in self.items) if label_of else None

    def _with_documents(self, documents: str) -> ScoredTestSet:
        if os.path.exists(locate(documents).path):
            first = self.evaluations[0]
            layout = read_labels(Files(), documents, first.label, len(self))
            return replace(self, documents=layout.documents, domains=layout.domains)
        labels = self.labels(documents)
        if labels is None:
            fields = {field for item in self.evaluations[0].items for field in item.fields}
            expected = f"a file, or a field of the items: {', '.join(sorted(fields)) or 'none'}"
            raise SettingError("documents", documents, expected)
        return replace(self, documents=labels)

    def metrics(self, metrics: Sequence[Metric]) -> list[Metric]:
        """The metrics with the scores of these systems; metrics that need texts are refused."""
        return [self._bound(metric) for metric in metrics]

    def _bound(self, metric: Metric) -> Metric:
        if isinstance(metric, CountedMetric):
            return metric
        if not isinstance(metric, GivenScores):
            expected = f"texts and references, which {metric.name} needs; by scores use -m scores"
            raise SettingError("metric", metric.name, expected)
        if metric.has_scores:
            return metric
        way = metric.answers or self.answers
        if (way == "runs") != (self.answers == "runs"):
            raise SettingError("answers", way, f"{self.answers}, as by other metrics")
        columns = partial(self._columns, way)
        items = dict(self.items)
        scores = paired(self.evaluations, items, metric.column, metric.filter, columns)
        name = scores.name if way in ("mean", "runs") else f"{scores.name} {way}"
        # The systems here are those that were scored: no texts tell them apart.
        scores = replace(scores, name=name, texts={})
        own_name = "" if metric.name in ("scores", metric.column) else metric.name
        return replace(metric, given=scores, name=own_name, answers=None)

    def _columns(
        self, way: str, evaluation: Evaluation, answers: Mapping[str, list[Answer]]
    ) -> dict[str, list[Answer]]:
        """The scores of a system, or of each of its runs, in the order of the items."""
        named = [(item, answers.get(item, [])) for item, _ in self.items]
        if way == "mean":
            return {evaluation.system: [mean(scores) for _, scores in named]}
        if way != "runs":
            return {evaluation.system: [_passed(evaluation, *answered, way) for answered in named]}
        most = _most_answers(evaluation)
        for item, scores in named:
            if scores and len(scores) != most:
                expected = f"{most}, as to others; answers=mean takes what is there"
                evaluation.refuse(None, f"{len(scores)} answers to item {item}", expected)
        return {
            f"{evaluation.system}.run{run + 1}": [own[run] if own else None for _, own in named]
            for run in range(most)
        }


def read_systems(systems: Sequence[str | PathLike[str]]) -> list[Evaluation]:
    """The evaluations in files, with the names that the systems were given."""
    evaluations: list[Evaluation] = []
    for written in expanded(systems):
        location = locate(written)
        of_file = read_evaluations(location.path)
        named = [e for e in of_file if len(of_file) > 1 and e.system == location.column]
        if named:
            of_file = named
        elif location.column is not None:
            chosen = [evaluation.chosen_items(location.column) for evaluation in of_file]
            of_file = [replace(e, items=tuple(c)) for e, c in zip(of_file, chosen, strict=True)]
        if location.name is not None:
            if len(of_file) != 1:
                expected = f"no name for a file of {len(of_file)} systems"
                raise SettingError("system", str(written), expected)
            of_file = [replace(of_file[0], system=location.name)]
        evaluations += of_file
    return evaluations


def read_benchmarks(
    paths: Sequence[str], *, documents: str | None = None, answers: str | None = None
) -> dict[str, ScoredTestSet]:
    """Read the benchmarks in files of scores, by their names, as `panel` takes them.

    Args:
        paths: files of scores, or folders of such, also in folders inside. The benchmark is what
            the tool says, a column such as benchmark, or the name of the folder.
        documents: a field of the items that tells which belong together, where they have it.
        answers: what several answers to one item are; None for their mean.
    """
    evaluations: dict[tuple[str, str], Evaluation] = {}
    for path in paths:
        files = [path] if not os.path.isdir(path) else list(_files_of_scores(path))
        if not files:
            raise EmptyTextError(path)
        for file in files:
            folder = os.path.basename(os.path.dirname(os.path.abspath(file)))
            for of_file in read_evaluations(file, by_benchmark=True):
                evaluation = replace(of_file, benchmark=of_file.benchmark or folder)
                key = evaluation.benchmark, evaluation.system
                if key in evaluations:
                    expected = f"it once; it is also in {evaluations[key].label}"
                    evaluation.refuse(None, f"{key[1]} on {key[0]} again", expected)
                evaluations[key] = evaluation
    by_benchmark: dict[str, list[Evaluation]] = {}
    for (benchmark, _), evaluation in evaluations.items():
        by_benchmark.setdefault(benchmark, []).append(evaluation)
    sets = {name: ScoredTestSet._made(parts, None, answers) for name, parts in by_benchmark.items()}
    if documents is None:
        return sets
    known = {name: scored.labels(documents) for name, scored in sets.items()}
    if not any(known.values()):
        raise SettingError("documents", documents, "a field of the items of some benchmark")
    return {name: replace(scored, documents=known[name]) for name, scored in sets.items()}


def _files_of_scores(folder: str) -> Iterator[str]:
    """Files in a folder and in folders inside, but for summaries that tools put beside them."""
    for inside, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            of_results = name.replace("_samples.jsonl", ".json")
            is_read_by_results = of_results != name and of_results in names
            is_summary = name.startswith("results_") and name.endswith(".json")
            if not (name.startswith(".") or is_read_by_results or is_summary):
                yield os.path.join(inside, name)


def read_evaluated_texts(
    systems: Sequence[str], metrics: Sequence[Metric], documents: str | None
) -> TestSet | None:
    """The outputs and references that evaluations keep; None where the files are texts."""
    paths = [locate(written).path for written in expanded(systems)]
    if not all(map(os.path.isfile, paths)):
        return None
    kept = [keeps_texts(path) for path in paths]
    if not any(kept):
        return None
    if not all(kept):
        expected = f"an evaluation with its outputs, as in {paths[kept.index(True)]}"
        raise MalformedFileError(paths[kept.index(False)], None, "something else", expected)
    evaluations = read_systems(systems)
    for evaluation in evaluations:
        _require_texts(evaluation)
    scored = ScoredTestSet._made(evaluations, documents, None)
    chosen = [{item.name: item for item in e.chosen_items()} for e in evaluations]
    order, first = [name for name, _ in scored.items], evaluations[0].label
    for evaluation, items in zip(evaluations, chosen, strict=True):
        if len(items) != len(order):
            raise UnpairedSegmentsError(evaluation.label, len(items), first, len(order))
    references = [chosen[0][name].references for name in order]
    width = max(map(len, references))
    test_set = TestSet(
        systems={
            evaluation.system: [items[name].output or "" for name in order]
            for evaluation, items in zip(evaluations, chosen, strict=True)
        },
        references=tuple(
            [texts[i] if i < len(texts) else None for texts in references] for i in range(width)
        ),
        reference_names=tuple(f"target {i}" for i in range(1, width + 1)),
        documents=scored.documents,
    )
    return metrics_for(metrics, test_set)[1]


def _require_texts(evaluation: Evaluation) -> None:
    """Refuse an evaluation with an item that has nothing to score."""
    for item in evaluation.items:
        if item.output is None:
            found = f"no text as the output of item {item.name}"
            evaluation.refuse(item.line, found, "what the model wrote; or -m scores")
        if not item.references:
            found = f"no target of item {item.name}"
            evaluation.refuse(item.line, found, "the text to score against; or -m scores")


def _passed(evaluation: Evaluation, item: str, scores: Sequence[Answer], way: str) -> Answer:
    """The chance that of k answers one (pass@k) or each (pass^k) is right.

    Over all choices of k among the answers that there are (Chen et al. 2021, section 2.1), so that
    more answers make it surer and not larger.
    """
    known = [score for score in scores if score is not None]
    if not known:
        return None
    k = int(way[len("pass@") :])
    if len(known) < k:
        found = f"{len(known)} scored answers to item {item}"
        evaluation.refuse(None, found, f"at least {k} for {way}")
    if not set(known) <= {0.0, 1.0}:
        other = next(score for score in known if score not in (0.0, 1.0))
        evaluation.refuse(None, f"the score {other:g} of item {item}", f"right or wrong for {way}")
    right = known.count(1.0)
    if way.startswith("pass^"):
        return comb(right, k) / comb(len(known), k)
    return 1 - comb(len(known) - right, k) / comb(len(known), k)


def _most_answers(evaluation: Evaluation) -> int:
    return max(Counter((item.filter, item.name) for item in evaluation.items).values())
