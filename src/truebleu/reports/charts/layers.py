"""The layers of a panel: reference lines, error bars, and the marks themselves."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from truebleu.reports.charts.axes import x_axis, y_axis
from truebleu.reports.charts.style import INK, SINGLE, colours, dashes, literal, shapes

if TYPE_CHECKING:
    from truebleu.reports.charts.data import Drawing
    from truebleu.reports.charts.panels import Panel

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
    drawing = panel.drawing
    if drawing.plot.mark == "bar":
        found = [_bars(panel), *_error_bars(panel)]
    elif drawing.plot.mark == "line":
        found = [*_error_bars(panel), _lines(panel), _points_on_lines(panel)]
    elif drawing.plot.mark == "tick":
        found = [*_error_bars(panel), _ticks(panel)]
    else:
        found = [*_error_bars(panel), _points(panel)]
    steady = drawing.steady_references.get(panel.name)
    if "reference" in drawing.fields and steady is None:
        found.append(_row_references(panel))
    across = [value for value in (drawing.plot.reference, steady) if value is not None]
    return [*found, *(_line_across(panel, value) for value in across)]


def series_channels(drawing: Drawing, *channels: str) -> Layer:
    """Encodings that tell series apart; the legend is drawn apart, as a chart of its own."""
    count = len(drawing.series)
    if not count:
        return {}
    ranges = {"color": colours(count), "shape": shapes(count), "strokeDash": dashes(count)}
    return {
        channel: {
            "field": "series",
            "type": "nominal",
            "scale": {"domain": list(drawing.series), "range": ranges[channel]},
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
    colour = {} if panel.drawing.series else {"color": SINGLE}
    mark = {"type": "bar", "stroke": INK, "strokeWidth": 0.5, **colour}
    return _layer(panel, mark, "color")


def _lines(panel: Panel) -> Layer:
    colour = {} if panel.drawing.series else {"color": SINGLE}
    return _layer(panel, {"type": "line", "strokeWidth": 1.6, **colour}, "color", "strokeDash")


def _points(panel: Panel) -> Layer:
    size, opacity = _crowd(panel)
    if _has_error_bars(panel.drawing):
        # Neighbours may touch but not hide each other's bars.
        size = min(size, max(SMALLEST_POINT, round((1.3 * panel.spacing) ** 2)))
    mark = {"type": "point", "filled": True, "size": size, "opacity": opacity}
    if not panel.drawing.series:
        mark["color"] = SINGLE
    return _layer(panel, mark, "color", "shape")


def _points_on_lines(panel: Panel) -> Layer:
    """Points that leave enough of a line to see its dashes: smaller, then fewer."""
    on_a_line = max(1, _count(panel) // max(1, len(panel.drawing.series)))
    apart = panel.width / on_a_line
    size = max(SMALLEST_POINT, min(CROWDS[0][1], round((0.5 * apart) ** 2)))
    mark = {"type": "point", "filled": True, "opacity": 1, "size": size}
    if not panel.drawing.series:
        mark["color"] = SINGLE
    layer = _layer(panel, mark, "color", "shape")
    if on_a_line > MOST_ON_A_LINE:
        every = ceil(on_a_line / FEWER_ON_A_LINE)
        count = {"window": [{"op": "row_number", "as": "place"}]}
        groups = {"groupby": ["series"]} if panel.drawing.series else {}
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
    if not panel.drawing.series:
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
    if not _has_error_bars(panel.drawing):
        return []
    # On bars and under points alike they must be seen: those of bars are in ink.
    on_bars = panel.drawing.plot.mark == "bar"
    channels = () if on_bars else ("color",)
    colour = {"color": INK if on_bars else SINGLE} if on_bars or not panel.drawing.series else {}
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
    found = [rule, *(_layer(panel, cap, *channels, y=end) for end in ("low", "high"))]
    complete = {"filter": "isValid(datum.low) && isValid(datum.high)"}
    return [{**layer, "transform": [complete]} for layer in found]


def _has_error_bars(drawing: Drawing) -> bool:
    return {"low", "high"} <= drawing.fields.keys()


def _layer(panel: Panel, mark: Layer, *channels: str, y: str = "y") -> Layer:
    """A mark for each point, beside those of other series if there are several at one place."""
    drawing = panel.drawing
    encoding = {
        "x": x_axis(panel),
        "y": y_axis(panel, y),
        **series_channels(drawing, *channels),
        "tooltip": _tooltip(drawing),
    }
    if drawing.series and "color" not in channels:
        encoding["detail"] = {"field": "series", "type": "nominal"}
    if drawing.crowded and drawing.categories is not None:
        scale: Layer = {"domain": list(drawing.series)}
        if drawing.plot.mark == "bar":
            scale["paddingInner"] = 0.1
        encoding["xOffset"] = {"field": "series", "type": "nominal", "scale": scale}
    elif drawing.crowded and _has_error_bars(drawing):
        aside = dict(zip(drawing.series, panel.dodge, strict=True))
        mark = {**mark, "xOffset": {"expr": f"{literal(aside)}[datum.series]"}}
    return {"mark": mark, "encoding": encoding}


def _tooltip(drawing: Drawing) -> list[Layer]:
    return [
        {
            "field": part,
            "type": "quantitative" if part in drawing.number_parts else "nominal",
            "title": field.heading,
            **({"format": ".4~%"} if field.percent and part in drawing.number_parts else {}),
        }
        for part, field in drawing.fields.items()
    ]


def _crowd(panel: Panel) -> tuple[int, float]:
    return crowd(_count(panel))


def _count(panel: Panel) -> int:
    return len(panel.drawing.numbers("y", panel.name))
