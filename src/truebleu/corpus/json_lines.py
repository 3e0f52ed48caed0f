"""Tables as JSON lines: one object per line, whose keys are the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.corpus.lines import BYTE_ORDER_MARK, decode
from truebleu.corpus.tables import Table
from truebleu.errors import EmptyTextError, MalformedFileError

if TYPE_CHECKING:
    from collections.abc import Sequence


class JsonLines(Table):
    """Objects; one that lacks a key has nothing in that column."""

    column_word = "key"

    def __init__(self, path: str, records: list[dict[str, object]]) -> None:
        super().__init__(path, list(dict.fromkeys(key for record in records for key in record)))
        self._records = records

    def values(self, column: str) -> Sequence[object]:
        """What each object has under a key, None where it has nothing."""
        return [record.get(column) for record in self._records]

    def line(self, row: int) -> int:
        """The line of an object: there is one on each."""
        return row + 1


def read_json_lines(path: str, data: bytes) -> JsonLines:
    """A table of one JSON object per line; only at the end may lines be blank."""
    table = JsonLines(path, read_records(path, data))
    table.byte_order_mark = data.startswith(BYTE_ORDER_MARK.encode())
    return table


def read_records(path: str, data: bytes) -> list[dict[str, object]]:
    """The objects of a file, one on each line from the first."""
    lines = decode(path, data).removeprefix(BYTE_ORDER_MARK).rstrip(" \t\r\n").split("\n")
    if lines == [""]:
        raise EmptyTextError(path)
    return [_record(path, number, line) for number, line in enumerate(lines, 1)]


def _record(path: str, number: int, line: str) -> dict[str, object]:
    import json

    if not line.strip():
        raise MalformedFileError(path, number, "a blank line", "a JSON object")
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        found = f"no valid JSON ({error})"
        raise MalformedFileError(path, number, found, "a JSON object") from None
    if not isinstance(record, dict):
        found = f"JSON of type {type(record).__name__}"
        raise MalformedFileError(path, number, found, 'a JSON object, such as {"reference": "…"}')
    return record
