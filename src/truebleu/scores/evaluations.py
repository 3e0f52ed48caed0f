"""Evaluations item by item: what one system got for each answer to each item.

An item is a question, a prompt or a segment; it may have been answered several times, and each
answer may have several scores. Which of them counts is chosen when all of them are known.

A `Format` says how a tool's file is known, and where in its records things are. Reading, grouping,
checking and error messages are the same for all: a tool needs one short declaration, in `tools`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

from truebleu.corpus._files import BYTE_ORDER_MARK, Files, decode, extension, stem
from truebleu.corpus.tables import (
    ANY_NUMBER,
    NotAScoreError,
    RepeatedKeyError,
    Scale,
    added,
    digest,
    parse_json,
    parse_record,
    parse_score,
    value_inside,
    whole_number,
)
from truebleu.errors import (
    DuplicateSystemError,
    EmptyTextError,
    MalformedFileError,
    MissingColumnError,
    SettingError,
    UnpairedSegmentsError,
    shortened,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.corpus.test_set import TextLike

#: The score of an answer; None where it is missing.
Answer = float | None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What one system got for each answer to each item.

    Attributes:
        label: what messages call it: the file.
        digest: the start of the SHA-256 of the file.
        system: whose answers they are.
        items: the answers, those to one item in the order of its runs.
        higher_is_better: the direction of its scores, where it is known.
        lower: for each score that says so whether lower is better.
        usual: the score that counts where several are there and none is chosen.
        has_names: whether items have names; else only their order tells them apart.
        benchmark: what the items are from, where that is known.
        scale: what scores can be.
    """

    label: str
    digest: str
    system: str
    items: tuple[Item, ...] = field(repr=False)
    higher_is_better: bool | None = None
    lower: Mapping[str, bool] = field(default_factory=dict)
    usual: str = ""
    has_names: bool = True
    benchmark: str = ""
    scale: Scale = ANY_NUMBER

    def refuse(self, line: int | None, found: str, expected: str) -> NoReturn:
        """Refuse the file."""
        raise MalformedFileError(self.label, line, found, expected) from None

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
            self.refuse(None, found, "one of them: filter=NAME, or FILE#NAME as a system")
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
        if column in names or (column and any(column in item.fields for item in items)):
            return column
        if column:
            raise MissingColumnError(self.label, "score", column, names)
        if len(names) != 1:
            line = next((item.line for item in items if item.scores), None)
            found = f"the scores {', '.join(names)}" if names else "no score"
            self.refuse(line, found, "one of them to be chosen, as in column=NAME")
        return names[0]

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
            self.refuse(item.line, f"no {name}", "the same metric for every item")
        value = known[name]
        what = name if item.line is not None else f"item {item.name}: {name}"
        if isinstance(value, list) and item.output is not None:
            expected = "a number: this metric keeps texts; -m bleu, chrf or ter scores them"
            self.refuse(item.line, f"{name} as a list", expected)
        if isinstance(value, list | dict):
            self.refuse(item.line, f"{what} {quoted(json.dumps(value))}", "a number")
        try:
            score = parse_score(value)
        except NotAScoreError as reason:
            self.refuse(item.line, f"{what} {quoted(value)}", str(reason))
        if score is not None and not self.scale.holds(score):
            self.refuse(item.line, f"{what} {score:g}", f"a number in {self.scale}")
        return score

    def labels(self, column: str) -> dict[str, str]:
        """A field of each item as its label; empty where no item has such a field."""
        labels: dict[str, str] = {}
        for item in self.items:
            value = item.fields.get(column, value_inside(item.fields, column.split(".")))
            if value is None:
                continue
            if isinstance(value, list | dict):
                self.refuse(item.line, f"{column} {quoted(value)}", "a label")
            if labels.setdefault(item.name, str(value)) != str(value):
                both = f"{column} {labels[item.name]} and {value} of item {item.name}"
                self.refuse(item.line, both, "the same for all answers to an item")
        return labels


def quoted(text: object) -> str:
    """The beginning of a text, for messages."""
    return repr(shortened(str(text), 40))


def mean(answers: Sequence[Answer]) -> Answer:
    """The mean of the scores that are there; None where there is none."""
    known = [score for score in answers if score is not None]
    return sum(known) / len(known) if known else None


