"""What every tuner gets: features, their scales, and the objective of what weights choose."""

from __future__ import annotations

import numpy as np
import pytest

from tests.nbest.small_lists import informative
from truebleu import BLEU, TER
from truebleu.errors import SettingError, UnknownNameError
from truebleu.nbest.problem import first_best, make_problem, within_deviations

LISTS, REFERENCES = informative(segments=10)


def test_the_value_of_weights_is_the_score_of_what_they_choose() -> None:
    problem = make_problem(LISTS, REFERENCES, ["bleu"])
    weights = problem.by_name({"quality": 1.0}, "weights")
    chosen = LISTS.choose(problem.choices(weights))
    assert problem.value(weights) == pytest.approx(BLEU().corpus(chosen, REFERENCES).score)


def test_the_objective_is_a_mean_in_which_lower_is_better_metrics_are_negated() -> None:
    problem = make_problem(LISTS, REFERENCES, ["bleu", "ter"])
    weights = problem.by_name({"noise": -1.0}, "weights")
    chosen = LISTS.choose(problem.choices(weights))
    bleu, ter = (m.corpus(chosen, REFERENCES).score for m in (BLEU(), TER()))
    assert problem.value(weights) == pytest.approx((bleu - ter) / 2)


def test_features_are_divided_by_their_deviation_and_weights_come_back() -> None:
    problem = make_problem(LISTS, REFERENCES, ["bleu"])
    varied = ~problem.useless
    assert within_deviations(problem.matrix, problem.offsets)[varied] == pytest.approx(1)
    assert [name for name, u in zip(problem.names, problem.useless, strict=True) if u] == [
        "constant"
    ]
    weights = np.arange(1.0, 4.0)
    assert problem.raw(problem.scaled(weights)) == pytest.approx(weights)


def test_some_segments_have_the_problem_of_their_own() -> None:
    problem = make_problem(LISTS, REFERENCES, ["bleu"], scale=False)
    part = problem.take([7, 2])
    assert len(part) == 2
    weights = part.by_name({"quality": 1.0}, "weights")
    choices = problem.choices(weights)
    assert part.choices(weights).tolist() == [choices[7], choices[2]]


def test_the_first_of_the_best_is_chosen() -> None:
    scores = np.array([1.0, 3.0, 3.0, 2.0, 2.0])
    assert first_best(scores, np.array([0, 3, 5])).tolist() == [1, 0]


def test_what_cannot_be_tuned_is_refused() -> None:
    with pytest.raises(SettingError, match="features to weight"):
        make_problem([["a", "b"]], ["a"], ["bleu"])
    with pytest.raises(SettingError, match="one that says what is better"):
        make_problem(LISTS, REFERENCES, ["length"])
    with pytest.raises(UnknownNameError, match="feature in weights 'qualty'"):
        make_problem(LISTS, REFERENCES, ["bleu"]).by_name({"qualty": 1}, "weights")
