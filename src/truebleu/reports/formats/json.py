"""JSON: the result's own values, and the sentences that people read."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any

from truebleu.reports.document import escaped_controls

if TYPE_CHECKING:
    from truebleu.reports.document import Document, Renderable


def render(document: Document, result: Renderable) -> str:
    """The result's facts with the document's sentences; a NaN would be a bug and is refused."""
    values = result.facts()
    if document.sentences:
        values["sentences"] = list(document.sentences)
    return dump(values) + "\n"


def dump(values: Any, *, indent: int | None = 2) -> str:
    """Values as JSON that can be read in any language, and that no terminal obeys."""
    return escaped_controls(dumps(values, ensure_ascii=False, indent=indent, allow_nan=False))
