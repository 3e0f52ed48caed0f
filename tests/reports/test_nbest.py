"""N-best lists in words: what they hold, and what may surprise."""

from __future__ import annotations

import pytest

from truebleu.nbest import NBest, describe_lists, oracle_scores
from truebleu.reports.nbest import document, warnings

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


def test_other_results_have_no_document_here() -> None:
    with pytest.raises(TypeError, match="int"):
        document(3)  # type: ignore[arg-type]
