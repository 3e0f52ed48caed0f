"""Text for a terminal: aligned columns, then sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

from truebleu.reports.document import Heading, Notes, Sentences, Table, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu._results import Result
    from truebleu.reports.document import Document


def render(document: Document, _result: Result | None = None) -> str:
    """The blocks one after the other, with a blank line between them."""
    parts = []
    for block in document.blocks:
        if isinstance(block, Heading):
            parts.append(one_line(block.text))
        elif isinstance(block, Table):
            parts.append(table_text(block))
        elif isinstance(block, Sentences | Notes) and block.lines:
            parts.append("\n".join(map(one_line, block.lines)))
    return "\n\n".join(parts) + "\n"


def table_text(table: Table) -> str:
    """Aligned columns under a rule, then the notes; a table without rows is its notes."""
    notes = [one_line(note) for note in table.notes]
    if not table.rows:
        return "\n".join(notes)
    headings = tuple(column.heading for column in table.columns)
    rows = [tuple(map(one_line, row)) for row in (headings, *table.cells())]
    widths = [max(_width(row[index]) for row in rows) for index in range(len(table.columns))]
    right = [table.is_numeric(column) for column in table.columns]
    heading, *lines = (_aligned(row, widths, right) for row in rows)
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([heading, rule, *lines, *(["", *notes] if notes else [])])


def _width(cell: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    return sum(
        0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1
        for character in cell
    )


def _aligned(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    cells = []
    for cell, width, on_the_right in zip(row, widths, right, strict=True):
        padding = " " * (width - _width(cell))
        cells.append(padding + cell if on_the_right else cell + padding)
    return "  ".join(cells).rstrip()
