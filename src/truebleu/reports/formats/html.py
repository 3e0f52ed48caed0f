"""HTML without scripts, for notebooks: everything escaped, nothing loaded."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from truebleu.reports.document import Heading, Notes, Sentences, Table, one_line

if TYPE_CHECKING:
    from truebleu.reports.document import Document, Renderable


def render(document: Document, _result: Renderable | None = None) -> str:
    """The blocks as a fragment of a page."""
    parts = []
    for block in document.blocks:
        if isinstance(block, Heading):
            parts.append(f"<p><strong>{_text(block.text)}</strong></p>")
        elif isinstance(block, Table):
            parts.append(_table(block))
        elif isinstance(block, Sentences) and block.lines:
            parts.append("".join(f"<p>{_text(line)}</p>" for line in block.lines))
        elif isinstance(block, Notes) and block.lines:
            parts.append(_notes(block.lines))
    return '<div class="truebleu">\n' + "\n".join(parts) + "\n</div>\n"


def _table(table: Table) -> str:
    notes = _notes(table.notes) if table.notes else ""
    if not table.rows:
        return notes
    styles = [
        ' style="text-align: right"' if table.is_numeric(column) else ' style="text-align: left"'
        for column in table.columns
    ]
    headings = "".join(
        f"<th{style}>{_text(column.heading)}</th>"
        for style, column in zip(styles, table.columns, strict=True)
    )
    rows = "\n".join(
        "<tr>"
        + "".join(f"<td{style}>{_text(cell)}</td>" for style, cell in zip(styles, row, strict=True))
        + "</tr>"
        for row in table.cells()
    )
    return (
        f"<table>\n<thead><tr>{headings}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>{notes}"
    )


def _notes(lines: tuple[str, ...]) -> str:
    return "".join(f"<p><code>{_text(line)}</code></p>" for line in lines)


def _text(text: str) -> str:
    return escape(one_line(text))
