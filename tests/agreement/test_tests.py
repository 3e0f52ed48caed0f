"""Claims about tests of two metrics."""

from __future__ import annotations

import math
from itertools import product
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

from truebleu import _core
from truebleu.agreement.coefficients import calibrate_ties, coefficient, measure
from truebleu.agreement.tests import (
    MetricTest,
    Permutations,
    _hybrid_t,
    pair_permutation_test,
    permutation_test,
    rank_clusters,
    rank_metrics,
    sign_test,
    standardised,
    williams_test,
    williams_test_of_correlations,
)
from truebleu.errors import SettingError, UnknownNameError

if TYPE_CHECKING:
    from truebleu.agreement.coefficients import Grouping
    from truebleu.resampling import Values
    from truebleu.schema import Alternative


def two_metrics(
    seed: int, systems: int, segments: int, noise: tuple[float, float] = (1.0, 1.0)
) -> tuple[Values, Values, Values]:
    """People who give whole points, and two metrics that are people plus noise."""
    random = np.random.default_rng(seed)
    truth = random.normal(size=(systems, segments))
    human = np.round(2 * truth)
    first, second = (truth + amount * random.normal(size=truth.shape) for amount in noise)
    return human, first, second


def plain_p(human: Values, first: Values, second: Values, name: str, grouping: Grouping) -> float:
    """p over all permutations, by the definition."""
    rated = np.argwhere(~np.isnan(human))
    z = [standardised(metric, human) for metric in (first, second)]

    def difference(one: Values, other: Values) -> float:
        values = [measure(human, metric, name, grouping=grouping).value for metric in (one, other)]
        assert values[0] is not None
        assert values[1] is not None
        return values[1] - values[0]

    observed = difference(*z)
    differences = []
    for coins in product((False, True), repeat=len(rated)):
        one, other = z[0].copy(), z[1].copy()
        for (system, segment), coin in zip(rated, coins, strict=True):
            if coin:
                one[system, segment], other[system, segment] = (
                    z[1][system, segment],
                    z[0][system, segment],
                )
        differences.append(difference(one, other))
    return float(np.mean([abs(value) >= abs(observed) - 1e-9 for value in differences]))


@pytest.mark.parametrize("name", ["pearson", "kendall-b", "acc-eq", "acc-eq:calibrated"])
@pytest.mark.parametrize("grouping", ["none", "item", "system"])
def test_all_permutations_agree_with_the_plain_definition(name: str, grouping: Grouping) -> None:
    human, first, second = two_metrics(3, 3, 3)
    human[0, 0] = np.nan
    human[1, 1:] = [0.0, 5.0]
    expected = plain_p(human, first, second, name, grouping)
    tested = permutation_test(human, first, second, coefficient(name, grouping=grouping))
    assert (tested.exact, tested.permutations) == (True, 2**8)
    assert tested.p == pytest.approx(expected, abs=1e-12)


def test_random_permutations_come_near_all_of_them() -> None:
    scores = two_metrics(4, 12, 1)
    by = coefficient("kendall-b")
    exact = permutation_test(*scores, by)
    drawn = permutation_test(*scores, by, permutations=4000)
    assert (exact.exact, drawn.exact) == (True, False)
    assert exact.p is not None
    # Four standard errors of a share of 4,000.
    assert drawn.p == pytest.approx(exact.p, abs=4 * (exact.p * (1 - exact.p) / 4000) ** 0.5)


def test_equally_good_metrics_are_told_apart_one_time_in_twenty() -> None:
    # People and two metrics that are the truth plus equal noise; 4 systems, 40 segments.
    by = coefficient("acc-eq:calibrated", grouping="item")
    runs = 400
    p_values = [
        permutation_test(*two_metrics(seed, 4, 40), by, permutations=199).p or 0.0
        for seed in range(runs)
    ]
    rejected = np.mean([p <= 0.05 for p in p_values])
    # Three standard errors of a share of 400 around 0.05.
    assert abs(rejected - 0.05) < 3 * (0.05 * 0.95 / runs) ** 0.5


def test_a_better_metric_is_found_and_its_opposite_is_not() -> None:
    scores = two_metrics(5, 8, 100, noise=(3.0, 0.5))
    by = coefficient("acc-eq:calibrated", grouping="item")
    p = {
        alternative: permutation_test(*scores, by, permutations=999, alternative=alternative).p
        for alternative in ("greater", "less", "two-sided")
    }
    assert p == {"greater": 0.001, "less": 1.0, "two-sided": 0.001}


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_a_metric_against_its_copy_has_p_1(alternative: Alternative) -> None:
    human, first, _ = two_metrics(6, 5, 20)
    by = coefficient("kendall-b", grouping="item")
    tested = permutation_test(human, first, first, by, permutations=99, alternative=alternative)
    assert (tested.difference, tested.p) == (0.0, 1.0)
    # A multiple is a copy once it is standardised, but for rounding.
    tested = permutation_test(
        human, first, 3 * first + 7, by, permutations=99, alternative=alternative
    )
    assert tested.p == 1.0


