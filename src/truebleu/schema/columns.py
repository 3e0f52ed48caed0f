"""Columns: headings and formats of the fields of results, and their names for programs."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Any, Literal, TypeAlias

from truebleu.schema.declare import is_finite, type_hints

#: Lower and upper bound of an interval; None for no bound.
Bounds: TypeAlias = tuple[float | None, float | None]
#: Value of a cell; None if it is missing.
Value: TypeAlias = str | int | float | bool | Bounds | None
#: Names of columns of p-values, which are never shown as 0.
P_VALUES = ("p", "p_adjusted")
#: Text of a missing value.
NO_VALUE = "–"


@dataclass(frozen=True, slots=True)
class Column:
    """Heading and format of a field of results.

    Attributes:
        name: name of the field; key in every row, and heading for programs.
        heading: heading for human readers, with the unit; by default the name.
        digits: decimals of the numbers; None for text and whole numbers.
        percent: True if the number is a share, written as a percentage, or an interval of one.
        sign: True if the number is a difference, written with its sign.
        parts: names of the numbers that a text combines; programs get these numbers.
        numeric: True to align cells on the right; None to do so if all cells are numbers.
        continues: True if the column belongs to the column before it, such as an interval to its
            score; a table that is too wide keeps them together.
        bold: key in a row that tells whether the cell is bold; for papers.
        mark: key in a row with a mark of significance next to the cell; for papers.
    """

    name: str = ""
    heading: str = ""
    digits: int | None = None
    percent: bool = False
    sign: bool = False
    parts: tuple[str, ...] = ()
    numeric: bool | None = None
    continues: bool = False
    bold: str | None = None
    mark: str | None = None

    def cell(self, value: Value) -> str:
        """Format a value for human readers.

        >>> Column("p", "p", digits=2, percent=True).cell(0.123456)
        '12.35 %'
        """
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str):
            return value
        if isinstance(value, tuple):
            low, high = (x if x is None or not self.percent else 100 * x for x in value)
            return bracketed((low, high), self.digits or 0, sign="+" if self.sign else "")
        if value is None or not is_finite(value):
            return NO_VALUE
        number, unit = (100 * value, " %") if self.percent else (value, "")
        sign = "+" if self.sign else ""
        if self.digits is not None and self.name in P_VALUES and 0 <= number < 10**-self.digits:
            return f"< {10**-self.digits:.{self.digits}f}"
        if self.digits is not None:
            # Adding 0 removes the sign of -0.
            return f"{round(number, self.digits) + 0.0:{sign}.{self.digits}f}{unit}"
        if isinstance(number, int) and not unit:
            return f"{number:{sign}d}"
        return f"{number:{sign}.6g}{unit}"


def bracketed(interval: Bounds, digits: int, *, sign: Literal["", "+"] = "") -> str:
    """Format an interval in brackets; a rounded 0 has no minus sign, None stands for no bound.

    Without any bound there is no interval.

    Examples:
        >>> bracketed((-0.00001, 0.5), 2)
        '[0.00, 0.50]'
        >>> bracketed((-1.25, 0.5), 1, sign="+")
        '[-1.2, +0.5]'
        >>> bracketed((0.004, 0.5), 2), bracketed((None, 0.5), 2)
        ('[0.004, 0.500]', '(−∞, 0.50]')
        >>> bracketed((None, None), 2)
        '(no interval)'
    """
    if interval == (None, None):
        return "(no interval)"
    # A bound near 0 decides significance, so it must not look like 0.
    near = [bound for bound in interval if bound and not round(bound, digits)]
    if near and all(round(bound, digits + 2) for bound in near):
        digits += 1 if all(round(bound, digits + 1) for bound in near) else 2
    low, high = (
        None if bound is None else f"{round(bound, digits) + 0.0:{sign}.{digits}f}"
        for bound in interval
    )
    return f"{'(−∞' if low is None else f'[{low}'}, {'∞)' if high is None else f'{high}]'}"


@cache
def columns_of(kind: type) -> dict[str, Column]:
    """Return the columns of a class of results by field, from `Column` in its annotation if any.

    Programs get two numbers of a field that ends in ``interval``: for ``rate_interval``,
    ``rate_low`` and ``rate_high``.
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
    """Return a result as a flat row, each number by its name for programs."""
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