def items_of(evaluations: Sequence[Evaluation]) -> dict[str, str]:
    """The items of all evaluations with their checksums, which must agree."""
    _require_pairs(evaluations)
    first_of: dict[str, tuple[str, str]] = {}
    for evaluation in evaluations:
        for item in evaluation.items:
            known, where = first_of.setdefault(item.name, (item.checksum, evaluation.label))
            if known != item.checksum:
                found = f"another text of item {item.name} than in {where}"
                evaluation.refuse(item.line, found, "the same items in all files")
    return {name: checksum for name, (checksum, _) in first_of.items()}


def _require_pairs(evaluations: Sequence[Evaluation]) -> None:
    """Refuse systems twice, and items that cannot be paired."""
    if not evaluations:
        raise EmptyTextError("systems")
    first = evaluations[0]
    names = [evaluation.system for evaluation in evaluations]
    for place, evaluation in enumerate(evaluations):
        if evaluation.system in names[:place]:
            earlier = evaluations[names.index(evaluation.system)]
            if earlier.benchmark != evaluation.benchmark:
                both = f"{earlier.benchmark} and {evaluation.benchmark} of {evaluation.system}"
                expected = "one benchmark; truebleu panel compares over several"
                evaluation.refuse(None, f"the benchmarks {both}", expected)
            raise DuplicateSystemError(evaluation.system)
        if not evaluation.items:
            raise EmptyTextError(evaluation.label)
        if evaluation.has_names != first.has_names:
            told = "items with names" if evaluation.has_names else "items without names"
            expected = "all files with a column such as id, or none"
            evaluation.refuse(None, told, expected)
        if not first.has_names and len(evaluation.items) != len(first.items):
            here, there = (f"{e.label}: {e.system}" for e in (evaluation, first))
            raise UnpairedSegmentsError(here, len(evaluation.items), there, len(first.items))


