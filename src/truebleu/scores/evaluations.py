"""Evaluations: the scores of one system's answers to items.

An item is a question, a prompt or a segment; it may have several answers, and an answer several
scores. The score and the answers to use are chosen after all files are read.

A `Format` declares how to recognise a tool's file and which keys of its records to read. All tools
share the code that reads, groups and checks: a tool needs one short declaration, in `formats_mt` or
`formats_llm`.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, NoReturn, TypeAlias

import truebleu.corpus.tables as tables
from truebleu.corpus._files import BYTE_ORDER_MARK, Files, decode, extension, stem
from truebleu.errors import EmptyTextError, MalformedFileError, MissingColumnError, shortened
from truebleu.scores.item_texts import QUESTION, TARGET, AnswerTexts, answer_texts

#: Default filters by preference: unfiltered answers, then the names of lm-evaluation-harness.
FILTERS = ("", "none", "strict-match", "flexible-extract")

#: Score of an answer; None if it is missing.
Answer = float | None
Record: TypeAlias = Mapping[str, Any]
#: Line of a record, or None, and the record.
Numbered: TypeAlias = tuple[int | None, Record]


class Item(NamedTuple):
    """One answer to one item.

    Attributes:
        name: unique name of the item.
        scores: unparsed scores by metric, or None if the answer has no scores.
        line: line of the record, or None.
        checksum: checksum or text that must agree in all files; empty if unknown.
        filter: name of the method that extracted the answer from the output; empty if there is only
            one method.
        answer: name of the answer, if there are several; empty if only their order is known.
        fields: further fields of the record.
        output: output of the system, or None if it is not a text.
        references: reference outputs.
        contents: digest of the question and its target; empty if they are unknown.
        texts: question, target, output and extracted answer; a text that is unknown is empty.
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
    contents: str = ""
    texts: AnswerTexts = AnswerTexts()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The scores of one system's answers to the items of a benchmark.

    Attributes:
        label: name in messages: the file.
        digest: first digits of the file's SHA-256.
        system: name of the system.
        items: answers; the answers to one item are in the order of its runs.
        higher: True or False by score if higher or lower is better; "" is for all other scores.
        score_names: default scores; the first that the items have is used.
        takes_first: True if the first score is the default, as the tool sorts them.
        has_names: True if items have names, False if they are paired by their order.
        benchmark: name of the benchmark; empty if unknown.
        data: other property that must agree in all files: name of a dataset, settings of a metric.
        documents: field with the document of an item; empty if the tool has none.
        are_runs: True if several answers to an item are runs of the system, such as epochs.
        scale: range of valid scores, or None.
    """

    label: str
    digest: str
    system: str
    items: tuple[Item, ...] = field(repr=False)
    higher: Mapping[str, bool] = field(default_factory=dict)
    score_names: tuple[str, ...] = ()
    takes_first: bool = False
    has_names: bool = True
    benchmark: str = ""
    data: str = ""
    documents: str = ""
    are_runs: bool = False
    scale: tables.Scale | None = None

    def refuse(self, line: int | None, found: str, expected: str) -> NoReturn:
        """Raise MalformedFileError about the file."""
        raise MalformedFileError(self.label, line, found, expected) from None

    def direction(self, name: str) -> bool | None:
        """Return whether higher is better by score `name`, or None if unknown."""
        return self.higher.get(name, self.higher.get(""))

    def chosen_items(self, filter_: str = "") -> list[Item]:
        """Return the answers of one filter; the first of `A/B`, or of `FILTERS`, that exists."""
        filters = list(dict.fromkeys(item.filter for item in self.items))
        names = filter_.split("/") if filter_ else (*FILTERS, *filters)
        chosen = next((name for name in names if name in filters), None)
        if chosen is None:
            raise MissingColumnError(self.label, "filter", filter_, [f for f in filters if f])
        return [item for item in self.items if item.filter == chosen]

    def score_name(self, items: Sequence[Item], column: str) -> str:
        """Return the name of the score: the chosen one, a default, or the only one.

        If `column` is `A/B`, it is the first score that the items have.
        """
        names = list(dict.fromkeys(name for item in items for name in item.scores or ()))
        if column not in names:
            column = next((name for name in column.split("/") if name in names), column)
        if not column:
            # Some tools store texts under the names of metrics.
            texts = {n for i in items for n, v in (i.scores or {}).items() if not is_plain(v)}
            names = [name for name in names if name not in texts] or names
            column = next((name for name in self.score_names if name in names), "")
            if not column and self.takes_first:
                column = next(iter(names), "")
        if column in names or (column and any(column in item.fields for item in items)):
            return column
        if column:
            raise MissingColumnError(self.label, "score", column, names)
        if len(names) != 1:
            line = next((item.line for item in items if item.scores), None)
            found = f"the scores {', '.join(names)}" if names else "no score"
            self.refuse(line, found, "one score; choose it with column=NAME")
        return names[0]

    def answers(self, column: str = "", filter_: str = "") -> tuple[str, dict[str, list[Answer]]]:
        """Return the name of the score, and the scores of the answers by item."""
        items = self.chosen_items(filter_)
        name = self.score_name(items, column)
        answers = defaultdict[str, list[Answer]](list)
        for item in items:
            answers[item.name].append(self.score(item, name))
        refuse_mixture([self], name, items)
        return name, dict(answers)

    def score(self, item: Item, name: str) -> Answer:
        """Parse the score `name` of an answer; raises MalformedFileError unless it is valid."""
        if item.scores is None:
            return None
        value = item.scores.get(name, item.fields.get(name))
        label = name if item.line is not None else f"item {item.name}: {name}"
        if isinstance(value, list) and item.output is not None:
            expected = "a number; this metric stores texts: score them with -m bleu, chrf or ter"
            self.refuse(item.line, f"{name} as a list", expected)
        if not is_plain(value):
            self.refuse(item.line, f"{label} {excerpt(json.dumps(value))}", "a number")
        try:
            return tables.parse_score(value, self.scale)
        except tables.NotAScoreError as reason:
            self.refuse(item.line, f"{label} {excerpt(value)}", str(reason))

    def labels(self, column: str) -> dict[str, str]:
        """Return a field of the items as labels; empty if no item has such a field."""
        labels: dict[str, str] = {}
        for item in self.items:
            value = item.fields.get(column, tables.value_inside(item.fields, column.split(".")))
            if tables.is_blank(value):
                continue
            if not is_plain(value):
                self.refuse(item.line, f"{column} {excerpt(value)}", "a label")
            if labels.setdefault(item.name, str(value)) != str(value):
                both = f"{column} {labels[item.name]} and {value} of item {item.name}"
                self.refuse(item.line, both, f"the same {column} in all answers to an item")
        return labels


def refuse_mixture(
    evaluations: Sequence[Evaluation], name: str, items: Sequence[Item] | None = None
) -> None:
    """Raise MalformedFileError if scores `name` of evaluations of one file contradict each other.

    Args:
        evaluations: evaluations of the file.
        name: name of the score.
        items: answers to look at; all by default.
    """
    items = [i for e in evaluations for i in e.items] if items is None else items
    values = [(item.scores or {}).get(name, item.fields.get(name)) for item in items]
    if len(evaluations) > 1:  # systems may be judged differently, but on one scale
        values = list(map(tables.score_or_none, values))
    mixture = tables.find_mixture(values)
    if mixture is not None:
        index, found, expected = mixture
        where = "" if items[index].line is not None else f"item {items[index].name}: "
        evaluations[0].refuse(items[index].line, f"{where}{name} {found}", expected)


def is_plain(value: object) -> bool:
    """Return whether a value is neither a list nor an object."""
    return not isinstance(value, list | dict)


def excerpt(text: object) -> str:
    """Return the start of a text in quotes, for messages."""
    return repr(shortened(str(text), 40))


def mean(answers: Sequence[Answer]) -> Answer:
    """Compute the mean of the scores that are not None, or None if all are."""
    scores = [score for score in answers if score is not None]
    return sum(scores) / len(scores) if scores else None


# Files.

#: Magic bytes of a zip archive.
ZIP = b"PK\x03\x04"


# No slots: cached properties parse a file once for all declarations.
@dataclass(frozen=True)
class ScoreFile:
    """A tool's file: its path, and its contents as bytes and as text."""

    path: str
    data: bytes = field(default=b"", repr=False)
    text: str = field(default="", repr=False)

    @classmethod
    def read(cls, path: str) -> ScoreFile:
        """Read and decompress a file; `text` is empty for archives and Parquet."""
        data = Files().contents(path)
        if extension(path) == ".parquet" or data[:4] == ZIP:
            return cls(path, data)
        return cls(path, data, decode(path, data).removeprefix(BYTE_ORDER_MARK))

    @cached_property
    def digest(self) -> str:
        """First digits of the file's SHA-256."""
        return tables.digest(self.data)

    @property
    def name(self) -> str:
        """Default name of the system: the file's name without folder and extension."""
        return name_of(self.path)

    @cached_property
    def json(self) -> Any:
        """The file parsed as JSON, or None if it is not valid JSON."""
        return self._parsed(self.text)

    @cached_property
    def first_record(self) -> Record:
        """The first JSON line, or an empty record if it is not an object."""
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
        """Lines of the text without line ends."""
        return [line.removesuffix("\r") for line in self.text.removesuffix("\n").split("\n")]

    def records(self) -> Iterator[Numbered]:
        """Yield the number and the object of every JSON line; blank lines are skipped."""
        for number, line in enumerate(self.lines, 1):
            if line.strip():
                yield number, tables.parse_record(self.path, number, line)

    def rows(self, names: Sequence[str], start: int = 1) -> Iterator[Numbered]:
        """Yield the number and the fields between tabs of every line from line `start`."""
        for number, line in enumerate(self.lines[start - 1 :], start):
            fields = line.split("\t")
            if len(fields) != len(names):
                expected = f"{len(names)} fields between tabs: {', '.join(names)}"
                self.refuse(number, f"{len(fields)} fields", expected)
            yield number, dict(zip(names, fields, strict=True))

    def refuse(self, line: int | None, found: str, expected: str) -> NoReturn:
        """Raise MalformedFileError about the file."""
        raise MalformedFileError(self.path, line, found, expected) from None


