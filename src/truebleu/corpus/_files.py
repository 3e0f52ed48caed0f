"""Text files: locations, names of texts, plain lines, compression, and safe writing.

The location of a text is PATH, NAME=PATH, PATH#COLUMN, or - for standard input.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import closing, contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

from truebleu._core import Segments, line_ends
from truebleu.errors import (
    DuplicateSystemError,
    EmptyTextError,
    EncodingError,
    MalformedFileError,
    MissingColumnError,
    RefusedError,
    SettingError,
    UnpairedSegmentsError,
    UnreadableFileError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import BinaryIO

#: Path that stands for standard input.
STANDARD_INPUT = "-"

COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zstd")
#: Meaning of each file extension; any other is plain text.
FORMAT_NAMES = {
    ".txt": "plain text, one segment per line; also any other extension",
    ".tsv": "tab-separated table with a heading line: FILE#COLUMN",
    ".csv": "comma-separated table with a heading line: FILE#COLUMN",
    ".jsonl": "one JSON object per line: FILE#KEY",
    ".ndjson": "as .jsonl",
    ".json": "a JSON array of objects or of texts: FILE#KEY",
    ".parquet": "Parquet: FILE#COLUMN; needs pyarrow",
    ".sgm": "NIST SGML: FILE, or FILE#NAME",
    ".sgml": "as .sgm",
    ".xml": "WMT XML: FILE, or FILE#NAME",
}
FORMATS = tuple(FORMAT_NAMES)


#: Name of the first entry in an archive of saved statistics.
STATISTICS = "truebleu-statistics"


class Location(NamedTuple):
    """A file, the column or translator in it, and a name for the text; both may be None."""

    path: str
    column: str | None = None
    name: str | None = None


def may_hold_statistics(path: str) -> bool:
    """Return whether a file begins like saved statistics.

    Only regular files are opened, because a pipe can be read only once.
    """
    # Reading the file as text reports errors.
    with suppress(OSError):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return begins_as_statistics(file.read(100))
    return False


def begins_as_statistics(data: bytes) -> bool:
    """Return whether `data` begins a zip archive whose first entry is the marker of statistics."""
    # The name of the first entry starts at byte 30.
    return data[:4] == b"PK\x03\x04" and data[30:].startswith(f"{STATISTICS}.npy".encode())


def parse_location(argument: str | PathLike[str]) -> Location:
    """Split an argument into name, path and column; a path object is only a path.

    File names may contain = and #, so the longest part that is an existing file is the path.
    """
    if isinstance(argument, PathLike):
        return Location(str(argument))
    if not isinstance(argument, str) or not argument:
        raise SettingError("file", argument, "the name of a file")
    existing = _existing(argument)
    if existing is not None:
        return existing
    name, equals, location = argument.partition("=")
    if equals and not name:
        raise SettingError("file", argument, "a name before the =, as in NAME=FILE")
    if equals and location:
        return (_existing(location) or _split_column(location))._replace(name=name)
    return _split_column(argument)


def _existing(argument: str) -> Location | None:
    if argument == STANDARD_INPUT or os.path.exists(argument):
        return Location(argument)
    ends = [end for end, sign in enumerate(argument) if sign == "#" and end]
    paths = (Location(argument[:end], argument[end + 1 :]) for end in reversed(ends))
    return next((location for location in paths if os.path.exists(location.path)), None)


def _split_column(argument: str) -> Location:
    path, hash_sign, column = argument.rpartition("#")
    return Location(path, column) if hash_sign and path else Location(argument)


def extension(path: str) -> str:
    """Return the extension that decides the format, in lower case: `.tsv` for `a.TSV.gz`."""
    return os.path.splitext(_without(path, COMPRESSED))[1].lower()


def stem(path: str) -> str:
    """Return the file's name without its folder and the extensions of formats and compression."""
    if path == STANDARD_INPUT:
        return "stdin"
    return _without(_without(os.path.basename(path), COMPRESSED), (*FORMATS, ".npz"))


def _without(path: str, endings: tuple[str, ...]) -> str:
    root, ending = os.path.splitext(path)
    return root if ending.lower() in endings else path


