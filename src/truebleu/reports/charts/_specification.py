"""A panel: one of the charts that stand side by side, or the only one."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

from truebleu.reports.charts._data import chart_data, readable
from truebleu.reports.document import Column

if TYPE_CHECKING:
    from truebleu.reports.charts._data import ChartData
    from truebleu.reports.document import Chart, Value


# Colours, shapes and fonts.


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
INK = "#000000"

# The first is built into vl-convert, and the next has the same widths: text is set alike.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
#: An upper bound of the mean width of a letter, as a share of the font's size.
LETTER = 0.56
LABEL_SIZE, AXIS_TITLE_SIZE, TITLE_SIZE = 11, 12, 15

#: Width and height of a chart, and of one of several panels, in pixels.
CHART_SIZE = (480, 300)
PANEL_SIZE = (250, 190)
#: Where categories stand side by side, each has at least so many pixels.
SMALLEST_STEP = 14

CONFIG: dict[str, Any] = {
    "background": "#ffffff",
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


def colours(series: int) -> list[str]:
    """A colour for each of so many series."""
    return [PALETTE[index % len(PALETTE)] for index in range(series)]


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


def wrapped(text: str, width: float, size: int) -> list[str]:
    """A text in lines that fit a width in pixels, broken between words."""
    from textwrap import wrap

    letters = max(1, int(width / (LETTER * size)))
    return wrap(text, letters, break_long_words=False, break_on_hyphens=False) or [""]


def text_width(text: str, size: int) -> float:
    """About how many pixels a text is wide; wide characters count twice."""
    from unicodedata import east_asian_width

    letters = sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
    return LETTER * size * letters


# Error bars of several series at one place stand side by side, this far apart at most, in pixels.
WIDEST_DODGE = 3.5


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart among several, or the only one: what is drawn in it, and how large it is.

    Attributes:
        data: what is data.
        name: the value of the panel's column, None for the only one.
        width: in pixels.
        height: in pixels.
        x_title: whether the horizontal axis says what it is; another panel's may say it.
        y_title: likewise.
        shared: the axes, x or y, that are those of all panels.
    """

    data: ChartData
    name: str | None
    width: float
    height: float
    x_title: bool = True
    y_title: bool = True
    shared: frozenset[str] = frozenset()

    @property
    def categories(self) -> tuple[str, ...] | None:
        """The labels along the horizontal axis that this panel has points of."""
        return self.data.categories_of(self.name)

    @property
    def spacing(self) -> float:
        """About how many pixels lie between neighbours along the horizontal axis."""
        if self.categories is not None:
            return self.width / max(1, len(self.categories)) / self._side_by_side
        return self.width / max(1, len(set(self.data.numbers("x", self.name))))

    @property
    def _side_by_side(self) -> int:
        return len(self.data.series) if self.data.crowded else 1

    @property
    def dodge(self) -> list[float]:
        """How far each series is moved aside on an axis of numbers, in pixels."""
        count = self._side_by_side
        step = min(WIDEST_DODGE, 0.5 * self.spacing / count)
        return [round((index - (count - 1) / 2) * step, 2) for index in range(count)]


# The axes of a panel: headings, numbers or labels, and what belongs on them.


# Percentages as tables write them; d3's own format leaves no space before the sign.
PERCENT_LABEL = "format(100 * datum.value, ',.6~g') + ' %'"
# A logarithmic axis names its values where they are so few, such as sizes that double.
MOST_NAMED_VALUES = 10
# Room between the outermost points and the frame, in pixels.
MARGIN = 16
# Panels share an axis where each of them would use at least this share of it.
SMALLEST_USE = 0.5
# A share this near to 0 or 1 has that on its axis.
NEAR_THE_END = 0.1
# Labels along the horizontal axis have at most so many lines.
MOST_LINES = 3


