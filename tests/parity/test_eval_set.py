"""Agreement in whole evaluation sets, against mt-metrics-eval and plain definitions.

Values without draws agree to 1e-9; a sampled p-value lies within four standard errors, and 0.002.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.parity.cases import SHARED, all_cases, case_id
from truebleu import _core
from truebleu.agreement.agree import agree, leaderboard, stored_human_scores
from truebleu.agreement.coefficients import calibrate_ties, coefficient, measure_metrics
from truebleu.agreement.data import AgreementData, agreement_data
from truebleu.agreement.tests import (
    pair_permutation_test,
    permutation_test,
    rank_metrics,
    sign_test,
    soft_pairwise_test,
    williams_test,
)
from truebleu.counts.inputs import count_evaluation_set
from truebleu.scores.evaluation_set import EvaluationSet

if TYPE_CHECKING:
    from truebleu.agreement.coefficients import Coefficient
    from truebleu.agreement.tests import MetricTest
    from truebleu.schema import Alternative

Case = dict[str, Any]

FOLDER = SHARED / "data" / "wmt23-eval-set"
EXACT = 1e-9
VALUES = (
    "pearson", "spearman", "kendall-b", "kendall-c", "tau-eq", "acc-eq", "kendall-like",
    "pairwise-accuracy", "pairwise-difference-pearson",
)  # fmt: skip
LEVELS = {"sys": "system", "seg": "segment"}
GROUPINGS = {"none": "none", "item": "item", "sys": "system"}


def cases(*metrics: str) -> list[Case]:
    return [case for case in all_cases("eval-set") if case["metric"] in metrics]


@cache
def read(lp: str, gold: str, references: tuple[str, ...], humans: bool) -> EvaluationSet:
    return EvaluationSet.read(FOLDER, lp, references=references, human=gold, humans=humans)


def evaluation_set(case: Case) -> EvaluationSet:
    lp = case["data"].removeprefix("wmt23/")
    return read(lp, case["gold"], tuple(case["refs"]), case["human_systems"])


def scores(case: Case) -> AgreementData:
    """The scores of a case's systems, of one domain if it names one."""
    found = evaluation_set(case)
    counts = count_evaluation_set(found, human=False)
    data = agreement_data(counts, stored_human_scores(found))
    domain = case["params"].get("domain")
    if domain is None:
        return data
    domains = np.array(found.outline.domains)
    return data.part(np.flatnonzero(domains == domain))


def statistic(case: Case) -> Coefficient:
    params = case["params"]
    return coefficient(
        params.get("coefficient", case["metric"]),
        level=LEVELS[params.get("level", "seg")],
        grouping=GROUPINGS[params.get("grouping", "none")],
        epsilon=params.get("epsilon") or None,
        threshold=params.get("threshold"),
        average=params.get("average"),
    )


def value_of(expected: Any) -> float:
    return float(expected["value"] if isinstance(expected, dict) else expected)


@pytest.mark.usefixtures("shared")
def test_all_cases_are_there() -> None:
    counts = Counter(case["metric"] for case in all_cases("eval-set"))
    assert sum(counts.values()) == 223
    assert (counts["perm-both"], counts["perm-pairs"], counts["williams"]) == (46, 16, 16)
    assert (counts["spa"], counts["task-average"], counts["clusters"]) == (14, 6, 4)


@pytest.mark.parametrize("case", cases("pearson"), ids=case_id)
def test_the_same_systems_are_compared(case: Case) -> None:
    assert sorted(evaluation_set(case).outline.systems) == sorted(case["systems"])
    assert {scores.name for scores in evaluation_set(case).metrics} == set(case["expect"])


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(
    ("lp", "reference", "systems"),
    [("he-en", "refB", 13), ("en-de", "refA", 12)],
)
def test_the_choice_without_options_is_the_tasks(lp: str, reference: str, systems: int) -> None:
    found = EvaluationSet.read(FOLDER, lp)
    assert found.texts.reference_names == (reference,)
    assert (found.human.name, len(found.outline.systems)) == ("mqm", systems)


@pytest.mark.parametrize("case", cases(*VALUES), ids=case_id)
def test_coefficients(case: Case) -> None:
    values = measure_metrics(scores(case), statistic(case), seed=0)
    expected = {name: value_of(value) for name, value in case["expect"].items()}
    assert {name: value.value for name, value in values.items()} == pytest.approx(
        expected, abs=EXACT
    )


@pytest.mark.parametrize("case", cases("spa"), ids=case_id)
def test_soft_pairwise_accuracy(case: Case) -> None:
    values = measure_metrics(scores(case), coefficient("spa", level="system"), seed=1)
    for name, expected in case["expect"].items():
        assert values[name].value == pytest.approx(expected["limit"], abs=0.001)


def swapped(case: Case, **options: Any) -> MetricTest:
    """The one-sided test of a case's two metrics by swapping scores."""
    data, params = scores(case), case["params"]
    pair = params["metric1"], params["metric2"]
    first, second = (data.systems[name] for name in pair)
    options["alternative"] = "greater"
    if params["coefficient"] != "spa" and params["level"] == "sys":
        options["unit"] = "system"
        return permutation_test(data.people.means, first, second, statistic(case), **options)
    assert data.human is not None
    first, second = (data.items[name] for name in pair)
    if params["coefficient"] == "spa":
        return soft_pairwise_test(data.human, first, second, **options)
    return permutation_test(data.human, first, second, statistic(case), **options)


EXACT_SWAPS = [case for case in cases("perm-both") if "p_exact" in case["expect"]]
SAMPLED_SWAPS = [case for case in cases("perm-both") if "p_exact" not in case["expect"]]


