"""Tables: texts side by side, each chosen by its column, and columns of labels."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from truebleu._core import Segments
from truebleu.corpus._files import (
    BYTE_ORDER_MARK,
    DOCUMENT_COLUMNS,
    DOMAIN_COLUMNS,
    ID_COLUMNS,
    LABEL_COLUMNS,
    SYSTEM_COLUMN,
    Layout,
    NamedText,
    decode,
    extension,
    stem,
)
from truebleu.errors import (
    EmptyTextError,
    MalformedFileError,
    MissingColumnError,
    MissingExtraError,
    UnencodableSegmentError,
    shortened,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from truebleu.corpus._files import Key, Role


class Table:
    """Columns of a file. Each format says how to get their values and on which lines they are."""

    #: How a message calls an item of the file, in the format's own words.
    column_word: ClassVar[str] = "column"
    #: Whether rows without ids deserve a word when they pair with another file.
    should_have_keys: ClassVar[bool] = False

    def __init__(self, path: str, columns: Sequence[str]) -> None:
        self.path = path
        self.columns = tuple(columns)
        self.carriage_returns = 0
        self.byte_order_mark = False

    def values(self, column: str) -> Sequence[object]:
        """All values of a column that exists."""
        raise NotImplementedError

    def line(self, row: int) -> int | None:
        """The line of the file where a row starts, from 1; None where the format has no lines."""
        raise NotImplementedError

    def refuse_twins(self, line: int | None) -> None:
        """Raises MalformedFileError where two columns have one name; the line is the header's."""
        name, count = Counter(self.columns).most_common(1)[0] if self.columns else ("", 0)
        if count > 1:
            found = f"{count} {self.column_word}s called {name!r}"
            raise MalformedFileError(self.path, line, found, "a different name for each")

    def has(self, column: str) -> bool:
        """Whether there is such a column."""
        return column in self.columns

    def select(self, role: Role, name: str | None) -> list[NamedText]:
        """The texts in a column, with the documents and domains that stand beside them.

        That is one text, but for lists of references, each of which is a text, and for tables that
        have rows of several systems.
        """
        column = self.chosen_column(name)
        label = self.path if name is None else f"{self.path}#{name}"
        values = self.values(column)
        if not values:
            raise EmptyTextError(label)
        text = NamedText(
            label=label,
            path=self.path,
            name=stem(self.path) if name is None else name,
            segments=Segments([]),
            # Nobody asked for the labels: one that is null must not keep a text from scoring.
            layout=self.layout(lenient=True),
            carriage_returns=self.carriage_returns,
            byte_order_mark=self.byte_order_mark,
            should_have_keys=self.should_have_keys,
        )
        systems = self._systems(column)
        if systems is not None:
            return self._of_systems(text, column, role, systems)
        if role == "reference" and any(isinstance(value, list) for value in values):
            return self._of_lists(text, column, values)
        keys = _keys(self._ids(), text.layout.documents, range(len(values)))
        return [
            text._replace(
                segments=self._segments(column, values, role),
                layout=text.layout._replace(keys=keys),
            )
        ]

    # Rows of several systems: a long table.

    def _systems(self, column: str) -> dict[str, list[int]] | None:
        """The rows of each system, where the table has rows of several."""
        if SYSTEM_COLUMN not in self.columns or column == SYSTEM_COLUMN:
            return None
        rows: dict[str, list[int]] = {}
        for row, name in enumerate(self.values(SYSTEM_COLUMN)):
            if not isinstance(name, str) or not name:
                return None
            rows.setdefault(name, []).append(row)
        return rows if len(rows) > 1 else None

    def _of_systems(
        self, text: NamedText, column: str, role: Role, systems: dict[str, list[int]]
    ) -> list[NamedText]:
        values, ids = self.values(column), self._ids()
        texts = [
            text._replace(
                label=f"{self.path}: {name}",
                name=name,
                segments=self._segments(column, [values[row] for row in rows], role, rows),
                layout=Layout(
                    _chosen(text.layout.documents, rows),
                    _chosen(text.layout.domains, rows),
                    _keys(ids, text.layout.documents, rows),
                ),
            )
            for name, rows in systems.items()
        ]
        if role == "system":
            return texts
        # A reference or a source stands in the rows of every system, and must be the same there.
        by_key: dict[Key, str | None] = {}
        for other in texts:
            keys = other.layout.keys or tuple(("", str(i)) for i in range(len(other.segments)))
            for key, segment in zip(keys, other.segments, strict=True):
                if by_key.setdefault(key, segment) != segment:
                    found = f"two texts of segment {key[1]!r} in {self.column_word} {column!r}"
                    expected = "the same in the rows of all systems"
                    raise MalformedFileError(self.path, None, found, expected)
        longest = max(texts, key=lambda other: len(other.segments))
        if len(by_key) > len(longest.segments):
            longest = longest._replace(
                segments=Segments(list(by_key.values())), layout=Layout(keys=tuple(by_key))
            )
        return [longest._replace(label=text.label, name=text.name)]

    def _of_lists(self, text: NamedText, column: str, values: Sequence[object]) -> list[NamedText]:
        """A text for each place in lists of references; a shorter list has none there."""
        lists = [value if isinstance(value, list) else [value] for value in values]
        count = max(map(len, lists))
        if count == 0:
            raise EmptyTextError(text.label)
        keys = _keys(self._ids(), text.layout.documents, range(len(values)))
        return [
            text._replace(
                label=f"{text.label}[{place}]",
                name=f"{text.name}[{place}]",
                segments=self._segments(
                    column,
                    [items[place] if place < len(items) else None for items in lists],
                    "reference",
                ),
                layout=text.layout._replace(keys=keys),
            )
            for place in range(count)
        ]

    def _ids(self) -> Sequence[object] | None:
        """What names the segment of each row, where there is such a column."""
        column = next((name for name in ID_COLUMNS if name in self.columns), None)
        return None if column is None else self.values(column)

    def layout(self, *, lenient: bool = False) -> Layout:
        """Documents and domains, where the table has columns for them.

        Leniently, a column without a label for some segment counts as absent.
        """
        return Layout(
            self._labels(DOCUMENT_COLUMNS, lenient=lenient),
            self._labels(DOMAIN_COLUMNS, lenient=lenient),
        )

    def labels(self, column: str) -> tuple[str, ...]:
        """A column of labels: text, or whole numbers as text."""
        if column not in self.columns:
            raise MissingColumnError(self.path, self.column_word, column, self.columns)
        values = self.values(column)
        for row, value in enumerate(values):
            if not isinstance(value, str | int):
                found = f"{_kind(value)} in {self.column_word} {column!r}"
                raise MalformedFileError(self.path, self.line(row), found, "a label")
        return tuple(map(str, values))

    def _labels(self, names: Sequence[str], *, lenient: bool) -> tuple[str, ...] | None:
        column = next((name for name in names if name in self.columns), None)
        if column is None or (lenient and None in self.values(column)):
            return None
        return self.labels(column)

    def chosen_column(self, name: str | None) -> str:
        """The column of that name, or the only one."""
        column = self._only_column() if name is None else name
        if not self.has(column):
            raise MissingColumnError(self.path, self.column_word, column, self.columns)
        return column

    def _only_column(self) -> str:
        texts = [c for c in self.columns if c not in (*LABEL_COLUMNS, *ID_COLUMNS, SYSTEM_COLUMN)]
        candidates = texts or self.columns
        if not candidates:
            raise EmptyTextError(self.path)
        if len(candidates) == 1:
            return candidates[0]
        found = f"the {self.column_word}s {', '.join(self.columns)}"
        expected = f"one of them to be chosen, as in {self.path}#{candidates[0]}"
        raise MalformedFileError(self.path, None, found, expected)

    def _segments(
        self,
        column: str,
        values: Sequence[object],
        role: Role,
        rows: Sequence[int] | None = None,
    ) -> Segments:
        """The values of a column as text; their rows are all rows where they are not given."""
        numbers = range(len(values)) if rows is None else rows
        for row, value in zip(numbers, values, strict=True):
            if not isinstance(value, str) and not (value is None and role == "reference"):
                self._refuse(row, column, _kind(value))
            if isinstance(value, str) and "\0" in value:
                self._refuse(row, column, "a NUL character")
        try:
            return Segments([v if isinstance(v, str) else None for v in values])
        except UnencodableSegmentError as error:
            self._refuse(numbers[error.args[0] - 1], column, "half of a surrogate pair")

    def _refuse(self, row: int, column: str, found: str) -> NoReturn:
        line = self.line(row)
        where = "" if line is not None else f" in row {row + 1}"
        found = f"{found}{where} in {self.column_word} {column!r}"
        raise MalformedFileError(self.path, line, found, "text")


