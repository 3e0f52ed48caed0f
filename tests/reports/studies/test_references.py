"""What is said of the worth of references."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from truebleu.metrics.given import GivenScores
from truebleu.simulation import simulate
from truebleu.studies.references import study_references

if TYPE_CHECKING:
    from truebleu.corpus import TestSet

QUICK: dict[str, Any] = {"shares": [0.5, 0.75, 1.0], "samples": 2, "replicates": 200}


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=150, systems=[0.1, 0.3], references=3, seed=4)


def test_scores_of_zero_are_said_to_say_nothing(pool: TestSet) -> None:
    zeros = GivenScores.of({name: [0.0] * len(pool) for name in pool.systems}, name="zero")
    result = study_references(pool, [zeros], **QUICK)
    (sentence, *_) = result.to_document().sentences
    assert sentence == "zero: nothing can be said: scores are 0 or do not vary."
    json.dumps(result.to_dict(), allow_nan=False)
