"""Charts of the page, as plain SVG."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring

import pytest

from truebleu.reports.document import Chart, Column, Plot, Table
from truebleu.reports.page._figures import svg

COLUMNS = tuple(Column(name, name.upper()) for name in ("x", "y", "low", "high", "kind"))


def drawn(rows: list[dict[str, str | float]], **plot: object) -> str:
    plan = Plot(x="x", y="y", **plot)  # type: ignore[arg-type]
    return svg(Chart(title="<b>&", table=Table(COLUMNS, tuple(rows)), plot=plan))


def marks(figure: str, tag: str) -> list[dict[str, str]]:
    return [node.attrib for node in fromstring(figure).iter(tag)]  # noqa: S314  # our own text


def test_bars_begin_at_zero_and_end_at_their_value() -> None:
    figure = drawn([{"x": "a", "y": 2.0}, {"x": "b", "y": -1.0}], mark="bar")
    first, second = marks(figure, "rect")
    assert float(first["width"]) == pytest.approx(2 * float(second["width"]), rel=0.01)
    # The second ends where the first begins.
    assert float(second["x"]) + float(second["width"]) == pytest.approx(float(first["x"]), abs=0.2)
    assert "−1" in figure


def test_names_are_escaped_and_long_ones_cut() -> None:
    figure = drawn([{"x": "</svg><script>" + "n" * 99, "y": 1.0}], mark="point")
    assert "<script>" not in figure
    assert "<b>" not in figure
    assert "n" * 40 not in figure
    fromstring(figure)  # noqa: S314


def test_kinds_of_points_differ_in_shape() -> None:
    rows: list[dict[str, str | float]] = [
        {"x": str(n), "y": float(n), "kind": kind} for n, kind in enumerate("pqrs")
    ]
    figure = drawn(rows, mark="point", series="kind")
    assert len(marks(figure, "circle")) == 2
    assert len(marks(figure, "rect")) == 1
    assert "● p · ◆ q · ○ r · ■ s" in figure


def test_numbers_against_numbers_are_a_line() -> None:
    figure = drawn([{"x": 0, "y": 0.0}, {"x": 10, "y": 3.0}], mark="line", reference=2.0)
    (line,) = [mark for mark in marks(figure, "path") if mark["class"] == "line"]
    assert line["d"].count("L") == 1
    assert any(mark["class"] == "reference" for mark in marks(figure, "path"))


def test_what_cannot_be_read_is_not_drawn() -> None:
    assert drawn([], mark="bar") == ""
    assert drawn([{"x": n, "y": 1.0} for n in range(3000)], mark="point") == ""
    assert drawn([{"x": "a", "y": "none"}], mark="bar") == ""