def x_axis(panel: Panel) -> dict[str, Any]:
    """The horizontal encoding of every mark of a panel."""
    column, title = panel.data.columns["x"], None
    if panel.x_title:
        title = wrapped(column.heading, panel.width, AXIS_TITLE_SIZE)
    if panel.data.categories is not None:
        return _categories(panel, title)
    numbers = panel.data.numbers("x")
    axis = {
        "labelOverlap": "greedy",
        "labelSeparation": LABEL_SIZE / 2,
        "tickCount": round(panel.width / 60),
    }
    axis |= _number_format(column, numbers)
    if panel.data.plot.log_x:
        # A step between ticks is of no use where they multiply.
        axis.pop("tickMinStep", None)
        values = sorted(set(numbers))
        if len(values) <= MOST_NAMED_VALUES:
            # Vega would thin out the values to the count.
            del axis["tickCount"]
            axis["values"] = values
    return {
        "field": "x",
        "type": "quantitative",
        "title": title,
        "scale": _x_scale(panel),
        "axis": axis,
    }


def y_axis(panel: Panel, part: str = "y") -> dict[str, Any]:
    """The vertical encoding of a part: y itself, the ends of error bars, or a reference."""
    column = panel.data.columns["y"]
    title = wrapped(column.heading, panel.height, AXIS_TITLE_SIZE) if panel.y_title else None
    return {
        "field": part,
        "type": "quantitative",
        "title": title,
        "scale": _y_scale(panel),
        "axis": {
            "tickCount": round(panel.height / 40),
            **_number_format(column, panel.data.numbers("y")),
        },
    }


def is_shared(data: ChartData, axis: str) -> bool:
    """Whether panels share an axis: then they compare at a glance, unless some become flat."""
    if axis == "y" and data.plot.shared_y is not None:
        return data.plot.shared_y
    if axis == "x" and data.categories is not None:
        return False
    if data.columns[axis].percent:
        return True
    ends = [_ends(_shown(data, axis, panel)) for panel in data.panels]
    whole = max((high for _, high in ends), default=0) - min((low for low, _ in ends), default=0)
    return all(high - low >= SMALLEST_USE * whole for low, high in ends if high > low)


def _shown(data: ChartData, axis: str, panel: str | None) -> list[float]:
    """All numbers that an axis shows, in one panel or in all."""
    parts = ("x",) if axis == "x" else ("y", "low", "high", "reference")
    shown = [number for part in parts for number in data.numbers(part, panel)]
    if axis == "y" and data.plot.reference is not None:
        shown.append(data.plot.reference)
    return shown


def _ends(numbers: list[float]) -> tuple[float, float]:
    return min(numbers), max(numbers)


def _on_axis(panel: Panel, axis: str) -> list[float]:
    """The numbers on an axis of a panel: those of all panels, if they share it."""
    return _shown(panel.data, axis, None if axis in panel.shared else panel.name)


def _x_scale(panel: Panel) -> dict[str, Any]:
    numbers = _on_axis(panel, "x")
    scale: dict[str, Any] = {"nice": False, "padding": MARGIN}
    scale |= {"type": "log"} if panel.data.plot.log_x else {"zero": False}
    if len(set(numbers)) == 1:
        (only,) = set(numbers)
        scale["domain"] = [only / 2, only * 2] if panel.data.plot.log_x else _around(only)
    return scale


def _y_scale(panel: Panel) -> dict[str, Any]:
    plot, numbers = panel.data.plot, _on_axis(panel, "y")
    # A bar's length says its value, so that bars begin at 0 whatever the plot says.
    zero = plot.zero_y or plot.mark == "bar"
    if not numbers:
        return {"zero": zero}
    low, high = _ends(numbers)
    if panel.data.columns["y"].percent and low >= 0 and high <= 1:
        # A share is never outside 0 and 1, and where it comes near, it is measured against them.
        ends = {"domainMax": 1} if high > 1 - NEAR_THE_END else {}
        return {"zero": zero or low < NEAR_THE_END, "nice": True, **ends}
    if zero:
        return {"zero": True, "nice": True}
    if low == high:
        return {"domain": _around(low), "zero": False}
    return {"zero": False, "nice": True, "padding": MARGIN / 3}


def _around(number: float) -> list[float]:
    """An axis for one number: Vega would give it a tick of its own, and round that."""
    return [number - (abs(number) / 10 or 1), number + (abs(number) / 10 or 1)]


