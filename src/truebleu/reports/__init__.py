"""Step 6, render: results become documents, and documents text. Nothing is computed here."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.reports.charts import chart as chart, save_chart as save_chart
    from truebleu.reports.document import (
        FORMATS as FORMATS,
        Chart as Chart,
        Column as Column,
        Document as Document,
        Heading as Heading,
        Notes as Notes,
        Plot as Plot,
        Sentences as Sentences,
        Table as Table,
        render as render,
    )

# The public names, and the module that each lives in.
_HOMES = {
    "chart": "charts",
    "save_chart": "charts",
    "FORMATS": "document",
    "Chart": "document",
    "Column": "document",
    "Document": "document",
    "Heading": "document",
    "Notes": "document",
    "Plot": "document",
    "Sentences": "document",
    "Table": "document",
    "render": "document",
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
