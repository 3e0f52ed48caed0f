"""Charts: one Vega-Lite specification, shown by notebooks or written into a file.

Series are told apart by shape and dash as well as by colours of different lightness, so that a
chart says the same in black and white. Altair and vl-convert are loaded when a chart is made.
"""

from __future__ import annotations

from truebleu.reports.charts._files import (
    ENDINGS,
    chart,
    require_chart_file,
    require_packages,
    save_chart,
)
from truebleu.reports.charts._specification import specification

__all__ = [
    "ENDINGS",
    "chart",
    "require_chart_file",
    "require_packages",
    "save_chart",
    "specification",
]
