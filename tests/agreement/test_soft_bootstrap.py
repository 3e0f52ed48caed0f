"""Claims about soft pairwise accuracy by the normal approximation: intervals and tests."""

from __future__ import annotations

from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest
from numpy.typing import NDArray

from truebleu import _core
from truebleu.agreement.soft_pairwise import (
    bootstrap_soft_pairwise,
    normal_p,
    paired_systems,
    soft_pairwise_test,
)
from truebleu.errors import SettingError
from truebleu.resampling import Bootstrap, Units

Scores = NDArray[np.float64]


def made_up(seed: int, systems: int = 4, segments: int = 60) -> tuple[Scores, Scores, Scores]:
    """Human scores and two metrics of them, the first the better one."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(systems, segments)) + 0.3 * np.arange(systems)[:, np.newaxis]
    metrics = [truth + noise * rng.normal(size=truth.shape) for noise in (1, 3)]
    return np.asarray(np.round(truth), dtype=np.float64), metrics[0], metrics[1]


def plain_accuracy(human: Scores, metric: Scores, segments: list[int]) -> float | None:
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
def test_replicates_are_those_of_the_plain_definition(missing: float) -> None:
    human, metric, _ = made_up(1, segments=12)
    human[np.random.default_rng(2).random(human.shape) < missing] = np.nan
    human[:, 4] = np.nan
    found = bootstrap_soft_pairwise(human, {"m": metric}, {"m": 0.5}, replicates=50, seed=3)
    # Of the segments that somebody rated.
    rated = np.flatnonzero(~np.isnan(human).all(axis=0))
    draws = drawn_segments(len(rated), 50, 3)
    centre = plain_accuracy(human, metric, list(range(12)))
    assert centre is not None
    values = [plain_accuracy(human, metric, list(rated[draw])) for draw in draws]
    moved = [np.nan if one is None else min(1.0, max(0.0, one - centre + 0.5)) for one in values]
    np.testing.assert_allclose(found.values[:, 0], moved, atol=1e-12)


def test_documents_are_drawn_with_all_their_segments() -> None:
    human, metric, _ = made_up(4, segments=12)
    documents = [f"d{i // 3}" for i in range(12)]
    found = bootstrap_soft_pairwise(
        human,
        {"m": metric},
        {"m": 0.5},
        resample="documents",
        documents=documents,
        replicates=40,
        seed=3,
    )
    centre = plain_accuracy(human, metric, list(range(12)))
    assert centre is not None
    for value, draw in zip(found.values[:, 0], drawn_segments(4, 40, 3), strict=True):
        segments = [3 * document + i for document in draw for i in range(3)]
        expected = plain_accuracy(human, metric, segments)
        assert expected is not None
        assert value == pytest.approx(min(1.0, max(0.0, expected - centre + 0.5)), abs=1e-12)


def test_the_normal_p_is_near_that_of_all_signs() -> None:
    rng = np.random.default_rng(8)
    for _ in range(5):
        d = rng.normal(size=14) + 0.2
        signs = 1 - 2 * ((np.arange(2**14)[:, np.newaxis] >> np.arange(14)) & 1)
        exact = float(np.mean(signs @ d >= d.sum() - 1e-12))
        p = float(normal_p(np.array(d.sum()), np.array((d * d).sum())))
        assert p == pytest.approx(exact, abs=0.02)


def test_equal_systems_have_p_1() -> None:
    assert normal_p(np.array([0.0]), np.array([0.0])).tolist() == [1.0]


def test_only_systems_with_a_common_segment_are_paired() -> None:
    rated = np.array([[True, False], [True, True], [False, True]])
    assert paired_systems(rated).T.tolist() == [[0, 1], [1, 2]]


def test_intervals_cover_the_expected_value_about_95_times_in_100() -> None:
    # The value depends on the number of segments: what is covered is its mean over such test sets.
    rng = np.random.default_rng(17)
    shift = 0.12 * np.arange(5)[:, np.newaxis]

    def sample() -> tuple[Scores, Scores]:
        truth = rng.normal(size=(5, 60)) + shift
        metric = 0.5 * truth + rng.normal(size=truth.shape) + 0.5 * shift[::-1]
        return np.round(2 * truth), metric

    def value(human: Scores, metric: Scores) -> float:
        found = plain_accuracy(human, metric, list(range(60)))
        assert found is not None
        return found

    expected = float(np.mean([value(*sample()) for _ in range(400)]))
    covered = 0
    for trial in range(200):
        human, metric = sample()
        observed = {"m": value(human, metric)}
        found = bootstrap_soft_pairwise(human, {"m": metric}, observed, replicates=200, seed=trial)
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


def test_systems_are_not_drawn() -> None:
    human, metric, _ = made_up(5)
    with pytest.raises(SettingError, match="'segments' or 'documents'"):
        bootstrap_soft_pairwise(
            human, {"m": metric}, {"m": 0.5}, resample="systems", replicates=40, seed=1
        )


def test_without_a_common_segment_there_are_no_replicates() -> None:
    human, same = np.array([[1.0, np.nan], [np.nan, 2.0]]), np.ones((2, 2))
    found = bootstrap_soft_pairwise(human, {"m": same}, {"m": None}, replicates=40, seed=1)
    assert np.isnan(found.values).all()
    with pytest.raises(SettingError, match="no segment rated for two systems"):
        soft_pairwise_test(human, same, same, permutations=10, seed=1)


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_the_permutation_test_is_that_of_the_plain_definition(missing: float) -> None:
    human, better, worse = made_up(6, segments=15)
    human[np.random.default_rng(3).random(human.shape) < missing] = np.nan
    rated = ~np.isnan(human)

    def standard(scores: Scores) -> Scores:
        kept = scores[rated]
        return np.asarray((scores - kept.mean()) / kept.std())

    a, b = standard(worse), standard(better)
    everything = list(range(15))

    def lead(first: Scores, second: Scores) -> float:
        low, high = (plain_accuracy(human, one, everything) for one in (first, second))
        assert low is not None
        assert high is not None
        return high - low

    observed = lead(a, b)
    coins = _core.exchanged_cells(human.size, first=0, draws=60, seed=9).reshape(60, *human.shape)
    reached = [
        lead(np.where(coin, b, a), np.where(coin, a, b)) >= observed - 1e-9 for coin in coins
    ]
    found = soft_pairwise_test(human, worse, better, permutations=60, seed=9).p
    assert found == pytest.approx((1 + sum(reached)) / 61)


def test_the_permutation_test_agrees_with_that_of_permuted_signs() -> None:
    for seed in (10, 11, 12):
        human, better, worse = made_up(seed, systems=5, segments=80)
        normal = soft_pairwise_test(human, worse, better, permutations=400, seed=1).p
        drawn = soft_pairwise_test(
            human, worse, better, permutations=400, sign_permutations=400, seed=1
        ).p
        # The swaps are the same; what differs is the chance in 400 permutations of signs.
        assert normal == pytest.approx(drawn, abs=0.05)


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
