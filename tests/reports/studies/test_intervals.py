"""What is said of samples and intervals."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.studies.columns import sampling_row
from truebleu.corpus import TestSet, as_test_set
from truebleu.scores.given import GivenScores
from truebleu.simulation import simulate
from truebleu.studies import (
    CoverageResult,
    study_coverage,
    study_references,
    study_replicates,
    study_sampling,
    study_test_size,
)

TEXTS = simulate(segments=120, systems=[0.3, 0.2, 0.1], references=2, seed=6)


def test_findings_say_what_a_block_is_worth() -> None:
    result = study_sampling(TEXTS, sizes=[20])
    mean = sampling_row(result, None, 20, of="score")
    worth = 20 / (mean.block.effect or 0)
    scores, differences = result.to_document().sentences
    assert f"A block of 20 is worth {worth:,.0f} independent segments" in scores
    assert "differences have" in differences


def test_the_chart_shows_blocks_beside_systematic_samples() -> None:
    for shown, other, name in (
        ("scores", None, "system-3"),
        ("differences", "system-2", "system-3 against system-2"),
    ):
        result = study_sampling(TEXTS, sizes=[6, 12, 20], shown=shown)  # type: ignore[arg-type]
        rows = result.to_document().charts[0].table.rows
        panels = list(dict.fromkeys(row["kind"] for row in rows))
        assert panels == [
            f"BLEU of {name}, {kind} of 12" for kind in ("blocks", "systematic samples")
        ]
        blocks = [row["score"] for row in rows if row["kind"] == panels[0]]
        row = sampling_row(result, "system-3", 12, other=other)
        assert np.array(blocks, dtype=float).max() == row.block.high
        assert rows[0]["whole"] == row.pool


def said(result: CoverageResult) -> tuple[str, ...]:
    return result.to_document().sentences


def test_samples_that_are_much_of_the_pool_are_said_to_be() -> None:
    result = study_coverage(TEXTS, sizes=[24], sampling="systematic", replicates=50)
    assert "20 % of the pool and have no unit twice: they vary by 11 % less" in said(result)[-1]
    assert len(said(study_coverage(TEXTS, sizes=[24], samples=5, replicates=50))) == 1


def test_the_chart_shows_no_more_intervals_than_can_be_told_from_one_another() -> None:
    result = study_coverage(TEXTS, sizes=[10], samples=60, replicates=40)
    assert [interval.sample for interval in result.intervals] == list(range(1, 51))
    assert [row.samples for row in result.rows] == [60]


QUICK_GROWTH: dict[str, Any] = {"shares": [0.25, 0.5, 1.0], "samples": 4, "replicates": 200}


def human(scores: dict[str, list[float]]) -> tuple[TestSet, GivenScores]:
    """A test set whose only content is scores."""
    text = ["x"] * len(next(iter(scores.values())))
    return as_test_set(dict.fromkeys(scores, text), text), GivenScores.of(scores, name="human")


def test_scores_of_zero_have_no_interval_and_a_sentence_says_so() -> None:
    test_set, metric = human({"nothing": [0.0] * 40, "something": list(range(1, 41))})
    result = study_test_size(test_set, [metric], **QUICK_GROWTH)
    assert [row.width for row in result.rows[:3]] == [None] * 3
    assert "without nothing, whose scores are 0" in result.to_document().sentences[0]
    alone, metric = human({"nothing": [0.0] * 40})
    nothing = study_test_size(alone, [metric], **QUICK_GROWTH)
    assert "no law can be fitted" in nothing.to_document().sentences[0]
    json.dumps(result.to_dict(), allow_nan=False)


QUICK_REFERENCES: dict[str, Any] = {"shares": [0.5, 0.75, 1.0], "samples": 2, "replicates": 200}


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=150, systems=[0.1, 0.3], references=3, seed=4)


def test_scores_of_zero_are_said_to_say_nothing(pool: TestSet) -> None:
    zeros = GivenScores.of({name: [0.0] * len(pool) for name in pool.systems}, name="zero")
    result = study_references(pool, [zeros], **QUICK_REFERENCES)
    (sentence, *_) = result.to_document().sentences
    assert sentence == "zero: nothing can be said: scores are 0 or do not vary."
    json.dumps(result.to_dict(), allow_nan=False)


QUICK_REPLICATES: dict[str, Any] = {"replicates": [50, 100, 200], "repetitions": 5}


def test_scores_that_do_not_vary_have_no_figures_and_a_sentence_says_so() -> None:
    scores = {"same": [2.0] * 30, "zero": [0.0] * 30, "good": [float(n) for n in range(1, 31)]}
    test_set = as_test_set({name: ["x"] * 30 for name in scores}, ["x"] * 30)
    result = study_replicates(test_set, [GivenScores.of(scores, name="human")], **QUICK_REPLICATES)
    unsure = {row.system: row.relative_sd for row in result.rows}
    assert unsure["same"] is None
    assert unsure["zero"] is None
    assert unsure["good"] is not None
    sentence = "human: no figures of same, zero: scores are 0 or do not vary."
    assert sentence in result.to_document().sentences
    json.dumps(result.to_dict(), allow_nan=False)
    alone = as_test_set({"same": ["x"] * 30}, ["x"] * 30)
    dull = study_replicates(
        alone, [GivenScores.of({"same": [2.0] * 30}, name="human")], **QUICK_REPLICATES
    )
    assert dull.to_document().sentences == (
        "human: there is nothing to measure: its scores are 0 or do not vary.",
    )
