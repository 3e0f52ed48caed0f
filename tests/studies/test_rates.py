"""Shares and their errors, against SciPy and against simulated clusters."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from truebleu.studies._rates import binomial_rate, clustered_rate, ratio_rate


@pytest.mark.parametrize(("hits", "repetitions"), [(0, 7), (97, 100), (7, 7), (250, 1000)])
def test_a_share_has_wilsons_interval(hits: int, repetitions: int) -> None:
    expected = binomtest(hits, repetitions).proportion_ci(method="wilson")
    share = binomial_rate(hits, repetitions)
    assert share.value == hits / repetitions
    assert (share.low, share.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_hits_that_always_go_together_count_once() -> None:
    hits = np.repeat(np.arange(40)[:, None] < 30, 9, axis=1)
    share = clustered_rate(hits)
    # As many as samples, less the one that the estimate of the variance takes.
    expected = ratio_rate(hits[:, 0], np.ones(40))
    assert share == expected
    wilson = binomtest(30, 40).proportion_ci(method="wilson")
    assert (share.low, share.high) == pytest.approx((wilson.low, wilson.high), abs=0.005)
    assert share.value == 0.75


def test_where_nothing_varies_samples_count_once() -> None:
    assert clustered_rate(np.ones((30, 9))) == binomial_rate(30, 30)
    assert clustered_rate(np.zeros((30, 9))) == binomial_rate(0, 30)
    # Every sample has one hit of two: still no surer than as many trials.
    assert clustered_rate(np.tile([1, 0], (30, 1))) == binomial_rate(30, 60)


def test_samples_without_a_trial_say_nothing() -> None:
    full = ratio_rate([3, 1, 4], [4, 4, 5])
    assert ratio_rate([3, 0, 1, 0, 4], [4, 0, 4, 0, 5]) == full
    assert full.value == 8 / 13


def test_intervals_of_clusters_hold_the_true_share_as_often_as_they_should() -> None:
    random = np.random.default_rng(3)
    held_by_clusters = held_by_trials = 0
    for _ in range(1000):
        totals = random.integers(0, 12, size=60)
        chances = random.beta(8, 2, size=60)  # 0.8 on average, and the same within a sample
        hits = random.binomial(totals, chances)
        held_by_clusters += ratio_rate(hits, totals).holds(0.8)
        held_by_trials += binomial_rate(int(hits.sum()), int(totals.sum())).holds(0.8)
    # Four standard errors around 95 %; taken for independent, the trials hold it less often.
    assert 0.922 < held_by_clusters / 1000 < 0.978
    assert held_by_trials / 1000 < 0.922


def test_a_share_is_written_in_percent() -> None:
    assert str(binomial_rate(97, 100)) == "97.0 % (91.5 to 99.0)"
