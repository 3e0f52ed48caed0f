"""A panel: one of the charts that stand side by side, or the only one; its axes and layers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, hypot, log
from typing import TYPE_CHECKING, Any

from truebleu.reports.charts._data import (
    AXIS_TITLE_SIZE,
    INK,
    LABEL_SIZE,
    PAPER,
    SINGLE,
    colours,
    dashes,
    literal,
    shapes,
    text_width,
    wrapped,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from truebleu.reports.charts._data import ChartData
    from truebleu.reports.document import Column, Value


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
    def along(self) -> float:
        """How long the axis of x is, in pixels: it runs down the page where that is turned."""
        return self.height if self.data.plot.horizontal else self.width

    @property
    def across(self) -> float:
        """How long the axis of y is, in pixels."""
        return self.width if self.data.plot.horizontal else self.height

    @property
    def categories(self) -> tuple[str, ...] | None:
        """The labels along the horizontal axis that this panel has points of."""
        return self.data.categories_of(self.name)

    @property
    def spacing(self) -> float:
        """About how many pixels lie between neighbours along the axis of x."""
        if self.categories is not None:
            return self.along / max(1, len(self.categories)) / self._side_by_side
        return self.along / max(1, len(set(self.data.numbers("x", self.name))))

    @property
    def _side_by_side(self) -> int:
        return len(self.data.series) if self.data.crowded else 1

    @property
    def dodge(self) -> list[float]:
        """How far each series is moved aside on an axis of numbers, in pixels."""
        count = self._side_by_side
        step = min(WIDEST_DODGE, 0.5 * self.spacing / count)
        middle = (count - 1) / 2
        low, high = _ends(self.data.numbers("x") or [0.0])
        if 0 <= low * self.along <= middle * step * (high - low):
            # What is never below 0 must not seem to be: there, all but the first move to the right.
            middle = 0.0
        return [round((index - middle) * step, 2) for index in range(count)]


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
# The same where points have names, as a share of what the points take.
LABELLED_MARGIN = 0.12
# Labels along the horizontal axis have at most so many lines.
MOST_LINES = 3
# Labels that run down the page are broken into lines at this width, in pixels.
WIDEST_LABEL = 280


def x_axis(panel: Panel) -> dict[str, Any]:
    """The horizontal encoding of every mark of a panel."""
    column, title = panel.data.columns["x"], None
    if panel.x_title:
        title = wrapped(column.heading, panel.along, AXIS_TITLE_SIZE)
    if panel.data.categories is not None:
        return _rows(panel, title) if panel.data.plot.horizontal else _categories(panel, title)
    numbers = panel.data.numbers("x")
    axis = {
        "labelOverlap": "greedy",
        "labelSeparation": LABEL_SIZE / 2,
        "tickCount": round(panel.along / 60),
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
    column, title = panel.data.columns["y"], None
    if panel.y_title:
        title = wrapped(panel.data.y_headings[panel.name], panel.across, AXIS_TITLE_SIZE)
    ticks: dict[str, Any] = {"tickCount": round(panel.across / 40)}
    if panel.data.plot.horizontal:
        # Numbers stand side by side, and take more room there.
        ticks = {"tickCount": round(panel.across / 60), "labelOverlap": "greedy"}
    return {
        "field": part,
        "type": "quantitative",
        "title": title,
        "scale": _y_scale(panel),
        "axis": {**ticks, **_number_format(column, panel.data.numbers("y"))},
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
    parts = ("x",) if axis == "x" else ("y", "low", "high", "base", "reference")
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
    elif "label" in panel.data.columns and not panel.data.plot.log_x:
        scale = {"domain": _with_margins(numbers), "nice": False, "zero": False}
    return scale


def _y_scale(panel: Panel) -> dict[str, Any]:
    plot, numbers = panel.data.plot, _on_axis(panel, "y")
    # A bar's length says its value, so that bars begin at 0 whatever the plot says.
    zero = plot.zero_y or plot.mark == "bar"
    if not numbers:
        return {"zero": zero}
    low, high = _ends(numbers)
    if "label" in panel.data.columns and low < high:
        return {"domain": _with_margins(numbers), "nice": False, "zero": False}
    if panel.data.columns["y"].percent and low >= 0 and high <= 1:
        # A share is never outside 0 and 1, and where it comes near, it is measured against them.
        ends = {"domainMax": 1} if high > 1 - NEAR_THE_END else {}
        return {"zero": zero or low < NEAR_THE_END, "nice": True, **ends}
    if zero:
        return {"zero": True, "nice": True}
    if low == high:
        return {"domain": _around(low), "zero": False}
    return {"zero": False, "nice": True, "padding": MARGIN / 3}


def _with_margins(numbers: list[float]) -> list[float]:
    """An axis whose ends are known, so that names can be placed, with room for those outermost."""
    low, high = _ends(numbers)
    margin = LABELLED_MARGIN * (high - low)
    return [low - margin, high + margin]


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
    return _ordinal(labels, title, axis, inside=0.2, outside=0.15)


def _rows(panel: Panel, title: list[str] | None) -> dict[str, Any]:
    """Categories that run down the page, each label in lines that leave room for the marks."""
    labels = panel.categories or ()
    lines = {label: row_label(label) for label in labels}
    axis: dict[str, Any] = {
        "grid": False,
        "labelOverlap": False,
        "labels": panel.x_title,
        # Beyond it Vega would set the heading over the labels.
        "maxExtent": 2 * WIDEST_LABEL,
    }
    if panel.x_title and any(len(parts) > 1 for parts in lines.values()):
        axis["labelExpr"] = f"{literal(lines)}[datum.value]"
    return _ordinal(labels, title, axis, inside=0.25, outside=0.2)


def _ordinal(
    labels: Sequence[str],
    title: list[str] | None,
    axis: dict[str, Any],
    *,
    inside: float,
    outside: float,
) -> dict[str, Any]:
    return {
        "field": "x",
        "type": "ordinal",
        "title": title,
        "scale": {"domain": list(labels), "paddingInner": inside, "paddingOuter": outside},
        "axis": axis,
    }


def row_label(label: str) -> list[str]:
    """The label of a category that runs down the page, in lines that leave room for the marks."""
    return wrapped(label, WIDEST_LABEL, LABEL_SIZE, anywhere=True)


def label_room(data: ChartData) -> float:
    """About how many pixels the labels of categories take that run down the page."""
    lines = (row_label(label) for label in data.categories or ())
    return max((text_width(line, LABEL_SIZE) for parts in lines for line in parts), default=0.0)


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
SMALLEST_POINT, SMALLER_POINT = 12, 32
# A line with more points than the first number has about as many of them marked as the second says.
MOST_ON_A_LINE, FEWER_ON_A_LINE = 60, 20
CAP = 7.0


def layers(panel: Panel, names: Sequence[Layer] = ()) -> list[Layer]:
    """From the back to the front; names of points as `point_names` places them."""
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
    if names:
        marks.append(_names(panel, names))
    across = [value for value in (data.plot.reference, steady) if value is not None]
    drawn = [*marks, *(_line_across(panel, value) for value in across)]
    return [_turned(layer) for layer in drawn] if data.plot.horizontal else drawn


def _turned(layer: Layer) -> Layer:
    """A layer with its axes swapped."""
    mark, encoding = layer["mark"], layer["encoding"]
    orients = {"horizontal": "vertical", "vertical": "horizontal"}
    turned = {_SWAPPED.get(key, key): value for key, value in mark.items()}
    if "orient" in mark:
        turned["orient"] = orients[mark["orient"]]
    channels = {_SWAPPED.get(key, key): value for key, value in encoding.items()}
    return {**layer, "mark": turned, "encoding": channels}


_SWAPPED = {
    "x": "y",
    "y": "x",
    "x2": "y2",
    "y2": "x2",
    "xOffset": "yOffset",
    "yOffset": "xOffset",
}


def point_names(panel: Panel) -> tuple[list[Layer], int]:
    """The names of a panel's points with their places, and how many found no room."""
    data = panel.data
    own = [point for point in data.points if panel.name is None or point["panel"] == panel.name]
    named = [point for point in own if "label" in point]
    if not named:
        return [], 0
    # Names that matter go first; all points are in the way.
    ordered = [*named, *(point for point in own if "label" not in point)]
    places = [(*_place(panel, point), str(point.get("label", ""))) for point in ordered]
    lines: list[tuple[tuple[float, float], tuple[float, float]]] = []
    if data.plot.mark == "line":
        for name in data.series or (None,):
            line = [point for point in own if point.get("series") == name]
            lines += pairwise(sorted(_place(panel, point) for point in line))
    placed = place_labels(places, panel.width, panel.height, lines)[: len(named)]
    rows = [
        {**point, "align": place[0], "dx": place[1], "dy": place[2]}
        for point, place in zip(named, placed, strict=True)
        if place is not None
    ]
    return rows, len(named) - len(rows)


