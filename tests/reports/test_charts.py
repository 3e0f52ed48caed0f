"""Claims about charts: they say what the plot says, in colour and in grey, the same every time."""

from __future__ import annotations

import json
import math
import re
import struct
import subprocess
import sys
import zlib
from dataclasses import replace
from importlib.resources import files
from itertools import combinations
from typing import TYPE_CHECKING, Any

import altair
import pytest
from defusedxml.ElementTree import fromstring

from truebleu.errors import MissingExtraError, SettingError, UnknownNameError, UnreadableFileError
from truebleu.reports.charts import (
    DASHES,
    FIRST,
    INK,
    PALETTE,
    SECOND,
    SHAPES,
    SOFT,
    chart,
    save_chart,
    specification,
)
from truebleu.reports.document import CHART_ENDINGS, Chart, Column, Plot, Table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from truebleu.reports.document import Row

TESTS = ("randomization", "shifted bootstrap", "a test with a name that is long", "sacreBLEU's")
FIELDS = (
    Column("test", "Test"),
    Column("pair", "Pair"),
    Column("size", "Segments in a sample"),
    Column("share", "Right conclusions", digits=1, percent=True),
    Column("low", "95 % interval from"),
    Column("high", "the upper end"),
    Column("hoped", "Promised power", percent=True),
)
ROWS = tuple(
    {
        "test": test,
        "pair": pair,
        "size": size,
        "share": size / (size + 100 * place + 100),
        "low": size / (size + 100 * place + 200),
        "high": size / (size + 100 * place + 50),
        "hoped": 0.8 if pair == "a and b" else 0.9,
    }
    for place, test in enumerate(TESTS)
    for pair in ("a and b", "a and c")
    for size in (100, 200, 400, 800)
)
LINES = Chart(
    title="Power against size",
    table=Table(FIELDS, tuple(row for row in ROWS if row["pair"] == "a and b")),
    sentences=("It grows.",),
    plot=Plot("line", "size", "share", errors=("low", "high"), series="test"),
)


def with_plot(drawn: Chart = LINES, **changes: Any) -> Chart:
    return replace(drawn, plot=replace(drawn.plot, **changes))


def changed(
    drawn: Chart,
    *,
    rows: tuple[Row, ...] | None = None,
    columns: tuple[Column, ...] | None = None,
    **changes: Any,
) -> Chart:
    table = Table(
        drawn.table.columns if columns is None else columns,
        drawn.table.rows if rows is None else rows,
    )
    return replace(drawn, table=table, **changes)


PANELS = changed(with_plot(panel="pair"), rows=ROWS)
POINTS = with_plot(mark="point", x="test", series=None, reference=0.8)
BARS = changed(with_plot(mark="bar", errors=None), rows=ROWS[:8])
ALL = {
    "lines": LINES,
    "logarithmic": with_plot(log_x=True),
    "panels": PANELS,
    "points": POINTS,
    "bars": BARS,
    "references": with_plot(PANELS, reference_field="hoped"),
    "turned": replace(
        POINTS, plot=replace(POINTS.plot, horizontal=True, reference=None, label="test")
    ),
    "empty": changed(LINES, rows=()),
}
every_chart = pytest.mark.parametrize("drawn", ALL.values(), ids=ALL)


