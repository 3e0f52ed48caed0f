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
            "a\\_b & 9.50 \\\\\n日本|x & 10.25 \\\\\n\\bottomrule\n\\end{tabular}\n",
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
