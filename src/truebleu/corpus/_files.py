"""Files of text: where they are, what is known about a text in them, plain lines, compression.

A text is written PATH, NAME=PATH, PATH#COLUMN, or - for standard input.
"""

from __future__ import annotations

import os
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
    MissingExtraError,
    RefusedError,
    SettingError,
    UnpairedSegmentsError,
    UnreadableFileError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import BinaryIO

#: Written instead of a path to read standard input.
STANDARD_INPUT = "-"

COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zstd")
#: What each ending means; any other is plain text.
FORMAT_NAMES = {
    ".txt": "plain text, one segment per line; so is any other ending",
    ".tsv": "tab-separated table with a heading line: FILE#COLUMN",
    ".csv": "comma-separated table with a heading line: FILE#COLUMN",
    ".jsonl": "one JSON object per line: FILE#KEY",
    ".ndjson": "the same",
    ".json": "a JSON array of objects or of texts: FILE#KEY",
    ".parquet": "Parquet: FILE#COLUMN; needs truebleu[parquet]",
    ".sgm": "NIST SGML: FILE, or FILE#NAME",
    ".sgml": "the same",
    ".xml": "WMT XML: FILE, or FILE#NAME",
}
FORMATS = tuple(FORMAT_NAMES)


#: The first part of the archive that holds saved statistics.
STATISTICS = "truebleu-statistics"


class Location(NamedTuple):
    """A file, the column or translator in it, and a name for the text; None where left out."""

    path: str
    column: str | None = None
    name: str | None = None


def may_hold_statistics(path: str) -> bool:
    """Whether a file begins as saved statistics do: then it is worth reading as such.

    Only regular files are looked into: what comes through a pipe can be read only once.
    """
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            beginning = file.read(100)
    except OSError:  # reading it as a text will say what is wrong
        return False
    return begins_as_statistics(beginning)


def begins_as_statistics(data: bytes) -> bool:
    """Whether this is a zip archive whose first part is what statistics begin with."""
    # 30 bytes stand before the name of the first part.
    return data[:4] == b"PK\x03\x04" and data[30:].startswith(f"{STATISTICS}.npy".encode())


def parse_location(written: str | PathLike[str]) -> Location:
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
    return _without(_without(os.path.basename(path), COMPRESSED), (*FORMATS, ".npz"))


def _without(path: str, endings: tuple[str, ...]) -> str:
    root, ending = os.path.splitext(path)
    return root if ending.lower() in endings else path


def expand_paths(written: Iterable[str | PathLike[str]]) -> list[str | PathLike[str]]:
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
    # A report beside the outputs is none of them.
    names = sorted(os.listdir(folder))
    outputs = [name for name in names if not (name.startswith(".") or name.endswith(".html"))]
    paths = [os.path.join(folder, name) for name in outputs]
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


def require_files(systems: object, references: object) -> None:
    """Refuse anything but lists of files, of which there is a reference."""
    for setting, written in (("systems", systems), ("references", references)):
        if isinstance(written, str | PathLike) or not isinstance(written, Iterable):
            raise SettingError(setting, written, "a list of files")
    if not references:
        raise SettingError("references", references, "at least one file")


# What systems and references are called: short names, longer only where they would collide.


def distinct_names(texts: Sequence[NamedText], chosen: Sequence[str | None]) -> list[str]:
    """A name for each text: the chosen one, or as many folders of its path as tell it apart.

    So `a/x.txt` and `b/y.txt` are called `x` and `y`, but `a/out.txt` and `b/out.txt` are `a/out`
    and `b/out`. Where nothing tells them apart, two texts get one name.
    """
    ladders = [
        [name] if name else _name_candidates(text) for text, name in zip(texts, chosen, strict=True)
    ]
    steps = [0] * len(texts)
    while True:
        names = [ladder[step] for ladder, step in zip(ladders, steps, strict=True)]
        counts = Counter(names)
        climbing = [
            i for i, name in enumerate(names) if counts[name] > 1 and steps[i] + 1 < len(ladders[i])
        ]
        if not climbing:
            return names
        for i in climbing:
            steps[i] += 1


