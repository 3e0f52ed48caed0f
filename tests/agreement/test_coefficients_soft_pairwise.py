"""Claims about soft pairwise accuracy: its value, intervals and tests."""

from __future__ import annotations

from itertools import combinations, product
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from truebleu import _core
from truebleu.agreement import bootstrap, coefficients
from truebleu.agreement.bootstrap import Draws, bootstrap_soft_pairwise
from truebleu.agreement.coefficients import (
    paired_permutations,
    paired_systems,
    soft_pairwise_accuracy,
)
from truebleu.agreement.tests import soft_pairwise_test
from truebleu.errors import SettingError
from truebleu.resampling import Bootstrap, Swaps, Units

if TYPE_CHECKING:
    from truebleu.agreement.coefficients import MetricAgreement
    from truebleu.resampling import Values


def accuracy_of(human: Any, metric: Any, **settings: Any) -> MetricAgreement:
    """Soft pairwise accuracy of one metric."""
    return soft_pairwise_accuracy(human, {"metric": metric}, **settings)["metric"]


def plain_p(first: Values, second: Values) -> float:
    """The share of all signs whose sum is no less than the observed, by enumeration."""
    differences = first - second
    sums = [float(np.dot(w, differences)) for w in product((-1, 1), repeat=len(differences))]
    return sum(total >= float(differences.sum()) - 1e-9 for total in sums) / len(sums)


def plain_accuracy(human: Values, metric: Values) -> float:
    agreements = []
    for a, b in combinations(range(len(human)), 2):
        both = ~np.isnan(human[a]) & ~np.isnan(human[b])
        people = plain_p(human[a, both], human[b, both])
        scores = plain_p(metric[a, both], metric[b, both])
        agreements.append(1 - abs(people - scores))
    return float(np.mean(agreements))


def some_scores(seed: int, systems: int = 4, segments: int = 8) -> tuple[Values, Values]:
    random = np.random.default_rng(seed)
    human = random.integers(-5, 1, (systems, segments)) / 10
    return human, human + random.normal(0, 0.3, human.shape).round(1)


def with_gaps(human: Values, seed: int) -> Values:
    gaps = np.random.default_rng(seed).random(human.shape) < 0.25
    return np.where(gaps, np.nan, human)


