"""Claims about Markdown for GitHub: the decision is seen first, and notes are folded away."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.reports.formats.hostile import ATTACKS
from truebleu.reports.document import Check, Column, Document, Heading, Notes, Sentences, Table
from truebleu.reports.formats import github

TABLE = Table(
    (Column("system", "System"), Column("score", "BLEU", digits=2)),
    ({"system": "new", "score": 31.256},),
    notes=("BLEU|nrefs:1",),
)
DOCUMENT = Document(
    (Heading("Scores"), TABLE, Sentences(("new is better.",)), Notes(("seed 1",))), TABLE
)


def test_signatures_and_settings_are_folded_away_below_everything_else() -> None:
    assert github.render(DOCUMENT) == (
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
    assert github.render(replace(DOCUMENT, checks=checks)).startswith(alert)


@pytest.mark.parametrize("attack", ATTACKS, ids=ascii)
def test_names_of_checks_and_notes_stay_texts(attack: str) -> None:
    hostile = Document((Notes((attack,)),), TABLE, checks=(Check(attack, False, attack),))
    harmless = Document((Notes(("n",)),), TABLE, checks=(Check("n", False, "n"),))
    shown = github.render(hostile)
    assert shown.count("\n") == github.render(harmless).count("\n")
    # Outside of code, only our own two elements are markup.
    outside = "\n".join(line for line in shown.splitlines() if not line.startswith("`"))
    assert outside.replace("\\<", "").count("<") == 4
