"""The Vega-Lite specification of an exhibit's chart: panels, a legend, and words above them."""

from __future__ import annotations

from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

from truebleu.reports.charts.axes import is_shared
from truebleu.reports.charts.data import drawing, readable
from truebleu.reports.charts.layers import layers, series_channels
from truebleu.reports.charts.panels import Panel
from truebleu.reports.charts.style import (
    AXIS_TITLE_SIZE,
    CHART_SIZE,
    CONFIG,
    LABEL_SIZE,
    PANEL_SIZE,
    SMALLEST_STEP,
    TITLE_SIZE,
    literal,
    text_width,
    wrapped,
)

if TYPE_CHECKING:
    from truebleu.exhibits import Exhibit, Value
    from truebleu.reports.charts.data import Drawing

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


def specification(exhibit: Exhibit) -> Part:
    """The chart of an exhibit in Vega-Lite, complete with its data.

    Nothing in it depends on anything but the exhibit: the same exhibit has the same chart.
    """
    drawn = drawing(exhibit)
    panels = _panels(drawn)
    columns = _columns(len(panels))
    chart: Part = {
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
        (chart,) = chart["concat"]
    rows: dict[str, Any] = {"rows": list(drawn.points)}
    if drawn.series:
        legend, room = _legend(drawn)
        beside = room <= WIDEST_LEGEND
        width += room if beside else 0
        rows["legend"] = [
            {"series": name, "place": place} for name in drawn.series for place in (0, 0.5, 1)
        ]
        chart = {("hconcat" if beside else "vconcat"): [chart, legend], "spacing": 20}
    return {
        "config": {**CONFIG, "aria": len(drawn.points) <= MOST_DESCRIBED},
        "title": _title(exhibit, drawn, width),
        "description": readable(" ".join((f"{exhibit.title}.", *exhibit.findings))),
        "data": {"name": "rows"},
        "datasets": rows,
        **chart,
        "usermeta": {"embedOptions": {"actions": ACTIONS, "renderer": "svg"}},
    }


def _panels(drawn: Drawing) -> list[Panel]:
    names: tuple[str | None, ...] = drawn.panels or (None,)
    width, height = CHART_SIZE if len(names) == 1 else PANEL_SIZE
    if drawn.categories is not None:
        beside = len(drawn.series) if drawn.crowded else 1
        most = max(len(drawn.categories_of(name) or ()) for name in names)
        width = max(width, SMALLEST_STEP * most * beside)
    columns = _columns(len(names))
    shared = frozenset(axis for axis in ("x", "y") if is_shared(drawn, axis))
    return [
        Panel(
            drawn,
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
    found: Part = {"width": panel.width, "height": panel.height, "layer": layers(panel)}
    if panel.name is not None:
        heading = panel.drawing.fields["panel"].heading
        name = panel.name if panel.drawing.panels_are_text else f"{heading}: {panel.name}"
        lines = wrapped(name, panel.width, AXIS_TITLE_SIZE)
        found["title"] = {"text": lines, "fontSize": AXIS_TITLE_SIZE, "offset": 6}
        found["transform"] = [{"filter": f"datum.panel === {literal(panel.name)}"}]
    return found


def _legend(drawn: Drawing) -> tuple[Part, float]:
    """A line and a point of each series beside its name, and about how wide that is.

    Vega's own legends show dashes and shapes apart from each other, and cut long names.
    """
    widest = max(text_width(name, LABEL_SIZE) for name in drawn.series)
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
        "scale": {"domain": list(drawn.series), "padding": 0.5},
        "axis": axis,
    }
    return {
        "data": {"name": "legend"},
        "width": LEGEND_SAMPLE if drawn.plot.mark == "line" else LEGEND_SAMPLE / 2,
        "height": LEGEND_ROW * len(drawn.series),
        "view": {"stroke": None},
        "title": {
            "text": wrapped(drawn.fields["series"].heading, WIDEST_LEGEND, AXIS_TITLE_SIZE),
            "fontSize": AXIS_TITLE_SIZE,
            "fontWeight": "normal",
            "offset": 6,
        },
        "layer": [
            {**layer, "encoding": {"x": x, "y": y, **series_channels(drawn, *layer["encoding"])}}
            for layer in _samples(drawn)
        ],
    }, LEGEND_SAMPLE + widest


def _samples(drawn: Drawing) -> list[Part]:
    """What the legend shows of a series: the layers, with the channels that tell it apart."""
    middle = [{"filter": "datum.place === 0.5"}]
    if drawn.plot.mark == "bar":
        mark = {"type": "point", "shape": "square", "size": 140, "filled": True, "opacity": 1}
        outline = {"stroke": "#000000", "strokeWidth": 0.5}
        return [{"mark": {**mark, **outline}, "transform": middle, "encoding": ("color",)}]
    if drawn.plot.mark == "tick":
        mark = {"type": "tick", "orient": "horizontal", "size": 20, "thickness": 2}
        return [{"mark": mark, "transform": middle, "encoding": ("color",)}]
    point = {"type": "point", "filled": True, "size": 55, "opacity": 1}
    points = {"mark": point, "transform": middle, "encoding": ("color", "shape")}
    if drawn.plot.mark == "point":
        return [points]
    line = {"mark": {"type": "line", "strokeWidth": 1.6}, "encoding": ("color", "strokeDash")}
    return [line, points]


def _title(exhibit: Exhibit, drawn: Drawing, width: float) -> Part:
    title: Part = {"text": wrapped(readable(exhibit.title), width, TITLE_SIZE)}
    notes = ". ".join(_notes(drawn))
    if notes:
        title["subtitle"] = wrapped(f"{notes}.", width, LABEL_SIZE)
    return title


def _notes(drawn: Drawing) -> list[str]:
    """What the marks mean that no axis and no legend says."""
    fields, notes = drawn.fields, []
    if {"low", "high"} <= fields.keys():
        notes.append(f"Error bars: {_interval(drawn)}")
    if drawn.plot.reference is not None:
        notes.append(f"Dashed line: {_number(drawn.plot.reference, drawn)}")
    if "reference" in fields:
        kind = "Dashed line" if drawn.steady_references else "Short lines"
        notes.append(f"{kind}: {fields['reference'].heading}")
    if not drawn.points:
        notes.append("No row has a value to draw")
    elif drawn.left_out:
        rows = "row has" if drawn.left_out == 1 else "rows have"
        notes.append(f"{drawn.left_out:,} {rows} no value to draw")
    return notes


def _interval(drawn: Drawing) -> str:
    """What the error bars are; headings such as "95 % from" and "to" say it in a table only."""
    if drawn.plot.interval is not None:
        return readable(drawn.plot.interval)
    low, high = drawn.fields["low"].heading, drawn.fields["high"].heading
    if high.lower() == "to" and low.lower().endswith("from"):
        return low[: -len("from")].strip() or "the interval"
    return f"{low} to {high}"


def _number(value: Value, drawn: Drawing) -> str:
    from truebleu.exhibits import Field
    from truebleu.reports.exhibit import cell

    return cell(value, Field("reference", "", percent=drawn.fields["y"].percent))