def test_p_is_never_0() -> None:
    human, first, _ = two_metrics(7, 5, 30, noise=(5.0, 1.0))
    tested = permutation_test(human, first, human, coefficient("pearson"), permutations=199)
    assert tested.p == 1 / 200


@pytest.mark.usefixtures("restored_threads")
def test_a_seed_fixes_p_on_any_threads() -> None:
    scores = two_metrics(8, 5, 30)
    by = coefficient("acc-eq:calibrated", grouping="item")
    found = []
    for count in (1, 2, 5):
        _core.set_threads(count)
        found.append(permutation_test(*scores, by, permutations=200))
    assert found[0] == found[1] == found[2]
    assert permutation_test(*scores, by, permutations=200, seed=1).p != found[0].p


def test_scores_of_unrated_cells_are_ignored() -> None:
    human, first, second = two_metrics(9, 5, 30)
    human[2, ::3] = np.nan
    by = coefficient("pearson")
    other = np.where(np.isnan(human), 1000.0, second)
    assert permutation_test(human, first, other, by, permutations=200) == permutation_test(
        human, first, second, by, permutations=200
    )


def test_relabelling_systems_and_segments_changes_nothing() -> None:
    random = np.random.default_rng(10)
    scores = two_metrics(10, 3, 4)
    by = coefficient("acc-eq:calibrated", grouping="item")
    systems, segments = random.permutation(3), random.permutation(4)
    human, first, second = (matrix[systems][:, segments] for matrix in scores)
    assert permutation_test(*scores, by).p == permutation_test(human, first, second, by).p


def test_a_constant_metric_is_undefined_in_words() -> None:
    human, first, _ = two_metrics(11, 4, 5)
    tested = permutation_test(
        human, first, np.ones_like(first), coefficient("pearson"), permutations=99
    )
    assert (tested.p, tested.difference) == (None, None)
    assert tested.reason == "the coefficient of metric 2 is undefined"


def test_hybrids_without_a_value_count_as_extreme() -> None:
    # Swapping one cell of two makes both hybrids constant: no correlation.
    tested = permutation_test([1.0, 2.0], [1.0, 2.0], [2.0, 1.0], coefficient("pearson"))
    assert (tested.permutations, tested.undefined) == (4, 2)
    # Metric 2 correlates at -1, metric 1 at 1; every outcome is at least as good for metric 2.
    assert tested.p == 1.0


def test_thresholds_of_one_unit_are_refused_for_permuted_scores() -> None:
    human, first, second = two_metrics(12, 3, 4)
    with pytest.raises(SettingError, match="calibrated"):
        permutation_test(human, first, second, coefficient("acc-eq:0.5", grouping="item"))
    with pytest.raises(SettingError, match="permutations"):
        permutation_test(human, first, second, coefficient("pearson"), permutations=0)
    with pytest.raises(SettingError, match="seed"):
        permutation_test(human, first, second, coefficient("pearson"), seed=-1)
    with pytest.raises(UnknownNameError, match="alternative"):
        permutation_test(human, first, second, coefficient("pearson"), alternative="more")


@pytest.mark.parametrize(("coins", "heads"), [(1, 1), (7, 3), (10, 0), (61, 40), (400, 201)])
def test_the_sign_test_is_the_sum_of_the_binomial_terms(coins: int, heads: int) -> None:
    exact = sum(comb(coins, k) for k in range(heads, coins + 1)) / 2**coins
    assert sign_test(coins - heads, heads, "greater") == pytest.approx(exact, rel=1e-12)
    assert sign_test(heads, coins - heads, "less") == pytest.approx(exact, rel=1e-12)


def test_no_outcome_of_a_sign_test_is_impossible() -> None:
    assert 0 < sign_test(100_000, 900_000, "greater") < 1e-300
    assert sign_test(5, 5) == 1
    assert sign_test(6, 13) == pytest.approx(2 * sign_test(6, 13, "greater"), rel=1e-12)


def test_outcomes_of_unequal_groups_are_permuted_by_weight() -> None:
    human, first, second = two_metrics(14, 5, 30)
    human[0, :15] = np.nan
    found = pair_permutation_test(human, first, second, permutations=4000)
    assert (found.exact, found.permutations) == (False, 4000)
    # Each pair weighs one over the pairs of its group: the distribution of a weighted sum of signs.
    random = np.random.default_rng(14)
    groups = outcome_differences(human, first, second)
    weights = np.concatenate(
        [np.full(int(np.abs(group).sum()), 1 / len(group)) for group in groups]
    )
    observed = sum(group.sum() / len(group) for group in groups)
    signs = random.choice([-1.0, 1.0], size=(20_000, len(weights)))
    expected = float(np.mean(np.abs(signs @ weights) >= abs(observed) - 1e-9))
    assert found.p == pytest.approx(expected, abs=4 * (expected * (1 - expected) / 3300) ** 0.5)
    assert found.difference == pytest.approx(observed / 30, abs=1e-12)


