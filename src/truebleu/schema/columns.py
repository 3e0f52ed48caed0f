"""Columns: how fields of results are shown to people and named for programs."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeAlias

from truebleu.schema.declare import is_finite, type_hints

#: What a cell may hold; None where there is no value.
Value: TypeAlias = str | int | float | bool | None
#: The names of columns of p-values, which are never shown as 0.
P_VALUES = ("p", "p_adjusted")
#: What people see where there is no value.
NO_VALUE = "–"


@dataclass(frozen=True, slots=True)
class Column:
    """How a field is shown: its heading, and how its values are written.

    Attributes:
        name: the key in every row, and the heading for programs; that of the field.
        heading: the heading for people, with the unit; the name where there is none.
        digits: decimals of its numbers; None for text and whole numbers.
        percent: the number is a share, written as a percentage.
        sign: the number is a difference, written with its sign.
        parts: the names of the numbers that a text for people is made of; programs get those.
        numeric: whether cells are aligned on the right; if None, where all of them are numbers.
        bold: the name in a row that says whether the cell is in bold print; for papers.
        mark: the name in a row that has a mark of significance beside the cell; for papers.
    """

    name: str = ""
    heading: str = ""
    digits: int | None = None
    percent: bool = False
    sign: bool = False
    parts: tuple[str, ...] = ()
    numeric: bool | None = None
    bold: str | None = None
    mark: str | None = None

    def cell(self, value: Value) -> str:
        """A value as people read it.

        >>> Column("p", "p", digits=2, percent=True).cell(0.123456)
        '12.35 %'
        """
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str):
            return value
        if value is None or not is_finite(value):
            return NO_VALUE
        number, unit = (100 * value, " %") if self.percent else (value, "")
        sign = "+" if self.sign else ""
        if self.digits is not None and self.name in P_VALUES and 0 <= number < 10**-self.digits:
            return f"< {10**-self.digits:.{self.digits}f}"
        if self.digits is not None:
            # Adding 0 takes the sign from what is rounded to 0.
            return f"{round(number, self.digits) + 0.0:{sign}.{self.digits}f}{unit}"
        if isinstance(number, int) and not unit:
            return f"{number:{sign}d}"
        return f"{number:{sign}.6g}{unit}"


@cache
def columns_of(kind: type) -> dict[str, Column]:
    """The columns of a class of results, by field: from `Column` in its annotation, or plain.

    A field that ends in ``interval`` gives two numbers to programs: ``low`` and ``high``, behind
    what its name begins with.
    """
    columns, hints = {}, type_hints(kind)
    for field in fields(kind):
        metadata = getattr(hints[field.name], "__metadata__", ())
        declared = next((item for item in metadata if isinstance(item, Column)), Column())
        parts = declared.parts
        if not parts and field.name.endswith("interval"):
            stem = field.name.removesuffix("interval")
            parts = (f"{stem}low", f"{stem}high")
        heading = declared.heading or field.name.replace("_", " ")
        columns[field.name] = replace(declared, name=field.name, heading=heading, parts=parts)
    return columns


def row_of(item: Any) -> dict[str, Any]:
    """A result as a flat row: each number under the name that programs know it by."""
    row: dict[str, Any] = {}
    for name, column in columns_of(type(item)).items():  # type: ignore[arg-type]
        value = getattr(item, name)
        if column.parts:
            row |= zip(column.parts, value or [None] * len(column.parts), strict=True)
        elif is_dataclass(value):
            row |= {f"{name}_{part}": inner for part, inner in row_of(value).items()}
        elif value is None or isinstance(value, str | int | float):
            row[name] = value
    return row
