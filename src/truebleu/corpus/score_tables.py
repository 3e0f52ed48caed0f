"""How tables of scores are laid out: a row per system and segment, or a column per system."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from truebleu.corpus import formats, locations
from truebleu.corpus.delimited import Delimited
from truebleu.corpus.lines import BYTE_ORDER_MARK, decode
from truebleu.corpus.texts import LABEL_COLUMNS
from truebleu.errors import EmptyTextError, MalformedFileError, MissingColumnError, SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.tables import Table

# What columns are called, in lower case; the first that exists counts.
SYSTEM_COLUMNS = ("system", "sys", "system_id", "system_name", "sysid")
SEGMENT_COLUMNS = ("segment", "seg", "segment_id", "seg_id", "segid", "sid")
RATER_COLUMNS = ("rater", "rater_id", "annotator", "annotator_id", "judge")


class ScoreLayout(NamedTuple):
    """Which column is what.

    Attributes:
        system: The system's name; None where each system has a column of its own.
        segment: The segment's number; None where rows are in the order of the test set.
        rater: Who gave the score; None where nobody says.
        scores: The columns of scores: they are added up, or else belong to one system each.
    """

    system: str | None
    segment: str | None
    rater: str | None
    scores: tuple[str, ...]


def parse_score_table(path: str, data: bytes) -> Table:
    """A table by its file's ending; any other ending is taken as TSV, with or without header."""
    if locations.extension(path) != ".tsv":
        table = formats.parse_table(path, data)
        if table is not None:
            return table
    return _read_rows(path, decode(path, data))


def layout_of(table: Table, column: str, rater: str) -> ScoreLayout:
    """The layout that the columns' names tell; `column` and `rater` are "" where not chosen."""
    system = _first(table, SYSTEM_COLUMNS)
    segment = _first(table, SEGMENT_COLUMNS)
    if rater and rater not in table.columns:
        raise MissingColumnError(table.path, table.column_word, rater, table.columns)
    rater_column = rater or _first(table, RATER_COLUMNS)
    if rater_column is not None and segment is None:
        found = f"a {table.column_word} {rater_column!r} but none for the segment"
        raise MalformedFileError(table.path, None, found, f"one called {SEGMENT_COLUMNS[0]!r}")
    if system is None and column:
        expected = f"none: every {table.column_word} of {table.path} is a system"
        raise SettingError("column", column, expected)
    others = {system, segment, rater_column, *LABEL_COLUMNS}
    candidates = [name for name in table.columns if name not in others]
    if not candidates:
        found = f"the {table.column_word}s {', '.join(table.columns)}"
        raise MalformedFileError(table.path, None, found, "scores beside them")
    scores = tuple(candidates) if system is None else _score_columns(table, column, candidates)
    return ScoreLayout(system, segment, rater_column, scores)


def _score_columns(table: Table, column: str, candidates: Sequence[str]) -> tuple[str, ...]:
    if column in table.columns:
        return (column,)
    if column:
        # Zhang & Vogel (2004), section 2.4, add the scores for fluency and for adequacy.
        parts = tuple(column.split("+"))
        for part in parts:
            if part not in table.columns:
                raise MissingColumnError(table.path, table.column_word, part, table.columns)
        return parts
    named = [name for name in candidates if name.lower() == "score"]
    chosen = named or candidates
    if len(chosen) == 1:
        return (chosen[0],)
    found = f"the {table.column_word}s {', '.join(candidates)}"
    expected = f"one of them to be chosen, as in column={candidates[0]}"
    raise MalformedFileError(table.path, None, found, expected)


def _first(table: Table, names: Sequence[str]) -> str | None:
    lower = {column.lower(): column for column in table.columns}
    return next((lower[name] for name in names if name in lower), None)


def _read_rows(path: str, text: str) -> Delimited:
    """TSV whose header may be missing or have comments above it, as in our own tables.

    Without a header, rows are of system and score, or of system, segment and score. WMT's files of
    scores are of the first kind; their fields end at any white space.
    """
    lines = [line.removesuffix("\r") for line in text.removeprefix(BYTE_ORDER_MARK).split("\n")]
    if not lines[-1]:
        lines.pop()
    start = next((i for i, line in enumerate(lines) if not _is_comment(line)), len(lines))
    if start == len(lines):
        raise EmptyTextError(path)
    separator = "\t" if "\t" in lines[start] else None
    header, model = _implied_header(lines[start].split(separator)), f"on line {start + 1}"
    if header is None:
        separator, model = "\t", "in the header"
        header = lines[start].split(separator)
        start += 1
    cells: list[str] = []
    for number, line in enumerate(lines[start:], start + 1):
        fields = line.split(separator)
        if len(fields) != len(header):
            found = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
            raise MalformedFileError(path, number, found, f"{len(header)}, as {model}")
        cells += fields
    return Delimited(path, header, cells, range(start + 1, len(lines) + 1))


def _is_comment(line: str) -> bool:
    return line.startswith("# ") and "\t" not in line


def _implied_header(fields: list[str]) -> list[str] | None:
    """What the columns are, where the first row is a row of scores already.

    Names of columns that are all numbers are a header: they are systems with numbers for names.
    """
    if len(fields) not in (2, 3) or _is_number(fields[0]):
        return None
    if not all(_is_number(value) or value.strip().lower() == "none" for value in fields[1:]):
        return None
    return ["system", "score"] if len(fields) == 2 else ["system", "segment", "score"]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
