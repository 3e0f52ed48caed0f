"""Power, sizes and differences against SciPy's noncentral t and the textbook's formula."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import chi2, nct, norm, t

from truebleu.corpus import as_test_set
from truebleu.metrics import GivenScores
from truebleu.metrics.registry import parse_metric
from truebleu.planning.power import (
    DifferenceVariance,
    PlannedTest,
    bootstrap_sd_interval,
    chi_square_sd_interval,
    difference_variance,
    influences,
    largest_share,
    power,
    smallest_difference,
    swap_effects,
    units_needed,
    varies_only_by_rounding,
)
from truebleu.resampling import Bootstrap, Swaps, Units
from truebleu.significance.statistics import (
    MetricStatistics,
    bootstrap_scores,
    metric_statistics,
    swap_differences,
)
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.corpus import TestSet


TWO_SIDED = PlannedTest(0.05)


def exact_power(units: int, effect: float, alpha: float, sides: int) -> float:
    critical = t.isf(alpha / sides, units - 1)
    return float(nct.sf(critical, units - 1, effect * math.sqrt(units)))


@pytest.mark.parametrize("units", [10, 34, 100, 5000])
@pytest.mark.parametrize("effect", [0.02, 0.2, 0.5])
@pytest.mark.parametrize(("alternative", "sides"), [("two-sided", 2), ("greater", 1), ("less", 1)])
def test_the_power_is_that_of_the_t_test(
    units: int, effect: float, alternative: str, sides: int
) -> None:
    for alpha in (0.05, 0.01):
        test = PlannedTest(alpha, alternative)  # type: ignore[arg-type]
        chance = power(units, effect * 3, DifferenceVariance.known(3.0), test)
        assert chance == pytest.approx(exact_power(units, effect, alpha, sides), abs=0.004)


@pytest.mark.parametrize("tail", [1, -1])
@pytest.mark.parametrize(("units", "effect"), [(40, 0.45), (60, 0.35), (200, 0.2)])
def test_a_long_tail_is_reckoned_with(tail: int, units: int, effect: float) -> None:
    """Student's test on exponential values, whose skewness is 2, with the tail to either side."""
    rng = np.random.default_rng(units)
    values = tail * (rng.exponential(size=(20_000, units)) - 1) + effect
    statistics = values.mean(axis=1) / values.std(axis=1, ddof=1) * math.sqrt(units)
    achieved = float((statistics > t.isf(0.025, units - 1)).mean())
    promised = power(
        units, effect, DifferenceVariance(sd=1.0, null_sd=1.0, skewness=2.0 * tail), TWO_SIDED
    )
    assert promised == pytest.approx(achieved, abs=0.03)


@pytest.mark.parametrize(
    ("effect", "wanted", "expected"),
    [(0.2, 0.8, 199), (0.5, 0.8, 34), (0.5, 0.9, 44), (0.8, 0.8, 15)],
)
def test_the_sizes_are_those_of_the_tables(effect: float, wanted: float, expected: int) -> None:
    """Pairs for the paired t test at .05, as G*Power and Cohen (1988, table 2.4.1) have them."""
    assert units_needed(effect, wanted, DifferenceVariance.known(1.0), TWO_SIDED) == expected


def test_for_large_sizes_it_is_the_textbooks_formula() -> None:
    variance = DifferenceVariance(sd=10.0, null_sd=12.0)
    needed = units_needed(0.1, 0.9, variance, PlannedTest(0.05 / 3))
    plain = ((norm.isf(0.05 / 6) * 12 + norm.ppf(0.9) * 10) / 0.1) ** 2
    assert needed == pytest.approx(plain, rel=1e-4)


@given(
    sd=st.floats(0.01, 1000),
    effect=st.floats(0.001, 3),
    wanted=st.floats(0.1, 0.99),
    alpha=st.sampled_from([0.05, 0.01, 0.05 / 30]),
)
def test_the_size_is_the_smallest_with_the_power_and_finds_no_less_than_the_difference(
    sd: float, effect: float, wanted: float, alpha: float
) -> None:
    test, variance = PlannedTest(alpha), DifferenceVariance.known(sd)
    difference = effect * sd
    needed = units_needed(difference, wanted, variance, test)
    assert needed is not None
    assert power(needed, difference, variance, test) >= wanted
    assert needed == test.fewest or power(needed - 1, difference, variance, test) < wanted
    found = smallest_difference(needed, wanted, variance, test)
    assert found is not None
    assert found <= difference
    assert power(needed, found, variance, test) >= wanted
    assert power(needed, found * (1 - 1e-9), variance, test) < wanted


