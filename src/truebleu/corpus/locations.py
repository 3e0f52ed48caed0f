"""Where a text is: PATH, NAME=PATH, PATH#COLUMN or - for standard input."""

from __future__ import annotations

import os.path
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

from truebleu.errors import EmptyTextError, SettingError

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Written instead of a path to read standard input.
STANDARD_INPUT = "-"

COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zstd")
FORMATS = (".txt", ".tsv", ".csv", ".jsonl", ".ndjson", ".parquet", ".sgm", ".sgml", ".xml")


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
        found = _existing(rest) or _assumed(rest)
        return Location(found.path, found.column, name)
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


def expanded(written: Iterable[str]) -> list[str]:
    """Each folder as the files in it, each pattern as the files that match it, in order of name."""
    from glob import glob

    found: list[str] = []
    for text in written:
        if os.path.isdir(text):
            names = sorted(name for name in os.listdir(text) if not name.startswith("."))
            paths = [os.path.join(text, name) for name in names]
            files = [path for path in paths if os.path.isfile(path)]
            if not files:
                raise EmptyTextError(text)
            found += files
        elif any(sign in text for sign in "*?[") and not os.path.exists(text):
            found += sorted(path for path in glob(text) if os.path.isfile(path)) or [text]
        else:
            found.append(text)
    return found
