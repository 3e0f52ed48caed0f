"""Test sets from files, part by part: what was read is handed on, and can be forgotten.

Files of plain lines are read in lock step, so that a part has as many segments of every text.
Other formats may pair segments by their ids, which takes all of them: they are one part.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from truebleu import _core
from truebleu._core import Segments
from truebleu.corpus._files import (
    FORMATS,
    LIMIT_VARIABLE,
    STANDARD_INPUT,
    Files,
    Layout,
    NamedText,
    OpenedFile,
    decompressed_limit,
    expanded,
    extension,
    locate,
    note_input,
    read_lines,
    stem,
)
from truebleu.corpus._reading import (
    distinct_names,
    read_labels,
    read_test_set,
    refuse_duplicates,
    require_files,
)
from truebleu.corpus.test_set import Examination, TestSet
from truebleu.errors import (
    EmptyTextError,
    EncodingError,
    MalformedFileError,
    UnpairedSegmentsError,
    UnreadableFileError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike
    from typing import BinaryIO

    from truebleu.corpus._files import Location
    from truebleu.corpus.test_set import TextWarning

#: Bytes that the texts of a part have together, or some more.
PART_BYTES = 1 << 25


class TestSetParts:
    """A test set from files, read once.

    Args:
        systems: outputs, one system each, written as for `read_test_set`.
        references: what they are compared with, one translator each.
        source: what was translated.
        documents: a file with the document of each segment.
        whole: whether all segments must be one part.
        stdin: read where a text is written `-`; by default standard input.

    Attributes:
        warnings: what is suspicious about the texts, once all parts were read.
        layout: the documents and domains of all segments, likewise.
        segments: how many there were so far.
    """

    # The name starts like a test class: pytest would collect it wherever it is imported.
    __test__ = False

    def __init__(
        self,
        systems: Sequence[str | PathLike[str]],
        references: Sequence[str | PathLike[str]],
        *,
        source: str | PathLike[str] | None = None,
        documents: str | PathLike[str] | None = None,
        whole: bool = False,
        stdin: BinaryIO | None = None,
    ) -> None:
        require_files(systems, references)
        self._written = systems, references
        self._source, self._documents, self._stdin = source, documents, stdin
        self._references = [locate(path) for path in references]
        self._systems = [locate(path) for path in expanded(systems)]
        beside = [] if source is None else [locate(source)]
        self._locations = [*self._references, *self._systems, *beside]
        self._is_whole = whole or not all(map(_is_plain, self._locations))
        self._files: list[_LineFile] = []
        self.warnings: tuple[TextWarning, ...] = ()
        self.layout = Layout()
        self.segments = 0

    @property
    def share_read(self) -> float | None:
        """How much of all texts was read, from 0 to 1; None where nobody knows."""
        shares = [file.share_read for file in self._files]
        known = [share for share in shares if share is not None]
        return sum(known) / len(known) if known and len(known) == len(shares) else None

    def __iter__(self) -> Iterator[TestSet]:
        return self._read_whole() if self._is_whole else self._read_parts()

    def _read_whole(self) -> Iterator[TestSet]:
        test_set = read_test_set(
            *self._written, source=self._source, documents=self._documents, stdin=self._stdin
        )
        self.warnings = test_set.warnings
        self.layout = Layout(test_set.documents, test_set.domains)
        self.segments = len(test_set)
        yield test_set

    def _read_parts(self) -> Iterator[TestSet]:
        paths = [*(location.path for location in self._locations), self._documents]
        if paths.count(STANDARD_INPUT) > 1:
            raise UnreadableFileError(STANDARD_INPUT, "standard input can be read only once")
        systems, references = _names(self._systems), _names(self._references)
        refuse_duplicates(systems)
        m, examination = len(references), Examination()
        with ExitStack() as opened:
            self._files = [
                opened.enter_context(closing(_LineFile(location.path, self._stdin)))
                for location in self._locations
            ]
            while count := _next_size(self._files, self.segments):
                texts = [file.take(count) for file in self._files]
                is_whole = self.segments == 0 and all(file.is_empty for file in self._files)
                source = None if self._source is None else texts[-1]
                outputs = texts[m : m + len(systems)]
                examination.add(texts[:m], outputs, source, is_whole=is_whole)
                self.segments += count
                yield TestSet(
                    systems={
                        name: text.segments for name, text in zip(systems, outputs, strict=True)
                    },
                    references=tuple(text.segments for text in texts[:m]),
                    reference_names=tuple(references),
                    source=None if source is None else source.segments,
                    is_examined=True,
                )
        self.warnings = examination.warnings()
        if self._documents is not None:
            first = self._references[0].path
            self.layout = read_labels(Files(self._stdin), self._documents, first, self.segments)


def _is_plain(location: Location) -> bool:
    """Whether a text is the lines of a file."""
    ending = extension(location.path)
    return location.column is None and (ending == ".txt" or ending not in FORMATS)


def _names(locations: Sequence[Location]) -> list[str]:
    """What the texts are called."""
    texts = [NamedText(at.path, at.path, stem(at.path), Segments([])) for at in locations]
    return distinct_names(texts, [at.name for at in locations])


class _LineFile:
    """The lines of a file, some at a time."""

    def __init__(self, path: str, stdin: BinaryIO | None) -> None:
        if path != STANDARD_INPUT:
            note_input(path)
        self.path, self.ended = path, False
        self._file = OpenedFile(path, stdin)
        self._pieces: list[bytes] = []
        self._size = self._lines = self._taken = 0

    @property
    def is_empty(self) -> bool:
        """Whether all of it was taken."""
        return self.ended and self._lines == 0

    @property
    def share_read(self) -> float | None:
        """From 0 to 1; None where the size is unknown."""
        return self._file.share_read

    def ready(self, size: int) -> int:
        """Read on until so many bytes and a line are there: how many lines there are."""
        limit = decompressed_limit()
        while not self.ended and (self._size < min(size, limit) or self._lines == 0):
            piece = self._file.read()
            if not piece:
                self.ended = True
                self._lines += bool(self._pieces) and not self._pieces[-1].endswith(b"\n")
                break
            self._pieces.append(piece)
            self._size += len(piece)
            self._lines += piece.count(b"\n")
            if self._lines == 0 and self._size > limit:
                found = f"a line of more than {limit:,} bytes"
                expected = f"a shorter one; if it is not a trap, set {LIMIT_VARIABLE} to more bytes"
                raise MalformedFileError(self.path, self._taken + 1, found, expected)
        return self._lines

    def take(self, lines: int) -> NamedText:
        """The first lines of those that are ready."""
        data, rest = b"".join(self._pieces), b""
        if not (self.ended and lines == self._lines):
            _, end = _core.line_ends(data, lines)
            data, rest = data[:end], data[end:]
        self._pieces, self._size = [rest] if rest else [], len(rest)
        self._lines -= lines
        try:
            text = read_lines(self.path, data, is_beginning=self._taken == 0)
        except (MalformedFileError, EncodingError) as error:
            path, line, *others = error.args
            raise type(error)(path, line and line + self._taken, *others) from None
        self._taken += lines
        return text.select("system", None)[0]

    def rest(self) -> int:
        """How many lines there are beyond those that are ready; of a pipe, up to a limit."""
        lines, size, tail = 0, 0, b"\n"
        while piece := self._file.read():
            lines += piece.count(b"\n")
            size += len(piece)
            tail = piece
            if self._file.share_read is None and size > decompressed_limit():
                found = f"more than {decompressed_limit():,} bytes and no end"
                expected = f"a file; if it does have an end, set {LIMIT_VARIABLE} to more bytes"
                raise MalformedFileError(self.path, None, found, expected)
        return lines + (not tail.endswith(b"\n"))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _next_size(files: Sequence[_LineFile], done: int) -> int:
    """How many segments the next part has; 0 at the end, where all texts must have ended."""
    ready = [file.ready(PART_BYTES // len(files)) for file in files]
    count = min(ready)
    if count + done == 0 or (count < max(ready) and files[ready.index(count)].ended):
        _refuse_lengths(files, ready, done)
    return count


def _refuse_lengths(files: Sequence[_LineFile], ready: Sequence[int], done: int) -> None:
    """Refuse texts of which one ends before another; the message says how long they are."""
    for file, lines in zip(files, ready, strict=True):
        if lines:
            file.take(lines)  # what is no text at all is refused as such
    lengths = [
        done + lines + (0 if file.ended else file.rest())
        for file, lines in zip(files, ready, strict=True)
    ]
    for file, length in zip(files, lengths, strict=True):
        if length == 0:
            raise EmptyTextError(file.path)
    for file, length in zip(files, lengths, strict=True):
        if length != lengths[0]:
            raise UnpairedSegmentsError(file.path, length, files[0].path, lengths[0])
