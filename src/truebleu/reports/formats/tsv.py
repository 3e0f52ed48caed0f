"""Tab-separated values for programs: one table, one number per cell, every digit."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from truebleu.reports.document import one_line

if TYPE_CHECKING:
    from truebleu.reports.document import Document, Renderable, Value

# A spreadsheet takes a text cell that begins with one of these for a formula, the wide ones in some
# languages; a quotation mark would make it, and other readers, look for the end of the cell.
UNSAFE = ("=", "+", "-", "@", "＝", "＋", "－", "＠", '"')


def render(document: Document, _result: Renderable | None = None) -> str:
    """The document's data under a heading line; sentences and notes are comments above it."""
    table = document.data
    comments = [*document.sentences, *table.notes]
    names = tuple(map(_cell, table.names))
    rows = [names, *(tuple(map(_cell, map(row.get, table.names))) for row in table.rows)]
    lines = [*(f"# {one_line(comment)}" for comment in comments), *map("\t".join, rows)]
    return "\n".join(lines) + "\n"


def _cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return repr(float(value)) if isfinite(value) else ""
    if isinstance(value, str):
        text = one_line(value)
        return f"'{text}" if text.lstrip().startswith(UNSAFE) else text
    return str(value)
