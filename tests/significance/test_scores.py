"""The verb score and its result."""

from __future__ import annotations

import math
import pickle
import statistics
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
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
        assert low is not None
        assert high is not None
        assert low < system.scores["BLEU"].score < high


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_intervals_by_few_documents_are_students_of_the_jackknife(metric: str) -> None:
    test_set = simulate(segments=12, systems=[0.4])
    documents = [place % 3 for place in range(12)]
    test_set = replace(test_set, documents=tuple(f"d{document}" for document in documents))
    scores = truebleu.score(test_set, metrics=metric, confidence=True)
    (label,) = scores.interval_methods
    without_each = []
    for left_out in range(3):
        kept = [place for place, document in enumerate(documents) if document != left_out]
        part = replace(test_set.part(kept), documents=None)
        without_each.append(truebleu.score(part, metrics=metric).systems[0].scores[label].score)
    # Student's quantile of two degrees of freedom, 4.302653, from a printed table.
    half = 4.302653 * math.sqrt(2 * statistics.pvariance(without_each))
    centre = scores.systems[0].scores[label].score
    intervals = scores.systems[0].intervals
    assert intervals is not None
    low, high = intervals[label]
    assert low == pytest.approx(max(centre - half, 0.0), rel=1e-6)
    assert high == pytest.approx(centre + half, rel=1e-6)
    assert "jackknife t intervals over 3 documents" in str(scores)
    asked = truebleu.score(test_set, metrics=metric, confidence=True, interval="hall")
    assert "Hall's skewness-corrected t intervals over 3 documents" in str(asked)


def test_no_interval_leaves_what_a_metric_can_be() -> None:
    reference = ["the cat sat on the mat", "dogs bark at night here", "a b c d e f"]
    output = [reference[0], "no word in common", reference[2]]
    test_set = truebleu.TestSet(
        systems={"a": output},
        references=(reference,),
        reference_names=("r",),
        documents=("x", "y", "z"),
    )
    scores = truebleu.score(test_set, metrics=["bleu", "chrf", "ter"], confidence=True)
    intervals = scores.systems[0].intervals
    assert intervals is not None
    assert {label: bounds[0] for label, bounds in intervals.items()} == dict.fromkeys(intervals, 0)
    # TER has no upper limit.
    assert [bounds[1] for bounds in intervals.values()][:2] == [100, 100]
    assert (intervals["TER"][1] or 0) > 100


def test_equal_scores_have_no_interval() -> None:
    scores = truebleu.score({"a": [5.0] * 10}, confidence=True)
    assert (scores.systems[0].intervals or {})["score"] == (None, None)
    assert "(no interval)" in str(scores)


@pytest.mark.parametrize(("items", "method"), [(49, "gaffke"), (50, "percentile")])
def test_means_of_fewer_than_50_scores_have_gaffkes_interval(items: int, method: str) -> None:
    ratings = [5.0, 4.0, 5.0, 3.0, 5.0] * 10
    scores = truebleu.score({"a": ratings[:items]}, confidence=True)
    assert scores.interval_methods == {"score": method}


@pytest.mark.slow
@pytest.mark.parametrize("shares", [[0.02, 0.03, 0.05, 0.2, 0.7], [0.03, 0.05, 0.12, 0.3, 0.5]])
@pytest.mark.parametrize("items", [10, 20])
def test_intervals_of_few_skewed_ratings_cover(items: int, shares: list[float]) -> None:
    generator = np.random.default_rng(items)
    truth, trials, covered = float(np.arange(1, 6) @ shares), 200, []
    for _ in range(trials):
        ratings = generator.choice(5, size=items, p=shares) + 1.0
        result = truebleu.score({"a": ratings.tolist()}, confidence=True, replicates=40)
        low, high = (result.systems[0].intervals or {})["score"]
        if low is not None and high is not None:
            covered.append(low <= truth <= high)
    assert len(covered) > 0.75 * trials
    assert sum(covered) > 0.93 * len(covered)


@pytest.mark.parametrize(("items", "warned"), [(19, True), (20, False)])
def test_intervals_of_fewer_than_20_scores_are_warned_of(items: int, warned: bool) -> None:
    scores = truebleu.score({"a": [4.0, 5.0] * 9 + [3.0] * (items - 18)}, confidence=True)
    assert ("With fewer than 20 items, intervals can be too narrow" in str(scores)) == warned


def test_people_read_pass_fail_scores_in_percent() -> None:
    scores = truebleu.score({"a": [0, 1, 1], "b": [1, 1, 1]}, confidence=True)
    assert scores.percent == ("score",)
    assert "66.7 %   [20.8, 93.9]" in str(scores)
    assert scores.to_dict()["systems"][0]["scores"]["score"]["score"] == 2 / 3
    assert truebleu.score({"a": [0, 1, 0.5], "b": [1, 1, 1]}).percent == ()
