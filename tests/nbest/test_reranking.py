"""`truebleu.rerank`: every model, on small lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import truebleu
from tests.nbest.small_lists import informative, violation
from truebleu.errors import SettingError, UnknownNameError
from truebleu.nbest import NBest
from truebleu.nbest.problem import first_argmax, make_problem
from truebleu.nbest.reranking import fit_log_linear, largest_gamma, log_likelihood_loss

FAST: dict[str, Any] = {"replicates": 100}


def test_given_weights_choose_and_the_gain_is_measured() -> None:
    lists, references = informative()
    result = truebleu.rerank(lists, references, weights={"quality": 1.0}, metrics=["chrf"], **FAST)
    assert result.gains[0].difference > 0
    assert [gain.metric for gain in result.gains] == ["chrF2", "BLEU"]
    assert result.changed == sum(index > 0 for index in result.indices)
    assert "given weights" in str(result)
    assert truebleu.rerank(lists, weights={"quality": 1.0}).gains == ()


def test_quality_columns_may_count_downwards() -> None:
    lists = NBest.of(
        [["a", "b"], ["c", "d"]], features={"qe": [[2, 1], [3, 4]], "errors": [[5, 1], [1, 1]]}
    )
    assert truebleu.rerank(lists, quality=["qe"]).texts == ("a", "d")
    assert truebleu.rerank(lists, quality=["-errors"]).texts == ("b", "c")
    both = truebleu.rerank(lists, quality=["qe", "-errors"])
    assert both.weights["errors"] < 0 < both.weights["qe"]


def test_a_trained_model_gains_on_segments_that_it_did_not_see() -> None:
    lists, references = informative(segments=30)
    options: dict[str, Any] = {"metrics": "chrf", "folds": 2, **FAST}
    crossed = truebleu.rerank(lists, references, **options)
    assert (crossed.model, crossed.folds) == ("log-linear", 2)
    assert crossed.gains[0].difference > 0
    test, test_references = informative(seed=9)
    other = truebleu.rerank(
        test, test_references, train_lists=lists, train_references=references, **options
    )
    assert (other.folds, other.trained_on) == (None, 30)
    assert other.gains[0].difference > 0
    assert other.selected[0] == "quality"
    assert other.gamma in [point.gamma for point in other.path]
    assert "constant" not in other.weights


def with_copies(*, better: int) -> tuple[NBest, list[str]]:
    """Two candidates each; the feature is right in two of three, where the better has copies."""
    lists, values = [], []
    for segment in range(60):
        right = segment % 3 > 0
        good, bad = (f"a b c d e{segment}", 1.0 if right else -1.0), ("a x c y z", 0.0)
        pair = [good] * (better if right else 1) + [bad]
        lists.append([text for text, _ in pair][:: 1 if segment % 2 else -1])
        values.append([value for _, value in pair][:: 1 if segment % 2 else -1])
    return NBest.of(lists, features={"f": values}), [f"a b c d e{n}" for n in range(60)]


def test_copies_are_one_candidate_to_a_trained_model() -> None:
    (lists, references), (plain, _) = with_copies(better=6), with_copies(better=1)
    copied, other = (truebleu.rerank(n, references, **FAST) for n in (lists, plain))
    assert (copied.copies, other.copies) == (200, 0)
    # Taken for rivals of each other, copies would turn the weight round.
    assert copied.weights == other.weights
    assert copied.weights["f"] > 0
    assert copied.texts == other.texts
    assert copied.gains[0].by_chance > other.gains[0].by_chance
    assert "200 candidates duplicate the text and features of others" in " ".join(
        str(copied).split()
    )


def test_candidates_that_are_best_alike_are_no_rivals() -> None:
    texts = ["a b c d", "a b c d", "a b", "c d x x", "a b c d"]
    lists = NBest.of([texts[::-1], texts[2:4]], features={"f": [[5, 4, 3, 2, 1], [1, 2]]})
    problem, gold = make_problem(lists, ["a b c d"] * 2, ["bleu"]).without_ties()
    assert np.diff(problem.offsets).tolist() == [3, 2]
    kept = (problem.matrix[:, 0] * problem.scales[0]).round(9).tolist()
    assert kept[:3] == [5, 4, 3]
    assert kept[gold[0]] == 5


def test_unused_or_missing_arguments_raise() -> None:
    lists, references = informative()
    for options, reason in (
        ({"weights": {}}, "a weight for each feature"),
        ({"quality": ["quality"], "weights": {"quality": 1.0}}, "no quality columns with weights"),
        ({"quality": ["quality"], "ngrams": 2}, "as no model is trained"),
        ({"gamma": 0.0}, "above 0"),
    ):
        with pytest.raises(SettingError, match=reason):
            truebleu.rerank(lists, references, **options)
    with pytest.raises(UnknownNameError, match="nothing"):
        truebleu.rerank(lists, weights={"nothing": 1.0})
    with pytest.raises(SettingError, match="texts for BLEU to compare"):
        truebleu.rerank(lists)


def test_the_optimum_satisfies_the_conditions_and_gradients_are_right() -> None:
    lists, references = informative()
    problem = make_problem(lists, references, ["chrf"])
    gold = first_argmax(problem.utilities(), problem.offsets)
    highest = largest_gamma(problem.matrix, problem.offsets, gold)
    for share in (0.5, 0.1, 0.01):
        for at_once in (1, 3):
            fitted = fit_log_linear(
                problem.matrix, problem.offsets, gold, share * highest, at_once=at_once
            )
            assert violation(problem, gold, fitted) < 1e-6
    at = np.array([0.2, -0.3, 0.1])
    _, gradient = log_likelihood_loss(problem.matrix, problem.offsets, gold, at)
    for place, axis in enumerate(np.eye(3) * 1e-6):
        above, _ = log_likelihood_loss(problem.matrix, problem.offsets, gold, at + axis)
        below, _ = log_likelihood_loss(problem.matrix, problem.offsets, gold, at - axis)
        assert gradient[place] == pytest.approx((above - below) / 2e-6, rel=1e-5, abs=1e-6)
