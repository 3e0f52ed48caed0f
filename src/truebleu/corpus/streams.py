"""Test sets larger than memory: texts that are read part by part, all of them in lock step.

A part has as many segments of every text, and is forgotten when the next one comes. How large parts
are changes no number: whatever is counted adds up, and what is tossed or drawn depends on a
segment's place in the whole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias, cast

from truebleu import _core
from truebleu._core import Segments
from truebleu._settings import require_whole_number
from truebleu.corpus._files import (
    BYTE_ORDER_MARK,
    DOCUMENT_COLUMNS,
    LIMIT_VARIABLE,
    STANDARD_INPUT,
    SYSTEM_COLUMN,
    Layout,
    Lines,
    NamedText,
    OpenedFile,
    decode,
    decompressed_limit,
    expanded,
    extension,
    locate,
    note_input,
    read_lines,
    stem,
)
from truebleu.corpus._reading import distinct_names, merged, parse_docs, refuse_duplicates
from truebleu.corpus.test_set import Examination, TestSet
from truebleu.errors import (
    EmptyTextError,
    EncodingError,
    MalformedFileError,
    MissingColumnError,
    SettingError,
    UnpairedSegmentsError,
    UnreadableFileError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike
    from typing import BinaryIO

    from truebleu.corpus._files import Contents, Location, Role
    from truebleu.corpus._tables import Table
    from truebleu.corpus.test_set import TextWarning

#: What a file is to the test set: a text, or labels of segments.
_Role: TypeAlias = "Role | Literal['documents']"

#: Parts begin at multiples of this many segments: coins are tossed, and weights drawn, together.
ALIGNED = 512
# The coins of so many segments are one random number, which belongs to one part.
COINS = 64
#: The most segments of a part, divided by the number of texts; and the bytes that it should have.
MOST_SEGMENTS = 1 << 18
PART_BYTES = 1 << 25


class _Text(ABC):
    """A text that comes in parts.

    Attributes:
        location: Where it is.
        role: What it is.
        ended: Whether all of it was read.
    """

    def __init__(self, location: Location, role: _Role) -> None:
        self.location, self.role, self.ended = location, role, False

    @property
    def label(self) -> str:
        """What messages call it."""
        return label_of(self.location)

    @abstractmethod
    def ready(self, segments: int, size: int) -> int:
        """Read on until so many segments or bytes are there: how many segments there are."""

    @abstractmethod
    def take(self, segments: int) -> NamedText:
        """The next segments, of those that are ready; of labels, one for each segment."""

    @abstractmethod
    def rest(self) -> int:
        """How many segments there are beyond those that are ready."""

    @property
    @abstractmethod
    def share_read(self) -> float | None:
        """How much of the file was read, from 0 to 1; None where nobody knows."""

    @abstractmethod
    def close(self) -> None:
        """Close the file."""

    def only(self, contents: Contents) -> NamedText:
        """The text in a part of the file, refused where there are several."""
        if self.role == "documents":
            return self._labels(contents)
        texts = contents.select(self.role, self.location.column)
        if len(texts) != 1:
            expected = "one text in each file or column where texts are read part by part"
            raise SettingError("file", self.label, expected)
        return texts[0]

    def _labels(self, contents: Contents) -> NamedText:
        """A part of a file of labels: a table, one document per line, or DOMAIN DOCUMENT."""
        path, column = self.location.path, self.location.column
        labels: tuple[str, ...] | None
        if isinstance(contents, Lines):
            if column is not None:
                raise MissingColumnError(path, "column", column, ())
            labels = tuple(line or "" for line in contents.segments)
            if extension(path) == ".docs":
                labels, _ = parse_docs(path, labels)
        else:
            table = cast("Table", contents)
            labels = table.layout().documents if column is None else table.labels(column)
            if labels is None:
                found = f"the columns {', '.join(table.columns)}"
                expected = f"a column {' or '.join(DOCUMENT_COLUMNS)}"
                raise MalformedFileError(path, None, found, expected)
        return NamedText(self.label, path, "", Segments([]), Layout(documents=labels))

    def require_no_systems(self, columns: Sequence[str]) -> None:
        """Refuse a table with rows of several systems: parts of it would not pair."""
        if SYSTEM_COLUMN in columns and self.location.column != SYSTEM_COLUMN:
            expected = "a column for each system where texts are read part by part"
            raise SettingError("file", f"{self.label} with a column {SYSTEM_COLUMN!r}", expected)


class _Lines(_Text):
    """A file of lines: of plain text, or the rows of a table."""

    def __init__(self, location: Location, role: _Role, stdin: BinaryIO | None) -> None:
        super().__init__(location, role)
        self._file = OpenedFile(location.path, stdin)
        self._pieces: list[bytes] = []
        self._size = self._lines = self._taken = 0
        self._is_table = extension(location.path) in TABLES
        self._header = b""
        if extension(location.path) == ".tsv" and self.ready(1, 0):
            self._header = self._cut(1)

    def ready(self, segments: int, size: int) -> int:
        """See `_Text`; however large they are, enough lines to begin the next part aligned."""
        limit = decompressed_limit()
        while not self.ended and self._lines < segments:
            if self._size >= size and self._lines >= ALIGNED:
                break
            piece = self._file.read()
            if self._size + len(piece) > limit:
                found = f"{self._lines:,} lines in {limit:,} bytes"
                expected = f"shorter ones; if it is not a trap, set {LIMIT_VARIABLE} to more bytes"
                raise MalformedFileError(self.location.path, self._taken + 1, found, expected)
            if not piece:
                self.ended = True
                self._lines += bool(self._pieces) and not self._pieces[-1].endswith(b"\n")
                break
            self._pieces.append(piece)
            self._size += len(piece)
            self._lines += piece.count(b"\n")
        return self._lines

    def _cut(self, lines: int) -> bytes:
        """The first lines of those that are ready."""
        data, rest = b"".join(self._pieces), b""
        if not (self.ended and lines == self._lines):
            _, end = _core.line_ends(data, lines)
            data, rest = data[:end], data[end:]
        self._pieces, self._size = [rest] if rest else [], len(rest)
        self._lines -= lines
        return data

    def take(self, segments: int) -> NamedText:
        """See `_Text`."""
        data = self._header + self._cut(segments)
        try:
            text = self.only(self._contents(data))
        except (MalformedFileError, EncodingError) as error:
            path, line, *others = error.args
            raise type(error)(path, line and line + self._taken, *others) from None
        self._taken += segments
        return text

    def _contents(self, data: bytes) -> Contents:
        path = self.location.path
        if not self._is_table:
            return read_lines(path, data, is_beginning=self._taken == 0)
        from truebleu.corpus._tables import parse_table

        table = parse_table(path, data)
        self.require_no_systems(getattr(table, "columns", ()))
        return table or read_lines(path, data)

    def rest(self) -> int:
        """See `_Text`."""
        lines, tail = 0, b"\n"
        while piece := self._file.read():
            lines += piece.count(b"\n")
            tail = piece
        return lines + (not tail.endswith(b"\n"))

    @property
    def share_read(self) -> float | None:
        """See `_Text`."""
        return self._file.share_read

    def close(self) -> None:
        """See `_Text`."""
        self._file.close()


class _CsvRows(_Text):
    """A column of a CSV file, whose rows may go on in the next line."""

    def __init__(self, location: Location, role: _Role, stdin: BinaryIO | None) -> None:
        from truebleu.corpus._tables import CsvRows

        super().__init__(location, role)
        self._file = OpenedFile(location.path, stdin)
        self._reader = CsvRows(location.path, self._lines(), decompressed_limit())
        self._rows: list[tuple[int, list[str]]] = []
        self._size = 0
        self._byte_order_mark = False
        with ExitStack() as refused:
            refused.callback(self._file.close)
            header = self._reader.next(1)
            if not header:
                raise EmptyTextError(location.path)
            refused.pop_all()
        self._header = header[0][1]

    def _lines(self) -> Iterator[str]:
        """The lines of the file, as they come."""
        from io import StringIO

        before, waiting = 0, b""
        while True:
            piece = self._file.read()
            # Bytes after the last line end may be half of a character.
            end = len(waiting) + piece.rfind(b"\n") + 1 if b"\n" in piece else 0
            waiting += piece
            whole, waiting = (waiting[:end], waiting[end:]) if piece else (waiting, b"")
            if len(waiting) > decompressed_limit():
                found = f"a line of more than {len(waiting):,} bytes"
                expected = f"a shorter one; if it is not a trap, set {LIMIT_VARIABLE} to more bytes"
                raise MalformedFileError(self.location.path, before + 1, found, expected)
            try:
                text = decode(self.location.path, whole)
            except (MalformedFileError, EncodingError) as error:
                path, line, *others = error.args
                raise type(error)(path, line + before, *others) from None
            if before == 0 and text.startswith(BYTE_ORDER_MARK):
                text, self._byte_order_mark = text[1:], True
            yield from StringIO(text, newline="")
            if not piece:
                return
            before += whole.count(b"\n")

    def ready(self, segments: int, size: int) -> int:
        """See `_Text`; bytes are counted as characters."""
        while not self.ended and len(self._rows) < segments:
            if self._size >= size and len(self._rows) >= ALIGNED:
                break
            rows = self._reader.next(min(segments - len(self._rows), ALIGNED))
            self.ended = not rows
            self._rows += rows
            self._size += sum(len(field) for _, row in rows for field in row)
        return len(self._rows)

    def take(self, segments: int) -> NamedText:
        """See `_Text`."""
        from truebleu.corpus._tables import delimited

        table = delimited(self.location.path, self._header, self._rows[:segments])
        table.byte_order_mark = self._byte_order_mark
        self._rows = self._rows[segments:]
        self._size = sum(len(field) for _, row in self._rows for field in row)
        if self.role != "documents":
            self.require_no_systems(table.columns)
        return self.only(table)

    def rest(self) -> int:
        """See `_Text`."""
        rows = 0
        while found := self._reader.next(ALIGNED):
            rows += len(found)
        return rows

    @property
    def share_read(self) -> float | None:
        """See `_Text`."""
        return self._file.share_read

    def close(self) -> None:
        """See `_Text`."""
        self._file.close()


class _RowGroups(_Text):
    """A column of a Parquet file, read by row groups."""

    def __init__(self, location: Location, role: _Role) -> None:
        from truebleu.corpus._tables import ParquetParts

        super().__init__(location, role)
        labels = DOCUMENT_COLUMNS if role == "documents" else ()
        self._file = ParquetParts(location.path, location.column, labels)
        if role != "documents":
            self.require_no_systems(self._file.columns)
        self._batches: list[Any] = []
        self._rows = self._taken = 0

    def ready(self, segments: int, size: int) -> int:
        """See `_Text`; bytes are counted as they are in memory."""
        while not self.ended and self._rows < segments:
            if sum(batch.nbytes for batch in self._batches) >= size and self._rows >= ALIGNED:
                break
            batch = self._file.read()
            if batch is None:
                self.ended = True
                break
            self._batches.append(batch)
            self._rows += len(batch)
        return self._rows

    def take(self, segments: int) -> NamedText:
        """See `_Text`."""
        part, self._batches = self._file.part(self._batches, segments)
        self._rows -= segments
        self._taken += segments
        return self.only(part)

    def rest(self) -> int:
        """See `_Text`."""
        return self._file.rows - self._taken - self._rows

    @property
    def share_read(self) -> float | None:
        """See `_Text`."""
        return self._file.share_read

    def close(self) -> None:
        """See `_Text`."""
        self._file.close()


#: Tables whose rows are lines, so that some lines of them are a table too.
TABLES = (".tsv", ".jsonl", ".ndjson")
_WHOLE_ONLY = (".json", ".sgm", ".sgml", ".xml")


def label_of(location: Location) -> str:
    """What messages call a text."""
    return location.path if location.column is None else f"{location.path}#{location.column}"


def require_formats(texts: Iterable[str | PathLike[str]]) -> None:
    """Refuse texts whose formats cannot be read part by part."""
    for written in texts:
        path = locate(written).path
        if extension(path) in _WHOLE_ONLY:
            found = f"{extension(path)[1:]} file {path}"
            expected = "lines, TSV, CSV, JSON lines or Parquet to read in parts"
            raise SettingError("chunk", found, expected)


@dataclass(slots=True, eq=False)
class Parts:
    """The parts of a test set as they come, and what is known after the last of them.

    Attributes:
        segments: how many there were so far.
        warnings: what is suspicious about the texts so far.
        letters: of the references so far, by script.
        references_vary: whether some segment lacked a reference.
        share_read: how much of all files was read, from 0 to 1; None where nobody knows.
    """

    parts: Iterator[TestSet]
    segments: int = 0
    warnings: tuple[TextWarning, ...] = ()
    letters: Counter[str] = field(default_factory=Counter)
    references_vary: bool = False
    share_read: float | None = None


class Source(Protocol):
    """What begins to read anew whenever it is asked."""

    def read(self) -> Parts:
        """The parts, one after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSetStream:
    """A test set that comes in parts, each of them a `TestSet`, as often as it is asked for.

    `score` and `compare` take it in place of a test set, and never hold more than two parts.

    Attributes:
        systems: their names.
        reference_names: what the references are called.
        source: what gives the parts.
        strict: whether anything suspicious about the texts is an error.

    >>> parts = [TestSet(systems={"a": ["A cat."]}, references=(["A cat."],)) for _ in range(3)]
    >>> import truebleu
    >>> truebleu.score(TestSetStream.of(parts), metrics=["bleu"]).test_set.segments
    3
    """

    # The name starts like a test class: pytest would collect it wherever it is imported.
    __test__ = False
    # How verbs know it, which need not import this module for that.
    is_streamed: ClassVar[bool] = True

    systems: tuple[str, ...]
    reference_names: tuple[str, ...]
    source: Source
    strict: bool = False

    @classmethod
    def of(cls, parts: Iterable[TestSet]) -> TestSetStream:
        """Parts from anywhere: a list, or an object that gives an iterator each time it is asked.

        A generator gives them only once, which is enough for metrics that count whole numbers.
        """
        iterator = iter(parts)
        first = next(iterator, None)
        if first is None:
            raise EmptyTextError("parts of a test set")
        if not isinstance(first, TestSet):
            raise SettingError("parts", type(first), "test sets")
        once: list[Iterator[TestSet]] | None = None
        if iter(parts) is iterator:
            once = [chain([first], iterator)]
        return cls(
            systems=tuple(first.systems),
            reference_names=first.reference_names,
            source=_InMemory(parts, once),
        )

    def read(self) -> Parts:
        """Begin to read."""
        return self.source.read()


