"""Claims about the tests between metrics: which is made, and whether it holds its level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truebleu.agreement.answers import AgreeSettings, items_test, systems_test
from truebleu.agreement.measures import measure_by
from truebleu.agreement.tests import PERMUTE

if TYPE_CHECKING:
    from truebleu.agreement.tests import Permute

CALIBRATED = measure_by("acc-eq:calibrated", grouping="item")


def rejections(permute: Permute, trials: int = 200) -> int:
    """How often the test of calibrated ties tells equally good metrics apart, one-sided at .05."""
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
    assert (found.exact, found.permutations, found.smallest_p) == (True, 4096, 1 / 4096)
    many = np.arange(15.0)
    test, _ = systems_test(
        many, {"a": many, "b": -many}, measure_by("pearson"), AgreeSettings(permutations=10)
    )
    found = test("a", "b")
    assert (found.exact, found.permutations, found.smallest_p) == (False, 10, 1 / 11)
