"""The log-linear reranker against SciPy's optimum and TinyEst."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.nbest.small_lists import violation
from tests.parity.test_tuning import PLAIN_BLEU, cases, lists_of, references_of
from truebleu.nbest.problem import Problem, make_problem
from truebleu.nbest.reranking import fit_log_linear, largest_gamma, log_likelihood_loss


def l1_case() -> tuple[dict[str, Any], Problem]:
    (case,) = cases("l1-reranker")
    given, lists = case["settings"], lists_of(case["input"])
    divisors = dict(zip(lists.feature_names, given["divide_dense_features_by"], strict=True))
    columns = [lists.feature(name) for name in given["features"]]
    dense = replace(
        lists,
        feature_names=tuple(given["features"]),
        features=np.stack(columns, axis=1),
        sparse=None,
    )
    problem = make_problem(dense, references_of(case["input"]), [PLAIN_BLEU], scale=False)
    scales = np.array([divisors.get(name, 1.0) for name in given["features"]])
    return case, replace(problem, matrix=problem.matrix / scales, scales=scales)


@pytest.mark.usefixtures("shared")
def test_gamma_and_the_gradient_at_zero() -> None:
    case, problem = l1_case()
    gold, expect = case["settings"]["gold_index"], case["expect"]
    loss, gradient = log_likelihood_loss(
        problem.matrix, problem.offsets, gold, np.zeros(len(problem.names))
    )
    assert loss == pytest.approx(expect["nll_at_zero"], rel=1e-9)
    assert gradient[:5] == pytest.approx(np.array(expect["gradient_at_zero_dense"]), rel=1e-9)
    highest = largest_gamma(problem.matrix, problem.offsets, gold)
    assert highest == pytest.approx(expect["gamma_max"], rel=1e-9)
    assert problem.names[int(np.abs(gradient).argmax())] == expect["gamma_max_feature"]
    none = fit_log_linear(problem.matrix, problem.offsets, gold, highest)
    assert not none.weights.any()


@pytest.mark.parametrize("number", range(4))
@pytest.mark.usefixtures("shared")
def test_grafting_ends_in_the_optimum(number: int) -> None:
    case, problem = l1_case()
    gold, wanted = case["settings"]["gold_index"], case["expect"]["solutions"][number]
    fitted = fit_log_linear(
        problem.matrix, problem.offsets, gold, wanted["gamma"], at_once=1 if number < 3 else 10
    )
    objective = fitted.loss + wanted["gamma"] * float(np.abs(fitted.weights).sum())
    assert objective == pytest.approx(wanted["objective"], rel=1e-8)
    assert fitted.loss == pytest.approx(wanted["nll"], rel=1e-6)
    found = {problem.names[i]: float(fitted.weights[i]) for i in np.flatnonzero(fitted.weights)}
    assert set(found) == set(wanted["nonzero"])
    for name, weight in wanted["nonzero"].items():
        assert found[name] == pytest.approx(weight, abs=1e-5)
    assert violation(problem, gold, fitted) < 1e-6
    assert problem.value(fitted.weights) / 100 == pytest.approx(wanted["bleu"], rel=1e-9)
    theirs = wanted["tinyest"]["--grafting 1"]
    assert objective <= theirs["objective"] * (1 + 1e-9)
    if number < 3:
        assert [problem.names[i] for i in fitted.order] == theirs["order"]
