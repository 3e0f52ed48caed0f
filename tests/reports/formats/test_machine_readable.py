"""What programs read: JSON with every digit, TSV without formulas, JUnit's XML for any parser."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from defusedxml.ElementTree import fromstring

from tests.reports.formats.examples import DOCUMENT, SENTENCES, attacks, study_document
from tests.reports.formats.hostile import ATTACKS, Hostile
from truebleu.errors import SettingError
from truebleu.reports.document import Check, Column, Document, Sentences, Table, render
from truebleu.reports.formats.machine_readable import render_json, render_junit, render_tsv


class Values:
    def __init__(self, **values: Any) -> None:
        self.values = values

    def facts(self) -> dict[str, Any]:
        return dict(self.values)


def test_json_holds_every_digit_and_the_sentences() -> None:
    written = render_json(study_document(), Values(score=1 / 3, name="ältere"))  # type: ignore[arg-type]
    assert json.loads(written) == {
        "score": 1 / 3,
        "name": "ältere",
        "sentences": list(SENTENCES),
    }
    assert "ältere" in written
    assert written.endswith("}\n")


def test_json_rejects_nan() -> None:
    with pytest.raises(ValueError, match="JSON"):
        render_json(study_document(), Values(score=float("nan")))  # type: ignore[arg-type]


def test_a_document_without_sentences_adds_none() -> None:
    written = render_json(study_document(sentences=()), Values(score=1))  # type: ignore[arg-type]
    assert json.loads(written) == {"score": 1}


def test_tsv_has_one_number_per_cell_with_every_digit_under_unique_names() -> None:
    assert render_tsv(DOCUMENT) == (
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
    lines = render_tsv(study_document()).splitlines()
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


DATA = Table((Column("metric", "metric"),), ({"metric": "BLEU"},), notes=("BLEU|nrefs:1",))


def test_failed_checks_are_failures_with_their_reason() -> None:
    checks = (Check("BLEU", True, "as good"), Check("TER", False, "worse by 3 < 4"))
    suite = fromstring(render_junit(Document((Sentences(("no",)),), DATA, checks=checks)))[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    passed, failed, said = suite
    assert (passed.get("name"), passed[0].tag, passed[0].text) == ("BLEU", "system-out", "as good")
    assert (failed.get("name"), failed[0].tag) == ("TER", "failure")
    assert failed[0].get("message") == "worse by 3 < 4"
    assert said.text == "no\nBLEU|nrefs:1"


@pytest.mark.parametrize("attack", [*ATTACKS, "\ufffe\uffff", "\ud800"], ids=ascii)
def test_names_stay_names(attack: str) -> None:
    document = Document((Sentences((attack,)),), DATA, checks=(Check(attack, False, attack),))
    (suite,) = fromstring(render_junit(document))
    assert [element.tag for element in suite] == ["testcase", "system-out"]
    assert list(suite[0].attrib) == ["classname", "name"]
    assert [element.tag for element in suite[0]] == ["failure"]


def test_a_result_without_checks_has_no_junit() -> None:
    with pytest.raises(SettingError, match="format"):
        render(Hostile("a"), "junit")
