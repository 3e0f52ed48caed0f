"""Power, sizes and differences against SciPy's noncentral t and the textbook's formula."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import nct, norm, t

from truebleu.planning.power import (
    DifferenceVariance,
    PlannedTest,
    power,
    smallest_difference,
    units_needed,
)

UNIT = DifferenceVariance(sd=1.0, null_sd=1.0)
TWO_SIDED = PlannedTest(0.05)


def exact_power(units: int, effect: float, alpha: float, sides: int) -> float:
    critical = t.isf(alpha / sides, units - 1)
    return float(nct.sf(critical, units - 1, effect * math.sqrt(units)))


@pytest.mark.parametrize("units", [10, 34, 100, 5000])
@pytest.mark.parametrize("effect", [0.02, 0.2, 0.5])
@pytest.mark.parametrize(("alternative", "sides"), [("two-sided", 2), ("greater", 1), ("less", 1)])
def test_the_power_equals_the_t_test(
    units: int, effect: float, alternative: str, sides: int
) -> None:
    for alpha in (0.05, 0.01):
        test = PlannedTest(alpha, alternative)  # type: ignore[arg-type]
        chance = power(units, effect * 3, DifferenceVariance(sd=3.0, null_sd=3.0), test)
        assert chance == pytest.approx(exact_power(units, effect, alpha, sides), abs=0.004)


@pytest.mark.parametrize("tail", [1, -1])
@pytest.mark.parametrize(("units", "effect"), [(40, 0.45), (60, 0.35), (200, 0.2)])
def test_a_long_tail_is_reckoned_with(tail: int, units: int, effect: float) -> None:
    """Student's test on exponential values, whose skewness is 2, with the tail to either side."""
    rng = np.random.default_rng(units)
    values = tail * (rng.exponential(size=(20_000, units)) - 1) + effect
    statistics = values.mean(axis=1) / values.std(axis=1, ddof=1) * math.sqrt(units)
    achieved = float((statistics > t.isf(0.025, units - 1)).mean())
    promised = power(
        units, effect, DifferenceVariance(sd=1.0, null_sd=1.0, skewness=2.0 * tail), TWO_SIDED
    )
    assert promised == pytest.approx(achieved, abs=0.03)


@pytest.mark.parametrize(
    ("effect", "target_power", "expected"),
    [(0.2, 0.8, 199), (0.5, 0.8, 34), (0.5, 0.9, 44), (0.8, 0.8, 15)],
)
def test_the_sizes_equal_published_tables(
    effect: float, target_power: float, expected: int
) -> None:
    """Pairs for the paired t test at .05, as G*Power and Cohen (1988, table 2.4.1) have them."""
    assert units_needed(effect, target_power, UNIT, TWO_SIDED) == expected


def test_large_sizes_follow_the_textbook_formula() -> None:
    variance = DifferenceVariance(sd=10.0, null_sd=12.0)
    needed = units_needed(0.1, 0.9, variance, PlannedTest(0.05 / 3))
    plain = ((norm.isf(0.05 / 6) * 12 + norm.ppf(0.9) * 10) / 0.1) ** 2
    assert needed == pytest.approx(plain, rel=1e-4)


@given(
    sd=st.floats(0.01, 1000),
    effect=st.floats(0.001, 3),
    target_power=st.floats(0.1, 0.99),
    alpha=st.sampled_from([0.05, 0.01, 0.05 / 30]),
)
def test_the_size_is_the_smallest_with_the_power_and_finds_no_less_than_the_difference(
    sd: float, effect: float, target_power: float, alpha: float
) -> None:
    test, variance = PlannedTest(alpha), DifferenceVariance(sd=sd, null_sd=sd)
    difference = effect * sd
    needed = units_needed(difference, target_power, variance, test)
    assert needed is not None
    assert power(needed, difference, variance, test) >= target_power
    assert needed == test.min_units or power(needed - 1, difference, variance, test) < target_power
    found = smallest_difference(needed, target_power, variance, test)
    assert found is not None
    assert found <= difference
    assert power(needed, found, variance, test) >= target_power
    assert power(needed, found * (1 - 1e-9), variance, test) < target_power


def test_power_grows_with_the_size_and_the_difference() -> None:
    sizes = [power(units, 0.3, UNIT, TWO_SIDED) for units in (6, 20, 80, 300)]
    differences = [power(50, d, UNIT, TWO_SIDED) for d in (-0.2, 0.0, 0.1, 0.4)]
    for powers in (sizes, differences):
        assert powers == sorted(powers)
        assert len(set(powers)) == 4


def test_swaps_of_fewer_units_than_can_be_significant_find_nothing() -> None:
    """Of 2**5 swaps two are as extreme as none: the smallest p is 2/32."""
    assert power(5, 100.0, UNIT, TWO_SIDED) == 0
    assert smallest_difference(5, 0.8, UNIT, TWO_SIDED) is None
    assert units_needed(100.0, 0.8, UNIT, TWO_SIDED) == 6


def test_undetectable_differences_have_no_size() -> None:
    assert units_needed(1e-9, 0.8, UNIT, TWO_SIDED) is None


@pytest.mark.parametrize(("difference", "ratio"), [(1.4, 1.2), (1.45, 1.1), (1.6, 1.0), (9.0, 1.0)])
def test_the_null_variance_stays_above_a_quarter(difference: float, ratio: float) -> None:
    # Without a difference it is 4, and each point takes 2 from it.
    variance = DifferenceVariance(sd=1.0, null_sd=2.0, slope=-1.0)
    assert variance.null_ratio(difference) == pytest.approx(math.sqrt(ratio))


def test_the_variance_of_a_studentised_difference_stays_above_a_quarter() -> None:
    units, difference = 20, 0.8
    critical = t.isf(0.025, units - 1)
    plain = norm.ppf(power(units, difference, UNIT, TWO_SIDED))
    distance = plain * math.sqrt(1 + critical**2 / (2 * (units - 1)))
    expected = norm.cdf(distance / math.sqrt(0.25))
    for skewness in (2.0, 3.0):
        skewed = DifferenceVariance(sd=1.0, null_sd=1.0, skewness=skewness)
        assert power(units, difference, skewed, TWO_SIDED) == pytest.approx(expected, rel=1e-6)
