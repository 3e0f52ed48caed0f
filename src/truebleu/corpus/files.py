"""Files as bytes: opened once each, decompressed, and parsed by their format."""

from __future__ import annotations

import os.path
import sys
from typing import TYPE_CHECKING

from truebleu.corpus.compression import decompress
from truebleu.corpus.formats import parse
from truebleu.corpus.locations import STANDARD_INPUT
from truebleu.errors import UnreadableFileError

if TYPE_CHECKING:
    from typing import BinaryIO

    from truebleu.corpus.locations import Location
    from truebleu.corpus.texts import Contents, NamedText, Role


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
