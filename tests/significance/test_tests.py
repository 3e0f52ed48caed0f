"""Claims about the table of tests, p-values, and how sure they are."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy import stats

from truebleu import _core
from truebleu.errors import SettingError, UnknownNameError
from truebleu.schema import ALTERNATIVES, Alternative
from truebleu.significance.corrections import P_VALUE_CORRECTIONS, adjust
from truebleu.significance.tests import (
    REPLICATE_TESTS,
    BootstrapTest,
    absolute_bootstrap_p,
    bootstrap_wins,
    decision,
    find_test,
    monte_carlo_error,
    monte_carlo_interval,
    randomization_p,
    replicates_for,
    shifted_bootstrap_p,
    smallest_p,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Floats = NDArray[np.float64]

DIFFERENCES = arrays(np.float64, st.integers(1, 60), elements=st.floats(-50, 50))


def all_swaps(gains: Floats) -> Floats:
    """The mean difference after every possible choice of segments to swap."""
    signs = np.array(list(product([1, -1], repeat=len(gains))))
    return np.asarray(signs @ gains / len(gains))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("seed", range(3))
def test_exact_randomization_agrees_with_scipys_permutation_test(
    alternative: Alternative, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 6, size=(2, 8)).astype(float)
    expected = stats.permutation_test(
        (first, second),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
        alternative=alternative,
    ).pvalue
    gains = first - second
    p = randomization_p(gains.mean(), all_swaps(gains), alternative, exact=True)
    assert p == pytest.approx(expected, rel=1e-12)


def test_the_observed_counts_as_one_more_replicate() -> None:
    # Riezler & Maxwell (2005, Fig. 1): p = (c + 1) / (R + 1), c counts >=.
    swapped = [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 1.5, 0.5]
    assert randomization_p(2.0, swapped) == (4 + 1) / (9 + 1)
    assert randomization_p(2.0, swapped, "greater") == (2 + 1) / (9 + 1)
    assert randomization_p(2.0, swapped, "less") == (8 + 1) / (9 + 1)


def test_the_absolute_form_is_riezler_and_maxwells_figure_2() -> None:
    # |d_b| are 4, 2, 1, 1 with mean 2; centred 2, 0, -1, -1; one of them is >= 1.
    assert absolute_bootstrap_p(1.0, [4.0, -2.0, 1.0, -1.0]) == (1 + 1) / 5


def test_the_signed_form_centres_on_the_observed_difference() -> None:
    # d_b - d are 3, -3, 0, -2: one is >= 2, three are >= 2 in size, three are <= 2.
    observed, replicates = 2.0, [5.0, -1.0, 2.0, 0.0]
    assert shifted_bootstrap_p(observed, replicates) == (3 + 1) / 5
    assert shifted_bootstrap_p(observed, replicates, "greater") == (1 + 1) / 5
    assert shifted_bootstrap_p(observed, replicates, "less") == (3 + 1) / 5


P_VALUES: list[Callable[[float, Floats], Floats]] = [
    randomization_p,
    shifted_bootstrap_p,
    absolute_bootstrap_p,
    lambda observed, differences: randomization_p(observed, differences, exact=True),
    lambda observed, differences: randomization_p(observed, differences, "greater"),
    lambda observed, differences: shifted_bootstrap_p(observed, differences, "less"),
]


@pytest.mark.parametrize("p_value", P_VALUES)
def test_a_system_against_its_copy_has_a_p_value_of_1(
    p_value: Callable[[float, Floats], Floats],
) -> None:
    assert p_value(0.0, np.zeros(1000)) == 1


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_rounding_errors_are_ties(alternative: Alternative) -> None:
    rounding = np.random.default_rng(3).normal(size=1000) * 1e-14
    observed = 3e-14 if alternative != "less" else -3e-14
    assert randomization_p(observed, rounding, alternative, scale=35.0) == 1
    assert shifted_bootstrap_p(observed, rounding, alternative, scale=35.0) == 1
    # Adding up 0.1 three times in another order must not lose the tie.
    assert randomization_p(0.1 + 0.2, [0.3, -0.3], "greater") == 2 / 3


@given(st.floats(-50, 50), DIFFERENCES)
def test_swapping_the_names_only_reverses_the_sides(observed: float, differences: Floats) -> None:
    for p_value in (randomization_p, shifted_bootstrap_p):
        assert p_value(observed, differences) == p_value(-observed, -differences)
        assert p_value(observed, differences, "greater") == p_value(-observed, -differences, "less")
    absolute = absolute_bootstrap_p(observed, differences)
    assert absolute == absolute_bootstrap_p(-observed, -differences)
    assert bootstrap_wins(differences) == pytest.approx(1 - bootstrap_wins(-differences))


@given(st.floats(-50, 50), DIFFERENCES)
def test_p_values_lie_from_the_smallest_possible_to_1(observed: float, differences: Floats) -> None:
    least = 1 / (len(differences) + 1)
    for p_value in P_VALUES[:3]:
        assert least <= p_value(observed, differences) <= 1


def test_comparisons_side_by_side_have_the_p_values_they_have_alone() -> None:
    rng = np.random.default_rng(8)
    observed, differences = rng.normal(size=4), rng.normal(size=(300, 4))
    for p_value in P_VALUES:
        together = p_value(observed, differences)  # type: ignore[arg-type]
        alone = [p_value(observed[i], differences[:, i]) for i in range(4)]
        assert_allclose(together, alone, rtol=0)


def test_wins_count_a_tie_as_half() -> None:
    assert bootstrap_wins([1.0, 2.0, 0.0, -1.0]) == 2.5 / 4
    assert bootstrap_wins(np.zeros(1000)) == 0.5


# Margins


# What cannot be asked


def test_invalid_arguments_are_rejected() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'two-sided'"):
        randomization_p(1.0, [1.0], "twosided")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="'two-sided' with absolute differences"):
        absolute_bootstrap_p(1.0, [1.0], "greater")
    with pytest.raises(SettingError, match="at least one replicate"):
        randomization_p(1.0, [])
    with pytest.raises(SettingError, match=r"observed: \(2,\)"):
        randomization_p([1.0, 2.0], [[1.0], [2.0]])


def test_the_standard_error_is_the_binomial_one() -> None:
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
def test_replicates_for_is_the_minimum_for_significance(alpha: float) -> None:
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


def test_zero_replicates_are_rejected() -> None:
    with pytest.raises(SettingError, match="replicates: 0"):
        smallest_p(0)


def test_an_unknown_test_is_named_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="known: ar, scaled, bootstrap, bootstrap-absolute"):
        find_test("sign")


def drawn(seed: int, shift: float) -> tuple[Floats, Floats]:
    """Replicates of a difference, and the difference itself."""
    replicates = np.random.default_rng(seed).normal(shift, 1.0, size=(1999, 1))
    return np.array([shift]), replicates


@pytest.mark.parametrize("name", ["wins", "interval"])
@pytest.mark.parametrize("shift", [-3.0, -1.8, -1.5, -0.2, 0.0, 1.6, 1.7, 1.95, 2.0, 2.2])
def test_the_papers_rules_and_their_intervals_agree(name: str, shift: float) -> None:
    test, (observed, replicates) = REPLICATE_TESTS[name], drawn(3, shift)
    assert isinstance(test, BootstrapTest)
    p = test.p_values(observed, replicates)
    rank = _core.critical_rank(1999, 0.05, exact=False)
    below, above = test.half_widths(observed, replicates, "two-sided", rank)
    low, high = observed - below, observed + above
    assert ((low > 0) | (high < 0)).tolist() == (p <= 0.05).tolist()


def test_koehns_rule_counts_replicates_and_the_interval_rule_is_twice_as_strict() -> None:
    observed, replicates = drawn(4, 1.8)
    share = float((replicates <= 0).mean())
    assert REPLICATE_TESTS["wins"].p_values(observed, replicates) == pytest.approx(
        [share], abs=1e-3
    )
    assert REPLICATE_TESTS["interval"].p_values(observed, replicates) == pytest.approx(
        [2 * share], abs=2e-3
    )
    assert share <= 0.05 < 2 * share
