"""The core's statistics equal SciPy and slow, plain definitions."""

from __future__ import annotations

from math import floor, sqrt

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy import special, stats

from truebleu import _core

Floats = NDArray[np.float64]

LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])
SHARES = st.floats(1e-9, 1 - 1e-9)


@given(SHARES)
def test_normal_quantiles_equal_scipy(share: float) -> None:
    expected = special.ndtri(share)
    assert _core.normal_quantile(share) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@given(LEVELS, st.floats(0.5, 1e8))
def test_students_quantiles_equal_scipy(level: float, degrees: float) -> None:
    (found,) = _core.student_quantiles(level, np.array([degrees]))
    assert found == pytest.approx(-special.stdtrit(degrees, (1 - level) / 2), rel=1e-12)


@given(st.floats(-20, 20), st.floats(0.5, 1e8))
def test_students_p_values_equal_scipy(t: float, degrees: float) -> None:
    assume(abs(t) > 1e-3)
    arrays = [np.array([number]) for number in (t, 1.0, degrees, 0.0)]
    (p,) = _core.student_p(arrays[0], arrays[1], arrays[2], arrays[3], "greater")
    assert p == pytest.approx(special.stdtr(degrees, -t), rel=1e-11)


@given(LEVELS, st.integers(1, 10**6), st.floats(0, 1))
def test_clopper_and_pearsons_interval_equals_scipy(
    level: float, trials: int, share: float
) -> None:
    successes = round(share * trials)
    rate = np.array([successes / trials])
    found = _core.rate_intervals("clopper-pearson", rate, np.array([float(trials)]), level)
    test = stats.binomtest(successes, trials)
    assert_allclose(found[:, 0], test.proportion_ci(level, method="exact"), rtol=1e-9, atol=1e-12)


def plain_hall(values: Floats, level: float) -> tuple[float, float]:
    """Hall's interval of a mean, by bisection of his cubic and SciPy's quantiles."""
    count, mean = len(values), values.mean()
    error = values.std(ddof=1) / sqrt(count)
    influence = (values - mean) * sqrt(count / (count - 1))
    u = (influence**3).mean() / (influence**2).mean() ** 1.5 / (3 * sqrt(count))
    kurtosis = (influence**4).mean() / (influence**2).mean() ** 2
    few = max(1, floor(min(2 * count / max(kurtosis - 1, 1e-9), count - 1)))

    def root(side: int) -> float:
        target = side * stats.t.ppf((1 + level) / 2, few if side * u < 0 else count - 1)
        low, high = -1e4, 1e4
        for _ in range(200):
            t = (low + high) / 2
            if t + u * t**2 + u**2 * t**3 / 3 + u / 2 < target:
                low = t
            else:
                high = t
        return low

    return mean - error * root(1), mean - error * root(-1)


@given(st.integers(0, 2**32), st.integers(5, 200), LEVELS)
def test_halls_interval_inverts_his_cubic(seed: int, count: int, level: float) -> None:
    values = np.random.default_rng(seed).lognormal(size=(count, 2))
    without = (values.sum(axis=0) - values) / (count - 1)
    found = _core.intervals("hall", level, estimates=values.mean(axis=0), jackknife=without)
    expected = [plain_hall(column, level) for column in values.T]
    assert_allclose(found.T, expected, rtol=1e-9)
