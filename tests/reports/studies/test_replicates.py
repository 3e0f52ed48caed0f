"""What is said of enough replicates."""

from __future__ import annotations

import json
from typing import Any

from truebleu.corpus import as_test_set
from truebleu.metrics.given import GivenScores
from truebleu.studies.replicates import study_replicates

QUICK: dict[str, Any] = {"replicates": [50, 100, 200], "repetitions": 5}


def test_scores_that_do_not_vary_have_no_figures_and_a_sentence_says_so() -> None:
    scores = {"same": [2.0] * 30, "zero": [0.0] * 30, "good": [float(n) for n in range(1, 31)]}
    test_set = as_test_set({name: ["x"] * 30 for name in scores}, ["x"] * 30)
    result = study_replicates(test_set, [GivenScores.of(scores, name="human")], **QUICK)
    unsure = {row.system: row.relative_sd for row in result.rows}
    assert unsure["same"] is None
    assert unsure["zero"] is None
    assert unsure["good"] is not None
    sentence = "human: no figures of same, zero: scores are 0 or do not vary."
    assert sentence in result.to_document().sentences
    json.dumps(result.to_dict(), allow_nan=False)
    alone = as_test_set({"same": ["x"] * 30}, ["x"] * 30)
    dull = study_replicates(alone, [GivenScores.of({"same": [2.0] * 30}, name="human")], **QUICK)
    assert dull.to_document().sentences == (
        "human: there is nothing to measure: its scores are 0 or do not vary.",
    )
