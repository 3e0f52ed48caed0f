"""Markdown: pipe tables, sentences as a list, and notes as code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truebleu.reports.document import Heading, Notes, Sentences, Table, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truebleu._results import Result
    from truebleu.reports.document import Document

# What Markdown, or the HTML inside it, would take for markup.
MARKUP = re.compile(r"([\\`*_<>\[\]|&#~])")


def render(document: Document, _result: Result | None = None) -> str:
    """The blocks one after the other, with a blank line between them."""
    parts = []
    for block in document.blocks:
        if isinstance(block, Heading):
            parts.append(f"**{escaped(block.text)}**")
        elif isinstance(block, Table):
            parts.append(_table(block))
        elif isinstance(block, Sentences) and block.lines:
            parts.append("\n".join(f"- {escaped(line)}" for line in block.lines))
        elif isinstance(block, Notes) and block.lines:
            parts.append(_code(block.lines))
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """A text of which nothing is markup."""
    return MARKUP.sub(r"\\\1", one_line(text))


def _table(table: Table) -> str:
    notes = [_code(table.notes)] if table.notes else []
    if not table.rows:
        return "\n\n".join(notes)
    rule = ["---:" if table.is_numeric(column) else "---" for column in table.columns]
    headings = [escaped(column.heading) for column in table.columns]
    rows = [headings, rule, *([escaped(cell) for cell in row] for row in table.cells())]
    written = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    return "\n\n".join([written, *notes])


def _code(lines: Iterable[str]) -> str:
    """Lines in code spans, delimited by more backticks than any run of them inside."""
    spans = []
    for line in map(one_line, lines):
        ticks = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
        spans.append(f"{ticks}{line}{ticks}" if len(ticks) == 1 else f"{ticks} {line} {ticks}")
    return "\n\n".join(spans)