def expand_paths(arguments: Iterable[str | PathLike[str]]) -> list[str | PathLike[str]]:
    """Expand folders and patterns to the files in them, sorted by name."""
    files: list[str | PathLike[str]] = []
    for path in arguments:
        if isinstance(path, str | PathLike) and os.path.isdir(path):
            # HTML files are reports, not outputs.
            names = [n for n in sorted(os.listdir(path)) if not n.startswith(".")]
            paths = [os.path.join(path, name) for name in names if not name.endswith(".html")]
            found = [name for name in paths if os.path.isfile(name)]
            if not found:
                raise EmptyTextError(os.fspath(path))
            files += found
        elif isinstance(path, str) and any(sign in path for sign in "*?["):
            from glob import glob

            found = [] if os.path.exists(path) else sorted(filter(os.path.isfile, glob(path)))
            files += found or [path]
        else:
            files.append(path)
    return files


# One text of a file: its segments and their labels. These are named tuples because creating a
# dataclass takes several times as long, at every cold start.

#: Role of a text in a test set.
Role: TypeAlias = Literal["system", "reference", "source"]

#: Key of a segment: the id of its document, and its id in the document.
Key: TypeAlias = tuple[str, str]


def find_other_spelling(keys: Iterable[Key], known: Iterable[Key]) -> tuple[Key, Key] | None:
    """Find a key that is spelled differently among `known`; return both, or None.

    Spellings differ by case, white space or leading zeros.

    >>> find_other_spelling([("", "A07")], [("", "a7"), ("", "a8")])
    (('', 'A07'), ('', 'a7'))
    """
    keys, known = dict.fromkeys(keys), set(known)
    if known >= keys.keys():
        return None

    def normalize(key: Key) -> list[str]:
        parts = ("".join(part.split()).casefold() for part in key)
        return [re.sub(r"(?<!\d)0+(?=\d)", "", part) for part in parts]

    other = {repr(normalize(key)): key for key in known - keys.keys()}
    pairs = ((key, other.get(repr(normalize(key)))) for key in keys if key not in known)
    return next(((key, twin) for key, twin in pairs if twin is not None), None)


class Layout(NamedTuple):
    """Labels of a file's segments, one per segment; None if the file has none of this kind."""

    documents: tuple[str, ...] | None = None
    domains: tuple[str, ...] | None = None
    keys: tuple[Key, ...] | None = None


