"""How sure an agreement is, against mt-metrics-eval, SciPy and plain implementations of the papers.

Values without chance agree to 1e-9. A sampled p-value lies within four standard errors, and 0.002,
of what it tends to, as ../shared/golden/meta-README.md has it.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from math import nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.parity.cases import SHARED, all_cases, case_id, lines_of
from truebleu import _core
from truebleu.agreement.agree import AgreeSettings, choose_test
from truebleu.agreement.coefficients import (
    Coefficient,
    calibrate_ties,
    coefficient,
    measure,
    paired_permutations,
    rated_cells,
    soft_pairwise_accuracy,
)
from truebleu.agreement.tests import (
    pair_permutation_test,
    permutation_test,
    rank_clusters,
    rank_metrics,
    soft_pairwise_test,
    williams_test,
    williams_test_of_correlations,
)
from truebleu.resampling import Swaps

if TYPE_CHECKING:
    from truebleu.agreement.tests import MetricTest
    from truebleu.resampling import Values
    from truebleu.schema import Alternative

Case = dict[str, Any]

EXACT = 1e-9
DRAWS = 1000
SYSTEM_METRICS = ("corpusBLEU", "corpusChrF", "corpusTER", "eq13BLEU")
SEGMENT_METRICS = ("BLEU", "BLEU0", "chrF", "TER", "SYN", "SYN2")


def cases(metric: str, *, level: str | None = None, inline: bool = False) -> list[Case]:
    return [
        case
        for case in all_cases("meta")
        if case["metric"] == metric
        and inline == (not isinstance(case["data"], str))
        and (level is None or case["params"].get("level") == level)
    ]


def tolerance(p: float, draws: int) -> float:
    return 4 * sqrt(p * (1 - p) / draws) + 0.002


@cache
def table(name: str) -> tuple[list[str], dict[str, list[str]]]:
    heading, *lines = (SHARED / "golden" / name).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    columns = heading.split("\t")
    return columns, {column: [row[i] for row in rows] for i, column in enumerate(columns)}


@cache
def systems(data: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(table(f"meta-scores-{data}.tsv")[1]["system"]))


@cache
def human(data: str) -> Values:
    rows = [line.split("\t") for line in lines_of(f"{data}/human-mqm.tsv")[1:]]
    scores = {(row[0], int(row[1])): row[2] for row in rows}
    segments = range(1, 1 + max(segment for _, segment in scores))
    return np.array([[number(scores[system, i]) for i in segments] for system in systems(data)])


def number(score: str) -> float:
    return nan if score == "None" else float(score)


def segment_scores(data: str, name: str, negate: bool = False) -> Values:
    column = np.array(table(f"meta-scores-{data}.tsv")[1][name], dtype=np.float64)
    return column.reshape(len(systems(data)), -1) * (-1 if negate else 1)


def system_scores(name: str, column: str, negate: bool = False) -> Values:
    return np.array(table(name)[1][column], dtype=np.float64) * (-1 if negate else 1)


def two_metrics(case: Case, first: str, second: str) -> tuple[Values, Values, Values]:
    """The human scores of a case and those of two metrics, by system or by segment."""
    params, data = case["params"], case["data"]
    negated = params["negate"]
    if "table" in params:
        scores = [system_scores(params["table"], n, n in negated) for n in (first, second)]
        return system_scores(params["table"], "human"), scores[0], scores[1]
    scores = [segment_scores(data, name, name in negated) for name in (first, second)]
    return human(data), scores[0], scores[1]


def measure_of(params: Case) -> Coefficient:
    return coefficient(
        params["statistic"],
        grouping=params.get("grouping", "none"),
        level=params.get("level", "segment"),
    )


@pytest.mark.usefixtures("shared")
def test_all_cases_are_there() -> None:
    counts = Counter(case["metric"] for case in all_cases("meta"))
    assert (counts["soft-pairwise-accuracy"], counts["paired-permutation-p"]) == (11, 3)
    assert (counts["perm-both"], counts["perm-pairs"]) == (79, 10)
    assert (counts["williams"], counts["rank-clusters"], counts["system-clusters"]) == (19, 16, 6)


@pytest.mark.parametrize("case", cases("soft-pairwise-accuracy", inline=True), ids=case_id)
def test_soft_pairwise_accuracy_by_all_permutations(case: Case) -> None:
    people, metric = (np.array(case["data"][side], dtype=float) for side in ("human", "metric"))
    accuracy = soft_pairwise_accuracy(people, {"metric": metric})["metric"]
    assert accuracy.value == pytest.approx(case["expect"]["value"], abs=EXACT)
    permuted = paired_permutations(np.stack([people, metric]), rated_cells(people), Swaps())
    assert permuted.exact
    p_values = permuted.p_values
    assert p_values[0] == pytest.approx(case["expect"]["human_p"], abs=EXACT)
    assert p_values[1] == pytest.approx(case["expect"]["metric_p"], abs=EXACT)


@pytest.mark.parametrize("case", cases("soft-pairwise-accuracy"), ids=case_id)
def test_soft_pairwise_accuracy_by_random_permutations(case: Case) -> None:
    params, expected = case["params"], case["expect"]
    metric = segment_scores(case["data"], params["score"], params.get("negate", False))
    assert list(systems(case["data"])) == params["systems"]
    people = human(case["data"])
    accuracy = soft_pairwise_accuracy(people, {"metric": metric})["metric"]
    assert accuracy.value is not None
    # Its 100,000 draws have a tenth of the spread of the tool's 1,000, and the limit has less.
    assert accuracy.value == pytest.approx(expected["limit"], abs=4 * expected["sd"] / 10 + 5e-4)
    assert expected["min"] < accuracy.value < expected["max"]
    draws = 20_000
    rated = rated_cells(people)
    scores = np.where(rated, metric, 0.0)[np.newaxis]
    p_values = paired_permutations(scores, rated, Swaps(replicates=draws)).p_values[0]
    for p, limit in zip(p_values, expected["metric_p_limit"], strict=True):
        assert p == pytest.approx(limit, abs=tolerance(limit, draws))


@pytest.mark.parametrize("case", cases("paired-permutation-p", inline=True), ids=case_id)
def test_a_copy_has_p_1(case: Case) -> None:
    scores = np.array(case["data"]["scores"], dtype=float)
    found = paired_permutations(scores[np.newaxis], rated_cells(scores), Swaps())
    assert found.p_values.tolist() == [[case["expect"]["value"]]]


@pytest.mark.parametrize("case", cases("paired-permutation-p"), ids=case_id)
def test_paired_permutation_p_values(case: Case) -> None:
    scores = human(case["data"])
    rated = rated_cells(scores)
    draws = 20_000
    swaps = Swaps(replicates=draws)
    found = paired_permutations(np.where(rated, scores, 0.0)[np.newaxis], rated, swaps)
    names = systems(case["data"])
    assert [[names[a], names[b]] for a, b in found.pairs] == case["expect"]["pairs"]
    for p, limit in zip(found.p_values[0], case["expect"]["limit"], strict=True):
        assert p == pytest.approx(limit, abs=tolerance(limit, draws))


@pytest.mark.parametrize("case", cases("perm-both", inline=True), ids=case_id)
def test_permutations_of_four_systems(case: Case) -> None:
    data, expected = case["data"], case["expect"]
    scores = [data[name] for name in ("human", "metric1", "metric2")]
    by = measure_of(case["params"])
    tested = permutation_test(scores[0], scores[1], scores[2], by, alternative="greater")
    assert tested.exact
    assert tested.difference == pytest.approx(expected["delta"], abs=EXACT)
    assert tested.p == pytest.approx(expected["p_exact"], abs=EXACT)
    other = permutation_test(scores[0], scores[1], scores[2], by, alternative="less")
    assert other.p == pytest.approx(expected["p_exact_metric1_better"], abs=EXACT)


@pytest.mark.parametrize(
    "case",
    [
        case
        for case in cases("perm-both", level="system")
        if case["params"]["statistic"] != "soft-pairwise-accuracy"
    ],
    ids=case_id,
)
def test_permutations_of_system_scores(case: Case) -> None:
    params, expected = case["params"], case["expect"]
    scores = two_metrics(case, params["worse"], params["better"])
    tested = permutation_test(*scores, measure_of(params), alternative="greater")
    assert (tested.exact, tested.permutations) == (True, expected["swaps"])
    assert tested.difference == pytest.approx(expected["delta"], abs=EXACT)
    assert tested.p == pytest.approx(expected["p_exact"], abs=EXACT)


@pytest.mark.parametrize("case", cases("perm-both", level="segment"), ids=case_id)
def test_permutations_of_segment_scores(case: Case) -> None:
    params, expected = case["params"], case["expect"]
    scores = two_metrics(case, params["metric1"], params["metric2"])
    # Kendall's over all cells takes longest, and its limit is known least.
    draws = DRAWS if params["statistic"] == "kendall-b" else 2 * DRAWS
    tested = permutation_test(
        *scores, measure_of(params), alternative="greater", permutations=draws
    )
    assert tested.difference == pytest.approx(expected["delta"], abs=EXACT)
    require_near(tested, expected, draws)


@pytest.mark.parametrize(
    "case",
    [
        case
        for case in cases("perm-both", level="system")
        if case["params"]["statistic"] == "soft-pairwise-accuracy"
    ],
    ids=case_id,
)
def test_permutations_for_soft_pairwise_accuracy(case: Case) -> None:
    params, expected = case["params"], case["expect"]
    scores = two_metrics(case, params["metric1"], params["metric2"])
    tested = soft_pairwise_test(*scores, alternative="greater", permutations=200)
    # The tool's accuracies have 1,000 permutations: comparisons need about 0.01 for that.
    assert tested.difference == pytest.approx(expected["delta"], abs=0.01)
    assert tested.p is not None
    limit = expected["own_k1000"]["mean"]
    assert tested.p == pytest.approx(limit, abs=tolerance(limit, 200))


@pytest.mark.parametrize("case", cases("perm-pairs"), ids=case_id)
def test_permutations_of_pair_outcomes(case: Case) -> None:
    params, expected = case["params"], case["expect"]
    scores = two_metrics(case, params["metric1"], params["metric2"])
    found = pair_permutation_test(*scores, alternative="greater")
    assert (found.exact, found.method) == (True, "pairs")
    assert found.difference == pytest.approx(expected["delta"], abs=EXACT)
    assert found.p == pytest.approx(expected["p_exact"], abs=EXACT)
    epsilons = []
    for number in (1, 2):
        ties = calibrate_ties(scores[0], scores[number])
        assert ties is not None
        if ties.unique:
            assert ties.epsilon == pytest.approx(expected[f"epsilon{number}"], abs=EXACT)
        epsilons.append(ties.epsilon)
    ((cells, groups, only1, only2),) = _core.Cells(*scores).pair_outcomes(
        grouping="item", epsilons=(epsilons[0], epsilons[1])
    )
    assert groups * cells * (cells - 1) // 2 == expected["pairs"]
    assert (only1, only2) == (expected["only_metric1_right"], expected["only_metric2_right"])


def require_near(found: MetricTest, expected: Case, draws: int) -> None:
    """A sampled p-value near what others found by sampling, the observed counted as a draw."""
    assert found.p is not None
    limits = [expected[name] for name in ("p_k20000", "p_k10000") if name in expected]
    # The limit of Kendall's is known from a few runs of the tool only.
    limit = limits[0] if limits else expected["tool_k1000"]["mean"]
    assert found.p == pytest.approx(limit, abs=tolerance(limit, draws))


@pytest.mark.parametrize("case", cases("williams", inline=True), ids=case_id)
def test_williams_test_of_given_correlations(case: Case) -> None:
    data = case["data"]
    correlations = (data["r12"], data["r13"], data["r23"], data["n"])
    # The tool's one-sided p-value is that of the metric that correlates better.
    side: Alternative = "less" if data["r12"] > data["r13"] else "greater"
    one_sided = williams_test_of_correlations(*correlations, alternative=side)
    two_sided = williams_test_of_correlations(*correlations, alternative="two-sided")
    assert one_sided.p == pytest.approx(case["expect"]["p_one_sided"], abs=EXACT)
    assert two_sided.p == pytest.approx(case["expect"]["p_two_sided"], abs=EXACT)


@pytest.mark.parametrize("case", cases("williams"), ids=case_id)
def test_williams_test_of_scores(case: Case) -> None:
    expected = case["expect"]
    scores = two_metrics(case, *case["params"]["scores"])
    side: Alternative = "less" if expected["r1"] > expected["r2"] else "greater"
    tested = williams_test(*scores, alternative=side)
    assert tested.difference == pytest.approx(expected["r2"] - expected["r1"], abs=EXACT)
    assert tested.p == pytest.approx(expected["p_one_sided"], abs=EXACT)
    two_sided = williams_test(*scores, alternative="two-sided")
    assert two_sided.p == pytest.approx(expected["p_two_sided"], abs=EXACT)
    correlations = (expected["r1"], expected["r2"], expected["r12"], expected["n"])
    given = williams_test_of_correlations(*correlations, alternative=side)
    assert given.p == pytest.approx(tested.p, abs=EXACT)


@pytest.mark.parametrize("case", cases("rank-clusters", inline=True), ids=case_id)
def test_rank_clusters_of_given_p_values(case: Case) -> None:
    ranks = rank_clusters(case["data"]["p"], case["params"]["alpha"])
    assert ranks == case["expect"]["ranks"]


@pytest.mark.parametrize("case", cases("rank-clusters"), ids=case_id)
def test_rank_clusters_of_metrics(case: Case) -> None:
    params, expected, data = case["params"], case["expect"], case["data"]
    if params["level"] == "system":
        name = f"meta-sys-{data}.tsv"
        people: Values = system_scores(name, "human")
        scores = {one: system_scores(name, one, one == "corpusTER") for one in SYSTEM_METRICS}
        by = measure_of(params)

        def test(better: str, worse: str) -> MetricTest:
            # PERM-BOTH itself: `agree` compares correlations in standard errors.
            return permutation_test(
                people, scores[worse], scores[better], by, unit="system", alternative="greater"
            )

    else:
        people = human(data)
        scores = {one: segment_scores(data, one, one == "TER") for one in SEGMENT_METRICS}
        by = coefficient("acc-eq:calibrated", grouping="item")
        settings = AgreeSettings(alternative="observed", permute="pairs")
        test, _ = choose_test(people, scores, by, settings)  # type: ignore[assignment]
    values = {score: measure(people, scores[score], by).value for score in scores}
    ranking = rank_metrics(values, test)
    assert [values[name] for name in ranking[0]] == pytest.approx(expected["values"], abs=EXACT)
    # Metrics of equal value may stand in any order.
    theirs = dict(zip(expected["order"], expected["ranks"], strict=True))
    assert ranking[0] == theirs
    if params["level"] == "system":
        assert list(ranking[0]) == expected["order"]
    places = {name: place for place, name in enumerate(expected["order"])}
    for pair in ranking[1]:
        first, second = sorted((places[pair.better], places[pair.worse]))
        assert pair.p == pytest.approx(expected["p"][first][second], abs=EXACT)
