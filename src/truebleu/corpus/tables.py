"""Long tables: rows of systems, documents, segments, raters, texts or scores, in any format.

The extension decides between CSV, TSV, JSON, JSON lines and Parquet. Tables of scores may also have
no header, comments above it, or fields separated by white space. Texts, scores, judgments and
labels share one vocabulary of column names.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest
from math import isfinite
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, cast

from truebleu._core import Segments
from truebleu.corpus._files import BYTE_ORDER_MARK, Layout, NamedText, decode, extension, stem
from truebleu.errors import (
    EmptyTextError,
    MalformedFileError,
    MissingColumnError,
    MissingExtraError,
    SettingError,
    UnencodableSegmentError,
    first_names,
    shortened,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from truebleu.corpus._files import Key, Role

# Column names in lower case; the first name that a table has is used.

SYSTEM = (
    *("system", "sys", "system_id", "system_name", "sysid", "systemid"),
    *("model", "model_id", "model_name"),
)
DOCUMENT = ("doc", "document", "document_id", "documentid", "docid", "doc_id")
#: Number of a segment in its document; without another document column, doc_id is a document.
IN_DOCUMENT = ("doc_id", "docsegid", "doc_seg_id")
DOMAIN = ("domain",)
SEGMENT = (
    *("segment", "seg", "segment_id", "seg_id", "segid", "sid"),
    *("segmentid", "line_id", "line", "globalsegid", "global_seg_id"),
)
#: Unique name or number of a segment or item.
ITEM = (
    *("id", "item", "item_id", "sample_id", "question_id", "example_id", "task_id"),
    *("custom_id", *SEGMENT, "doc_id"),
)
RATER = (
    *("rater", "rater_id", "annotator", "annotator_id", "judge"),
    *("judge_id", "judgeid", "user"),
)
#: Number of an answer, if there are several answers to one item.
ANSWER = ("epoch", "answer_id", "run", "replicate", "repeat", "trial", "attempt", "seed", *RATER)
BENCHMARK = ("benchmark", "test_set", "evaluation_name", "task", "dataset")
SCORE = (
    *("score", "human", "human_score", "rating", "judgment", "judgement"),
    *("correct", "is_correct", "accuracy", "acc", "exact_match", "pass", "passed", "reward"),
)
TARGET = ("target", "translation", "hyp", "hypothesis", "mt", "tgt")
LANGUAGE_PAIR = ("langs", "lp", "language_pair")
SOURCE_LANGUAGE = ("srclang", "src_lang")
TARGET_LANGUAGE = ("trglang", "tgtlang", "tgt_lang")
#: Columns of text or metadata, which hold no scores.
NO_SCORES = frozenset(
    (
        *("src", "source", "ref", "reference", *TARGET),
        *(*LANGUAGE_PAIR, *SOURCE_LANGUAGE, *TARGET_LANGUAGE),
        *(*IN_DOCUMENT, "comment", "metadata", "timestamp"),
    )
)


# Single values.

#: Words for a missing value, in lower case.
NOTHING = frozenset({"", "none", "na", "n/a", "null"})
#: Numbers for judgments in words, in lower case.
JUDGMENTS = {
    **dict.fromkeys(("true", "correct", "right", "yes"), 1.0),
    **dict.fromkeys(("false", "wrong", "incorrect", "no"), 0.0),
}
#: Lowest and highest possible score.
Scale: TypeAlias = tuple[float, float]
#: Larger scores are mistakes, and their squares would overflow.
LARGEST = 1e100


class NotAScoreError(ValueError):
    """A value is not a score; the message names the expected values."""


def parse_score(value: object, scale: Scale | None = None) -> float | None:
    """Parse a score on a scale, or on any; returns None for a missing value.

    >>> parse_score("-0.000000"), parse_score("None")
    (0.0, None)

    Raises:
        NotAScoreError: The value is neither a finite number on the scale nor a known word.
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
        # Numbers are what float accepts, except Python's 1_000.
        number = float(value) if "_" not in str(value) else None  # type: ignore[arg-type]
    except (ValueError, TypeError, OverflowError):
        number = None
    if number is None and looks_like_number(value):
        raise NotAScoreError("a number, with a decimal point and without a sign such as %")
    if number is None:
        raise NotAScoreError("a number, or None for a missing score")
    if not isfinite(number):
        raise NotAScoreError("a finite number; write a missing score as None")
    if abs(number) > LARGEST:
        raise NotAScoreError(f"a number between -{LARGEST:g} and {LARGEST:g}")
    if scale is not None and not scale[0] <= number <= scale[1]:
        raise NotAScoreError(f"a number in {scale[0]:g}..{scale[1]:g}")
    # Adding 0 converts the -0.000000 of published MQM scores.
    return number + 0.0


