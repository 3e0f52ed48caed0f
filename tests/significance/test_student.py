"""Claims about Student's t with its skewness taken out."""

from __future__ import annotations

from math import floor, sqrt

import numpy as np
import pytest
from scipy.stats import kurtosis, skew, t as student

from truebleu.errors import SettingError
from truebleu.significance.intervals import hall_interval, hall_p


def without_each(values: np.ndarray) -> np.ndarray:
    """The mean without one value each."""
    return np.asarray((values.sum() - values) / (len(values) - 1))


def test_p_agrees_with_halls_cubic() -> None:
    values = np.random.default_rng(1).exponential(size=50)
    t = (values.mean() - 0.8) / (values.std(ddof=1) / sqrt(50))
    g = float(skew(values)) / sqrt(50)
    # The standard deviation with n - 1 in the skewness changes what is left out, of order 1/n.
    moved = t + g * t**2 / 3 + g**2 * t**3 / 27 + g / 6
    # A variance of normal values is as well known from so many degrees of freedom.
    degrees = floor(2 * 50 / (float(kurtosis(values, fisher=False)) - 1))
    assert degrees < 49
    found = float(hall_p(values.mean(), without_each(values), 0.8))
    assert found == pytest.approx(student.sf(moved, 49), rel=0.05)
    # Turned round, it is the same.
    found = float(hall_p(-values.mean(), -without_each(values), -0.8, "less"))
    assert found == pytest.approx(student.sf(moved, 49), rel=0.05)
    # On the other side, a tail that is not seen would mislead.
    found = float(hall_p(values.mean(), without_each(values), 1.4, "less"))
    t = (values.mean() - 1.4) / (values.std(ddof=1) / sqrt(50))
    moved = t + g * t**2 / 3 + g**2 * t**3 / 27 + g / 6
    assert found == pytest.approx(student.cdf(moved, degrees), rel=0.05)


def test_halls_interval_without_skewness_is_students() -> None:
    values = np.array([-3.0, -1.0, 0.0, 1.0, 3.0, -2.0, 2.0])
    expected = student.interval(0.9, 6, 0.5, values.std(ddof=1) / sqrt(7))
    assert hall_interval(0.5, without_each(values), 0.9) == pytest.approx(np.array(expected))


@pytest.mark.parametrize("turn", [1, -1])
def test_interval_and_test_agree(turn: int) -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        values = turn * rng.lognormal(size=30)
        mean, left_out = values.mean(), without_each(values)
        low, high = hall_interval(mean, left_out, 0.9)
        assert float(hall_p(mean, left_out, float(low))) == pytest.approx(0.05)
        assert float(hall_p(mean, left_out, float(high), "less")) == pytest.approx(0.05)


def test_negating_values_negates_intervals() -> None:
    values = np.random.default_rng(3).exponential(size=(40, 2))
    left_out = (values.sum(axis=0) - values) / 39
    low, high = hall_interval(values.mean(axis=0), left_out, 0.95)
    turned = hall_interval(-values.mean(axis=0), -left_out, 0.95)
    assert turned == pytest.approx(np.stack([-high, -low]))


def test_estimates_without_variance_have_p_0_or_1() -> None:
    same = np.full(10, 2.0)
    assert hall_interval(2.0, same, 0.9).tolist() == [2.0, 2.0]
    assert float(hall_p(2.0, same, 1.0)) == 0.0
    assert float(hall_p(2.0, same, 2.0)) == 1.0
    assert float(hall_p(2.0, same, 3.0)) == 1.0


def test_differences_between_strata_do_not_count() -> None:
    values = np.random.default_rng(4).normal(size=60) + np.repeat([0.0, 9.0], 30)
    mean, left_out = values.mean(), without_each(values)
    low, high = hall_interval(mean, left_out, 0.9, strata=[(0, 30), (30, 60)])
    plain_low, plain_high = hall_interval(mean, left_out, 0.9)
    parts = np.concatenate([values[:30] - values[:30].mean(), values[30:] - values[30:].mean()])
    error = sqrt((parts**2).sum() / 58 / 60)
    assert high - low == pytest.approx(2 * student.ppf(0.95, 59) * error, rel=0.02)
    assert plain_high - plain_low > 3 * (high - low)


def test_one_unit_is_refused() -> None:
    with pytest.raises(SettingError, match="at least 2"):
        hall_interval(1.0, [1.0], 0.9)


@pytest.mark.slow
def test_halls_test_keeps_its_level_where_students_does_not() -> None:
    # Exponential values, 2,000 samples of 100: three standard deviations of .05 are .015.
    rng = np.random.default_rng(5)
    above = below = by_student = 0
    for _ in range(2000):
        values = rng.exponential(size=100)
        mean, left_out = values.mean(), without_each(values)
        above += float(hall_p(mean, left_out, 1.0)) <= 0.05
        below += float(hall_p(mean, left_out, 1.0, "less")) <= 0.05
        by_student += (mean - 1) / (values.std(ddof=1) / sqrt(100)) < -student.ppf(0.95, 99)
    assert 0.035 < above / 2000 < 0.065
    assert 0.035 < below / 2000 < 0.065
    assert by_student / 2000 > 0.065
