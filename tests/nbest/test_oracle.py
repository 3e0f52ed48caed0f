from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from truebleu.errors import TruebleuError
from truebleu.nbest import NBest, count_candidates, oracle_scores

LISTS = [["a dog sat", "the cat sat", "the cat"], ["yes", "no", "no"], ["on the mat"]]
REFERENCES = ["the cat sat down", "no", "on a mat"]


def test_hill_climbing_is_never_below_the_best_sentences() -> None:
    draw = np.random.default_rng(3)
    words = ["a", "b", "c", "d", "e", "f"]
    lists = [
        [" ".join(draw.choice(words, draw.integers(1, 9))) for _ in range(4)] for _ in range(5)
    ]
    references = [" ".join(draw.choice(words, 6)) for _ in range(5)]
    for name in ("bleu", "ter"):
        (oracle,) = oracle_scores(lists, references, metrics=[name]).metrics
        sign = 1 if oracle.higher_is_better else -1
        counted = count_candidates(lists, references, name)
        every = [counted.score(list(choice)) for choice in product(range(4), repeat=5)]
        best, worst = max(sign * s for s in every), min(sign * s for s in every)
        scores = [sign * s for s in (oracle.worst, oracle.first, oracle.best, oracle.climbed)]
        assert worst <= scores[0] <= scores[2] <= scores[3] <= best
        assert scores[3] > scores[1]


def test_the_mean_of_a_feature_is_a_metric() -> None:
    lists = NBest.of(LISTS, features={"qe": [[0.5, 0.25, 0.75], [1, 2, 3], [0]]})
    up, down = oracle_scores(lists, metrics=["feature:qe", "feature:-qe"]).metrics
    assert (up.best, up.best_indices) == (1.25, (2, 2, 0))
    assert down.best_indices == (1, 0, 0)


def test_the_report_says_what_perfect_choices_gain() -> None:
    result = oracle_scores(LISTS, REFERENCES, metrics=["chrf", "bleu"])
    assert "choosing perfectly" in str(result)
    assert result.to_dict()["metrics"][0]["best_indices"] == [1, 1, 0]


def test_what_cannot_be_done_is_refused() -> None:
    with pytest.raises(TruebleuError, match=r"3 segments, but .* has 2"):
        oracle_scores(LISTS, REFERENCES[:2])
    with pytest.raises(TruebleuError, match="what BLEU compares"):
        oracle_scores(LISTS)
    with pytest.raises(TruebleuError, match="no feature 'qe'"):
        oracle_scores(LISTS, metrics=["feature:qe"])
    with pytest.raises(TruebleuError, match="plus-one"):
        oracle_scores(LISTS, REFERENCES, metrics=["chrf"], sentence="plus-one")
    with pytest.raises(TruebleuError, match="a list"):
        oracle_scores(LISTS, REFERENCES, metrics="bleu")
    with pytest.raises(TruebleuError, match="what is better"):
        oracle_scores(LISTS, REFERENCES, metrics=["length"])
