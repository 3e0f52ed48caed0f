"""Files, logging, and the test sets of the real package, where that is installed."""

from __future__ import annotations

import os
import sys
from typing import IO, TYPE_CHECKING, Any, cast

from truebleu.corpus.known_test_sets import (
    download,
    find_test_set,
    known_test_sets,
    language_pairs,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from logging import Logger

__all__ = [
    "SACREBLEU_DIR",
    "download_test_set",
    "get_available_testsets",
    "get_available_testsets_for_langpair",
    "get_files",
    "get_langpairs_for_testset",
    "get_reference_files",
    "get_source_file",
    "smart_open",
]

#: Where sacreBLEU keeps what it downloads; SentencePiece models are looked for there too.
SACREBLEU_DIR = os.environ.get("SACREBLEU", os.path.join(os.path.expanduser("~"), ".sacrebleu"))
#: sacreBLEU marks p-values up to this.
ALPHA = 0.05


def logger() -> Logger:
    """The logger that sacreBLEU's users know how to silence."""
    # Most runs have nothing to say, and importing this takes longer than scoring a segment.
    import logging

    return logging.getLogger("sacrebleu")


def warn(message: str) -> None:
    """Log a warning."""
    logger().warning(message)


def smart_open(file: str, mode: str = "rt", encoding: str = "utf-8") -> IO[Any]:
    """A text file, decompressed where the name ends in .gz; lines end at LF only."""
    if file.endswith(".gz"):
        import gzip

        return cast("IO[Any]", gzip.open(file, mode=mode, encoding=encoding, newline="\n"))
    return open(file, mode=mode, encoding=encoding, newline="\n")


def get_source_file(test_set: str, langpair: str) -> str:
    """The file of a test set's source text; see `truebleu.corpus.known_test_sets`."""
    return find_test_set(test_set, langpair).source


def get_reference_files(test_set: str, langpair: str) -> list[str]:
    """The files of the references that are scored against."""
    return list(find_test_set(test_set, langpair).references)


def get_files(test_set: str, langpair: str) -> list[str]:
    """The files of all fields."""
    return list(find_test_set(test_set, langpair).fields.values())


def download_test_set(test_set: str, langpair: str | None = None) -> list[str]:
    """Fetch a test set; the files of its language pair."""
    download(test_set, langpair)
    return [] if langpair is None else get_files(test_set, langpair)


def get_available_testsets() -> list[str]:
    """The names of all test sets, the newest first."""
    return sorted(known_test_sets(), reverse=True)


def get_available_testsets_for_langpair(langpair: str) -> list[str]:
    """The names of all test sets that have a language pair, either way round."""
    parts = langpair.split("-")
    pairs = {langpair, "-".join(reversed(parts))}
    return [name for name in get_available_testsets() if pairs & set(language_pairs(name))]


def get_langpairs_for_testset(testset: str) -> list[str]:
    """The language pairs of a test set."""
    return list(language_pairs(testset))


# The texts of the command line.


# sacreBLEU's exit statuses.
FAILURE = 1
BAD_COLUMNS = 17


class RefusedError(Exception):
    """A run that cannot go on, with the reason and the exit status."""

    def __init__(self, reason: str, code: int = FAILURE) -> None:
        super().__init__(reason)
        self.code = code


def read_references(files: Sequence[str], columns: int, encoding: str) -> list[list[str]]:
    """One text per file, or per column where the one file has several."""
    if columns == 1:
        return [read_lines(file, encoding) for file in files]
    (file,) = files
    texts: list[list[str]] = [[] for _ in range(max(columns, 1))]
    for number, line in enumerate(read_lines(file, encoding), start=1):
        # What follows the last separator is the last reference, with all its tabs.
        fields = line.split("\t", maxsplit=columns - 1)
        if len(fields) != columns:
            raise RefusedError(
                f"{file}: line {number}: found {len(fields)} references, "
                f"expected {columns} with tabs between them",
                code=BAD_COLUMNS,
            )
        for text, field in zip(texts, fields, strict=True):
            text.append(field)
    return texts


def read_systems(
    files: Sequence[str] | None, encoding: str, *, with_baseline: bool
) -> dict[str, list[str]]:
    """Each system's outputs by its name: the file's, or a number for a column of standard input.

    Where the first one is a baseline, as all the systems of a folder may follow, it is read once.
    """
    if files is None:
        return _read_standard_input(encoding)
    systems: dict[str, list[str]] = {}
    for file in files:
        if with_baseline and file == files[0] and systems:
            logger().info("%s: left out, as it is the baseline", file)
            continue
        if file in systems:
            raise RefusedError(f"{file}: named twice, expected each system once")
        systems[file] = read_lines(file, encoding)
    return systems


def read_lines(file: str, encoding: str) -> list[str]:
    """The lines of a file, which end at LF only, without white space at their ends."""
    try:
        if file.endswith(".gz"):
            import gzip

            with gzip.open(file) as compressed:
                data = compressed.read()
        else:
            with open(file, "rb") as plain:
                data = plain.read()
    except (OSError, EOFError) as error:
        raise RefusedError(f"{file}: {getattr(error, 'strerror', None) or error}") from error
    return [line.rstrip() for line in _split(_decode(file, data, encoding))]


def _read_standard_input(encoding: str) -> dict[str, list[str]]:
    text = _decode("standard input", sys.stdin.buffer.read(), encoding)
    # Here, and only here, a carriage return ends a line by itself.
    lines = _split(text.replace("\r\n", "\n").replace("\r", "\n")) or [""]
    rows = [line.rstrip().split("\t") for line in lines]
    width = len(rows[0])
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            raise RefusedError(
                f"standard input: line {number}: found {len(row)} columns, "
                f"expected {width} as on line 1",
                code=BAD_COLUMNS,
            )
    # sacreBLEU strips the columns of all lines but the first, which chrF can see.
    texts = zip(rows[0], *([field.rstrip() for field in row] for row in rows[1:]), strict=True)
    return {f"System {number}": list(text) for number, text in enumerate(texts, start=1)}


def _decode(name: str, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeError as error:
        raise RefusedError(f"{name}: not {encoding}: {error}") from error
    except LookupError as error:
        raise RefusedError(f"--encoding: {error}") from error


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines
