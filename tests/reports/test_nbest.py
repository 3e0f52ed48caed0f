"""N-best lists in words: what they hold, tuned weights, choices, and metrics that disagree."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from tests.nbest.small_lists import informative
from truebleu import mbr, rerank, tune
from truebleu.nbest import NBest, describe_lists, oracle_scores
from truebleu.nbest.choices import Gain
from truebleu.reports.document import Document, Notes, Table
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
    assert known == "Known for each candidate: 2 features."


@pytest.mark.parametrize(
    "warning",
    [
        "1 list has only one candidate: nothing to choose.",
        "1 list has one text several times: nothing to choose.",
        "Empty candidates: 1.",
        "Features that are constant within every list cannot affect the choice: constant.",
    ],
)
def test_warnings_name_problems_of_lists(warning: str) -> None:
    assert warning in warnings(describe_lists(LISTS))


def test_lists_without_faults_have_no_warnings() -> None:
    lists = NBest.of([["a", "b"], ["c", "d"]], features={"lm": [[1, 2], [1, 3]]})
    assert list(warnings(describe_lists(lists))) == []


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
    first=20.0,
    by_chance=19.0,
    oracle=30.0,
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
        (GAIN, "By BLEU they are better than before: +1.50 [+0.50, +2.50], p = 0.0100."),
        (
            replace(GAIN, p=0.2),
            "By BLEU they and before can't be told apart: +1.50 [+0.50, +2.50], p = 0.2000.",
        ),
        (
            replace(GAIN, higher_is_better=False),
            "By BLEU they are worse than before: +1.50 [+0.50, +2.50], p = 0.0100.",
        ),
        (
            replace(GAIN, differing_segments=0),
            "By BLEU they get the same score as before in every segment.",
        ),
    ],
)
def test_a_gain_is_better_or_worse_in_the_direction_of_its_metric(
    gain: Gain, sentence: str
) -> None:
    assert gain_sentence(gain, "they", "before") == sentence


def test_columns_without_a_value_are_left_out() -> None:
    for gain, has_deviation in ((GAIN, False), (replace(GAIN, deviation=0.3), True)):
        _, gains, *_ = rerank_document(replace(reranked(), gains=(gain,))).blocks
        assert isinstance(gains, Table)
        assert ("deviation" in gains.names) is has_deviation


def notes(document: Document) -> str:
    return "\n".join(
        line for block in document.blocks if isinstance(block, Notes) for line in block.lines
    )


def test_the_gain_precedes_the_score_of_the_tuned_lists() -> None:
    document = tune_document(tuned())
    assert document.sentences[0].startswith("By chrF2 the tuned weights are better than the")
    assert "on these lists, on which the weights were tuned: " in notes(document)
    assert "gain: on 2 parts of neighbouring segments" in notes(document)


def test_features_of_no_use_are_marked() -> None:
    rows = {row["feature"]: row["note"] for row in tune_document(tuned()).data.rows}
    assert rows["constant"] == "constant within lists"
    assert rows["quality"] == ""


def test_weights_without_a_gain_or_a_change_are_told() -> None:
    unmeasured = replace(tuned(), held_out="none", gains=())
    assert tune_document(unmeasured).sentences == (
        "No gain was measured: give --test-lists or --folds.",
    )
    (nothing,) = tune_document(replace(unmeasured, changed=0)).sentences
    assert nothing.startswith("The weights have no effect")


def test_weights_that_choose_worse_than_chance_are_warned_of_on_their_own_lists() -> None:
    result = replace(tuned(), first=20.0, by_chance=30.0, development=(31.0, 29.9))
    warning = "Warning: on these lists first or random candidates score higher."
    assert warning in tune_document(result).sentences
    for enough in (30.0, 30.0 - 1e-12):
        assert warning not in tune_document(replace(result, development=(enough,))).sentences


def test_few_weights_are_shown_unless_details_are_asked_for() -> None:
    many = replace(tuned(), weights=tuned().weights * 20)
    sizes = [
        len(block.rows)
        for details in (False, True)
        for block in tune_document(many, details=details).blocks
        if isinstance(block, Table) and block.names[0] == "feature"
    ]
    assert sizes == [10, 50]
    assert len(tune_document(many).data.rows) == 60


@cache
def reranked() -> RerankResult:
    lists, references = informative()
    return rerank(lists, weights={"quality": 1.0}, references=references, replicates=100)


def test_the_gain_is_said_and_changes_are_counted() -> None:
    first, *_, last = rerank_document(reranked()).sentences
    assert first.startswith("By BLEU the chosen candidates are better than the first ones: +")
    changed = sum(index != 0 for index in reranked().indices)
    assert f"for {changed} of 24 segments, by given weights." in last


@pytest.mark.parametrize(
    ("change", "caution"),
    [
        ({"metric": "chrF2", "difference": -1.5}, "The metrics disagree: look at outputs before"),
        # What may be chance is no disagreement.
        ({"metric": "chrF2", "difference": -1.5, "p": 0.75}, None),
        ({"metric": "chrF2"}, None),
    ],
)
def test_metrics_disagree_where_both_differences_are_real(
    change: dict[str, Any], caution: str | None
) -> None:
    gains = (GAIN, replace(GAIN, **change))
    sentences = rerank_document(replace(reranked(), gains=gains)).sentences
    assert len(sentences) == (3 if caution is None else 4)
    assert caution is None or sentences[2].startswith(caution)
    losses = tuple(replace(gain, difference=-1.5, p=0.01) for gain in gains)
    assert "keep the old one" in str(rerank_document(replace(reranked(), gains=losses)).sentences)


@pytest.mark.parametrize(
    ("change", "warning"),
    [
        ({}, ""),
        ({"by_chance": 22.0}, "by BLEU this choice (21.50) is worse than a random choice (22.00)."),
        ({"higher_is_better": False}, "worse than the first candidates (20.00) and a random"),
        (
            {"first": 22.0, "by_chance": 23.0},
            "first candidates (22.00) and a random choice (23.00)",
        ),
    ],
)
def test_a_choice_below_the_first_or_a_random_one_is_warned_of(
    change: dict[str, Any], warning: str
) -> None:
    text = " ".join(str(replace(reranked(), gains=(replace(GAIN, **change),))).split())
    assert warning in text
    assert ("Warning" in text) == bool(warning)
    assert "First At random Oracle" in text
    assert ("Before After" in text) == ("first" in change)


def test_notes_name_the_training_data() -> None:
    folds = notes(rerank_document(replace(reranked(), folds=3)))
    assert "each of 3 parts of neighbouring segments" in folds
    other = notes(rerank_document(replace(reranked(), trained_on=1200)))
    assert "trained on 1,200 segments of other lists" in other


def test_programs_get_the_choice_of_every_segment() -> None:
    rows = rerank_document(reranked()).data.rows
    assert [row["segment"] for row in rows] == list(range(1, 25))
    assert [row["index"] for row in rows] == list(reranked().indices)


SAMPLES = [["a dog sat", "the cat sat", "the cat ran"], ["yes"], ["a b", "a b", "c d"]]
REFERENCE = ["the cat sat", "yes", "a b"]


def test_sentences_count_the_chosen_candidates() -> None:
    first, alone, *_ = mbr(SAMPLES, metric="chrf").to_document().sentences
    assert first.startswith("A candidate other than the first was chosen for 1 of 3 segments")
    assert alone == "All candidates have the same text for 1 of 3 segments."


def test_a_choice_is_judged_by_another_metric() -> None:
    result = mbr(SAMPLES, metric="chrf", references=REFERENCE)
    first, *_ = result.to_document().sentences
    assert first.startswith(
        "By BLEU the chosen candidates and the first ones can't be told apart: +"
    )
    assert [gain.metric for gain in result.gains] == ["chrF2", "BLEU"]
    assert "first ones" not in str(mbr(SAMPLES, metric="chrf"))


def test_programs_get_a_row_for_each_choice() -> None:
    rows = mbr(SAMPLES, metric="chrf", best=2).to_document().data.rows
    assert [(row["segment"], row["rank"]) for row in rows] == [
        (1, 1), (1, 2), (2, 1), (3, 1), (3, 2),
    ]  # fmt: skip
    assert [row["text"] for row in rows][:1] == ["the cat sat"]


def test_an_approximation_says_what_it_gives_away() -> None:
    sentences = mbr(SAMPLES, metric="chrf", method="aggregate", check=True).to_document().sentences
    assert any("its loss is" in sentence and "on average" in sentence for sentence in sentences)
