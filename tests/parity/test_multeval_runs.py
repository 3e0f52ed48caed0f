"""Optimizer runs against MultEval 0.5.1, and against its test written plainly.

Where MultEval and truebleu define a value differently, it is not compared:

- TER: MultEval runs tercom 0.8.0 with a beam of 20, truebleu searches as sacreBLEU does with a beam
  of 25; of some 41,000 edits in a run they differ in none to four. So with one reference only the
  spread over segments and p are compared, which so few edits do not move; scores and averages are
  not. With several references MultEval also cuts the average reference length of each segment to a
  whole number, which moves TER by 0.7 points: nothing is compared.
- p of three runs: MultEval draws X and Y apart, so that an output may be in both or in neither, and
  counts larger differences only, not equal ones. The test with complements, and with equal
  differences counted, was written out plainly for the goldens and is what ours is compared with.
"""

from __future__ import annotations

from functools import cache
from math import sqrt
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import pytest

from tests.parity.cases import case_id, lines_of, tool_cases
from truebleu import BLEU, TER
from truebleu.metrics import LengthRatio
from truebleu.significance.compare import compare

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric
    from truebleu.significance.compare import Comparison, SystemResult
    from truebleu.significance.optimizer_runs import RunScores

pytestmark = pytest.mark.usefixtures("shared")

MULTEVAL = tool_cases("nist-multeval", "multeval-0.5.1")
WITH_BASELINE = [case for case in MULTEVAL if len(case["systems"]) == 2]
SINGLE_RUNS = [case for case in WITH_BASELINE if len(case["systems"][0]) == 1]
STRATIFIED = tool_cases("nist-multeval", "own-stratified-AR")
SAMPLES = 10_000
METRICS: dict[str, Metric] = {
    "BLEU": BLEU(tokenize="none", smooth="mteval"),
    "Length": LengthRatio(),
    "TER": TER(),
}


def by_metric(cases: list[dict[str, Any]]) -> list[Any]:
    """Each case with each metric whose spread and p can be compared in it."""
    return [
        pytest.param(case, name, id=f"{case_id(case)}-{name}")
        for case in cases
        for name in METRICS
        if name != "TER" or len(case["refs"]) == 1
    ]


def compare_case(case: dict[str, Any]) -> Comparison:
    """The last system of a case with its baseline, which is the first of them."""
    systems = [tuple(names) for names in case["systems"]]
    if len(systems) == 1:
        # MultEval describes a baseline alone; a comparison takes two, and says the same of the one.
        partner = {"iwslt-optimizer-runs": "sys1.opt{}.txt", "four-references": "out.1.txt"}
        runs = range(len(systems[0]))
        systems.insert(0, tuple(partner[case["data"]].format(run) for run in runs))
    return _compare(case["data"], tuple(case["refs"]), tuple(systems), tuple(METRICS), SAMPLES)


@cache
def _compare(
    data: str,
    refs: tuple[str, ...],
    systems: tuple[tuple[str, ...], ...],
    metrics: tuple[str, ...],
    replicates: int,
) -> Comparison:
    outputs = {name: lines_of(f"{data}/{name}") for names in systems for name in names}
    references = [lines_of(f"{data}/{name}") for name in refs]
    runs = {PurePath(names[0]).stem.removesuffix(".opt0"): names for names in systems}
    return compare(
        outputs,
        references,
        [METRICS[name] for name in metrics],
        replicates=replicates,
        seed=7,
        runs=runs,
        about="these-runs",
        swap_runs="separately",
    )


def last_system(comparison: Comparison, metric: str) -> tuple[SystemResult, RunScores]:
    result = comparison.systems[list(comparison.systems)[-1]][metric]
    assert result.runs is not None
    return result, result.runs


@pytest.mark.parametrize("name", ["BLEU", "Length"])
@pytest.mark.parametrize("case", MULTEVAL, ids=case_id)
def test_averages_and_spreads_over_runs_agree(case: dict[str, Any], name: str) -> None:
    expected = case["expect"][name]
    result, runs = last_system(compare_case(case), name)
    assert result.score == pytest.approx(expected["avg"], rel=1e-9)
    assert runs.scores == pytest.approx(expected["per_run"], rel=1e-9)
    if expected["s_Test"] is None:
        assert runs.sd_of_runs is None
    else:
        assert runs.sd_of_runs == pytest.approx(expected["s_Test"], rel=1e-9)