def _categories(panel: Panel, title: list[str] | None) -> dict[str, Any]:
    labels = panel.categories or ()
    room = panel.width / max(1, len(labels)) - 6
    lines = {label: wrapped(label, room, LABEL_SIZE) for label in labels}
    level = all(
        len(parts) <= MOST_LINES and all(text_width(part, LABEL_SIZE) <= room for part in parts)
        for parts in lines.values()
    )
    axis: dict[str, Any] = {"grid": False, "labelAngle": 0, "labelOverlap": False}
    if not level:
        # Steep enough that neighbours do not touch.
        angle = -40 if room > 2 * LABEL_SIZE else -65
        axis |= {"labelAngle": angle, "labelAlign": "right", "labelBaseline": "top"}
    elif any(len(parts) > 1 for parts in lines.values()):
        axis["labelExpr"] = f"{literal(lines)}[datum.value]"
    return {
        "field": "x",
        "type": "ordinal",
        "title": title,
        "scale": {"domain": list(labels), "paddingInner": 0.2, "paddingOuter": 0.15},
        "axis": axis,
    }


def _number_format(column: Column, numbers: list[float]) -> dict[str, Any]:
    if column.percent:
        return {"labelExpr": PERCENT_LABEL}
    # Half a reference or half a sample would be no value that there could be.
    whole = all(isinstance(number, int) for number in numbers)
    return {"tickMinStep": 1, "format": ",d"} if whole else {}


# The layers of a panel: reference lines, error bars, and the marks themselves.


Layer = dict[str, Any]

# Points shrink and let others through as they become many: the most points, the size, the opacity.
CROWDS = ((60, 55, 1.0), (300, 30, 0.9), (2000, 14, 0.6))
LARGEST_CROWD = (6, 0.4)
SMALLEST_POINT = 12
# A line with more points than the first number has about as many of them marked as the second says.
MOST_ON_A_LINE, FEWER_ON_A_LINE = 60, 20
CAP = 7.0


def layers(panel: Panel) -> list[Layer]:
    """From the back to the front."""
    data = panel.data
    if data.plot.mark == "bar":
        marks = [_bars(panel), *_error_bars(panel)]
    elif data.plot.mark == "line":
        marks = [*_error_bars(panel), _lines(panel), _points_on_lines(panel)]
    elif data.plot.mark == "tick":
        marks = [*_error_bars(panel), _ticks(panel)]
    else:
        marks = [*_error_bars(panel), _points(panel)]
    steady = data.steady_references.get(panel.name)
    if "reference" in data.columns and steady is None:
        marks.append(_row_references(panel))
    across = [value for value in (data.plot.reference, steady) if value is not None]
    return [*marks, *(_line_across(panel, value) for value in across)]


def series_channels(data: ChartData, *channels: str) -> Layer:
    """Encodings that tell series apart; the legend is drawn apart, as a chart of its own."""
    count = len(data.series)
    if not count:
        return {}
    ranges = {"color": colours(count), "shape": shapes(count), "strokeDash": dashes(count)}
    return {
        channel: {
            "field": "series",
            "type": "nominal",
            "scale": {"domain": list(data.series), "range": ranges[channel]},
            "legend": None,
        }
        for channel in channels
    }


def crowd(points: int) -> tuple[int, float]:
    """The size and the opacity of points when there are so many."""
    for most, size, opacity in CROWDS:
        if points <= most:
            return size, opacity
    return LARGEST_CROWD


def _line_across(panel: Panel, value: float) -> Layer:
    return {
        "data": {"values": [{"reference": value}]},
        "mark": {"type": "rule", "color": INK, "strokeDash": [5, 3], "strokeWidth": 1},
        "encoding": {"y": y_axis(panel, "reference")},
    }


def _bars(panel: Panel) -> Layer:
    colour = {} if panel.data.series else {"color": SINGLE}
    mark = {"type": "bar", "stroke": INK, "strokeWidth": 0.5, **colour}
    return _layer(panel, mark, "color")


def _lines(panel: Panel) -> Layer:
    colour = {} if panel.data.series else {"color": SINGLE}
    return _layer(panel, {"type": "line", "strokeWidth": 1.6, **colour}, "color", "strokeDash")