def refuse_duplicates(names: Sequence[str]) -> None:
    """Raises DuplicateSystemError where two names are the same."""
    name, count = Counter(names).most_common(1)[0] if names else ("", 0)
    if count > 1:
        raise DuplicateSystemError(name)


def _name_candidates(text: NamedText) -> list[str]:
    """Ever longer names of a text, from the shortest to all that is known of it."""
    folders = [part for part in text.path.replace("\\", "/").split("/")[:-1] if part]
    base = stem(text.path)
    inside = [] if text.name == base else [text.name]
    parts = [*folders, base, *inside]
    names = ["/".join(parts[-length:]) for length in range(1, len(parts) + 1)]
    return [*names, text.label]


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


def read_lines(path: str, data: bytes, *, is_beginning: bool = True) -> Lines:
    """Segments of a plain file or of a further part of one.

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


# Files as bytes: read piece by piece, and decompressed where their first bytes say so.


#: The environment's limit of what may be read of what has no size, in bytes.
LIMIT_VARIABLE = "TRUEBLEU_MAX_BYTES"
# Of a device: those that matter are empty, others have no end.
_DEVICE_BYTES = 1 << 20
# What is decompressed at a time: of zstd it becomes up to thirty thousand times as large.
_COMPRESSED_PIECE = 1 << 12


def decompressed_limit() -> int:
    """How large what has no size may become: a quarter of the memory, unless something is set."""
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
    """The error of what is larger than the limit."""
    expected = f"less; if it is not a trap, set {LIMIT_VARIABLE} to more bytes"
    return MalformedFileError(path, line, found, expected)


def refuse_large(path: str, size: int) -> None:
    """Refuse part of an archive that says that it is larger than the limit."""
    if size > decompressed_limit():
        raise too_large(path, None, f"{size:,} bytes in one part of the archive")


class OpenedFile:
    """A file, standard input or bytes, read piece by piece and decompressed where it must be.

    Args:
        path: where it is, or what messages call it.
        file: what is read in place of the path.
    """

    #: Bytes of a piece, about.
    PIECE = 1 << 20

    def __init__(self, path: str, file: BinaryIO | None = None) -> None:
        from io import BufferedReader

        self.path = path
        file = _opened(path) if file is None else file
        mode = self._size = 0
        with suppress(AttributeError, OSError):  # it is in memory
            state = os.fstat(file.fileno())
            mode, self._size = state.st_mode, state.st_size
        self._device = stat.S_ISCHR(mode) and not file.isatty()
        self._raw = BufferedReader(file)  # type: ignore[type-var]
        with _named_errors(path):
            beginning = self._raw.peek(16)[:16]
        self._kind = ""
        self._read: Callable[[int], bytes] = self._raw.read
        self._taken, self._is_closed = 0, False
        for magic, kind, start in _KINDS:
            if beginning.startswith(magic):
                self._kind, self._read = kind, _Inflated(self._raw, start).read

    @property
    def share_read(self) -> float | None:
        """From 0 to 1; None where the size is unknown."""
        if self._is_closed:
            return 1.0
        return self._raw.tell() / self._size if self._size else None

    def read(self) -> bytes:
        """The next piece; nothing at the end."""
        with _named_errors(self.path):
            try:
                piece = self._read(self.PIECE)
            except (MemoryError, MissingExtraError):
                raise
            # Each library of compression has errors of its own.
            except Exception as error:
                if not self._kind:
                    raise
                found = f"{self._kind} data that is damaged or cut off ({error})"
                expected = f"complete {self._kind} data"
                raise MalformedFileError(self.path, None, found, expected) from error
        self._taken += len(piece)
        if self._device and self._taken > _DEVICE_BYTES:
            raise UnreadableFileError(self.path, "a device that has no end; expected a file")
        return piece

    def contents(self) -> bytes:
        """All of it; of what has no size, up to the limit."""
        limit, pieces = decompressed_limit(), []
        with _named_errors(self.path):
            while piece := self.read():
                if self._taken > limit and (self._kind or not self._size):
                    what = f"{self._kind} data of more" if self._kind else "more"
                    raise too_large(self.path, None, f"{what} than {limit:,} bytes")
                pieces.append(piece)
            return b"".join(pieces)

    def close(self) -> None:
        """Close it; standard input is left open."""
        if not self._is_closed:
            self._is_closed = True
            self._raw.detach() if self.path == STANDARD_INPUT else self._raw.close()


def _opened(path: str) -> BinaryIO:
    if path == STANDARD_INPUT:
        # Python has none if its parent process closed it.
        if sys.stdin is None:
            raise UnreadableFileError(STANDARD_INPUT, "standard input is closed")
        return sys.stdin.buffer
    register_input(path)
    if os.path.isdir(path):
        raise UnreadableFileError(path, "a directory; expected a file")
    with _named_errors(path):
        return open(path, "rb", buffering=0)  # the caller closes it


def decompress(path: str, data: bytes) -> bytes:
    """A file's contents; data that is not compressed comes back as it is."""
    from io import BytesIO

    return OpenedFile(path, BytesIO(data)).contents()


