"""Tables of human judgments: the names of their columns, and what counts as a score or a number."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from truebleu.corpus._files import BYTE_ORDER_MARK, decode, extension
from truebleu.corpus._tables import (
    Delimited,
    Table,
    json_in,
    parse_table,
    read_json_lines,
    read_records,
)
from truebleu.errors import EmptyTextError, MalformedFileError, MissingColumnError, SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu.human.scores import Request

# Names of columns, in lower case; the first that exists counts.
SYSTEMS = ("system", "sys", "system_id", "system_name", "sysid", "systemid")
SEGMENTS = (
    *("segment", "seg", "segment_id", "seg_id", "segid", "sid"),
    *("segmentid", "line_id", "line", "globalsegid", "global_seg_id"),
)
RATERS = (
    *("rater", "rater_id", "annotator", "annotator_id", "judge"),
    *("judge_id", "judgeid", "user"),
)
DOCUMENTS = ("doc", "document", "document_id", "documentid", "docid", "doc_id")
# Beside a column for the document; on its own, doc_id is the name of one.
DOCUMENT_NUMBERS = ("doc_id", "docsegid", "doc_seg_id")
DOMAINS = ("domain",)
_TEXTS = ("src", "source", "tgt", "target", "ref", "reference", "hyp", "hypothesis", "mt")
LANGUAGE_PAIRS = ("langs", "lp", "language_pair")
SOURCE_LANGUAGES = ("srclang", "src_lang")
TARGET_LANGUAGES = ("trglang", "tgtlang", "tgt_lang")
_LANGUAGES = (*LANGUAGE_PAIRS, *SOURCE_LANGUAGES, *TARGET_LANGUAGES)
#: Columns of text or of circumstances, which hold no scores.
OTHERS = frozenset((*_TEXTS, *_LANGUAGES, *DOCUMENT_NUMBERS, "comment", "metadata", "timestamp"))


LEFT = ("system1", "left", "system_1", "system_a", "systema", "sys1", "system1id", "system1_id")
RIGHT = ("system2", "right", "system_2", "system_b", "systemb", "sys2", "system2id", "system2_id")
VERDICTS = ("judgment", "judgement", "verdict", "preference", "result", "outcome", "winner")
_RANK = re.compile(r"system([0-9]{1,18})_?rank", re.IGNORECASE)
#: What Appraise exports, without a header, by the number of fields in its rows.
APPRAISE = {9: "da", 11: "da", 12: "esa"}


# Single values.


#: What stands for a score that is missing; case does not matter.
NOTHING = frozenset({"", "none", "na", "n/a", "null"})
#: Judgments in words, as the numbers that they count as; case does not matter.
#: Larger scores are mistakes, and their squares are no numbers.
LARGEST = 1e100
JUDGMENTS = {
    "true": 1.0,
    "correct": 1.0,
    "right": 1.0,
    "yes": 1.0,
    "false": 0.0,
    "wrong": 0.0,
    "incorrect": 0.0,
    "no": 0.0,
}


class NotAScoreError(ValueError):
    """A value that is no score; the message says what was expected."""


def parse_score(value: object) -> float | None:
    """A score, None where it is missing.

    >>> parse_score("-0.000000"), parse_score("None")
    (0.0, None)

    Raises:
        NotAScoreError: When the value is neither a finite number nor a word that stands for one.
    """
    if value is None:
        return None
    if isinstance(value, str):
        word = value.strip().lower()
        if word in NOTHING:
            return None
        if word in JUDGMENTS:
            return JUDGMENTS[word]
    try:
        # What counts as a number is what float takes, but for Python's 1_000.
        number = float(value) if "_" not in str(value) else None  # type: ignore[arg-type]
    except (ValueError, TypeError, OverflowError):
        number = None
    if number is None:
        raise NotAScoreError("a number, or None where the score is missing")
    if not isfinite(number):
        raise NotAScoreError("a finite number; write a missing score as None")
    if abs(number) > LARGEST:
        raise NotAScoreError(f"a number between -{LARGEST:g} and {LARGEST:g}")
    # Published MQM scores have -0.000000: adding 0 makes it 0.
    return number + 0.0


def whole_number(value: object) -> int | None:
    """A whole number such as that of a segment; None where the value is anything else.

    >>> whole_number("12"), whole_number(12.0), whole_number("a")
    (12, 12, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    text = str(value)
    try:
        return int(text) if "_" not in text else None
    except ValueError:
        return None


def digest(data: bytes) -> str:
    """The start of the SHA-256 of what was read."""
    from hashlib import sha256

    return sha256(data).hexdigest()[:12]


class Scale(NamedTuple):
    """The least and the greatest score that can be; None where there is no such limit."""

    low: float | None = None
    high: float | None = None

    def holds(self, score: float) -> bool:
        """Whether a score is on the scale."""
        too_low = self.low is not None and score < self.low
        return not too_low and not (self.high is not None and score > self.high)

    def __str__(self) -> str:
        if self == (None, None):
            return "any"
        low, high = ("" if limit is None else f"{limit:g}" for limit in self)
        return f"{low}..{high}"


#: No limits.
ANY_NUMBER = Scale()


# Whole tables.


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

    def require(self, column: str) -> None:
        """Raises MissingColumnError unless there is such a column."""
        if column not in self.table.columns:
            word = self.table.column_word
            raise MissingColumnError(self.path, word, column, self.table.columns)

    def scores(self, column: str) -> list[float | None]:
        """The scores in a column.

        Raises:
            MalformedFileError: When one is not a number.
        """
        self.require(column)
        values = self.table.values(column)
        return [self.score(row, column, value) for row, value in enumerate(values)]

    def score(
        self, row: int, column: str, value: object, scale: Scale = ANY_NUMBER
    ) -> float | None:
        """The score that is written in a row, None where it is missing."""
        try:
            score = parse_score(value)
        except NotAScoreError as reason:
            self.refuse_value(row, column, value, str(reason))
        if score is not None and not scale.holds(score):
            self.refuse_value(row, column, value, f"a number in {scale}")
        return score

    def refuse_value(self, row: int, column: str, value: object, expected: str) -> NoReturn:
        """Raises MalformedFileError about a value in a row."""
        line = self.table.line(row)
        where = "" if line is not None else f" in row {row + 1}"
        found = f"{value!r} in {self.table.column_word} {column!r}{where}"
        raise MalformedFileError(self.path, line, found, expected)


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


def parse_score_table(path: str, data: bytes) -> Table:
    """A table by its file's ending; any other ending is taken as TSV, with or without header."""
    if extension(path) != ".tsv":
        table = parse_table(path, data)
        if table is not None:
            return table
    return _read_rows(path, decode(path, data))


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
    if len(fields) not in (2, 3) or is_number(fields[0]):
        return None
    if not all(is_number(value) or value.strip().lower() == "none" for value in fields[1:]):
        return None
    return ["system", "score"] if len(fields) == 2 else ["system", "segment", "score"]


def json_records(path: str, data: bytes) -> Iterator[tuple[int | None, Mapping[str, object]]]:
    """The objects of a JSON array, or of a file with one on each line, with their lines."""
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK)
    if not text.lstrip().startswith("["):
        yield from enumerate(read_records(path, data), 1)
        return
    for number, record in enumerate(json_in(path, None, text, "a JSON array of objects"), 1):
        if not isinstance(record, dict):
            found = f"JSON of type {type(record).__name__} as item {number}"
            raise MalformedFileError(path, None, found, "an object")
        yield None, record


