"""What a format is: how a tool's file is known, and where in its records things are.

Reading, grouping, checking and error messages are the same for all formats: a tool needs one short
declaration, in `tools`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from truebleu.corpus._files import BYTE_ORDER_MARK, Files, decode, extension, stem
from truebleu.corpus.tables import (
    ANY_NUMBER,
    RepeatedKeyError,
    Scale,
    digest,
    parse_json,
    parse_record,
    value_inside,
    whole_number,
)
from truebleu.errors import MalformedFileError
from truebleu.scores.evaluations import Evaluation, Item

if TYPE_CHECKING:
    from collections.abc import Iterator

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
