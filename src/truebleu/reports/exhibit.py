"""An exhibit as a table: its title, its rows, and its findings below them."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING

from truebleu.reports.json import json_text
from truebleu.reports.table import CELL_ENDS, RENDERERS, Column, Table

if TYPE_CHECKING:
    from truebleu.exhibits import Exhibit, Field, Value

#: Where there is no value; a finding says why.
MISSING = "–"
# What Markdown would take for markup in a sentence.
MARKUP = re.compile(r"([\\`*_<\[\]|])")


def render_exhibit(exhibit: Exhibit, format_: str = "text") -> str:
    """An exhibit in one of FORMATS, ending with a line feed.

    People get headings, and as many decimals as the fields ask for. Programs get every digit: TSV
    has the names of the fields above its columns and nothing where there is no value.
    """
    if format_ == "json":
        return json_text(exhibit.to_dict())
    if format_ == "tsv":
        return RENDERERS["tsv"](_table_for_programs(exhibit))
    title, *findings = (line.translate(CELL_ENDS) for line in (exhibit.title, *exhibit.findings))
    if format_ == "markdown":
        table = RENDERERS["markdown"](_table_for_people(exhibit))
        listed = "".join(f"- {_plain(finding)}\n" for finding in findings)
        return f"**{_plain(title)}**\n\n{table}" + (f"\n{listed}" if listed else "")
    if format_ == "latex":
        return RENDERERS["latex"](_table_for_people(exhibit, title, *findings))
    return f"{title}\n\n" + RENDERERS[format_](_table_for_people(exhibit, *findings))


def cell(value: Value, field: Field) -> str:
    """A value as people read it: rounded, as a percentage or with its sign, as its field says."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if value is None or not isfinite(value):
        return MISSING
    number, unit = (100 * value, " %") if field.percent else (value, "")
    sign = "+" if field.sign else ""
    if field.digits is not None:
        # Adding 0 takes the sign from what is rounded to 0.
        return f"{round(number, field.digits) + 0.0:{sign}.{field.digits}f}{unit}"
    return (
        f"{number:{sign}d}" if isinstance(number, int) and not unit else f"{number:{sign}.6g}{unit}"
    )


def _table_for_people(exhibit: Exhibit, *notes: str) -> Table:
    columns = tuple(
        Column(one.heading, numeric=_is_numeric(exhibit, one)) for one in exhibit.fields
    )
    rows = tuple(
        tuple(cell(row.get(one.name), one) for one in exhibit.fields) for row in exhibit.rows
    )
    return Table(columns, rows, notes)


def _table_for_programs(exhibit: Exhibit) -> Table:
    names = [name for one in exhibit.fields for name in one.parts or (one.name,)]
    columns = tuple(Column(name) for name in names)
    rows = tuple(tuple(_exact(row.get(name)) for name in names) for row in exhibit.rows)
    notes = (line.translate(CELL_ENDS) for line in (exhibit.title, *exhibit.findings))
    return Table(columns, rows, tuple(notes))


def _exact(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return repr(float(value)) if isfinite(value) else ""
    return "" if value is None else str(value)


def _is_numeric(exhibit: Exhibit, field: Field) -> bool:
    """Whether all that a column has are numbers; a column of nothing is as its field says."""
    values = [row.get(field.name) for row in exhibit.rows]
    kinds = {
        isinstance(value, int | float) and not isinstance(value, bool)
        for value in values
        if value is not None
    }
    return all(kinds) if kinds else field.digits is not None


def _plain(sentence: str) -> str:
    return MARKUP.sub(r"\\\1", sentence)
