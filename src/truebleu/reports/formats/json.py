"""JSON: the result's own values, and the sentences that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu._results import Result
    from truebleu.reports.document import Document


def render(document: Document, result: Result) -> str:
    """What `to_dict` gives, with the document's sentences."""
    values = result.to_dict()
    if document.sentences:
        values["sentences"] = list(document.sentences)
    return json_text(values)


def json_text(values: Mapping[str, Any]) -> str:
    """Plain values as JSON; a NaN would be a bug and is refused."""
    from json import dumps

    return dumps(values, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