@pytest.mark.parametrize("seed", range(5))
def test_complete_scores_agree_with_the_plain_definition(seed: int) -> None:
    human, metric = some_scores(seed)
    accuracy = accuracy_of(human, metric)
    assert accuracy.value == pytest.approx(plain_accuracy(human, metric), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_each_pair_uses_the_segments_rated_for_both(seed: int) -> None:
    human, metric = some_scores(seed)
    ragged = with_gaps(human, seed)
    accuracy = accuracy_of(ragged, metric)
    assert accuracy.value == pytest.approx(plain_accuracy(ragged, metric), abs=1e-12)


def test_scores_of_unrated_cells_are_ignored() -> None:
    human, metric = some_scores(1)
    ragged = with_gaps(human, 1)
    other = np.where(np.isnan(ragged), np.nan, metric)
    assert accuracy_of(ragged, other) == accuracy_of(ragged, metric)


def test_random_draws_come_near_all_draws() -> None:
    human, metric = some_scores(2, segments=14)
    exact = accuracy_of(human, metric, permutations=2**14)
    drawn = accuracy_of(human, metric, permutations=10_000)
    # Six pairs' mean of differences of two shares of 10,000 draws, each within 4 standard errors.
    assert drawn.value == pytest.approx(exact.value, abs=4 * np.sqrt(0.25 / 10_000))


def test_a_seed_fixes_the_digits_with_any_blocks_and_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    human, metric = some_scores(3, segments=40)
    ragged = with_gaps(human, 3)
    whole = [accuracy_of(one, metric, permutations=1000) for one in (human, ragged)]
    threads = _core.threads()
    for module in (bootstrap, coefficients):
        monkeypatch.setattr(module, "BLOCK_SIZE", 100)
    _core.set_threads(1)
    try:
        parts = [accuracy_of(one, metric, permutations=1000) for one in (human, ragged)]
    finally:
        _core.set_threads(threads)
    assert parts == whole
    assert accuracy_of(human, metric, permutations=1000, seed=1).value != whole[0].value


def test_a_metric_equal_to_people_gets_1() -> None:
    human, _ = some_scores(4, segments=30)
    assert accuracy_of(human, 3 * human - 2, permutations=500).value == 1


def test_relabelling_systems_and_segments_changes_nothing() -> None:
    random = np.random.default_rng(5)
    human, metric = random.normal(size=(2, 4, 9))
    value = accuracy_of(human, metric).value
    systems, segments = random.permutation(4), random.permutation(9)
    moved = [scores[systems][:, segments] for scores in (human, metric)]
    assert accuracy_of(*moved).value == pytest.approx(value, abs=1e-12)


def test_a_system_against_its_copy_has_p_1() -> None:
    scores = np.tile(np.array([0.1, 0.2, 0.7, 1 / 3]), (2, 1))
    found = paired_permutations(scores[np.newaxis], np.ones((2, 4), dtype=np.bool_), Swaps())
    assert found.p_values.tolist() == [[1.0]]


def test_sums_that_tie_in_decimals_count_as_ties() -> None:
    # Turning the signs of all but the 0.3 gives 0.1 + 0.2 - 0.3, which is 0 but for rounding.
    differences = np.array([[0.1, 0.2, -0.3], [0, 0, 0]])
    found = paired_permutations(differences[np.newaxis], np.ones((2, 3), dtype=np.bool_), Swaps())
    assert found.p_values[0, 0] == plain_p(differences[0], differences[1]) == 5 / 8


def test_several_metrics_get_what_each_gets_alone() -> None:
    human, metric = some_scores(6, segments=30)
    _, other = some_scores(7, segments=30)
    together = soft_pairwise_accuracy(human, {"metric": metric, "b": other}, permutations=2000)
    assert together["metric"] == accuracy_of(human, metric, permutations=2000)
    assert together["b"].value == accuracy_of(human, other, permutations=2000).value


def test_pairs_without_a_common_segment_are_left_out_and_counted() -> None:
    nan = np.nan
    human = [[1, 2, 3, nan], [2, 1, 1, nan], [nan, nan, nan, 1]]
    accuracy = accuracy_of(human, np.ones((3, 4)))
    assert (accuracy.groups, accuracy.undefined_groups) == (1, 2)


def test_a_value_without_common_segments_is_none_with_a_reason() -> None:
    nan = np.nan
    accuracy = accuracy_of([[1, nan], [nan, 1]], [[1, 2], [3, 4]])
    assert (accuracy.value, accuracy.groups) == (None, 0)
    assert accuracy.reason == "no two systems share a rated segment"


@pytest.mark.parametrize(
    ("human", "metric", "message"),
    [
        ([[1.0, 2.0]], [[1.0, 2.0]], "at least two"),
        ([[1.0], [2.0]], [[1.0, 1.0], [2.0, 2.0]], "the shape"),
        ([[1.0], [2.0]], [[1.0], [float("nan")]], "system 2, segment 1"),
        ([[1.0], [float("inf")]], [[1.0], [1.0]], "finite"),
        ([["good"], ["bad"]], [[1.0], [1.0]], "a number for every system"),
    ],
)
def test_scores_that_do_not_fit_are_refused(human: object, metric: object, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        accuracy_of(human, metric)


# The normal approximation: intervals and tests.


def made_up(seed: int, systems: int = 4, segments: int = 60) -> tuple[Values, Values, Values]:
    """Human scores and two metrics of them, the first the better one."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(systems, segments)) + 0.3 * np.arange(systems)[:, np.newaxis]
    metrics = [truth + noise * rng.normal(size=truth.shape) for noise in (1, 3)]
    return np.asarray(np.round(truth), dtype=np.float64), metrics[0], metrics[1]


def normal_accuracy(human: Values, metric: Values, segments: list[int]) -> float | None:
    """1 - mean |p_h - p_m| by the normal distribution, from the definition."""
    distances = []
    for a, b in combinations(range(len(human)), 2):
        both = [i for i in segments if not np.isnan(human[a, i]) and not np.isnan(human[b, i])]
        if not both:
            continue
        p = []
        for scores in (human, metric):
            d = [scores[a, i] - scores[b, i] for i in both]
            spread = sum(x * x for x in d) ** 0.5
            p.append(1 - NormalDist().cdf(sum(d) / spread) if spread > 0 else 1.0)
        distances.append(abs(p[0] - p[1]))
    return 1 - sum(distances) / len(distances) if distances else None


def drawn_segments(segments: int, replicates: int, seed: int) -> list[list[int]]:
    """What each bootstrap replicate draws."""
    units = Units.segments(segments)
    bootstrap = Bootstrap(replicates=replicates, seed=seed)
    counts = bootstrap.sums(np.eye(segments), units, 0, replicates).astype(int)
    return [list(np.repeat(np.arange(segments), row)) for row in counts]


@pytest.mark.parametrize("missing", [0.0, 0.7])
def test_replicates_equal_the_plain_definition(missing: float) -> None:
    human, metric, _ = made_up(1, segments=12)
    human[np.random.default_rng(2).random(human.shape) < missing] = np.nan
    human[:, 4] = np.nan
    found = bootstrap_soft_pairwise(human, {"m": metric}, {"m": 0.5}, Draws(replicates=50, seed=3))
    # Of the segments that somebody rated.
    rated = np.flatnonzero(~np.isnan(human).all(axis=0))
    draws = drawn_segments(len(rated), 50, 3)
    centre = normal_accuracy(human, metric, list(range(12)))
    assert centre is not None
    values = [normal_accuracy(human, metric, list(rated[draw])) for draw in draws]
    moved = [
        np.nan if value is None else min(1.0, max(0.0, value - centre + 0.5)) for value in values
    ]
    np.testing.assert_allclose(found.values[:, 0], moved, atol=1e-12)


def test_documents_are_drawn_with_all_their_segments() -> None:
    human, metric, _ = made_up(4, segments=12)
    documents = [f"d{i // 3}" for i in range(12)]
    found = bootstrap_soft_pairwise(
        human,
        {"m": metric},
        {"m": 0.5},
        Draws(resample="documents", documents=documents, replicates=40, seed=3),
    )
    centre = normal_accuracy(human, metric, list(range(12)))
    assert centre is not None
    for value, draw in zip(found.values[:, 0], drawn_segments(4, 40, 3), strict=True):
        segments = [3 * document + i for document in draw for i in range(3)]
        expected = normal_accuracy(human, metric, segments)
        assert expected is not None
        assert value == pytest.approx(min(1.0, max(0.0, expected - centre + 0.5)), abs=1e-12)


def test_the_normal_p_approximates_the_exact_p() -> None:
    rng = np.random.default_rng(8)
    for _ in range(5):
        d = rng.normal(size=14) + 0.2
        signs = 1 - 2 * ((np.arange(2**14)[:, np.newaxis] >> np.arange(14)) & 1)
        exact = float(np.mean(signs @ d >= d.sum() - 1e-12))
        p = float(_core.one_sided_p(np.array([d.sum()]), np.array([(d * d).sum()]))[0])
        assert p == pytest.approx(exact, abs=0.02)


def test_equal_systems_have_p_1() -> None:
    assert _core.one_sided_p(np.array([0.0]), np.array([0.0])).tolist() == [1.0]


def test_only_systems_with_a_common_segment_are_paired() -> None:
    rated = np.array([[True, False], [True, True], [False, True]])
    assert paired_systems(rated).T.tolist() == [[0, 1], [1, 2]]


@pytest.mark.slow
def test_intervals_cover_the_expected_value_about_95_times_in_100() -> None:
    # The value depends on the number of segments: what is covered is its mean over such test sets.
    rng = np.random.default_rng(17)
    shift = 0.12 * np.arange(5)[:, np.newaxis]

    def sample() -> tuple[Values, Values]:
        truth = rng.normal(size=(5, 60)) + shift
        metric = 0.5 * truth + rng.normal(size=truth.shape) + 0.5 * shift[::-1]
        return np.round(2 * truth), metric

    def value(human: Values, metric: Values) -> float:
        found = normal_accuracy(human, metric, list(range(60)))
        assert found is not None
        return found

    expected = float(np.mean([value(*sample()) for _ in range(400)]))
    covered = 0
    for trial in range(200):
        human, metric = sample()
        observed = {"m": value(human, metric)}
        found = bootstrap_soft_pairwise(
            human, {"m": metric}, observed, Draws(replicates=200, seed=trial)
        )
        interval = found.interval("m")
        assert interval.low is not None
        assert interval.high is not None
        covered += interval.low <= expected <= interval.high
    # 190 are expected of a perfect interval, with a standard deviation of 3.1.
    assert covered >= 180


def test_human_scores_far_from_0_are_tested_alike() -> None:
    human, better, worse = made_up(6)
    near = soft_pairwise_test(human, worse, better, permutations=100, seed=1).p
    assert soft_pairwise_test(human + 1e9, worse, better, permutations=100, seed=1).p == near


def test_no_common_segment_leaves_all_replicates_undefined() -> None:
    human, same = np.array([[1.0, np.nan], [np.nan, 2.0]]), np.ones((2, 2))
    found = bootstrap_soft_pairwise(human, {"m": same}, {"m": None}, Draws(replicates=40, seed=1))
    assert np.isnan(found.values).all()
    with pytest.raises(SettingError, match="no segment rated for two systems"):
        soft_pairwise_test(human, same, same, permutations=10, seed=1)


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_all_permutations_of_systems_swap_whole_rows(missing: float) -> None:
    human, better, worse = made_up(7, segments=15)
    human[np.random.default_rng(3).random(human.shape) < missing] = np.nan
    rated = ~np.isnan(human)
    a, b = ((m - m[rated].mean()) / m[rated].std() for m in (worse, better))
    everything = list(range(15))

    def lead(coins: tuple[bool, ...]) -> float:
        rows = np.array(coins)[:, np.newaxis]
        low = normal_accuracy(human, np.where(rows, b, a), everything)
        high = normal_accuracy(human, np.where(rows, a, b), everything)
        assert low is not None
        assert high is not None
        return high - low

    systems = len(human)
    observed = lead((False,) * systems)
    leads = [lead(coins) for coins in product([False, True], repeat=systems)]
    tested = soft_pairwise_test(human, worse, better, unit="system", permutations=2**systems)
    assert (tested.exact, tested.permutations, tested.method) == (True, 2**systems, "systems")
    extreme = [abs(one) >= abs(observed) - 1e-9 for one in leads]
    assert tested.p == pytest.approx(np.mean(extreme))


def test_a_metric_against_its_copy_has_p_1() -> None:
    human, metric, _ = made_up(7)
    assert soft_pairwise_test(human, metric, metric, permutations=50, seed=1).p == 1.0


def test_equally_good_metrics_are_told_apart_about_one_time_in_twenty() -> None:
    rng = np.random.default_rng(21)
    rejected = 0
    for trial in range(200):
        human = np.round(rng.normal(size=(4, 30)) + 0.2 * np.arange(4)[:, np.newaxis])
        one, other = (human + 2 * rng.normal(size=human.shape) for _ in range(2))
        p = soft_pairwise_test(human, one, other, permutations=99, seed=trial).p
        assert p is not None
        rejected += p <= 0.05
    # One-sided, of a fixed direction: 10 of 200 are expected, with a standard deviation of 3.1.
    assert 2 <= rejected <= 19