def is_mqm_header(fields: Sequence[str]) -> bool:
    """Whether these are columns of MQM annotations."""
    names = {field.strip().strip('"').lower() for field in fields}
    return {"severity", "category"} <= names and not names.isdisjoint(("system", "system_id"))


def is_number(text: str) -> bool:
    """Whether a text is a number as Python writes them."""
    try:
        float(text)
    except ValueError:
        return False
    return True


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


# Tables that compare systems with each other.


@dataclass(frozen=True, slots=True)
class RankedColumns:
    """The columns of a table of rankings: the systems, and the rank of each."""

    systems: tuple[str, ...]
    ranks: tuple[str, ...]


def is_pairwise(table: HumanTable) -> bool:
    """Whether a table compares systems with each other."""
    if ranked_columns(table) is not None:
        return True
    return all(table.column(names) is not None for names in (LEFT, RIGHT, VERDICTS))


def ranked_columns(table: HumanTable) -> RankedColumns | None:
    """The columns of rankings, where a table has them."""
    numbers = sorted(
        int(match[1]) for column in table.table.columns if (match := _RANK.fullmatch(column))
    )
    systems, ranks = [], []
    for number in numbers:
        system = table.column((f"system{number}id", f"system{number}_id", f"system{number}"))
        rank = table.column((f"system{number}rank", f"system{number}_rank"))
        if system is not None and rank is not None:
            systems.append(system)
            ranks.append(rank)
    return RankedColumns(tuple(systems), tuple(ranks)) if len(systems) > 1 else None
