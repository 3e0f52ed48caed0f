"""Colours, shapes and fonts of charts, and how much room a text takes."""

from __future__ import annotations

from typing import Any

# Ordered so that the first few are furthest apart in lightness, which is what is left of a colour
# in print and to most eyes that confuse some hues. All are dark enough to be seen on white.
PALETTE = (
    "#1a1a1a",
    "#d1560c",
    "#1f55a0",
    "#e0a100",
    "#7a1f1f",
    "#2f9fd0",
    "#1b7855",
    "#3f1660",
)
# Areas take lighter colours, on which error bars in ink are seen; again apart in lightness.
BAR_PALETTE = (
    "#e0a100",
    "#1f55a0",
    "#a5d8ee",
    "#d1560c",
    "#1b7855",
    "#d8c7e8",
    "#7a1f1f",
    "#3f1660",
)
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)
# One fewer than shapes: a line is known by both, and the pairs repeat only after 56 series.
DASHES = (
    (1, 0),
    (8, 3),
    (2, 2),
    (8, 3, 2, 3),
    (4, 4),
    (14, 4),
    (8, 3, 2, 3, 2, 3),
)
#: What is drawn where there is one series only.
SINGLE = PALETTE[2]
INK, PAPER = "#000000", "#ffffff"

# The first is built into vl-convert, and the next has the same widths: text is set alike.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
#: An upper bound of the mean width of a letter, as a share of the font's size.
LETTER = 0.56
LABEL_SIZE, AXIS_TITLE_SIZE, TITLE_SIZE = 11, 12, 15

#: Width and height of a chart, and of one of several panels, in pixels.
CHART_SIZE = (480, 300)
PANEL_SIZE = (250, 190)
#: The same where points have names.
LABELLED_SIZE = (330, 260)
#: Where categories run down the page: the width of one, two or more panels, and a row's height.
TURNED_WIDTHS, ROW = (420, 300, 220), 19
#: What a line of a label takes that has several.
LINE = 14
#: Where categories stand side by side, each has at least so many pixels.
SMALLEST_STEP = 14

CONFIG: dict[str, Any] = {
    "background": PAPER,
    "font": FONT,
    "view": {"continuousWidth": 300, "continuousHeight": 300, "stroke": "#999999"},
    "axis": {
        "domainColor": "#555555",
        "gridColor": "#dddddd",
        "gridWidth": 0.5,
        "labelColor": "#222222",
        "labelFontSize": LABEL_SIZE,
        "labelLimit": 0,
        "tickColor": "#555555",
        "titleFontSize": AXIS_TITLE_SIZE,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
    "title": {
        "anchor": "start",
        "fontSize": TITLE_SIZE,
        "offset": 12,
        "subtitleColor": "#444444",
        "subtitleFontSize": LABEL_SIZE,
        "subtitlePadding": 5,
    },
}


def colours(series: int, *, bars: bool = False) -> list[str]:
    """A colour for each of so many series."""
    palette = BAR_PALETTE if bars else PALETTE
    return [palette[index % len(palette)] for index in range(series)]


def shapes(series: int) -> list[str]:
    """A shape of points for each of so many series."""
    return [SHAPES[index % len(SHAPES)] for index in range(series)]


def dashes(series: int) -> list[list[int]]:
    """A pattern of dashes for each of so many series."""
    return [list(DASHES[index % len(DASHES)]) for index in range(series)]


def literal(value: object) -> str:
    """A text, a list or a mapping of them as a literal of Vega's expressions."""
    from json import dumps

    return dumps(value)


def wrapped(text: str, width: float, size: int, *, anywhere: bool = False) -> list[str]:
    """A text in lines that fit a width in pixels, broken between words, or anywhere if need be."""
    from textwrap import wrap

    # Wide characters count twice, so that there are fewer of them on a line.
    wide = text_width(text, size) / max(1.0, LETTER * size * len(text))
    letters = max(1, int(width / (LETTER * size * (wide if anywhere else 1))))
    return wrap(text, letters, break_long_words=anywhere, break_on_hyphens=anywhere) or [""]


def text_width(text: str, size: int) -> float:
    """About how many pixels a text is wide; wide characters count twice."""
    from unicodedata import east_asian_width

    letters = sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
    return LETTER * size * letters
