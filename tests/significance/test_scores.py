"""The verb score and its result."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

import truebleu
from truebleu.metrics.bleu import BLEU
from truebleu.simulation import simulate

if TYPE_CHECKING:
    from truebleu._core import Statistics

SYSTEMS = {"a": ["the cat sat on the mat"], "b": ["a cat is on the mat"]}
REFERENCE = ["the cat sat on a mat"]


def test_scores_are_a_mapping_of_mappings() -> None:
    scores = truebleu.score(SYSTEMS, REFERENCE, ["bleu", "ter"])
    assert len(scores) == 2
    assert list(scores.keys()) == ["a", "b"]
    assert {system: list(row) for system, row in scores.items()} == {
        "a": ["BLEU", "TER"],
        "b": ["BLEU", "TER"],
    }
    assert "c" not in scores
    with pytest.raises(KeyError):
        scores["c"]


def test_a_score_is_a_number_in_any_format() -> None:
    score = truebleu.score(SYSTEMS, REFERENCE)["a"]["BLEU"]
    assert f"{score:.2f}" == f"{float(score):.2f}" == "53.73"
    assert f"{score}" == str(score)


def test_a_result_prints_as_the_command_compares_and_pickles() -> None:
    scores = truebleu.score(SYSTEMS, REFERENCE)
    assert str(scores).splitlines()[0].split() == ["System", "BLEU"]
    assert "53.73" in scores._repr_html_()
    copied = pickle.loads(pickle.dumps(scores))  # noqa: S301  # our own bytes
    assert copied == scores == truebleu.score(SYSTEMS, REFERENCE)


def test_intervals_and_scores_come_from_one_count(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    count = BLEU.count

    def counting(metric: BLEU, test_set: truebleu.TestSet) -> Statistics:
        counted.append(metric)
        return count(metric, test_set)

    monkeypatch.setattr(BLEU, "count", counting)
    test_set = simulate(segments=50, systems=[0.1, 0.3])
    scores = truebleu.score(test_set, confidence=True, per_segment=True, replicates=200)
    assert len(counted) == 1
    for system in scores.systems:
        assert system.intervals is not None
        assert system.segments is not None
        low, high = system.intervals["BLEU"]
        assert low < system.scores["BLEU"].score < high
