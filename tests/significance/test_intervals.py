"""Claims about confidence intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy import stats

from truebleu.errors import SettingError
from truebleu.significance.intervals import (
    bca_interval,
    medians_and_relative_intervals,
    min_replicates,
    percentile_interval,
    student_interval,
)
from truebleu.significance.student import student_quantile

Floats = NDArray[np.float64]

SCORES = arrays(np.float64, st.integers(40, 200), elements=st.floats(-1e6, 1e6))


def one_to(last: int) -> Floats:
    """The numbers 1 to last in random order: a score is its own rank."""
    return np.random.default_rng(last).permutation(np.arange(1.0, last + 1))


@pytest.mark.parametrize(
    ("replicates", "level", "ranks"),
    [
        (1000, 0.95, (26, 975)),  # Koehn (2004, §5)
        (2000, 0.95, (51, 1950)),  # Zhang & Vogel (2004): 51st smallest and 51st largest
        (1000, 0.9, (51, 950)),  # 1000 * (1 - 0.9) / 2 is below 50 in floats
        (1000, 0.99, (6, 995)),
        (10_000, 0.999, (6, 9995)),
        (1001, 0.95, (26, 976)),
        (1039, 0.95, (26, 1014)),
        (1040, 0.95, (27, 1014)),
        (200_000, 0.7, (30_001, 170_000)),
    ],
)
def test_equally_many_scores_are_excluded_on_each_side(
    replicates: int, level: float, ranks: tuple[int, int]
) -> None:
    assert tuple(percentile_interval(one_to(replicates), level)) == ranks


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 2 / 3, 1 - 0.05 / 105])
def test_min_replicates_is_the_smallest_number_that_excludes_any(level: float) -> None:
    least = min_replicates(level)
    assert tuple(percentile_interval(one_to(least), level)) == (2, least - 1)
    with pytest.raises(SettingError, match=f"at least {least} for the level"):
        percentile_interval(one_to(least - 1), level)


def test_systems_side_by_side_have_the_intervals_they_have_alone() -> None:
    rng = np.random.default_rng(5)
    scores, estimates, jackknife = rng.normal(size=(500, 3)), rng.normal(size=3) / 9, one_to(60)
    without_one = np.stack([jackknife, jackknife**2, -np.exp(jackknife / 20)], axis=1)
    together = [
        percentile_interval(scores, 0.95),
        bca_interval(estimates, scores, without_one, 0.95),
        student_interval(scores, 0.95),
    ]
    for system in range(3):
        alone = [
            percentile_interval(scores[:, system], 0.95),
            bca_interval(estimates[system], scores[:, system], without_one[:, system], 0.95),
            student_interval(scores[:, system], 0.95),
        ]
        assert_allclose([interval[:, system] for interval in together], alone, rtol=1e-14)


def test_the_relative_interval_is_in_percent_of_the_median() -> None:
    scores = 100 + one_to(2000)[:, np.newaxis] / 100
    ((median, relative),) = medians_and_relative_intervals(scores, 0.95)
    assert median == pytest.approx(110.005)
    assert relative == pytest.approx((-100 * 9.495 / 110.005, 100 * 9.495 / 110.005))


def test_relative_bounds_of_a_negative_median_keep_their_order() -> None:
    scores = -100 - one_to(2000)[:, np.newaxis] / 100
    ((_, relative),) = medians_and_relative_intervals(scores, 0.95)
    assert relative == pytest.approx((-100 * 9.495 / 110.005, 100 * 9.495 / 110.005))


def test_a_median_of_zero_has_no_relative_interval() -> None:
    assert medians_and_relative_intervals(np.zeros((100, 2)), 0.95) == [(0.0, None)] * 2


# BCa


def bca_of_scipy(
    values: Floats, level: float, seed: int
) -> tuple[float, Floats, Floats, tuple[float, float]]:
    """The estimate, SciPy's replicates, the jackknife and SciPy's interval, of a deviation."""
    result = stats.bootstrap(
        (values,),
        np.std,
        n_resamples=2000,
        confidence_level=level,
        method="BCa",
        rng=np.random.default_rng(seed),
    )
    jackknife = np.array([np.std(np.delete(values, unit)) for unit in range(len(values))])
    interval = result.confidence_interval
    return (
        float(np.std(values)),
        result.bootstrap_distribution,
        jackknife,
        (interval.low, interval.high),
    )


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("seed", range(3))
def test_bca_bounds_are_replicates_next_to_scipys_bounds(level: float, seed: int) -> None:
    values = np.random.default_rng(seed).lognormal(size=40)
    estimate, replicates, jackknife, expected = bca_of_scipy(values, level, seed)
    ordered = np.sort(replicates)
    for ours, theirs in zip(
        bca_interval(estimate, replicates, jackknife, level), expected, strict=True
    ):
        position = int(np.searchsorted(ordered, ours))
        assert ordered[position] == ours
        assert ordered[position - 1] <= theirs <= ordered[position + 1]


@given(SCORES.map(lambda scores: np.concatenate([scores, -scores])))
def test_bca_without_bias_and_skewness_is_the_percentile_interval(scores: Floats) -> None:
    jackknife = np.array([-1.0, 1.0, -3.0, 3.0])
    assert_array_equal(
        bca_interval(0.0, scores, jackknife, 0.95), percentile_interval(scores, 0.95)
    )


@given(
    st.floats(-10, 10),
    arrays(np.float64, 40, elements=st.sampled_from([-1.0, 0.0, 1.0, 3.0])),
    arrays(np.float64, st.integers(1, 9), elements=st.sampled_from([0.0, 1e-300, 1.0, 1e100])),
    st.sampled_from([0.5, 0.95]),
)
def test_bca_bounds_are_replicates_in_order_whatever_happens(
    estimate: float, scores: Floats, jackknife: Floats, level: float
) -> None:
    low, high = bca_interval(estimate, scores, jackknife, level)
    assert low in scores
    assert high in scores
    assert low <= high


def test_equal_replicates_make_an_interval_of_one_point() -> None:
    assert tuple(bca_interval(25.0, np.full(100, 25.0), np.full(9, 25.0), 0.95)) == (25.0, 25.0)


def test_an_estimate_beyond_all_replicates_moves_the_bca_interval_to_their_end() -> None:
    low, high = bca_interval(2000.0, one_to(1000), np.zeros(5), 0.95)
    assert low > 975
    assert high == 1000


def test_bca_covers_a_skewed_mean_more_often_than_percentiles_do() -> None:
    # DiCiccio & Efron (1996): for skewed data percentile intervals miss too often, BCa less so.
    rng = np.random.default_rng(11)
    units, data_sets = 20, 1000
    values = rng.exponential(size=(units, data_sets))  # true mean 1
    weights = rng.multinomial(units, np.full(units, 1 / units), size=999) / units
    replicates = weights @ values
    jackknife = (values.sum(axis=0) - values) / (units - 1)

    def misses(interval: Floats) -> float:
        low, high = interval
        return float(((low > 1) | (high < 1)).mean())

    percentile = misses(percentile_interval(replicates, 0.95))
    bca = misses(bca_interval(values.mean(axis=0), replicates, jackknife, 0.95))
    assert 0.05 < bca < percentile - 0.01


# Student


@pytest.mark.parametrize(
    ("level", "segments", "printed"),
    [
        (0.99, 100, 2.6259),
        (0.90, 100, 1.6602),
        (0.99, 300, 2.5923),
        (0.95, 300, 1.9679),
        (0.90, 300, 1.6499),
        (0.99, 600, 2.5841),
        (0.95, 600, 1.9639),
        (0.90, 600, 1.6474),
        (0.99, 10**9, 2.5759),
        (0.95, 10**9, 1.9600),
        (0.90, 10**9, 1.6449),
        # Printed 1.9849, a slip of the last digit: his other factors for 100 segments
        # have 100 degrees of freedom, of which this is the one.
        (0.95, 100, 1.9840),
    ],
)
def test_factors_agree_with_koehns_table_2(level: float, segments: int, printed: float) -> None:
    # 2.5841 and 2.5758 are one unit of the last digit from the exact values.
    assert student_quantile(level, segments) == pytest.approx(printed, abs=1.01e-4)


@given(arrays(np.float64, st.integers(2, 50), elements=st.integers(0, 100)))
def test_students_interval_agrees_with_scipys_t_test(values: Floats) -> None:
    if values.std() == 0:
        assert_array_equal(student_interval(values, 0.95), [values[0], values[0]])
    else:
        expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
        assert_allclose(student_interval(values, 0.95), expected, rtol=1e-9, atol=1e-9)


def test_thirty_correct_of_a_hundred_are_known_to_nine_percent() -> None:
    # Koehn (2004, §4) sets this example; s / sqrt(n) is sqrt(.3 * .7 / 99).
    correct = np.repeat([1.0, 0.0], [30, 70])
    assert_allclose(student_interval(correct, 0.95), [0.2086, 0.3914], atol=5e-5)


def test_one_segment_is_refused_in_words() -> None:
    with pytest.raises(SettingError, match="segments: 1; expected at least 2"):
        student_interval([3.0], 0.95)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, float("nan")])
def test_an_invalid_level_is_rejected(level: float) -> None:
    with pytest.raises(SettingError, match="level"):
        percentile_interval(one_to(1000), level)


def test_a_nan_score_is_rejected() -> None:
    with pytest.raises(SettingError, match="scores: nan"):
        percentile_interval([1.0] * 50 + [float("nan")], 0.95)
