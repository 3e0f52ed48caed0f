"""Evaluations item by item: what readers give where a tool names the items that it scored.

An item is a question, a prompt or a segment; it may have been answered several times, and each
answer may have several scores. Which of them counts is chosen when all of them are known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from truebleu.errors import MalformedFileError, MissingColumnError, SettingError
from truebleu.human.tools._scores import ToolScores, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from truebleu.human.tools._scores import ToolFile


class Item(NamedTuple):
    """One answer to one item.

    Attributes:
        name: what tells the item from others.
        scores: by the names of the metrics, as they were written; None where the answer has none.
        line: where it was read.
        checksum: what must be the same wherever the item occurs; empty where that is unknown.
        filter: how the answer was read out of what the model wrote, where there are several ways.
        answer: which of several answers it is; empty where only the order tells.
        fields: whatever else is known about it.
        output: what the system wrote, where it is a text.
        references: what it should have written.
    """

    name: str
    scores: Mapping[str, object] | None
    line: int | None = None
    checksum: str = ""
    filter: str = ""
    answer: str = ""
    fields: Mapping[str, object] = {}
    output: str | None = None
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What one system got for each answer to each item.

    Attributes:
        file: where it is from.
        system: whose answers they are.
        items: the answers, those to one item in the order of its runs.
        higher_is_better: the direction of its scores, where it is known.
        lower: for each score that says so whether lower is better.
        usual: the score that counts where several are there and none is chosen.
        has_names: whether items have names; else only their order tells them apart.
        benchmark: what the items are from, where that is known.
    """

    file: ToolFile
    system: str
    items: tuple[Item, ...] = field(repr=False)
    higher_is_better: bool | None = None
    usual: str = ""
    has_names: bool = True
    benchmark: str = ""
    lower: Mapping[str, bool] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What messages call it."""
        return self.file.path

    def direction(self, name: str) -> bool | None:
        """Whether higher is better by one of the scores; None where nobody says."""
        return not self.lower[name] if name in self.lower else self.higher_is_better

    def chosen_items(self, filter_: str = "") -> list[Item]:
        """The answers as one filter read them."""
        filters = list(dict.fromkeys(item.filter for item in self.items))
        if filter_ and filter_ not in filters:
            raise MissingColumnError(self.label, "filter", filter_, [f for f in filters if f])
        if not filter_ and len(filters) > 1:
            found = f"the filters {', '.join(filters)}"
            self.file.refuse(None, found, "one of them: filter=NAME, or FILE#NAME as a system")
        return [item for item in self.items if item.filter == (filter_ or filters[0])]

    def score_name(self, items: Sequence[Item], column: str) -> str:
        """The score that counts: the one that was chosen, the usual one, or the only one.

        Of several with / between them, it is the first that the items have.
        """
        names = list(dict.fromkeys(name for item in items for name in item.scores or ()))
        if column not in names:
            column = next((name for name in column.split("/") if name in names), column)
        if not column and self.usual in names:
            return self.usual
        if column and any(column in item.fields for item in items):
            return column
        line = next((item.line for item in items if item.scores), None)
        return self.file.chosen(names, line, column)

    def answers(self, column: str = "", filter_: str = "") -> tuple[str, dict[str, list[Answer]]]:
        """The name of the score, and for each item the scores of its answers."""
        items = self.chosen_items(filter_)
        name = self.score_name(items, column)
        answers: dict[str, list[Answer]] = {}
        for item in items:
            answers.setdefault(item.name, []).append(self.score(item, name))
        return name, answers

    def score(self, item: Item, name: str) -> Answer:
        """One of the scores of an answer."""
        if item.scores is None:
            return None
        known = item.scores if name in item.scores else item.fields
        if name not in known:
            self.file.refuse(item.line, f"no {name}", "the same metric for every item")
        value = known[name]
        if isinstance(value, list) and item.output is not None:
            expected = "a number: this metric keeps texts; -m bleu, chrf or ter scores them"
            self.file.refuse(item.line, f"{name} as a list", expected)
        what = name if item.line is not None else f"item {item.name}: {name}"
        return self.file.score(value, item.line, what)

    def labels(self, column: str) -> dict[str, str]:
        """A field of each item as its label; empty where no item has such a field."""
        labels: dict[str, str] = {}
        for item in self.items:
            value = _inside(item.fields, column)
            if value is None:
                continue
            if isinstance(value, list | dict):
                self.file.refuse(item.line, f"{column} {shortened(str(value))}", "a label")
            if labels.setdefault(item.name, str(value)) != str(value):
                both = f"{column} {labels[item.name]} and {value} of item {item.name}"
                self.file.refuse(item.line, both, "the same for all answers to an item")
        return labels


#: The score of an answer; None where it is missing.
Answer = float | None


def mean(answers: Sequence[Answer]) -> Answer:
    """The mean of the scores that are there; None where there is none."""
    known = [score for score in answers if score is not None]
    return sum(known) / len(known) if known else None


def checksums(evaluations: Iterable[Evaluation]) -> dict[str, str]:
    """The items of all evaluations with their checksums, which must agree."""
    first_of: dict[str, tuple[str, str]] = {}
    for evaluation in evaluations:
        for item in evaluation.items:
            known, where = first_of.setdefault(item.name, (item.checksum, evaluation.label))
            if known != item.checksum:
                found = f"another text of item {item.name} than in {where}"
                expected = "the same items in all files"
                raise MalformedFileError(evaluation.label, item.line, found, expected)
    return {name: checksum for name, (checksum, _) in first_of.items()}


def tool_scores(file: ToolFile, evaluations: Sequence[Evaluation]) -> ToolScores:
    """The scores that the file's own choice of column and filter gives, answers averaged."""
    if file.filter and all(
        not item.filter for evaluation in evaluations for item in evaluation.items
    ):
        raise SettingError("filter", file.filter, "none: the file does not tell any apart")
    parts = []
    for evaluation in evaluations:
        name, answers = evaluation.answers(file.column, file.filter)
        checksum_of = checksums([evaluation])
        scores = {evaluation.system: [mean(values) for values in answers.values()]}
        parts.append(
            ToolScores.from_file(
                file,
                name,
                evaluation.direction(name),
                scores,
                [(item, checksum_of[item]) for item in answers] if evaluation.has_names else None,
            )
        )
    if not parts:
        file.refuse(None, "no scores", "the scores of at least one system")
    return parts[0] if len(parts) == 1 else ToolScores.together(file.path, parts)


def positional(file: ToolFile, scores: ToolScores) -> list[Evaluation]:
    """Scores that only their order tells apart, as evaluations."""
    name = scores.name or "score"
    return [
        Evaluation(
            file,
            system,
            tuple(Item(str(n), {name: score}) for n, score in enumerate(values, 1)),
            scores.higher_is_better,
            has_names=False,
        )
        for system, values in scores.by_system.items()
    ]


def _inside(fields: Mapping[str, object], column: str) -> object:
    """What is under a key, or under keys inside keys with dots between them."""
    if column in fields:
        return fields[column]
    value: object = fields
    for step in column.split("."):
        if not isinstance(value, dict) or step not in value:
            return None
        value = value[step]
    return value