def name_of(path: str) -> str:
    """Return the name of a system: the file's name without folder and extension."""
    return stem(path.replace("\\", "/"))


def records_of(table: tables.Table) -> list[Numbered]:
    """Return the rows of a table, each with its line."""
    if not table.columns:
        raise EmptyTextError(table.path)
    values = zip(*map(table.values, table.columns), strict=True)
    rows = (dict(zip(table.columns, row, strict=True)) for row in values)
    return list(zip(table.all_lines(), rows, strict=True))


# Declarations.

#: Default system and benchmark of a file, and the directions that belong to it.
About: TypeAlias = tuple[str, str, Mapping[str, bool]]
#: Access to a value of a record: a key, nested keys joined by dots, or a function.
Key: TypeAlias = str | Callable[[Record], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A declaration of a tool's files.

    The fields from `system` to `references` are keys of a record, or functions of it.

    Attributes:
        writes: description of the files.
        knows: function that returns whether a file has this format.
        records: function that yields the line and the record of each answer; by default the JSON
            lines of the file.
        needs: keys that every record has.
        about: function that returns the default system and benchmark of a file, and directions in
            addition to `higher`.
        system: name of the system.
        item: name of the item; by default its number in the file.
        scores: scores of the answer by name.
        benchmark: name of the benchmark.
        data: other property that must agree in all files.
        checksum: checksum or text of the item, which must agree in all files.
        filter: name of the method that extracted the answer from the output.
        answer: name of the answer, if an item has several.
        fields: further fields of the item.
        documents: name of the field with the document of an item.
        output: output of the system.
        references: reference outputs, as a list.
        first: first number, if items are numbered without gaps and have no names; or None.
        by_number: True to sort items by their numbers.
        may_repeat: True if several records of an item without `answer` are several answers.
        are_runs: True if several answers to an item are runs of the system.
        higher: True or False by score if higher or lower is better; "" for all other scores.
        scale: range of valid scores, or None.
        score_names: default scores; the first that the items have is used.
        takes_first: True if the first score is the default, as the tool sorts them.
    """

    writes: str = ""
    knows: Callable[[ScoreFile], bool] = lambda _: False
    records: Callable[[ScoreFile], Iterable[Numbered]] = ScoreFile.records
    needs: frozenset[str] = frozenset()
    about: Callable[[ScoreFile], About] = lambda file: (file.name, "", {})
    system: Key = "system"
    item: Key = "item"
    scores: Key = "scores"
    benchmark: Key = "benchmark"
    data: Key = ""
    checksum: Key = ""
    filter: Key = ""
    answer: Key = ""
    fields: Key = ""
    documents: str = ""
    output: Key = ""
    references: Key = ""
    first: int | None = None
    by_number: bool = False
    may_repeat: bool = False
    are_runs: bool = False
    higher: Mapping[str, bool] = field(default_factory=dict)
    scale: tables.Scale | None = None
    score_names: tuple[str, ...] = ()
    takes_first: bool = False


def has_keys(*keys: str) -> Callable[[ScoreFile], bool]:
    """Return a function that returns whether a file's first JSON line has these keys."""
    return lambda file: is_object(file.first_record, *keys)


def is_object(value: object, *keys: str) -> bool:
    """Return whether a JSON value is an object with these keys."""
    return isinstance(value, dict) and value.keys() >= set(keys)


def _value_at(key: Key, record: Record) -> Any:
    if callable(key):
        return key(record)
    if not key:
        return None
    return record[key] if key in record else tables.value_inside(record, key.split("."))


def _text_at(key: Key, record: Record) -> str:
    value = _value_at(key, record)
    return "" if value is None else str(value)


def is_name(value: object) -> bool:
    """Return whether a value can be the name of an item or a system."""
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


#: Answers of one system on one benchmark, by item, filter and run.
_Group: TypeAlias = dict[tuple[str, str, str], Item]


def evaluations_of(file: ScoreFile, form: Format) -> list[Evaluation]:
    """Read the evaluations in a file of a known format, one per system and benchmark."""
    groups = defaultdict[tuple[str, str], _Group](dict)
    data: dict[tuple[str, str], str] = {}
    repeated: Counter[tuple[str, ...]] = Counter()
    default_system, default_benchmark, higher = form.about(file)
    for line, record in form.records(file):
        missing = sorted(form.needs - record.keys())
        if missing:
            file.refuse(line, f"no {', '.join(missing)}", "these keys in every record")
        system = _text_at(form.system, record) or default_system
        benchmark = _text_at(form.benchmark, record) or default_benchmark
        group = groups[system, benchmark]
        data.setdefault((system, benchmark), _text_at(form.data, record))
        item = _item(file, form, line, record, len(group))
        run = item.answer
        if form.may_repeat and not run:
            answered = (system, benchmark, item.name, item.filter)
            repeated[answered] += 1
            run = str(repeated[answered])
            item = item._replace(answer=run) if form.are_runs else item
        key = item.name, item.filter, run
        if key in group:
            item = _merged(file, system, group[key], item)
        group[key] = item
    shared_fields = ("score_names", "takes_first", "documents", "are_runs", "scale")
    shared: dict[str, Any] = {name: getattr(form, name) for name in shared_fields}
    return [
        Evaluation(
            label=file.path,
            digest=file.digest,
            system=system,
            items=_ordered(file, form, system, group),
            higher={**form.higher, **higher},
            has_names=bool(form.item) and form.first is None,
            benchmark=benchmark,
            data=data[system, benchmark],
            **shared,
        )
        for (system, benchmark), group in groups.items()
    ]


def _item(file: ScoreFile, form: Format, line: int | None, record: Record, index: int) -> Item:
    """Return the answer in a record; an item without a name is called by its index."""
    value = _value_at(form.item, record)
    if value is None and (form.first is not None or not form.item):
        value = index + (1 if form.first is None else form.first)
    noun = form.item if isinstance(form.item, str) and form.item else "item"
    if not is_name(value):
        file.refuse(line, f"{noun} {value!r}", "a name or a number")
    if form.first is not None and tables.whole_number(value) is None:
        file.refuse(line, f"{noun} {value!r}", "a whole number")
    scores = _value_at(form.scores, record)
    if scores is not None and not isinstance(scores, dict):
        file.refuse(line, "no scores", "an object with scores by name")
    keys = (form.fields, form.output, form.references)
    fields, output, references = (_value_at(key, record) for key in keys)
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
        contents=_contents(record),
        texts=answer_texts(record),
    )


