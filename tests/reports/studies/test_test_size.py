"""What is said of larger test sets."""

from __future__ import annotations

import json
from typing import Any

from truebleu.corpus import TestSet, as_test_set
from truebleu.metrics.given import GivenScores
from truebleu.studies.test_size import study_test_size

QUICK: dict[str, Any] = {"shares": [0.25, 0.5, 1.0], "samples": 4, "replicates": 200}


def human(scores: dict[str, list[float]]) -> tuple[TestSet, GivenScores]:
    """A test set whose only content is scores."""
    text = ["x"] * len(next(iter(scores.values())))
    return as_test_set(dict.fromkeys(scores, text), text), GivenScores.of(scores, name="human")


def test_scores_of_zero_have_no_interval_and_a_sentence_says_so() -> None:
    test_set, metric = human({"nothing": [0.0] * 40, "something": list(range(1, 41))})
    result = study_test_size(test_set, [metric], **QUICK)
    assert [row.width for row in result.rows[:3]] == [None] * 3
    assert "without nothing, whose scores are 0" in result.to_document().sentences[0]
    alone, metric = human({"nothing": [0.0] * 40})
    nothing = study_test_size(alone, [metric], **QUICK)
    assert "no law can be fitted" in nothing.to_document().sentences[0]
    json.dumps(result.to_dict(), allow_nan=False)
