"""What a chart draws and how it looks: points of its rows, colours, shapes, and room for text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeGuard, cast

from truebleu.errors import SettingError, UnknownNameError
from truebleu.reports.document import Column, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from truebleu.reports.document import Chart, Plot, Row, Value


# The parts of a plot that name columns, beside both ends of error bars.
PARTS = {
    "x": "x",
    "y": "y",
    "series": "series",
    "panel": "panel",
    "base": "base",
    "label": "label",
    "unit": "y_heading",
    "reference": "reference_field",
}
TEXTS = ("label", "unit")
# The parts that must be numbers.
NUMBERS = ("y", "low", "high", "base", "reference")


# Without slots, so that what takes long is worked out once.
@dataclass(frozen=True, kw_only=True)
class ChartData:
    """The points of a plot, and what stands beside them.

    Attributes:
        plot: how the rows are drawn.
        columns: the column of each part: those of `PARTS`, low and high.
        points: a value for each part that a row has; parts without a value are not there.
        left_out: how many rows have no place in the chart, for want of a value.
        categories: the labels along the horizontal axis; None where it is an axis of numbers.
        series: the labels of the series; none where there is no such column.
        panels: the labels of the panels; likewise.
        panels_are_text: whether those say what they are; a number does not.
    """

    plot: Plot
    columns: Mapping[str, Column]
    points: tuple[dict[str, Value], ...]
    left_out: int
    categories: tuple[str, ...] | None
    series: tuple[str, ...]
    panels: tuple[str, ...]
    panels_are_text: bool

    def numbers(self, part: str, panel: str | None = None) -> list[float]:
        """The numbers of a part, in all panels or in one."""
        return self._numbers.get((part, panel), [])

    @cached_property
    def _numbers(self) -> dict[tuple[str, str | None], list[float]]:
        values: dict[tuple[str, str | None], list[float]] = {}
        for point in self.points:
            for part in self.number_parts:
                value = point.get(part)
                if isinstance(value, int | float):
                    for panel in {None, point.get("panel")}:
                        values.setdefault((part, cast("str | None", panel)), []).append(value)
        return values

    def categories_of(self, panel: str | None) -> tuple[str, ...] | None:
        """The labels along the horizontal axis that a panel has points of."""
        if self.categories is None:
            return None
        own = [point["x"] for point in self.points if panel is None or point["panel"] == panel]
        if self.plot.horizontal:
            # Rows in the order in which they come, such as from the best down.
            return tuple(dict.fromkeys(map(str, own)))
        labels = set(own)
        return tuple(label for label in self.categories if label in labels)

    @cached_property
    def steady_references(self) -> dict[str | None, float]:
        """The reference of each panel that has one, where all its rows agree; else empty.

        One line across says that better than one for each row.
        """
        names: tuple[str | None, ...] = self.panels or (None,)
        references = {name: set(self.numbers("reference", name)) for name in names}
        if any(len(values) > 1 for values in references.values()):
            return {}
        return {name: values.pop() for name, values in references.items() if values}

    @property
    def number_parts(self) -> tuple[str, ...]:
        """The parts that are numbers on an axis."""
        return NUMBERS if self.categories is not None else ("x", *NUMBERS)

    @cached_property
    def looks(self) -> tuple[int, ...]:
        """Which colour, shape and dash each series has."""
        known = self.plot.series_order or self.series
        return tuple(known.index(name) for name in self.series)

    @cached_property
    def y_headings(self) -> dict[str | None, str]:
        """What the vertical axis measures, by panel."""
        names: tuple[str | None, ...] = self.panels or (None,)
        common = dict.fromkeys(names, self.columns["y"].heading)
        own = {point.get("panel"): point["unit"] for point in self.points if "unit" in point}
        return common | cast("dict[str | None, str]", own)

    @cached_property
    def has_error_bars(self) -> bool:
        """Whether any point has both ends of an error bar."""
        return any("low" in point and "high" in point for point in self.points)

    @cached_property
    def alike(self) -> bool:
        """Whether all panels have the same categories, so that rows run through all of them."""
        return len({self.categories_of(name) for name in self.panels}) <= 1

    @cached_property
    def crowded(self) -> bool:
        """Whether points of several series stand above each other."""
        places = [(point.get("panel"), point["x"]) for point in self.points]
        return len(self.series) > 1 and len(set(places)) < len(places)


def chart_data(chart: Chart) -> ChartData:
    """The points of a chart."""
    plot, rows = chart.plot, chart.table.rows
    known = {column.name: column for column in chart.table.columns}
    names = {part: getattr(plot, attribute) for part, attribute in PARTS.items()}
    names |= dict(zip(("low", "high"), plot.errors or (), strict=False))
    columns = {part: _column(name, known, rows) for part, name in names.items() if name is not None}
    for part in NUMBERS:
        if part in columns:
            _require_numbers(columns[part], rows)
    discrete = plot.mark == "bar" or not all(
        _is_number(row.get(plot.x)) for row in rows if row.get(plot.x) is not None
    )
    labelled = [part for part in ("series", "panel") if part in columns] + ["x"] * discrete
    labels = {part: _labels(columns[part], rows) for part in labelled}
    points = [point for row in rows if (point := _point(row, plot, columns, labels)) is not None]
    if plot.series_order and "series" in labels:
        order = plot.series_order
        labels["series"] = dict(
            sorted(labels["series"].items(), key=lambda item: order.index(item[1]))
        )
    # What has no points has no place either.
    shown = {part: {point[part] for point in points} for part in labelled}
    kept = {
        part: tuple(label for label in labels[part].values() if label in shown[part])
        for part in labelled
    }
    return ChartData(
        plot=plot,
        columns=columns,
        points=tuple(points),
        left_out=len(rows) - len(points),
        categories=kept.get("x"),
        series=kept.get("series", ()),
        panels=kept.get("panel", ()),
        panels_are_text=all(isinstance(value, str) for value in labels.get("panel", ())),
    )


def _column(name: str, known: Mapping[str, Column], rows: Sequence[Row]) -> Column:
    """The column of that name; what only rows know is called as they call it."""
    if name in known:
        column = known[name]
        return replace(column, heading=one_line(column.heading))
    if any(name in row for row in rows):
        return Column(name, name)
    raise UnknownNameError("column of a plot", name, tuple(known))


def _require_numbers(column: Column, rows: Iterable[Row]) -> None:
    for row in rows:
        value = row.get(column.name)
        if value is not None and not _is_number(value):
            raise SettingError(f"column {column.name}", value, "a number to draw")


def _point(
    row: Row,
    plot: Plot,
    columns: Mapping[str, Column],
    labels: Mapping[str, Mapping[Value, str]],
) -> dict[str, Value] | None:
    """What is drawn of a row; None where it has no place on the axes."""
    point: dict[str, Value] = {}
    for part, column in columns.items():
        value = row.get(column.name)
        if part in labels:
            point[part] = labels[part][value]
        elif part in TEXTS:
            if isinstance(value, str) and value:
                point[part] = one_line(value)
        elif _is_number(value) and isfinite(value):
            point[part] = value
    if "x" in labels:
        on_axis = row.get(plot.x) is not None
    else:
        x = point.get("x")
        on_axis = isinstance(x, int | float) and (x > 0 or not plot.log_x)
    return point if on_axis and "y" in point else None


def _labels(column: Column, rows: Iterable[Row]) -> dict[Value, str]:
    """A label for each value: numbers in their order, yes before no, others as they come."""
    values: list[Value] = list(dict.fromkeys(row.get(column.name) for row in rows))
    if all(isinstance(value, int | float) for value in values):
        yes_or_no = all(isinstance(value, bool) for value in values)
        values.sort(key=lambda value: cast("float", value), reverse=yes_or_no)
    labels = {value: one_line(column.cell(value)) for value in values}
    if len(set(labels.values())) < len(labels):
        # Too few decimals to tell them apart, or blanks and other characters that look alike.
        labels = {value: repr(value) for value in values}
    return labels


def _is_number(value: Value) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


# Colours, shapes and fonts, and how much room a text takes.


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
