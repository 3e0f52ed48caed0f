"""Sections of papers: rows side by side as papers print them, and the paper's own numbers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from truebleu.reports.document import Column, Document, Plot, Sentences, Table, charted_document
from truebleu.reports.formats import html
from truebleu.reports.papers import pivot, section_blocks

ROWS = [
    {"metric": metric, "system": system, "low": low, "high": 0.1}
    for metric in ("BLEU", "<b>")
    for system, low in (("a", -0.5), ("b", None))
]
CELLS = {"": "[{low:+.1%}, {high:+.1%}]"}


def result(**details: Any) -> Any:
    return SimpleNamespace(rows=ROWS, details=details)


def shown(table: Table) -> list[list[str]]:
    return [[column.heading for column in table.columns], *map(list, table.cells())]


def test_values_of_a_field_stand_side_by_side() -> None:
    assert shown(pivot(result(), by=["system"], cells=CELLS)) == [
        ["System", "BLEU", "<b>"],
        ["a", "[-50.0%, +10.0%]", "[-50.0%, +10.0%]"],
        ["b", "–", "–"],
    ]


def test_each_cell_is_a_line_if_no_field_names_lines() -> None:
    table = pivot(result(), where={"system": "a"}, cells={"low": "{low}", "high": "{high}"})
    assert shown(table) == [["", "BLEU", "<b>"], ["low", "-0.5", "-0.5"], ["high", "0.1", "0.1"]]


def test_only_rows_like_the_first_and_rows_of_details_can_be_shown() -> None:
    assert len(pivot(result(), by=["system"], first="system", cells=CELLS).rows) == 1
    assert shown(pivot(result(more=ROWS[:1]), rows="more", by=["system"], cells=CELLS))[1:] == [
        ["a", "[-50.0%, +10.0%]"]
    ]


def study() -> Any:
    table = Table((Column("x", "X"), Column("y", "Y")), ({"x": 1, "y": 2.0},))
    document = charted_document("title", table, ["A sentence."], Plot("bar", "x", "y"))
    return SimpleNamespace(to_document=lambda: document)


def text_of(declared: dict[str, Any], found: Any = None, reason: str | None = None) -> str:
    blocks = tuple(section_blocks({"label": "Fig. 9", "title": "t", **declared}, found, reason))
    return html.render(Document(blocks, Table((), ())))


def test_a_section_has_its_label_its_result_and_the_papers_numbers() -> None:
    paper = [["System", "<i>"], ["a", "1.0"]]
    text = text_of({"paper": paper, "note": "A note."}, study())
    parts = ("Fig. 9: t", ">Y<", "A sentence.", "data:image/svg", "In the paper:", "1.0", "A note.")
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "<i>" not in text
    assert "A sentence." not in text_of({"show": ["chart"]}, study())


def test_a_section_that_could_not_be_redone_says_why() -> None:
    text = text_of({"paper": "21 to 37."}, reason="no <references>")
    assert "Not redone here: no &lt;references&gt;." in text
    assert "In the paper: 21 to 37." in text


def test_a_section_with_only_a_chart_says_where_to_see_it() -> None:
    blocks = list(section_blocks({"label": "l", "title": "t", "show": ["chart"]}, study(), None))
    assert Sentences(("The chart is in HTML: -o FILE.html.",)) in blocks