def _keys(
    ids: Sequence[object] | None, documents: tuple[str, ...] | None, rows: Sequence[int]
) -> tuple[Key, ...] | None:
    """The names of segments; None where there are no ids, or they do not tell rows apart."""
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


def _chosen(labels: tuple[str, ...] | None, rows: Sequence[int]) -> tuple[str, ...] | None:
    return None if labels is None else tuple(labels[row] for row in rows)


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, list):
        return "a list"
    return f"a value of type {type(value).__name__}"


# Tables as delimited text: TSV, which has no quoting, and CSV, which has that of RFC 4180.


class Delimited(Table):
    """Rows of fields under a header.

    The fields of all rows are one list: a list for each of a million rows would keep the garbage
    collector busy for seconds.
    """

    def __init__(
        self, path: str, header: list[str], cells: list[str], lines: Sequence[int]
    ) -> None:
        super().__init__(path, header)
        self.refuse_twins(1)
        if not cells:
            raise EmptyTextError(path)
        self._cells = cells
        self._lines = lines

    def values(self, column: str) -> Sequence[object]:
        """All fields of a column."""
        return self._cells[self.columns.index(column) :: len(self.columns)]

    def line(self, row: int) -> int:
        """The line where a row starts."""
        return self._lines[row]


def read_tsv(path: str, data: bytes) -> Delimited:
    """A table whose fields end at tabs and rows at line feeds; a quote is just a character."""
    text = decode(path, data)
    lines = text.removeprefix(BYTE_ORDER_MARK).split("\n")
    if not lines[-1]:
        lines.pop()
    if not lines:
        raise EmptyTextError(path)
    carriage_returns = sum(line.endswith("\r") for line in lines)
    if carriage_returns:
        lines = [line.removesuffix("\r") for line in lines]
    header, rows = lines[0].split("\t"), lines[1:]
    for number, row in enumerate(rows, 2):
        _refuse_ragged(path, number, row.count("\t") + 1, len(header))
    cells = "\t".join(rows).split("\t") if rows else []
    table = Delimited(path, header, cells, range(2, len(lines) + 1))
    table.carriage_returns = carriage_returns
    table.byte_order_mark = text.startswith(BYTE_ORDER_MARK)
    return table


