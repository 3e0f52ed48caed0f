from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from truebleu.errors import TruebleuError
from truebleu.nbest import NBest, count_candidates, describe_lists, oracle_scores


def test_a_description_counts_what_matters() -> None:
    lists = NBest.of(
        [["a", "a", ""], ["b"], ["c", "c"]],
        scores=[[3, 1, 2], [1], [1, 2]],
        features={"same": [[1, 1, 1], [2], [3, 3]], "other": [[1, 2, 3], [0], [1, 1]]},
    )
    report = describe_lists(lists)
    assert (report.candidates, report.distinct, report.empty) == (6, 4, 1)
    assert (report.single_lists, report.equal_lists, report.unordered_lists) == (1, 1, 1)
    same, other = report.features
    assert (same.constant_lists, same.within) == (3, 0.0)
    assert other.constant_lists == 2
    text = str(report)
    assert "Features that are constant within every list cannot affect the choice: same." in text
    assert "1 list has only one candidate" in text
    with pytest.raises(TruebleuError, match="4"):
        describe_lists(lists, references=4)


# Oracles.


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
        chosen = (oracle.worst_of_text, oracle.worst, oracle.best, oracle.best_of_text)
        scores = [sign * score for score in chosen]
        assert [worst, *scores, best] == sorted([worst, *scores, best])
        assert scores[0] < sign * oracle.first < scores[3]
        for indices, score in (
            (oracle.worst_of_text_indices, chosen[0]),
            (oracle.best_of_text_indices, chosen[3]),
        ):
            assert counted.score(list(indices)) == score


def test_hill_climbing_downwards_finds_the_worst_choice() -> None:
    """By themselves an empty candidate and a wrong one are alike; a long wrong one costs more."""
    lists, references = [["a b c d", "", "x x x x x x x x"], ["e f g h"]], ["a b c d", "e f g h"]
    (oracle,) = oracle_scores(lists, references, metrics=["bleu"]).metrics
    assert (oracle.worst_indices, oracle.worst_of_text_indices) == ((1, 0), (2, 0))
    # No penalty for 12 words beside 8; precisions of 4/12, 3/10, 2/8 and 1/6.
    assert oracle.worst_of_text == pytest.approx(100 * (4 / 12 * 3 / 10 * 2 / 8 / 6) ** 0.25)
    assert oracle.worst == pytest.approx(100 * np.exp(1 - 8 / 4))


def test_the_mean_of_a_feature_is_a_metric() -> None:
    lists = NBest.of(LISTS, features={"qe": [[0.5, 0.25, 0.75], [1, 2, 3], [0]]})
    up, down = oracle_scores(lists, metrics=["feature:qe", "feature:-qe"]).metrics
    assert (up.best, up.best_indices) == (1.25, (2, 2, 0))
    assert down.best_indices == (1, 0, 0)


def test_the_report_says_what_perfect_choices_gain() -> None:
    result = oracle_scores(LISTS, REFERENCES, metrics=["chrf", "bleu"])
    assert "choosing perfectly" in str(result)
    assert result.to_dict()["metrics"][0]["best_indices"] == [1, 1, 0]


def test_metrics_without_an_oracle_raise() -> None:
    with pytest.raises(TruebleuError, match="2 segments, but n-best lists has 3"):
        oracle_scores(LISTS, REFERENCES[:2])
    with pytest.raises(TruebleuError, match="texts for BLEU to compare"):
        oracle_scores(LISTS)
    with pytest.raises(TruebleuError, match="no feature 'qe'"):
        oracle_scores(LISTS, metrics=["feature:qe"])
    with pytest.raises(TruebleuError, match="plus-one"):
        oracle_scores(LISTS, REFERENCES, metrics=["chrf"], sentence="plus-one")
    with pytest.raises(TruebleuError, match="at least one metric"):
        oracle_scores(LISTS, REFERENCES, metrics=[])
    with pytest.raises(TruebleuError, match="a metric with a direction"):
        oracle_scores(LISTS, REFERENCES, metrics=["length"])
