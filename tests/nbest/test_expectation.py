"""Gradients of expected scores against finite differences."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.nbest.small_lists import small_lists
from truebleu.corpus.nbest import NBest
from truebleu.nbest.expectation import (
    ExpectedBleu,
    expected_corpus_loss,
    expected_sentence_loss,
    probabilities,
)
from truebleu.nbest.pro import Pro, draw_pairs, logistic_loss
from truebleu.nbest.problem import Search, make_problem

if TYPE_CHECKING:
    from collections.abc import Callable


def differences(function: Callable[[Any], tuple[float, Any]], at: Any) -> list[float]:
    step = 1e-6
    return [
        (function(at + step * axis)[0] - function(at - step * axis)[0]) / (2 * step)
        for axis in np.eye(len(at))
    ]


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_gradients_equal_finite_differences(metric: str, scale: float) -> None:
    lists, references = small_lists(segments=12)
    problem = make_problem(lists, references, [metric])
    at = np.array([0.3, -0.6])
    sentence = partial(expected_sentence_loss, problem, l2=0.5, scale=scale)
    assert sentence(at)[1] == pytest.approx(differences(sentence, at), rel=1e-5, abs=1e-7)
    for steepness in (50.0, None):
        corpus = partial(expected_corpus_loss, problem, l2=0.5, scale=scale, steepness=steepness)
        assert corpus(at)[1] == pytest.approx(differences(corpus, at), rel=1e-4, abs=1e-7)
    better, worse = draw_pairs(problem, Pro(draws=50), seed=1)
    logistic = partial(
        logistic_loss, differences=problem.matrix[better] - problem.matrix[worse], l2=0.5
    )
    assert logistic(at)[1] == pytest.approx(differences(logistic, at), rel=1e-5, abs=1e-7)


def test_probabilities_are_a_softmax_that_cannot_overflow() -> None:
    chances = probabilities(np.array([1e6, 1e6 - 1, 0.0]), np.array([0, 2, 3]))
    assert chances == pytest.approx([1 / (1 + np.exp(-1)), 1 / (1 + np.exp(1)), 1.0])


def test_descent_lowers_the_loss() -> None:
    lists, references = small_lists(segments=30)
    problem = make_problem(lists, references, ["chrf"])
    found = ExpectedBleu(l2=0.01).weights(problem, Search.of(np.zeros(2), seed=1))
    before = expected_sentence_loss(problem, np.zeros(2), l2=0.01)[0]
    assert expected_sentence_loss(problem, found, l2=0.01)[0] < before


def test_the_penalty_is_per_segment_so_that_copies_of_the_lists_leave_the_optimum() -> None:
    lists, references = small_lists(segments=20)
    twice = NBest.of(
        [[*list_] for _ in range(2) for list_ in lists],
        features={
            name: [lists.feature(name)[span].tolist() for _ in range(2) for span in lists.spans()]
            for name in lists.feature_names
        },
    )
    tuner = ExpectedBleu(epochs=300, l2=0.5)
    found = [
        tuner.weights(make_problem(some, text, ["chrf"]), Search.of(np.zeros(2), seed=1))
        for some, text in ((lists, references), (twice, references * 2))
    ]
    assert found[1] == pytest.approx(found[0], rel=0.05)
    assert np.abs(found[0]).max() > 0.01


def test_the_default_penalty_is_the_papers_on_as_many_segments() -> None:
    assert ExpectedBleu().l2 * 1506 == pytest.approx(10, rel=1e-3)
