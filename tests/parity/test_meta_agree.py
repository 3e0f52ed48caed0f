"""`agree` from end to end has the values of mt-metrics-eval and SciPy."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from tests.parity.cases import SHARED, all_cases
from truebleu.agreement.agree import agree
from truebleu.agreement.coefficients import parse_coefficient
from truebleu.corpus import read_test_set
from truebleu.human import read_human

if TYPE_CHECKING:
    from truebleu.agreement.agree import Agreement, TestName
    from truebleu.corpus import TestSet
    from truebleu.human import HumanScores, PairwiseJudgments

SETS = ("wmt21-en-de", "ted-mqm-en-de")
TEXT_METRICS = {"corpusBLEU": "bleu", "corpusChrF": "chrf", "corpusTER": "ter"}
LABELS = {"corpusBLEU": "BLEU", "corpusChrF": "chrF2", "corpusTER": "TER"}
SCORES = ("BLEU", "BLEU0", "chrF", "TER", "SYN")
NAMES = {"tau-a": "kendall-a", "chen-cherry-tau": "chen-cherry"}
# Intervals are not what these cases are about.
QUICK: dict[str, Any] = {"replicates": 40, "permutations": 1}


def cases(level: str, *metrics: str) -> list[dict[str, Any]]:
    return [
        case
        for case in all_cases("meta")
        if case["data"] in SETS
        and case["params"].get("level") == level
        and case["metric"] in metrics
        and "mask" not in case["params"]
        and case["params"].get("score", "BLEU") in (*SCORES, *TEXT_METRICS)
        # All pairs of all cells, in every replicate: tests/parity/test_meta_coefficients.py.
        and (case["params"].get("grouping"), case["params"].get("epsilon"))
        not in (("none", "calibrated"), ("sys", "calibrated"))
    ]


@cache
def inputs(name: str) -> tuple[TestSet, HumanScores | PairwiseJudgments]:
    folder = SHARED / "data" / name
    test_set = read_test_set(sorted((folder / "sys").iterdir()), [folder / "refA.txt"])
    human = read_human(
        folder / "human-mqm.tsv", systems=test_set.systems, segments=len(test_set), others="ignore"
    )
    return test_set, human


@cache
def by_text(name: str, correction: str = "none", test: TestName = "permutation") -> Agreement:
    questions = ["pearson"]
    if test == "permutation":
        questions += ["spearman", "kendall-b:level=system", "pairwise-accuracy"]
    return agree(
        *inputs(name),
        list(TEXT_METRICS.values()),
        coefficients=questions,
        correction=correction,
        # As the metrics tasks: one-sided, in the direction of the data.
        alternative="observed",
        test=test,
        replicates=40,
    )


@cache
def by_scores(name: str, score: str) -> Agreement:
    table = SHARED / "golden" / f"meta-scores-{name}.tsv"
    lower = ",higher_is_better=false" if score == "TER" else ""
    metric = f"scores:path={table},column={score},name={score}{lower}"
    asked = [question_of(case) for case in SEGMENT_CASES if case["params"]["score"] == score]
    questions = [*dict.fromkeys(asked), "soft-pairwise-accuracy"]
    return agree(*inputs(name), [metric], coefficients=questions, **QUICK)


def question_of(case: dict[str, Any]) -> str:
    params = case["params"]
    settings = [f"grouping={'system' if params['grouping'] == 'sys' else params['grouping']}"]
    settings += [
        f"{key}={params[key]}" for key in ("epsilon", "threshold", "average") if key in params
    ]
    # The tool counts items without a pair for kendall-like as 0 where it averages.
    if "count as 0" in params.values() or params.get("average") == "macro":
        settings.append("undefined=zero")
    return f"{NAMES.get(case['metric'], case['metric'])}:level=segment,{','.join(settings)}"


SYSTEM_CASES = [
    case
    for case in cases("system", "pearson", "spearman", "kendall-b", "pairwise-accuracy")
    if case["params"]["score"] in TEXT_METRICS
]
SEGMENT_CASES = [
    case
    for case in cases(
        "segment",
        "pearson",
        "spearman",
        "kendall-b",
        "kendall-c",
        "tau-a",
        "tau-10",
        "tau-13",
        "tau-14",
        "acc-eq",
        "tau-eq",
        "kendall-like",
        "chen-cherry-tau",
        "pairwise-difference-pearson",
    )
    if case["data"] == "wmt21-en-de"
]  # fmt: skip


def case_id(case: dict[str, Any]) -> str:
    return str(case["id"])


def test_there_are_cases() -> None:
    assert not SHARED.exists() or (len(SYSTEM_CASES) == 24 and len(SEGMENT_CASES) > 150)


@pytest.mark.parametrize("case", SYSTEM_CASES, ids=case_id)
def test_system_scores_of_texts_agree_as_other_tools_say(case: dict[str, Any]) -> None:
    answer = by_text(case["data"])[case["metric"]]
    value = answer[LABELS[case["params"]["score"]]].value
    assert value == pytest.approx(case["expect"]["value"], rel=1e-9)


@pytest.mark.parametrize("case", SEGMENT_CASES, ids=case_id)
def test_segment_scores_agree_as_other_tools_say(case: dict[str, Any]) -> None:
    answer = by_scores(case["data"], case["params"]["score"])
    metric = answer[parse_coefficient(question_of(case)).label].metrics[0]
    expected = case["expect"]["tau" if case["metric"] == "chen-cherry-tau" else "value"]
    if expected is None:
        assert (metric.value, metric.rank) == (None, None)
        assert metric.notes
    else:
        assert metric.value == pytest.approx(expected, rel=1e-9)
    if "groups" in case["expect"] and "undefined_groups" not in case["params"]:
        assert metric.groups == case["expect"]["groups"]


PAIR_CASES = [
    case
    for case in cases("system", "perm-both")
    if case["params"].get("better") in TEXT_METRICS
    and case["params"].get("worse") in TEXT_METRICS
    # Of these, `agree` compares studentized differences: plain ones reject too often.
    and case["params"]["statistic"] != "pearson"
]


@pytest.mark.parametrize("case", PAIR_CASES, ids=case_id)
def test_metrics_are_tested_by_all_permutations_of_their_system_scores(
    case: dict[str, Any],
) -> None:
    better, worse = (LABELS[case["params"][side]] for side in ("better", "worse"))
    answer = by_text(case["data"])[case["params"]["statistic"]]
    # Of equal values the first by name is taken for the better one.
    pairs = {(pair.better, pair.worse): pair for pair in answer.pairs}
    pair = pairs.get((better, worse)) or pairs[worse, better]
    assert pair.p == pytest.approx(case["expect"]["p_exact"], abs=1e-9)
    assert (pair.exact, pair.permutations) == (True, case["expect"]["swaps"])


@pytest.mark.parametrize(
    "case",
    [c for c in cases("system", "williams") if set(c["params"]["scores"]) <= set(TEXT_METRICS)],
    ids=case_id,
)
def test_williams_test_is_the_one_of_other_tools(case: dict[str, Any]) -> None:
    answer = by_text(case["data"], test="williams")["pearson"]
    names = {LABELS[score] for score in case["params"]["scores"]}
    (pair,) = [pair for pair in answer.pairs if {pair.better, pair.worse} == names]
    assert pair.p == pytest.approx(case["expect"]["p_one_sided"], rel=1e-9)


SOFT_CASES = [
    case for case in cases("system", "soft-pairwise-accuracy") if case["data"] == "wmt21-en-de"
]


@pytest.mark.parametrize("case", SOFT_CASES, ids=case_id)
def test_soft_pairwise_accuracy_is_near_its_limit(case: dict[str, Any]) -> None:
    answer = by_scores(case["data"], case["params"]["score"])["soft-pairwise-accuracy"]
    # 100,000 draws have a tenth of the spread that the tool's 1,000 have.
    spread = case["expect"]["sd"] / 10
    assert answer.metrics[0].value == pytest.approx(case["expect"]["limit"], abs=4 * spread + 5e-4)
