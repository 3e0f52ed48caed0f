"""Markdown: pipe tables, no markup from names; and GitHub's, with the decision first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.reports.formats.examples import DOCUMENT, attacks
from tests.reports.formats.hostile import ATTACKS, Hostile
from truebleu.reports.document import (
    Check,
    Column,
    Document,
    Heading,
    Notes,
    Sentences,
    Table,
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


SHORT_TABLE = Table(
    (Column("system", "System"), Column("score", "BLEU", digits=2)),
    ({"system": "new", "score": 31.256},),
    notes=("BLEU|nrefs:1",),
)
SHORT_DOCUMENT = Document(
    (Heading("Scores"), SHORT_TABLE, Sentences(("new is better.",)), Notes(("seed 1",))),
    SHORT_TABLE,
)


def test_signatures_and_settings_are_folded_away_below_everything_else() -> None:
    assert markdown.render_for_github(SHORT_DOCUMENT) == (
        "**Scores**\n"
        "\n"
        "| System | BLEU |\n"
        "| --- | ---: |\n"
        "| new | 31.26 |\n"
        "\n"
        "- new is better.\n"
        "\n"
        "<details><summary>Signatures and settings</summary>\n"
        "\n"
        "`BLEU|nrefs:1`\n"
        "\n"
        "`seed 1`\n"
        "\n"
        "</details>\n"
    )


@pytest.mark.parametrize(
    ("passed", "alert"),
    [
        (True, "> [!TIP]\n> **Gate passed** (BLEU: passed, TER: passed)\n\n"),
        (False, "> [!CAUTION]\n> **Gate failed** (BLEU: passed, TER: failed)\n\n"),
    ],
)
def test_a_decision_begins_with_an_alert(passed: bool, alert: str) -> None:
    checks = (Check("BLEU", True, "as good"), Check("TER", passed, "because"))
    assert markdown.render_for_github(replace(SHORT_DOCUMENT, checks=checks)).startswith(alert)


@pytest.mark.parametrize("attack", ATTACKS, ids=ascii)
def test_names_of_checks_and_notes_stay_texts(attack: str) -> None:
    hostile = Document((Notes((attack,)),), SHORT_TABLE, checks=(Check(attack, False, attack),))
    harmless = Document((Notes(("n",)),), SHORT_TABLE, checks=(Check("n", False, "n"),))
    shown = markdown.render_for_github(hostile)
    assert shown.count("\n") == markdown.render_for_github(harmless).count("\n")
    # Outside of code, only our own two elements are markup.
    outside = "\n".join(line for line in shown.splitlines() if not line.startswith("`"))
    assert outside.replace("\\<", "").count("<") == 4
