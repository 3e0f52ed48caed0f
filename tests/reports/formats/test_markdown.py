"""Markdown: pipe tables, and no markup from names."""

from __future__ import annotations

from tests.reports.formats.examples import DOCUMENT, attacks
from tests.reports.formats.hostile import Hostile
from truebleu.reports.document import (
    render,
)
from truebleu.reports.formats import markdown


def test_markdown_is_a_pipe_table_with_notes_as_code() -> None:
    assert markdown.render(DOCUMENT) == (
        "**Scores**\n"
        "\n"
        "| System | BLEU | 95 % interval | best in |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| new | 31.26 | \\[30.10, 32.40\\] | 88 % |\n"
        "| ältere | 0.00 | – | – |\n"
        "\n"
        "`BLEU|nrefs:1`\n"
        "\n"
        "- new is better.\n"
        "\n"
        "`seed 1`\n"
    )


@attacks
def test_a_name_never_becomes_markup_of_markdown(attack: str) -> None:
    cells = render(Hostile(attack), "markdown").splitlines()
    row = next(line for line in cells if line.endswith(("| -1.2 |", "| -1.3 |")))
    inside = row.removeprefix("| ").split(" | ")[0]
    unescaped = [
        character
        for place, character in enumerate(inside)
        if character in "<>`*_[]|" and inside[place - 1] != "\\"
    ]
    assert not unescaped