def _contents(record: Record) -> str:
    """Return the digest of a record's question and target; "" without a question.

    Some tools keep the question in an object `doc`, whose ids do not count.
    """
    inside, questions = record.get("doc"), [key for key in QUESTION if key != "text"]
    if isinstance(inside, dict):
        known = {key: value for key, value in inside.items() if key not in tables.ITEM}
    elif any(map(record.get, questions)):
        keys = (*questions, *TARGET, "choices")
        known = {key: record[key] for key in keys if key in record}
    else:
        return ""
    return tables.digest(json.dumps(known, sort_keys=True, default=str).encode()) if known else ""


def _merged(file: ScoreFile, system: str, earlier: Item, item: Item) -> Item:
    """Merge the scores of an answer; raises MalformedFileError if a score is repeated."""
    scores = dict(earlier.scores or {})
    if scores.keys() & (item.scores or {}).keys():
        variant = item.answer or item.filter
        variant = f" ({variant})" if variant else ""
        location = "" if earlier.line is None else f"; it is also on line {earlier.line}"
        found = f"item {item.name}{variant} of {system} again"
        file.refuse(item.line, found, f"each item once{location}")
    return earlier._replace(scores=scores | dict(item.scores or {}) or None)


def _ordered(file: ScoreFile, form: Format, system: str, group: _Group) -> tuple[Item, ...]:
    """Sort the items; the runs have the same order for every item."""
    names = list(dict.fromkeys(name for name, _, _ in group))
    runs = list(dict.fromkeys(run for _, _, run in group))
    if all(run.isdecimal() for run in runs):
        runs.sort(key=int)
    if form.first is not None or form.by_number:
        names.sort(key=lambda name: tables.whole_number(name) or 0)
    order = {name: index for index, name in enumerate(names)}
    run_order = {run: index for index, run in enumerate(runs)}
    rows = sorted(group.items(), key=lambda row: (order[row[0][0]], run_order[row[0][2]]))
    if form.first is None:
        return tuple(item for _, item in rows)
    first, last = form.first, form.first + len(names) - 1
    for _, item in rows:
        if not first <= int(item.name) <= last:
            expected = f"numbers from {first} to {last}, because {system} has {len(names)} scores"
            file.refuse(item.line, f"segment {item.name}", expected)
    return tuple(item._replace(name=str(order[item.name] + 1)) for _, item in rows)
