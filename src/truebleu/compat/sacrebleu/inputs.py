"""References and systems as sacreBLEU's command line reads them."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from truebleu.compat.sacrebleu.messages import LOGGER
from truebleu.compat.sacrebleu.refusal import BAD_COLUMNS, RefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence


def read_references(files: Sequence[str], columns: int, encoding: str) -> list[list[str]]:
    """One text per file, or per column where the one file has several."""
    if columns == 1:
        return [_read_lines(file, encoding) for file in files]
    (file,) = files
    texts: list[list[str]] = [[] for _ in range(max(columns, 1))]
    for number, line in enumerate(_read_lines(file, encoding), start=1):
        # What follows the last separator is the last reference, with all its tabs.
        fields = line.split("\t", maxsplit=columns - 1)
        if len(fields) != columns:
            found = f"{file}: line {number}: found {len(fields)} references, expected {columns}"
            raise RefusedError(f"{found} with tabs between them", code=BAD_COLUMNS)
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
            logging.getLogger(LOGGER).info("%s: left out, as it is the baseline", file)
            continue
        if file in systems:
            raise RefusedError(f"{file}: named twice, expected each system once")
        systems[file] = _read_lines(file, encoding)
    return systems


def _read_lines(file: str, encoding: str) -> list[str]:
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
            found = f"standard input: line {number}: found {len(row)} columns, expected {width}"
            raise RefusedError(f"{found} as on line 1", code=BAD_COLUMNS)
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
