"""Claims about documents: how values become cells, and what people and programs get of a table."""

from __future__ import annotations

import pytest

from tests.reports.formats.examples import CONCLUSIONS, study_document
from truebleu.reports.document import (
    Chart,
    Column,
    Document,
    Heading,
    Plot,
    Sentences,
    Table,
    charted_document,
    render_text,
    table_text,
)
from truebleu.reports.formats import html, latex, markdown
from truebleu.reports.formats.machine_readable import render_tsv

RENDERERS = (render_text, render_tsv, latex.render, markdown.render, html.render)

TEXT = """\
How often tests conclude

Pair  Segments   Right  Difference  Held
----------------------------------------
a_1        100  25.0 %       +0.33  yes
b|2       1600       –       +0.00  no

a_1 needs more.
No pair of b|2 was drawn.
"""
LATEX = r"""% How often tests conclude

\begingroup\small\setlength{\tabcolsep}{4pt}%
\begin{tabular}{@{}lrrrl}
\toprule
Pair & Segments & Right & Difference & Held \\
\midrule
a\_1 & 100 & 25.0 \% & +0.33 & yes \\
b\textbar{}2 & 1600 & -- & +0.00 & no \\
\bottomrule
\end{tabular}
\endgroup

% a_1 needs more.
% No pair of b|2 was drawn.
"""
MARKDOWN = r"""**How often tests conclude**

| Pair | Segments | Right | Difference | Held |
| --- | ---: | ---: | ---: | --- |
| a\_1 | 100 | 25.0 % | +0.33 | yes |
| b\|2 | 1600 | – | +0.00 | no |

- a\_1 needs more.
- No pair of b\|2 was drawn.
"""


def test_people_read_headings_decimals_and_sentences() -> None:
    assert render_text(study_document()) == TEXT
    assert latex.render(study_document()) == LATEX
    assert markdown.render(study_document()) == MARKDOWN


def test_a_sentence_of_several_lines_stays_one_line() -> None:
    for render in RENDERERS:
        written = render(study_document(sentences=("first\nsecond",)))
        assert not any(line.startswith("second") for line in written.splitlines())


def test_a_table_without_rows_still_comes_with_its_sentences() -> None:
    empty = Table(CONCLUSIONS.columns, ())
    for render in RENDERERS:
        assert "Nothing fits." in render(study_document(empty, ("Nothing fits.",)))


@pytest.mark.parametrize(
    ("value", "column", "expected"),
    [
        (0.125, Column("p", "p", percent=True), "12.5 %"),
        (1, Column("p", "p", percent=True), "100 %"),
        (0.95, Column("p", "p", digits=0, percent=True), "95 %"),
        (-0.02, Column("d", "d", digits=1, percent=True, sign=True), "-2.0 %"),
        (12, Column("d", "d", sign=True), "+12"),
        (12, Column("d", "d", digits=2), "12.00"),
        (123456789, Column("n", "n"), "123456789"),
        (0.25, Column("n", "n"), "0.25"),
        (-0.001, Column("d", "d", digits=2), "0.00"),
        (float("nan"), Column("n", "n"), "–"),
        (float("inf"), Column("n", "n", digits=1), "–"),
        (None, Column("n", "n"), "–"),
        (True, Column("b", "b"), "yes"),
        ("25 %", Column("s", "s", percent=True), "25 %"),
        ((-0.5, 1.25), Column("i", "i", digits=1), "[-0.5, 1.2]"),
        ((-0.5, 1.25), Column("i", "i", digits=2, sign=True), "[-0.50, +1.25]"),
        ((None, 1.25), Column("i", "i", digits=2), "(−∞, 1.25]"),
        ((None, None), Column("i", "i", digits=2), "(no interval)"),
    ],
)
def test_a_cell_is_written_as_its_column_says(
    value: str | float | tuple[float | None, float | None] | None, column: Column, expected: str
) -> None:
    assert column.cell(value) == expected


def test_programs_get_the_numbers_that_a_text_for_people_is_made_of() -> None:
    table = Table(
        (Column("pair", "Pair"), Column("cell", "100", parts=("right", "wrong"))),
        ({"pair": "a, b", "cell": "12 %/1 %", "right": 0.12, "wrong": 0.01},),
    )
    assert render_tsv(study_document(table)).endswith("pair\tright\twrong\na, b\t0.12\t0.01\n")
    assert "12 %/1 %" in render_text(study_document(table))


def test_characters_that_would_end_a_cell_do_not() -> None:
    table = Table((Column("system", "System"),), ({"system": "a\tb\nc"},))
    assert render_tsv(study_document(table, ())) == "system\na b c\n"
    assert table_text(table) == "System\n------\na b c"


def test_wide_characters_take_two_columns_of_a_terminal() -> None:
    table = Table(
        (Column("system", "System"), Column("bleu", "BLEU", digits=2)),
        ({"system": "a_b", "bleu": 9.5}, {"system": "日本|x", "bleu": 10.25}),
    )
    assert table_text(table) == "System   BLEU\n-------------\na_b      9.50\n日本|x  10.25"


def test_a_charted_document_has_a_title_a_table_sentences_and_a_chart() -> None:
    plot = Plot("line", "size", "right")
    document = charted_document("Widths", CONCLUSIONS, ["It narrows."], plot)
    kinds = [type(block) for block in document.blocks]
    assert kinds == [Heading, Table, Sentences, Chart]
    assert document.sentences == ("It narrows.",)
    assert document.data is CONCLUSIONS


def test_python_names_arguments_in_sentences_and_leaves_cells_as_they_are() -> None:
    table = Table((Column("name", "--details"),), ({"name": "a --test b"},), ("see --details",))
    document = Document((Sentences(("--correct-over metrics tests all",)), table), table)
    assert render_text(document.for_python()) == (
        'correct_over="metrics" tests all\n\n'
        "--details\n----------\na --test b\n\nsee details=True\n"
    )
    assert document.sentences == ("--correct-over metrics tests all",)


def test_intervals_stand_on_the_right_as_numbers_do() -> None:
    column = Column("interval", "Interval", 1)
    table = Table((Column("name", "Name"), column), ({"name": "a", "interval": (1.0, 2.0)}, {}))
    assert table.is_numeric(column)
    assert table_text(table).splitlines()[-1] == "–              –"