@pytest.mark.parametrize("name", ["BLEU", "Length"])
@pytest.mark.parametrize("case", MULTEVAL, ids=case_id)
def test_best_and_median_runs_agree(case: dict[str, Any], name: str) -> None:
    comparison, expected = compare_case(case), case["expect"][name]
    _, runs = last_system(comparison, name)
    outputs = list((comparison.runs or {}).values())[-1]
    scores = dict(zip(outputs, runs.scores, strict=True))
    assert scores[runs.median] == pytest.approx(expected["median"], rel=1e-9)
    if name == "BLEU":
        assert scores[runs.best or ""] == pytest.approx(expected["max"], rel=1e-9)


@pytest.mark.parametrize(("case", "name"), by_metric(MULTEVAL))
def test_spreads_over_segments_agree(case: dict[str, Any], name: str) -> None:
    _, runs = last_system(compare_case(case), name)
    expected = case["expect"][name]["s_sel"]
    # Of a standard deviation from B replicates, relative: about 1 / sqrt(2 B). Ours shares the
    # draws among runs; MultEval's mean is over runs and seeds with draws of their own.
    drawn = case["params"]["boot_samples"] * len(expected["seeds"]) * len(case["systems"][-1])
    error = sqrt(1 / (2 * SAMPLES) + 1 / (2 * drawn))
    assert runs.sd_of_segments == pytest.approx(expected["mean"], rel=4 * error)


@pytest.mark.parametrize(("case", "name"), by_metric(STRATIFIED))
def test_p_agrees_with_stratified_randomization_written_plainly(
    case: dict[str, Any], name: str
) -> None:
    shuffles = case["params"]["shuffles"]
    trials = shuffles if isinstance(shuffles, int) else shuffles[name]
    # Its `p` counts larger differences only; `p_with_ge` counts equal ones too, as ours does.
    assert_same_p(p_of(case, name), case["expect"][name]["p_with_ge"], trials)


@pytest.mark.parametrize("name", ["BLEU", "Length"])
@pytest.mark.parametrize("case", SINGLE_RUNS, ids=case_id)
def test_p_agrees_with_multeval_where_its_test_is_the_same(case: dict[str, Any], name: str) -> None:
    """With one run a permutation of runs does nothing; equal differences hardly occur here."""
    expected = case["expect"][name]["p"]
    trials = case["params"]["ar_shuffles"] * len(expected["seeds"])
    assert_same_p(p_of(case, name), expected["mean"], trials)


def test_multeval_calls_copies_different_and_we_do_not() -> None:
    (case,) = (case for case in WITH_BASELINE if case["systems"][1][0] == "sys2.opt0.txt")
    for name in METRICS:
        assert case["expect"][name]["p"]["max"] < 0.001
        assert case["expect"][name]["pooled_difference_to_baseline"] == 0
        assert p_of(case, name) == 1


def test_multevals_p_of_three_runs_is_too_small() -> None:
    (case,) = (case for case in WITH_BASELINE if case["systems"][1][0] == "sys1.opt0.txt")
    systems = tuple(tuple(names) for names in case["systems"])
    comparison = _compare(case["data"], tuple(case["refs"]), systems, ("Length",), 100_000)
    (pair,) = comparison.of("Length")
    expected = case["expect"]["Length"]["p"]["mean"]  # of as many shuffles
    assert pair.p - expected > 4 * sqrt(2) * pair.p_se


def p_of(case: dict[str, Any], metric: str) -> float:
    (found,) = compare_case(case).of(metric)
    return found.p


def assert_same_p(found: float, expected: float, trials: int) -> None:
    """Two p-values of SAMPLES and so many trials differ by 4 standard errors at most."""
    error = sqrt(expected * (1 - expected) * (1 / SAMPLES + 1 / trials))
    assert abs(found - expected) <= 4 * error + 1 / (SAMPLES + 1)


def test_the_golden_file_has_all_cases() -> None:
    assert (len(MULTEVAL), len(WITH_BASELINE), len(SINGLE_RUNS), len(STRATIFIED)) == (7, 5, 3, 5)
