"""HTML: tables, and no markup from names."""

from __future__ import annotations

from html.parser import HTMLParser

from tests.reports.formats.examples import DOCUMENT, attacks
from tests.reports.formats.hostile import Hostile
from truebleu.reports.document import (
    render,
)
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
    assert parser.tags <= known
    assert parser.attributes <= {"class", "style"}


def test_a_result_prints_as_the_command_does_and_shows_itself_in_a_notebook() -> None:
    result = Hostile("name")
    assert str(result) == render(result, "text").rstrip("\n")
    assert result._repr_html_() == render(result, "html")
