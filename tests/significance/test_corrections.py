"""Claims about corrections for many comparisons, Tukey's and Scheffé's tests among them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy import stats

from truebleu.errors import SettingError, UnknownNameError
from truebleu.schema import ALTERNATIVES, Alternative
from truebleu.significance.corrections import (
    CORRECTIONS,
    P_VALUE_CORRECTIONS,
    adjust,
    adjusted_alphas,
    default_correction,
    error_variance,
    experimentwise_error,
    scheffe_p,
    tukey_p,
    westfall_young,
)
from truebleu.significance.tests import randomization_p

Floats = NDArray[np.float64]

P_VALUES = arrays(np.float64, st.integers(1, 30), elements=st.floats(0, 1))


@pytest.mark.parametrize("method", P_VALUE_CORRECTIONS)
@given(p=P_VALUES)
def test_p_is_at_most_its_own_alpha_exactly_if_the_adjusted_p_is_at_most_alpha(
    p: Floats, method: str
) -> None:
    adjusted = adjust(p, method)
    alphas = adjusted_alphas(p, adjusted, method, 0.05)
    assert_array_equal(p <= alphas, adjusted <= 0.05)
    assert (alphas <= 0.05).all()


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("none", [0.05] * 5),
        ("bonferroni", [0.01] * 5),
        # Two of five are rejected, at 0.05 / 5 and 0.05 / 4; three are left.
        ("holm", [0.05 / 3, 0.05 / 4, 0.05 / 3, 0.05 / 5, 0.05 / 3]),
        ("bh", [0.03, 0.02, 0.03, 0.02, 0.03]),
    ],
)
def test_alphas_of_intervals_are_those_of_the_steps(method: str, expected: list[float]) -> None:
    p = np.array([0.6, 0.012, 0.04, 0.001, 0.3])
    assert_allclose(adjusted_alphas(p, adjust(p, method), method, 0.05), expected)


def test_the_experimentwise_error_is_riezler_and_maxwells() -> None:
    # §4.4: 15 systems make 105 comparisons; 5 comparisons at .015 make about .07.
    assert experimentwise_error(0.05, 105) == pytest.approx(0.9954, abs=5e-5)
    assert experimentwise_error(0.015, 5) == pytest.approx(0.07, abs=5e-3)
    assert experimentwise_error(0.05, 1) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("none", [0.04, 0.001, 0.03, 0.03, 0.2, 0.0125]),
        # statsmodels 0.15.0, multipletests(p, method=...)[1]: bonferroni, holm, fdr_bh.
        ("bonferroni", [0.24, 0.006, 0.18, 0.18, 1.0, 0.075]),
        ("holm", [0.12, 0.006, 0.12, 0.12, 0.2, 0.0625]),
        ("bh", [0.048, 0.006, 0.045, 0.045, 0.2, 0.0375]),
    ],
)
def test_adjusted_p_values_agree_with_statsmodels(method: str, expected: list[float]) -> None:
    assert_allclose(adjust([0.04, 0.001, 0.03, 0.03, 0.2, 0.0125], method), expected, rtol=1e-12)


def test_benjamini_and_hochbergs_example_rejects_as_published() -> None:
    # Benjamini & Hochberg (1995, §4.1): 15 hypotheses at .05; Bonferroni rejects the
    # first three, their procedure the first four.
    p_values = [
        *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
        *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000),
    ]
    assert np.count_nonzero(adjust(p_values, "bonferroni") <= 0.05) == 3
    assert np.count_nonzero(adjust(p_values, "bh") <= 0.05) == 4


@given(P_VALUES)
def test_the_false_discovery_correction_agrees_with_scipy(p_values: Floats) -> None:
    assert_allclose(adjust(p_values, "bh"), stats.false_discovery_control(p_values), atol=1e-12)


@given(P_VALUES)
def test_corrections_are_ordered_by_conservatism(p_values: Floats) -> None:
    adjusted: dict[str, Floats] = {name: adjust(p_values, name) for name in P_VALUE_CORRECTIONS}
    for less, more in pairwise(("none", "bh", "holm", "bonferroni")):
        assert (adjusted[less] <= adjusted[more] + 1e-12).all(), (less, more)


@pytest.mark.parametrize("method", P_VALUE_CORRECTIONS)
@given(p_values=P_VALUES, data=st.data())
def test_the_order_of_the_comparisons_does_not_matter(
    method: str, p_values: Floats, data: st.DataObject
) -> None:
    order = np.array(data.draw(st.permutations(range(len(p_values)))))
    assert_array_equal(adjust(p_values[order], method), adjust(p_values, method)[order])


@pytest.mark.parametrize("method", P_VALUE_CORRECTIONS)
def test_one_comparison_needs_no_correction(method: str) -> None:
    assert_allclose(adjust([0.03], method), [0.03], rtol=1e-14)
    assert len(adjust([], method)) == 0


def test_an_unknown_correction_is_refused_with_a_guess() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'holm'"):
        adjust([0.1], "holms")
    with pytest.raises(SettingError, match=r"p_values: 1\.5"):
        adjust([0.1, 1.5], "holm")


# Westfall & Young


def plain_westfall_young(observed: Floats, null: Floats) -> list[float]:
    """The two-sided step-down maximum, written out comparison by comparison."""
    deviations = [null[:, i].std() for i in range(len(observed))]
    sizes = [abs(d) / s for d, s in zip(observed, deviations, strict=True)]
    adjusted = [0.0] * len(observed)
    remaining, least = sorted(range(len(observed)), key=lambda i: -sizes[i]), 0.0
    while remaining:
        count = 1
        for replicate in null:
            count += (
                max(abs(replicate[i]) / deviations[i] for i in remaining) >= sizes[remaining[0]]
            )
        least = max(least, count / (len(null) + 1))
        adjusted[remaining.pop(0)] = least
    return adjusted


def swapped(seed: int, comparisons: int, gain: float = 0.0) -> tuple[Floats, Floats]:
    """Observed mean differences, and those after shared random swaps."""
    rng = np.random.default_rng(seed)
    gains = rng.normal(size=(40, comparisons)) * np.arange(1, comparisons + 1) + gain
    signs = rng.choice([-1.0, 1.0], size=(199, 40))
    return gains.mean(axis=0), signs @ gains / 40


@pytest.mark.parametrize("seed", range(4))
def test_westfall_young_agrees_with_its_plain_definition(seed: int) -> None:
    observed, null = swapped(seed, 5, gain=0.5)
    assert_allclose(westfall_young(observed, null), plain_westfall_young(observed, null))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("exact", [False, True])
def test_westfall_young_of_one_comparison_is_its_own_p_value(
    alternative: Alternative, exact: bool
) -> None:
    for seed in range(5):
        observed, null = swapped(seed, 1, gain=0.2)
        assert_array_equal(
            westfall_young(observed, null, alternative, exact=exact),
            randomization_p(observed, null, alternative, exact=exact),
        )


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_duplicates_of_a_comparison_do_not_raise_p(alternative: Alternative) -> None:
    observed, null = swapped(1, 1, gain=0.2)
    copies = westfall_young(np.repeat(observed, 4), np.repeat(null, 4, axis=1), alternative)
    assert_array_equal(copies, np.repeat(randomization_p(observed, null, alternative), 4))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_westfall_young_is_never_below_the_uncorrected_p(alternative: Alternative) -> None:
    for seed in range(20):
        observed, null = swapped(seed, 6, gain=0.3)
        alone = randomization_p(observed, null, alternative)
        assert (westfall_young(observed, null, alternative) >= alone).all()


def test_the_unit_of_a_comparison_does_not_matter() -> None:
    observed, null = swapped(2, 3, gain=0.5)
    units = np.array([1.0, 100.0, 0.001])
    assert_allclose(westfall_young(observed * units, null * units), westfall_young(observed, null))


def test_a_pair_of_identical_systems_has_p_1_and_changes_no_other() -> None:
    observed, null = swapped(3, 3, gain=0.5)
    with_copies = westfall_young(
        np.append(observed, 0.0), np.column_stack([null, np.zeros(len(null))])
    )
    assert_allclose(with_copies, [*westfall_young(observed, null), 1.0])


def test_a_difference_that_never_varies_is_as_clear_as_the_replicates_allow() -> None:
    observed, null = swapped(3, 2)
    adjusted = westfall_young(
        np.append(observed, 2.0), np.column_stack([null, np.zeros(len(null))])
    )
    assert adjusted[2] == 1 / 200
    assert adjusted[0] == westfall_young(observed, null)[0]


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


def test_the_error_variance_equals_a_textbook_analysis_of_variance() -> None:
    # Table 4.4 there: error sum of squares 109.89 with 15 degrees of freedom, mean square 7.33.
    assert error_variance(GRAFTS) == pytest.approx(7.33, abs=0.005)
    assert error_variance(GRAFTS) * 15 == pytest.approx(109.89, abs=0.005)


def test_tukeys_decisions_agree_with_the_tabled_studentised_range() -> None:
    # Tables of the studentised range, 4 means and 15 degrees of freedom: 4.08 (.05), 5.25 (.01).
    means = GRAFTS.mean(axis=0)
    distances = np.abs(means[:, None] - means) / np.sqrt(7.33 / 6)
    p = tukey_p(GRAFTS)
    assert_array_equal(p <= 0.05, distances >= 4.08)
    assert_array_equal(p <= 0.01, distances >= 5.25)
    assert np.count_nonzero(p <= 0.05) == 4  # the highest pressure against the two lowest


def test_scheffes_decisions_agree_with_the_tabled_f() -> None:
    # Tables of F with 3 and 15 degrees of freedom: 3.29 (.05), 5.42 (.01).
    means = GRAFTS.mean(axis=0)
    distances = np.abs(means[:, None] - means) / np.sqrt(2 * 7.33 / 6)
    p = scheffe_p(GRAFTS)
    assert_array_equal(p <= 0.05, distances >= np.sqrt(3 * 3.29))
    assert_array_equal(p <= 0.01, distances >= np.sqrt(3 * 5.42))


@BOTH
def test_tukey_and_scheffe_of_two_systems_equal_the_paired_t_test(test: PairwiseTest) -> None:
    scores = np.random.default_rng(4).normal([0.0, 0.4], size=(30, 2))
    expected = stats.ttest_rel(scores[:, 0], scores[:, 1]).pvalue
    assert_allclose(test(scores), [[1, expected], [expected, 1]], rtol=1e-6)


@BOTH
def test_segment_difficulty_does_not_change_p(test: PairwiseTest) -> None:
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


@pytest.mark.slow
def test_tukey_rejects_any_of_three_true_null_hypotheses_one_time_in_twenty() -> None:
    rng = np.random.default_rng(9)
    experiments = 3 * rng.normal(size=(100, 12, 1)) + rng.normal(size=(100, 12, 3))
    rejections = sum(tukey_p(scores).min() <= 0.05 for scores in experiments)
    # 5 expected; 4 standard deviations are 9.
    assert 0 < rejections <= 14


@BOTH
def test_scores_without_error_give_p_0_or_1(test: PairwiseTest) -> None:
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


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tukey", "scheffe"])
def test_simultaneous_intervals_exclude_0_exactly_if_tukey_or_scheffe_rejects(
    name: str,
) -> None:
    rng = np.random.default_rng(8)
    for trial in range(40):
        scores = rng.normal(size=(30, 4)) + rng.uniform(0, 1.2, size=4)
        correction = CORRECTIONS[name]
        assert correction.half_width is not None
        half = correction.half_width(scores, 0.95)
        means = scores.mean(axis=0)
        apart = np.abs(means[:, None] - means) > half
        rejected = correction.adjust(scores) <= 0.05
        assert (apart == rejected).all(), trial


def test_holms_correction_is_the_default_up_to_1000_comparisons() -> None:
    assert [default_correction(count) for count in (1, 1000)] == ["holm", "holm"]
    assert default_correction(1001) == "westfall-young"
