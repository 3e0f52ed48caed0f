"""Human scores in another order than the segments are noticed, beside metrics that fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import truebleu
from truebleu.scores.given import GivenScores
from truebleu.scores.score_warnings import FEWEST_CORRELATED

SEGMENTS = 300
QUALITY = {"a": 0.0, "b": 0.3, "c": 0.6, "d": 0.9}


def scores(seed: int, noise: float) -> dict[str, list[float]]:
    """Simulate scores: the system's quality, the segment's difficulty, and noise."""
    difficulty = np.random.default_rng(1).normal(size=SEGMENTS)
    generator = np.random.default_rng(seed)
    return {
        name: [*map(float, quality + difficulty + generator.normal(0, noise, SEGMENTS))]
        for name, quality in QUALITY.items()
    }


METRIC = GivenScores.of(scores(2, 1.2), name="metric")
HUMAN = scores(3, 1.2)


def codes(human: dict[str, Any], **more: Any) -> list[str]:
    texts = {name: [f"{name} {i}" for i in range(SEGMENTS)] for name in QUALITY}
    options = {"references": [f"text {i}" for i in range(SEGMENTS)], "coefficients": ["pearson"]}
    result = truebleu.agree(texts, human, [METRIC], **options | more)
    # The texts are placeholders, about which there are warnings too.
    return [w.code for w in result.warnings if w.code == "human-order" or "scores" in w.code]


def moved(by: int) -> dict[str, list[float]]:
    return {name: [*np.roll(row, by).tolist()] for name, row in HUMAN.items()}


def test_scores_in_order_are_not_remarked_on() -> None:
    assert codes(HUMAN) == []


@pytest.mark.parametrize("by", [-2, 1, 3, 50])
def test_moved_scores_are_noticed(by: int) -> None:
    assert codes(moved(by)) == ["human-order"]


def test_reversed_scores_are_noticed_with_the_order_that_fits() -> None:
    reverse = {name: row[::-1] for name, row in HUMAN.items()}
    texts = {name: [f"{name} {i}" for i in range(SEGMENTS)] for name in QUALITY}
    references = [f"text {i}" for i in range(SEGMENTS)]
    result = truebleu.agree(texts, reverse, [METRIC], references=references)
    (warning,) = [w for w in result.warnings if w.code == "human-order"]
    assert "reversed they fit better" in warning.message


def test_systems_that_do_not_fit_say_nothing_about_the_order() -> None:
    flat = {name: [x - 2 * QUALITY[name] for x in row] for name, row in moved(7).items()}
    assert codes(flat) == []


def test_few_judged_segments_are_not_examined() -> None:
    few = {
        name: [x if i < FEWEST_CORRELATED - 1 else None for i, x in enumerate(row)]
        for name, row in moved(1).items()
    }
    assert codes(few) == []


def test_human_scores_are_examined_like_scores_of_tools() -> None:
    assert codes({**HUMAN, "b": [0.3] * SEGMENTS}) == ["constant-scores"]
    assert codes({**HUMAN, "b": HUMAN["a"]}) == ["same-scores"]