class NamedText(NamedTuple):
    """A text, its names and its origin.

    Attributes:
        label: name in messages: the file, and the column if there are several.
        path: path of the file.
        name: default name of the system or reference.
        segments: segments of the text.
        layout: documents, domains and keys of the segments.
        carriage_returns: number of the file's line ends that are CR LF.
        byte_order_mark: True if the file begins with a byte-order mark.
        should_have_keys: True if the format usually names segments, as JSON, whose order means
            little.
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
    """A parsed file with one or more texts."""

    def select(self, role: Role, name: str | None) -> Sequence[NamedText]:
        """Return the text called `name`; if `name` is None, all texts of the role."""


def require_files(systems: object, references: object) -> None:
    """Check that both are lists of files and there is a reference; raises SettingError."""
    for setting, files in (("systems", systems), ("references", references)):
        if isinstance(files, str | PathLike) or not isinstance(files, Iterable):
            raise SettingError(setting, files, "a list of files")
    if not references:
        raise SettingError("references", references, "at least one file")


# Names of systems and references: as short as possible without collisions.


def distinct_names(texts: Sequence[NamedText], chosen: Sequence[str | None]) -> list[str]:
    """Return the chosen name of each text, or else the shortest name that is unique.

    So `a/x.txt` and `b/y.txt` are called `x` and `y`, but `a/out.txt` and `b/out.txt` are `a/out`
    and `b/out`. Two texts get the same name if no folder distinguishes them.
    """
    candidates = [
        [name] if name else _name_candidates(text) for text, name in zip(texts, chosen, strict=True)
    ]
    while True:
        counts = Counter(names[0] for names in candidates)
        ambiguous = [names for names in candidates if counts[names[0]] > 1 and len(names) > 1]
        if not ambiguous:
            return [names[0] for names in candidates]
        for names in ambiguous:
            del names[0]


def refuse_duplicates(names: Sequence[str]) -> None:
    """Raise DuplicateSystemError if two names are equal."""
    name, count = Counter(names).most_common(1)[0] if names else ("", 0)
    if count > 1:
        raise DuplicateSystemError(name)


def _name_candidates(text: NamedText) -> list[str]:
    """Return names of a text from the shortest to the longest, its label."""
    folders = [part for part in text.path.replace("\\", "/").split("/")[:-1] if part]
    base = stem(text.path)
    parts = [*folders, base] if text.name == base else [*folders, base, text.name]
    return ["/".join(parts[start:]) for start in range(len(parts) - 1, -1, -1)] + [text.label]


# Plain text, one segment per line, and the checks that all text formats share.


BYTE_ORDER_MARK = "\ufeff"


class Lines:
    """A file of plain lines, which is a single text."""

    def __init__(self, path: str, segments: Segments) -> None:
        self.path = path
        self.segments = segments

    def select(self, role: Role, name: str | None) -> list[NamedText]:  # noqa: ARG002
        """Return the only text; raises MissingColumnError if `name` is given."""
        if name is not None:
            raise MissingColumnError(self.path, "column", name, ())
        marks = self.segments.carriage_returns, self.segments.byte_order_mark
        return [NamedText(self.path, self.path, stem(self.path), self.segments, Layout(), *marks)]


def read_lines(path: str, data: bytes, *, is_beginning: bool = True) -> Lines:
    """Read segments from the bytes of a plain file, or of a later part of it.

    A segment ends at a line feed and nowhere else.
    """
    refuse_nul(path, data)
    try:
        segments = Segments.from_lines(data, is_beginning=is_beginning)
    except UnicodeDecodeError as error:
        raise _encoding_error(path, data, error) from None
    if not len(segments):
        raise EmptyTextError(path)
    return Lines(path, segments)


def decode(path: str, data: bytes) -> str:
    """Decode a whole file, including a byte-order mark; raises EncodingError unless it is UTF-8."""
    refuse_nul(path, data)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _encoding_error(path, data, error) from None


def refuse_nul(path: str, data: bytes) -> None:
    """Raise MalformedFileError if a byte is 0, as in UTF-16 and binary files."""
    offset = data.find(b"\0")
    if offset >= 0:
        line = data.count(b"\n", 0, offset) + 1
        expected = "text in UTF-8; is this UTF-16 or a binary file?"
        raise MalformedFileError(path, line, "a NUL byte", expected)


def _encoding_error(path: str, data: bytes, error: UnicodeDecodeError) -> EncodingError:
    line = data.count(b"\n", 0, error.start) + 1
    byte = error.start - data.rfind(b"\n", 0, error.start)
    return EncodingError(path, line, byte, data[error.start : error.end])


# Files as bytes: read piece by piece, and decompressed if their first bytes are a known magic.


#: Environment variable with the most bytes to read from streams and compressed files.
LIMIT_VARIABLE = "TRUEBLEU_MAX_BYTES"
# Most bytes to read from a device: /dev/null is empty, others are endless.
_DEVICE_BYTES = 1 << 20
# Compressed bytes to process at a time; zstd may expand them thirty-thousandfold.
_COMPRESSED_PIECE = 1 << 12


def decompressed_limit() -> int:
    """Return the most bytes to read from streams: TRUEBLEU_MAX_BYTES or a quarter of memory."""
    text = os.environ.get(LIMIT_VARIABLE)
    if text:
        if not (text.isascii() and text.isdigit() and len(text) <= 18):
            raise SettingError(LIMIT_VARIABLE, text, "a whole number of bytes, such as 8000000000")
        return int(text)
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
    except (AttributeError, ValueError, OSError):
        return 1 << 32


def too_large(path: str, line: int | None, found: str) -> MalformedFileError:
    """Return the error for data that exceed the limit."""
    limit = decompressed_limit()
    expected = f"at most {limit:,} bytes; if you trust the file, raise {LIMIT_VARIABLE}"
    return MalformedFileError(path, line, found, expected)


def refuse_large(path: str, size: int) -> None:
    """Raise MalformedFileError if an archive's entry of `size` bytes exceeds the limit."""
    if size > decompressed_limit():
        raise too_large(path, None, f"an archive entry of {size:,} bytes")


