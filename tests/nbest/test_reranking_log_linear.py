"""The log-linear model."""

from __future__ import annotations

import numpy as np
import pytest

from tests.nbest.small_lists import informative
from truebleu.nbest.problem import first_best, make_problem
from truebleu.nbest.reranking import fit_log_linear, largest_gamma, log_likelihood_loss


def test_the_optimum_satisfies_the_conditions_and_gradients_are_right() -> None:
    lists, references = informative()
    problem = make_problem(lists, references, ["chrf"])
    gold = first_best(problem.utilities(), problem.offsets)
    highest = largest_gamma(problem.matrix, problem.offsets, gold)
    for share in (0.5, 0.1, 0.01):
        for at_once in (1, 3):
            fitted = fit_log_linear(
                problem.matrix, problem.offsets, gold, share * highest, at_once=at_once
            )
            assert fitted.violation < 1e-6
    at = np.array([0.2, -0.3, 0.1])
    _, gradient = log_likelihood_loss(problem.matrix, problem.offsets, gold, at)
    for place, axis in enumerate(np.eye(3) * 1e-6):
        above, _ = log_likelihood_loss(problem.matrix, problem.offsets, gold, at + axis)
        below, _ = log_likelihood_loss(problem.matrix, problem.offsets, gold, at - axis)
        assert gradient[place] == pytest.approx((above - below) / 2e-6, rel=1e-5, abs=1e-6)
