"""Charts: one Vega-Lite specification, shown by notebooks or written into a file.

Series differ in shape and dash as well as in colours of different lightness, so that a chart says
the same in black and white. Altair and vl-convert are loaded when a chart is made.
"""

from __future__ import annotations

from json import dumps
from math import ceil, isfinite, sqrt
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from truebleu.corpus._files import refuse_existing, write_files
from truebleu.errors import MissingExtraError, SettingError, UnknownNameError, UnreadableFileError
from truebleu.reports.document import CHART_ENDINGS, VERDICTS, Chart, Column, is_number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike
    from types import ModuleType

    from altair import TopLevelMixin

    from truebleu.reports.document import Document, Row, Value


class Documented(Protocol):
    """A result, or another object that has a document."""

    def to_document(self) -> Document:
        """Return the document for people."""


Drawable: TypeAlias = "Chart | Documented"
#: A part of a specification.
Part: TypeAlias = dict[str, Any]

__all__ = ["chart", "require_chart_file", "save_chart", "specification"]

# Twice the pixels of a screen, which is about 200 dots per inch at the width of a page.
PNG_SCALE = 2


def chart(drawable: Drawable) -> TopLevelMixin:
    """Make an Altair chart, which notebooks show and you can change.

    Args:
        drawable: chart, or a result, whose first chart is drawn.

    >>> from truebleu.reports.document import Chart, Column, Plot, Table
    >>> columns = (Column("n", "Segments"), Column("power", "Power", percent=True))
    >>> rows = ({"n": 100, "power": 0.4}, {"n": 400, "power": 0.9})
    >>> plot = Plot(mark="line", x="n", y="power")
    >>> chart(Chart(title="Power", table=Table(columns, rows), plot=plot)).to_dict()["title"]
    {'text': ['Power']}
    """
    altair, _ = _packages()
    spec = specification(_chart_of(drawable))
    kind = altair.ConcatChart if "concat" in spec else altair.LayerChart
    picture: TopLevelMixin = kind.from_dict(spec)
    return picture


