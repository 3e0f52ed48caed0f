"""Markdown: pipe tables, sentences as a list, notes as code; and what GitHub adds to it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from truebleu.reports.document import Document, Heading, Notes, Sentences, Table, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truebleu.reports.document import Block, Renderable

# Characters that Markdown, or HTML inside it, would take for markup.
MARKUP = re.compile(r"([\\`*_<>\[\]|&#~]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
# Text that would begin a list inside a list.
ITEM = re.compile(r"^(\d*)(?=[-+.)](\s|$))")


def render(document: Document, _result: Renderable | None = None) -> str:
    """Render the blocks as Markdown, with a blank line between them."""
    parts = []
    for block in document.blocks:
        if isinstance(block, Heading):
            parts.append(f"**{escaped(block.text)}**")
        elif isinstance(block, Table):
            parts.append(_table(block))
        elif isinstance(block, Sentences) and block.lines:
            parts.append("\n".join(f"- {_item(line)}" for line in block.lines))
        elif isinstance(block, Notes) and block.lines:
            parts.append(_code(block.lines))
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Escape a text, so that nothing in it is markup."""
    return MARKUP.sub(r"\\\1", one_line(text))


def _item(line: str) -> str:
    return ITEM.sub(r"\1\\", escaped(line.lstrip()))


def _table(table: Table) -> str:
    notes = [_code(table.notes)] if table.notes else []
    if not table.rows:
        return "\n\n".join(notes)
    align = ["---:" if table.is_numeric(column) else "---" for column in table.columns]
    rows = [[escaped(column.heading) for column in table.columns], align]
    for index, row in enumerate(table.rows):
        if index and table.rule is not None and row.get(table.rule):
            # Markdown has no rules inside tables: an empty row.
            rows.append(["" for _ in table.columns])
        rows.append([escaped(column.cell(row.get(column.name))) for column in table.columns])
    text = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    return "\n\n".join([text, *notes])


def _code(lines: Iterable[str]) -> str:
    """Put lines into code spans, with longer delimiters than any run of backticks inside."""
    spans = []
    for line in map(one_line, lines):
        ticks = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
        spans.append(f"{ticks}{line}{ticks}" if len(ticks) == 1 else f"{ticks} {line} {ticks}")
    return "\n\n".join(spans)


# GitHub: the decision on top as an alert, signatures folded away.


def render_for_github(document: Document, _result: Renderable | None = None) -> str:
    """Render the decision as an alert, the blocks as Markdown, and signatures folded."""
    shown: list[Block] = []
    notes: list[str] = []
    for block in document.blocks:
        if isinstance(block, Notes):
            notes.extend(block.lines)
        elif isinstance(block, Table):
            notes.extend(block.notes)
            shown.append(replace(block, notes=()))
        else:
            shown.append(block)
    if document.checks:
        notes = [*document.data.notes, *notes]
    parts = [*_alert(document), render(Document(tuple(shown), document.data))]
    if notes:
        text = render(Document((Notes(tuple(dict.fromkeys(notes))),), document.data))
        parts.append(f"<details><summary>Signatures and settings</summary>\n\n{text}\n</details>\n")
    return "\n".join(parts)


def _alert(document: Document) -> list[str]:
    """State the decision as one of GitHub's coloured alerts, or nothing without checks."""
    if not document.checks:
        return []
    passed = all(check.passed for check in document.checks)
    kind, verdict = ("TIP", "passed") if passed else ("CAUTION", "failed")
    of = ", ".join(
        f"{check.name}: {'passed' if check.passed else 'failed'}" for check in document.checks
    )
    return [f"> [!{kind}]\n> **Gate {verdict}** ({escaped(of)})\n"]
