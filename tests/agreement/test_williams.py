"""Claims about Williams' test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from truebleu.agreement.tests import williams_test, williams_test_of_correlations
from truebleu.errors import SettingError


def test_correlations_are_those_of_the_rated_cells_alone() -> None:
    random = np.random.default_rng(1)
    human, first, second = random.normal(size=(3, 4, 10))
    human[1, :5] = np.nan
    first[1, :5] = np.nan
    rated = ~np.isnan(human)
    found = williams_test(human, first, second)
    pairs = ((human, first), (human, second), (first, second))
    r1, r2, r12 = (stats.pearsonr(a[rated], b[rated])[0] for a, b in pairs)
    assert (found.value1, found.value2) == pytest.approx((r1, r2), abs=1e-12)
    expected = williams_test_of_correlations(r1, r2, r12, 35)
    assert (found.t, found.p) == pytest.approx((expected.t, expected.p), abs=1e-12)


def test_swapping_the_metrics_negates_t() -> None:
    better, worse = (
        williams_test_of_correlations(*pair, 0.6, 50, alternative="two-sided")
        for pair in ((0.3, 0.5), (0.5, 0.3))
    )
    assert better.t is not None
    assert better.t > 0
    assert worse.t == -better.t
    assert worse.p == better.p
    one_sided = williams_test_of_correlations(0.3, 0.5, 0.6, 50)
    assert one_sided.p is not None
    assert better.p == 2 * one_sided.p
    less = williams_test_of_correlations(0.5, 0.3, 0.6, 50, alternative="less")
    assert less.p == one_sided.p


def test_equally_good_metrics_are_told_apart_one_time_in_twenty() -> None:
    random = np.random.default_rng(2)
    runs = 2000
    truth, *noise = random.normal(size=(3, runs, 20))
    found = [
        williams_test(
            truth[i], truth[i] + noise[0][i], truth[i] + noise[1][i], alternative="two-sided"
        )
        for i in range(runs)
    ]
    rejected = np.mean([test.p is not None and test.p <= 0.05 for test in found])
    # Three standard errors of a share of 2,000 around 0.05.
    assert abs(rejected - 0.05) < 3 * math.sqrt(0.05 * 0.95 / runs)


def test_a_metric_against_a_multiple_of_itself_does_not_differ() -> None:
    human, metric = np.random.default_rng(3).normal(size=(2, 30))
    found = williams_test(human, metric, 5 * metric + 1)
    assert (found.t, found.p) == (0.0, 0.5)
    two_sided = williams_test(human, metric, 5 * metric + 1, alternative="two-sided")
    assert two_sided.p == 1.0


@pytest.mark.parametrize(
    ("human", "first", "reason"),
    [
        ([1, 1, 1, 1, 1], [1, 2, 3, 4, 5], "do not vary"),
        ([1, 2, 3, 4, 5], [2, 2, 2, 2, 2], "do not vary"),
        ([1, 2, 3, np.nan, np.nan], [1, 2, 4, 3, 5], "3 points"),
        ([np.nan] * 5, [1, 2, 3, 4, 5], "do not vary"),
        # The metrics are opposites, and so are their correlations.
        ([1, 3, 2, 4, 6], [-2, -4, -1, -3, -5], "determine each other"),
    ],
)
def test_what_cannot_be_tested_is_undefined_in_words(
    human: list[float], first: list[float], reason: str
) -> None:
    found = williams_test(human, first, [2, 4, 1, 3, 5])
    assert found.p is None
    assert found.reason is not None
    assert reason in found.reason


def test_impossible_correlations_are_refused() -> None:
    with pytest.raises(SettingError, match="three variables"):
        williams_test_of_correlations(0.9, -0.9, 0.9, 20)
    with pytest.raises(SettingError, match="from -1 to 1"):
        williams_test_of_correlations(1.2, 0.1, 0.1, 20)
    with pytest.raises(SettingError, match="shape"):
        williams_test([1.0, 2.0], [1.0], [1.0, 2.0])
    with pytest.raises(SettingError, match="every cell that people rated"):
        williams_test([1.0, 2.0], [1.0, float("nan")], [1.0, 2.0])


@pytest.mark.parametrize(
    ("human", "match"),
    [
        ([1.0, 2.0, 3.0, 4.0, "five"], "a number for every system"),
        ([1.0, 2.0, 3.0, 4.0, np.inf], "finite numbers"),
        # Squares of such scores are infinite, and the correlation came out as 0.
        ([1e200, 2e200, 3e200, 1e200, 5.0], "scores between"),
    ],
)
def test_scores_that_are_no_numbers_or_too_large_are_refused(human: Any, match: str) -> None:
    with pytest.raises(SettingError, match=match):
        williams_test(human, [1, 2, 3, 4, 5], [2, 1, 3, 4, 5])


def test_scores_may_be_so_small_that_their_squares_are_0() -> None:
    human, first, second = [1, 2, 3, 4, 7], [1, 3, 2, 4, 9], [2, 1, 3, 5, 4]
    tiny = williams_test(1e-200 * np.array(human), 1e-190 * np.array(first), second)
    assert tiny.p == pytest.approx(williams_test(human, first, second).p, rel=1e-9)
