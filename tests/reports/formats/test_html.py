"""HTML: tables, and no markup from names."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from tests.reports.formats.examples import DOCUMENT, attacks
from tests.reports.formats.hostile import Hostile
from truebleu.reports.document import Chart, Column, Plot, Table, render
from truebleu.reports.formats import html


def test_html_has_the_same_cells_in_a_table() -> None:
    shown = html.render(DOCUMENT)
    assert '<td style="text-align: right">31.26</td>' in shown
    assert '<td style="text-align: left">ältere</td>' in shown
    assert "<p><code>BLEU|nrefs:1</code></p>" in shown


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


@attacks
def test_a_name_never_becomes_markup_of_html(attack: str) -> None:
    parser = Tags()
    parser.feed(render(Hostile(attack), "html"))
    known = {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "code"}
    chart = {"figure", "figcaption", "caption", "span"}
    assert parser.tags <= known | chart
    assert parser.attributes <= {"class", "style", "scope"}


def test_a_result_prints_as_the_command_does_and_shows_itself_in_a_notebook() -> None:
    result = Hostile("name")
    assert str(result) == render(result, "text").rstrip("\n")
    assert result._repr_html_() == render(result, "html")


COLUMNS = tuple(Column(name, name.upper()) for name in ("x", "y", "low", "high", "kind"))


def drawn(rows: list[dict[str, Any]], **plot: Any) -> str:
    chart = Chart(title="<b>&", table=Table(COLUMNS, tuple(rows)), plot=Plot(x="x", y="y", **plot))
    return html.render_block(chart)


def spans(figure: str) -> list[tuple[float, float]]:
    """The place and the width of each mark, in percent."""
    found = re.findall(r"left: ([-\d.]+)%; width: max\(1px, ([\d.]+)%\)", figure)
    return [(float(left), float(width)) for left, width in found]


def test_bars_begin_at_zero_and_end_at_their_value() -> None:
    figure = drawn([{"x": "a", "y": 2.0}, {"x": "b", "y": -1.0}], mark="bar")
    zero, first, same, second = spans(figure)
    assert zero == same
    assert first[0] == zero[0]
    assert abs(first[1] - 2 * second[1]) < 0.02
    assert abs(sum(second) - zero[0]) < 0.02
    assert "−1" in figure


def test_a_dot_stands_in_its_interval() -> None:
    rows = [{"x": "a", "y": 2.0, "low": 1.0, "high": 4.0}, {"x": "b", "y": 3.0}]
    interval, dot, other = spans(drawn(rows, mark="point", errors=("low", "high")))
    assert abs(dot[0] - interval[0] - interval[1] / 3) < 0.02
    assert abs(other[0] - interval[0] - 2 * interval[1] / 3) < 0.02


def test_panels_of_a_chart_are_tables_and_kinds_are_named_where_they_differ() -> None:
    rows = [
        {"x": str(n), "y": float(n), "kind": kind, "low": n % 2} for n, kind in enumerate("ppqq")
    ]
    figure = drawn(rows, mark="point", series="kind", panel="low")
    assert figure.count("<table>") == 2
    assert figure.count("<td>p</td>") == figure.count("<td>q</td>") == 2
    assert "<td>p</td>" not in drawn(rows[:2], mark="point", series="kind")


def test_what_cannot_be_shown_by_rows_is_left_out() -> None:
    assert drawn([], mark="bar") == ""
    assert drawn([{"x": n, "y": 1.0} for n in range(3)], mark="line") == ""
    assert drawn([{"x": str(n), "y": 1.0} for n in range(3000)], mark="point") == ""
    assert drawn([{"x": "a", "y": "none"}], mark="bar") == ""