class Files:
    """Files and standard input, as bytes; standard input can be read once."""

    def __init__(self, stdin: BinaryIO | None = None) -> None:
        self._stdin = stdin
        self._stdin_was_read = False

    def opened(self, path: str) -> OpenedFile:
        """A file, to be read piece by piece."""
        if path != STANDARD_INPUT:
            return OpenedFile(path)
        if self._stdin_was_read:
            raise UnreadableFileError(STANDARD_INPUT, "standard input can be read only once")
        self._stdin_was_read = True
        return OpenedFile(path, self._stdin)

    def contents(self, path: str) -> bytes:
        """A file's uncompressed contents."""
        with closing(self.opened(path)) as file:
            return file.contents()


class _Inflated:
    """Decompresses a file piece by piece: all of its streams, one after the other.

    What follows the last one is a stream that is damaged, unless it is zeros, which are padding.
    """

    def __init__(self, file: BinaryIO, start: Callable[[], Any]) -> None:
        self._file, self._start = file, start
        self._stream: Any = None
        self._rest = b""

    def read(self, size: int) -> bytes:
        """So many bytes or some more; less at the end."""
        parts: list[bytes] = []
        length = 0
        while length < size:
            # Bzip2 and xz keep what they have not decompressed yet.
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
                self._stream = self._start()
            # No more than was asked for: what is well compressed is not copied again and again.
            limit = () if self._start is _zstd else (size,)
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


def _gzip() -> Any:
    import zlib

    return zlib.decompressobj(wbits=31)


def _bzip2() -> Any:
    from bz2 import BZ2Decompressor

    return BZ2Decompressor()


def _xz() -> Any:
    from lzma import FORMAT_XZ, LZMADecompressor

    return LZMADecompressor(FORMAT_XZ)


def _zstd() -> Any:
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        try:
            import zstandard
        except ImportError:
            raise MissingExtraError("reading zstd files", "zstd") from None
        return zstandard.ZstdDecompressor().decompressobj()
    return zstd.ZstdDecompressor()


# How the kinds begin, and what decompresses one stream of each.
_KINDS: tuple[tuple[bytes | tuple[bytes, ...], str, Callable[[], Any]], ...] = (
    (b"\x1f\x8b", "gzip", _gzip),
    # With the size of its blocks and how the first begins, or the end: text may begin with BZh9.
    (
        tuple(
            b"BZh%d" % size + block
            for size in range(1, 10)
            for block in (b"1AY&SY", b"\x17rE8P\x90")
        ),
        "bzip2",
        _bzip2,
    ),
    (b"\xfd7zXZ\x00", "xz", _xz),
    (b"\x28\xb5\x2f\xfd", "zstd", _zstd),
)