def _place(panel: Panel, point: Mapping[str, Value]) -> tuple[float, float]:
    """Where a point is drawn, in pixels from the left and from the top."""
    if panel.categories is not None:
        count = len(panel.categories)
        x = (panel.categories.index(str(point["x"])) + 0.5) / count
    else:
        x = _share(float(point["x"] or 0), panel, "x")
    y = _share(float(point["y"] or 0), panel, "y")
    if panel.data.plot.horizontal:
        return y * panel.width, x * panel.height
    return x * panel.width, (1 - y) * panel.height


def _share(number: float, panel: Panel, axis: str) -> float:
    """How far along its axis a number stands."""
    numbers = _on_axis(panel, axis)
    if axis == "x" and panel.data.plot.log_x:
        low, high = log(min(numbers)), log(max(numbers))
        return (log(number) - low) / (high - low) if high > low else 0.5
    low, high = _with_margins(numbers)
    return (number - low) / (high - low) if high > low else 0.5


def _names(panel: Panel, rows: Sequence[Layer]) -> Layer:
    mark = {
        "type": "text",
        "fontSize": NAME_SIZE,
        "baseline": "middle",
        "color": INK,
        **{part: {"expr": f"datum.{part}"} for part in ("align", "dx", "dy")},
    }
    encoding = {
        "x": x_axis(panel),
        "y": y_axis(panel),
        "text": {"field": "label", "type": "nominal"},
    }
    return {"data": {"values": list(rows)}, "mark": mark, "encoding": encoding}


