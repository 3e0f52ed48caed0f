"""Plain text: aligned columns, notes and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reports.formats.examples import DOCUMENT, TABLE
from truebleu.reports.document import Column, Document, Sentences, Table, render_text, table_text

if TYPE_CHECKING:
    import pytest


def test_text_aligns_columns_and_puts_notes_and_sentences_below() -> None:
    assert render_text(DOCUMENT) == (
        "Scores\n"
        "\n"
        "System   BLEU   95 % interval  best in\n"
        "--------------------------------------\n"
        "new     31.26  [30.10, 32.40]     88 %\n"
        "ältere   0.00               –        –\n"
        "\n"
        "BLEU|nrefs:1\n"
        "\n"
        "new is better.\n"
        "\n"
        "seed 1\n"
    )


def test_the_last_cell_of_a_row_goes_over_several_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    columns = (Column("name", "Name"), Column("text", "Settings"))
    table = Table(columns, ({"name": "bleu", "text": "max_order=4,tokenize=auto,smooth=exp"},))
    assert table_text(table) == (
        "Name Settings\n"
        "-----------------------------\n"
        "bleu max_order=4,\n"
        "     tokenize=auto,smooth=exp"
    )


def test_a_table_wider_than_the_terminal_goes_on_below_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    assert table_text(TABLE) == (
        "System  BLEU  95 % interval\n"
        "---------------------------\n"
        "new    31.26 [30.10, 32.40]\n"
        "ältere  0.00              –\n"
        "\n"
        "System best in\n"
        "--------------\n"
        "new       88 %\n"
        "ältere       –\n"
        "\n"
        "BLEU|nrefs:1"
    )


def test_columns_move_together_before_a_table_goes_on_below(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "36")
    assert table_text(TABLE).startswith("System  BLEU  95 % interval best in\n-----")


def test_a_line_ends_neither_before_a_percent_sign_nor_inside_a_p_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    lines = ("It has twenty-one words, 4 % of it.", "The difference is clear, p = 0.03.")
    assert render_text(Document((Sentences(lines),), TABLE)) == (
        "It has twenty-one words, 4 %\nof it.\nThe difference is clear,\np = 0.03.\n"
    )
