"""Utilities of pairs: each is what the metric says of a candidate and a reference."""

from __future__ import annotations

import pytest

from truebleu import BLEU
from truebleu.errors import TruebleuError
from truebleu.nbest import utility_matrix


def overlap(output: str, references: list[str]) -> float:
    return float(len(set(output.split()) & set(references[0].split())))


def test_a_function_scores_every_pair() -> None:
    assert utility_matrix(overlap, ["a b", "b"], ["b c", "a b", ""]).tolist() == [
        [1.0, 2.0, 0.0],
        [1.0, 1.0, 0.0],
    ]


def test_segments_are_scored_as_single_ones() -> None:
    """BLEU has no 4-grams of two words: by themselves they count up to their own order."""
    assert utility_matrix("bleu", ["a b"]).tolist() == [[pytest.approx(100.0)]]
    assert BLEU().sentence("a b", ["a b"]).score == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("metric", "candidates", "message"),
    [("length", ["a"], "what is better"), ("bleu", [], "at least one string")],
)
def test_what_has_no_utility_is_refused(metric: str, candidates: list[str], message: str) -> None:
    with pytest.raises(TruebleuError, match=message):
        utility_matrix(metric, candidates)
