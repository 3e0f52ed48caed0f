"""Claims about the precision of p-values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from truebleu.errors import SettingError
from truebleu.significance.corrections import P_VALUE_CORRECTIONS, adjust
from truebleu.significance.p_values import (
    decision,
    monte_carlo_error,
    monte_carlo_interval,
    replicates_for,
    smallest_p,
)


def test_the_standard_error_is_that_of_a_share() -> None:
    # The golden values of Riezler & Maxwell's Fig. 1 record this one: c = 1570 of 10,000.
    assert monte_carlo_error(0.15708429157084292, 10_000) == pytest.approx(0.0036388022330504487)
    assert_allclose(monte_carlo_error([0.5, 1.0], 100), [0.05, 0.0])


@given(st.integers(1, 5000), st.data())
def test_the_interval_is_wilsons(replicates: int, data: st.DataObject) -> None:
    extreme = data.draw(st.integers(0, replicates))
    expected = stats.binomtest(extreme, replicates).proportion_ci(0.999, method="wilson")
    interval = monte_carlo_interval(extreme / replicates, replicates)
    assert_allclose(interval, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.001, 0.05 / 105, 1 / 3, 0.9])
def test_with_one_replicate_fewer_nothing_could_be_significant(alpha: float) -> None:
    least = replicates_for(alpha)
    assert smallest_p(least) <= alpha * (1 + 1e-12)
    assert least == 1 or smallest_p(least - 1) > alpha


def test_a_decision_is_clear_when_alpha_lies_outside() -> None:
    assert decision(0.01, 0.049, 0.05) is True
    assert decision(0.01, 0.05, 0.05) is True  # Riezler & Maxwell: less than or equal
    assert decision(0.05, 0.06, 0.05) is None
    assert decision(0.0501, 0.06, 0.05) is False


def test_a_clear_decision_is_hardly_ever_wrong() -> None:
    # True p 0.06 and 0.04, 500 replicates: a clear decision on the wrong side is a 1 in 1000.
    rng = np.random.default_rng(2)
    for true_p, wrong in ((0.06, True), (0.04, False)):
        shares = (rng.binomial(500, true_p, size=4000) + 1) / 501
        lows, highs = monte_carlo_interval(shares, 500)
        verdicts = [decision(low, high, 0.05) for low, high in zip(lows, highs, strict=True)]
        assert verdicts.count(wrong) <= 4


@pytest.mark.parametrize("method", P_VALUE_CORRECTIONS)
@given(data=st.data())
def test_corrected_bounds_are_bounds_of_the_corrected(method: str, data: st.DataObject) -> None:
    shares = st.floats(0, 1)
    triples = data.draw(st.lists(st.tuples(shares, shares, shares).map(sorted), min_size=1))
    low, middle, high = (adjust(p, method) for p in zip(*triples, strict=True))
    assert (low <= middle + 1e-12).all()
    assert (middle <= high + 1e-12).all()


def test_no_replicates_are_refused() -> None:
    with pytest.raises(SettingError, match="replicates: found 0"):
        smallest_p(0)