class OpenedFile:
    """A file, standard input or bytes, read piece by piece and decompressed if necessary.

    Args:
        path: path of the file, or its name in messages if `file` is given.
        file: open binary file to read instead of the path.
    """

    #: Approximate size of a piece, in bytes.
    PIECE = 1 << 20

    def __init__(self, path: str, file: BinaryIO | None = None) -> None:
        from io import BufferedReader

        self.path = path
        file = _open(path) if file is None else file
        mode = self._size = 0
        with suppress(AttributeError, OSError):  # files in memory have no descriptor
            state = os.fstat(file.fileno())
            mode, self._size = state.st_mode, state.st_size
        self._device = stat.S_ISCHR(mode) and not file.isatty()
        self._raw = BufferedReader(file)  # type: ignore[type-var]
        with _converted_errors(path):
            beginning = self._raw.peek(16)[:16]
        self._kind = ""
        self._read: Callable[[int], bytes] = self._raw.read
        self._taken, self._is_closed = 0, False
        for kind, magic in _MAGIC.items():
            if beginning.startswith(magic):
                self._kind, self._read = kind, _Decompressor(self._raw, kind).read

    @property
    def share_read(self) -> float | None:
        """Share of the file read so far, from 0 to 1; None if its size is unknown."""
        if self._is_closed:
            return 1.0
        return self._raw.tell() / self._size if self._size else None

    def read(self) -> bytes:
        """Read the next piece; b"" at the end."""
        with _converted_errors(self.path):
            try:
                piece = self._read(self.PIECE)
            except MemoryError:
                raise
            # Every compression library raises its own exceptions.
            except Exception as error:
                if not self._kind:
                    raise
                found = f"damaged or truncated {self._kind} data ({error})"
                expected = f"complete {self._kind} data"
                raise MalformedFileError(self.path, None, found, expected) from error
        self._taken += len(piece)
        if self._device and self._taken > _DEVICE_BYTES:
            raise UnreadableFileError(self.path, "an endless device; expected a file")
        # Parts are forgotten: the default limit, a share of the memory, is for whole files.
        if os.environ.get(LIMIT_VARIABLE):
            self._refuse_excess()
        return piece

    def contents(self) -> bytes:
        """Read the whole file; raises MalformedFileError if a stream exceeds the limit."""
        pieces = []
        with _converted_errors(self.path):
            while piece := self.read():
                self._refuse_excess()
                pieces.append(piece)
            return b"".join(pieces)

    def _refuse_excess(self) -> None:
        """Raise MalformedFileError if a stream without a size exceeds the limit."""
        limit = decompressed_limit()
        if self._taken > limit and (self._kind or not self._size):
            noun = f"{self._kind} data of more" if self._kind else "more"
            raise too_large(self.path, None, f"{noun} than {limit:,} bytes")

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if not self._is_closed:
            self._is_closed = True
            self._raw.detach() if self.path == STANDARD_INPUT else self._raw.close()


def _open(path: str) -> BinaryIO:
    if path == STANDARD_INPUT:
        # sys.stdin is None if the parent process closed it.
        if sys.stdin is None:
            raise UnreadableFileError(STANDARD_INPUT, "standard input is closed")
        return sys.stdin.buffer
    register_input(path)
    if os.path.isdir(path):
        raise UnreadableFileError(path, "a directory; expected a file")
    with _converted_errors(path):
        return open(path, "rb", buffering=0)  # the caller closes it


def decompress(path: str, data: bytes) -> bytes:
    """Decompress a file's contents; returns uncompressed data unchanged."""
    from io import BytesIO

    return OpenedFile(path, BytesIO(data)).contents()


class Files:
    """A reader of files and standard input as bytes; standard input can be read once."""

    def __init__(self, stdin: BinaryIO | None = None) -> None:
        self._stdin = stdin
        self._stdin_was_read = False

    def opened(self, path: str) -> OpenedFile:
        """Open a file for reading piece by piece."""
        if path != STANDARD_INPUT:
            return OpenedFile(path)
        if self._stdin_was_read:
            raise UnreadableFileError(STANDARD_INPUT, "standard input can be read only once")
        self._stdin_was_read = True
        return OpenedFile(path, self._stdin)

    def contents(self, path: str) -> bytes:
        """Read a file's decompressed contents."""
        with closing(self.opened(path)) as file:
            return file.contents()


