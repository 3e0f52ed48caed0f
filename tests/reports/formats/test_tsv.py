"""TSV: one number per cell, and no formulas."""

from __future__ import annotations

import csv
import io

from tests.reports.formats.examples import DOCUMENT, attacks, study_document
from tests.reports.formats.hostile import Hostile
from truebleu.reports.document import (
    render,
)
from truebleu.reports.formats import tsv


def test_tsv_has_one_number_per_cell_with_every_digit_under_unique_names() -> None:
    assert tsv.render(DOCUMENT) == (
        "# new is better.\n"
        "# BLEU|nrefs:1\n"
        "system\tscore\tlow\thigh\tp_best\n"
        "new\t31.256\t30.1\t32.4\t0.876\n"
        "ältere\t-0.001\t\t\t\n"
    )


@attacks
def test_a_name_never_becomes_a_formula_of_a_spreadsheet(attack: str) -> None:
    lines = [line for line in render(Hostile(attack), "tsv").splitlines() if line[0] != "#"]
    assert not lines[1].startswith(("=", "+", "-", "@"))
    assert lines[1].endswith("\t-1.25")


def test_tsv_has_every_digit_under_the_names_of_columns() -> None:
    lines = tsv.render(study_document()).splitlines()
    assert lines[:2] == ["# a_1 needs more.", "# No pair of b|2 was drawn."]
    first, second = csv.DictReader(io.StringIO("\n".join(lines[2:])), delimiter="\t")
    assert first == {
        "pair": "a_1",
        "size": "100",
        "right": "0.25",
        "difference": repr(1 / 3),
        "held": "yes",
    }
    assert (second["right"], second["held"]) == ("", "no")
