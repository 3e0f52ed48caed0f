"""Claims about Tukey's and Scheffé's tests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy import stats

from truebleu.errors import SettingError
from truebleu.significance.corrections import error_variance, scheffe_p, tukey_p

Floats = NDArray[np.float64]
PairwiseTest = Callable[[Floats], Floats]

BOTH = pytest.mark.parametrize("test", [tukey_p, scheffe_p])

# Montgomery, Design and Analysis of Experiments, example 4.1 (vascular grafts): the yield of
# six batches of resin (blocks, rows) at four pressures (treatments, columns).
GRAFTS = np.array(
    [
        [90.3, 92.5, 85.5, 82.5],
        [89.2, 89.5, 90.8, 89.5],
        [98.2, 90.6, 89.6, 85.6],
        [93.9, 94.7, 86.2, 87.4],
        [87.4, 87.0, 88.0, 78.9],
        [97.9, 95.8, 93.4, 90.7],
    ]
)


def test_the_error_is_that_of_the_textbooks_analysis_of_variance() -> None:
    # Table 4.4 there: error sum of squares 109.89 with 15 degrees of freedom, mean square 7.33.
    assert error_variance(GRAFTS) == pytest.approx(7.33, abs=0.005)
    assert error_variance(GRAFTS) * 15 == pytest.approx(109.89, abs=0.005)


def test_tukeys_decisions_are_those_of_the_tabled_studentised_range() -> None:
    # Tables of the studentised range, 4 means and 15 degrees of freedom: 4.08 (.05), 5.25 (.01).
    means = GRAFTS.mean(axis=0)
    distances = np.abs(means[:, None] - means) / np.sqrt(7.33 / 6)
    p = tukey_p(GRAFTS)
    assert_array_equal(p <= 0.05, distances >= 4.08)
    assert_array_equal(p <= 0.01, distances >= 5.25)
    assert np.count_nonzero(p <= 0.05) == 4  # the highest pressure against the two lowest


def test_scheffes_decisions_are_those_of_the_tabled_f() -> None:
    # Tables of F with 3 and 15 degrees of freedom: 3.29 (.05), 5.42 (.01).
    means = GRAFTS.mean(axis=0)
    distances = np.abs(means[:, None] - means) / np.sqrt(2 * 7.33 / 6)
    p = scheffe_p(GRAFTS)
    assert_array_equal(p <= 0.05, distances >= np.sqrt(3 * 3.29))
    assert_array_equal(p <= 0.01, distances >= np.sqrt(3 * 5.42))


@BOTH
def test_of_two_systems_they_are_the_paired_t_test(test: PairwiseTest) -> None:
    scores = np.random.default_rng(4).normal([0.0, 0.4], size=(30, 2))
    expected = stats.ttest_rel(scores[:, 0], scores[:, 1]).pvalue
    assert_allclose(test(scores), [[1, expected], [expected, 1]], rtol=1e-6)


@BOTH
def test_how_hard_a_segment_is_does_not_matter(test: PairwiseTest) -> None:
    rng = np.random.default_rng(6)
    scores = rng.normal([0.0, 0.5, 1.0], size=(25, 3))
    harder = scores + 100 * rng.normal(size=(25, 1))
    assert_allclose(test(harder), test(scores), rtol=1e-6)


def test_scheffe_is_more_cautious_than_tukey_and_both_than_one_t_test() -> None:
    rng = np.random.default_rng(7)
    scores = rng.normal([0.0, 0.1, 0.3, 0.5], size=(40, 4))
    tukey, scheffe = tukey_p(scores), scheffe_p(scores)
    assert (tukey <= scheffe).all()
    means = scores.mean(axis=0)
    t = np.abs(means[:, None] - means) / np.sqrt(2 * error_variance(scores) / 40)
    assert (tukey >= 2 * stats.t.sf(t, 39 * 3) - 1e-12).all()


def test_tukey_rejects_any_of_three_true_null_hypotheses_one_time_in_twenty() -> None:
    rng = np.random.default_rng(9)
    experiments = 3 * rng.normal(size=(100, 12, 1)) + rng.normal(size=(100, 12, 3))
    rejections = sum(tukey_p(scores).min() <= 0.05 for scores in experiments)
    # 5 expected; 4 standard deviations are 9.
    assert 0 < rejections <= 14


@BOTH
def test_scores_without_error_are_decided_without_chance(test: PairwiseTest) -> None:
    scores = np.array([[1.0, 1.0, 2.0], [5.0, 5.0, 6.0], [3.1, 3.1, 4.1]])
    assert_array_equal(test(scores), [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    assert_array_equal(test(np.full((5, 3), 0.1)), np.ones((3, 3)))


@BOTH
@pytest.mark.parametrize("shape", [(1, 3), (3, 1), (3,)])
def test_too_few_segments_or_systems_are_refused(
    test: PairwiseTest, shape: tuple[int, ...]
) -> None:
    with pytest.raises(SettingError, match="at least two segments and two systems"):
        test(np.zeros(shape))
