"""Claims about exhibits as tables."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from truebleu.exhibits import Exhibit, Field, Plot
from truebleu.reports.exhibit import cell, render_exhibit

FORMATS = ("text", "tsv", "latex", "markdown", "json")
EXHIBIT = Exhibit(
    name="power",
    title="How often tests conclude",
    fields=(
        Field("pair", "Pair"),
        Field("size", "Segments"),
        Field("right", "Right", digits=1, percent=True),
        Field("difference", "Difference", digits=2, sign=True),
        Field("held", "Held"),
    ),
    rows=(
        {"pair": "a_1", "size": 100, "right": 0.25, "difference": 1 / 3, "held": True},
        {"pair": "b|2", "size": 1600, "right": None, "difference": -0.001, "held": False},
    ),
    findings=("a_1 needs more.", "No pair of b|2 was drawn."),
    plot=Plot(mark="line", x="size", y="right"),
)

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
% a_1 needs more.
% No pair of b|2 was drawn.
\begin{tabular}{lrrrl}
\toprule
Pair & Segments & Right & Difference & Held \\
\midrule
a\_1 & 100 & 25.0 \% & +0.33 & yes \\
b\textbar{}2 & 1600 & -- & +0.00 & no \\
\bottomrule
\end{tabular}
"""
MARKDOWN = r"""**How often tests conclude**

| Pair | Segments | Right | Difference | Held |
| --- | ---: | ---: | ---: | --- |
| a_1 | 100 | 25.0 % | +0.33 | yes |
| b\|2 | 1600 | – | +0.00 | no |

- a\_1 needs more.
- No pair of b\|2 was drawn.
"""


@pytest.mark.parametrize(
    ("format_", "expected"), [("text", TEXT), ("latex", LATEX), ("markdown", MARKDOWN)]
)
def test_people_read_headings_decimals_and_findings(format_: str, expected: str) -> None:
    assert render_exhibit(EXHIBIT, format_) == expected


def test_tsv_has_every_digit_under_the_names_of_fields() -> None:
    lines = render_exhibit(EXHIBIT, "tsv").splitlines()
    assert lines[:3] == [
        "# How often tests conclude",
        "# a_1 needs more.",
        "# No pair of b|2 was drawn.",
    ]
    first, second = csv.DictReader(io.StringIO("\n".join(lines[3:])), delimiter="\t")
    assert first == {
        "pair": "a_1",
        "size": "100",
        "right": "0.25",
        "difference": repr(1 / 3),
        "held": "yes",
    }
    assert (second["right"], second["held"]) == ("", "no")


def test_json_is_exact() -> None:
    read = json.loads(render_exhibit(EXHIBIT, "json"))
    assert read["rows"] == [dict(row) for row in EXHIBIT.rows]
    assert read["findings"] == list(EXHIBIT.findings)
    assert (read["version"], read["study"]) == (1, "power")


@pytest.mark.parametrize("format_", FORMATS)
def test_a_sentence_of_several_lines_stays_one_note(format_: str) -> None:
    written = render_exhibit(replace(EXHIBIT, findings=("first\nsecond",)), format_)
    assert not any(line.startswith("second") for line in written.splitlines())


@pytest.mark.parametrize("format_", FORMATS)
def test_an_exhibit_without_rows_still_says_why(format_: str) -> None:
    written = render_exhibit(replace(EXHIBIT, rows=(), findings=("Nothing fits.",)), format_)
    assert "Nothing fits." in written


@pytest.mark.parametrize(
    ("value", "field", "expected"),
    [
        (0.125, Field("p", "p", percent=True), "12.5 %"),
        (1, Field("p", "p", percent=True), "100 %"),
        (0.95, Field("p", "p", digits=0, percent=True), "95 %"),
        (-0.02, Field("d", "d", digits=1, percent=True, sign=True), "-2.0 %"),
        (12, Field("d", "d", sign=True), "+12"),
        (12, Field("d", "d", digits=2), "12.00"),
        (123456789, Field("n", "n"), "123456789"),
        (0.25, Field("n", "n"), "0.25"),
        (-0.001, Field("d", "d", digits=2), "0.00"),
        (float("nan"), Field("n", "n"), "–"),
        (float("inf"), Field("n", "n", digits=1), "–"),
        (None, Field("n", "n"), "–"),
        (True, Field("b", "b"), "yes"),
        ("25 %", Field("s", "s", percent=True), "25 %"),
    ],
)
def test_a_cell_is_written_as_its_field_says(
    value: str | float | None, field: Field, expected: str
) -> None:
    assert cell(value, field) == expected


def test_programs_get_the_numbers_that_a_text_for_people_is_made_of() -> None:
    exhibit = Exhibit(
        name="power",
        title="Power",
        fields=(Field("pair", "Pair"), Field("cell", "100", parts=("right", "wrong"))),
        rows=({"pair": "a, b", "cell": "12 %/1 %", "right": 0.12, "wrong": 0.01},),
        findings=(),
        plot=Plot(mark="point", x="pair", y="right"),
    )
    assert render_exhibit(exhibit, "tsv").endswith("pair\tright\twrong\na, b\t0.12\t0.01\n")
    assert "12 %/1 %" in render_exhibit(exhibit, "text")
