"""Coefficients of agreement against mt-metrics-eval, SciPy and the papers' equations."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.parity.cases import all_cases, case_id
from tests.parity.meta import GROUPINGS, meta_cases, segment_scores, system_scores
from truebleu import SentenceBLEU
from truebleu.agreement.coefficients import (
    MetricAgreement,
    PairCounts,
    calibrate_ties,
    coefficient,
    count_pairs,
    measure,
    value_of_counts,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from truebleu.agreement.coefficients import Grouping

CORRELATIONS = ("pearson", "spearman", "kendall-b", "kendall-c")
TAUS = ("tau-a", "tau-10", "tau-13", "tau-14", "tau-eq", "acc-eq")
SEGMENT = meta_cases(
    *CORRELATIONS, *TAUS, "pairwise-difference-pearson", "kendall-like", level="segment"
)
CHEN_CHERRY = meta_cases("chen-cherry-tau", level="segment")
SYSTEM = meta_cases(*CORRELATIONS, "pairwise-accuracy", level="system")
WORKED = meta_cases(
    *("pair-statistics", "grouped-statistics", "kendall-like", "pairwise-accuracy"),
    "document-bleu-eq13",
)
SETTINGS = {"level", "score", "grouping", "negate", "mask"}


def exactly(value: float | None) -> Any:
    """What equals the value to the digits that are given; undefined equals undefined only."""
    return None if value is None else pytest.approx(value, rel=1e-9, abs=1e-11)


def matrix(values: list[Any]) -> NDArray[np.float64]:
    """Numbers as an array, null as NaN."""
    return np.array(values, dtype=np.float64)


def added(counts: Iterable[PairCounts]) -> PairCounts:
    return PairCounts(*map(sum, zip(*counts, strict=True)))


def grouping_of(case: dict[str, Any]) -> Grouping:
    return GROUPINGS[case["params"]["grouping"]]


def measured(case: dict[str, Any]) -> MetricAgreement:
    params = case["params"]
    known = {"epsilon", "threshold", "average", "undefined_groups", *SETTINGS}
    assert params.keys() <= known
    by = coefficient(
        case["metric"], epsilon=params.get("epsilon"), threshold=params.get("threshold")
    )
    as_zero = params.get("undefined_groups") == "count as 0"
    # The tool counts items without a pair as 0 in the macro average of Kendall-like.
    as_zero |= case["metric"] == "kendall-like" and params.get("average") == "macro"
    return measure(
        *segment_scores(case, params["score"]),
        by,
        grouping=grouping_of(case),
        average=params.get("average"),
        undefined="zero" if as_zero else "leave-out",
    )


@pytest.mark.usefixtures("shared")
def test_every_case_about_a_coefficient_is_tested() -> None:
    statistics = {case["metric"] for case in (*SEGMENT, *SYSTEM, *CHEN_CHERRY, *WORKED)}
    cases = [case for case in all_cases("meta") if case["metric"] in statistics]
    assert len(cases) == len(SEGMENT) + len(SYSTEM) + len(CHEN_CHERRY) + len(WORKED)
    # The others are counted one by one in test_meta_significance.py and test_meta_mqm.py.
    others = Counter(
        case["metric"] for case in all_cases("meta") if case["metric"] not in statistics
    )
    assert others == {
        "perm-both": 79,
        "perm-pairs": 10,
        "williams": 19,
        "rank-clusters": 16,
        "system-clusters": 6,
        "soft-pairwise-accuracy": 11,
        "paired-permutation-p": 3,
        "mqm-scores": 3,
    }


@pytest.mark.parametrize("case", SEGMENT, ids=case_id)
def test_segment_level_values_agree(case: dict[str, Any]) -> None:
    expect = case["expect"]
    found = measured(case)
    assert found.value == exactly(expect["value"])
    if "groups" in expect:
        assert found.groups == expect["groups"]
    if "thresholds" in expect:
        human, metric = segment_scores(case, case["params"]["score"])
        micro = case["params"].get("average") == "micro"
        ties = calibrate_ties(human, metric, grouping=grouping_of(case), micro=micro)
        assert ties is not None
        assert ties.unique is expect["unique"]
        assert found.epsilon == ties.epsilon == expect["epsilon"]
        assert ties.below == expect["epsilon_below"]
        at_0 = measure(human, metric, "acc-eq", grouping=grouping_of(case))
        assert at_0.value == exactly(expect["value_at_0"])


@pytest.mark.parametrize("case", CHEN_CHERRY, ids=case_id)
def test_the_tau_of_chen_and_cherry_agrees(case: dict[str, Any]) -> None:
    expect = case["expect"]
    human, metric = segment_scores(case, case["params"]["score"])
    grouping = grouping_of(case)
    found = measure(human, metric, "chen-cherry", grouping=grouping)
    assert found.value == exactly(expect["tau"])
    assert_chen_cherry_counts(count_pairs(human, metric, grouping=grouping), expect)


def assert_chen_cherry_counts(counts: PairCounts, expect: dict[str, Any]) -> None:
    assert counts.concordant == expect["concordant"]
    assert counts.discordant == expect["discordant"]
    assert counts.metric_ties == expect["metric_ties"]
    assert counts.human_ties + counts.both_ties == expect["human_ties_removed"]


@pytest.mark.parametrize("case", SYSTEM, ids=case_id)
def test_system_level_values_agree(case: dict[str, Any]) -> None:
    expect = case["expect"]
    name = case["metric"]
    sets = [case["data"]] if isinstance(case["data"], str) else case["data"]
    vectors = [system_scores(case, data) for data in sets]
    if name == "pairwise-accuracy":
        counts = added(count_pairs(*pair) for pair in vectors)
        assert counts.concordant + counts.both_ties == expect["agree"]
        assert counts.total == expect["pairs"]
        assert value_of_counts("acc-eq", counts) == exactly(expect["value"])
        if len(vectors) == 1:
            assert measure(*vectors[0], name).value == value_of_counts("acc-eq", counts)
        return
    [(human, metric)] = vectors
    assert len(human) == expect["n"]
    assert measure(human, metric, name).value == exactly(expect["value"])


@pytest.mark.parametrize("case", meta_cases("pair-statistics"), ids=case_id)
def test_worked_pairs_agree(case: dict[str, Any]) -> None:
    human, metric = matrix(case["data"]["human"]), matrix(case["data"]["metric"])
    expect = dict(case["expect"])
    classes = ("concordant", "discordant", "ties_human_only", "ties_metric_only", "ties_both")
    assert count_pairs(human, metric) == tuple(expect.pop(name) for name in classes)
    calibrated = measure(human, metric, "acc-eq:calibrated")
    assert calibrated.value == exactly(expect.pop("acc-eq-calibrated"))
    assert calibrated.epsilon == exactly(expect.pop("epsilon"))
    for name, value in expect.items():
        found = measure(human, metric, name)
        assert found.value == exactly(value), name
        assert (found.reason is None) == (value is not None), name


@pytest.mark.parametrize("case", meta_cases("grouped-statistics"), ids=case_id)
def test_worked_matrices_agree(case: dict[str, Any]) -> None:
    human, metric = matrix(case["data"]["human"]), matrix(case["data"]["metric"])
    grouping = grouping_of(case)
    expect = dict(case["expect"])
    chen_cherry = expect.pop("chen-cherry-tau", None)
    if chen_cherry is not None:
        found = measure(human, metric, "chen-cherry", grouping=grouping)
        assert found.value == exactly(chen_cherry["tau"])
        assert_chen_cherry_counts(count_pairs(human, metric, grouping=grouping), chen_cherry)
    for name, value in expect.items():
        options: dict[str, Any] = {}
        stem, _, option = name.partition(" ")
        if option == "micro":
            options["average"] = "micro"
        elif option == "undefined=0":
            options["undefined"] = "zero"
        else:
            assert not option
        stem = stem.replace("kendall-like@", "kendall-like:")
        stem = stem.replace("acc-eq-calibrated", "acc-eq:calibrated")
        found = measure(human, metric, stem, grouping=grouping, **options)
        assert found.value == exactly(value["value"]), name
        assert (found.reason is None) == (value["value"] is not None), name
        if "epsilon" in value:
            assert found.epsilon == exactly(value["epsilon"])
        elif stem in (*CORRELATIONS, *TAUS) and option != "micro" and "weight" in value:
            assert found.groups == value["weight"]


@pytest.mark.parametrize(
    "case", [case for case in meta_cases("kendall-like") if "human" in case["data"]], ids=case_id
)
def test_worked_kendall_like_agrees(case: dict[str, Any]) -> None:
    human, metric = matrix(case["data"]["human"]), matrix(case["data"]["metric"])
    expect, threshold = case["expect"], case["params"]["threshold"]
    value = measure(human, metric, coefficient("kendall-like", threshold=threshold)).value
    assert value == exactly(expect["value"])


@pytest.mark.parametrize("case", meta_cases("pairwise-accuracy"), ids=case_id)
def test_worked_pairwise_accuracy_agrees(case: dict[str, Any]) -> None:
    sets = case["data"].get("sets", [case["data"]])
    counts = added(count_pairs(test_set["human"], test_set["metric"]) for test_set in sets)
    assert counts.concordant + counts.both_ties == case["expect"]["agree"]
    assert counts.total == case["expect"]["pairs"]
    assert value_of_counts("acc-eq", counts) == exactly(case["expect"]["value"])


@pytest.mark.parametrize("case", meta_cases("document-bleu-eq13"), ids=case_id)
def test_the_document_score_of_chen_and_cherry_weighs_segments_by_length(
    case: dict[str, Any],
) -> None:
    lengths, scores = case["data"]["ref_len"], case["data"]["bleu"]
    rows = [[n * score, n, score, 1] for n, score in zip(lengths, scores, strict=True)]
    sums = np.array(rows, dtype=np.float64).sum(axis=0)
    assert SentenceBLEU().score(sums) == exactly(case["expect"]["value"])
