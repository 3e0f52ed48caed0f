"""Claims about error rates: how often true null hypotheses are rejected, by simulation.

Two systems' segment scores are drawn from one normal distribution with a common part, so that they
are exchangeable. All seeds are fixed; the bounds are 3 standard deviations or more of the count.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from truebleu import BLEU
from truebleu.counts.counting import count_texts
from truebleu.resampling import Bootstrap, Units
from truebleu.significance.corrections import adjust, westfall_young
from truebleu.significance.intervals import interval_bounds
from truebleu.significance.replicates import bootstrap_scores
from truebleu.significance.tests import (
    REPLICATE_TESTS,
    absolute_bootstrap_p,
    randomization_p,
    shifted_bootstrap_p,
)
from truebleu.significance.unit_counts import UnitCounts, count_units
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from collections.abc import Iterator


pytestmark = pytest.mark.slow

Floats = NDArray[np.float64]

SEGMENTS, EXPERIMENTS, REPLICATES = 100, 3000, 999
ALPHA = 0.05


@pytest.fixture(scope="module")
def gains() -> Floats:
    """Segment differences of equal systems, shaped (segment, experiment)."""
    rng = np.random.default_rng(20)
    common = rng.normal(size=(SEGMENTS, EXPERIMENTS))
    first, second = common + rng.normal(size=(2, SEGMENTS, EXPERIMENTS))
    return np.asarray(first - second)


@pytest.fixture(scope="module")
def swaps() -> Floats:
    """Signs over segments, shaped (replicate, segment)."""
    return np.random.default_rng(21).choice([-1.0, 1.0], size=(REPLICATES, SEGMENTS)) / SEGMENTS


@pytest.fixture(scope="module")
def draws() -> Floats:
    """Bootstrap weights, shaped (replicate, segment)."""
    rng = np.random.default_rng(22)
    even = np.full(SEGMENTS, 1 / SEGMENTS)
    return rng.multinomial(SEGMENTS, even, size=REPLICATES) / SEGMENTS


def rejected(p_values: Floats) -> float:
    return float((p_values <= ALPHA).mean())


def test_randomization_holds_its_level(gains: Floats, swaps: Floats) -> None:
    observed, null = gains.mean(axis=0), swaps @ gains
    assert 0.04 < rejected(randomization_p(observed, null)) < 0.06
    assert 0.04 < rejected(randomization_p(observed, null, "greater")) < 0.06
    assert 0.04 < rejected(randomization_p(observed, null, "less")) < 0.06


def test_p_values_of_equal_systems_are_uniform(gains: Floats, swaps: Floats) -> None:
    p = np.sort(randomization_p(gains.mean(axis=0), swaps @ gains))
    uniform = np.arange(1, EXPERIMENTS + 1) / EXPERIMENTS
    # Kolmogorov: beyond 1.95 / sqrt(n) one time in a thousand.
    assert np.abs(p - uniform).max() < 1.95 / np.sqrt(EXPERIMENTS)


def test_the_signed_shifted_bootstrap_holds_its_level(gains: Floats, draws: Floats) -> None:
    observed, replicates = gains.mean(axis=0), draws @ gains
    assert 0.04 < rejected(shifted_bootstrap_p(observed, replicates)) < 0.065
    assert 0.04 < rejected(shifted_bootstrap_p(observed, replicates, "greater")) < 0.065


def test_the_absolute_shifted_bootstrap_rejects_twice_too_often(
    gains: Floats, draws: Floats
) -> None:
    observed, replicates = gains.mean(axis=0), draws @ gains
    rate = rejected(absolute_bootstrap_p(observed, replicates))
    assert 0.085 < rate < 0.15


def test_the_signed_form_holds_its_level_when_only_the_second_system_varies_unevenly(
    draws: Floats,
) -> None:
    """Randomization's null is false here, the systems' means are equal all the same."""
    rng = np.random.default_rng(23)
    uneven = rng.exponential(size=(SEGMENTS, EXPERIMENTS)) - 1
    rate = rejected(shifted_bootstrap_p(uneven.mean(axis=0), draws @ uneven))
    assert 0.04 < rate < 0.075


@pytest.mark.parametrize("centre", ["observed", "mean"])
def test_the_shifted_bootstrap_keeps_its_level_for_nonlinear_scores(
    draws: Floats, centre: str
) -> None:
    """The score is the exponential of a mean, and biased the more the more a system varies."""
    rng = np.random.default_rng(25)
    first = rng.normal(size=(SEGMENTS, EXPERIMENTS))
    second = rng.normal(scale=0.1, size=(SEGMENTS, EXPERIMENTS))
    observed = np.exp(first.mean(axis=0)) - np.exp(second.mean(axis=0))
    replicates = np.exp(draws @ first) - np.exp(draws @ second)
    if centre == "mean":
        replicates += observed - replicates.mean(axis=0)
    assert 0.04 < rejected(shifted_bootstrap_p(observed, replicates)) < 0.07


@pytest.mark.parametrize("correction", ["none", "holm", "westfall-young"])
def test_corrections_keep_the_familywise_error_rate_of_six_comparisons(
    swaps: Floats, correction: str
) -> None:
    rng = np.random.default_rng(24)
    pairs = np.array(list(combinations(range(4), 2)))
    families = 600
    wrong = 0
    for scores in rng.normal(size=(families, SEGMENTS, 4)):
        differences = scores[:, pairs[:, 0]] - scores[:, pairs[:, 1]]
        observed, null = differences.mean(axis=0), swaps @ differences
        if correction == "westfall-young":
            adjusted = westfall_young(observed, null)
        else:
            adjusted = adjust(randomization_p(observed, null), correction)
        wrong += bool((adjusted <= ALPHA).any())
    low, high = {"none": (0.15, 0.26), "holm": (0.01, 0.06), "westfall-young": (0.025, 0.075)}[
        correction
    ]
    assert low < wrong / families < high


# p-values of equal systems are uniform: approximate randomization of BLEU on simulated texts.

# One test set, so that the references are made once. Systems with equal channels are exchangeable,
# and disjoint pairs of them are independent comparisons.
COMPARISONS, TEXT_SEGMENTS, TEXT_SWAPS = 2000, 100, 999


@pytest.fixture(scope="module")
def p_values_of_texts() -> Floats:
    channel = Channel.at_rate(0.25)
    equal = {f"system {number}": channel for number in range(2 * COMPARISONS)}
    test_set = simulate(segments=TEXT_SEGMENTS, systems=equal, seed=17)
    units = Units.segments(TEXT_SEGMENTS)
    statistics = count_units(count_texts(test_set, [BLEU(tokenize="none")]), units)
    pairs = [(first, first + 1) for first in range(0, 2 * COMPARISONS, 2)]
    differences, _ = REPLICATE_TESTS["ar"].differences(
        statistics[0], pairs, replicates=TEXT_SWAPS, seed=18
    )
    scores = statistics[0].scores
    return np.asarray(randomization_p(scores[::2] - scores[1::2], differences, scale=100.0))


def test_five_in_a_hundred_true_null_hypotheses_are_rejected(
    p_values_of_texts: Floats,
) -> None:
    assert 0.04 <= (p_values_of_texts <= 0.05).mean() <= 0.06


@pytest.mark.parametrize("alpha", [0.01, 0.1, 0.5, 0.9])
def test_other_levels_are_held_too(p_values_of_texts: Floats, alpha: float) -> None:
    error = np.sqrt(alpha * (1 - alpha) / COMPARISONS)
    assert abs((p_values_of_texts <= alpha).mean() - alpha) <= 4 * error


def test_p_values_are_uniform(p_values_of_texts: Floats) -> None:
    uniform = np.arange(1, COMPARISONS + 1) / COMPARISONS
    # Kolmogorov: beyond 1.95 / sqrt(n) one time in a thousand.
    assert np.abs(np.sort(p_values_of_texts) - uniform).max() < 1.95 / np.sqrt(COMPARISONS)


# The bootstrap and the delta method, by samples of a pool whose scores are known.

SAMPLE, SAMPLES, DRAWN = 400, 400, 300


@pytest.fixture(scope="module")
def pool() -> UnitCounts:
    channels = {"old": Channel.at_rate(0.2), "new": Channel.at_rate(0.17)}
    made = simulate(segments=4000, systems=channels, seed=7)
    (statistics,) = count_units(count_texts(made, [BLEU()]), Units.segments(len(made)))
    return statistics


def samples(pool: UnitCounts, rows: Floats) -> Iterator[tuple[UnitCounts, Floats]]:
    """Samples of a pool's rows, and their scores on replicates of the bootstrap."""
    rng = np.random.default_rng(23)
    units = Units.segments(SAMPLE)
    for seed in range(SAMPLES):
        chosen = rows[rng.integers(0, len(rows), SAMPLE)]
        sample = UnitCounts(pool.label, pool.metric, np.ascontiguousarray(chosen))
        bootstrap = Bootstrap(replicates=DRAWN, seed=seed)
        yield sample, bootstrap_scores([sample], units, bootstrap)[0]