@pytest.mark.parametrize("case", EXACT_SWAPS, ids=case_id)
def test_all_swaps_of_systems(case: Case) -> None:
    expected = case["expect"]
    test = swapped(case, permutations=expected.get("outcomes", 8192))
    assert test.exact
    assert test.difference == pytest.approx(expected["delta"], abs=EXACT)
    assert test.p == pytest.approx(expected["p_exact"], abs=EXACT)


@pytest.mark.slow
@pytest.mark.parametrize("case", SAMPLED_SWAPS, ids=case_id)
def test_sampled_swaps_of_segments(case: Case) -> None:
    expected, draws = case["expect"], case["params"]["k"]
    test = swapped(case, permutations=draws, seed=1)
    p_values = np.atleast_1d(expected["tool_p"])
    p = float(p_values.mean())
    spread = sqrt(max(p * (1 - p), 1 / draws) * (1 + 1 / len(p_values)) / draws)
    assert test.p == pytest.approx(p, abs=4 * spread + 0.002)
    if case["params"]["coefficient"] == "pearson":
        assert test.difference == pytest.approx(expected["delta"], abs=EXACT)


def calibrated(case: Case, metric: str) -> tuple[float, bool]:
    """The tie threshold of the tool, and whether it is the only one with the best accuracy."""
    name = f"{case['data'].removeprefix('wmt23/')}/std/seg-acc-eq-calibrated"
    (values,) = (other["expect"] for other in cases("acc-eq") if other["id"] == name)
    data = scores(case)
    ties = calibrate_ties(np.asarray(data.human), data.items[metric])
    assert ties is not None
    return values[metric]["epsilon_tool"], ties.unique


@pytest.mark.parametrize("case", cases("perm-pairs"), ids=case_id)
def test_signs_of_pairs(case: Case) -> None:
    data, params, expected = scores(case), case["params"], case["expect"]
    assert data.human is not None
    names = params["metric1"], params["metric2"]
    metrics = [data.items[name] for name in names]
    test = pair_permutation_test(data.human, metrics[0], metrics[1], alternative="greater")
    assert test.exact
    assert test.difference == pytest.approx(expected["delta"], abs=EXACT)
    # Of thresholds with the same accuracy, another one has other pairs right.
    thresholds = [calibrated(case, name) for name in names]
    cells = _core.Cells(data.human, *metrics)
    ((_, _, only1, only2),) = cells.pair_outcomes(
        grouping="item", epsilons=(thresholds[0][0], thresholds[1][0])
    )
    assert (only1, only2) == (expected["only_metric1_right"], expected["only_metric2_right"])
    assert sign_test(only1, only2, "greater") == approximately(expected["p_exact"])
    if all(unique for _, unique in thresholds):
        assert test.p == approximately(expected["p_exact"])


def approximately(p: float) -> Any:
    return pytest.approx(p, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("case", cases("williams"), ids=case_id)
def test_williams(case: Case) -> None:
    data, params, expected = scores(case), case["params"], case["expect"]
    metrics = [data.systems[params[name]] for name in ("metric1", "metric2")]
    better: Alternative = "greater" if expected["r2"] > expected["r1"] else "less"
    test = williams_test(data.people.means, *metrics, alternative=better)
    assert test.p == pytest.approx(expected["p"], abs=EXACT)


@pytest.mark.parametrize("case", cases("clusters"), ids=case_id)
def test_clusters(case: Case) -> None:
    data, expected = scores(case), case["expect"]
    by = statistic(case)

    def test(better: str, worse: str) -> MetricTest:
        if by.level == "segment":
            assert data.human is not None
            items = data.items
            return pair_permutation_test(
                data.human, items[worse], items[better], alternative="greater"
            )
        options: Any = {"unit": "system", "alternative": "greater", "permutations": 8192}
        first, second = data.systems[worse], data.systems[better]
        return permutation_test(data.people.means, first, second, by, **options)

    values = {name: value.value for name, value in measure_metrics(data, by, 0).items()}
    ranks, pairs = rank_metrics(values, test)
    assert ranks == dict(zip(expected["order"], expected["ranks"], strict=True))
    order, segments = expected["order"], by.level == "segment"
    unique = {name: not segments or calibrated(case, name)[1] for name in order}
    compared = 0
    for pair in pairs:
        i, j = order.index(pair.better), order.index(pair.worse)
        if i < j and unique[pair.better] and unique[pair.worse]:
            assert pair.p == approximately(expected["p"][i][j])
            compared += 1
    assert compared >= 10


@cache
def task_agreement(lp: str, task: str) -> Any:
    return agree(FOLDER, lp=lp, task=task, replicates=40, permutations=2, seed=4)


@pytest.mark.slow
@pytest.mark.parametrize("case", cases("task-average"), ids=case_id)
def test_averages_over_tasks(case: Case) -> None:
    task = case["params"]["task_set"].lower()
    pairs = case["data"] if isinstance(case["data"], list) else [case["data"]]
    rows = leaderboard([task_agreement(name.removeprefix("wmt23/"), task) for name in pairs])
    # Soft pairwise accuracy is sampled.
    tolerance = EXACT if task == "wmt23" else 0.002
    assert {row.metric: row.average for row in rows} == pytest.approx(
        {name: value["average"] for name, value in case["expect"].items()}, abs=tolerance
    )
    if task == "wmt23":
        assert {row.metric: sorted(row.values) for row in rows} == {
            name: pytest.approx(sorted(value["tasks"]), abs=EXACT)
            for name, value in case["expect"].items()
        }