def read_csv(path: str, data: bytes) -> Delimited:
    """A table whose fields end at commas; in quotes, a field may hold commas and line ends."""
    text = decode(path, data)
    rows = csv_rows(path, text.removeprefix(BYTE_ORDER_MARK))
    _, header = next(rows, (1, None))
    if header is None:
        raise EmptyTextError(path)
    table = delimited(path, header, rows)
    table.byte_order_mark = text.startswith(BYTE_ORDER_MARK)
    return table


def delimited(path: str, header: list[str], rows: Iterable[tuple[int, list[str]]]) -> Delimited:
    """A table of rows, each with the line where it starts."""
    cells: list[str] = []
    lines: list[int] = []
    for number, row in rows:
        _refuse_ragged(path, number, len(row), len(header))
        cells += row
        lines.append(number)
    return Delimited(path, header, cells, lines)


def csv_rows(path: str, text: str, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """The fields of each row of CSV, and the line where it starts."""
    import io

    rows = CsvRows(path, io.StringIO(text, newline=""), len(text), delimiter)
    while found := rows.next(CSV_ROWS):
        yield from found


#: Rows that are taken from a reader at a time.
CSV_ROWS = 1 << 10


class CsvRows:
    """Rows of CSV from lines that come one after the other.

    Args:
        path: the file.
        lines: with their ends.
        longest: how long a field may be.
        delimiter: what stands between fields.
    """

    def __init__(self, path: str, lines: Iterable[str], longest: int, delimiter: str = ",") -> None:
        import csv

        self._path, self._longest, self._line = path, max(longest, 1), 1
        self._broken: str | None = None
        self._reader = csv.reader(lines, delimiter=delimiter, strict=True)

    def next(self, count: int) -> list[tuple[int, list[str]]]:
        """So many rows at most, each with the line where it starts; none at the end."""
        import csv

        rows: list[tuple[int, list[str]]] = []
        if self._broken is not None:
            raise MalformedFileError(self._path, self._line, self._broken, "CSV")
        # The module's own limit of 128 KiB for a field would refuse long segments.
        limit = csv.field_size_limit(self._longest)
        try:
            for row in islice(self._reader, count):
                # A blank line is a row of one empty field.
                rows.append((self._line, row or [""]))
                self._line = self._reader.line_num + 1
        except csv.Error as error:
            # What is wrong with the rows before it is to be said first.
            self._broken = f"a broken row ({error})"
        finally:
            csv.field_size_limit(limit)
        return rows or (self.next(count) if self._broken is not None else [])


def _refuse_ragged(path: str, line: int, fields: int, columns: int) -> None:
    if fields != columns:
        found = "1 field" if fields == 1 else f"{fields} fields"
        raise MalformedFileError(path, line, found, f"{columns}, as in the header")


# Tables as JSON lines: one object per line, whose keys are the columns.


class JsonLines(Table):
    """Objects; one that lacks a key has nothing in that column."""

    column_word = "key"
    should_have_keys = True

    def __init__(
        self, path: str, records: list[dict[str, object]], *, has_lines: bool = True
    ) -> None:
        keys = list(dict.fromkeys(key for record in records for key in record))
        for key in keys:
            if not key.isascii() and any("\ud800" <= sign <= "\udfff" for sign in key):
                line = next(n for n, record in enumerate(records, 1) if key in record)
                found = f"half of a surrogate pair in the key {key!r}"
                raise MalformedFileError(path, line, found, "text")
        super().__init__(path, keys)
        self._records = records
        self._has_lines = has_lines

    def has(self, column: str) -> bool:
        """Whether any object has the key, or keys inside it: `response.text`."""
        return column in self.columns or any(value is not None for value in self._inside(column))

    def values(self, column: str) -> Sequence[object]:
        """What each object has under a key, None where it has nothing."""
        if column in self.columns:
            return [record.get(column) for record in self._records]
        return self._inside(column)

    def _inside(self, path: str) -> list[object]:
        """What is under keys inside keys, with dots between them; numbers count places in lists."""
        steps = path.split(".")
        values: list[object] = []
        for record in self._records:
            value: object = record
            for step in steps:
                if isinstance(value, dict):
                    value = value.get(step)
                elif (
                    isinstance(value, list)
                    and step.isdecimal()
                    and len(step) < 18
                    and int(step) < len(value)
                ):
                    value = value[int(step)]
                else:
                    value = None
            values.append(value)
        return values

    def line(self, row: int) -> int | None:
        """The line of an object, where there is one on each."""
        return row + 1 if self._has_lines else None


def read_json_lines(path: str, data: bytes) -> JsonLines:
    """A table of one JSON object per line; only at the end may lines be blank."""
    table = JsonLines(path, read_records(path, data))
    table.byte_order_mark = data.startswith(BYTE_ORDER_MARK.encode())
    return table


def read_json(path: str, data: bytes) -> Table:
    """A JSON array of objects, or of texts, which are then the only column."""
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        raise EmptyTextError(path)
    try:
        items = parse_json(text)
    except RepeatedKeyError as error:
        raise MalformedFileError(path, None, str(error), "each key once") from None
    except ValueError as error:
        if text.lstrip().startswith("{"):  # an object on each line, whatever the ending says
            return read_json_lines(path, data)
        raise MalformedFileError(path, None, f"no valid JSON ({error})", "a JSON array") from None
    if not isinstance(items, list):
        if isinstance(items, dict) and "\n" not in text.strip():
            return read_json_lines(path, data)
        found = f"JSON of type {type(items).__name__}"
        raise MalformedFileError(path, None, found, "a JSON array of objects or of texts")
    if not items:
        raise EmptyTextError(path)
    table: JsonLines
    if all(isinstance(item, dict) for item in items):
        table = JsonLines(path, items, has_lines=False)
    elif any(isinstance(item, dict) for item in items):
        found = "objects and other values in one array"
        raise MalformedFileError(path, None, found, "a JSON array of objects or of texts")
    else:
        table = _JsonTexts(path, [{"text": item} for item in items], has_lines=False)
    table.byte_order_mark = data.startswith(BYTE_ORDER_MARK.encode())
    return table


class _JsonTexts(JsonLines):
    """An array of texts, whose order is all there is."""

    should_have_keys = False


def read_records(path: str, data: bytes) -> list[dict[str, object]]:
    """The objects of a file, one on each line from the first."""
    lines = decode(path, data).removeprefix(BYTE_ORDER_MARK).rstrip(" \t\r\n").split("\n")
    if lines == [""]:
        raise EmptyTextError(path)
    return [parse_record(path, number, line) for number, line in enumerate(lines, 1)]


class RepeatedKeyError(ValueError):
    """A JSON object has a key twice, and Python would keep the last of them only."""

    def __str__(self) -> str:
        return f"the key {shortened(self.args[0])!r} twice"


def parse_json(text: str | bytes, **options: Any) -> Any:
    """JSON from a file; a ValueError where it is none, a key is repeated or lists are too deep."""
    import json

    try:
        return json.loads(text, object_pairs_hook=_distinct, **options)
    except RecursionError as error:
        raise ValueError(str(error)) from None


def json_in(path: str, line: int | None, text: str | bytes, expected: str) -> Any:
    """JSON in a file, or on a line of it; refused with its place where it is none."""
    try:
        return parse_json(text)
    except ValueError as error:
        where = getattr(error, "lineno", None) if line is None else line
        raise MalformedFileError(path, where, f"no valid JSON ({error})", expected) from None


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = Counter(key for key, _ in pairs)
        raise RepeatedKeyError(next(key for key, count in keys.items() if count > 1))
    return record


def parse_record(path: str, number: int, line: str) -> dict[str, object]:
    """The object on a line."""
    if not line.strip():
        raise MalformedFileError(path, number, "a blank line", "a JSON object")
    try:
        record = parse_json(line)
    except RepeatedKeyError as error:
        raise MalformedFileError(path, number, str(error), "each key once") from None
    except ValueError as error:
        found = f"no valid JSON ({error})"
        raise MalformedFileError(path, number, found, "a JSON object") from None
    if not isinstance(record, dict):
        found = f"JSON of type {type(record).__name__}"
        raise MalformedFileError(path, number, found, 'a JSON object, such as {"reference": "…"}')
    return record


# Tables as Parquet, read by the optional package pyarrow.


class Parquet(Table):
    """Columns of a Parquet file; only those that are asked for are read."""

    def __init__(self, path: str, file: Any) -> None:
        super().__init__(path, file.schema_arrow.names)
        self.refuse_twins(None)
        self._file = file

    def values(self, column: str) -> Sequence[object]:
        """All values of a column, None where one is null."""
        import pyarrow

        try:
            values: list[object] = self._file.read(columns=[column]).column(0).to_pylist()
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise _malformed(self.path, error) from error
        return values

    def line(self, row: int) -> None:  # noqa: ARG002
        """None: there are no lines."""
        return


class ParquetPart(Table):
    """Some rows of a Parquet file, in the columns that were asked for."""

    def __init__(self, path: str, rows: Any, first: int) -> None:
        super().__init__(path, rows.schema.names)
        self._rows, self._first = rows, first

    def values(self, column: str) -> Sequence[object]:
        """The values of a column, None where one is null."""
        values: list[object] = self._rows.column(column).to_pylist()
        return values

    def line(self, row: int) -> None:  # noqa: ARG002
        """None: there are no lines."""
        return

    def _refuse(self, row: int, column: str, found: str) -> NoReturn:
        super()._refuse(self._first + row, column, found)


class ParquetParts:
    """A column of a Parquet file, with ids and documents; no more is read than is needed.

    Args:
        path: the file.
        column: the column, or the only one.
        defaults: columns of which the first that is there is taken where none was named.
    """

    def __init__(self, path: str, column: str | None, defaults: Sequence[str] = ()) -> None:
        self.path = path
        self._file = _parquet_file(path, path)
        table = Parquet(path, self._file)
        known = next((name for name in defaults if name in table.columns), None)
        self.column = table.chosen_column(known if column is None else column)
        self.columns = table.columns
        beside = [
            name
            for names in (ID_COLUMNS, DOCUMENT_COLUMNS)
            for name in [name for name in names if name in table.columns][:1]
        ]
        self._batches = self._file.iter_batches(
            batch_size=PARQUET_BATCH, columns=list(dict.fromkeys([self.column, *beside]))
        )
        self._rows: list[Any] = []
        self._taken = 0

    @property
    def share_read(self) -> float:
        """From 0 to 1."""
        return self._taken / max(1, self.rows)

    @property
    def rows(self) -> int:
        """How many there are in all."""
        rows: int = self._file.metadata.num_rows
        return rows

    def read(self) -> Any:
        """The next batch of rows; None at the end."""
        import pyarrow

        try:
            return next(self._batches, None)
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise _malformed(self.path, error) from error

    def part(self, batches: Sequence[Any], rows: int) -> tuple[ParquetPart, list[Any]]:
        """The first rows of some batches, and the batches of the others."""
        import pyarrow

        table = pyarrow.Table.from_batches(batches)
        part = ParquetPart(self.path, table.slice(0, rows), self._taken)
        self._taken += rows
        return part, table.slice(rows).to_batches()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


#: Rows that are read of a Parquet file at a time.
PARQUET_BATCH = 1 << 12


def read_parquet(path: str, data: bytes) -> Parquet:
    """The table in a Parquet file."""
    import io

    return Parquet(path, _parquet_file(path, io.BytesIO(data)))


def _parquet_file(path: str, source: Any) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("reading Parquet files", "parquet") from None
    try:
        return pyarrow.parquet.ParquetFile(source)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _malformed(path, error) from error


def _malformed(path: str, error: Exception) -> MalformedFileError:
    reason = " ".join(str(error).split())
    return MalformedFileError(path, None, f"damaged data ({reason})", "Parquet")


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
    """The table in a file's uncompressed bytes; None where its ending is not that of a table."""
    reader = _READERS.get(extension(path))
    return None if reader is None else reader(path, data)
