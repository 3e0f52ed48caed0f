"""Step 6, render: results become documents, and documents text. Nothing is computed here."""

from __future__ import annotations

from truebleu.reports.formats import FORMATS, render

__all__ = ["FORMATS", "render"]