def test_power_grows_with_the_size_and_the_difference() -> None:
    sizes = [
        power(units, 0.3, DifferenceVariance.known(1.0), TWO_SIDED) for units in (6, 20, 80, 300)
    ]
    differences = [
        power(50, d, DifferenceVariance.known(1.0), TWO_SIDED) for d in (-0.2, 0.0, 0.1, 0.4)
    ]
    for powers in (sizes, differences):
        assert powers == sorted(powers)
        assert len(set(powers)) == 4


def test_swaps_of_fewer_units_than_can_be_significant_find_nothing() -> None:
    """Of 2**5 swaps two are as extreme as none: the smallest p is 2/32."""
    assert power(5, 100.0, DifferenceVariance.known(1.0), TWO_SIDED) == 0
    assert smallest_difference(5, 0.8, DifferenceVariance.known(1.0), TWO_SIDED) is None
    assert units_needed(100.0, 0.8, DifferenceVariance.known(1.0), TWO_SIDED) == 6


def test_what_no_test_set_finds_has_no_size() -> None:
    assert units_needed(1e-9, 0.8, DifferenceVariance.known(1.0), TWO_SIDED) is None


# Variance.


UNITS = Units.segments(400)


@pytest.fixture(scope="module")
def texts() -> TestSet:
    channels = {"a": Channel.at_rate(0.2), "b": Channel.at_rate(0.3)}
    return simulate(segments=400, systems=channels, seed=5)


@pytest.fixture(scope="module")
def sizes(texts: TestSet) -> NDArray[np.float64]:
    return np.array([float(len(segment or "")) for segment in texts.references[0]])


def counted(texts: TestSet, metric: str) -> MetricStatistics:
    return metric_statistics(texts, [parse_metric(metric)], UNITS)[0]


def mean_statistics(values: NDArray[np.float64]) -> MetricStatistics:
    """A metric that is the mean of these scores, shaped (segment, system)."""
    names = ("a", "b")
    text = ["x"] * len(values)
    scores = {name: column.tolist() for name, column in zip(names, values.T, strict=True)}
    metric = GivenScores.of(scores)
    test_set = as_test_set(dict.fromkeys(names, text), text)
    return metric_statistics(test_set, [metric], Units.segments(len(values)))[0]


def test_of_a_mean_the_spread_is_that_of_the_differences() -> None:
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
def test_the_standard_error_is_that_of_the_bootstrap(
    texts: TestSet, sizes: NDArray[np.float64], metric: str
) -> None:
    statistics = counted(texts, metric)
    drawn = bootstrap_scores([statistics], UNITS, Bootstrap(replicates=4000))[0]
    variance = difference_variance(statistics, (0, 1), sizes, 1)
    expected = (drawn[:, 0] - drawn[:, 1]).std() * np.sqrt(400)
    assert variance.sd == pytest.approx(expected, rel=0.05)
    assert variance.on(400)[1] == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_the_yardstick_is_that_of_the_swaps(
    texts: TestSet, sizes: NDArray[np.float64], metric: str
) -> None:
    statistics = counted(texts, metric)
    difference = float(statistics.scores[0] - statistics.scores[1])
    direction = 1 if difference > 0 else -1
    swapped = swap_differences([statistics], [(0, 1)], Swaps(replicates=4000))[0][:, 0]
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
    statistics = metric_statistics(test_set, [parse_metric("bleu")], Units.segments(300))[0]
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


@pytest.mark.parametrize("units", [10, 20, 300])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_chi_square_interval_is_scipys(units: int, level: float) -> None:
    low, high = chi_square_sd_interval(2.0, units, level)
    tail = (1 - level) / 2
    freedom = units - 1
    assert low == pytest.approx(2 * np.sqrt(freedom / chi2.isf(tail, freedom)), rel=1e-9)
    assert high == pytest.approx(2 * np.sqrt(freedom / chi2.ppf(tail, freedom)), rel=1e-9)


def test_the_bootstrap_interval_covers_the_true_standard_deviation() -> None:
    rng = np.random.default_rng(9)
    held = 0
    for number in range(300):
        values = rng.laplace(size=200)
        low, high = bootstrap_sd_interval(values, 0.95, 400, number)
        held += low <= np.sqrt(2) <= high
    # Somewhat too narrow for long tails, as its docstring says; 3 standard errors below .90.
    assert 0.85 <= held / 300 <= 0.985


def test_the_bootstrap_interval_depends_on_the_seed_only() -> None:
    values = np.random.default_rng(2).normal(size=30)
    first = bootstrap_sd_interval(values, 0.9, 200, 1)
    assert first == bootstrap_sd_interval(values, 0.9, 200, 1)
    assert first != bootstrap_sd_interval(values, 0.9, 200, 2)


def test_a_known_spread_serves_for_both() -> None:
    assert DifferenceVariance.known(3.0).null_ratio(5.0) == 1.0
