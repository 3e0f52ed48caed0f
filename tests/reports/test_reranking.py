"""Reranking in words: how the model was trained, and metrics that disagree."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from tests.nbest.small_lists import informative
from tests.reports.test_tuning import GAIN
from truebleu import rerank
from truebleu.reports.reranking import document

if TYPE_CHECKING:
    from truebleu.nbest.reranking import RerankResult


@cache
def reranked() -> RerankResult:
    lists, references = informative()
    return rerank(lists, weights={"quality": 1.0}, references=references, replicates=100)


def test_changes_are_counted_and_the_gain_is_said() -> None:
    first, *others = document(reranked()).sentences
    changed = sum(index != 0 for index in reranked().indices)
    assert f"for {changed} of 24 segments, by " in first
    assert any("against the first candidates, significantly better" in line for line in others)


def test_metrics_that_disagree_are_told() -> None:
    told = "The metrics disagree: do not trust the one that was chosen by."
    worse = replace(GAIN, metric="TER", difference=-1.5)
    assert told in document(replace(reranked(), gains=(GAIN, worse))).sentences
    assert told not in document(replace(reranked(), gains=(GAIN, GAIN))).sentences


def test_how_it_was_trained_is_said() -> None:
    folds = document(replace(reranked(), folds=3)).sentences
    assert any(line.startswith("Each of 3 parts of neighbouring segments") for line in folds)
    other = document(replace(reranked(), trained_on=1200)).sentences
    assert "Trained on 1,200 segments of other lists." in other


def test_programs_get_the_choice_of_every_segment() -> None:
    rows = document(reranked()).data.rows
    assert [row["segment"] for row in rows] == list(range(1, 25))
    assert [row["index"] for row in rows] == list(reranked().indices)