class _Decompressor:
    """A decompressor of a file's concatenated streams, piece by piece.

    Zeros after the last stream are padding; other bytes there are a damaged stream.
    """

    def __init__(self, file: BinaryIO, kind: str) -> None:
        self._file, self._kind = file, kind
        self._stream: Any = None
        self._rest = b""

    def read(self, size: int) -> bytes:
        """Decompress at least `size` bytes, or fewer at the end."""
        parts: list[bytes] = []
        length = 0
        while length < size:
            # Bzip2 and xz buffer the input that they have not decompressed yet.
            data = b""
            if self._stream is None or getattr(self._stream, "needs_input", True):
                data = self._rest or self._file.read(_COMPRESSED_PIECE)
            self._rest = b""
            if self._stream is None:
                if not data:
                    break
                data = data.lstrip(b"\0")
                if not data:
                    continue
                self._stream = _decompressor(self._kind)
            # The limit avoids copying highly compressed data again and again.
            limit = () if self._kind == "zstd" else (size,)
            part = self._stream.decompress(data, *limit)
            self._rest = getattr(self._stream, "unconsumed_tail", b"")
            if not data and not part and not self._stream.eof:
                raise EOFError("the last stream does not end")
            parts.append(part)
            length += len(part)
            if self._stream.eof:
                self._rest = self._stream.unused_data
                self._stream = None
        return b"".join(parts)


def _decompressor(kind: str) -> Any:
    """Return a decompressor of one stream; modules are imported if needed."""
    if kind == "gzip":
        import zlib

        return zlib.decompressobj(wbits=31)
    if kind == "bzip2":
        from bz2 import BZ2Decompressor

        return BZ2Decompressor()
    if kind == "xz":
        from lzma import FORMAT_XZ, LZMADecompressor

        return LZMADecompressor(FORMAT_XZ)
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        import zstandard

        return zstandard.ZstdDecompressor().decompressobj()
    return zstd.ZstdDecompressor()


# Magic bytes of each format. Magic bytes of bzip2 include the block size and the magic of a block
# or of the end, because text may begin with BZh9.
_BZIP2 = [b"BZh%d" % n + block for n in range(1, 10) for block in (b"1AY&SY", b"\x17rE8P\x90")]
_MAGIC: dict[str, tuple[bytes, ...]] = {
    "gzip": (b"\x1f\x8b",),
    "bzip2": tuple(_BZIP2),
    "xz": (b"\xfd7zXZ\x00",),
    "zstd": (b"\x28\xb5\x2f\xfd",),
}


#: Approximate size of a part of all texts, in bytes.
PART_BYTES = 1 << 25


