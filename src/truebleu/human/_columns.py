"""Columns of tables of human judgments: what they are called, and how to get at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from truebleu.corpus._files import BYTE_ORDER_MARK, decode, extension, parse_table
from truebleu.corpus._tables import Delimited, Table, read_json_lines
from truebleu.errors import MalformedFileError, MissingColumnError, SettingError
from truebleu.human._score_values import NotAScoreError, digest, parse_score
from truebleu.human.given_scores import (
    RATER_COLUMNS,
    SEGMENT_COLUMNS,
    SYSTEM_COLUMNS,
    parse_score_table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.human.scores import Request

# In lower case; the first that exists counts.
SYSTEMS = (*SYSTEM_COLUMNS, "systemid")
SEGMENTS = (*SEGMENT_COLUMNS, "segmentid", "line_id", "line", "globalsegid", "global_seg_id")
DOCUMENTS = ("doc", "document", "document_id", "documentid", "docid", "doc_id")
# Beside a column for the document; on its own, doc_id is the name of one.
DOCUMENT_NUMBERS = ("doc_id", "docsegid", "doc_seg_id")
DOMAINS = ("domain",)
RATERS = (*RATER_COLUMNS, "judge_id", "judgeid", "user")
_TEXTS = ("src", "source", "tgt", "target", "ref", "reference", "hyp", "hypothesis", "mt")
LANGUAGE_PAIRS = ("langs", "lp", "language_pair")
SOURCE_LANGUAGES = ("srclang", "src_lang")
TARGET_LANGUAGES = ("trglang", "tgtlang", "tgt_lang")
_LANGUAGES = (*LANGUAGE_PAIRS, *SOURCE_LANGUAGES, *TARGET_LANGUAGES)
#: Columns of text or of circumstances, which hold no scores.
OTHERS = frozenset((*_TEXTS, *_LANGUAGES, *DOCUMENT_NUMBERS, "comment", "metadata", "timestamp"))


@dataclass(frozen=True, slots=True)
class HumanTable:
    """A table of human judgments, with its columns by any of their names."""

    table: Table
    digest: str
    rows: int

    @property
    def path(self) -> str:
        """The file."""
        return self.table.path

    def column(self, names: Sequence[str]) -> str | None:
        """The first of these columns that there is, whatever its case."""
        lower = {column.lower(): column for column in reversed(self.table.columns)}
        return next((lower[name] for name in names if name in lower), None)

    def labels(self, names: Sequence[str]) -> Sequence[str] | None:
        """The values of the first of these columns, None where there is none."""
        column = self.column(names)
        return None if column is None else self.table.labels(column)

    def values(self, names: Sequence[str]) -> Sequence[object] | None:
        """The values of the first of these columns, None where there is none."""
        column = self.column(names)
        return None if column is None else self.table.values(column)

    def lines(self) -> list[int | None]:
        """The line of each row."""
        return [self.table.line(row) for row in range(self.rows)]

    def scores(self, column: str) -> list[float | None]:
        """The scores in a column.

        Raises:
            MalformedFileError: When one is not a number.
        """
        if column not in self.table.columns:
            word = self.table.column_word
            raise MissingColumnError(self.path, word, column, self.table.columns)
        scores = []
        for row, value in enumerate(self.table.values(column)):
            try:
                scores.append(parse_score(value))
            except NotAScoreError as reason:
                found = f"{value!r} in {self.table.column_word} {column!r}"
                raise MalformedFileError(
                    self.path, self.table.line(row), found, str(reason)
                ) from None
        return scores


def human_table(table: Table, data: bytes) -> HumanTable:
    """A parsed table and the bytes it was in."""
    rows = len(table.values(table.columns[0])) if table.columns else 0
    return HumanTable(table, digest(data), rows)


def parse_human_table(path: str, data: bytes) -> HumanTable:
    """A table by its ending; any other ending is TSV, or fields between white space."""
    table = table_by_ending(path, data)
    if table is not None:
        return human_table(table, data)
    text = decode(path, data)
    if _between_white_space(text):
        return human_table(white_space_table(path, text), data)
    return human_table(parse_score_table(path, data), data)


def table_by_ending(path: str, data: bytes) -> Table | None:
    """A table in CSV, JSON lines or Parquet; None where the ending is none of theirs."""
    ending = extension(path)
    if ending == ".json":
        # Texts are never so, but WMT's judgments are: an object on each line.
        return read_json_lines(path, data)
    is_table = ending in (".csv", ".jsonl", ".ndjson", ".parquet")
    return parse_table(path, data) if is_table else None


def _between_white_space(text: str) -> bool:
    """Whether a header and the row below it agree by white space and not by tabs."""
    header, _, rest = text.removeprefix(BYTE_ORDER_MARK).partition("\n")
    row = rest.partition("\n")[0]
    if header.count("\t") == row.count("\t") or header.startswith("# "):
        return False
    return len(header.split()) == len(row.split()) > 1


def white_space_table(path: str, text: str) -> Delimited:
    """A table whose fields end at any white space, as R and WMT's scripts write them.

    Files that were put together from several have their header in the middle too: it is no row.
    """
    lines = text.removeprefix(BYTE_ORDER_MARK).split("\n")
    header = lines[0].split()
    cells: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(lines[1:], 2):
        fields = line.split()
        if fields == header or (not fields and number == len(lines)):
            continue
        if len(fields) != len(header):
            found = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
            raise MalformedFileError(path, number, found, f"{len(header)}, as in the header")
        cells += fields
        numbers.append(number)
    return Delimited(path, header, cells, numbers)


# Files that hold judgments of several language pairs: only one belongs to a test set.


class _SomeRows(Table):
    """Some rows of a table, on the lines where they were."""

    def __init__(self, table: Table, rows: Sequence[int]) -> None:
        super().__init__(table.path, table.columns)
        self._table, self._rows = table, rows

    def values(self, column: str) -> Sequence[object]:
        """The values of a column in these rows."""
        every = self._table.values(column)
        return [every[row] for row in self._rows]

    def line(self, row: int) -> int | None:
        """The line of a row in the whole table."""
        return self._table.line(self._rows[row])


def of_one_pair(table: HumanTable, request: Request) -> HumanTable:
    """The rows of the language pair that was chosen, where a table has columns for languages.

    Raises:
        CorpusError: When there are several and none was chosen, or the chosen one is not there.
        SettingError: When one was chosen, and nothing tells the language pairs apart.
    """
    pairs = _pairs(table)
    if pairs is None:
        refuse_language_pair(table.path, request)
        return table
    rows = rows_of_pair(table.path, pairs, request)
    if len(rows) == table.rows:
        return table
    return HumanTable(_SomeRows(table.table, rows), table.digest, len(rows))


def _pairs(table: HumanTable) -> Sequence[str] | None:
    pairs = table.labels(LANGUAGE_PAIRS)
    if pairs is not None:
        return pairs
    sources, targets = table.labels(SOURCE_LANGUAGES), table.labels(TARGET_LANGUAGES)
    if sources is None or targets is None:
        return None
    return [f"{source}-{target}" for source, target in zip(sources, targets, strict=True)]


def refuse_language_pair(label: str, request: Request) -> None:
    """Refuses the choice of a language pair from a file that does not tell them apart."""
    if request.language_pair is not None:
        expected = f"none: {label} does not say of which language pair a judgment is"
        raise SettingError("language_pair", request.language_pair, expected)


def rows_of_pair(label: str, pairs: Sequence[str], request: Request) -> list[int]:
    """The rows of the language pair that was chosen, or all where there is only one.

    Raises:
        CorpusError: When there are several and none was chosen, or the chosen one is not there.
    """
    known = sorted(set(pairs))
    wanted = request.language_pair
    if wanted is None:
        if len(known) > 1:
            found = f"judgments of {len(known)} language pairs, {', '.join(known)}"
            expected = f"one to be chosen, as in language_pair={known[0]!r} (--language-pair)"
            raise MalformedFileError(label, None, found, expected)
        return list(range(len(pairs)))
    rows = [row for row, pair in enumerate(pairs) if pair.lower() == wanted.lower()]
    if not rows:
        raise MissingColumnError(label, "language pair", wanted, known)
    return rows
