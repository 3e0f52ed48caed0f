"""The noisy channel: fairseq's formula, and weights that score best."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.nbest.small_lists import informative, small_lists
from truebleu.errors import SettingError
from truebleu.nbest.noisy_channel import NoisyChannel, tune_noisy_channel, word_counts
from truebleu.nbest.problem import Problem, make_problem

if TYPE_CHECKING:
    from numpy.typing import NDArray


def value_of(problem: Problem, model: NoisyChannel, words: NDArray[np.float64]) -> float:
    part = replace(problem, matrix=problem.matrix / (words**model.length_penalty)[:, None])
    return part.value(np.array(model.weights))


def test_the_score_is_the_weighted_sum_over_a_power_of_the_length() -> None:
    lists, _ = small_lists()
    model = NoisyChannel(features=("f0", "f1"), weights=(1.0, 0.5), length_penalty=2.0)
    lengths = [max(len(text.split()), 1) for text in lists.texts]
    expected = (lists.feature("f0") + 0.5 * lists.feature("f1")) / np.array(lengths) ** 2
    assert model.scores(lists) == pytest.approx(expected)


def test_there_is_a_weight_for_every_feature() -> None:
    with pytest.raises(SettingError, match="weights"):
        NoisyChannel(features=("f0",), weights=(1.0, 2.0), length_penalty=1.0)


def test_an_empty_candidate_counts_as_one_word() -> None:
    lists, _ = small_lists()
    assert word_counts(lists).min() >= 1


def test_tuned_weights_are_as_good_as_any_of_a_grid() -> None:
    lists, references = informative(segments=8)
    problem = make_problem(lists, references, ["bleu"], names=["noise", "quality"], scale=False)
    words = word_counts(lists)
    model = tune_noisy_channel(problem, words, length_penalties=(0.0, 1.0), restarts=2)
    assert model.weights[0] == 1
    assert model.length_penalty in (0.0, 1.0)
    tuned = value_of(problem, model, words)
    for penalty in (0.0, 1.0):
        for weight in np.linspace(0, 3, 13):
            other = NoisyChannel(
                features=model.features, weights=(1.0, float(weight)), length_penalty=penalty
            )
            assert tuned >= value_of(problem, other, words) - 1e-9
