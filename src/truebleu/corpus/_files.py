"""Files of text: where they are, what is known about a text in them, plain lines, compression.

A text is written PATH, NAME=PATH, PATH#COLUMN, or - for standard input.
"""

from __future__ import annotations

import os
import sys
from os import PathLike
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

from truebleu._core import Segments
from truebleu.errors import (
    EmptyTextError,
    EncodingError,
    MalformedFileError,
    MissingColumnError,
    MissingExtraError,
    SettingError,
    UnreadableFileError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import BinaryIO

#: Written instead of a path to read standard input.
STANDARD_INPUT = "-"

COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zstd")
FORMATS = (
    ".txt",
    ".tsv",
    ".csv",
    ".jsonl",
    ".ndjson",
    ".json",
    ".parquet",
    ".sgm",
    ".sgml",
    ".xml",
)


class Location(NamedTuple):
    """A file, the column or translator in it, and a name for the text; None where left out."""

    path: str
    column: str | None = None
    name: str | None = None


def locate(written: str | PathLike[str]) -> Location:
    """Takes apart what a user wrote; a path object is a path and nothing else.

    File names may contain = and #, so what exists decides: the longest text that is a file wins.
    """
    if isinstance(written, PathLike):
        return Location(str(written))
    if not isinstance(written, str) or not written:
        raise SettingError("file", written, "the name of a file")
    existing = _existing(written)
    if existing is not None:
        return existing
    name, equals, rest = written.partition("=")
    if equals and name and rest:
        return (_existing(rest) or _assumed(rest))._replace(name=name)
    if equals and not name:
        raise SettingError("file", written, "a name before the =, as in NAME=FILE")
    return _assumed(written)


def _existing(written: str) -> Location | None:
    if written == STANDARD_INPUT or os.path.exists(written):
        return Location(written)
    end = written.rfind("#")
    while end > 0:
        if os.path.exists(written[:end]):
            return Location(written[:end], written[end + 1 :])
        end = written.rfind("#", 0, end)
    return None


def _assumed(written: str) -> Location:
    path, hash_sign, column = written.rpartition("#")
    return Location(path, column) if hash_sign and path else Location(written)


def extension(path: str) -> str:
    """The ending that tells the format, in lower case: `.tsv` for `a.TSV.gz`."""
    return os.path.splitext(_without(path, COMPRESSED))[1].lower()


def stem(path: str) -> str:
    """The file's name without its folder and without endings that only tell how it is stored."""
    if path == STANDARD_INPUT:
        return "stdin"
    return _without(_without(os.path.basename(path), COMPRESSED), FORMATS)


def _without(path: str, endings: tuple[str, ...]) -> str:
    root, ending = os.path.splitext(path)
    return root if ending.lower() in endings else path


def expanded(written: Iterable[str | PathLike[str]]) -> list[str | PathLike[str]]:
    """Each folder as the files in it, each pattern as the files that match it, in order of name."""
    files: list[str | PathLike[str]] = []
    for text in written:
        if isinstance(text, str | PathLike) and os.path.isdir(text):
            files += _files_of_folder(os.fspath(text))
        elif isinstance(text, str) and any(sign in text for sign in "*?["):
            files += _files_of_pattern(text) or [text]
        else:
            files.append(text)
    return files


def _files_of_folder(folder: str) -> list[str]:
    names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    paths = [os.path.join(folder, name) for name in names]
    files = [path for path in paths if os.path.isfile(path)]
    if not files:
        raise EmptyTextError(folder)
    return files


def _files_of_pattern(pattern: str) -> list[str]:
    if os.path.exists(pattern):
        return [pattern]
    from glob import glob

    return sorted(path for path in glob(pattern) if os.path.isfile(path))


# One text as it comes out of a file: its segments and what the file says about them. These are
# named tuples because a dataclass takes several times as long to make, at every cold start.

#: What a text is in a test set.
Role: TypeAlias = Literal["system", "reference", "source"]

#: A segment's place where files name it: the id of its document, and its id there.
Key: TypeAlias = tuple[str, str]

#: Columns that say which document or domain a segment is from; the first that exists counts.
DOCUMENT_COLUMNS = ("doc", "document", "document_id")
DOMAIN_COLUMNS = ("domain",)
LABEL_COLUMNS = (*DOCUMENT_COLUMNS, *DOMAIN_COLUMNS)
#: Columns that name a segment, so that files in different order pair; the first that exists counts.
ID_COLUMNS = ("id", "segment_id", "seg_id", "custom_id")
#: The column that makes a table a long one: a row for each system and segment.
SYSTEM_COLUMN = "system"


class Layout(NamedTuple):
    """What a file says about its segments, one item for each; None where it is silent."""

    documents: tuple[str, ...] | None = None
    domains: tuple[str, ...] | None = None
    keys: tuple[Key, ...] | None = None


class NamedText(NamedTuple):
    """A text, what it is called and where it is from.

    Attributes:
        label: What messages call it: the file, and the column if there are several.
        path: The file.
        name: The default name of the system or reference.
        segments: The text itself.
        layout: Documents, domains and keys.
        carriage_returns: Line ends of the file that were written as CR LF.
        byte_order_mark: Whether the file began with one.
        should_have_keys: Whether its format usually names segments: JSON, whose order means little.
    """

    label: str
    path: str
    name: str
    segments: Segments
    layout: Layout = Layout()
    carriage_returns: int = 0
    byte_order_mark: bool = False
    should_have_keys: bool = False


class Contents(Protocol):
    """A file that was read and parsed, ready to hand over its texts."""

    def select(self, role: Role, name: str | None) -> Sequence[NamedText]:
        """The text of that name, or, where the format holds several, all texts of the role."""


# Plain text, one segment per line, and the checks that all text formats share.


BYTE_ORDER_MARK = "\ufeff"


class Lines:
    """A file of plain lines: a single text."""

    def __init__(self, path: str, segments: Segments) -> None:
        self.path = path
        self.segments = segments

    def select(self, role: Role, name: str | None) -> list[NamedText]:  # noqa: ARG002
        """The text; there is no other to choose."""
        if name is not None:
            raise MissingColumnError(self.path, "column", name, ())
        segments = self.segments
        return [
            NamedText(
                label=self.path,
                path=self.path,
                name=stem(self.path),
                segments=segments,
                carriage_returns=segments.carriage_returns,
                byte_order_mark=segments.byte_order_mark,
            )
        ]


def read_lines(path: str, data: bytes) -> Lines:
    """Segments of a plain file; a segment ends at a line feed and nowhere else."""
    refuse_nul(path, data)
    try:
        segments = Segments.from_lines(data)
    except UnicodeDecodeError as error:
        raise _encoding_error(path, data, error) from None
    if not len(segments):
        raise EmptyTextError(path)
    return Lines(path, segments)


def decode(path: str, data: bytes) -> str:
    """A whole file as text, a byte-order mark included; an error says where it is not UTF-8."""
    refuse_nul(path, data)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _encoding_error(path, data, error) from None


def refuse_nul(path: str, data: bytes) -> None:
    """Raises MalformedFileError where a byte is 0: no text has one, but every UTF-16 file does."""
    offset = data.find(b"\0")
    if offset >= 0:
        line = data.count(b"\n", 0, offset) + 1
        expected = "text in UTF-8; is this UTF-16 or a binary file?"
        raise MalformedFileError(path, line, "a NUL byte", expected)


def _encoding_error(path: str, data: bytes, error: UnicodeDecodeError) -> EncodingError:
    line = data.count(b"\n", 0, error.start) + 1
    byte = error.start - data.rfind(b"\n", 0, error.start)
    return EncodingError(path, line, byte, data[error.start : error.end])


# Compressed files, known by their first bytes and not by their name.


def decompress(path: str, data: bytes) -> bytes:
    """The file's contents; data that is not compressed comes back as it is."""
    for magic, kind, inflate in _KINDS:
        if data.startswith(magic):
            return _inflated(path, data, kind, inflate)
    return data


def _inflated(path: str, data: bytes, kind: str, inflate: Callable[[bytes], bytes]) -> bytes:
    try:
        return inflate(data)
    except MissingExtraError:
        raise
    # Each library has errors of its own, and none may be imported before it is needed.
    except Exception as error:
        found = f"{kind} data that is damaged or cut off ({error})"
        raise MalformedFileError(path, None, found, f"complete {kind} data") from error


def _gzip(data: bytes) -> bytes:
    import gzip

    return gzip.decompress(data)


def _bzip2(data: bytes) -> bytes:
    import bz2

    return bz2.decompress(data)


def _xz(data: bytes) -> bytes:
    import lzma

    return lzma.decompress(data)


def _zstd(data: bytes) -> bytes:
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return _zstd_of_extra(data)
    whole: bytes = zstd.decompress(data)
    return whole


def _zstd_of_extra(data: bytes) -> bytes:
    try:
        import zstandard
    except ImportError:
        raise MissingExtraError("reading zstd files", "zstd") from None
    parts: list[bytes] = []
    while data:
        frame = zstandard.ZstdDecompressor().decompressobj()
        parts.append(frame.decompress(data))
        if not frame.eof:
            raise ValueError("the last frame does not end")
        data = frame.unused_data
    return b"".join(parts)


_KINDS: tuple[tuple[bytes | tuple[bytes, ...], str, Callable[[bytes], bytes]], ...] = (
    (b"\x1f\x8b", "gzip", _gzip),
    # With the size of its blocks: text may begin with BZh.
    (tuple(b"BZh%d" % size for size in range(1, 10)), "bzip2", _bzip2),
    (b"\xfd7zXZ\x00", "xz", _xz),
    (b"\x28\xb5\x2f\xfd", "zstd", _zstd),
)


class Files:
    """Files and standard input, as bytes; standard input can be read once."""

    def __init__(self, stdin: BinaryIO | None = None) -> None:
        self._stdin = stdin
        self._stdin_was_read = False

    def contents(self, path: str) -> bytes:
        """A file's uncompressed contents."""
        if path == STANDARD_INPUT:
            return decompress(path, self._standard_input())
        return decompress(path, _read(path))

    def _standard_input(self) -> bytes:
        if self._stdin_was_read:
            raise UnreadableFileError(STANDARD_INPUT, "standard input can be read only once")
        self._stdin_was_read = True
        # Python has none where whoever started it closed it.
        if self._stdin is None and sys.stdin is None:
            raise UnreadableFileError(STANDARD_INPUT, "standard input is closed")
        return (self._stdin or sys.stdin.buffer).read()


def _read(path: str) -> bytes:
    if os.path.isdir(path):
        raise UnreadableFileError(path, "found a directory, expected a file")
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise UnreadableFileError(path, "no such file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableFileError(path, f"cannot be read ({reason})") from None
