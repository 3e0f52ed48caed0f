"""How much a difference varies, against the bootstrap, swaps and SciPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from truebleu.corpus import as_test_set
from truebleu.counts.counting import count_texts
from truebleu.metrics.registry import parse_metric
from truebleu.planning.power import (
    bootstrap_sd_intervals,
    difference_variance,
    influences,
    largest_share,
    swap_effects,
    varies_only_by_rounding,
)
from truebleu.resampling import Bootstrap, Units
from truebleu.scores import GivenScores
from truebleu.significance.replicates import bootstrap_scores
from truebleu.significance.tests import REPLICATE_TESTS
from truebleu.significance.unit_counts import UnitCounts, count_units
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.corpus import TestSet


UNITS = Units.segments(400)


@pytest.fixture(scope="module")
def texts() -> TestSet:
    channels = {"a": Channel.at_rate(0.2), "b": Channel.at_rate(0.3)}
    return simulate(segments=400, systems=channels, seed=5)


@pytest.fixture(scope="module")
def sizes(texts: TestSet) -> NDArray[np.float64]:
    return np.array([float(len(segment or "")) for segment in texts.references[0]])


def counted(texts: TestSet, metric: str) -> UnitCounts:
    return count_units(count_texts(texts, [parse_metric(metric)]), UNITS)[0]


def mean_statistics(values: NDArray[np.float64]) -> UnitCounts:
    """A metric that is the mean of these scores, shaped (segment, system)."""
    names = ("a", "b")
    text = ["x"] * len(values)
    scores = {name: column.tolist() for name, column in zip(names, values.T, strict=True)}
    metric = GivenScores.of(scores)
    test_set = as_test_set(dict.fromkeys(names, text), text)
    return count_units(count_texts(test_set, [metric]), Units.segments(len(values)))[0]


def test_the_sd_of_a_mean_equals_the_sd_of_differences() -> None:
    values = np.random.default_rng(1).normal(size=(50, 2)) @ [[2.0, 1.0], [0.0, 1.5]]
    differences = values[:, 0] - values[:, 1]
    mean = mean_statistics(values)
    assert influences(mean, 0, 1) == pytest.approx(differences - differences.mean())
    assert swap_effects(mean, 0, 1) == pytest.approx(differences)
    variance = difference_variance(mean, (0, 1), np.ones(50), 1)
    assert variance.sd == pytest.approx(differences.std(ddof=1))
    assert variance.null_sd == pytest.approx(differences.std(ddof=1))
    assert variance.slope == pytest.approx(0, abs=1e-9)
    assert variance.on(10) == (0.0, variance.sd)


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_the_standard_error_approximates_the_bootstrap(
    texts: TestSet, sizes: NDArray[np.float64], metric: str
) -> None:
    statistics = counted(texts, metric)
    drawn = bootstrap_scores([statistics], UNITS, Bootstrap(replicates=4000))[0]
    variance = difference_variance(statistics, (0, 1), sizes, 1)
    expected = (drawn[:, 0] - drawn[:, 1]).std() * np.sqrt(400)
    assert variance.sd == pytest.approx(expected, rel=0.05)
    assert variance.on(400)[1] == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_the_null_sd_approximates_the_swaps(
    texts: TestSet, sizes: NDArray[np.float64], metric: str
) -> None:
    statistics = counted(texts, metric)
    difference = float(statistics.scores[0] - statistics.scores[1])
    direction = 1 if difference > 0 else -1
    differences, _ = REPLICATE_TESTS["ar"].differences(
        statistics, [(0, 1)], replicates=4000, seed=12345
    )
    swapped = differences[:, 0]
    variance = difference_variance(statistics, (0, 1), sizes, direction)
    squared = (sizes**2).mean() / sizes.mean() ** 2
    # The share of the difference itself, which the swaps of this pilot hold, is put back.
    expected = (variance.null_ratio(abs(difference)) * variance.sd) ** 2 + difference**2 * squared
    assert np.sqrt(expected / 400) == pytest.approx(swapped.std(), rel=0.05)


def test_the_direction_turns_what_depends_on_it(texts: TestSet, sizes: NDArray[np.float64]) -> None:
    statistics = counted(texts, "bleu")
    there = difference_variance(statistics, (0, 1), sizes, 1)
    back = difference_variance(statistics, (1, 0), sizes, -1)
    assert (back.sd, back.null_sd) == pytest.approx((there.sd, there.null_sd))
    assert back.slope == pytest.approx(there.slope)
    assert back.on(50) == pytest.approx(there.on(50))


def test_a_system_as_long_as_the_reference_loses_by_chance_on_small_test_sets() -> None:
    """Only outputs that are too short are punished: the mean of BLEU falls with the size."""
    rng = np.random.default_rng(3)
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    reference = [" ".join(words)] * 300
    uneven = [
        " ".join(words[:-3] if rng.random() < 0.5 else [*words, *words[:3]]) for _ in reference
    ]
    lengths = [len(line.split()) for line in uneven]
    uneven[0] += " ten" * max(3000 - sum(lengths), 0)
    test_set = as_test_set({"uneven": uneven, "long": [" ".join([*words, "x"])] * 300}, reference)
    statistics = count_units(count_texts(test_set, [parse_metric("bleu")]), Units.segments(300))[0]
    variance = difference_variance(statistics, (0, 1), np.ones(300), 1)
    rng = np.random.default_rng(4)
    rows = statistics.rows[rng.integers(0, 300, size=(4000, 20))].sum(axis=1)
    scores = statistics.metric.score(rows)
    drawn = scores[:, 0] - scores[:, 1] - (statistics.scores[0] - statistics.scores[1])
    bias, sd = variance.on(20)
    assert drawn.mean() < -1
    assert bias == pytest.approx(drawn.mean(), rel=0.15)
    assert sd == pytest.approx(drawn.std() * np.sqrt(20), rel=0.1)


def test_scaling_a_spread_scales_all_of_it(texts: TestSet, sizes: NDArray[np.float64]) -> None:
    variance = difference_variance(counted(texts, "bleu"), (0, 1), sizes, -1)
    larger = variance.scaled(2.0)
    assert (larger.sd, larger.null_sd) == (2 * variance.sd, 2 * variance.null_sd)
    # A variance twice as large on four times the units is the same variance of the score.
    assert larger.on(400)[0] == pytest.approx(variance.on(100)[0])
    assert larger.null_ratio(2.0) == pytest.approx(variance.null_ratio(1.0))


def test_copies_have_no_spread(texts: TestSet) -> None:
    copies = as_test_set({"a": texts.systems["a"], "b": texts.systems["a"]}, texts.references)
    statistics = counted(copies, "bleu")
    assert varies_only_by_rounding(influences(statistics, 0, 1), statistics.scale)
    different = counted(texts, "bleu")
    assert not varies_only_by_rounding(influences(different, 0, 1), different.scale)


def test_a_lone_outlier_has_almost_all_of_the_variance() -> None:
    assert largest_share(np.array([0.0] * 99 + [5.0])) == pytest.approx(0.99)
    assert largest_share(np.array([-1.0, 1.0] * 50)) == pytest.approx(0.01)


def test_the_bootstrap_interval_covers_the_true_standard_deviation() -> None:
    rng = np.random.default_rng(9)
    held = above = 0
    for number in range(300):
        values = rng.laplace(size=200)
        (low, high), (_, end) = bootstrap_sd_intervals(values, [0.95, 0.6], 400, number)
        held += low <= np.sqrt(2) <= high
        above += end >= np.sqrt(2)
    # Three standard errors of a share of .95 and of .8 in 300.
    assert 0.91 <= held / 300 <= 0.99
    assert 0.73 <= above / 300 <= 0.87


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_the_bootstrap_interval_has_the_unit_of_the_values(scale: float) -> None:
    values = np.random.default_rng(2).normal(size=30)
    ((low, high),) = bootstrap_sd_intervals(values, [0.95], 200, 1)
    ((scaled_low, scaled_high),) = bootstrap_sd_intervals(values * scale, [0.95], 200, 1)
    assert low < values.std(ddof=1) < high
    assert (scaled_low, scaled_high) == pytest.approx((low * scale, high * scale), rel=1e-6)


def test_the_bootstrap_interval_depends_on_the_seed_only() -> None:
    values = np.random.default_rng(2).normal(size=30)
    first = bootstrap_sd_intervals(values, [0.9], 200, 1)
    assert first == bootstrap_sd_intervals(values, [0.9], 200, 1)
    assert first != bootstrap_sd_intervals(values, [0.9], 200, 2)