def parts(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every part of a specification that has a mark."""
    for key in ("concat", "layer"):
        for part in spec.get(key, ()):
            yield from parts(part)
    if "mark" in spec:
        yield spec


def marks(drawn: Chart, mark: str) -> list[dict[str, Any]]:
    """The layers of a mark."""
    return [part for part in parts(specification(drawn)) if part["mark"]["type"] == mark]


def panels(drawn: Chart) -> dict[str, Any]:
    return specification(drawn)


def saved(drawn: Chart, path: Path) -> bytes:
    return save_chart(drawn, path, overwrite=True).read_bytes()


def texts(svg: bytes) -> list[str]:
    """What is written in a picture, each text with its lines joined."""
    found = fromstring(svg.decode()).iter("{http://www.w3.org/2000/svg}text")
    return [" ".join(filter(None, map(str.strip, text.itertext()))) for text in found]


def test_a_line_has_the_axes_headings_and_series_of_its_plot() -> None:
    (line,) = marks(LINES, "line")
    encoding = line["encoding"]
    assert (encoding["x"]["field"], encoding["x"]["type"]) == ("x", "quantitative")
    assert encoding["x"]["title"] == ["Segments in a sample"]
    assert encoding["y"]["title"] == ["Right conclusions"]
    assert encoding["color"]["scale"]["domain"] == list(TESTS)
    first = specification(LINES)["datasets"]["rows"][0]
    assert first == {"x": 100, "y": 0.5, "low": 1 / 3, "high": 2 / 3, "series": TESTS[0]}


def test_error_bars_reach_from_low_to_high() -> None:
    (rule,) = marks(LINES, "errorbar")
    assert (rule["encoding"]["y"]["field"], rule["encoding"]["y2"]["field"]) == ("low", "high")
    subtitle = " ".join(specification(LINES)["title"]["subtitle"])
    assert "Error bars: 95 % interval from to the upper end." in subtitle


@pytest.mark.parametrize(
    ("headings", "interval", "expected"),
    [
        (("95 % interval from", "to"), None, "95 % interval"),
        (("from", "to"), None, "the interval"),
        (("lowest", "highest"), None, "lowest to highest"),
        (("from", "to"), "99 % interval", "99 % interval"),
    ],
)
def test_a_chart_says_what_its_error_bars_are(
    headings: tuple[str, str], interval: str | None, expected: str
) -> None:
    ends = (Column("low", headings[0]), Column("high", headings[1]))
    drawn = with_plot(changed(LINES, columns=(*FIELDS, *ends)), interval=interval)
    assert specification(drawn)["title"]["subtitle"] == [f"Error bars: {expected}."]


def test_a_reference_is_a_line_across() -> None:
    (rule,) = marks(POINTS, "rule")
    assert (rule["encoding"]["y"]["field"], rule["encoding"]["y"]["aggregate"]) == (
        "reference",
        "min",
    )
    assert {row["reference"] for row in specification(POINTS)["datasets"]["rows"]} == {0.8}
    assert "Dashed line: 80 %." in " ".join(specification(POINTS)["title"]["subtitle"])


def test_an_opposite_line_is_drawn_with_the_reference() -> None:
    both = changed(POINTS, plot=replace(POINTS.plot, opposite=0.2))
    assert marks(both, "rule")[1]["encoding"] == {"y": {"datum": 0.2}}
    subtitle = " ".join(specification(both)["title"]["subtitle"])
    assert "Dashed lines: 80 % and 20 %." in subtitle


def test_references_of_rows_are_drawn_at_each_row() -> None:
    varied = tuple({**row, "hoped": row["low"]} for row in LINES.table.rows)
    drawn = changed(with_plot(reference_field="hoped"), rows=varied)
    fields = [tick["encoding"]["y"]["field"] for tick in marks(drawn, "tick")]
    assert fields.count("reference") == 1
    assert "Short lines: Promised power." in " ".join(specification(drawn)["title"]["subtitle"])


def test_equal_references_of_a_panel_become_one_line() -> None:
    drawn = with_plot(PANELS, reference_field="hoped")
    across = [rule["encoding"] for rule in marks(drawn, "rule")]
    assert [encoding["y"]["field"] for encoding in across] == ["reference", "reference"]
    assert not any("x" in encoding for encoding in across)
    assert marks(drawn, "tick") == []


def test_each_panel_has_its_own_rows_and_name() -> None:
    both = panels(PANELS)["concat"]
    assert [panel["title"]["text"] for panel in both] == [["a and b"], ["a and c"]]
    assert [panel["transform"] for panel in both] == [
        [{"filter": 'datum.panel === "a and b"'}],
        [{"filter": 'datum.panel === "a and c"'}],
    ]


@pytest.mark.parametrize(
    ("count", "columns"), [(2, 2), (3, 3), (4, 2), (6, 3), (9, 3), (12, 4), (45, 4)]
)
def test_many_panels_are_wrapped(count: int, columns: int) -> None:
    rows = tuple({**LINES.table.rows[0], "pair": number} for number in range(count))
    found = panels(changed(PANELS, rows=rows))
    assert (len(found["concat"]), found["columns"]) == (count, columns)
    assert found["concat"][-1]["title"]["text"] == [f"Pair: {count - 1}"]


def test_panels_share_an_axis_unless_one_would_be_flat() -> None:
    fields = (Column("x", "x"), Column("y", "y"), Column("metric", "metric"), Column("s", "s"))

    def resolved(second: float, **plot: Any) -> str:
        rows = tuple(
            {"x": x, "y": x * scale, "metric": metric, "s": "s"}
            for metric, scale in (("BLEU", 1.0), ("NIST", second))
            for x in (1, 2)
        )
        wanted = Plot("line", "x", "y", panel="metric", series="s", **plot)
        drawn = changed(LINES, columns=fields, rows=rows, plot=wanted)
        return str(panels(drawn)["resolve"]["scale"]["y"])

    assert (resolved(1.5), resolved(100.0)) == ("shared", "independent")
    assert resolved(100.0, shared_y=True) == "shared"
    assert resolved(1.5, shared_y=False) == "independent"
    assert panels(PANELS)["resolve"]["scale"]["y"] == "shared"


def test_a_logarithmic_axis_names_its_few_values_and_leaves_out_what_it_cannot_show() -> None:
    rows = ({**LINES.table.rows[0], "size": 0}, *LINES.table.rows)
    drawn = changed(with_plot(log_x=True), rows=rows)
    axis = marks(drawn, "line")[0]["encoding"]["x"]
    assert axis["scale"]["type"] == "log"
    assert axis["axis"]["values"] == [100, 200, 400, 800]
    assert "1 row has no value to draw." in " ".join(specification(drawn)["title"]["subtitle"])


@pytest.mark.slow
def test_shares_are_percentages_between_0_and_1(tmp_path: Path) -> None:
    rows = tuple(
        {**row, "high": min(1.0, 1.6 * float(str(row["share"])))} for row in LINES.table.rows
    )
    found = texts(saved(changed(LINES, rows=rows), tmp_path / "a.svg"))
    labels = [text for text in found if re.fullmatch(r"[\d.]+ %", text)]
    assert {"20 %", "100 %"} <= set(labels)
    assert "110 %" not in labels


def test_bars_begin_at_zero_whatever_the_plot_says() -> None:
    (bar,) = marks(BARS, "bar")
    assert bar["encoding"]["y"]["scale"]["zero"] is True
    assert bar["encoding"]["x"]["type"] == "ordinal"
    assert bar["encoding"]["x"]["scale"]["domain"] == ["100", "200", "400", "800"]


def test_bars_of_several_series_stand_side_by_side() -> None:
    (bar,) = marks(changed(BARS, rows=LINES.table.rows), "bar")
    assert bar["encoding"]["xOffset"]["sort"] == list(TESTS)


def test_rows_without_a_value_are_not_drawn() -> None:
    bad = ({"share": None}, {"share": float("nan")}, {"share": float("inf")}, {"size": None})
    rows = tuple({**LINES.table.rows[0], **change} for change in bad)
    open_ended = {**LINES.table.rows[1], "high": float("inf"), "low": None}
    drawn = changed(LINES, rows=(*rows, open_ended, LINES.table.rows[2]))
    spec = specification(drawn)
    json.dumps(spec, allow_nan=False)
    first, second = spec["datasets"]["rows"]
    assert set(first) == {"x", "y", "series"}
    assert second["x"] == 400
    assert "4 rows have no value to draw." in " ".join(spec["title"]["subtitle"])
    assert marks(drawn, "errorbar")[0]["transform"] == [{"filter": "isValid(datum.low)"}]


def test_single_points_are_drawn_instead_of_the_table() -> None:
    plot = Plot("point", "n", "score")
    rows = ({"n": 1, "score": 2.5},)
    fields = (Column("n", "Sample"), Column("score", "Score"))
    drawn = changed(LINES, plot=plot, rows=rows, columns=fields)
    assert specification(drawn)["datasets"]["rows"] == [{"x": 1, "y": 2.5}]
    assert marks(drawn, "point")[0]["encoding"]["y"]["title"] == ["Score"]


def test_values_that_round_to_the_same_label_stay_apart() -> None:
    fields = (Column("x", "x"), Column("y", "y"), Column("level", "Level", digits=0, percent=True))
    rows = tuple({"x": 1, "y": 2, "level": level} for level in (0.951, 0.95, 0.5))
    plot = Plot("point", "x", "y", series="level")
    drawn = changed(LINES, columns=fields, rows=rows, plot=plot)
    domain = marks(drawn, "point")[0]["encoding"]["color"]["scale"]["domain"]
    assert domain == ["0.5", "0.95", "0.951"]


def test_yes_comes_before_no_whichever_row_comes_first() -> None:
    fields = (Column("x", "x"), Column("y", "y"), Column("held", "Held"))
    rows = tuple({"x": 1, "y": 2, "held": held} for held in (False, True))
    plot = Plot("point", "x", "y", series="held")
    drawn = changed(LINES, columns=fields, rows=rows, plot=plot)
    domain = marks(drawn, "point")[0]["encoding"]["color"]["scale"]["domain"]
    assert domain == ["yes", "no"]


def test_a_panel_has_the_categories_of_its_own_rows() -> None:
    fields = (Column("x", "x"), Column("y", "y"), Column("of", "Of"), Column("s", "s"))
    places = (("a", "first"), ("b", "second"), ("a", "second"))
    rows: tuple[Row, ...] = tuple({"x": x, "y": 1, "of": of, "s": "s"} for x, of in places)
    plot = Plot("point", "x", "y", panel="of", series="s")
    drawn = changed(LINES, columns=fields, rows=rows, plot=plot)
    domains = [layer["encoding"]["x"]["scale"]["domain"] for layer in marks(drawn, "point")]
    assert domains == [["a"], ["a", "b"]]


def test_a_plot_of_an_unknown_field_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"column of a plot 'shair'; did you mean 'share'\?"):
        specification(with_plot(y="shair"))


def test_a_vertical_axis_of_text_is_refused() -> None:
    with pytest.raises(SettingError, match="column test: 'randomization'"):
        specification(with_plot(y="test"))


def lightness(colour: str) -> float:
    """L* of CIE 1976 of an sRGB colour: 0 is black, 100 is white."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    ]
    luminance = sum(a * b for a, b in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return 116 * luminance ** (1 / 3) - 16 if luminance > 0.008856 else 903.3 * luminance


def test_colours_differ_in_lightness_so_that_grey_tells_them_apart() -> None:
    levels = [lightness(colour) for colour in PALETTE]
    assert min(abs(a - b) for a, b in combinations(levels, 2)) > 7
    assert min(abs(a - b) for a, b in combinations(levels[:4], 2)) > 15
    assert max(levels) < 72


def test_charts_use_the_colours_of_the_reports_page() -> None:
    page = (files("truebleu.reports.page") / "page.css").read_text(encoding="utf-8")
    light = page.partition("@media")[0]
    for colour in (INK, SOFT, FIRST, SECOND):
        assert colour in light, colour


def test_labels_of_rows_across_the_page_stand_at_their_right_end() -> None:
    turned = ALL["turned"]
    (label,) = marks(turned, "text")
    assert label["encoding"]["x"] == {"value": "width"}
    upright = with_plot(turned, horizontal=False)
    (label,) = marks(upright, "text")
    assert label["encoding"]["x"]["field"] == "x"


def test_lines_are_told_apart_by_dash_and_shape_as_well() -> None:
    by_mark = {layer["mark"]["type"]: layer["encoding"] for layer in parts(specification(LINES))}
    dash, shape = by_mark["line"]["strokeDash"], by_mark["point"]["shape"]
    assert dash["scale"]["domain"] == shape["scale"]["domain"] == list(TESTS)
    assert len({tuple(pattern) for pattern in dash["scale"]["range"]}) == 4
    assert len(set(shape["scale"]["range"])) == 4
    # A line is known by both, whose pairs repeat late.
    assert math.lcm(len(SHAPES), len(DASHES)) == 56


@pytest.mark.slow
def test_a_picture_holds_its_title_its_headings_and_the_names_of_all_series(
    tmp_path: Path,
) -> None:
    labels = texts(saved(LINES, tmp_path / "a.svg"))
    for text in (LINES.title, "Segments in a sample", "Right conclusions", "Test", *TESTS):
        assert labels.count(text) == 1, text


def pixels(png: bytes) -> Iterator[bytes]:
    """The pixels of an 8-bit RGBA picture, undoing the filters of the PNG specification, 9.2."""
    width = struct.unpack(">I", png[16:20])[0]
    assert png[24:29] == bytes([8, 6, 0, 0, 0])
    chunks = re.finditer(rb"IDAT", png)
    data = zlib.decompressobj().decompress(
        b"".join(
            png[found.end() : found.end() + struct.unpack(">I", png[found.start() - 4 :][:4])[0]]
            for found in chunks
        )
    )
    above = bytearray(4 * width)
    for start in range(0, len(data), 4 * width + 1):
        kind, line = data[start], bytearray(data[start + 1 : start + 1 + 4 * width])
        for place in range(len(line)):
            left = line[place - 4] if place >= 4 else 0
            corner = above[place - 4] if place >= 4 else 0
            guess = left + above[place] - corner
            paeth = min((left, above[place], corner), key=lambda near: abs(guess - near))
            average = (left + above[place]) // 2
            line[place] = (line[place] + (0, left, above[place], average, paeth)[kind]) % 256
        yield from (bytes(line[place : place + 4]) for place in range(0, len(line), 4))
        above = line


@pytest.mark.slow
def test_a_png_is_a_picture_of_more_than_one_colour(tmp_path: Path) -> None:
    png = saved(LINES, tmp_path / "a.png")
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    assert 1000 < width < 2000
    assert 600 < height < 1200
    colours = set()
    for pixel in pixels(png):
        colours.add(pixel)
        if len(colours) > 2:
            break
    assert len(colours) > 2


@pytest.mark.slow
def test_a_specification_offers_no_editor_elsewhere(tmp_path: Path) -> None:
    read = json.loads(saved(LINES, tmp_path / "a.json"))
    assert read == {"$schema": altair.SCHEMA_URL, **specification(LINES)}
    assert read["usermeta"]["embedOptions"]["actions"]["editor"] is False


@pytest.mark.slow
def test_a_name_with_markup_is_drawn_as_text(tmp_path: Path) -> None:
    name = "</script><b>&\"'"
    rows = tuple({**row, "test": name} for row in LINES.table.rows)
    drawn = changed(LINES, title=name, rows=rows)
    assert name in texts(saved(drawn, tmp_path / "a.svg"))


@pytest.mark.slow
def test_a_name_that_is_not_unicode_is_drawn_with_escapes(tmp_path: Path) -> None:
    rows = tuple({**row, "test": "caf\udce9"} for row in LINES.table.rows)
    drawn = changed(LINES, title="caf\udce9 again", rows=rows)
    for ending in CHART_ENDINGS:
        assert saved(drawn, tmp_path / f"a{ending}")
    assert {r"caf\udce9", r"caf\udce9 again"} <= set(texts((tmp_path / "a.svg").read_bytes()))


@pytest.mark.slow
@every_chart
def test_altair_accepts_the_specification_and_adds_its_schema_only(drawn: Chart) -> None:
    assert chart(drawn).to_dict() == {
        "$schema": altair.SCHEMA_URL,
        **specification(drawn),
    }


@pytest.mark.slow
def test_a_notebook_shows_the_same_chart() -> None:
    bundle: Any = chart(LINES)._repr_mimebundle_(None, None)
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert json.dumps(specification(LINES)["title"]["text"][0]) in str(data["text/html"])


@pytest.mark.slow
@every_chart
def test_a_chart_repeats_its_picture(drawn: Chart, tmp_path: Path) -> None:
    assert saved(drawn, tmp_path / "a.svg") == saved(drawn, tmp_path / "b.svg")


@pytest.mark.slow
@pytest.mark.parametrize("ending", sorted({*CHART_ENDINGS} - {".pdf"}))
def test_a_chart_repeats_its_bytes(ending: str, tmp_path: Path) -> None:
    first = saved(PANELS, tmp_path / f"a{ending}")
    assert first == saved(PANELS, tmp_path / f"b{ending}")


@pytest.mark.slow
def test_a_pdf_is_the_same_but_for_the_order_of_its_fonts(tmp_path: Path) -> None:
    streams = re.compile(rb"stream\n.*?\nendstream", re.DOTALL)
    first = saved(PANELS, tmp_path / "a.pdf")
    assert first.startswith(b"%PDF-")
    second = saved(PANELS, tmp_path / "b.pdf")
    assert sorted(streams.findall(first)) == sorted(streams.findall(second))


FOREST_COLUMNS = (Column("system", "System"), Column("score", "Score"), Column("part", "Part"))
FOREST = Chart(
    title="A forest plot",
    table=Table(
        (*FOREST_COLUMNS, Column("zero", "no difference")),
        tuple(
            {
                "system": system,
                "score": place + 10 * (part == "scores"),
                "low": place - 1.0 if system != "c" else None,
                "high": place + 1.0 if system != "c" else None,
                "part": part,
                "unit": f"Points of {part}",
                "zero": 0.0 if part == "differences" else None,
                "kind": part,
            }
            for part in ("scores", "differences")
            for place, system in enumerate(("b", "a", "c"))
        ),
    ),
    plot=Plot(
        "point",
        "system",
        "score",
        errors=("low", "high"),
        series="kind",
        series_order=("none", "scores", "differences"),
        panel="part",
        y_heading="unit",
        reference_field="zero",
        horizontal=True,
        shared_y=False,
    ),
)


def test_categories_of_a_turned_chart_run_down_the_page_in_their_order() -> None:
    left, right = panels(FOREST)["concat"]
    for panel, unit in ((left, "scores"), (right, "differences")):
        points = next(layer for layer in panel["layer"] if layer["mark"]["type"] == "point")
        assert points["encoding"]["y"]["scale"]["domain"] == ["b", "a", "c"]
        assert points["encoding"]["x"]["title"] == [f"Points of {unit}"]
    kinds = [[layer["mark"]["type"] for layer in panel["layer"]] for panel in (left, right)]
    assert kinds == [["errorbar", "point"], ["errorbar", "point", "rule"]]
    ends = right["layer"][0]["encoding"]
    assert (ends["x"]["field"], ends["x2"]["field"]) == ("low", "high")


def test_a_series_looks_the_same_whichever_others_there_are() -> None:
    (shape,) = {
        str(part["encoding"]["shape"]["scale"])
        for part in parts(specification(FOREST))
        if "shape" in part["encoding"]
    }
    assert shape == str({"domain": ["scores", "differences"], "range": list(SHAPES[1:3])})


def test_only_charts_with_error_bars_announce_them() -> None:
    rows = tuple({**row, "low": None} for row in LINES.table.rows)
    assert "subtitle" not in specification(changed(LINES, rows=rows))["title"]
    assert "Error bars" in specification(LINES)["title"]["subtitle"][0]


SCATTER = Chart(
    title="Named points",
    table=Table(
        (Column("x", "X"), Column("y", "Y"), Column("name", "Name")),
        tuple({"x": x, "y": x % 3, "name": f"system {x}"} for x in range(8)),
    ),
    plot=Plot("point", "x", "y", label="name"),
)


@pytest.mark.slow
def test_points_are_labelled_with_their_names(tmp_path: Path) -> None:
    picture = saved(SCATTER, tmp_path / "a.svg").decode()
    assert all(f"system {x}" in picture for x in range(8))


@pytest.mark.slow
def test_another_process_gives_the_same_bytes(tmp_path: Path) -> None:
    code = (
        "from tests.reports.test_charts import PANELS\n"
        "from truebleu.reports.charts import save_chart\n"
        f"save_chart(PANELS, {str(tmp_path / 'a.svg')!r})\n"
    )
    environment = {"PYTHONHASHSEED": "1", "PYTHONPATH": ":".join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert (tmp_path / "a.svg").read_bytes() == saved(PANELS, tmp_path / "b.svg")


@pytest.mark.slow
def test_more_rows_than_altair_takes_by_itself_are_drawn(tmp_path: Path) -> None:
    fields = (Column("x", "x"), Column("y", "y"))
    rows = tuple({"x": place, "y": place**0.5} for place in range(6000))
    plot = Plot("point", "x", "y")
    drawn = changed(LINES, columns=fields, rows=rows, plot=plot)
    before = altair.data_transformers.active
    assert len(chart(drawn).to_dict()["datasets"]["rows"]) == 6000
    assert altair.data_transformers.active == before
    groups = fromstring(saved(drawn, tmp_path / "a.svg").decode()).iter()
    (points,) = [group for group in groups if group.get("class", "").startswith("mark-symbol")]
    assert len(points) == 6000


@pytest.mark.parametrize("name", ["chart.eps", "chart", ".png", "chart.svg.gz"])
def test_an_unknown_ending_is_refused_with_those_that_are_known(name: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"expected a file ending in \.png, .* or \.json"):
        save_chart(LINES, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_endings_may_be_in_capitals_or_double(tmp_path: Path) -> None:
    assert saved(LINES, tmp_path / "A.SVG").startswith(b"<svg")
    read = json.loads(saved(LINES, tmp_path / "a.vl.json"))
    assert read["$schema"].startswith("https://vega.github.io/schema/vega-lite/")


def test_a_file_that_exists_is_replaced_only_on_request(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text("mine")
    with pytest.raises(SettingError, match="--force"):
        save_chart(LINES, file)
    assert file.read_text() == "mine"
    assert save_chart(LINES, str(file), overwrite=True) == file
    assert file.read_text() != "mine"


def test_a_place_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnreadableFileError, match="not a folder that takes files"):
        save_chart(LINES, tmp_path / "file" / "a.svg")


@pytest.mark.parametrize("package", ["altair", "vl_convert"])
def test_a_missing_package_error_names_what_to_install(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match="pip install altair vl-convert-python"):
        chart(LINES)
    with pytest.raises(MissingExtraError, match="pip install altair vl-convert-python"):
        save_chart(LINES, tmp_path / "a.svg")
    assert not list(tmp_path.iterdir())


def test_charts_are_not_loaded_before_one_is_made() -> None:
    code = (
        "import sys, truebleu.reports.charts, truebleu.cli._command\n"
        "print({'altair', 'vl_convert', 'numpy'} & set(sys.modules))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "set()\n"
