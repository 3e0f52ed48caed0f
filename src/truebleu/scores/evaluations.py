"""Evaluations item by item: what one system got for each answer to each item.

An item is a question, a prompt or a segment; it may have been answered several times, and each
answer may have several scores. Which of them counts is chosen when all of them are known.

A `Format` says how a tool's file is known, and where in its records things are. Reading, grouping,
checking and error messages are the same for all: a tool needs one short declaration, in
`formats_mt` or `formats_llm`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, NoReturn, TypeAlias

import truebleu.corpus.tables as tables
from truebleu.corpus._files import BYTE_ORDER_MARK, Files, decode, extension, stem
from truebleu.errors import EmptyTextError, MalformedFileError, MissingColumnError, shortened

#: The score of an answer; None where it is missing.
Answer = float | None
Record: TypeAlias = Mapping[str, Any]
#: A record with the line where it stands.
Numbered: TypeAlias = tuple[int | None, Record]


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
        higher: for each score that says so whether higher is better; for all others, under "".
        usual: the scores of which the first that is there counts, where none is chosen.
        has_names: whether items have names; else only their order tells them apart.
        benchmark: what the items are from, where that is known.
        data: what else must be the same in all files: the name of a dataset, the settings of a
            metric.
        documents: the field that says which items belong together, where the tool has one.
        are_runs: whether several answers to an item are runs of the system, such as epochs.
        scale: what scores can be.
    """

    label: str
    digest: str
    system: str
    items: tuple[Item, ...] = field(repr=False)
    higher: Mapping[str, bool] = field(default_factory=dict)
    usual: tuple[str, ...] = ()
    has_names: bool = True
    benchmark: str = ""
    data: str = ""
    documents: str = ""
    are_runs: bool = False
    scale: tables.Scale = tables.ANY_NUMBER

    def refuse(self, line: int | None, found: str, expected: str) -> NoReturn:
        """Refuse the file."""
        raise MalformedFileError(self.label, line, found, expected) from None

    def direction(self, name: str) -> bool | None:
        """Whether higher is better by one of the scores; None where nobody says."""
        return self.higher.get(name, self.higher.get(""))

    def chosen_items(self, filter_: str = "") -> list[Item]:
        """The answers as one filter read them; of several with / between them, the first."""
        filters = list(dict.fromkeys(item.filter for item in self.items))
        # What was not filtered comes first.
        wanted = filter_.split("/") if filter_ else ["", *filters[: len(filters) == 1]]
        chosen = next((name for name in wanted if name in filters), None)
        if chosen is None and filter_:
            raise MissingColumnError(self.label, "filter", filter_, [f for f in filters if f])
        if chosen is None:
            found = f"the filters {', '.join(filters)}"
            self.refuse(None, found, "one of them: filter=NAME, or FILE#NAME as a system")
        return [item for item in self.items if item.filter == chosen]

    def score_name(self, items: Sequence[Item], column: str) -> str:
        """The score that counts: the one that was chosen, the usual one, or the only one.

        Of several with / between them, it is the first that the items have.
        """
        names = list(dict.fromkeys(name for item in items for name in item.scores or ()))
        if column not in names:
            column = next((name for name in column.split("/") if name in names), column)
        if not column:
            # Tools keep texts under the names of metrics, too.
            texts = {n for i in items for n, v in (i.scores or {}).items() if not is_plain(v)}
            names = [name for name in names if name not in texts] or names
            column = next((name for name in self.usual if name in names), "")
        if column in names or (column and any(column in item.fields for item in items)):
            return column
        if column:
            raise MissingColumnError(self.label, "score", column, names)
        if len(names) != 1:
            line = next((item.line for item in items if item.scores), None)
            found = f"the scores {', '.join(names)}" if names else "no score"
            self.refuse(line, found, "one of them to be chosen, as in column=NAME")
        return names[0]

    def answers(
        self, column: str = "", filter_: str = "", scale: tables.Scale | None = None
    ) -> tuple[str, dict[str, list[Answer]]]:
        """The name of the score, and for each item the scores of its answers."""
        items = self.chosen_items(filter_)
        name = self.score_name(items, column)
        answers: dict[str, list[Answer]] = {}
        for item in items:
            answers.setdefault(item.name, []).append(self.score(item, name, scale))
        return name, answers

    def score(self, item: Item, name: str, scale: tables.Scale | None = None) -> Answer:
        """One of the scores of an answer."""
        if item.scores is None:
            return None
        # An item without this metric has no score by it.
        value = item.scores.get(name, item.fields.get(name))
        scale = scale or self.scale
        what = name if item.line is not None else f"item {item.name}: {name}"
        if isinstance(value, list) and item.output is not None:
            expected = "a number: this metric keeps texts; -m bleu, chrf or ter scores them"
            self.refuse(item.line, f"{name} as a list", expected)
        if not is_plain(value):
            self.refuse(item.line, f"{what} {quoted(json.dumps(value))}", "a number")
        try:
            score = tables.parse_score(value)
        except tables.NotAScoreError as reason:
            self.refuse(item.line, f"{what} {quoted(value)}", str(reason))
        if score is not None and not scale.holds(score):
            self.refuse(item.line, f"{what} {score:g}", f"a number in {scale}")
        return score

    def labels(self, column: str) -> dict[str, str]:
        """A field of each item as its label; empty where no item has such a field."""
        labels: dict[str, str] = {}
        for item in self.items:
            value = item.fields.get(column, tables.value_inside(item.fields, column.split(".")))
            if tables.is_blank(value):
                continue
            if not is_plain(value):
                self.refuse(item.line, f"{column} {quoted(value)}", "a label")
            if labels.setdefault(item.name, str(value)) != str(value):
                both = f"{column} {labels[item.name]} and {value} of item {item.name}"
                self.refuse(item.line, both, "the same for all answers to an item")
        return labels