def _points(panel: Panel) -> Layer:
    size, opacity = _crowd(panel)
    if _has_error_bars(panel.data):
        # Neighbours may touch but not hide each other's bars.
        size = min(size, max(SMALLEST_POINT, round((1.3 * panel.spacing) ** 2)))
    mark = {"type": "point", "filled": True, "size": size, "opacity": opacity}
    if not panel.data.series:
        mark["color"] = SINGLE
    return _layer(panel, mark, "color", "shape")


def _points_on_lines(panel: Panel) -> Layer:
    """Points that leave enough of a line to see its dashes: smaller, then fewer."""
    on_a_line = max(1, _count(panel) // max(1, len(panel.data.series)))
    apart = panel.width / on_a_line
    size = max(SMALLEST_POINT, min(CROWDS[0][1], round((0.5 * apart) ** 2)))
    mark = {"type": "point", "filled": True, "opacity": 1, "size": size}
    if not panel.data.series:
        mark["color"] = SINGLE
    layer = _layer(panel, mark, "color", "shape")
    if on_a_line > MOST_ON_A_LINE:
        every = ceil(on_a_line / FEWER_ON_A_LINE)
        count = {"window": [{"op": "row_number", "as": "place"}]}
        groups = {"groupby": ["series"]} if panel.data.series else {}
        layer["transform"] = [{**count, **groups}, {"filter": f"datum.place % {every} === 1"}]
    return layer


def _ticks(panel: Panel) -> Layer:
    _, opacity = _crowd(panel)
    mark = {
        "type": "tick",
        "orient": "horizontal",
        "size": round(max(4, min(30, 0.7 * panel.spacing)), 2),
        "thickness": 1.5,
        "opacity": opacity,
    }
    if not panel.data.series:
        mark["color"] = SINGLE
    return _layer(panel, mark, "color")


def _row_references(panel: Panel) -> Layer:
    mark = {
        "type": "tick",
        "orient": "horizontal",
        "color": INK,
        "size": round(max(6, min(24, 0.8 * panel.spacing)), 2),
        "thickness": 2,
        "opacity": 1,
    }
    layer = _layer(panel, mark, y="reference")
    return {**layer, "transform": [{"filter": "isValid(datum.reference)"}]}


def _error_bars(panel: Panel) -> list[Layer]:
    """A line from the lower to the upper end, and a cap at each."""
    if not _has_error_bars(panel.data):
        return []
    # On bars and under points alike they must be seen: those of bars are in ink.
    on_bars = panel.data.plot.mark == "bar"
    channels = () if on_bars else ("color",)
    colour = {"color": INK if on_bars else SINGLE} if on_bars or not panel.data.series else {}
    rule = _layer(panel, {"type": "rule", "strokeWidth": 1.2, **colour}, *channels, y="low")
    rule["encoding"]["y2"] = {"field": "high"}
    cap = {
        "type": "tick",
        "orient": "horizontal",
        "size": round(min(CAP, 0.8 * panel.spacing), 2),
        "thickness": 1.2,
        "opacity": 1,
        **colour,
    }
    parts = [rule, *(_layer(panel, cap, *channels, y=end) for end in ("low", "high"))]
    complete = {"filter": "isValid(datum.low) && isValid(datum.high)"}
    return [{**layer, "transform": [complete]} for layer in parts]


def _has_error_bars(data: ChartData) -> bool:
    return {"low", "high"} <= data.columns.keys()


def _layer(panel: Panel, mark: Layer, *channels: str, y: str = "y") -> Layer:
    """A mark for each point, beside those of other series if there are several at one place."""
    data = panel.data
    encoding = {
        "x": x_axis(panel),
        "y": y_axis(panel, y),
        **series_channels(data, *channels),
        "tooltip": _tooltip(data),
    }
    if data.series and "color" not in channels:
        encoding["detail"] = {"field": "series", "type": "nominal"}
    if data.crowded and data.categories is not None:
        scale: Layer = {"domain": list(data.series)}
        if data.plot.mark == "bar":
            scale["paddingInner"] = 0.1
        encoding["xOffset"] = {"field": "series", "type": "nominal", "scale": scale}
    elif data.crowded and _has_error_bars(data):
        aside = dict(zip(data.series, panel.dodge, strict=True))
        mark = {**mark, "xOffset": {"expr": f"{literal(aside)}[datum.series]"}}
    return {"mark": mark, "encoding": encoding}


def _tooltip(data: ChartData) -> list[Layer]:
    return [
        {
            "field": part,
            "type": "quantitative" if part in data.number_parts else "nominal",
            "title": column.heading,
            **({"format": ".4~%"} if column.percent and part in data.number_parts else {}),
        }
        for part, column in data.columns.items()
    ]


def _crowd(panel: Panel) -> tuple[int, float]:
    return crowd(_count(panel))


def _count(panel: Panel) -> int:
    return len(panel.data.numbers("y", panel.name))


# The Vega-Lite specification of a chart: panels, a legend, and words above them.


Part = dict[str, Any]

# A legend that is wider stands below the chart, in pixels.
WIDEST_LEGEND = 280
LEGEND_ROW, LEGEND_SAMPLE = 19, 44
# About what the numbers and the heading of a vertical axis take, in pixels.
AXIS_ROOM = 45
# Marks say what they are to those who cannot see them, unless they are very many.
MOST_DESCRIBED = 500
# The page must not offer to send its data to an editor elsewhere.
ACTIONS = {"export": True, "source": True, "compiled": False, "editor": False}


def specification(chart: Chart) -> Part:
    """A chart in Vega-Lite, complete with its data.

    Nothing in it depends on anything but the chart: the same chart has the same specification.
    """
    data = chart_data(chart)
    panels = _panels(data)
    columns = _columns(len(panels))
    shown: Part = {
        "concat": [_panel(panel) for panel in panels],
        "columns": columns,
        "spacing": 24,
        "resolve": {
            "scale": {
                axis: "shared" if axis in panels[0].shared else "independent" for axis in ("x", "y")
            }
        },
    }
    width = columns * (panels[0].width + AXIS_ROOM)
    if len(panels) == 1:
        (shown,) = shown["concat"]
    rows: dict[str, Any] = {"rows": list(data.points)}
    if data.series:
        legend, room = _legend(data)
        beside = room <= WIDEST_LEGEND
        width += room if beside else 0
        rows["legend"] = [
            {"series": name, "place": place} for name in data.series for place in (0, 0.5, 1)
        ]
        shown = {("hconcat" if beside else "vconcat"): [shown, legend], "spacing": 20}
    return {
        "config": {**CONFIG, "aria": len(data.points) <= MOST_DESCRIBED},
        "title": _title(chart, data, width),
        "description": readable(" ".join((f"{chart.title}.", *chart.sentences))),
        "data": {"name": "rows"},
        "datasets": rows,
        **shown,
        "usermeta": {"embedOptions": {"actions": ACTIONS, "renderer": "svg"}},
    }


def _panels(data: ChartData) -> list[Panel]:
    names: tuple[str | None, ...] = data.panels or (None,)
    width, height = CHART_SIZE if len(names) == 1 else PANEL_SIZE
    if data.categories is not None:
        beside = len(data.series) if data.crowded else 1
        most = max(len(data.categories_of(name) or ()) for name in names)
        width = max(width, SMALLEST_STEP * most * beside)
    columns = _columns(len(names))
    shared = frozenset(axis for axis in ("x", "y") if is_shared(data, axis))
    return [
        Panel(
            data,
            name,
            width,
            height,
            # The heading of an axis stands at the edge of the page only.
            x_title=index + columns >= len(names),
            y_title=index % columns == 0,
            shared=shared,
        )
        for index, name in enumerate(names)
    ]


def _columns(panels: int) -> int:
    """Up to three panels are a row, up to nine a square or nearly so, more are rows of four."""
    if panels <= 3:
        return panels
    return min(4, ceil(sqrt(panels)))


def _panel(panel: Panel) -> Part:
    part: Part = {"width": panel.width, "height": panel.height, "layer": layers(panel)}
    if panel.name is not None:
        heading = panel.data.columns["panel"].heading
        name = panel.name if panel.data.panels_are_text else f"{heading}: {panel.name}"
        lines = wrapped(name, panel.width, AXIS_TITLE_SIZE)
        part["title"] = {"text": lines, "fontSize": AXIS_TITLE_SIZE, "offset": 6}
        part["transform"] = [{"filter": f"datum.panel === {literal(panel.name)}"}]
    return part


def _legend(data: ChartData) -> tuple[Part, float]:
    """A line and a point of each series beside its name, and about how wide that is.

    Vega's own legends show dashes and shapes apart from each other, and cut long names.
    """
    widest = max(text_width(name, LABEL_SIZE) for name in data.series)
    x = {
        "field": "place",
        "type": "quantitative",
        "axis": None,
        "scale": {"domain": [0, 1], "zero": False, "nice": False},
    }
    axis = {
        "orient": "right",
        "domain": False,
        "grid": False,
        "ticks": False,
        "labelPadding": 6,
        "labelLimit": 0,
    }
    y = {
        "field": "series",
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(data.series), "padding": 0.5},
        "axis": axis,
    }
    return {
        "data": {"name": "legend"},
        "width": LEGEND_SAMPLE if data.plot.mark == "line" else LEGEND_SAMPLE / 2,
        "height": LEGEND_ROW * len(data.series),
        "view": {"stroke": None},
        "title": {
            "text": wrapped(data.columns["series"].heading, WIDEST_LEGEND, AXIS_TITLE_SIZE),
            "fontSize": AXIS_TITLE_SIZE,
            "fontWeight": "normal",
            "offset": 6,
        },
        "layer": [
            {**layer, "encoding": {"x": x, "y": y, **series_channels(data, *layer["encoding"])}}
            for layer in _samples(data)
        ],
    }, LEGEND_SAMPLE + widest


