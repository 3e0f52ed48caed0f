"""Tuning in words: the gain on held-out segments, and weights that do nothing."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.nbest.small_lists import informative
from truebleu import tune
from truebleu.nbest.gain import Gain
from truebleu.reports.tuning import document, gain_sentence, gain_table

if TYPE_CHECKING:
    from truebleu.nbest.tuning import TuneResult

GAIN = Gain(
    metric="BLEU",
    signature="BLEU|…",
    higher_is_better=True,
    digits=2,
    baseline=20.0,
    score=21.5,
    difference=1.5,
    interval=(0.5, 2.5),
    p=0.01,
    runs=(21.5,),
    deviation=None,
    differing_segments=7,
)


@cache
def tuned() -> TuneResult:
    lists, references = informative()
    return tune(lists, references, metrics=["chrf"], folds=2, replicates=100)


@pytest.mark.parametrize(
    ("gain", "sentence"),
    [
        (GAIN, "BLEU: +1.50 against before, significantly better (p = 0.01)."),
        (
            replace(GAIN, p=0.2),
            "BLEU: +1.50 against before, better, but not significantly so (p = 0.2).",
        ),
        (
            replace(GAIN, higher_is_better=False),
            "BLEU: +1.50 against before, significantly worse (p = 0.01).",
        ),
        (
            replace(GAIN, differing_segments=0),
            "BLEU: the choice is the same as before wherever it matters.",
        ),
    ],
)
def test_a_gain_is_better_or_worse_in_the_direction_of_its_metric(
    gain: Gain, sentence: str
) -> None:
    assert gain_sentence(gain, "before") == sentence


def test_columns_without_a_value_are_left_out() -> None:
    assert "deviation" not in gain_table([GAIN]).names
    assert "deviation" in gain_table([replace(GAIN, deviation=0.3)]).names


def test_the_score_on_what_was_tuned_is_called_no_evidence() -> None:
    first, bounds, where, *_ = document(tuned()).sentences
    assert first.endswith("on the lists that were tuned on, which is no evidence of a gain.")
    assert bounds.startswith("Candidates drawn at random would score ")
    assert where.startswith("The gain is of 2 parts of neighbouring segments")


def test_features_of_no_use_are_named() -> None:
    assert any("of no use to choose by: constant." in s for s in document(tuned()).sentences)
    rows = {row["feature"]: row["note"] for row in document(tuned()).data.rows}
    assert rows["constant"] == "constant within lists"
    assert rows["quality"] == ""


def test_weights_without_a_gain_or_a_change_are_told() -> None:
    nothing = document(replace(tuned(), changed=0, held_out="none", gains=())).sentences
    assert "No gain was measured: give test lists, or folds." in nothing
    assert any(sentence.startswith("The weights do nothing") for sentence in nothing)
