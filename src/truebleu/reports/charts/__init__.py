"""Charts: one Vega-Lite specification, shown by notebooks or written into a file.

Series differ in shape and dash as well as in colours of different lightness, so that a chart says
the same in black and white. Altair and vl-convert are loaded when a chart is made.
"""

from __future__ import annotations

from math import ceil, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from truebleu.corpus._writing import refuse_existing, write_files
from truebleu.errors import MissingExtraError, SettingError, UnreadableFileError
from truebleu.reports.charts._data import (
    AXIS_TITLE_SIZE,
    CHART_SIZE,
    CONFIG,
    LABEL_SIZE,
    LABELLED_SIZE,
    LINE,
    PANEL_SIZE,
    ROW,
    SMALLEST_STEP,
    TITLE_SIZE,
    TURNED_WIDTHS,
    chart_data,
    literal,
    text_width,
    wrapped,
)
from truebleu.reports.charts._panel import (
    Panel,
    is_shared,
    label_room,
    layers,
    point_names,
    row_label,
    series_channels,
)
from truebleu.reports.document import CHART_ENDINGS, Chart, Column, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike
    from types import ModuleType

    from altair import TopLevelMixin

    from truebleu.reports.charts._data import ChartData
    from truebleu.reports.document import Document


class Documented(Protocol):
    """A result, or what else has a document."""

    def to_document(self) -> Document:
        """What people read."""


Drawable: TypeAlias = "Chart | Documented"
#: Makes a file of a specification, by the converter and a version of Vega-Lite.
Writer: TypeAlias = "Callable[[ModuleType, Mapping[str, Any], str | None], bytes]"

__all__ = [
    "chart",
    "require_chart_file",
    "require_packages",
    "save_chart",
    "specification",
]

