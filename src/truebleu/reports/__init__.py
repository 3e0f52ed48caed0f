"""Step 6, render: results become documents, and documents text. Nothing is computed here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._lazy import lazy_names

if TYPE_CHECKING:
    from truebleu.reports.charts import chart, save_chart
    from truebleu.reports.document import (
        FORMATS,
        Chart,
        Column,
        Document,
        Heading,
        Notes,
        Plot,
        Sentences,
        Table,
        render,
    )

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

_CHARTS = ("chart", "save_chart")

__getattr__, __dir__ = lazy_names(
    __name__,
    {name: "charts" if name in _CHARTS else "document" for name in __all__},
)
