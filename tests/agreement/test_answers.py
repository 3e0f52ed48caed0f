"""Claims about the tests between metrics: which is made, and whether it holds its level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from truebleu.agreement.answers import AgreeSettings, items_test, systems_test
from truebleu.agreement.measures import measure_by
from truebleu.agreement.soft_pairwise import soft_pairwise_test
from truebleu.agreement.tests import PERMUTE, permutation_test

if TYPE_CHECKING:
    from truebleu.agreement.tests import Permute

CALIBRATED = measure_by("acc-eq:calibrated", grouping="item")


def rejections(permute: Permute, trials: int = 200) -> int:
    """How often the test of calibrated ties tells equally good metrics apart, two-sided at .05."""
    rng = np.random.default_rng(33)
    rejected = 0
    for trial in range(trials):
        quality = 0.5 * rng.normal(size=(8, 1))
        human = np.round(rng.normal(size=(8, 40)) + quality)
        metrics = {name: human + 2 * rng.normal(size=human.shape) for name in "ab"}
        settings = AgreeSettings(permute=permute, permutations=99, seed=trial)
        test, _ = items_test(human, metrics, CALIBRATED, settings)
        rejected += (test("a", "b").p or 0.0) <= 0.05
    return rejected


def test_permuted_scores_hold_their_level_and_permuted_outcomes_do_not() -> None:
    # 10 of 200 are expected, with a standard deviation of 3.1.
    assert 2 <= rejections("scores") <= 19
    assert rejections("pairs") > 19


def test_the_method_of_the_test_is_what_was_asked_for() -> None:
    human = np.arange(12.0).reshape(3, 4)
    metrics = {"a": human, "b": -human}
    for permute in PERMUTE:
        settings = AgreeSettings(permute=permute)
        assert items_test(human, metrics, CALIBRATED, settings)[1] == permute
    plain = measure_by("kendall-b", grouping="item")
    assert items_test(human, metrics, plain, AgreeSettings(permute="pairs"))[1] == "scores"


def test_all_permutations_of_a_dozen_systems_are_made() -> None:
    rng = np.random.default_rng(1)
    human = rng.normal(size=12)
    metrics = {"a": human + rng.normal(size=12), "b": rng.normal(size=12)}
    test, _ = systems_test(human, metrics, measure_by("pearson"), AgreeSettings(permutations=10))
    found = test("a", "b")
    assert (found.exact, found.permutations, found.smallest_p) == (True, 4096, 2 / 4096)
    many = np.arange(15.0)
    test, _ = systems_test(
        many, {"a": many, "b": -many}, measure_by("pearson"), AgreeSettings(permutations=10)
    )
    found = test("a", "b")
    assert (found.exact, found.permutations, found.smallest_p) == (False, 10, 1 / 11)


@pytest.mark.slow
@pytest.mark.parametrize("bias", [0.0, 0.5])
def test_equally_good_metrics_are_told_apart_one_time_in_twenty(bias: float) -> None:
    """Two metrics that are the truth with independent noise, and a bias of their own per system.

    Tests that swap single scores hold without the bias; with it, metrics differ on these systems,
    and only tests that swap whole systems say that they need not on others.
    """
    rng = np.random.default_rng(11)
    runs = 300
    rejected = {"spa": 0, "spa, systems": 0, "kendall-b": 0, "kendall-b, systems": 0, "pearson": 0}
    by = measure_by("kendall-b", grouping="item")
    for seed in range(runs):
        truth = rng.normal(size=(8, 60)) + 0.4 * rng.normal(size=(8, 1))
        human = np.round(truth + rng.normal(size=truth.shape))
        first, second = (
            truth + rng.normal(size=truth.shape) + bias * rng.normal(size=(8, 1)) for _ in range(2)
        )
        means = [scores.mean(axis=1) for scores in (human, first, second)]
        p_values = {
            "spa": soft_pairwise_test(human, first, second, permutations=199, seed=seed),
            "spa, systems": soft_pairwise_test(human, first, second, unit="system"),
            "kendall-b": permutation_test(human, first, second, by, permutations=199, seed=seed),
            "kendall-b, systems": permutation_test(human, first, second, by, unit="system"),
            "pearson": permutation_test(means[0], means[1], means[2], measure_by("pearson")),
        }
        for name, test in p_values.items():
            rejected[name] += (test.p or 0.0) <= 0.05
    # 15 of 300 are expected, with a standard deviation of 3.8.
    held = {"spa, systems", "kendall-b, systems", "pearson"}
    for name, count in rejected.items():
        if bias and name not in held:
            assert count > 30, name
        else:
            assert 4 <= count <= 27, name