def is_plain(value: object) -> bool:
    """Whether a value is a single one, and not a list or an object."""
    return not isinstance(value, list | dict)


def quoted(text: object) -> str:
    """The beginning of a text, for messages."""
    return repr(shortened(str(text), 40))


def mean(answers: Sequence[Answer]) -> Answer:
    """The mean of the scores that are there; None where there is none."""
    scores = [score for score in answers if score is not None]
    return sum(scores) / len(scores) if scores else None


# Files.

#: How archives begin.
ZIP = b"PK\x03\x04"


# Without slots, so that a file is parsed once however many declarations look at it.
@dataclass(frozen=True)
class ScoreFile:
    """A file that some tool wrote: its path, and its contents as bytes and as text."""

    path: str
    data: bytes = field(default=b"", repr=False)
    text: str = field(default="", repr=False)

    @classmethod
    def read(cls, path: str) -> ScoreFile:
        """A file, uncompressed; archives and Parquet have no text."""
        data = Files().contents(path)
        if extension(path) == ".parquet" or data[:4] == ZIP:
            return cls(path, data)
        return cls(path, data, decode(path, data).removeprefix(BYTE_ORDER_MARK))

    @cached_property
    def digest(self) -> str:
        """The start of its SHA-256."""
        return tables.digest(self.data)

    @property
    def name(self) -> str:
        """The file's name without folder and ending: that of the system, if nothing else is."""
        return name_of(self.path)

    @cached_property
    def json(self) -> Any:
        """The file as one JSON value; None where it is none."""
        return self._parsed(self.text)

    @cached_property
    def first_record(self) -> Record:
        """The first of the file's JSON lines; empty where it has none."""
        record = self._parsed(next((line for line in self.lines if line.strip()), ""))
        return record if isinstance(record, dict) else {}

    def _parsed(self, text: str) -> Any:
        if text.lstrip()[:1] not in ("{", "["):
            return None
        try:
            return tables.parse_json(text)
        except tables.RepeatedKeyError as error:
            self.refuse(None, str(error), "each key once")
        except ValueError:
            return None

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return [line.removesuffix("\r") for line in self.text.removesuffix("\n").split("\n")]

    def records(self) -> Iterator[Numbered]:
        """Every JSON line with its number, blank ones left out."""
        for number, line in enumerate(self.lines, 1):
            if line.strip():
                yield number, tables.parse_record(self.path, number, line)

    def refuse(self, line: int | None, found: str, expected: str) -> NoReturn:
        """Refuse the file."""
        raise MalformedFileError(self.path, line, found, expected) from None


