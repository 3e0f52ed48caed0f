"""Claims about the noisy channel: its formula, and that its search is exact."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from truebleu.corpus.nbest.lists import NBest
from truebleu.errors import SettingError
from truebleu.nbest.problem import make_problem
from truebleu.nbest.reranking import (
    BOUNDS,
    NoisyChannel,
    best_length_penalty,
    tune_noisy_channel,
    word_counts,
)

WORDS = ("a", "b c", "d e f", "a b c d e")


def lists(seed: int, sign: float = -1.0) -> tuple[NBest, list[str]]:
    draw = np.random.default_rng(seed)
    texts = [[" ".join(draw.permutation(WORDS)[:2]) for _ in range(5)] for _ in range(12)]
    scores = sign * draw.uniform(0.5, 9, size=(3, 12, 5))
    if sign == 0:
        scores = draw.normal(size=(3, 12, 5))
    features = {
        name: scores[place].tolist() for place, name in enumerate(("channel", "direct", "lm"))
    }
    return NBest.of(texts, features=features), [
        " ".join(draw.permutation(WORDS)[:2]) for _ in texts
    ]


def test_scores_are_divided_by_lengths_as_fairseq_normalises_them() -> None:
    made = NBest.of(
        [["a b", "c"]],
        features={"channel": [[-4, -6]], "direct": [[-2, -3]], "lm": [[-8, -1]]},
        sources=["w x y z"],
    )
    plain = NoisyChannel(
        features=("channel", "direct", "lm"), weights=(1.0, 2.0, 0.5), length_penalty=2.0
    )
    assert plain.scores(made).tolist() == [(-4 - 4 - 4) / 4, -6 - 6 - 0.5]
    normalised = replace(plain, normalize=True)
    assert normalised.scores(made).tolist() == [
        (-4 / 4 - 2 * 2 / 2 - 0.5 * 8 / 4) / 4,
        -6 / 4 - 2 * 3 / 1 - 0.5 * 1 / 4,
    ]
    with pytest.raises(SettingError, match="--source-key"):
        normalised.scores(NBest.of([["a"]], features={n: [[1]] for n in plain.features}))


@pytest.mark.parametrize("sign", [-1.0, 1.0, 0.0])
@pytest.mark.parametrize("seed", range(4))
def test_no_length_penalty_is_better_than_the_one_found(seed: int, sign: float) -> None:
    made, references = lists(seed, sign)
    problem = make_problem(made, references, ["chrf"], scale=False)
    words, weights = word_counts(made), np.array([1.0, 0.5, 0.25])
    value, penalty = best_length_penalty(problem, words, weights, 1.0)

    def at(power: float) -> float:
        part = replace(problem, matrix=problem.matrix / (words**power)[:, None])
        return part.value(weights)

    assert at(penalty) == pytest.approx(value, rel=1e-12)
    assert max(at(power) for power in np.linspace(*BOUNDS, 601)) <= value + 1e-9


def test_the_search_beats_a_thousand_random_trials() -> None:
    made, references = lists(9)
    problem = make_problem(made, references, ["chrf"], scale=False)
    words = word_counts(made)
    channel = tune_noisy_channel(problem, words, seed=1)

    def value(weights: np.ndarray, power: float) -> float:
        return replace(problem, matrix=problem.matrix / (words**power)[:, None]).value(weights)

    found = value(np.array(channel.weights), channel.length_penalty)
    draw = np.random.default_rng(2)
    trials = draw.uniform(*BOUNDS, size=(1000, 3))
    assert found >= max(value(np.array([1.0, a, b]), power) for a, b, power in trials)
    assert channel.weights[0] == 1.0
    assert BOUNDS[0] <= channel.length_penalty <= BOUNDS[1]
