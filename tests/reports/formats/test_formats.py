"""Claims about all output formats: they show every block, and texts from files stay texts."""

from __future__ import annotations

import json
from unicodedata import category

import pytest

from tests.reports.formats.examples import TABLE, attacks
from tests.reports.formats.hostile import Hostile
from truebleu.errors import UnknownNameError
from truebleu.reports.document import FORMATS, Document, Table, render, render_text
from truebleu.reports.formats import html, latex, markdown


def test_a_table_without_rows_is_its_notes_in_every_format() -> None:
    empty = Document((Table(TABLE.columns, (), notes=("nothing to show",)),), TABLE)
    assert render_text(empty) == "nothing to show\n"
    assert markdown.render(empty) == "`nothing to show`\n"
    assert latex.render(empty) == "% nothing to show\n"
    assert "<table>" not in html.render(empty)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"format 'markdwon'; did you mean 'markdown'\?"):
        render(Hostile("a"), "markdwon")


@attacks
@pytest.mark.parametrize("format_", FORMATS)
def test_no_format_lets_control_or_direction_characters_through(attack: str, format_: str) -> None:
    shown = render(Hostile(attack), format_)
    raw = {character for character in shown if category(character) in ("Cc", "Cf", "Zl", "Zp")}
    assert raw <= {"\n", "\t"}
    if format_ == "json":
        # Its escapes are JSON's own: a reader gets the very text.
        assert json.loads(shown)["name"] == attack


@attacks
@pytest.mark.parametrize("format_", ["text", "tsv", "latex", "markdown"])
def test_a_name_never_adds_a_line(attack: str, format_: str) -> None:
    shown = render(Hostile(attack), format_).count("\n")
    assert shown == render(Hostile("harmless"), format_).count("\n")
