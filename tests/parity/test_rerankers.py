"""Rerankers against SciPy's optimum, TinyEst and fairseq's formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.parity.test_tuning import PLAIN_BLEU, cases, lists_of, references_of
from truebleu.nbest import count_candidates
from truebleu.nbest.problem import Problem, first_best, make_problem
from truebleu.nbest.reranking import (
    NoisyChannel,
    fit_log_linear,
    largest_gamma,
    log_likelihood_loss,
)


def l1_case() -> tuple[dict[str, Any], Problem]:
    (case,) = cases("l1-reranker")
    given, lists = case["settings"], lists_of(case["input"])
    scales = dict.fromkeys(given["features"], 1.0)
    scales.update(zip(lists.feature_names, given["divide_dense_features_by"], strict=True))
    problem = make_problem(
        lists,
        references_of(case["input"]),
        [PLAIN_BLEU],
        scales=scales,
        names=given["features"],
    )
    return case, problem


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
    assert fitted.objective == pytest.approx(wanted["objective"], rel=1e-8)
    assert fitted.loss == pytest.approx(wanted["nll"], rel=1e-6)
    found = {problem.names[i]: float(fitted.weights[i]) for i in np.flatnonzero(fitted.weights)}
    assert set(found) == set(wanted["nonzero"])
    for name, weight in wanted["nonzero"].items():
        assert found[name] == pytest.approx(weight, abs=1e-5)
    assert fitted.violation < 1e-6
    assert problem.value(fitted.weights) / 100 == pytest.approx(wanted["bleu"], rel=1e-9)
    theirs = wanted["tinyest"]["--grafting 1"]
    assert fitted.objective <= theirs["objective"] * (1 + 1e-9)
    if number < 3:
        assert [problem.names[i] for i in fitted.order] == theirs["order"]


@pytest.mark.usefixtures("shared")
def test_the_noisy_channel_is_fairseqs() -> None:
    (case,) = cases("noisy-channel")
    lists = lists_of(case["input"])
    counted = count_candidates(lists, references_of(case["input"]), PLAIN_BLEU)
    for run in case["expect"]["runs"]:
        # The second score is 10 × Rank0 and the third 20 × Agree0_0.
        weights = (run["weight1"], 10 * run["weight2"], 20 * run["weight3"])
        channel = NoisyChannel(
            features=("CharLM0", "Rank0", "Agree0_0"),
            weights=weights,
            length_penalty=run["lenpen"],
        )
        scores = channel.scores(lists)
        for segment, expected in enumerate(run["first_scores"]):
            assert scores[lists.span(segment)] == pytest.approx(np.array(expected), rel=1e-9)
        chosen = first_best(scores, lists.offsets)
        assert chosen.tolist() == run["index"]
        assert counted.score(chosen) / 100 == pytest.approx(run["bleu"], rel=1e-9)
