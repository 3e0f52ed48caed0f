"""Spread over samples: standard deviations, design effects and their errors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from truebleu.studies.sampling import Quantity, chi_square, mean_spread, spread_of


@pytest.mark.parametrize("degrees", [4, 9, 99, 2999])
@pytest.mark.parametrize("share", [0.025, 0.5, 0.975])
def test_quantiles_of_chi_square_are_scipys(share: float, degrees: int) -> None:
    assert chi_square(share, degrees) == pytest.approx(chi2.ppf(share, degrees), rel=1e-9)


def test_a_design_effect_is_a_ratio_of_variances() -> None:
    spread = spread_of("x", 5.0, block=[1, 3, 5], systematic=[2, 3, 4], independent=[0.0, 1, 2])
    assert spread.samples == 3
    assert (spread.block.low, spread.block.high, spread.block.sd) == (1, 5, 2)
    assert (spread.effect(spread.block), spread.effect(spread.systematic)) == (4, 1)


def test_intervals_of_the_design_effect_hold_it_as_often_as_they_should() -> None:
    random = np.random.default_rng(2)
    held = 0
    for _ in range(1000):
        block, systematic = random.normal(0, 3, size=(2, 12))
        spread = spread_of(
            "x", 0.0, block=block, systematic=systematic, independent=random.normal(size=4000)
        )
        low, high = spread.effect_interval(spread.block)
        assert low is not None
        assert high is not None
        held += low <= 9 <= high
    assert 0.93 < held / 1000 < 0.97


def test_what_does_not_vary_has_no_design_effect() -> None:
    same = [0.1 + 0.2] * 5
    spread = spread_of("x", 0.3, block=same, systematic=same, independent=same)
    assert spread.block.sd == spread.independent_sd == 0
    assert spread.effect(spread.block) is None
    assert spread.effect_interval(spread.block) == (None, None)


def test_the_mean_is_that_of_variances() -> None:
    one = spread_of("x", 0.0, block=[0, 6.0], systematic=[0, 2.0], independent=[0, 2.0])
    two = spread_of("y", 0.0, block=[0, 8.0], systematic=[0, 2.0], independent=[0, 2.0])
    mean = mean_spread("both", [one, two])
    assert mean.block.sd**2 == pytest.approx((18 + 32) / 2)
    assert mean.effect(mean.block) == pytest.approx(25 / 2)
    assert (mean.pool, mean.block.low, mean.name) == (None, None, "both")


def test_differences_are_improvements() -> None:
    scores = [[30.0, 20.0], [10.0, 20.0]]
    assert Quantity("a", 0).of(scores, -1).tolist() == [30, 10]
    assert Quantity("a against b", 0, 1).of(scores, 1).tolist() == [10, -10]
    assert Quantity("a against b", 0, 1).of(scores, -1).tolist() == [-10, 10]
