"""Tables in every format."""

from __future__ import annotations

import pytest

from truebleu.reports.table import RENDERERS, Column, Table

TABLE = Table(
    (Column("System"), Column("BLEU", numeric=True)),
    (("a_b", "9.50"), ("日本|x", "10.25")),
    ("BLEU|nrefs:1",),
)


@pytest.mark.parametrize(
    ("format_", "expected"),
    [
        (
            "text",
            "System   BLEU\n-------------\na_b      9.50\n日本|x  10.25\n\nBLEU|nrefs:1\n",
        ),
        ("tsv", "# BLEU|nrefs:1\nSystem\tBLEU\na_b\t9.50\n日本|x\t10.25\n"),
        (
            "latex",
            "% BLEU|nrefs:1\n\\begin{tabular}{lr}\n\\toprule\nSystem & BLEU \\\\\n\\midrule\n"
            "a\\_b & 9.50 \\\\\n日本\\textbar{}x & 10.25 \\\\\n\\bottomrule\n\\end{tabular}\n",
        ),
        (
            "markdown",
            "| System | BLEU |\n| --- | ---: |\n| a_b | 9.50 |\n| 日本\\|x | 10.25 |\n\n"
            "`BLEU|nrefs:1`\n",
        ),
    ],
)
def test_a_table_in_each_format(format_: str, expected: str) -> None:
    assert RENDERERS[format_](TABLE) == expected


def test_characters_that_would_end_a_cell_do_not() -> None:
    table = Table((Column("System"),), (("a\tb\nc",),))
    assert RENDERERS["tsv"](table) == "System\na b c\n"
    assert RENDERERS["latex"](Table((Column("a&b%"),), ())).count(r"a\&b\%") == 1


def test_latex_shows_signs_that_its_standard_font_lacks() -> None:
    columns = (Column("System"), Column("− best", numeric=True), Column("ranks", numeric=True))
    table = Table(columns, (("a-1 >", "-1.16 [-3.69, 1.32]", "1–2"),))
    written = RENDERERS["latex"](table)
    assert "System & $-$ best & ranks \\\\" in written
    assert "a-1 $>$ & $-$1.16 [$-$3.69, 1.32] & 1--2 \\\\" in written


def test_a_latex_row_is_not_an_argument_of_the_row_above() -> None:
    written = RENDERERS["latex"](Table((Column("System"),), (("[old]",), ("*",))))
    assert "\n{}[old] \\\\\n{}* \\\\\n" in written


def test_a_row_of_text_is_one_line() -> None:
    written = RENDERERS["text"](Table((Column("System"),), (("a\tb\nc",),)))
    assert written == "System\n------\na b c\n"
