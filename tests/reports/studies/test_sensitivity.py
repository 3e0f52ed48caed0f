"""What is said of more and less sensitive metrics."""

from __future__ import annotations

import json

import numpy as np

from truebleu.corpus import TestSet, as_test_set
from truebleu.metrics.given import GivenScores
from truebleu.simulation import simulate
from truebleu.studies.sensitivity import SensitivityResult, study_sensitivity


def said(result: SensitivityResult) -> tuple[str, ...]:
    return result.to_document().sentences


def human(**scores: list[float]) -> tuple[TestSet, dict[str, list[float]]]:
    count = len(next(iter(scores.values())))
    return as_test_set({name: ["x"] * count for name in scores}, ["x"] * count), scores


def test_opposite_winners_are_told_of_even_where_one_metric_is_an_error_rate() -> None:
    rng = np.random.default_rng(10)
    a, b = rng.normal(5, 1, 100).tolist(), rng.normal(7, 1, 100).tolist()
    test_set, scores = human(a=a, b=b)
    up = GivenScores.of(scores, name="up")
    down = GivenScores.of(scores, name="down", higher_is_better=False)
    negated = GivenScores.of({n: [-s for s in v] for n, v in scores.items()}, name="negated")
    result = study_sensitivity(test_set, [up, down, negated], replicates=200)
    (sentence,) = [finding for finding in said(result) if "opposite winners" in finding]
    assert "up and down the other way round in 1" in sentence
    assert "up and negated the other way round in 1" in sentence
    assert "down and negated" not in sentence


def test_where_all_pairs_differ_smaller_samples_are_advised() -> None:
    clear = simulate(segments=150, systems=[0.05, 0.5], seed=1)
    result = study_sensitivity(clear, ["bleu", "ter"], replicates=200)
    assert any("--sizes" in finding for finding in said(result))


def test_scores_of_zero_have_no_relative_interval_and_a_sentence_says_so() -> None:
    test_set, scores = human(a=[0.0] * 20, b=[0.0] * 20)
    result = study_sensitivity(test_set, [GivenScores.of(scores, name="human")], replicates=200)
    assert result.rows[0].width is None
    assert "there is no relative interval of human: medians are 0." in said(result)[-1]
    json.dumps(result.to_dict(), allow_nan=False)
