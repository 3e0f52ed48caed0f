"""Compressed files, known by their first bytes and not by their name."""

from __future__ import annotations

import os.path
import sys
from typing import TYPE_CHECKING

from truebleu.corpus._lines import STANDARD_INPUT, extension, read_lines
from truebleu.errors import MalformedFileError, MissingExtraError, UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from truebleu.corpus._lines import Contents, Location, NamedText, Role
    from truebleu.corpus.tables import Table


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


# Formats by the ending of a file's name; whatever has none of them is plain lines.


# Each format's module is imported only when a file needs it: a run on plain lines starts faster.


def parse(path: str, data: bytes) -> Contents:
    """Parses a file's uncompressed bytes."""
    ending = extension(path)
    if ending in (".sgm", ".sgml"):
        from truebleu.corpus.markup import read_sgml

        return read_sgml(path, data)
    if ending == ".xml":
        from truebleu.corpus.markup import read_xml

        return read_xml(path, data)
    return parse_table(path, data) or read_lines(path, data)


def parse_table(path: str, data: bytes) -> Table | None:
    """Parses a table; None where the ending is not that of one."""
    match extension(path):
        case ".tsv":
            from truebleu.corpus.tables import read_tsv

            return read_tsv(path, data)
        case ".csv":
            from truebleu.corpus.tables import read_csv

            return read_csv(path, data)
        case ".jsonl" | ".ndjson":
            from truebleu.corpus.tables import read_json_lines

            return read_json_lines(path, data)
        case ".parquet":
            from truebleu.corpus.tables import read_parquet

            return read_parquet(path, data)
    return None


# Files as bytes: opened once each, decompressed, and parsed by their format.


class Files:
    """The files of one test set. A file that holds several texts is read and parsed once."""

    def __init__(self, stdin: BinaryIO | None = None) -> None:
        self._stdin = stdin
        self._parsed_files: dict[str, Contents] = {}
        self._stdin_was_read = False

    def texts(self, location: Location, role: Role) -> list[NamedText]:
        """The texts at a location."""
        return list(self._parsed(location.path).select(role, location.column))

    def contents(self, path: str) -> bytes:
        """A file's uncompressed contents."""
        if path == STANDARD_INPUT:
            return decompress(path, self._standard_input())
        return decompress(path, _read(path))

    def _parsed(self, path: str) -> Contents:
        if path == STANDARD_INPUT:
            return parse(path, self.contents(path))
        # Two ways to write one file's path would read it twice, which is slower but not wrong.
        if path not in self._parsed_files:
            self._parsed_files[path] = parse(path, self.contents(path))
        return self._parsed_files[path]

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
