"""N-best lists in words: what they hold, tuned weights, choices, and metrics that disagree."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.nbest.small_lists import informative
from truebleu import mbr, rerank, tune
from truebleu.nbest import NBest, describe_lists, oracle_scores
from truebleu.nbest.gain import Gain
from truebleu.reports.document import Table
from truebleu.reports.nbest import gain_sentence, rerank_document, tune_document, warnings

if TYPE_CHECKING:
    from truebleu.nbest.reranking import RerankResult
    from truebleu.nbest.tuning import TuneResult


LISTS = NBest.of(
    [["a dog", "the cat", ""], ["yes"], ["a b", "a b"]],
    features={"lm": [[-1, -2, -3], [-1], [-1, -2]], "constant": [[1, 1, 1], [2], [3, 3]]},
)


def test_contents_are_counted() -> None:
    report = describe_lists(LISTS)
    first, known, *_ = report.to_document().sentences
    assert "6 candidates for 3 segments, 1 to 3 each; 5 of them are different." in first
    assert known == "Known of each candidate: 2 features."


@pytest.mark.parametrize(
    "warning",
    [
        "1 list has only one candidate: nothing to choose.",
        "1 list has one text several times: nothing to choose.",
        "Empty candidates: 1.",
        "Constant within every list, so of no use to choose by: constant.",
    ],
)
def test_what_may_surprise_is_said(warning: str) -> None:
    assert warning in warnings(describe_lists(LISTS))


def test_lists_without_faults_have_no_warnings() -> None:
    lists = NBest.of([["a", "b"], ["c", "d"]], features={"lm": [[1, 2], [1, 3]]})
    assert warnings(describe_lists(lists)) == []


def test_oracles_have_the_best_and_the_worst() -> None:
    lists = [["a dog", "the cat", "a fox"], ["yes"]]
    (row,) = oracle_scores(lists, ["the cat", "yes"], metrics=["chrf"]).to_document().data.rows
    assert row["best"] == 100
    assert row["worst"] <= row["first"] < row["best"]  # type: ignore[operator]


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
    for gain, has_deviation in ((GAIN, False), (replace(GAIN, deviation=0.3), True)):
        _, gains, *_ = rerank_document(replace(reranked(), gains=(gain,))).blocks
        assert isinstance(gains, Table)
        assert ("deviation" in gains.names) is has_deviation


def test_the_score_on_what_was_tuned_is_called_no_evidence() -> None:
    first, bounds, where, *_ = tune_document(tuned()).sentences
    assert first.endswith("on the lists that were tuned on, which is no evidence of a gain.")
    assert bounds.startswith("Candidates drawn at random would score ")
    assert where.startswith("The gain is of 2 parts of neighbouring segments")


def test_features_of_no_use_are_named() -> None:
    assert any("of no use to choose by: constant." in s for s in tune_document(tuned()).sentences)
    rows = {row["feature"]: row["note"] for row in tune_document(tuned()).data.rows}
    assert rows["constant"] == "constant within lists"
    assert rows["quality"] == ""


def test_weights_without_a_gain_or_a_change_are_told() -> None:
    nothing = tune_document(replace(tuned(), changed=0, held_out="none", gains=())).sentences
    assert "No gain was measured: give test lists, or folds." in nothing
    assert any(sentence.startswith("The weights do nothing") for sentence in nothing)


@cache
def reranked() -> RerankResult:
    lists, references = informative()
    return rerank(lists, weights={"quality": 1.0}, references=references, replicates=100)


def test_changes_are_counted_and_the_gain_is_said() -> None:
    first, *others = rerank_document(reranked()).sentences
    changed = sum(index != 0 for index in reranked().indices)
    assert f"for {changed} of 24 segments, by " in first
    assert any("against the first candidates, significantly better" in line for line in others)


def test_metrics_that_disagree_are_told() -> None:
    told = "The metrics disagree: do not trust the one that was chosen by."
    worse = replace(GAIN, metric="TER", difference=-1.5)
    assert told in rerank_document(replace(reranked(), gains=(GAIN, worse))).sentences
    assert told not in rerank_document(replace(reranked(), gains=(GAIN, GAIN))).sentences


def test_how_it_was_trained_is_said() -> None:
    folds = rerank_document(replace(reranked(), folds=3)).sentences
    assert any(line.startswith("Each of 3 parts of neighbouring segments") for line in folds)
    other = rerank_document(replace(reranked(), trained_on=1200)).sentences
    assert "Trained on 1,200 segments of other lists." in other


def test_programs_get_the_choice_of_every_segment() -> None:
    rows = rerank_document(reranked()).data.rows
    assert [row["segment"] for row in rows] == list(range(1, 25))
    assert [row["index"] for row in rows] == list(reranked().indices)


SAMPLES = [["a dog sat", "the cat sat", "the cat ran"], ["yes"], ["a b", "a b", "c d"]]
REFERENCE = ["the cat sat", "yes", "a b"]


def test_sentences_count_what_was_chosen() -> None:
    first, alone, *_ = mbr(SAMPLES, metric="chrf").to_document().sentences
    assert first.startswith("Another candidate than the first was chosen for 1 of 3 segments")
    assert alone == "There was nothing to choose from for 1 of 3 segments."


def test_scores_of_a_choice_come_with_a_warning() -> None:
    result = mbr(SAMPLES, metric="chrf", references=REFERENCE)
    assert "is bound to gain chrF2" in result.to_document().sentences[-1]
    assert result.evaluations[0].metric == "chrF2"
    assert "is bound to gain" not in str(mbr(SAMPLES, metric="chrf"))


def test_programs_get_a_row_for_each_choice() -> None:
    rows = mbr(SAMPLES, metric="chrf", best=2).to_document().data.rows
    assert [(row["segment"], row["rank"]) for row in rows] == [
        (1, 1), (1, 2), (2, 1), (3, 1), (3, 2),
    ]  # fmt: skip
    assert [row["text"] for row in rows][:1] == ["the cat sat"]


def test_an_approximation_says_what_it_gives_away() -> None:
    sentences = mbr(SAMPLES, metric="chrf", method="aggregate", check=True).to_document().sentences
    assert any("it gives away" in sentence and "on average" in sentence for sentence in sentences)