def outcome_differences(human: Values, first: Values, second: Values) -> list[Values]:
    """For each pair of each item, whether metric 2 has it right, less whether metric 1 has."""
    right = []
    for metric in (first, second):
        ties = calibrate_ties(human, metric)
        assert ties is not None
        rows = []
        for item in range(human.shape[1]):
            cells = np.flatnonzero(~np.isnan(human[:, item]))
            pairs = [(a, b) for a in cells for b in cells if a < b]
            row = []
            for a, b in pairs:
                h = human[a, item] - human[b, item]
                m = metric[a, item] - metric[b, item]
                tied = abs(m) <= ties.epsilon
                row.append(tied if h == 0 else not tied and h * m > 0)
            rows.append(np.array(row, dtype=float))
        right.append(rows)
    return [two - one for one, two in zip(*right, strict=True)]


def test_permuting_outcomes_of_pairs_rejects_equally_good_metrics_too_often() -> None:
    # Pairs that share an output are not independent: with 8 systems it is 12 % instead of 5 %.
    runs = 400
    p_values = [pair_permutation_test(*two_metrics(seed, 8, 50)).p or 0.0 for seed in range(runs)]
    rejected = float(np.mean([p <= 0.05 for p in p_values]))
    # Three standard errors of a share of 400.
    assert rejected == pytest.approx(0.12, abs=3 * (0.12 * 0.88 / runs) ** 0.5)


def test_metrics_that_call_everything_a_tie_are_not_told_apart() -> None:
    human = np.zeros((3, 5))
    human[0, 0] = 1
    _, first, second = two_metrics(15, 3, 5)
    first[0, 0], second[0, 0] = -9, -9
    found = pair_permutation_test(human, first, second)
    assert found.p == 1.0
    assert found.reason is not None
    assert "nothing to test" in found.reason


@pytest.mark.parametrize("name", ["acc-eq", "acc-eq:calibrated", "kendall-b", "tau-14", "pearson"])
def test_a_metric_in_another_unit_is_no_other_metric(name: str) -> None:
    rng = np.random.default_rng(5)
    human = -rng.integers(0, 4, (6, 40)).astype(float)
    metric = 0.1 * rng.integers(0, 5, (6, 40))
    by = coefficient(name, grouping="item")
    # Standardised, both differ in their last digits, which must not break the ties of hybrids.
    assert permutation_test(human, metric, 3 * metric + 0.7, by, permutations=200).p == 1.0


# Williams' test.


def test_correlations_ignore_unrated_cells() -> None:
    random = np.random.default_rng(1)
    human, first, second = random.normal(size=(3, 4, 10))
    human[1, :5] = np.nan
    first[1, :5] = np.nan
    rated = ~np.isnan(human)
    tested = williams_test(human, first, second)
    pairs = ((human, first), (human, second), (first, second))
    r1, r2, r12 = (stats.pearsonr(a[rated], b[rated])[0] for a, b in pairs)
    assert tested.difference == pytest.approx(r2 - r1, abs=1e-12)
    expected = williams_test_of_correlations(r1, r2, r12, 35)
    assert (tested.t, tested.p) == pytest.approx((expected.t, expected.p), abs=1e-12)


def test_swapping_the_metrics_negates_t() -> None:
    better, worse = (
        williams_test_of_correlations(*pair, 0.6, 50, alternative="two-sided")
        for pair in ((0.3, 0.5), (0.5, 0.3))
    )
    assert better.t is not None
    assert better.t > 0
    assert worse.t == -better.t
    assert worse.p == better.p
    one_sided = williams_test_of_correlations(0.3, 0.5, 0.6, 50, alternative="greater")
    assert one_sided.p is not None
    assert better.p == 2 * one_sided.p
    less = williams_test_of_correlations(0.5, 0.3, 0.6, 50, alternative="less")
    assert less.p == one_sided.p


@pytest.mark.slow
def test_williams_test_tells_equally_good_metrics_apart_one_time_in_twenty() -> None:
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
    tested = williams_test(human, metric, 5 * metric + 1)
    assert (tested.t, tested.p) == (0.0, 1.0)
    one_sided = williams_test(human, metric, 5 * metric + 1, alternative="greater")
    assert one_sided.p == 0.5


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
def test_tests_without_a_p_value_have_a_reason(
    human: list[float], first: list[float], reason: str
) -> None:
    tested = williams_test(human, first, [2, 4, 1, 3, 5])
    assert tested.p is None
    assert tested.reason is not None
    assert reason in tested.reason