@pytest.mark.parametrize("pairs", [None, [(0, 1)]], ids=["scores", "difference"])
def test_intervals_by_the_bootstrap_cover(
    pool: UnitCounts, pairs: list[tuple[int, int]] | None
) -> None:
    truth = pool.scores if pairs is None else pool.scores[:1] - pool.scores[1:]
    covered = []
    for sample, scores in samples(pool, pool.rows):
        low, high = interval_bounds(sample, scores, pairs, "percentile", 0.95)
        covered += ((low <= truth) & (truth <= high)).tolist()
    assert 0.92 < np.mean(covered) < 0.98


def test_the_shifted_bootstrap_holds_its_level(pool: UnitCounts) -> None:
    rng = np.random.default_rng(24)
    swapped = rng.random(len(pool.rows)) < 0.5
    rows = np.where(swapped[:, None, None], pool.rows[:, ::-1], pool.rows)
    observed = pool.metric.score(rows.sum(axis=0))
    shift = observed[0] - observed[1]  # what the pool itself has of a difference by now
    p = [
        shifted_bootstrap_p(sample.scores[0] - sample.scores[1] - shift, drawn - shift)
        for sample, scores in samples(pool, rows)
        for drawn in [scores[:, 0] - scores[:, 1]]
    ]
    assert 0.015 < rejected(np.array(p)) < 0.085
