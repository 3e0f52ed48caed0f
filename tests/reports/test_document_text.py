"""Plain text: aligned columns, notes and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reports.formats.examples import DOCUMENT, TABLE
from truebleu.reports.document import Column, Document, Sentences, Table, render_text, table_text

if TYPE_CHECKING:
    import pytest

    from truebleu.reports.document import Row


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


def test_a_table_that_goes_on_below_repeats_all_columns_that_identify_its_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "22")
    columns = tuple(Column(name, name) for name in ("metric", "size", "share", "width"))
    cases = [("BLEU", 50), ("BLEU", 100), ("TER", 50)]
    rows: list[Row] = [{"metric": m, "size": s, "share": 123456, "width": 7} for m, s in cases]
    headings = [
        line for line in table_text(Table(columns, tuple(rows))).splitlines() if "m" in line
    ]
    assert headings == ["metric size  share", "metric size width"]


def test_the_columns_of_a_metric_stay_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    names = ("System", "BLEU", "rank", "TER", "its rank", "s.d. of runs")
    columns = tuple(Column(n, n, continues=n in ("rank", "its rank")) for n in names)
    row: Row = {"System": "new", "BLEU": 31.25, "rank": "1", "TER": 50.25, "its rank": "1"}
    headings = table_text(Table(columns, (row,))).splitlines()[::4]
    assert headings == ["System  BLEU rank", "System   TER its rank", "System s.d. of runs"]


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
