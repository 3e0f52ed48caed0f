"""The length ratio and BLEU of optimizer runs against MultEval 0.5.1."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

import pytest

from tests.parity.cases import case_id, lines_of, tool_cases
from truebleu import BLEU
from truebleu.metrics import LengthRatio

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

CASES = tool_cases("nist-multeval", "multeval-0.5.1")
METRICS = {"Length": LengthRatio(), "BLEU": BLEU(tokenize="none", smooth="mteval")}


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_scores_of_runs_and_their_mean_agree(case: dict[str, Any], name: str) -> None:
    metric: Metric = METRICS[name]
    references = [lines_of(f"{case['data']}/{text}") for text in case["refs"]]
    # The last system is the one that the values are about; the one before it is its baseline.
    runs = [lines_of(f"{case['data']}/{text}") for text in case["systems"][-1]]
    expected = case["expect"][name]
    scores = [metric.corpus(outputs, references).score for outputs in runs]
    assert scores == pytest.approx(expected["per_run"], rel=1e-9)
    assert fmean(scores) == pytest.approx(expected["avg"], rel=1e-9)


@pytest.mark.usefixtures("shared")
def test_the_golden_file_has_all_cases() -> None:
    assert len(CASES) == 7
