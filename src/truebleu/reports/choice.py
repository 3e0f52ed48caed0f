"""Chosen settings as a table of all that was tried, with what they are worth below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.reports.exhibit import render_exhibit
from truebleu.reports.json import json_text

if TYPE_CHECKING:
    from truebleu.agreement.choosing.choice import Choice


def render_choice(choice: Choice, format_: str = "text") -> str:
    """A choice in one of FORMATS, ending with a line feed."""
    if format_ == "json":
        return json_text(choice.to_dict())
    return render_exhibit(choice.exhibit(), format_)
