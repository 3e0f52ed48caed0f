"""Output formats: one file each, which renders the blocks of a document.

A format is a module here with a function ``render(document, result) -> str`` whose text ends with a
line feed, and its name in FORMATS. Names and texts that come from files are hostile: each format
makes sure that they stay text.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from truebleu.errors import UnknownNameError

if TYPE_CHECKING:
    from truebleu._results import Result
    from truebleu.reports.document import Document

__all__ = ["FORMATS", "render"]

FORMATS = ("text", "tsv", "latex", "markdown", "json", "html")


def render(result: Result, format_: str = "text", document: Document | None = None) -> str:
    """A result in one of FORMATS, ending with a line feed.

    Args:
        result: what a verb or a study returned.
        format_: one of FORMATS.
        document: the result's document, where it was made with other options than the usual ones.
    """
    if format_ not in FORMATS:
        raise UnknownNameError("format", format_, FORMATS)
    module = import_module(f"truebleu.reports.formats.{format_}")
    text: str = module.render(document or result.to_document(), result)
    return text
