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


WIDE = Table(
    (
        Column("system", "System"),
        *(Column(str(n), str(n), numeric=False, tight=True) for n in range(1, 31)),
    ),
    tuple(
        {"system": f"system {n}", **{str(m): "<~>"[m % 3] for m in range(1, 31)}} for n in (1, 2)
    ),
)


def test_single_characters_move_together_where_a_table_is_wider_than_a_page() -> None:
    lines = table_text(WIDE).splitlines()
    assert lines[0] == "System    12345 67890 12345 67890 12345 67890"
    assert lines[2] == "system 1  ~><~> <~><~ ><~>< ~><~> <~><~ ><~><"
    assert all(len(line) <= 80 for line in lines)


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