#: Bytes that the texts of a part have together, or some more.
PART_BYTES = 1 << 25


class LineFile:
    """The lines of a file, some at a time."""

    def __init__(self, path: str, files: Files) -> None:
        self.path, self.ended = path, False
        self._file = files.opened(path)
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
                raise too_large(self.path, self._taken + 1, f"a line of more than {limit:,} bytes")
        return self._lines

    def take(self, lines: int) -> NamedText:
        """The first lines of those that are ready."""
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
        """How many lines there are beyond those that are ready; of a pipe, up to a limit."""
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
    """How many segments the next part has; 0 at the end, where all texts must have ended."""
    ready = [file.ready(PART_BYTES // len(files)) for file in files]
    count = min(ready)
    if count + done == 0 or (count < max(ready) and files[ready.index(count)].ended):
        _refuse_lengths(files, ready, done)
    return count


def _refuse_lengths(files: Sequence[LineFile], ready: Sequence[int], done: int) -> None:
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


#: The files that a command has read, and those that it is going to replace; None where nobody keeps
#: count.
_inputs: set[object] | None = None
_outputs: set[object] = set()


@contextmanager
def remembered_inputs() -> Iterator[None]:
    """Keep count of the files that are read in here: no output may take the place of one.

    Only the command line does: a program may overwrite what it has read.
    """
    global _inputs
    _inputs = set()
    _outputs.clear()
    try:
        yield
    finally:
        _inputs = None


def _identity(path: str | PathLike[str]) -> object:
    """What tells a file from others under whatever name: its number, or where it would be."""
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return os.path.abspath(path)
    return state.st_dev, state.st_ino


def register_input(path: str | PathLike[str]) -> None:
    """Say that a file is read; before any work, where an output would take its place."""
    if _inputs is not None:
        _refuse_loss(path, _outputs)
        _inputs.add(_identity(path))


def _register_output(path: str | PathLike[str]) -> None:
    """Say that a file is going to be written: it is refused as an input from now on."""
    if _inputs is not None:
        _refuse_loss(path, _inputs)
        _outputs.add(_identity(path))


def _refuse_loss(path: str | PathLike[str], others: set[object]) -> None:
    if _identity(path) in others:
        expected = "another file: this one is an input, which would be lost"
        raise SettingError("file", os.fspath(path), expected)


@contextmanager
def _named_errors(path: str) -> Iterator[None]:
    """Errors of a file as ours, with its name."""
    try:
        yield
    except MemoryError:
        raise UnreadableFileError(path, "out of memory: it is too large to be read") from None
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
    """Write files into a folder, which is made if need be: all of them or none.

    Args:
        folder: where the files go.
        contents: the parts of each file by its name.
        overwrite: whether files that exist may be replaced.

    Returns:
        The files, in their order.
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
    """Raise an error where there is something that may not be replaced.

    Folders and devices never may: a file put in the place of /dev/null would be a surprise.
    """
    for path in paths:
        if "\0" in str(path):
            raise UnreadableFileError(str(path), "cannot be written: no name has a NUL byte")
        if path.exists() and not path.is_file():
            raise UnreadableFileError(str(path), "cannot be written: not a regular file")
        _register_output(path)
        if path.exists() and not overwrite:
            raise RefusedError(f"{path} exists; use --force (in Python, overwrite=True)")


def _write_all(folder: Path, contents: Mapping[str, Iterable[bytes]]) -> None:
    # Files take their names when all are complete, so that a full disk leaves none half written.
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(dir=folder, prefix=".partial-") as partial:
        for name, parts in contents.items():
            with (Path(partial) / name).open("wb") as file:
                file.writelines(parts)
        for name in contents:
            (Path(partial) / name).replace(folder / name)