def name_of(path: str) -> str:
    """The system that a path names: the file's name without folder and ending."""
    return stem(path.replace("\\", "/"))


def records_of(table: tables.Table) -> list[Numbered]:
    """Return the rows of a table, each with its line."""
    if not table.columns:
        raise EmptyTextError(table.path)
    values = zip(*map(table.values, table.columns), strict=True)
    rows = (dict(zip(table.columns, row, strict=True)) for row in values)
    return list(zip(table.all_lines(), rows, strict=True))


# Declarations.

#: Where something is in a record: a key, keys inside keys with dots between them, or a function.
Place: TypeAlias = str | Callable[[Record], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What a tool writes.

    Attributes:
        writes: which files, in words.
        knows: whether a file is one of them.
        records: what has the scores of one answer each, with its line; JSON lines by default.
        needs: keys that every record has.
        about: the system and the benchmark of a file, where records do not say them.
        system: whose answer it is.
        item: what was answered; its place among all where nothing is there.
        scores: the answer's scores by name.
        benchmark: what the item is from.
        data: what else must be the same in all files.
        checksum: what must be the same wherever the item occurs.
        filter: how the answer was read out of what the model wrote.
        answer: which of several answers it is.
        fields: whatever else is known about the item.
        documents: the field that says which items belong together.
        output: what the system wrote.
        references: what it should have written, as a list.
        first: the first number, where items are numbered without gaps and have no other name.
        by_number: whether the order is that of the items' numbers.
        may_repeat: whether rows of one item are several answers, even if nothing tells them apart.
        are_runs: whether several answers to an item are runs of the system.
        higher: for each score that says so whether higher is better; "" for all others. A function
            of the file, where it tells.
        scale: what scores can be.
        usual: the scores of which the first that is there counts, where none is chosen.
    """

    writes: str = ""
    knows: Callable[[ScoreFile], bool] = lambda _: False
    records: Callable[[ScoreFile], Iterable[Numbered]] = ScoreFile.records
    needs: frozenset[str] = frozenset()
    about: Callable[[ScoreFile], tuple[str, str]] = lambda file: (file.name, "")
    system: Place = "system"
    item: Place = "item"
    scores: Place = "scores"
    benchmark: Place = "benchmark"
    data: Place = ""
    checksum: Place = ""
    filter: Place = ""
    answer: Place = ""
    fields: Place = ""
    documents: str = ""
    output: Place = ""
    references: Place = ""
    first: int | None = None
    by_number: bool = False
    may_repeat: bool = False
    are_runs: bool = False
    higher: Mapping[str, bool] | Callable[[ScoreFile], Mapping[str, bool]] = lambda _: {}
    scale: tables.Scale = tables.ANY_NUMBER
    usual: tuple[str, ...] = ()


def has_keys(*keys: str) -> Callable[[ScoreFile], bool]:
    """Whether the first of a file's JSON lines has these keys."""
    return lambda file: is_object(file.first_record, *keys)


def is_object(value: object, *keys: str) -> bool:
    """Whether a JSON value is an object with these keys."""
    return isinstance(value, dict) and value.keys() >= set(keys)


def _at(place: Place, record: Record) -> Any:
    if callable(place):
        return place(record)
    if not place:
        return None
    return record[place] if place in record else tables.value_inside(record, place.split("."))


def _text_at(place: Place, record: Record) -> str:
    value = _at(place, record)
    return "" if value is None else str(value)


def is_name(value: object) -> bool:
    """Whether a value can name an item or a system."""
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


#: The answers of one system on one benchmark, by item, filter and run.
_Group: TypeAlias = dict[tuple[str, str, str], Item]


def evaluations_of(file: ScoreFile, form: Format) -> list[Evaluation]:
    """The evaluations in a file of a known format: one for each system and benchmark."""
    groups: dict[tuple[str, str], _Group] = {}
    data: dict[tuple[str, str], str] = {}
    repeated: Counter[tuple[str, ...]] = Counter()
    own_name, own_benchmark = form.about(file)
    for line, record in form.records(file):
        missing = sorted(form.needs - record.keys())
        if missing:
            file.refuse(line, f"no {', '.join(missing)}", "them in every record")
        system = _text_at(form.system, record) or own_name
        benchmark = _text_at(form.benchmark, record) or own_benchmark
        group = groups.setdefault((system, benchmark), {})
        data.setdefault((system, benchmark), _text_at(form.data, record))
        item = _item(file, form, line, record, len(group))
        run = item.answer
        if form.may_repeat and not run:
            which = (system, benchmark, item.name, item.filter)
            repeated[which] += 1
            run = str(repeated[which])
            item = item._replace(answer=run) if form.are_runs else item
        key = item.name, item.filter, run
        if key in group:
            item = _merged(file, system, group[key], item)
        group[key] = item
    higher = form.higher(file) if callable(form.higher) else form.higher
    shared: dict[str, Any] = {
        name: getattr(form, name) for name in ("usual", "documents", "are_runs", "scale")
    }
    return [
        Evaluation(
            label=file.path,
            digest=file.digest,
            system=system,
            items=_ordered(file, form, system, group),
            higher=higher,
            has_names=bool(form.item) and form.first is None,
            benchmark=benchmark,
            data=data[system, benchmark],
            **shared,
        )
        for (system, benchmark), group in groups.items()
    ]


def _item(file: ScoreFile, form: Format, line: int | None, record: Record, place: int) -> Item:
    """The answer that a record has; without a name, it has that of its place."""
    value = _at(form.item, record)
    if value is None and (form.first is not None or not form.item):
        value = place + (1 if form.first is None else form.first)
    word = form.item if isinstance(form.item, str) and form.item else "item"
    if not is_name(value):
        file.refuse(line, f"{word} {value!r}", "a name, or a number")
    if form.first is not None and tables.whole_number(value) is None:
        file.refuse(line, f"{word} {value!r}", "a whole number")
    scores = _at(form.scores, record)
    if scores is not None and not isinstance(scores, dict):
        file.refuse(line, "no scores", "an object with scores by name")
    places = (form.fields, form.output, form.references)
    fields, output, references = (_at(place, record) for place in places)
    return Item(
        str(value),
        scores,
        line,
        checksum=_text_at(form.checksum, record),
        filter=_text_at(form.filter, record),
        answer=_text_at(form.answer, record),
        fields=fields if isinstance(fields, dict) else {},
        output=output if isinstance(output, str) else None,
        references=tuple(map(str, references)) if isinstance(references, list | tuple) else (),
    )


def _merged(file: ScoreFile, system: str, earlier: Item, item: Item) -> Item:
    """An answer with its further scores; the same score twice is refused."""
    scores = dict(earlier.scores or {})
    if scores.keys() & (item.scores or {}).keys():
        which = item.answer or item.filter
        which = f" ({which})" if which else ""
        there = "" if earlier.line is None else f"; it is on line {earlier.line} too"
        file.refuse(item.line, f"item {item.name}{which} of {system} again", f"each once{there}")
    return earlier._replace(scores=scores | dict(item.scores or {}) or None)


def _ordered(file: ScoreFile, form: Format, system: str, group: _Group) -> tuple[Item, ...]:
    """The items in order; runs are in the same order for every item, whatever that of the rows."""
    names = list(dict.fromkeys(name for name, _, _ in group))
    runs = list(dict.fromkeys(run for _, _, run in group))
    if all(run.isdecimal() for run in runs):
        runs.sort(key=int)
    if form.first is not None or form.by_number:
        names.sort(key=lambda name: tables.whole_number(name) or 0)
    order = {name: place for place, name in enumerate(names)}
    order_of_run = {run: place for place, run in enumerate(runs)}
    rows = sorted(group.items(), key=lambda row: (order[row[0][0]], order_of_run[row[0][2]]))
    if form.first is None:
        return tuple(item for _, item in rows)
    first, last = form.first, form.first + len(names) - 1
    for _, item in rows:
        if not first <= int(item.name) <= last:
            expected = f"numbers from {first} to {last}, as many as there are scores of {system}"
            file.refuse(item.line, f"segment {item.name}", expected)
    return tuple(item._replace(name=str(order[item.name] + 1)) for _, item in rows)