@dataclass(frozen=True, slots=True)
class _InMemory:
    """Parts that somebody else makes; those that can be made only once are gone after that."""

    parts: Iterable[TestSet]
    once: list[Iterator[TestSet]] | None = field(default=None, compare=False)

    def read(self) -> Parts:
        """See `Source`."""
        if self.once is None:
            return _examined(iter(self.parts))
        if not self.once:
            expected = "parts that can be read twice, as a list can, for counts with fractions"
            raise SettingError("parts", type(self.parts), expected)
        return _examined(self.once.pop())


def _examined(test_sets: Iterator[TestSet]) -> Parts:
    """Parts that are in memory, checked to fit each other."""
    examination = Examination()
    read = Parts(iter(()))

    def parts() -> Iterator[TestSet]:
        names: tuple[str, ...] = ()
        for test_set in test_sets:
            if not isinstance(test_set, TestSet):
                raise SettingError("parts", type(test_set), "test sets")
            names = names or tuple(test_set.systems)
            if tuple(test_set.systems) != names:
                found = ", ".join(test_set.systems)
                raise SettingError("systems of a part", found, ", ".join(names))
            if test_set.is_counted:
                read.segments += len(test_set)
                read.references_vary |= test_set.references_per_segment is None
            else:
                references, systems, source = test_set.named_texts()
                _note(read, references, systems, source, examination)
            yield test_set

    read.parts = parts()
    return read