PACKAGES = ("altair", "vl_convert")
# Twice the pixels of a screen, which is about 200 dots per inch at the width of a page.
PNG_SCALE = 2

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<script>{library}</script>
</head>
<body>
<div id="chart"></div>
<script>
vegaEmbed("#chart", {specification}).catch(console.error);
</script>
</body>
</html>
"""


def chart(drawable: Drawable) -> TopLevelMixin:
    """A chart as Altair's object: a notebook shows it, Altair can change it.

    Args:
        drawable: a result, whose first chart is taken, or a chart.

    >>> from truebleu.reports.document import Chart, Column, Plot, Table
    >>> columns = (Column("n", "Segments"), Column("power", "Power", percent=True))
    >>> rows = ({"n": 100, "power": 0.4}, {"n": 400, "power": 0.9})
    >>> plot = Plot(mark="line", x="n", y="power")
    >>> chart(Chart(title="Power", table=Table(columns, rows), plot=plot)).to_dict()["title"]
    {'text': ['Power']}
    """
    altair, _ = _packages()
    spec = specification(_chart_of(drawable))
    kinds = {"hconcat": "HConcatChart", "vconcat": "VConcatChart", "concat": "ConcatChart"}
    kind = next((kinds[key] for key in kinds if key in spec), "LayerChart")
    picture: TopLevelMixin = getattr(altair, kind).from_dict(spec)
    return picture


def save_chart(drawable: Drawable, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a chart into a file, whole or not at all.

    Args:
        drawable: a result, whose first chart is taken, or a chart.
        path: where to; its ending says as what: .png, .svg, .pdf, .html or .json
            (Vega-Lite).
        overwrite: whether a file that exists may be replaced.

    Returns:
        The file.
    """
    file = Path(path)
    require_chart_file(file, overwrite=overwrite)
    altair, convert = _packages()
    # What Altair would say of its own object, which takes it long where panels are many.
    spec = {"$schema": altair.SCHEMA_URL, **specification(_chart_of(drawable))}
    version = ".".join(altair.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    # Another release of Altair may speak of a version that this converter does not have.
    known = version if version in convert.get_vegalite_versions() else None
    written = _WRITERS[_ending(file)](convert, spec, known)
    write_files(file.parent, {file.name: [written]}, overwrite=overwrite)
    return file


def _chart_of(drawable: Drawable) -> Chart:
    if isinstance(drawable, Chart):
        return drawable
    charts = drawable.to_document().charts
    if not charts:
        raise SettingError("chart", type(drawable).__name__, "a result that has a chart")
    return charts[0]


def require_chart_file(path: Path, *, overwrite: bool) -> None:
    """Raise an error now where `save_chart` would refuse a file, or lack its packages."""
    from os import W_OK, access

    _ending(path)
    refuse_existing([path], overwrite=overwrite)
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not (folder.is_dir() and access(folder, W_OK)):
        reason = f"cannot be written: {folder} is not a folder that takes files"
        raise UnreadableFileError(str(path), reason)
    require_packages()


def require_packages() -> None:
    """Raise an error where the packages that draw charts are not installed; nothing is loaded."""
    from importlib.util import find_spec

    if not all(map(find_spec, PACKAGES)):
        raise MissingExtraError("drawing charts", "charts")


def _packages() -> tuple[ModuleType, ModuleType]:
    try:
        import altair
        import vl_convert
    except ImportError as error:
        raise MissingExtraError("drawing charts", "charts") from error
    return altair, vl_convert


def _ending(path: Path) -> str:
    ending = path.suffix.lower()
    if ending not in CHART_ENDINGS:
        *others, last = CHART_ENDINGS
        raise SettingError("chart", str(path), f"a file ending in {', '.join(others)} or {last}")
    return ending


def _picture(kind: str, **options: object) -> Writer:
    """What writes a picture of a kind."""

    def write(convert: ModuleType, spec: Mapping[str, Any], version: str | None) -> bytes:
        draw = getattr(convert, f"vegalite_to_{kind}")
        drawn: bytes | str = draw(spec, vl_version=version, allowed_base_urls=[], **options)
        return drawn if isinstance(drawn, bytes) else drawn.encode() + b"\n"

    return write


def _html(convert: ModuleType, spec: Mapping[str, Any], version: str | None) -> bytes:
    from html import escape

    from truebleu.reports.formats.json import dump

    # A name with "</script>" in it must not end the script.
    inline = dump(spec, indent=None).replace("<", "\\u003c")
    return PAGE.format(
        title=escape(" ".join(spec["title"]["text"])),
        library=convert.javascript_bundle(vl_version=version),
        specification=inline,
    ).encode()


def _json(_convert: ModuleType, spec: Mapping[str, Any], _version: str | None) -> bytes:
    from truebleu.reports.formats.json import dump

    return f"{dump(spec)}\n".encode()


_WRITERS: Mapping[str, Writer] = {
    ".png": _picture("png", scale=PNG_SCALE),
    ".svg": _picture("svg"),
    ".pdf": _picture("pdf"),
    ".html": _html,
    ".json": _json,
}


# The Vega-Lite specification: panels, a legend, and words above them.


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
    columns = _columns(data)
    named = [point_names(panel) for panel in panels]
    # Panels are scaled as they are drawn: where they are turned, y runs across the page.
    drawn = {"x": "y", "y": "x"} if data.plot.horizontal else {"x": "x", "y": "y"}
    shown: Part = {
        "concat": [_panel(panel, names) for panel, (names, _) in zip(panels, named, strict=True)],
        "columns": columns,
        "spacing": 24,
        "resolve": {
            "scale": {
                page: "shared" if axis in panels[0].shared else "independent"
                for axis, page in drawn.items()
            }
        },
    }
    width = columns * (panels[0].width + AXIS_ROOM)
    if data.plot.horizontal:
        width = columns * (panels[0].width + 24) + label_room(data)
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
        "title": _title(chart, data, width, sum(unnamed for _, unnamed in named)),
        "description": one_line(" ".join((f"{chart.title}.", *chart.sentences))),
        "data": {"name": "rows"},
        "datasets": rows,
        **shown,
        "usermeta": {"embedOptions": {"actions": ACTIONS, "renderer": "svg"}},
    }