def is_score(value: object) -> bool:
    """Return whether a value is a score or a missing score."""
    try:
        parse_score(value)
    except NotAScoreError:
        return False
    return True


_LIKE_NUMBER = re.compile(r"\s*[-+]?\d+([.,]\d+)*\s*%?\s*")


def looks_like_number(value: object) -> bool:
    """Return whether a value looks like a number to people, such as 51.3% or 0,513."""
    return isinstance(value, str) and _LIKE_NUMBER.fullmatch(value) is not None


#: Least share of the scores on each of two scales, and largest share of the smaller scale's size
#: between them.
_SHARE_OF_SCALE, _SHARE_BETWEEN = 0.05, 0.1


def find_mixture(values: Sequence[object]) -> tuple[int, str, str] | None:
    """Find a score that contradicts the other scores of a column; values of no score are ignored.

    Judgments such as `true` contradict fractions, and scores from 0 to 1 those from 0 to 100.

    >>> find_mixture(["0.5", True])
    (1, 'True among fractions', '0, 1, or numbers only')
    >>> find_mixture([0.51, 0.48, 63.0, 44.1])
    (0, '0.51 and 63', 'scores on one scale')

    Returns:
        index of the value, its description, and the expected values; None if there is no mixture.
    """
    scores = list(map(score_or_none, values))
    judgment = next((i for i, value in enumerate(values) if _is_judgment(value)), None)
    known = [score for score in scores if score is not None]
    if judgment is not None and not set(known) <= {0.0, 1.0}:
        return judgment, f"{values[judgment]!r} among fractions", "0, 1, or numbers only"
    sizes = [abs(score) for score in known if score]
    low = sorted(size for size in sizes if size <= 1)
    high = sorted(size for size in sizes if size > _BETWEEN_SCALES)
    smaller = min(len(low), len(high))
    # One repeated value is no scale, but stands for a missing score.
    if smaller < max(2, _SHARE_OF_SCALE * len(sizes)) or low[0] == low[-1] or high[0] == high[-1]:
        return None
    between = len(sizes) - len(low) - len(high)
    if min(known) < 0 < max(known) or between > _SHARE_BETWEEN * smaller:
        return None
    if not 20 < high[len(high) // 2] / low[len(low) // 2] < 500:
        return None
    index = next(i for i, score in enumerate(scores) if score and abs(score) <= 1)
    other = next(score for score in known if abs(score) > 1)
    return index, f"{scores[index]:g} and {other:g}", "scores on one scale"


#: Smallest score of the larger of two scales, 0 to 100.
_BETWEEN_SCALES = 4


def score_or_none(value: object) -> float | None:
    """Parse a score; returns None for a missing score and for any other value."""
    try:
        return parse_score(value)
    except NotAScoreError:
        return None


def _is_judgment(value: object) -> bool:
    return isinstance(value, bool) or (
        isinstance(value, str) and value.strip().lower() in JUDGMENTS
    )


def whole_number(value: object) -> int | None:
    """Parse a whole number, such as a segment's; returns None for any other value.

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


def is_blank(value: object) -> bool:
    """Return whether a value is None or only white space, and so not a label."""
    return value is None or (isinstance(value, str) and not value.strip())


def digest(data: bytes) -> str:
    """Return the first 12 hexadecimal digits of the SHA-256 of `data`."""
    from hashlib import sha256

    return sha256(data).hexdigest()[:12]


# Tables.


@dataclass(slots=True, kw_only=True)
class Table:
    """Columns of a file.

    Attributes:
        path: path of the file.
        columns: names of the columns.
        rows: number of rows.
        values: function that returns all values of an existing column.
        lines: line where each row starts, or None if the format has no lines.
        word: word for a column in messages, such as "key".
        should_have_keys: True if pairing rows without ids with another file deserves a warning.
        carriage_returns: number of line ends that are CR LF.
        byte_order_mark: True if the file begins with a byte-order mark.
        digest: first digits of the file's SHA-256; "" unless the table holds scores.
    """

    path: str
    columns: tuple[str, ...]
    rows: int
    values: Callable[[str], Sequence[object]] = field(repr=False)
    lines: Sequence[int] | None = field(default=None, repr=False)
    word: str = "column"
    should_have_keys: bool = False
    carriage_returns: int = 0
    byte_order_mark: bool = False
    digest: str = ""
    # A set, because looking up each of thousands of columns in a tuple would be quadratic.
    _names: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._names = frozenset(self.columns)
        if len(self._names) < len(self.columns):
            name, count = Counter(self.columns).most_common(1)[0]
            line = None if self.lines is None else 1
            expected = f"a different name for each {self.word}"
            found = f"{count} {self.word}s called {name!r}"
            raise MalformedFileError(self.path, line, found, expected)

    def has(self, column: str) -> bool:
        """Return whether there is such a column or nested key, such as `response.text`."""
        if column in self._names:
            return True
        inside = self.word == "key" and "." in column
        return inside and any(value is not None for value in self.values(column))

    def require(self, column: str) -> None:
        """Raise MissingColumnError unless there is such a column."""
        if not self.has(column):
            raise MissingColumnError(self.path, self.word, column, self.columns)

    def find(self, names: Iterable[str]) -> str | None:
        """Return the first existing column of `names`, ignoring case, or None."""
        lower = {column.strip().lower(): column for column in reversed(self.columns)}
        return next((lower[name] for name in names if name in lower), None)

    def labels(self, column: str) -> tuple[str, ...]:
        """Return a column of labels, which are text or whole numbers, as text."""
        self.require(column)
        values = self.values(column)
        for row, value in enumerate(values):
            if not isinstance(value, str | int):
                self.refuse(row, column, kind_of(value), "a label")
        return tuple(map(str, values))

    def found_values(self, names: Iterable[str]) -> Sequence[object] | None:
        """Return the values of the first column of `names` that exists, or None."""
        column = self.find(names)
        return None if column is None else self.values(column)

    def found_labels(self, names: Iterable[str]) -> tuple[str, ...] | None:
        """Return the labels of the first column of `names` that exists, or None."""
        column = self.find(names)
        return None if column is None else self.labels(column)

    def refuse_columns(self, expected: str) -> NoReturn:
        """Raise MalformedFileError with the existing columns."""
        line = None if self.lines is None or self.word == "key" else 1
        found = f"the {self.word}s {first_names(self.columns)}"
        raise MalformedFileError(self.path, line, found, expected)

    def line(self, row: int) -> int | None:
        """Return the line where a row starts, from 1, or None if the format has no lines."""
        return None if self.lines is None else self.lines[row]

    def all_lines(self) -> list[int | None]:
        """Return the line of each row."""
        return [self.line(row) for row in range(self.rows)]

    def only(self, rows: Sequence[int]) -> Table:
        """Return the table restricted to `rows`, which keep their lines."""

        def read(column: str) -> Sequence[object]:
            values = self.values(column)
            return [values[row] for row in rows]

        lines = None if self.lines is None else [self.lines[row] for row in rows]
        return replace(self, rows=len(rows), values=read, lines=lines)

    def scores(self, column: str, scale: Scale | None = None) -> list[float | None]:
        """Return the scores in a column; missing scores are None, other values an error."""
        self.require(column)
        values = self.values(column)
        scores = [self.score(row, column, value, scale) for row, value in enumerate(values)]
        self.refuse_mixture(column)
        return scores

    def refuse_mixture(self, column: str) -> None:
        """Raise MalformedFileError if the scores of a column contradict each other."""
        mixture = find_mixture(self.values(column))
        if mixture is not None:
            row, found, expected = mixture
            self.refuse(row, column, found, expected)

    def score(
        self, row: int, column: str, value: object, scale: Scale | None = None
    ) -> float | None:
        """Parse the score in a row; raises MalformedFileError if it is not on the scale."""
        try:
            return parse_score(value, scale)
        except NotAScoreError as reason:
            self.refuse(row, column, repr(value), str(reason))

    def refuse(self, row: int, column: str, found: str, expected: str) -> NoReturn:
        """Raise MalformedFileError about a value in a row."""
        where = "" if self.lines is not None else f" in row {row + 1}"
        found = f"{found}{where} in {self.word} {column!r}"
        raise MalformedFileError(self.path, self.line(row), found, expected)

    # Texts by column, with labels from the other columns.

    def select(self, role: Role, name: str | None) -> list[NamedText]:
        """Return the texts in a column, with documents and domains from other columns.

        There is one text, except for lists of references, which are one text each, and for tables
        with rows of several systems.
        """
        column = self.chosen_column(name)
        label = self.path if name is None else f"{self.path}#{name}"
        name = stem(self.path) if name is None else name
        if not self.rows:
            raise EmptyTextError(label)
        layout, values = self.layout(are_requested=False), self.values(column)
        naming = self.find(item for item in ITEM if item != column.lower())
        ids = None if naming is None else self.values(naming)
        has_ids = naming is not None and naming != self.find(DOCUMENT)
        systems = self._rows_of_systems(column)
        parts: list[tuple[str, str, Sequence[object], Sequence[int]]]
        if systems is not None and role == "system":
            parts = [
                (f"{self.path}: {system}", system, values, systems[system]) for system in systems
            ]
        else:
            rows: Sequence[int] = range(self.rows)
            if systems is not None:
                rows = self._shared_rows(column, values, ids, layout.documents, systems)
            parts = [(label, name, values, rows)]
            if role == "reference" and any(isinstance(value, list) for value in values):
                lists = [value if isinstance(value, list) else [value] for value in values]
                # Shorter lists are filled up with None.
                columns = enumerate(zip_longest(*lists))
                parts = [(f"{label}[{i}]", f"{name}[{i}]", texts, rows) for i, texts in columns]
            if not parts:
                raise EmptyTextError(label)
        marks = self.carriage_returns, self.byte_order_mark, self.should_have_keys or has_ids
        texts = []
        for label, name, values, rows in parts:
            keys = _keys(ids, layout.documents, rows)
            if keys is None and ids is not None and has_ids:
                self._refuse_contradictions(values, ids, layout.documents, rows)
            documents, domains = (
                None if known is None else tuple(known[row] for row in rows)
                for known in (layout.documents, layout.domains)
            )
            segments = self._segments(column, values, rows, role)
            texts.append(
                NamedText(
                    label, self.path, name, segments, Layout(documents, domains, keys), *marks
                )
            )
        return texts

    def chosen_column(self, name: str | None) -> str:
        """Return the column `name`, or the only column of texts if it is None."""
        if name is not None:
            self.require(name)
            return name
        labels = (*SYSTEM, *DOCUMENT, *DOMAIN)
        texts = [column for column in self.columns if column.lower() not in labels]
        candidates = [column for column in texts if column.lower() not in ITEM] or texts
        candidates = candidates or list(self.columns)
        if not candidates:
            raise EmptyTextError(self.path)
        if len(candidates) > 1:
            self.refuse_columns(f"one column of texts; choose it as {self.path}#{candidates[0]}")
        return candidates[0]

    def layout(self, *, are_requested: bool = True) -> Layout:
        """Return documents and domains, if the table has columns for them.

        Unless labels are requested, incomplete domains are ignored. Incomplete documents are always
        an error, because documents may be the unit of resampling.
        """
        documents, domains = (0, 0) if are_requested else (self.rows, 1)
        layout = Layout(
            self.complete_labels(self.find(DOCUMENT), documents),
            self.complete_labels(self.find(DOMAIN), domains),
        )
        refuse_second_domain(self.path, layout, self.all_lines())
        return layout

    def complete_labels(self, column: str | None, allowed: int = 0) -> tuple[str, ...] | None:
        """Return labels for all rows, or None if there is no column or enough labels are missing.

        Args:
            column: column of the labels, or None.
            allowed: number of missing labels from which the column is ignored; fewer missing labels
                are an error. 0 if every missing label is an error.
        """
        if column is None:
            return None
        self.require(column)
        missing = [row for row, value in enumerate(self.values(column)) if is_blank(value)]
        if missing and not 0 < allowed <= len(missing):
            expected = "a label for every segment" + (", or for none" if allowed else "")
            self.refuse(missing[0], column, "no value", expected)
        return None if missing else self.labels(column)

    def _rows_of_systems(self, column: str) -> dict[str, list[int]] | None:
        """Return the rows of each system of a long table, or None if this is not one.

        A column called sys or model may also hold texts; names of systems have several rows each.
        """
        naming = self.find(name for name in SYSTEM if name != column.lower())
        if naming is None:
            return None
        rows: dict[str, list[int]] = {}
        for row, name in enumerate(self.values(naming)):
            if not isinstance(name, str) or not name:
                return None
            rows.setdefault(name, []).append(row)
        is_sure = naming.lower() == SYSTEM[0] or min(map(len, rows.values()), default=0) > 1
        return rows if len(rows) > 1 and is_sure else None

    def _shared_rows(
        self,
        column: str,
        values: Sequence[object],
        ids: Sequence[object] | None,
        documents: tuple[str, ...] | None,
        systems: dict[str, list[int]],
    ) -> list[int]:
        """Return one row per segment; a reference must be equal in the rows of all systems."""
        row_of: dict[Key, int] = {}
        for rows in systems.values():
            keys = _keys(ids, documents, rows) or [("", str(i)) for i in range(len(rows))]
            for key, row in zip(keys, rows, strict=True):
                if values[row_of.setdefault(key, row)] != values[row]:
                    expected = "the same text in the rows of all systems"
                    self.refuse(row, column, f"another text of segment {key[1]!r}", expected)
        return list(row_of.values())

    def _refuse_contradictions(
        self,
        values: Sequence[object],
        ids: Sequence[object],
        documents: tuple[str, ...] | None,
        rows: Sequence[int],
    ) -> None:
        """Raise MalformedFileError if rows with the same id have different texts."""
        row_of: dict[tuple[str, object], int] = {}
        for row in rows:
            value = ids[row]
            key = "" if documents is None else documents[row], str(value)
            earlier = row if is_blank(value) else row_of.setdefault(key, row)
            if values[earlier] != values[row]:
                line = self.line(earlier)
                where = f"row {earlier + 1}" if line is None else f"line {line}"
                found = f"another text of id {value!r} than on {where}"
                expected = "each id once; if ids restart in each document, add a column doc"
                raise MalformedFileError(self.path, self.line(row), found, expected)

    def _segments(
        self, column: str, values: Sequence[object], rows: Sequence[int], role: Role
    ) -> Segments:
        """Return the values in some rows of a column as segments."""
        for row in rows:
            value = values[row]
            if not isinstance(value, str) and not (value is None and role == "reference"):
                self.refuse(row, column, kind_of(value), "text")
            if isinstance(value, str) and "\0" in value:
                self.refuse(row, column, "a NUL character", "text")
        try:
            return Segments([cast("str | None", values[row]) for row in rows])
        except UnencodableSegmentError as error:
            self.refuse(rows[error.args[0] - 1], column, "half of a surrogate pair", "text")


def refuse_second_domain(path: str, layout: Layout, lines: Sequence[int | None]) -> None:
    """Raise MalformedFileError if a document has two domains."""
    domain_of: dict[str, str] = {}
    labels = zip(lines, layout.documents or (), layout.domains or (), strict=False)
    for line, document, domain in labels:
        before = domain_of.setdefault(document, domain)
        if before != domain:
            found = f"document {document!r} in domain {domain!r}, before in {before!r}"
            raise MalformedFileError(path, line, found, "one domain for each document")


def _keys(
    ids: Sequence[object] | None, documents: tuple[str, ...] | None, rows: Sequence[int]
) -> tuple[Key, ...] | None:
    """Return the keys of the segments in `rows`, or None if ids are missing or not unique."""
    if ids is None:
        return None
    values = [ids[row] for row in rows]
    if any(isinstance(value, bool) or not isinstance(value, str | int) for value in values):
        return None
    keys = tuple(("", str(value)) for value in values)
    if len(set(keys)) < len(keys) and documents is not None:
        pairs = zip(rows, values, strict=True)
        keys = tuple((documents[row], str(value)) for row, value in pairs)
    return keys if len(set(keys)) == len(keys) else None


def kind_of(value: object) -> str:
    """Describe a value of a wrong type, for messages."""
    if value is None:
        return "no value"
    if isinstance(value, list):
        return "a list"
    return f"a value of type {type(value).__name__}"


# Delimited text: TSV without quoting, and CSV with the quoting of RFC 4180.


def delimited(
    path: str,
    header: Sequence[str],
    rows: Iterable[tuple[int, Sequence[str | None]]],
    like: str = "in the header",
) -> Table:
    """Create a table from rows and the lines that they start on.

    The fields of all rows are one list, because a million lists would keep the garbage collector
    busy for seconds.
    """
    cells: list[str | None] = []
    lines: list[int] = []
    width = len(header)
    for number, row in rows:
        if len(row) != width:
            fields = "1 field" if len(row) == 1 else f"{len(row)} fields"
            raise MalformedFileError(path, number, fields, f"{width} fields, as {like}")
        cells += row
        lines.append(number)
    if not lines:
        raise EmptyTextError(path)
    indices = {name: index for index, name in reversed([*enumerate(header)])}

    def read(column: str) -> Sequence[object]:
        return cells[indices[column] :: width]

    return Table(path=path, columns=tuple(header), rows=len(lines), values=read, lines=lines)


def read_tsv(path: str, data: bytes) -> Table:
    """Read fields that end at tabs and rows that end at line feeds, without quoting."""
    text = decode(path, data)
    lines = _lines(path, text)
    carriage_returns = sum(line.endswith("\r") for line in lines)
    rows = (line.removesuffix("\r").split("\t") for line in lines)
    header = next(rows)
    table = delimited(path, header, enumerate(rows, 2))
    table.carriage_returns = carriage_returns
    return table


def _lines(path: str, text: str) -> list[str]:
    """Split a text into lines and remove a byte-order mark; raises EmptyTextError."""
    lines = text.removeprefix(BYTE_ORDER_MARK).split("\n")
    if not lines[-1]:
        lines.pop()
    if not lines:
        raise EmptyTextError(path)
    return lines


def read_csv(path: str, data: bytes) -> Table:
    """Read fields that end at commas; quoted fields may contain commas and line ends."""
    rows = csv_rows(path, decode(path, data).removeprefix(BYTE_ORDER_MARK))
    _, header = next(rows, (1, None))
    if header is None:
        raise EmptyTextError(path)
    return delimited(path, header, rows)


def csv_rows(path: str, text: str, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Yield the line where each row of CSV starts, and its fields."""
    import csv
    from io import StringIO

    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    while True:
        rows: list[tuple[int, list[str]]] = []
        broken: csv.Error | None = None
        # The module's default limit of 128 KiB per field would reject long segments.
        limit = csv.field_size_limit(max(len(text), 1))
        try:
            for row in islice(reader, CSV_ROWS):
                # A blank line is a row of one empty field.
                rows.append((line, row or [""]))
                line = reader.line_num + 1
        except csv.Error as error:
            broken = error
        finally:
            csv.field_size_limit(limit)
        # Report errors in earlier rows before the broken one.
        yield from rows
        if broken is not None:
            raise MalformedFileError(path, line, f"a broken row ({broken})", "CSV") from None
        if not rows:
            return


#: Number of rows to read at a time.
CSV_ROWS = 1 << 10


# JSON: one object per row, whose keys are the columns.


def table_of_records(
    path: str, records: Sequence[dict[str, object]], *, has_lines: bool = True
) -> Table:
    """Create a table with a row per JSON object; values of missing keys are None."""
    keys = tuple(dict.fromkeys(key for record in records for key in record))
    for key in keys:
        if not key.isascii() and any("\ud800" <= sign <= "\udfff" for sign in key):
            line = next(n for n, record in enumerate(records, 1) if key in record)
            found = f"half of a surrogate pair in the key {key!r}"
            raise MalformedFileError(path, line, found, "text")
    existing = set(keys)

    def read(column: str) -> Sequence[object]:
        if column in existing:
            return [record.get(column) for record in records]
        steps = column.split(".")
        return [value_inside(record, steps) for record in records]

    return Table(
        path=path,
        columns=keys,
        rows=len(records),
        values=read,
        lines=range(1, len(records) + 1) if has_lines else None,
        word="key",
        should_have_keys=True,
    )


def value_inside(value: Any, steps: Sequence[str]) -> Any:
    """Return the value at a path of nested keys and list indices, or None."""
    for step in steps:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and len(step) < 18:
            value = value[int(step)] if int(step) < len(value) else None
        else:
            return None
    return value


def read_json_lines(path: str, data: bytes) -> Table:
    """Read one JSON object per line; only lines at the end may be blank."""
    return table_of_records(path, read_records(path, data))


def read_json(path: str, data: bytes) -> Table:
    """Read a JSON array of objects, or of texts, which become the only column."""
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        raise EmptyTextError(path)
    try:
        items = parse_json(text)
    except ValueError as error:
        if text.lstrip().startswith("{"):  # JSON lines in spite of the extension
            return read_json_lines(path, data)
        raise MalformedFileError(path, None, f"invalid JSON ({error})", "a JSON array") from None
    if isinstance(items, dict) and "\n" not in text.strip():
        return read_json_lines(path, data)
    kinds = {isinstance(item, dict) for item in items} if isinstance(items, list) else set()
    if items == []:
        raise EmptyTextError(path)
    if len(kinds) != 1:
        found = "objects and other values in one array"
        if not kinds:
            found = f"JSON of type {type(items).__name__}"
        expected = "a JSON array of objects or of texts"
        raise MalformedFileError(path, None, found, expected)
    records = items if True in kinds else [{"text": item} for item in items]
    table = table_of_records(path, records, has_lines=False)
    # The texts of an array have no keys, only an order.
    table.should_have_keys = True in kinds
    return table


def read_records(path: str, data: bytes) -> list[dict[str, object]]:
    """Read the objects of a file with one object per line."""
    lines = decode(path, data).removeprefix(BYTE_ORDER_MARK).rstrip(" \t\r\n").split("\n")
    if lines == [""]:
        raise EmptyTextError(path)
    return [parse_record(path, number, line) for number, line in enumerate(lines, 1)]


class RepeatedKeyError(ValueError):
    """A JSON object repeats a key; Python would keep its last value."""

    def __str__(self) -> str:
        return f"the key {shortened(self.args[0])!r} twice"


def parse_json(text: str | bytes, **options: Any) -> Any:
    """Parse JSON; raises ValueError if it is invalid, repeats a key or nests too deeply."""
    import json

    try:
        return json.loads(text, object_pairs_hook=_distinct, **options)
    except RecursionError as error:
        raise ValueError(str(error)) from None


def json_in(path: str, line: int | None, text: str | bytes, expected: str) -> Any:
    """Parse JSON of a file or of one line; raises MalformedFileError with the line if invalid."""
    try:
        return parse_json(text)
    except ValueError as error:
        where = getattr(error, "lineno", None) if line is None else line
        raise MalformedFileError(path, where, f"invalid JSON ({error})", expected) from None


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = Counter(key for key, _ in pairs)
        raise RepeatedKeyError(next(key for key, count in keys.items() if count > 1))
    return record


def parse_record(path: str, number: int, line: str) -> dict[str, object]:
    """Parse the JSON object on a line; raises MalformedFileError for anything else."""
    if not line.strip():
        raise MalformedFileError(path, number, "a blank line", "a JSON object")
    record = json_in(path, number, line, "a JSON object")
    if not isinstance(record, dict):
        found = f"JSON of type {type(record).__name__}"
        raise MalformedFileError(path, number, found, 'a JSON object, such as {"reference": "…"}')
    return record


# Parquet, by the optional package pyarrow.


def read_parquet(path: str, data: bytes) -> Table:
    """Read a Parquet file; columns are loaded when they are used."""
    from io import BytesIO

    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("reading Parquet files", "parquet") from None

    @contextmanager
    def refused() -> Iterator[None]:
        try:
            yield
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            found = f"damaged data ({' '.join(str(error).split())})"
            raise MalformedFileError(path, None, found, "Parquet") from error

    def read(column: str) -> Sequence[object]:
        with refused():
            values: list[object] = file.read(columns=[column]).column(0).to_pylist()
        if len(values) != rows:
            found = f"{len(values)} values in column {column!r}"
            raise MalformedFileError(path, None, found, f"{rows} values, as in the file's metadata")
        return values

    with refused():
        file = pyarrow.parquet.ParquetFile(BytesIO(data))
        names, rows = tuple(file.schema_arrow.names), file.metadata.num_rows
    return Table(path=path, columns=names, rows=rows, values=read)


# Tables of any format.

_READERS: dict[str, Callable[[str, bytes], Table]] = {
    ".tsv": read_tsv,
    ".csv": read_csv,
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".json": read_json,
    ".parquet": read_parquet,
}


def parse_table(path: str, data: bytes) -> Table | None:
    """Parse decompressed bytes as a table; None if the extension is of no table format."""
    reader = _READERS.get(extension(path))
    if reader is None:
        return None
    table = reader(path, data)
    table.byte_order_mark = data.startswith(BYTE_ORDER_MARK.encode())
    return table


def read_score_table(path: str, data: bytes) -> Table:
    """Read a table of scores in the format of its extension, or else TSV with or without a header.

    Comments may precede it, as in truebleu's own tables. Rows without a header are system and
    score, or system, segment and score, as in WMT's files, separated by white space.
    """
    table = parse_table(path, data) if extension(path) != ".tsv" else None
    if table is None:
        table = _loose_table(path, decode(path, data))
    table.digest = digest(data)
    return table


def _loose_table(path: str, text: str) -> Table:
    lines = [line.removesuffix("\r") for line in _lines(path, text)]
    comments = [line.startswith("# ") and "\t" not in line for line in lines]
    if all(comments):
        raise EmptyTextError(path)
    start, fields = comments.index(False), [line.split() for line in lines[:2]]
    tabs = {line.count("\t") for line in lines[:2]}
    # A header and a row that have equally many fields only by white space.
    if start == 0 and len(tabs) == 2 and len(fields[0]) == len(fields[1]) > 1:
        return white_space_table(path, text)
    separator = "\t" if "\t" in lines[start] else None
    header, like = _implied_header(lines[start].split(separator)), f"on line {start + 1}"
    if header is None:
        separator, like = "\t", "in the header"
        header = lines[start].split(separator)
        start += 1
    rows = ((n, line.split(separator)) for n, line in enumerate(lines[start:], start + 1))
    return delimited(path, header, rows, like)


def _implied_header(fields: list[str]) -> list[str] | None:
    """Return the header of a table whose first row has scores, or None if it is a header.

    A first row that consists of numbers is a header: the names of the systems are numbers.
    """
    if len(fields) not in (2, 3) or is_number(fields[0]):
        return None
    if not all(is_number(value) or value.strip().lower() == "none" for value in fields[1:]):
        return None
    return ["system", "score"] if len(fields) == 2 else ["system", "segment", "score"]


def is_number(text: str) -> bool:
    """Return whether Python can parse a text as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def white_space_table(path: str, text: str) -> Table:
    """Read fields separated by any white space, as in files of R and WMT's scripts.

    Concatenated files repeat their header, which is skipped.
    """
    header, *rows = (line.split() for line in _lines(path, text))
    numbered = ((number, row) for number, row in enumerate(rows, 2) if row != header)
    return delimited(path, header, numbered)


# Columns of scores.


def sum_columns(columns: Sequence[Sequence[float | None]]) -> list[float | None]:
    """Add up the scores of each row; the sum is None if one of them is missing.

    Zhang & Vogel (2004), section 2.4, add the scores for fluency and adequacy.
    """
    return [
        None if None in row else sum(score for score in row if score is not None)
        for row in zip(*columns, strict=True)
    ]


def score_columns(
    table: Table,
    column: str | None = None,
    systems: Sequence[str] | None = None,
    rater: str | None = None,
) -> tuple[str, ...]:
    """Find the columns of scores, which are summed, or else belong to one system each.

    Args:
        table: table with the scores.
        column: chosen column, or several joined by +; None to detect it.
        systems: names of the systems; None if any column may be a system.
        rater: chosen column of raters, or None.
    """
    labels = {table.find(names) for names in (SYSTEM, SEGMENT, RATER, DOCUMENT, DOMAIN)} | {rater}
    candidates = [name for name in table.columns if name not in labels]
    score_candidates = [name for name in candidates if name.lower() not in NO_SCORES]
    if table.find(SYSTEM) is None:
        names = candidates
        if systems is not None:
            expected_names = {*systems, *score_candidates}
            names = [name for name in table.columns if name in expected_names]
        if not names or not (systems is None or set(names) & set(systems)):
            table.refuse_columns(_EXPECTED_COLUMNS)
        if column is not None:
            expected = f"no column, because each {table.word} of {table.path} is a system"
            raise SettingError("column", column, expected)
        return tuple(names)
    if column is not None:
        parts = (column,) if column in table.columns else tuple(column.split("+"))
        for part in parts:
            table.require(part)
        return parts
    if not score_candidates:
        table.refuse_columns(_EXPECTED_COLUMNS)
    named = [name for score in SCORE for name in score_candidates if name.lower() == score]
    if not named and len(score_candidates) > 1:
        found = f"the {table.word}s {first_names(score_candidates)}"
        expected = f"one score; choose it with column={score_candidates[0]}"
        raise MalformedFileError(table.path, None, found, expected)
    return ((named or score_candidates)[0],)


_EXPECTED_COLUMNS = (
    "system, segment and score; system and score; or a column named after each system"
)