def _note(
    read: Parts,
    references: Sequence[NamedText],
    systems: Sequence[NamedText],
    source: NamedText | None,
    examination: Examination,
) -> None:
    """Keep what is to be known of a part."""
    examination.add(references, systems, source)
    read.warnings = examination.warnings()
    texts = [text.segments for text in references]
    read.letters.update(_core.letters(texts))
    read.references_vary |= len(texts) > 1 and any(
        _core.first_absent([text]) is not None for text in texts
    )
    read.segments += len(texts[0])


def stream_test_set(
    systems: Sequence[str | PathLike[str]],
    references: Sequence[str | PathLike[str]],
    *,
    source: str | PathLike[str] | None = None,
    documents: str | PathLike[str] | None = None,
    strict: bool = False,
    chunk: int | None = None,
    stdin: BinaryIO | None = None,
) -> TestSetStream:
    """A test set whose texts are read part by part, each time that it is scored or compared.

    Texts are written as for `read_test_set`. Plain lines, TSV, CSV and JSON lines, compressed or
    not, and Parquet can be read like this, and pair line by line.

    Args:
        systems: Outputs, one system each.
        references: What they are compared with, one translator each.
        source: What was translated.
        documents: A file with the document of each segment, or a table with a column of documents;
            by default tables say so themselves. A document's segments stand together.
        strict: Whether anything suspicious about the texts is an error.
        chunk: Segments of a part, rounded up to a multiple of 64; by default as many as have some
            32 MB of text. It changes no number.
        stdin: Read where a text is written `-`; by default standard input.
    """
    if not references:
        raise SettingError("references", references, "at least one file")
    if chunk is not None:
        chunk = -(-require_whole_number("chunk", chunk, 1) // COINS) * COINS
    further = [path for path in (source, documents) if path is not None]
    require_formats([*references, *expanded(systems), *further])
    roles: list[tuple[_Role, Location]] = [("reference", locate(path)) for path in references]
    roles += [("system", locate(path)) for path in expanded(systems)]
    roles += [] if source is None else [("source", locate(source))]
    roles += [] if documents is None else [("documents", locate(documents))]
    names = _names(roles)
    refuse_duplicates(names["system"])
    if sum(location.path == STANDARD_INPUT for _, location in roles) > 1:
        raise SettingError("file", STANDARD_INPUT, "standard input once: it can be read only once")
    return TestSetStream(
        systems=tuple(names["system"]),
        reference_names=tuple(names["reference"]),
        source=_Reading(tuple(roles), names, chunk, stdin),
        strict=strict,
    )


def _names(roles: Sequence[tuple[_Role, Location]]) -> dict[_Role, list[str]]:
    """What the texts of each role are called."""
    names: dict[_Role, list[str]] = {"reference": [], "system": [], "source": []}
    for role in names:
        locations = [location for known, location in roles if known == role]
        texts = [
            NamedText(label_of(at), at.path, at.column or stem(at.path), Segments([]))
            for at in locations
        ]
        names[role] = distinct_names(texts, [at.name for at in locations])
    return names


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a stream reads: texts by their roles."""

    roles: tuple[tuple[_Role, Location], ...]
    names: dict[_Role, list[str]]
    chunk: int | None
    stdin: BinaryIO | None
    begun: list[bool] = field(default_factory=list, compare=False)

    def read(self) -> Parts:
        """See `Source`."""
        if any(location.path == STANDARD_INPUT for _, location in self.roles):
            if self.begun:
                reason = "it can be read only once, and counts with fractions are read twice"
                raise UnreadableFileError(STANDARD_INPUT, reason)
            self.begun.append(True)
        examination = Examination()
        read = Parts(iter(()))
        read.parts = self._parts(read, examination)
        return read

    def _open(self, role: _Role, location: Location) -> _Text:
        note_input(location.path)
        if extension(location.path) == ".parquet":
            return _RowGroups(location, role)
        if extension(location.path) == ".csv":
            return _CsvRows(location, role, self.stdin)
        return _Lines(location, role, self.stdin)

    def _parts(self, read: Parts, examination: Examination) -> Iterator[TestSet]:
        with ExitStack() as files:
            texts = [
                files.enter_context(closing(self._open(role, location)))
                for role, location in self.roles
            ]
            while segments := self._next_size(texts, read.segments):
                taken = [text.take(segments) for text in texts]
                shares = [text.share_read for text in texts if text.share_read is not None]
                read.share_read = sum(shares) / len(shares) if len(shares) == len(texts) else None
                yield self._test_set(read, examination, taken)

    def _next_size(self, texts: Sequence[_Text], done: int) -> int:
        """How many segments the next part has; 0 at the end."""
        most = self.chunk or max(ALIGNED, MOST_SEGMENTS // len(texts) // ALIGNED * ALIGNED)
        size = PART_BYTES // len(texts)
        ready = [text.ready(most, size if self.chunk is None else 1 << 62) for text in texts]
        segments = min(*ready, most)
        shortest = texts[ready.index(min(ready))]
        if segments < most and not shortest.ended:
            return segments // ALIGNED * ALIGNED
        if segments < most or segments == 0:
            _require_same_end(texts, ready, done)
        return segments

    def _test_set(
        self, read: Parts, examination: Examination, taken: Sequence[NamedText]
    ) -> TestSet:
        by_role: dict[_Role, list[NamedText]] = {
            "reference": [],
            "system": [],
            "source": [],
            "documents": [],
        }
        for (role, _), text in zip(self.roles, taken, strict=True):
            by_role[role].append(text)
        references, systems, sources = (by_role[role] for role in ("reference", "system", "source"))
        source = sources[0] if sources else None
        labels = merged(text.layout for text in (*by_role["documents"], *taken))
        _require_same_ids(taken, read.segments)
        _note(read, references, systems, source, examination)
        return TestSet(
            systems={
                name: text.segments
                for name, text in zip(self.names["system"], systems, strict=True)
            },
            references=tuple(text.segments for text in references),
            reference_names=tuple(self.names["reference"]),
            source=None if source is None else source.segments,
            documents=labels.documents,
            is_examined=True,
        )


def _require_same_end(texts: Sequence[_Text], ready: Sequence[int], done: int) -> None:
    """Refuse texts of which one ends before another; the message says how long they are."""
    lengths = [
        done + here + (0 if text.ended else text.rest())
        for text, here in zip(texts, ready, strict=True)
    ]
    first = texts[0]
    for text, length in zip(texts, lengths, strict=True):
        if length == 0:
            raise EmptyTextError(text.label)
    for text, length in zip(texts, lengths, strict=True):
        if length != lengths[0]:
            raise UnpairedSegmentsError(text.label, length, first.label, lengths[0])


def _require_same_ids(texts: Sequence[NamedText], done: int) -> None:
    """Refuse files whose ids say that they are in another order."""
    guide = next((text for text in texts if text.layout.keys is not None), None)
    for text in texts:
        if guide is None or text.layout.keys is None or text.layout.keys == guide.layout.keys:
            continue
        pairs = zip(text.layout.keys, guide.layout.keys or (), strict=True)
        place = next(place for place, (one, other) in enumerate(pairs) if one != other)
        found = f"id {text.layout.keys[place][1]!r} of segment {done + place + 1}"
        expected = (
            f"{(guide.layout.keys or ())[place][1]!r} as in {guide.label}: files that are read "
            "part by part must be in one order"
        )
        raise MalformedFileError(text.path, None, found, expected)
