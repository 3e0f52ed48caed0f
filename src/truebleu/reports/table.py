"""A table and how it is written: as text, TSV, LaTeX or Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # The standard font has other characters in their places, or none.
    "<": "$<$",
    ">": "$>$",
    "|": r"\textbar{}",
    "−": "$-$",
    "–": "--",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
# A hyphen before a number is a minus sign.
MINUS = re.compile(r"(?<![\w.-])-(?=\d)")
# A table cell ends at these, so they must not stand in it.
CELL_ENDS = str.maketrans({"\t": " ", "\n": " ", "\r": " "})


@dataclass(frozen=True, slots=True)
class Column:
    """A heading; numbers stand on the right."""

    heading: str
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text, with notes that stand below the table."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def text(table: Table) -> str:
    """Aligned columns for a terminal."""
    rows = [_headings(table), *table.rows]
    lines = [tuple(cell.translate(CELL_ENDS) for cell in row) for row in rows]
    widths = [max(_width(row[index]) for row in lines) for index in range(len(table.columns))]
    written = [_aligned(row, widths, table.columns) for row in lines]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return _joined([written[0], rule, *written[1:], "", *table.notes])


def tsv(table: Table) -> str:
    """Tab-separated values with a heading line; notes become comment lines above it."""
    rows = [_headings(table), *table.rows]
    written = ["\t".join(cell.translate(CELL_ENDS) for cell in row) for row in rows]
    return _joined([*(f"# {note}" for note in table.notes if note), *written])


def latex(table: Table) -> str:
    """A tabular environment in the style of booktabs; notes become comments."""
    columns = "".join("r" if column.numeric else "l" for column in table.columns)
    lines = (_headings(table), *table.rows)
    heading, *rows = (_latex_row(line, table.columns) for line in lines)
    return _joined(
        [
            *(f"% {note}" for note in table.notes if note),
            f"\\begin{{tabular}}{{{columns}}}",
            "\\toprule",
            heading,
            "\\midrule",
            *rows,
            "\\bottomrule",
            "\\end{tabular}",
        ]
    )


def markdown(table: Table) -> str:
    """A pipe table; notes follow as code, so that their characters stay as they are."""
    rule = ["---:" if column.numeric else "---" for column in table.columns]
    rows = [_headings(table), tuple(rule), *table.rows]
    written = ["| " + " | ".join(_markdown_cell(cell) for cell in row) + " |" for row in rows]
    notes = [line for note in table.notes if note for line in ("", f"`{note}`")]
    return _joined([*written, *notes])


RENDERERS: Mapping[str, Callable[[Table], str]] = {
    "text": text,
    "tsv": tsv,
    "latex": latex,
    "markdown": markdown,
}


def _headings(table: Table) -> tuple[str, ...]:
    return tuple(column.heading for column in table.columns)


def _width(cell: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    return sum(
        0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1
        for character in cell
    )


def _aligned(row: Sequence[str], widths: Sequence[int], columns: Sequence[Column]) -> str:
    cells = []
    for cell, width, column in zip(row, widths, columns, strict=True):
        padding = " " * (width - _width(cell))
        cells.append(padding + cell if column.numeric else cell + padding)
    return "  ".join(cells).rstrip()


def _latex_row(row: Sequence[str], columns: Sequence[Column]) -> str:
    cells = (
        _latex_cell(MINUS.sub("−", cell) if column.numeric else cell)
        for cell, column in zip(row, columns, strict=True)
    )
    written = " & ".join(cells) + r" \\"
    # After the end of the row above, a bracket or a star would be taken for its argument.
    return "{}" + written if written.startswith(("[", "*")) else written


def _latex_cell(cell: str) -> str:
    cell = cell.translate(CELL_ENDS)
    return "".join(LATEX_SPECIAL.get(character, character) for character in cell)


def _markdown_cell(cell: str) -> str:
    return cell.translate(CELL_ENDS).replace("\\", "\\\\").replace("|", "\\|")


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"
