"""Step 6, render: results become documents, and documents text. Nothing is computed here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._lazy import lazy_names

if TYPE_CHECKING:
    from truebleu.reports.charts import chart, save_chart
    from truebleu.reports.document import (
        Chart,
        Column,
        Document,
        Heading,
        Notes,
        Plot,
        Sentences,
        Table,
    )
    from truebleu.reports.formats import FORMATS, render

__all__ = [
    "FORMATS",
    "Chart",
    "Column",
    "Document",
    "Heading",
    "Notes",
    "Plot",
    "Sentences",
    "Table",
    "chart",
    "render",
    "save_chart",
]

_DOCUMENT = ("Chart", "Column", "Document", "Heading", "Notes", "Plot", "Sentences", "Table")

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        **dict.fromkeys(_DOCUMENT, "document"),
        **dict.fromkeys(("FORMATS", "render"), "formats"),
        **dict.fromkeys(("chart", "save_chart"), "charts"),
    },
)