# Segment by segment, as a metric needs them.


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentScores:
    """Segment scores of some systems, as a tool wrote them or as they are in memory.

    Attributes:
        label: what messages call them.
        digest: the start of the SHA-256 of all that was read.
        name: the metric's, where the tool says it; else empty.
        higher_is_better: its direction, where that is known.
        by_system: a score for each segment; of tables, what the rows say.
        items: what tells segments apart, where a tool names them: (name, checksum) of each.
        texts: the outputs that were scored, where the tool keeps them.
        raters: how many there are; 1 where nothing tells them apart.
        first_segment: the number of the first, where the rows of a table are numbered.
        columns: the scores of a table that are added up; the only one where it is empty.
    """

    label: str
    digest: str
    name: str = ""
    higher_is_better: bool | None = None
    by_system: Mapping[str, Sequence[Answer] | Evaluation] = field(compare=False, repr=False)
    items: tuple[tuple[str, str], ...] | None = field(default=None, compare=False, repr=False)
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict, compare=False, repr=False)
    raters: int = 1
    first_segment: int | None = None
    columns: tuple[str, ...] = ("",)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that have scores."""
        return tuple(self.by_system)

    @property
    def segments(self) -> int:
        """How many segments they are about, as far as they tell."""
        if self.first_segment is None:
            return max(len(self._listed(system)) for system in self.systems)
        rows = [own for own in self.by_system.values() if isinstance(own, Evaluation)]
        # What is no number is refused with its line when the scores are asked for.
        numbers = [whole_number(item.name) or 0 for own in rows for item in own.items]
        return max(numbers, default=0) - self.first_segment + 1

    def _listed(self, system: str, segments: int = 0, scale: Scale = ANY_NUMBER) -> list[Answer]:
        """The scores of a system in order; by their numbers, where they have some."""
        rows = self.by_system[system]
        if not isinstance(rows, Evaluation):
            return list(rows)
        parts = [replace(rows, scale=scale).answers(column)[1] for column in self.columns]
        answers = {item: added([part[item] for part in parts]) for item in parts[0]}
        if self.first_segment is None:
            return [mean(scores) for scores in answers.values()]
        first, last = self.first_segment, self.first_segment + segments - 1
        scores: list[Answer] = [None] * segments
        for item in rows.items:
            number = whole_number(item.name)
            if number is None or not first <= number <= last:
                expected = f"a segment from {first} to {last}"
                rows.refuse(item.line, f"segment {item.name}", expected)
            # Zhang & Vogel (2004), section 2.4: the mean of its raters' scores.
            scores[number - first] = mean(answers[item.name])
        return scores

    def of(
        self,
        system: str,
        segments: int,
        scale: Scale,
        outputs: TextLike | None = None,
    ) -> list[Answer]:
        """One system's score for each segment, None where it is missing.

        Args:
            system: its name.
            segments: how many there are.
            scale: what scores can be.
            outputs: the texts that the scores are for, where they are at hand.
        """
        if system not in self.by_system:
            raise MissingColumnError(self.label, "system", system, self.systems)
        scores = self._listed(system, segments, scale)
        if system in self.texts and outputs is not None:
            wanted = [(text or "").strip() for text in outputs]
            # Without texts, systems and segments are those of the scores.
            scores = self._by_text(system, wanted) if any(wanted) else scores
        if len(scores) != segments:
            left = f"{self.label}: the scores of {system!r}"
            raise UnpairedSegmentsError(left, len(scores), "the test set", segments)
        # What stands in tables was checked, before it was added up.
        unchecked = [] if isinstance(self.by_system[system], Evaluation) else scores
        for segment, score in enumerate(unchecked, 1):
            if score is not None and not scale.holds(score):
                where = f"{self.label}: scores of {system!r}: segment {segment}"
                raise SettingError(where, score, f"a number in {scale}")
        return scores

    def _by_text(self, system: str, wanted: Sequence[str]) -> list[Answer]:
        """The scores of these outputs.

        Tools strip texts, and split lines where others do not, so that places alone can deceive.
        """
        scores = self._listed(system)
        scored = [text.strip() for text in self.texts[system]]
        if scored == wanted:
            return scores
        known: dict[str, set[Answer]] = {}
        for text, score in zip(scored, scores, strict=True):
            known.setdefault(text, set()).add(score)
        for segment, text in enumerate(wanted, 1):
            if len(known.get(text, ())) != 1:
                what = "several scores" if text in known else "no score"
                found = f"{what} of segment {segment} of {system}, {quoted(text)}"
                expected = "the scores of these outputs, in their order"
                raise MalformedFileError(self.label, None, found, expected)
        return [next(iter(known[text])) for text in wanted]


#: The scores of a system, or of each of its runs, from the answers to each item.
Columns: TypeAlias = "Callable[[Evaluation, Mapping[str, list[Answer]]], dict[str, list[Answer]]]"


def paired(
    evaluations: Sequence[Evaluation],
    items: Mapping[str, str],
    column: str = "",
    filter_: str = "",
    columns: Columns | None = None,
) -> SegmentScores:
    """The scores of all systems in the order of the items, by one metric.

    Args:
        evaluations: at least one.
        items: the items with their checksums.
        column: the score that counts, where there are several.
        filter_: how answers were read out, where there are several ways.
        columns: gives the scores of a system, or of each of its runs, from its answers; by default
            the mean of those to each item.
    """
    by_system: dict[str, list[Answer]] = {}
    texts: dict[str, Sequence[str]] = {}
    names: dict[tuple[str, bool | None], Evaluation] = {}
    for evaluation in evaluations:
        name, answers = evaluation.answers(column, filter_)
        names.setdefault((name, evaluation.direction(name)), evaluation)
        means = {evaluation.system: [mean(answers.get(item, [])) for item in items]}
        by_system |= means if columns is None else columns(evaluation, answers)
        outputs = [item.output for item in evaluation.items if item.output is not None]
        if not evaluation.has_names and len(outputs) == len(items):
            texts[evaluation.system] = outputs
    ((name, direction), first), *others = names.items()
    if others and not column:
        ((other, _), evaluation), *_ = others
        evaluation.refuse(None, f"scores by {other}", f"{name}, as in {first.label}")
    return SegmentScores(
        label=first.label,
        digest=digest(repr(sorted(by_system.items())).encode()),
        name=name,
        higher_is_better=direction,
        by_system=by_system,
        items=tuple(items.items()) if first.has_names else None,
        texts=texts,
    )


# From files.

Record: TypeAlias = Mapping[str, Any]

#: How archives begin.
ZIP = b"PK\x03\x04"


# Without slots, so that a file is parsed once however many declarations look at it.
@dataclass(frozen=True)
class ScoreFile:
    """A file that some tool wrote: its path, and its contents as bytes and as text."""

    path: str
    data: bytes = field(repr=False)
    text: str = field(repr=False)

    @classmethod
    def read(cls, path: str) -> ScoreFile:
        """A file, uncompressed; archives and Parquet have no text."""
        data = Files().contents(path)
        if extension(path) == ".parquet" or data[:4] == ZIP:
            return cls(path, data, "")
        return cls(path, data, decode(path, data).removeprefix(BYTE_ORDER_MARK))

    @cached_property
    def digest(self) -> str:
        """The start of its SHA-256."""
        return digest(self.data)

    @property
    def name(self) -> str:
        """The file's name without folder and ending: that of the system, if nothing else is."""
        return name_of(self.path)

    @cached_property
    def json(self) -> Any:
        """The file as one JSON value; None where it is none."""
        return self._parsed(self.text)

    @cached_property
    def first_record(self) -> Record | None:
        """The first of the file's JSON lines; None where it has none."""
        record = self._parsed(next((line for line in self.lines if line.strip()), ""))
        return record if isinstance(record, dict) else None

    def _parsed(self, text: str) -> Any:
        if text.lstrip()[:1] not in ("{", "["):
            return None
        try:
            return parse_json(text)
        except RepeatedKeyError as error:
            self.refuse(None, str(error), "each key once")
        except ValueError:
            return None

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return [line.removesuffix("\r") for line in self.text.removesuffix("\n").split("\n")]

    def records(self) -> Iterator[tuple[int | None, Record]]:
        """Every JSON line with its number, blank ones left out."""
        for number, line in enumerate(self.lines, 1):
            if line.strip():
                yield number, parse_record(self.path, number, line)

    def refuse(self, line: int | None, found: str, expected: str) -> NoReturn:
        """Refuse the file."""
        raise MalformedFileError(self.path, line, found, expected) from None


