"""HTML without scripts, for notebooks and the report: everything escaped, nothing loaded."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from truebleu.reports.document import Heading, Notes, Sentences, Table, one_line

if TYPE_CHECKING:
    from truebleu.reports.document import Block, Document, Renderable


def render(document: Document, _result: Renderable | None = None) -> str:
    """The blocks as a fragment of a page."""
    parts = [part for block in document.blocks if (part := render_block(block))]
    return '<div class="truebleu">\n' + "\n".join(parts) + "\n</div>\n"


def render_block(block: Block, *, styled: bool = True) -> str:
    """One block; empty for a chart, which only some pages can draw.

    Args:
        block: what is rendered.
        styled: whether cells are aligned by their own style, as a notebook needs it, or by classes
            for the style sheet of a page that forbids all other styles.
    """
    if isinstance(block, Heading):
        return f"<p><strong>{_text(block.text)}</strong></p>"
    if isinstance(block, Table):
        return _table(block, styled=styled)
    if isinstance(block, Sentences):
        return "".join(f"<p>{_text(line)}</p>" for line in block.lines)
    if isinstance(block, Notes):
        return _notes(block.lines)
    return ""


def _table(table: Table, *, styled: bool) -> str:
    notes = _notes(table.notes) if table.notes else ""
    if not table.rows:
        return notes
    numeric = [table.is_numeric(column) for column in table.columns]
    left, right, scope = ' dir="auto"', ' class="number"', ' scope="col"'
    if styled:
        left, right, scope = ' style="text-align: left"', ' style="text-align: right"', ""
    styles = [right if is_numeric else left for is_numeric in numeric]
    headings = "".join(
        f"<th{scope}{style}>{_text(column.heading)}</th>"
        for style, column in zip(styles, table.columns, strict=True)
    )
    rows = "\n".join(
        "<tr>"
        + "".join(f"<td{style}>{_text(cell)}</td>" for style, cell in zip(styles, row, strict=True))
        + "</tr>"
        for row in table.cells()
    )
    drawn = f"<table>\n<thead><tr>{headings}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
    return (drawn if styled else f'<div class="scroll">{drawn}</div>') + notes


def _notes(lines: tuple[str, ...]) -> str:
    return "".join(f"<p><code>{_text(line)}</code></p>" for line in lines)


def _text(text: str) -> str:
    return escape(one_line(text))
