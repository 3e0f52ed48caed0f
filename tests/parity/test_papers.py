"""Tests and intervals against slow, plain implementations of the papers' own figures.

Riezler & Maxwell (2005), Figures 1 and 2; Zhang & Vogel (2004), §3.1. For NIST all of them keep the
information weights of the whole reference set, and so does truebleu.
"""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import TYPE_CHECKING, Any

import pytest

from tests.parity.cases import case_id, lines_of, tool_cases
from truebleu import BLEU, NIST
from truebleu.corpus import as_test_set
from truebleu.metrics import MBLEU
from truebleu.significance.compare import compare

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric
    from truebleu.significance.compare import Comparison

RIEZLER_MAXWELL = tool_cases("nist-multeval", "riezler-maxwell-2005 plain numpy")
ZHANG_VOGEL = tool_cases("nist-multeval", "zhang-vogel-2004 plain numpy")
TOKENIZERS = {"13a": "13a", "whitespace": "none"}
# What truebleu calls the metrics of Zhang & Vogel's cases, and by what its scale is larger.
LABELS = {
    "NIST": ("NIST", 1),
    "BLEU": ("BLEU", 100),
    "M-BLEU (N=4)": ("M-BLEU[n:4]", 100),
    "M-BLEU (N=9)": ("M-BLEU[n:9]", 100),
}


@cache
def compare_files(
    data: str,
    references: tuple[str, ...],
    systems: tuple[str, ...],
    metrics: tuple[Metric, ...],
    **settings: Any,
) -> Comparison:
    outputs = {name: lines_of(f"{data}/{name}") for name in systems}
    texts = [lines_of(f"{data}/{name}") for name in references]
    return compare(as_test_set(outputs, texts), metrics=metrics, **settings)


@pytest.mark.parametrize(
    ("test", "figure", "trials"),
    [
        ("ar", "approximate_randomization", "R_ref"),
        ("bootstrap-absolute", "shifted_bootstrap", "B_ref"),
    ],
    ids=["figure-1", "figure-2"],
)
@pytest.mark.parametrize("case", RIEZLER_MAXWELL, ids=case_id)
def test_p_agrees_with_riezler_and_maxwell(
    case: dict[str, Any], test: str, figure: str, trials: str
) -> None:
    tokenize = TOKENIZERS[case["params"]["tokenizer"]]
    metrics = (BLEU(tokenize=tokenize), NIST(tokenize=tokenize))
    replicates = 10_000
    files = (case["data"], tuple(case["refs"]), tuple(case["systems"]))
    (found,) = compare_files(*files, metrics, test=test, replicates=replicates, seed=1).of(
        case["metric"]
    )
    assert found.difference == pytest.approx(case["expect"]["difference"], rel=1e-9)
    expected = case["expect"][figure]
    p = expected["p_ref"]
    error = sqrt(p * (1 - p) * (1 / replicates + 1 / expected[trials]))
    # A p-value is never below 1 / (R + 1), ours of 10,000 as theirs of 100,000.
    assert abs(found.p - p) <= 4 * error + 1 / (replicates + 1)


@pytest.mark.parametrize("case", ZHANG_VOGEL, ids=case_id)
def test_medians_and_relative_intervals_agree_with_zhang_and_vogel(case: dict[str, Any]) -> None:
    metrics = (
        NIST(tokenize="none"),
        BLEU(tokenize="none"),
        MBLEU(tokenize="none", max_order=4),
        MBLEU(tokenize="none", max_order=9),
    )
    assert case["params"]["tokenizer"] == "whitespace"
    replicates, level = case["params"]["B"], case["params"]["level"]
    # One comparison has the systems of all cases that share their references.
    files = (case["data"], tuple(case["refs"]), ("out.0.txt", "out.3.txt"))
    (system,) = case["systems"]
    label, scale = LABELS[case["metric"]]
    comparison = compare_files(*files, metrics, replicates=replicates, level=level, seed=2)
    found = comparison.systems[system][label]
    expected = case["expect"]
    assert found.score == pytest.approx(scale * expected["score"], rel=1e-9)
    # Theirs is the mean of so many repeats, with the standard deviation of one.
    spread = 4 * sqrt(1 + 1 / case["params"]["repeats"])
    assert found.median == pytest.approx(
        scale * expected["median"], abs=scale * expected["median_sd"] * spread
    )
    assert found.relative_interval is not None
    low, high = found.relative_interval
    assert low == pytest.approx(expected["low_percent"], abs=expected["low_sd"] * spread)
    assert high == pytest.approx(expected["high_percent"], abs=expected["high_sd"] * spread)


@pytest.mark.usefixtures("shared")
def test_the_golden_file_has_all_cases() -> None:
    assert (len(RIEZLER_MAXWELL), len(ZHANG_VOGEL)) == (20, 32)