def name_of(path: str) -> str:
    """The system that a path names: the file's name without folder and ending."""
    return stem(path.replace("\\", "/"))


# Declarations.

#: Where something is in a record: a key, keys inside keys with dots between them, or a function.
Place: TypeAlias = str | Callable[[Record], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What a tool writes.

    Attributes:
        tool: its name.
        writes: which files, in words.
        knows: whether a file is one of them.
        records: what has the scores of one answer each, with its line; JSON lines by default.
        needs: keys that every record has.
        about: the system and the benchmark of a file, where records do not say them.
        system: whose answer it is.
        item: what was answered; its place among all where nothing is there.
        scores: the answer's scores by name.
        benchmark: what the item is from.
        checksum: what must be the same wherever the item occurs.
        filter: how the answer was read out of what the model wrote.
        answer: which of several answers it is.
        fields: whatever else is known about the item.
        output: what the system wrote.
        references: what it should have written, as a list.
        first: the first number, where items are numbered without gaps and have no other name.
        by_number: whether the order is that of the items' numbers.
        may_repeat: whether rows of one item are several answers, even if nothing tells them apart.
        agree: whether a score may stand in several records of an answer, if it is the same.
        one_score: whether there is nothing to choose among.
        higher_is_better: the direction of its scores, where it is known.
        lower: gives for each score of a file that says so whether lower is better.
        scale: what scores can be.
        usual: the score that counts where several are there and none is chosen.
    """

    tool: str
    writes: str = ""
    knows: Callable[[ScoreFile], bool] = field(default=lambda _: False)
    records: Callable[[ScoreFile], Iterable[tuple[int | None, Record]]] = ScoreFile.records
    needs: frozenset[str] = frozenset()
    about: Callable[[ScoreFile], tuple[str, str]] = field(default=lambda file: (file.name, ""))
    system: Place = "system"
    item: Place = "item"
    scores: Place = "scores"
    benchmark: Place = "benchmark"
    checksum: Place = ""
    filter: Place = ""
    answer: Place = ""
    fields: Place = ""
    output: Place = ""
    references: Place = ""
    first: int | None = None
    by_number: bool = False
    may_repeat: bool = False
    agree: bool = False
    one_score: bool = False
    higher_is_better: bool | None = None
    lower: Callable[[ScoreFile], Mapping[str, bool]] = field(default=lambda _: {})
    scale: Scale = ANY_NUMBER
    usual: str = ""


def has_keys(*keys: str) -> Callable[[ScoreFile], bool]:
    """Whether the first of a file's JSON lines has these keys."""
    needed = frozenset(keys)
    return lambda file: file.first_record is not None and file.first_record.keys() >= needed


def _at(place: Place, record: Record) -> Any:
    if callable(place):
        return place(record)
    return record[place] if place in record else value_inside(record, place.split("."))


def _text_at(place: Place, record: Record) -> str:
    value = _at(place, record)
    return "" if value is None else str(value)


#: The answers of one system on one benchmark, by item, then by filter and answer.
_Group: TypeAlias = dict[str, dict[tuple[str, str], Item]]


def evaluations_of(file: ScoreFile, form: Format) -> list[Evaluation]:
    """The evaluations in a file of a known format: one for each system and benchmark."""
    groups: dict[tuple[str, str], _Group] = {}
    runs: dict[tuple[str, str], dict[str, None]] = {}
    own_name, own_benchmark = form.about(file)
    for line, record in form.records(file):
        missing = sorted(form.needs - record.keys())
        if missing:
            file.refuse(line, f"no {', '.join(missing)}", "them in every record")
        system = _text_at(form.system, record) or own_name
        key = system, _text_at(form.benchmark, record) or own_benchmark
        run = _add(file, form, groups.setdefault(key, {}), system, line, record)
        runs.setdefault(key, {}).setdefault(run)
    lower = form.lower(file)
    return [
        Evaluation(
            label=file.path,
            digest=file.digest,
            system=key[0],
            items=_ordered(file, form, key[0], group, list(runs[key])),
            higher_is_better=form.higher_is_better,
            lower=lower,
            usual=form.usual,
            has_names=bool(form.item) and form.first is None,
            benchmark=key[1],
            scale=form.scale,
        )
        for key, group in groups.items()
    ]


def _add(
    file: ScoreFile, form: Format, group: _Group, system: str, line: int | None, record: Record
) -> str:
    """Keep the answer that a record has, or its further scores; gives its run."""
    value = _at(form.item, record)
    if value is None and (form.first is not None or not form.item):
        value = len(group) + (1 if form.first is None else form.first)
    word = form.item if isinstance(form.item, str) and form.item else "item"
    if not is_name(value):
        file.refuse(line, f"{word} {value!r}", "a name, or a number")
    if form.first is not None and whole_number(value) is None:
        file.refuse(line, f"{word} {value!r}", "a whole number")
    scores = _at(form.scores, record)
    if scores is not None and not isinstance(scores, dict):
        file.refuse(line, "no scores", "an object with scores by name")
    places = (form.fields, form.output, form.references)
    fields, output, references = (_at(place, record) for place in places)
    item = Item(
        str(value),
        scores,
        line,
        _text_at(form.checksum, record),
        _text_at(form.filter, record),
        _text_at(form.answer, record),
        fields if isinstance(fields, dict) else {},
        output if isinstance(output, str) else None,
        tuple(map(str, references)) if isinstance(references, list | tuple) else (),
    )
    own = group.setdefault(item.name, {})
    run = item.answer or (str(len(own) + 1) if form.may_repeat else "")
    earlier = own.setdefault((item.filter, run), item)
    if earlier is item:
        return run
    merged = dict(earlier.scores or {})
    for metric, score in (scores or {}).items():
        if metric not in merged:
            merged[metric] = score
        elif not form.agree:
            which = item.answer or item.filter
            which = f" ({which})" if which else ""
            there = "" if earlier.line is None else f"; it is on line {earlier.line} too"
            file.refuse(line, f"item {item.name}{which} of {system} again", f"each once{there}")
        elif merged[metric] != score:
            found = f"{metric} {score} of item {item.name} of {system}"
            file.refuse(line, found, f"{merged[metric]}, as above")
    own[item.filter, run] = earlier._replace(scores=merged or None)
    return run


def is_name(value: object) -> bool:
    """Whether a value can name an item or a system."""
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


def _ordered(
    file: ScoreFile, form: Format, system: str, group: _Group, runs: list[str]
) -> tuple[Item, ...]:
    """The items in order; runs are in the same order for every item, whatever that of the rows."""
    names = list(group)
    if form.first is not None or form.by_number:
        names.sort(key=lambda name: whole_number(name) or 0)
    if form.first is not None:
        first, last = form.first, form.first + len(names) - 1
        for name in names:
            if not first <= int(name) <= last:
                line = next(iter(group[name].values())).line
                expected = (
                    f"numbers from {first} to {last}, as many as there are scores of {system}"
                )
                file.refuse(line, f"segment {name}", expected)
    if all(run.isdecimal() for run in runs):
        runs.sort(key=int)
    return tuple(
        item if form.first is None else item._replace(name=str(number))
        for number, name in enumerate(names, 1)
        for (_, _), item in sorted(group[name].items(), key=lambda pair: runs.index(pair[0][1]))
    )
