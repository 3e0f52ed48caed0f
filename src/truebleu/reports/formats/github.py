"""Markdown for GitHub: the decision on top as an alert, signatures folded away."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from truebleu.reports.document import Document, Notes, Table
from truebleu.reports.formats import markdown

if TYPE_CHECKING:
    from truebleu.reports.document import Block, Renderable


def render(document: Document, _result: Renderable | None = None) -> str:
    """The decision as an alert, the blocks as Markdown, and signatures behind a click."""
    shown: list[Block] = []
    notes: list[str] = []
    for block in document.blocks_for_papers:
        if isinstance(block, Notes):
            notes.extend(block.lines)
        elif isinstance(block, Table):
            notes.extend(block.notes)
            shown.append(replace(block, notes=()))
        else:
            shown.append(block)
    if document.checks:
        notes = [*document.data.notes, *notes]
    parts = [*_alert(document), markdown.render(Document(tuple(shown), document.data))]
    if notes:
        written = markdown.render(Document((Notes(tuple(dict.fromkeys(notes))),), document.data))
        parts.append(
            f"<details><summary>Signatures and settings</summary>\n\n{written}\n</details>\n"
        )
    return "\n".join(parts)


def _alert(document: Document) -> list[str]:
    """What a reader must see first, in the colours GitHub gives to alerts."""
    if not document.checks:
        return []
    passed = all(check.passed for check in document.checks)
    kind, verdict = ("TIP", "passed") if passed else ("CAUTION", "failed")
    of = ", ".join(
        f"{check.name}: {'passed' if check.passed else 'failed'}" for check in document.checks
    )
    return [f"> [!{kind}]\n> **Gate {verdict}** ({markdown.escaped(of)})\n"]
