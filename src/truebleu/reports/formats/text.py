"""Text for a terminal: aligned columns, then sentences."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

from truebleu.reports.document import Heading, Notes, Sentences, Table, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.reports.document import Document, Renderable


def render(document: Document, _result: Renderable | None = None) -> str:
    """The blocks one after the other, with a blank line between them."""
    parts = []
    for block in document.blocks:
        if isinstance(block, Heading):
            parts.append(one_line(block.text))
        elif isinstance(block, Table):
            parts.append(table_text(block))
        elif isinstance(block, Sentences | Notes) and block.lines:
            parts.append("\n".join(map(_wrapped, block.lines)))
    return "\n\n".join(parts) + "\n"


# How wide text may be, where no terminal says.
PAGE = 100
# Spaces between columns.
GAP = 2
# Characters that stand together, so that a reader can count them.
GROUP = 5


def _wrapped(line: str) -> str:
    """A sentence over as many lines as it needs; what has no spaces, such as a signature, stays."""
    text, width = one_line(line), _page_width()
    if len(text) <= width:
        return text
    indent = " " * (len(text) - len(text.lstrip()))
    lines, rest = [], text.strip()
    while len(indent + rest) > width:
        cut = rest.rfind(" ", 0, width - len(indent) + 1)
        cut = rest.find(" ") if cut <= 0 else cut
        if cut <= 0:
            break
        lines.append(indent + rest[:cut])
        rest = rest[cut + 1 :]
    return "\n".join([*lines, indent + rest])


def table_text(table: Table) -> str:
    """Aligned columns under a rule, then the notes; a table without rows is its notes.

    Columns of a table that is too wide move closer together; if that is not enough, it goes on
    below itself, the first column repeated.
    """
    notes = [_wrapped(note) for note in table.notes]
    if not table.rows:
        return "\n".join(notes)
    headings = tuple(column.heading for column in table.columns)
    rows = [tuple(map(one_line, row)) for row in (headings, *table.cells())]
    right = [table.is_numeric(column) for column in table.columns]
    page = _page_width()
    if _total(_widths(rows)) > page:
        rows, right = _packed(rows, right, [column.tight for column in table.columns])
    gap = 1 if _total(_widths(rows)) > page else GAP
    parts = [
        _aligned_table(
            [[row[place] for place in part] for row in rows], [right[place] for place in part], gap
        )
        for part in _folded(_widths(rows), page, gap)
    ]
    return "\n".join(["\n\n".join(parts), *(["", *notes] if notes else [])])


def _page_width() -> int:
    """The columns of the terminal that is written to, or as COLUMNS says."""
    if "COLUMNS" not in os.environ and not (sys.stdout is not None and sys.stdout.isatty()):
        return PAGE
    from shutil import get_terminal_size  # it loads every kind of compression

    return get_terminal_size().columns


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(_width, column)) for column in zip(*rows, strict=True)]


def _total(widths: Sequence[int], gap: int = GAP) -> int:
    return sum(widths) + gap * (len(widths) - 1)


def _packed(
    rows: Sequence[tuple[str, ...]], right: Sequence[bool], tight: Sequence[bool]
) -> tuple[list[tuple[str, ...]], list[bool]]:
    """Tight columns as one, a character each; of their headings the last characters are left."""
    if True not in tight:
        return list(rows), list(right)
    first, count = tight.index(True), tight.count(True)
    packed = []
    for row in rows:
        characters = [cell[-1:] or "·" for cell in row[first : first + count]]
        groups = ["".join(characters[place : place + GROUP]) for place in range(0, count, GROUP)]
        packed.append((*row[:first], " ".join(groups), *row[first + count :]))
    return packed, [*right[:first], False, *right[first + count :]]


def _folded(widths: Sequence[int], page: int, gap: int) -> list[list[int]]:
    """The columns of each part of a table: as many as fit beside the first."""
    parts = [[0]]
    for place in range(1, len(widths)):
        together = [widths[column] for column in (*parts[-1], place)]
        if len(together) > 2 and _total(together, gap) > page:
            parts.append([0])
        parts[-1].append(place)
    return parts


def _aligned_table(rows: Sequence[Sequence[str]], right: Sequence[bool], gap: int) -> str:
    widths = _widths(rows)
    heading, *lines = (_aligned(row, widths, right, gap) for row in rows)
    return "\n".join([heading, "-" * _total(widths, gap), *lines])


def _width(cell: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    if cell.isascii():
        return len(cell)
    return sum(
        0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1
        for character in cell
    )


def _aligned(row: Sequence[str], widths: Sequence[int], right: Sequence[bool], gap: int) -> str:
    cells = []
    for cell, width, on_the_right in zip(row, widths, right, strict=True):
        padding = " " * (width - _width(cell))
        cells.append(padding + cell if on_the_right else cell + padding)
    return (" " * gap).join(cells).rstrip()
