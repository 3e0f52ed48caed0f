"""Warnings about scores of other tools, on both sides of each rule."""

from __future__ import annotations

import numpy as np
import pytest

import truebleu
from truebleu.scores.given import GivenScores
from truebleu.scores.score_warnings import FEWEST, FEWEST_CORRELATED, examine_scores

RNG = np.random.default_rng(7)
ITEMS = 200
DIFFICULTY = RNG.uniform(0.3, 0.9, ITEMS)


def column(seed: int, noise: float = 0.05) -> list[float]:
    generator = np.random.default_rng(seed)
    scores = DIFFICULTY + generator.normal(0, noise, ITEMS)
    return [float(score) for score in scores.clip(0.01, 0.99)]


A, B, C = map(column, (1, 2, 3))


def codes(scores: dict[str, list[float | None]], *, are_named: bool = True) -> list[str]:
    return [warning.code for warning in examine_scores("quality", scores, are_named=are_named)]


def test_ordinary_scores_are_not_remarked_on() -> None:
    for are_named in (True, False):
        assert codes({"a": [*A], "b": [*B], "c": [*C]}, are_named=are_named) == []


@pytest.mark.parametrize(
    ("other", "code"),
    [
        ([100 * score for score in B], "score-scales"),
        ([-score for score in B], "score-signs"),
        ([1 - score for score in B], "score-signs"),
        ([999.0 if index % 50 == 3 else score for index, score in enumerate(B)], "missing-value"),
        ([-999.0 if index % 50 == 3 else score for index, score in enumerate(B)], "missing-value"),
        ([-1.0 if index % 50 == 3 else score for index, score in enumerate(B)], "missing-value"),
        ([0.5] * ITEMS, "constant-scores"),
        (A, "same-scores"),
    ],
)
def test_each_damage_is_named(other: list[float], code: str) -> None:
    assert codes({"a": [*A], "b": [*other]}) == [code]


def test_minus_one_is_ordinary_among_negative_scores() -> None:
    errors = [-float(index % 4) for index in range(ITEMS)]
    assert codes({"a": [*errors], "b": [*reversed(errors)]}) != ["missing-value"]
    once = [-1.0, *B[1:]]
    assert "missing-value" not in codes({"a": [*A], "b": [*once]})


def test_scores_in_another_order_are_found_without_names_only() -> None:
    shuffled = [float(score) for score in np.random.default_rng(7).permutation(B)]
    assert codes({"a": [*A], "b": [*shuffled], "c": [*C]}, are_named=False) == ["score-order"]
    (warning,) = examine_scores("x", {"a": A, "b": shuffled, "c": C}, are_named=False)
    assert "scores of b do not rise" in warning.message
    assert codes({"a": [*A], "b": [*shuffled], "c": [*C]}) == []
    few = FEWEST_CORRELATED - 1
    assert codes({"a": [*A[:few]], "b": [*shuffled[:few]]}, are_named=False) == []


def test_a_human_translation_may_differ_from_systems() -> None:
    shuffled = [float(score) for score in np.random.default_rng(6).permutation(B)]
    assert codes({"a": [*A], "refA": [*shuffled], "c": [*C]}, are_named=False) == []


def test_few_scores_are_not_examined() -> None:
    constant: list[float | None] = [0.5] * FEWEST
    assert codes({"a": constant}) == ["constant-scores"]
    assert codes({"a": [*constant[1:], None]}) == []


def test_warnings_reach_results_of_items_and_of_texts() -> None:
    texts = [f"text {index}" for index in range(ITEMS)]
    scores = GivenScores.of({"a": A, "b": A}, name="comet")
    for result in (
        truebleu.compare({"a": A, "b": A}, replicates=100),
        truebleu.compare({"a": texts, "b": texts[::-1]}, texts, [scores], replicates=100),
    ):
        assert "same-scores" in [warning.code for warning in result.warnings]