def series_channels(data: ChartData, *channels: str) -> Layer:
    """Encodings that tell series apart; the legend is drawn apart, as a chart of its own."""
    if not data.series:
        return {}
    count = max(data.looks) + 1
    bars = data.plot.mark == "bar"
    ranges: dict[str, Sequence[object]] = {
        "color": colours(count, bars=bars),
        "shape": shapes(count),
        "strokeDash": dashes(count),
    }
    return {
        channel: {
            "field": "series",
            "type": "nominal",
            "scale": {
                "domain": list(data.series),
                "range": [ranges[channel][look] for look in data.looks],
            },
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


def _single_colour(panel: Panel) -> Layer:
    """The colour of marks that no series gives one."""
    return {} if panel.data.series else {"color": SINGLE}


def _bars(panel: Panel) -> Layer:
    mark = {"type": "bar", "stroke": INK, "strokeWidth": 0.5, **_single_colour(panel)}
    layer = _layer(panel, mark, "color")
    if "base" in panel.data.columns:
        layer["encoding"]["y2"] = {"field": "base"}
    return layer


def _lines(panel: Panel) -> Layer:
    # Round joints: sharp ones would stick out beyond the values, below 0 or above 100 %.
    mark = {"type": "line", "strokeWidth": 1.6, "strokeJoin": "round", **_single_colour(panel)}
    return _layer(panel, mark, "color", "strokeDash")


def _points(panel: Panel) -> Layer:
    size, opacity = crowd(_count(panel))
    if panel.data.has_error_bars:
        # Neighbours may touch but not hide each other's bars.
        size = min(size, max(SMALLEST_POINT, round((1.3 * panel.spacing) ** 2)))
        if panel.data.plot.horizontal:
            size = min(size, SMALLER_POINT)  # or it hides short bars
    mark = {"type": "point", "filled": True, "size": size, "opacity": opacity}
    return _layer(panel, mark | _single_colour(panel), "color", "shape")


def _points_on_lines(panel: Panel) -> Layer:
    """Points that leave enough of a line to see its dashes: smaller, then fewer."""
    on_a_line = max(1, _count(panel) // max(1, len(panel.data.series)))
    apart = panel.along / on_a_line
    size = max(SMALLEST_POINT, min(CROWDS[0][1], round((0.5 * apart) ** 2)))
    mark = {"type": "point", "filled": True, "opacity": 1, "size": size}
    layer = _layer(panel, mark | _single_colour(panel), "color", "shape")
    if on_a_line > MOST_ON_A_LINE:
        every = ceil(on_a_line / FEWER_ON_A_LINE)
        count = {"window": [{"op": "row_number", "as": "place"}]}
        groups = {"groupby": ["series"]} if panel.data.series else {}
        layer["transform"] = [{**count, **groups}, {"filter": f"datum.place % {every} === 1"}]
    return layer


def _ticks(panel: Panel) -> Layer:
    _, opacity = crowd(_count(panel))
    mark = {
        "type": "tick",
        "orient": "horizontal",
        "size": round(max(4, min(30, 0.7 * panel.spacing)), 2),
        "thickness": 1.5,
        "opacity": opacity,
        **_single_colour(panel),
    }
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
    if not panel.data.has_error_bars:
        return []
    # On bars and under points alike they must be seen: those of bars are in ink.
    on_bars = panel.data.plot.mark == "bar"
    channels = () if on_bars else ("color",)
    colour = {"color": INK} if on_bars else _single_colour(panel)
    # Where very many overlap, lighter ones leave the points legible.
    opacity = {} if _count(panel) <= CROWDS[0][0] else {"opacity": 0.45}
    rule_mark = {"type": "rule", "strokeWidth": 1.2, **colour, **opacity}
    rule = _layer(panel, rule_mark, *channels, y="low")
    rule["encoding"]["y2"] = {"field": "high"}
    cap = {
        "type": "tick",
        "orient": "horizontal",
        "size": round(min(CAP, 0.8 * panel.spacing), 2),
        "thickness": 1.2,
        "opacity": opacity.get("opacity", 1),
        **colour,
    }
    parts = [rule, *(_layer(panel, cap, *channels, y=end) for end in ("low", "high"))]
    if on_bars:
        # A light edge, so that they stand out from dark bars too.
        parts.insert(0, {**rule, "mark": {"type": "rule", "strokeWidth": 3.2, "color": PAPER}})
    complete = {"filter": "isValid(datum.low) && isValid(datum.high)"}
    return [{**layer, "transform": [complete]} for layer in parts]


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
    elif data.crowded and data.has_error_bars:
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
        if part not in ("base", "unit")
    ]


def _count(panel: Panel) -> int:
    return len(panel.data.numbers("y", panel.name))


# Names beside points: where each has room, so that none covers another or a point.


NAME_SIZE = 10
# Half the side of a point, and how far its name is from its middle, in pixels.
POINT, GAP = 4.0, 7.0
# Where a name may stand beside its point, the best place first: how it is set, right, and down.
PLACES = (
    ("left", GAP, 0.0),
    ("right", -GAP, 0.0),
    ("center", 0.0, -GAP - NAME_SIZE / 2),
    ("center", 0.0, GAP + NAME_SIZE / 2),
    ("left", GAP - 2, -GAP),
    ("left", GAP - 2, GAP),
    ("right", 2 - GAP, -GAP),
    ("right", 2 - GAP, GAP),
)

#: From the left and from the top.
Place = tuple[float, float]
#: Left, top, right and bottom of a rectangle.
Box = tuple[float, float, float, float]
Placed = tuple[str, float, float]


def place_labels(
    points: Sequence[tuple[float, float, str]],
    width: float,
    height: float,
    lines: Iterable[tuple[Place, Place]] = (),
) -> list[Placed | None]:
    """For each point how its name is set and how far off it stands; None where it has no room.

    >>> place_labels([(50.0, 50.0, "a"), (50.0, 52.0, "a name that is far too long")], 100, 100)
    [('left', 7.0, 0.0), None]

    Args:
        points: from the left and from the top in pixels, each with its name.
        width: of the panel.
        height: of the panel.
        lines: from one place to another, which names should not cross either.
    """
    taken = [_box_around(x, y, POINT, POINT) for x, y, _ in points]
    taken += [box for line in lines for box in _along(*line)]
    placed: list[Placed | None] = []
    for number, (x, y, name) in enumerate(points):
        chosen = None
        others = [*taken[:number], *taken[number + 1 :]]
        for place in PLACES if name else ():
            box = _box(x, y, name, place)
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height
            if inside and not _overlaps(box, others):
                chosen = place
                taken.append(box)
                break
        placed.append(chosen)
    return placed


def _along(start: Place, end: Place) -> Iterator[Box]:
    """Small boxes on the line between two points, but not close to them."""
    (left, top), (right, bottom) = start, end
    length = hypot(right - left, bottom - top)
    for place in range(ceil(GAP), int(length - GAP), 3):
        share = place / length
        yield _box_around(left + share * (right - left), top + share * (bottom - top), 1.0, 1.0)


def _box_around(x: float, y: float, half_width: float, half_height: float) -> Box:
    return x - half_width, y - half_height, x + half_width, y + half_height


def _box(x: float, y: float, name: str, place: Placed) -> Box:
    align, right, down = place
    half = text_width(name, NAME_SIZE) / 2
    middle = x + right + {"left": half, "right": -half, "center": 0.0}[align]
    return _box_around(middle, y + down, half, NAME_SIZE / 2)


def _overlaps(box: Box, others: Iterable[Box]) -> bool:
    return any(
        box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
        for other in others
    )