def _panels(data: ChartData) -> list[Panel]:
    names: tuple[str | None, ...] = data.panels or (None,)
    columns = _columns(data)
    shared = frozenset(axis for axis in ("x", "y") if is_shared(data, axis))
    first_column = [index % columns == 0 for index in range(len(names))]
    # The heading of an axis stands at the edge of the page only, unless panels differ in it.
    last_row = [
        index + columns >= len(names) or "unit" in data.columns for index in range(len(names))
    ]
    if not data.plot.horizontal:
        edges = {"x_title": last_row, "y_title": first_column}
        if "unit" in data.columns:
            edges["y_title"] = [True] * len(names)
    else:
        edges = {"x_title": first_column, "y_title": last_row}
    return [
        Panel(
            data,
            name,
            *_size(data, name),
            x_title=edges["x_title"][index],
            y_title=edges["y_title"][index],
            shared=shared,
        )
        for index, name in enumerate(names)
    ]


def _size(data: ChartData, name: str | None) -> tuple[float, float]:
    """Width and height of a panel; categories make it as long as they need."""
    width, height = CHART_SIZE if len(data.panels) <= 1 else PANEL_SIZE
    if "label" in data.columns:
        width, height = LABELLED_SIZE if len(data.panels) > 1 else CHART_SIZE
    if data.categories is None:
        return width, height
    beside = len(data.series) if data.crowded else 1
    if data.plot.horizontal:
        width = TURNED_WIDTHS[min(_columns(data), len(TURNED_WIDTHS)) - 1]
        rows = data.categories_of(name) or ()
        lines = max((len(row_label(label)) for label in rows), default=1)
        step = max(ROW * beside, LINE * lines + ROW - LINE)
        return width, step * max(1, len(rows))
    most = max(len(data.categories_of(panel) or ()) for panel in data.panels or (None,))
    return max(width, SMALLEST_STEP * most * beside), height


def _columns(data: ChartData) -> int:
    """Up to three panels are a row, up to nine a square or nearly so, more are rows of four.

    Where categories run down the page, panels stand below each other unless all have the same.
    """
    panels = max(1, len(data.panels))
    if data.plot.horizontal and data.categories is not None:
        return 1 if not data.alike else panels if panels <= 3 else 2
    if panels <= 3:
        return panels
    return min(4, ceil(sqrt(panels)))


def _panel(panel: Panel, names: list[Part]) -> Part:
    part: Part = {"width": panel.width, "height": panel.height, "layer": layers(panel, names)}
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


def _title(chart: Chart, data: ChartData, width: float, unnamed: int) -> Part:
    title: Part = {"text": wrapped(one_line(chart.title), width, TITLE_SIZE)}
    notes = ". ".join(_notes(data, unnamed))
    if notes:
        title["subtitle"] = wrapped(f"{notes}.", width, LABEL_SIZE)
    return title


def _notes(data: ChartData, unnamed: int) -> list[str]:
    """What the marks mean that no axis and no legend says."""
    columns, notes = data.columns, []
    if data.has_error_bars:
        notes.append(f"Error bars: {_interval(data)}")
    if data.plot.reference is not None:
        value = Column("reference", "", percent=columns["y"].percent).cell(data.plot.reference)
        notes.append(f"Dashed line: {value}")
    if "reference" in columns:
        kind = "Dashed line" if data.steady_references else "Short lines"
        notes.append(f"{kind}: {columns['reference'].heading}")
    if unnamed:
        points = "point has" if unnamed == 1 else "points have"
        notes.append(f"{unnamed:,} {points} no room for a name")
    if not data.points:
        notes.append("No row has a value to draw")
    elif data.left_out:
        rows = "row has" if data.left_out == 1 else "rows have"
        notes.append(f"{data.left_out:,} {rows} no value to draw")
    return notes


def _interval(data: ChartData) -> str:
    """What the error bars are; headings such as "95 % from" and "to" say it in a table only."""
    if data.plot.interval is not None:
        return one_line(data.plot.interval)
    low, high = data.columns["low"].heading, data.columns["high"].heading
    if high.lower() == "to" and low.lower().endswith("from"):
        return low[: -len("from")].strip() or "the interval"
    return f"{low} to {high}"
