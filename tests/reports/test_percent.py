"""Pass/fail scores: people read points of percent, programs get fractions."""

from __future__ import annotations

import json
from typing import Any

import pytest

import truebleu

#: Of 40 items, `new` fixes 12, breaks 3, and shares 20 right and 5 wrong with `old`.
NEW = [1] * 12 + [0] * 3 + [1] * 20 + [0] * 5
OLD = [0] * 12 + [1] * 3 + [1] * 20 + [0] * 5
FEW: dict[str, Any] = {"replicates": 200}


def text_of(result: Any) -> str:
    return " ".join(str(result).split())


def test_sentences_have_points_and_the_table_has_percent() -> None:
    text = text_of(truebleu.compare({"old": OLD, "new": NEW}, **FEW))
    assert "new is better than old by 22.5 points of score" in text
    assert "From old to new: 12 fixed, 3 broken, 25 the same (Cohen's g = +0.30, large)." in text
    assert "score % " in text
    assert "new 80.0" in text
    assert "old 57.5" in text


def test_a_baseline_is_the_old_model_wherever_it_stands() -> None:
    for names in (("old", "new"), ("new", "old")):
        scores = {name: {"old": OLD, "new": NEW}[name] for name in names}
        text = text_of(truebleu.compare(scores, baseline="old", **FEW))
        assert "From old to new: 12 fixed, 3 broken, 25 the same" in text


def test_an_undecided_pair_goes_from_the_first_to_the_second() -> None:
    text = text_of(
        truebleu.compare({"x": [0, 1] * 9 + [1], "y": [1, 1, 1, 0] * 4 + [1] * 3}, **FEW)
    )
    assert "From x to y: " in text


def test_programs_get_fractions() -> None:
    result = truebleu.compare({"old": OLD, "new": NEW}, **FEW)
    values = json.loads(json.dumps(result.to_dict()))
    assert values["comparisons"][0]["difference"] == pytest.approx(-9 / 40)
    assert values["systems"][0]["scores"]["score"]["score"] == 23 / 40
    assert result.to_frame()["difference"][0] == pytest.approx(-9 / 40)
    gated = truebleu.gate({"old": OLD, "new": NEW}, baseline="old")
    assert gated.to_frame()["new_score"][0] == 32 / 40


def test_a_gate_says_its_margin_in_points() -> None:
    text = text_of(truebleu.gate({"old": OLD, "new": NEW}, baseline="old", margin=0.02))
    assert text.startswith("pass: new is shown to be less than 2 points of score worse than old")
    assert "score 80.0 % against 57.5 %, new − old: +22.5" in text
    assert "12 fixed, 3 broken, 25 the same." in text


def test_an_explanation_has_contributions_in_points() -> None:
    rows = {
        name: [
            {"id": i, "score": score, "kind": "first" if i < 15 else "last"}
            for i, score in enumerate(scores)
        ]
        for name, scores in (("old", OLD), ("new", NEW))
    }
    explanation = truebleu.explain(rows, **FEW)
    text = " ".join(str(explanation.to_document(details=True).sentences).split())
    assert "contributes -22.5 of -22.5 points of score" in text
    assert sum(explanation.pairs[0].segments) == pytest.approx(-9 / 40)


def test_runs_of_pass_fail_scores_are_read_in_percent() -> None:
    rows = {
        name: [
            {"id": i, "score": score, "epoch": run}
            for run in (1, 2)
            for i, score in enumerate(scores)
        ]
        for name, scores in (("old", OLD), ("new", NEW))
    }
    result = truebleu.compare(rows, **FEW)
    assert result.metrics["score"].percent
    assert "22.5 points of score" in text_of(result)


def test_other_scores_stay_as_they_are() -> None:
    halves = {"old": [x / 2 for x in OLD], "new": [x / 2 for x in NEW]}
    result = truebleu.compare(halves, **FEW)
    assert not result.metrics["score"].percent
    assert "points of" not in text_of(result)
    assert result.comparisons[0].fixed is None


def test_many_items_have_one_decimal_as_well() -> None:
    scores = {"old": OLD * 30, "new": NEW * 30}
    assert "22.5 points of score" in text_of(truebleu.compare(scores, **FEW))


def test_differences_by_group_have_their_sign_in_the_heading() -> None:
    labels = ["a", "b"] * 20
    result = truebleu.compare({"old": OLD, "new": NEW}, by={"kind": labels}, **FEW)
    assert "old − new" in text_of(result)
    (found,) = result.heterogeneity
    assert (found.column, found.groups) == ("kind", 2)
    assert "old − new is not shown to vary by kind (test of heterogeneity" in text_of(result)


def test_a_panel_of_pass_fail_scores_has_points_and_percent() -> None:
    scores = {"old": OLD, "new": NEW}
    result = truebleu.panel({"x": scores, "y": scores}, **FEW)
    text = text_of(result)
    assert "by 22.5 points of score" in text
    assert "each set: McNemar's exact test over items" in text
    assert result.comparisons[0].difference == pytest.approx(-9 / 40)
    other = {name: [value / 2 for value in column] for name, column in scores.items()}
    assert truebleu.panel({"x": scores, "y": other}, **FEW).percent == ()
