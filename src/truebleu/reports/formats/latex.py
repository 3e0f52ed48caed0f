"""LaTeX tables in the style of booktabs; sentences and notes are comments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truebleu.reports.document import Heading, Notes, Sentences, Table, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from truebleu._results import Result
    from truebleu.reports.document import Document

SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # The standard font has other characters in their places, or none.
    "<": "$<$",
    ">": "$>$",
    "|": r"\textbar{}",
    "−": "$-$",
    "–": "--",
    "τ": r"$\tau$",
    "γ": r"$\gamma$",
    "ρ": r"$\rho$",
    "β": r"$\beta$",
    "±": r"$\pm$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "×": r"$\times$",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
# A hyphen before a number is a minus sign.
MINUS = re.compile(r"(?<![\w.-])-(?=\d)")


def render(document: Document, _result: Result | None = None) -> str:
    """A tabular environment for each table; all else as comments."""
    parts = []
    for block in document.blocks:
        if isinstance(block, Heading):
            parts.append(_comments([block.text]))
        elif isinstance(block, Sentences | Notes) and block.lines:
            parts.append(_comments(block.lines))
        elif isinstance(block, Table):
            parts.append(_tabular(block))
    return "\n\n".join(parts) + "\n"


def _comments(lines: Iterable[str]) -> str:
    return "\n".join(f"% {one_line(line)}" for line in lines)


def _tabular(table: Table) -> str:
    notes = [_comments(table.notes)] if table.notes else []
    if not table.rows:
        return "\n".join(notes)
    numeric = [table.is_numeric(column) for column in table.columns]
    headings = tuple(column.heading for column in table.columns)
    heading, *rows = (_row(row, numeric) for row in (headings, *table.cells()))
    return "\n".join(
        [
            *notes,
            f"\\begin{{tabular}}{{{''.join('r' if number else 'l' for number in numeric)}}}",
            "\\toprule",
            heading,
            "\\midrule",
            *rows,
            "\\bottomrule",
            "\\end{tabular}",
        ]
    )


def _row(row: Sequence[str], numeric: Sequence[bool]) -> str:
    cells = (
        _cell(MINUS.sub("−", cell) if number else cell)
        for cell, number in zip(row, numeric, strict=True)
    )
    written = " & ".join(cells) + r" \\"
    # After the end of the row above, a bracket or a star would be taken for its argument.
    return "{}" + written if written.startswith(("[", "*")) else written


def _cell(cell: str) -> str:
    return "".join(SPECIAL.get(character, character) for character in one_line(cell))