class LineFile:
    """A file of lines, read part by part."""

    def __init__(self, path: str, files: Files) -> None:
        self.path, self.ended = path, False
        self._file = files.opened(path)
        self._pieces: list[bytes] = []
        self._size = self._lines = self._taken = 0

    @property
    def is_empty(self) -> bool:
        """True if all lines have been taken."""
        return self.ended and self._lines == 0

    @property
    def share_read(self) -> float | None:
        """Share of the file read so far, from 0 to 1; None if its size is unknown."""
        return self._file.share_read

    def ready(self, size: int) -> int:
        """Buffer at least `size` bytes and one line; return the number of buffered lines."""
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
                raise too_large(self.path, self._taken + 1, f"a line of more than {limit:,} bytes")
        return self._lines

    def take(self, lines: int) -> NamedText:
        """Remove the first `lines` lines from the buffer and return them as a text."""
        data, rest = b"".join(self._pieces), b""
        if not (self.ended and lines == self._lines):
            _, end = line_ends(data, lines)
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
        """Count the lines after the buffered ones; raises MalformedFileError for endless pipes."""
        lines, size, tail, limit = 0, 0, b"\n", decompressed_limit()
        while piece := self._file.read():
            lines += piece.count(b"\n")
            size += len(piece)
            tail = piece
            if self._file.share_read is None and size > limit:
                raise too_large(self.path, None, f"more than {limit:,} bytes")
        return lines + (not tail.endswith(b"\n"))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def next_size(files: Sequence[LineFile], done: int) -> int:
    """Return the number of segments in the next part; 0 if all texts have ended.

    Raises UnpairedSegmentsError if one text ends before another.
    """
    ready = [file.ready(PART_BYTES // len(files)) for file in files]
    count = min(ready)
    if count + done and (count == max(ready) or not files[ready.index(count)].ended):
        return count
    for file, lines in zip(files, ready, strict=True):
        if lines:
            file.take(lines)  # raises an error first if the file is not text
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
    return count


#: Keys of the files that a command has read, or None outside of a command; keys of its outputs.
_inputs: set[object] | None = None
_outputs: set[object] = set()


@contextmanager
def remembered_inputs() -> Iterator[None]:
    """Register the files read in this context, so that no output can overwrite one.

    Only the command line uses it: a program may overwrite its inputs.
    """
    global _inputs
    _inputs = set()
    _outputs.clear()
    try:
        yield
    finally:
        _inputs = None


def _file_key(path: str | PathLike[str]) -> object:
    """Return a key that is equal for all names of a file: its inode, or else its path."""
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return os.path.abspath(path)
    return state.st_dev, state.st_ino


def register_input(path: str | PathLike[str]) -> None:
    """Register an input file; raises SettingError if it is also an output."""
    if _inputs is not None:
        _inputs.add(_unused_key(path, _outputs))


def _unused_key(path: str | PathLike[str], others: set[object]) -> object:
    """Return the key of a file; raises SettingError if an input would be overwritten."""
    key = _file_key(path)
    if key in others:
        expected = "an output that is not an input, which would be lost"
        raise SettingError("file", os.fspath(path), expected)
    return key


@contextmanager
def _converted_errors(path: str) -> Iterator[None]:
    """Convert exceptions about a file to UnreadableFileError with its path."""
    try:
        yield
    except MemoryError:
        raise UnreadableFileError(path, "out of memory: the file is too large") from None
    except (UnreadableFileError, MalformedFileError, SettingError):
        raise
    except FileNotFoundError:
        raise UnreadableFileError(path, "no such file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableFileError(path, f"cannot be read ({reason})") from None


# Files written whole or not at all.


def write_files(
    folder: Path, contents: Mapping[str, Iterable[bytes]], *, overwrite: bool = False
) -> list[Path]:
    """Write files into a folder, all of them or none; creates the folder if necessary.

    Args:
        folder: folder for the files.
        contents: parts of each file by its name.
        overwrite: True to replace existing files.

    Returns:
        The paths of the files, in order of `contents`.
    """
    paths = [folder / name for name in contents]
    refuse_existing(paths, overwrite=overwrite)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write_all(folder, contents)
    except OSError as error:
        where = paths[0] if len(paths) == 1 else error.filename or folder
        raise UnreadableFileError(str(where), f"cannot be written: {error.strerror}") from error
    return paths


def refuse_existing(paths: Iterable[Path], *, overwrite: bool) -> None:
    """Raise RefusedError if a file exists, unless `overwrite` is set.

    Folders and devices are never replaced: overwriting /dev/null would be a surprise.
    """
    for path in paths:
        if "\0" in str(path):
            raise UnreadableFileError(str(path), "cannot be written: its name has a NUL byte")
        if path.exists() and not path.is_file():
            raise UnreadableFileError(str(path), "cannot be written: not a regular file")
        if _inputs is not None:
            _outputs.add(_unused_key(path, _inputs))
        if path.exists() and not overwrite:
            raise RefusedError(f"{path} exists; use --force (in Python, overwrite=True)")


def _write_all(folder: Path, contents: Mapping[str, Iterable[bytes]]) -> None:
    # Files get their names after all are complete, so that a full disk leaves no partial file.
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(dir=folder, prefix=".partial-") as partial:
        for name, parts in contents.items():
            with (Path(partial) / name).open("wb") as file:
                file.writelines(parts)
        for name in contents:
            (Path(partial) / name).replace(folder / name)