def test_scores_of_another_shape_are_refused() -> None:
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


# Ranks.


def with_p(p: float) -> MetricTest:
    return MetricTest(difference=0.1, p=p, method="scores")


def test_a_metric_is_held_against_its_own_cluster_only() -> None:
    # The first beats all others; of those, only the second beats the last.
    p = [[0.0, 0.04, 0.04, 0.04], [0.0, 0.0, 0.2, 0.01], [0.0, 0.0, 0.0, 0.5], [0.0] * 4]
    assert rank_clusters(p, 0.05) == [1, 2, 2, 3]


def test_nothing_to_rank_is_no_error() -> None:
    assert rank_clusters([[0.0]]) == [1]
    assert rank_metrics({}, lambda *_: with_p(1.0))[0] == {}


def test_metrics_are_sorted_by_value_and_then_by_name() -> None:
    ranking = rank_metrics({"c": 0.1, "b": 0.3, "a": 0.1}, lambda *_: with_p(1.0))
    assert list(ranking[0].items()) == [("b", 1), ("a", 1), ("c", 1)]


def test_the_better_metric_is_tested_against_the_worse() -> None:
    asked = []

    def test(better: str, worse: str) -> MetricTest:
        asked.append((better, worse))
        return with_p(0.01)

    rank_metrics({"low": 0.1, "high": 0.3, "middle": 0.2}, test)
    assert asked == [("high", "middle"), ("high", "low"), ("middle", "low")]


def test_a_correction_for_all_pairs_joins_what_chance_may_have_parted() -> None:
    # Holm: 3 * 0.02 and 2 * 0.03 are above 0.05.
    p = {("a", "b"): 0.02, ("a", "c"): 0.03, ("b", "c"): 0.5}
    values = {"a": 0.3, "b": 0.2, "c": 0.1}
    plain = rank_metrics(values, lambda better, worse: with_p(p[better, worse]))
    corrected = rank_metrics(
        values, lambda better, worse: with_p(p[better, worse]), correction="holm"
    )
    assert plain[0] == {"a": 1, "b": 2, "c": 2}
    assert corrected[0] == {"a": 1, "b": 1, "c": 1}
    assert [pair.p_adjusted for pair in corrected[1]] == pytest.approx([0.06, 0.06, 0.5])
    assert [pair.p for pair in corrected[1]] == pytest.approx([0.02, 0.03, 0.5])
    assert not any(pair.significant for pair in corrected[1])


def test_a_metric_without_a_value_has_no_rank() -> None:
    ranking = rank_metrics({"a": None, "b": 0.2, "c": 0.1}, lambda *_: with_p(0.001))
    assert list(ranking[0].items()) == [("b", 1), ("c", 2), ("a", None)]


def test_invalid_p_values_raise() -> None:
    with pytest.raises(SettingError, match="from 0 to 1"):
        rank_clusters([[0.0, 1.2], [0.0, 0.0]])
    with pytest.raises(SettingError, match="square"):
        rank_clusters([[0, 0.2]])
    with pytest.raises(UnknownNameError, match="correction"):
        rank_metrics({"a": 0.1, "b": 0.2}, lambda *_: with_p(0.1), correction="none at all")


def test_studentized_correlations_of_few_systems_hold_their_level() -> None:
    rng = np.random.default_rng(1)
    by, trials = coefficient("pearson"), 400
    rejected = {False: 0, True: 0}
    for _ in range(trials):
        human = rng.normal(size=8)
        first, second = (4 * human + rng.normal(size=8) for _ in range(2))
        for studentized in rejected:
            test = permutation_test(
                human, first, 7 * second, by, unit="system", studentized=studentized
            )
            assert test.exact
            assert test.p is not None
            rejected[studentized] += test.p <= 0.05
    # The plain differences reject 7 % of the time.
    assert rejected[True] < rejected[False]
    assert rejected[True] / trials < 0.06
    with pytest.raises(SettingError, match="Pearson's r without groups"):
        permutation_test(human, first, second, coefficient("kendall-b"), studentized=True)


def test_the_studentized_statistic_of_no_swap_is_williams_own() -> None:
    rng = np.random.default_rng(2)
    human, first, second = rng.normal(size=(3, 9))
    t = _hybrid_t(human, first, second, Permutations(unit="system"))
    assert t[0] == t[1] == pytest.approx(williams_test(human, first, second).t)
    # All swaps are the other way round.
    assert t[-1] == pytest.approx(-t[0])
    first, second = ((scores - scores.mean()) / scores.std() for scores in (first, second))
    swapped = np.arange(9) == 0
    hybrids = np.where(swapped, second, first), np.where(swapped, first, second)
    assert t[2] == pytest.approx(williams_test(human, *hybrids).t)
