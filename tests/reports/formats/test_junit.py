"""Claims about JUnit's XML: a case for each check, readable by any parser, whatever the names."""

from __future__ import annotations

import pytest
from defusedxml.ElementTree import fromstring

from tests.reports.formats.hostile import ATTACKS, Hostile
from truebleu.errors import SettingError
from truebleu.reports.document import Check, Column, Document, Sentences, Table, render
from truebleu.reports.formats import junit

DATA = Table((Column("metric", "metric"),), ({"metric": "BLEU"},), notes=("BLEU|nrefs:1",))


def test_failed_checks_are_failures_with_their_reason() -> None:
    checks = (Check("BLEU", True, "as good"), Check("TER", False, "worse by 3 < 4"))
    suite = fromstring(junit.render(Document((Sentences(("no",)),), DATA, checks=checks)))[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    passed, failed, said = suite
    assert (passed.get("name"), passed[0].tag, passed[0].text) == ("BLEU", "system-out", "as good")
    assert (failed.get("name"), failed[0].tag) == ("TER", "failure")
    assert failed[0].get("message") == "worse by 3 < 4"
    assert said.text == "no\nBLEU|nrefs:1"


@pytest.mark.parametrize("attack", [*ATTACKS, "\ufffe\uffff", "\ud800"], ids=ascii)
def test_names_stay_names(attack: str) -> None:
    document = Document((Sentences((attack,)),), DATA, checks=(Check(attack, False, attack),))
    (suite,) = fromstring(junit.render(document))
    assert [element.tag for element in suite] == ["testcase", "system-out"]
    assert list(suite[0].attrib) == ["classname", "name"]
    assert [element.tag for element in suite[0]] == ["failure"]


def test_a_result_without_checks_has_no_junit() -> None:
    with pytest.raises(SettingError, match="format"):
        render(Hostile("a"), "junit")