def _samples(data: ChartData) -> list[Part]:
    """What the legend shows of a series: the layers, with the channels that tell it apart."""
    middle = [{"filter": "datum.place === 0.5"}]
    if data.plot.mark == "bar":
        mark = {"type": "point", "shape": "square", "size": 140, "filled": True, "opacity": 1}
        outline = {"stroke": "#000000", "strokeWidth": 0.5}
        return [{"mark": {**mark, **outline}, "transform": middle, "encoding": ("color",)}]
    if data.plot.mark == "tick":
        mark = {"type": "tick", "orient": "horizontal", "size": 20, "thickness": 2}
        return [{"mark": mark, "transform": middle, "encoding": ("color",)}]
    point = {"type": "point", "filled": True, "size": 55, "opacity": 1}
    points = {"mark": point, "transform": middle, "encoding": ("color", "shape")}
    if data.plot.mark == "point":
        return [points]
    line = {"mark": {"type": "line", "strokeWidth": 1.6}, "encoding": ("color", "strokeDash")}
    return [line, points]


def _title(chart: Chart, data: ChartData, width: float) -> Part:
    title: Part = {"text": wrapped(readable(chart.title), width, TITLE_SIZE)}
    notes = ". ".join(_notes(data))
    if notes:
        title["subtitle"] = wrapped(f"{notes}.", width, LABEL_SIZE)
    return title


def _notes(data: ChartData) -> list[str]:
    """What the marks mean that no axis and no legend says."""
    columns, notes = data.columns, []
    if {"low", "high"} <= columns.keys():
        notes.append(f"Error bars: {_interval(data)}")
    if data.plot.reference is not None:
        notes.append(f"Dashed line: {_number(data.plot.reference, data)}")
    if "reference" in columns:
        kind = "Dashed line" if data.steady_references else "Short lines"
        notes.append(f"{kind}: {columns['reference'].heading}")
    if not data.points:
        notes.append("No row has a value to draw")
    elif data.left_out:
        rows = "row has" if data.left_out == 1 else "rows have"
        notes.append(f"{data.left_out:,} {rows} no value to draw")
    return notes


def _interval(data: ChartData) -> str:
    """What the error bars are; headings such as "95 % from" and "to" say it in a table only."""
    if data.plot.interval is not None:
        return readable(data.plot.interval)
    low, high = data.columns["low"].heading, data.columns["high"].heading
    if high.lower() == "to" and low.lower().endswith("from"):
        return low[: -len("from")].strip() or "the interval"
    return f"{low} to {high}"


def _number(value: Value, data: ChartData) -> str:
    return Column("reference", "", percent=data.columns["y"].percent).cell(value)