def save_chart(drawable: Drawable, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a chart into a file, whole or not at all.

    Args:
        drawable: chart, or a result, whose first chart is drawn.
        path: file to write; its ending decides the format: .png, .svg, .pdf or .json (Vega-Lite).
        overwrite: True to replace an existing file.

    Returns:
        The file.
    """
    file = Path(path)
    require_chart_file(file, overwrite=overwrite)
    content = picture(_chart_of(drawable), file.suffix.lower())
    write_files(file.parent, {file.name: [content]}, overwrite=overwrite)
    return file


def picture(chart: Chart, ending: str) -> bytes:
    """Return the content of a file with a chart, in the format of its ending."""
    from truebleu.reports.formats.machine_readable import dump

    altair, convert = _packages()
    # Altair's own objects would give an equal specification, but are slow for many panels.
    spec = {"$schema": altair.SCHEMA_URL, **specification(chart)}
    if ending == ".json":
        return f"{dump(spec)}\n".encode()
    version: str | None = ".".join(altair.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    # Another release of Altair may name a Vega-Lite version that this converter lacks.
    version = version if version in convert.get_vegalite_versions() else None
    options = {"scale": PNG_SCALE} if ending == ".png" else {}
    draw = getattr(convert, f"vegalite_to_{ending[1:]}")
    content: bytes | str = draw(spec, vl_version=version, allowed_base_urls=[], **options)
    return content if isinstance(content, bytes) else content.encode() + b"\n"


def _chart_of(drawable: Drawable) -> Chart:
    if isinstance(drawable, Chart):
        return drawable
    charts = drawable.to_document().charts
    if not charts:
        raise SettingError("chart", type(drawable).__name__, "a result that has a chart")
    return charts[0]


def require_chart_file(path: Path, *, overwrite: bool) -> None:
    """Raise an error if `save_chart` could not write a file, or lacks its packages."""
    from importlib.util import find_spec
    from os import W_OK, access

    if path.suffix.lower() not in CHART_ENDINGS:
        *others, last = CHART_ENDINGS
        raise SettingError("chart", str(path), f"a file ending in {', '.join(others)} or {last}")
    refuse_existing([path], overwrite=overwrite)
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not (folder.is_dir() and access(folder, W_OK)):
        reason = f"cannot be written: {folder} is not a folder that takes files"
        raise UnreadableFileError(str(path), reason)
    if not (find_spec("altair") and find_spec("vl_convert")):
        raise MissingExtraError("drawing charts", "charts")


def _packages() -> tuple[ModuleType, ModuleType]:
    try:
        import altair
        import vl_convert
    except ImportError as error:
        raise MissingExtraError("drawing charts", "charts") from error
    return altair, vl_convert


# The look of charts.

#: Colours of the report's page: text, axes, grid, better, worse.
INK, SOFT, GRID, FIRST, SECOND = "#1b1f24", "#545c66", "#e6e9ed", "#1f55a0", "#a8410a"
BACKGROUND = "#ffffff"
#: Outline and inside of the dot of each verdict; hollow if the test decides nothing.
VERDICT_LOOKS = {
    "better": (FIRST, FIRST),
    "worse": (SECOND, SECOND),
    "undecided": (SOFT, BACKGROUND),
    "best": (FIRST, FIRST),
    **dict.fromkeys(("different", "baseline", "mean"), (INK, INK)),
}
# Colours, ordered so that the first few differ most in lightness, which remains of a colour in
# print and to most eyes that confuse some hues. All are dark enough to be seen on white.
PALETTE = (FIRST, "#1a1a1a", "#d1560c", "#e0a100", "#7a1f1f", "#2f9fd0", "#1b7855", "#3f1660")
SHAPES = (
    *("circle", "square", "triangle-up", "diamond"),
    *("cross", "triangle-down", "triangle-right", "triangle-left"),
)
# One fewer than shapes: a line is known by both, and the pairs repeat only after 56 series.
DASHES = ([1, 0], [8, 3], [2, 2], [8, 3, 2, 3], [4, 4], [14, 4], [8, 3, 2, 3, 2, 3])
RULE = {"type": "rule", "color": SOFT, "strokeDash": [5, 3]}
#: Width and height of a chart, and of one of several panels, in pixels.
CHART_SIZE, PANEL_SIZE = (480, 300), (280, 200)
#: Pixels of each category, and of each of several series side by side.
STEP, NARROW_STEP = 20, 12
# Letters in a line of a chart's title, and of the title of a panel or axis.
LINE = 80
PANEL_LINE = 45
# Many points are smaller and more transparent: maximum number of points, size, opacity.
CROWDS = ((60, 64, 1.0), (300, 30, 0.9), (2000, 14, 0.6))
LARGEST_CROWD = (6, 0.4)
# Percentages as tables write them; d3's own format leaves no space before the sign.
PERCENT_LABEL = "format(100 * datum.value, ',.6~g') + ' %'"
# Maximum number of values that a logarithmic axis names, such as sizes that double.
MOST_NAMED_VALUES = 10
# Panels share an axis if each of them uses at least this share of it.
SMALLEST_USE = 0.5

CONFIG: Part = {
    "background": BACKGROUND,
    "mark": {"tooltip": True},
    # The first is built into vl-convert, and the next has the same widths: text is set alike.
    "font": "Liberation Sans, Arial, Helvetica, sans-serif",
    "view": {"continuousWidth": 300, "continuousHeight": 300, "stroke": None},
    "axis": {
        **{f"{part}Color": GRID for part in ("grid", "domain", "tick")},
        **{f"{part}Color": SOFT for part in ("label", "title")},
        "labelLimit": 400,
        "titleFontWeight": "normal",
    },
    "legend": {"labelLimit": 400, "symbolSize": 80, "titleFontWeight": "normal"},
    "text": {"color": INK},
    "title": {
        "anchor": "start",
        "color": INK,
        "fontSize": 15,
        "offset": 12,
        "subtitleColor": SOFT,
        "subtitlePadding": 5,
    },
}
# The page must not offer to send its data to an editor elsewhere.
ACTIONS = {"export": True, "source": True, "compiled": False, "editor": False}


# The Vega-Lite specification: panels with their layers, and titles above them.

# The parts of a point, and the attributes of a plot that name their columns.
PARTS = {
    "x": "x",
    "y": "y",
    "series": "series",
    "panel": "panel",
    "label": "label",
    "unit": "y_heading",
    "reference": "reference_field",
}
TEXTS = ("label", "unit")
# Parts that must be numbers.
NUMBERS = ("y", "low", "high", "reference")


def specification(chart: Chart) -> Part:
    """Make the Vega-Lite specification of a chart, complete with its data.

    It depends on nothing but the chart: equal charts have equal specifications.
    """
    data = _Data(chart)
    panels = [_panel(data, name) for name in data.panels or (None,)]
    shown = panels[0]
    if data.panels:
        shared = {axis: "shared" if data.is_shared(axis) else "independent" for axis in "xy"}
        if data.plot.horizontal:
            shared = {"x": shared["y"], "y": shared["x"]}
        shown = {"concat": panels, "columns": _columns(data), "resolve": {"scale": shared}}
    title: Part = {"text": wrap(one_line(chart.title), LINE) or [""]}
    notes = ". ".join(_notes(data))
    if notes:
        title["subtitle"] = wrap(f"{notes}.", LINE)
    return {
        "config": CONFIG,
        "title": title,
        "description": one_line(" ".join((f"{chart.title}.", *chart.sentences))),
        "data": {"name": "rows"},
        "datasets": {"rows": data.points},
        **shown,
        "usermeta": {"embedOptions": {"actions": ACTIONS, "renderer": "svg"}},
    }


class _Data:
    """The points of a plot, and their labels.

    Attributes:
        plot: columns and marks of the chart.
        columns: columns by part: the parts in `PARTS`, low and high.
        points: values by part, for each row that is drawn; missing values are left out.
        without_value: number of rows that cannot be drawn.
        categories: True if the axis of x has labels instead of numbers.
        series: labels of the series; empty without a column of series.
        panels: labels of the panels; empty without a column of panels.
        is_crowded: True if points of several series have the same x.
        has_error_bars: True if any point has an error bar.
        has_verdicts: True if the series are verdicts, whose dots are alike but for colour and
            filling.
        has_steady_references: True if all rows of each panel have the same reference, so that one
            line shows it.
    """

    def __init__(self, chart: Chart) -> None:
        self.plot, rows = chart.plot, chart.table.rows
        named = {part: getattr(self.plot, attribute) for part, attribute in PARTS.items()}
        named |= dict(zip(("low", "high"), self.plot.errors or (), strict=False))
        by_name = {column.name: column for column in chart.table.columns}
        # A key of rows without a column is its own heading.
        keys = {key: Column(key, key) for row in rows for key in row} | by_name
        self.columns = {}
        for part, name in named.items():
            if name is not None:
                if name not in keys:
                    raise UnknownNameError("column of a plot", name, tuple(by_name))
                self.columns[part] = keys[name]
        for part in self.columns.keys() & NUMBERS:
            for value in (row.get(self.columns[part].name) for row in rows):
                if value is not None and not is_number(value):
                    name = self.columns[part].name
                    raise SettingError(f"column {name}", value, "a number to draw")
        x_values = [row.get(self.plot.x) for row in rows]
        self.categories = self.plot.mark == "bar" or not all(
            is_number(value) for value in x_values if value is not None
        )
        labelled = self.columns.keys() & {"series", "panel", *(["x"] * self.categories)}
        labels = {part: _labels(self.columns[part], rows) for part in labelled}
        points = (self._point(row, labels) for row in rows)
        self.points = [point for point in points if point is not None]
        self.without_value = len(rows) - len(self.points)
        self.series = self._labels_of("series", labels)
        if self.plot.series_order:
            self.series.sort(key=self.plot.series_order.index)
        self.panels = self._labels_of("panel", labels)
        self.panels_are_text = all(isinstance(value, str) for value in labels.get("panel", ()))
        self.x_labels = self._labels_of("x", labels)
        positions = [(point.get("panel"), point["x"]) for point in self.points]
        self.is_crowded = len(self.series) > 1 and len(set(positions)) < len(positions)
        self.has_error_bars = any("low" in point for point in self.points)
        self.has_verdicts = self.plot.series_order == VERDICTS
        marked = {(p.get("panel"), p["reference"]) for p in self.points if "reference" in p}
        self.has_steady_references = len(marked) == len(dict(marked))

    def _point(self, row: Row, labels: Mapping[str, Mapping[Value, str]]) -> Part | None:
        """Return the parts of a row that are drawn, or None if it has no place on the axes."""
        point: Part = {}
        for part, column in self.columns.items():
            value = row.get(column.name)
            if part in labels:
                point[part] = labels[part][value]
            elif part in TEXTS:
                if isinstance(value, str) and value:
                    point[part] = one_line(value)
            elif is_number(value) and isfinite(value):
                point[part] = value
        if not {"low", "high"} <= point.keys():
            point.pop("low", None)
            point.pop("high", None)
        if self.plot.reference is not None:
            point["reference"] = self.plot.reference
        x = point.get("x")
        if not self.categories and (x is None or (x <= 0 and self.plot.log_x)):
            return None
        return point if row.get(self.plot.x) is not None and "y" in point else None

    def _labels_of(self, part: str, labels: Mapping[str, Mapping[Value, str]]) -> list[str]:
        """Return the labels of a part that occur in points, in order."""
        present = {point.get(part) for point in self.points}
        return [label for label in labels.get(part, {}).values() if label in present]

    def of_panel(self, panel: str | None) -> list[Part]:
        """Return the points of a panel, or all points."""
        return [point for point in self.points if panel is None or point["panel"] == panel]

    def numbers(self, axis: str, panel: str | None = None) -> list[float]:
        """Return all numbers that an axis shows, in one panel or in all."""
        parts = ("x",) if axis == "x" else NUMBERS
        return [point[part] for point in self.of_panel(panel) for part in parts if part in point]

    def labels_in(self, panel: str | None) -> list[str]:
        """Return the categories of a panel's points."""
        present = dict.fromkeys(str(point["x"]) for point in self.of_panel(panel))
        # Down the page, rows keep their order, such as from the best down.
        return [*present] if self.plot.horizontal else [x for x in self.x_labels if x in present]

    def is_shared(self, axis: str) -> bool:
        """Return whether panels share an axis: they do unless one of them would become flat."""
        if axis == "y" and self.plot.shared_y is not None:
            return self.plot.shared_y
        if axis == "x" and self.categories:
            return False
        if self.columns[axis].percent:
            return True
        ranges = [self.numbers(axis, panel) for panel in self.panels]
        whole = self.numbers(axis) or [0.0]
        smallest = SMALLEST_USE * (max(whole) - min(whole))
        return all(max(part) - min(part) >= smallest for part in ranges if max(part) > min(part))


def _labels(column: Column, rows: Iterable[Row]) -> dict[Value, str]:
    """Map each value to its label: numbers sorted, yes before no, others in order of rows."""
    values: list[Value] = list(dict.fromkeys(row.get(column.name) for row in rows))
    if all(isinstance(value, int | float) for value in values):
        yes_or_no = all(isinstance(value, bool) for value in values)
        values.sort(key=lambda value: cast("float", value), reverse=yes_or_no)
    labels = {value: one_line(column.cell(value)) for value in values}
    if len(set(labels.values())) < len(labels):
        # Labels with too few decimals, or with blanks and other characters that look alike.
        labels = {value: repr(value) for value in values}
    return labels


def _columns(data: _Data) -> int:
    """Arrange up to three panels in a row, up to nine in about a square, more in rows of four.

    If categories run down the page, panels with different categories stand below each other.
    """
    panels = len(data.panels)
    if data.plot.horizontal and data.categories:
        several = len({tuple(data.labels_in(panel)) for panel in data.panels}) > 1
        return 1 if several else panels if panels <= 3 else 2
    return panels if panels <= 3 else min(4, ceil(sqrt(panels)))


def _panel(data: _Data, name: str | None) -> Part:
    """Make one of several panels, or the only one."""
    width: Any
    height: Any
    width, height = CHART_SIZE if len(data.panels) < 2 else PANEL_SIZE
    if data.categories:
        step = {"step": NARROW_STEP if data.is_crowded else STEP}
        if data.plot.horizontal:
            height = step
        elif len(data.x_labels) * STEP > width:
            width = step
    layers = _layers(data, name)
    if data.plot.horizontal:
        layers = [_swap_axes(layer) for layer in layers]
    part: Part = {"width": width, "height": height, "layer": layers}
    if name is not None:
        title = name if data.panels_are_text else f"{data.columns['panel'].heading}: {name}"
        part["title"] = {"text": wrap(one_line(title), PANEL_LINE), "fontSize": 12, "offset": 6}
        part["transform"] = [{"filter": f"datum.panel === {dumps(name)}"}]
    return part


def _layers(data: _Data, panel: str | None) -> list[Part]:
    """Make the layers of a panel, from the back to the front."""
    colour = {} if data.series else {"color": FIRST}
    count = len(data.of_panel(panel))
    looks = (look for maximum, *look in CROWDS if count <= maximum)
    size, opacity = next(looks, LARGEST_CROWD)
    point: Part = {"type": "point", "size": size, "opacity": opacity, **colour}
    point["filled"] = not data.has_verdicts
    look = "fill" if data.has_verdicts else "shape"
    marks = {
        "point": [_layer(data, panel, point, "color", look)],
        "line": [
            _layer(data, panel, {"type": "line", **colour}, "color", "strokeDash"),
            _layer(data, panel, point, "color", "shape"),
        ],
        # Lighter, so that error bars are seen.
        "bar": [_layer(data, panel, {"type": "bar", "fillOpacity": 0.6, **colour}, "color")],
    }
    layers = marks[data.plot.mark]
    if data.has_error_bars:
        bars = {"type": "errorbar", "thickness": 2, **colour}
        layer = _layer(data, panel, bars, "color", y="low")
        layer["encoding"]["y2"] = {"field": "high"}
        layer["transform"] = [{"filter": "isValid(datum.low)"}]
        layers.insert(0, layer)
    if any("reference" in point for point in data.of_panel(panel)):
        layers.insert(0 if data.has_verdicts else len(layers), _reference(data, panel))
    if data.plot.opposite is not None:
        layers.append({"mark": RULE, "encoding": {"y": {"datum": data.plot.opposite}}})
    if "label" in data.columns:
        text = _layer(data, panel, {"type": "text", "align": "left", "dx": 7})
        text["encoding"] |= {"text": {"field": "label", "type": "nominal"}}
        if data.plot.horizontal:
            text["encoding"]["y"] = {"value": "width"}
        layers.append(text)
    return layers


def _reference(data: _Data, panel: str | None) -> Part:
    """Draw one line across if all rows have the same reference, else a short line for each."""
    if not data.has_steady_references:
        mark: Part = {"type": "tick", "orient": "horizontal", "color": INK, "thickness": 2}
        return _layer(data, panel, mark, y="reference")
    y = {**_y_axis(data, panel, "reference"), "aggregate": "min"}
    rule = {"type": "rule", "color": SOFT} if data.has_verdicts else RULE
    return {"mark": rule, "encoding": {"y": y}}


def _layer(data: _Data, panel: str | None, mark: Part, *channels: str, y: str = "y") -> Part:
    """Draw a mark for each point; series side by side if their points have the same x."""
    encoding = {"x": _x_axis(data, panel), "y": _y_axis(data, panel, y)}
    if data.series:
        encoding |= _series_channels(data, channels)
        if data.is_crowded and data.categories:
            encoding["xOffset"] = {"field": "series", "type": "nominal", "sort": data.series}
    return {"mark": mark, "encoding": encoding}


def _series_channels(data: _Data, channels: Sequence[str]) -> Part:
    """Make encodings that distinguish series; a series has one look in all charts."""
    order = data.plot.series_order or tuple(data.series)
    looks = [order.index(name) for name in data.series]
    ranges: dict[str, Sequence[object]]
    ranges = {"color": PALETTE, "shape": SHAPES, "strokeDash": DASHES}
    if data.has_verdicts:
        outlines, insides = zip(*(VERDICT_LOOKS[name] for name in order), strict=True)
        ranges |= {"color": outlines, "fill": insides}
    encoding: Part = {
        channel: {
            "field": "series",
            "type": "nominal",
            "title": one_line(data.columns["series"].heading),
            "scale": {
                "domain": data.series,
                "range": [ranges[channel][look % len(ranges[channel])] for look in looks],
            },
        }
        for channel in channels
    }
    return encoding or {"detail": {"field": "series", "type": "nominal"}}


def _x_axis(data: _Data, panel: str | None) -> Part:
    column = data.columns["x"]
    encoding: Part = {"field": "x", "title": _heading(column.heading)}
    if data.categories:
        axis: Part = {"grid": False} if data.plot.horizontal else {"grid": False, "labelAngle": -40}
        scale: Part = {"domain": data.labels_in(panel)}
        return {**encoding, "type": "ordinal", "scale": scale, "axis": axis}
    values = sorted(set(data.numbers("x")))
    axis = {"labelOverlap": "greedy", **_number_format(column, values)}
    scale = {"nice": False, "padding": 16, "zero": False}
    if data.plot.log_x:
        scale = {"nice": False, "padding": 16, "type": "log"}
        axis.pop("tickMinStep", None)
        if len(values) <= MOST_NAMED_VALUES:
            axis["values"] = values
    return {**encoding, "type": "quantitative", "scale": scale, "axis": axis}


def _y_axis(data: _Data, panel: str | None, part: str) -> Part:
    """Encode a part along y: the value itself, an end of its error bar, or a reference."""
    column = data.columns["y"]
    units = [point["unit"] for point in data.of_panel(panel) if "unit" in point]
    numbers = data.numbers("y", None if not data.panels or data.is_shared("y") else panel)
    # A bar's length shows its value, so bars always begin at 0.
    scale: Part = {"zero": data.plot.zero_y or data.plot.mark == "bar", "nice": True}
    if column.percent and numbers and min(numbers) >= 0 and max(numbers) <= 1:
        # A share lies between 0 and 1; an axis of shares near one of these bounds includes it.
        scale["zero"] |= min(numbers) < 0.1
        scale |= {"domainMax": 1} if max(numbers) > 0.9 else {}
    return {
        "field": part,
        "type": "quantitative",
        "title": _heading(units[0] if units else column.heading),
        "scale": scale,
        "axis": {"labelOverlap": "greedy", **_number_format(column, numbers)},
    }


def _heading(text: str) -> list[str]:
    return wrap(one_line(text), PANEL_LINE) or [""]


def _number_format(column: Column, numbers: list[float]) -> Part:
    if column.percent:
        return {"labelExpr": PERCENT_LABEL}
    # Whole numbers are counts: half a reference or half a sample cannot occur.
    whole = all(isinstance(number, int) for number in numbers)
    return {"tickMinStep": 1, "format": ",d"} if whole else {}


_OTHER_AXIS = {"x": "y", "y": "x", "x2": "y2", "y2": "x2", "xOffset": "yOffset"}


def _swap_axes(layer: Part) -> Part:
    """Swap the axes of a layer."""
    mark = dict(layer["mark"])
    if "orient" in mark:
        mark["orient"] = "vertical"
    encoding = {_OTHER_AXIS.get(key, key): value for key, value in layer["encoding"].items()}
    return {**layer, "mark": mark, "encoding": encoding}


def _notes(data: _Data) -> list[str]:
    """Explain the marks that no axis and no legend explains."""
    columns, notes = data.columns, []
    if data.has_error_bars:
        notes.append(f"Error bars: {_interval(data)}")
    if data.plot.reference is not None:
        column = Column("reference", "", percent=columns["y"].percent)
        ends = [end for end in (data.plot.reference, data.plot.opposite) if end is not None]
        shown = " and ".join(map(column.cell, ends))
        notes.append(f"Dashed line{'s' * (len(ends) > 1)}: {shown}")
    elif "reference" in columns and not data.has_verdicts:
        kind = "Dashed line" if data.has_steady_references else "Short lines"
        notes.append(f"{kind}: {one_line(columns['reference'].heading)}")
    if not data.points:
        notes.append("No row has a value to draw")
    elif data.without_value:
        rows = "row has" if data.without_value == 1 else "rows have"
        notes.append(f"{data.without_value:,} {rows} no value to draw")
    return notes


def _interval(data: _Data) -> str:
    """Name the error bars; headings such as "95 % from" and "to" suit a table only."""
    if data.plot.interval is not None:
        return one_line(data.plot.interval)
    low, high = (one_line(data.columns[end].heading) for end in ("low", "high"))
    if high.lower() == "to" and low.lower().endswith("from"):
        return low[: -len("from")].strip() or "the interval"
    return f"{low} to {high}"
