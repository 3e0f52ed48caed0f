"""HTML: tables, and no markup from names."""

from __future__ import annotations

import ast
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import truebleu
from tests.reports.formats.examples import DOCUMENT, attacks
from tests.reports.formats.hostile import Hostile
from truebleu.reports.document import Bar, Chart, Column, Plot, Table, as_arguments, render
from truebleu.reports.formats import html

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_html_has_the_same_cells_in_a_table() -> None:
    shown = html.render(DOCUMENT)
    assert '<td class="number">31.26</td>' in shown
    assert '<td class="words"><span class="name">ältere</span></td>' in shown
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
    known = {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "code", "style"}
    assert parser.tags <= known | {"span"}
    assert parser.attributes <= {"class", "title", "scope", "tabindex", "role", "aria-label"}


def test_a_result_prints_as_the_command_does_and_shows_itself_in_a_notebook() -> None:
    result = Hostile("name")
    assert str(result) == render(result, "text").rstrip("\n")
    assert result._repr_html_() == render(result, "html")


def texts_with_options() -> Iterator[str]:
    """Yield the strings with options in modules whose results notebooks show."""
    source = Path(truebleu.__file__).parent
    for folder in ("reports", "studies", "significance", "planning", "explanation", "agreement"):
        for path in (source / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                value = node.value if isinstance(node, ast.Constant) else None
                if isinstance(value, str) and re.search(r"(?<![\w-])--[a-z]", value):
                    yield value


def test_no_sentence_keeps_an_option_in_a_notebook() -> None:
    sentences = list(texts_with_options())
    assert len(sentences) > 20
    for sentence in sentences:
        assert "--" not in as_arguments(sentence), sentence


@pytest.mark.parametrize(
    ("option", "argument"),
    [
        ("try --adaptive.", "try adaptive=True."),
        ("use --lower-is-better", "use lower_is_better=True"),
        ("--about further-runs takes", 'about="further-runs" takes'),
        ("give --test-lists or --folds", "give test_lists or folds"),
        ("a model called base--big", "a model called base--big"),
    ],
)
def test_a_notebook_names_arguments_instead_of_options(option: str, argument: str) -> None:
    assert as_arguments(option) == argument


def test_a_notebook_shows_warnings_and_flagged_outputs() -> None:
    reference = [f"{n} a b c d e f g" for n in range(60)]
    loops = ["x " * 60 if n < 4 else line for n, line in enumerate(reference)]
    blank = ["" if n < 6 else line for n, line in enumerate(reference)]
    systems = {"loops": loops, "blank": blank}
    compared = truebleu.compare(systems, reference, ["bleu", "ter"], replicates=200)
    shown = compared._repr_html_()
    assert "blank: 6 blank segments, first in segment 1" in shown
    assert "(correct_over=&quot;metrics&quot; tests all of them)" in shown
    assert "blank segments" not in str(compared)
    explained = truebleu.explain(systems, reference, replicates=200)._repr_html_()
    assert "4 loops of loops" in explained.partition("Flagged: ")[2].partition("</p>")[0]


COLUMNS = (Column("x", "X"), Column("y", "Y", 1))


def drawn(rows: list[dict[str, Any]], **bar: Any) -> str:
    bars = (Bar("y", "low", "high", **bar),)
    return html.render_table(Table(COLUMNS, tuple(rows), bars=bars, rule="rule"))


def positions(table: str, mark: str, attribute: str) -> list[float]:
    """The positions of all marks of a kind, in percent."""
    marks = re.findall(rf'<[^>]*class="{mark}"[^>]*>', table)
    return [float(re.findall(rf'{attribute}="([\d.]+)%"', text)[0]) for text in marks]


def test_a_dot_is_inside_its_interval_next_to_its_number() -> None:
    rows = [{"x": "a", "y": 2.0, "low": 1.0, "high": 4.0}, {"x": "b", "y": -3.0}]
    table = drawn(rows)
    ((low, high),) = zip(
        positions(table, "interval", "x1"), positions(table, "interval", "x2"), strict=True
    )
    dot, other = positions(table, "dot", "cx")
    assert abs(dot - low - (high - low) / 3) < 0.2
    assert other < low
    assert "−3.0" in table


def test_zero_is_a_line_of_differences() -> None:
    rows = [{"x": "a", "y": 2.0, "low": -1.0, "high": 4.0, "is": "undecided"}]
    table = drawn(rows, verdict="is")
    zero = positions(table, "zero", "x1")[0]
    assert positions(table, "interval", "x1")[0] < zero < positions(table, "dot", "cx")[0]


def test_open_ends_reach_the_edge_and_far_values_do_not_squeeze_the_others() -> None:
    table = drawn([{"x": "a", "y": 2.0, "low": None, "high": 4.0}])
    assert positions(table, "interval", "x1") == [0]
    rows = [{"x": str(n), "y": float(n), "low": n - 1.0, "high": n + 1.0} for n in range(20)]
    table = drawn([*rows, {"x": "far", "y": -1000.0}])
    dots = positions(table, "dot", "cx")
    assert len(dots) == 20
    assert max(dots) - min(dots) > 80
    assert table.count("◂") == 1


def test_verdicts_have_the_colours_of_the_page_and_undecided_ones_are_hollow() -> None:
    row = {"x": "a", "y": 2.0, "low": -1.0, "high": 4.0}
    looks = [
        re.findall(r'class="(\w+)" role="img"', drawn([row | {"is": verdict}], verdict="is"))
        for verdict in ("better", "worse", "undecided")
    ]
    assert looks == [["ahead"], ["behind"], ["none"]]
    style = html.render(DOCUMENT).partition("<style>")[2].partition("</style>")[0]
    assert re.search(r"\.ahead \* { color: #1f55a0", style)
    assert re.search(r"\.behind \* { color: #a8410a", style)


def test_a_bar_draws_its_own_value_if_it_has_one() -> None:
    rows = [{"x": "a", "y": 2.0, "turned": -2.0}, {"x": "b", "y": 1.0, "turned": -1.0}]
    table = drawn(rows, value="turned", heading="← worse")
    first, second = positions(table, "dot", "cx")
    assert first < second
    assert ">← worse</text>" in table


def test_a_rule_separates_groups_of_rows() -> None:
    rows = [{"x": str(n), "y": 1.0, "rule": n % 2 == 0} for n in range(6)]
    assert drawn(rows).count('<tr class="rule">') == 2


def test_long_names_lose_their_middle_and_links_are_for_the_page() -> None:
    name = "experiment-" + "x" * 60 + "-final"
    table = Table(COLUMNS, ({"x": name, "y": 1.0, "x link": "text=<b>"},))
    assert "…" in html.render_table(table)
    assert "href" not in html.render_table(table)


def test_a_chart_is_for_files() -> None:
    chart = Chart(title="x", table=Table(COLUMNS, ()), plot=Plot("bar", "x", "y"))
    assert html.render_block(chart) == ""


def test_a_chart_within_a_page_is_a_picture_without_markup_of_its_own() -> None:
    table = Table((Column("x", "X"), Column("y", "Y")), ({"x": "<script>", "y": 1.0},))
    chart = Chart(title='"><script>', table=table, plot=Plot("bar", "x", "y"), in_html=True)
    picture = html.render_block(chart)
    assert picture.startswith('<p><img src="data:image/svg+xml;base64,')
    assert picture.count("<") == 3
