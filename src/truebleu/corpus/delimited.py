"""Tables as delimited text: TSV, which has no quoting, and CSV, which has that of RFC 4180."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.corpus.lines import BYTE_ORDER_MARK, decode
from truebleu.corpus.tables import Table
from truebleu.errors import EmptyTextError, MalformedFileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


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
    cells: list[str] = []
    lines: list[int] = []
    for number, row in rows:
        _refuse_ragged(path, number, len(row), len(header))
        cells += row
        lines.append(number)
    table = Delimited(path, header, cells, lines)
    table.byte_order_mark = text.startswith(BYTE_ORDER_MARK)
    return table


def csv_rows(path: str, text: str, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """The fields of each row of CSV, and the line where it starts."""
    import csv
    import io

    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    # The module's own limit of 128 KiB for a field would refuse long segments.
    limit = csv.field_size_limit(max(len(text), 1))
    try:
        for row in reader:
            # A blank line is a row of one empty field.
            yield line, row or [""]
            line = reader.line_num + 1
    except csv.Error as error:
        raise MalformedFileError(path, line, f"a broken row ({error})", "CSV") from None
    finally:
        csv.field_size_limit(limit)


def _refuse_ragged(path: str, line: int, found: int, expected: int) -> None:
    if found != expected:
        fields = "1 field" if found == 1 else f"{found} fields"
        raise MalformedFileError(path, line, fields, f"{expected}, as in the header")
