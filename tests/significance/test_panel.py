"""Panels: means over test sets, verdicts on each, and what varies between them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

import truebleu
from truebleu.corpus import as_test_set
from truebleu.counts.counting import count_texts
from truebleu.errors import SettingError
from truebleu.significance.panel import (
    PanelSettings,
    SetDifference,
    average_differences,
    heterogeneity,
    panel,
)
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from truebleu.corpus import TestSet

RATES = {"good": 0.1, "middle": 0.2, "poor": 0.3}


def texts(seed: int, names: tuple[str, ...] = tuple(RATES), segments: int = 60) -> TestSet:
    systems = {name: Channel.at_rate(RATES[name]) for name in names}
    return simulate(segments=segments, systems=systems, seed=seed)


@pytest.fixture(scope="module")
def sets() -> dict[str, TestSet]:
    full = {f"set-{seed}": texts(seed) for seed in range(5)}
    return {**full, "partly": texts(9, ("good", "poor"))}


def test_means_and_sets_agree_with_single_comparisons(sets: dict[str, TestSet]) -> None:
    result = panel(sets, ["bleu", "ter"], replicates=500)
    for pair in result.comparisons:
        for row in pair.sets:
            single = truebleu.compare(sets[row.test_set], metrics=["bleu", "ter"], replicates=500)
            (same,) = (
                comparison
                for comparison in single.comparisons
                if (comparison.metric, comparison.a, comparison.b) == (pair.metric, pair.a, pair.b)
            )
            assert row.difference == pytest.approx(same.difference)
            assert row.p == same.p
        assert pair.difference == pytest.approx(np.mean([row.difference for row in pair.sets]))
        lower = pair.metric == "TER"
        better = {row.test_set for row in pair.sets if row.verdict == "better"}
        assert all((row.difference < 0) == lower for row in pair.sets if row.test_set in better)


def test_missing_systems_are_reported(sets: dict[str, TestSet]) -> None:
    result = panel(sets, replicates=500)
    lacking = {(pair.a, pair.b): pair.missing for pair in result.comparisons}
    assert lacking["good", "poor"] == ()
    assert lacking["good", "middle"] == ("partly",)
    assert "partly" not in result.common
    text = str(result)
    assert "over the 5 of 6 test sets that have all systems" in text
    assert "without partly, because one of the two is missing" in text
    assert [row.ranks for row in result.systems] == [(1, 1), (2, 2), (3, 3)]


def test_systems_in_all_sets_have_a_mean_if_no_set_has_all_systems() -> None:
    few = {"one": texts(1, ("good", "middle")), "other": texts(2, ("good", "poor"))}
    result = panel(few, replicates=500)
    assert result.common == ()
    scores = {row.name: row.score for row in result.systems}
    alone = [truebleu.score(test_set)["good"]["BLEU"].score for test_set in few.values()]
    assert scores == {"good": pytest.approx(np.mean(alone)), "middle": None, "poor": None}
    text = " ".join(str(result).split())
    assert "only systems that are in all sets have a mean score" in text
    assert "than middle in one by " in text


def test_counts_give_the_same_panel(sets: dict[str, TestSet]) -> None:
    metrics = ["bleu", "chrf"]
    counts = {name: count_texts(test_set, metrics) for name, test_set in sets.items()}
    of_counts = panel(counts, baseline="poor", replicates=500)
    assert of_counts == panel(sets, metrics, baseline="poor", replicates=500)


def test_one_set_has_no_interval_for_further_sets() -> None:
    result = panel({"only": texts(1)}, languages="drawn", replicates=500)
    for pair in result.comparisons:
        assert (pair.drawn, pair.p, pair.significant, pair.heterogeneity) == (None,) * 2 + (
            False,
            None,
        )
    assert "one test set gives no evidence about further ones" in str(result)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"baseline": "none"}, "unknown baseline 'none'"),
        ({"languages": "all"}, "languages"),
        ({"unit": "block"}, "unit"),
        ({"replicates": 0}, "replicates"),
        ({"level": 1.5}, "level"),
    ],
)
def test_invalid_arguments_are_rejected(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        panel({"set": texts(1)}, **changes)


def test_sets_that_cannot_vary_and_panels_of_nothing_are_refused() -> None:
    with pytest.raises(SettingError, match="at least one test set"):
        panel({})
    with pytest.raises(SettingError, match="test set tiny: 'one segment'"):
        panel({"tiny": as_test_set({"a": ["x"], "b": ["y"]}, ["x"])})
    with pytest.raises(SettingError, match="at least two to compare"):
        panel({"set": replace(texts(1), systems={"a": texts(1).systems["good"]})})


def test_a_mean_has_satterthwaites_degrees_of_freedom() -> None:
    sizes = {"small": 12, "middle": 30, "large": 90}
    sets = {name: texts(7, ("good", "poor"), segments) for name, segments in sizes.items()}
    (pair,) = panel(sets, unit="segment", replicates=500).comparisons
    errors = np.array([row.error for row in pair.sets])
    degrees = np.array([size - 1 for size in sizes.values()])
    # Satterthwaite (1946): of a sum of variances, (Σ v)² / Σ (v² / degrees).
    of_mean = (errors**2).sum() ** 2 / (errors**4 / degrees).sum()
    assert of_mean < degrees.sum() - 20
    error = (errors**2).sum() ** 0.5 / 3
    half = stats.t.ppf(0.975, of_mean) * error
    assert pair.fixed == pytest.approx((pair.difference - half, pair.difference + half))
    assert pair.p == pytest.approx(2 * stats.t.sf(abs(pair.difference) / error, of_mean))


def test_heterogeneity_agrees_with_published_formulas() -> None:
    # With equal errors Paule and Mandel's estimate is the variance less the error's.
    found = heterogeneity(np.array([1.0, 2.0, 3.0, 10.0]), np.full(4, 2.0), 0.95)
    variance = np.var([1.0, 2.0, 3.0, 10.0], ddof=1)
    assert found.tau**2 == pytest.approx(variance - 4.0)
    assert found.i_squared == pytest.approx((variance - 4.0) / variance)
    # Cochran's Q is 3 * variance / 4 = 12.5 on 3 degrees of freedom.
    assert found.p == pytest.approx(0.005852, abs=1e-6)
    # One set without an error leaves no typical variance.
    assert heterogeneity(np.array([1.0, 2.0]), np.array([0.0, 0.5]), 0.95).i_squared == 0.0
    alike = heterogeneity(np.array([1.0, 1.1]), np.array([0.5, 0.5]), 0.95)
    assert (alike.tau, alike.i_squared, alike.prediction) == (0.0, 0.0, None)


def simulated(
    generator: np.random.Generator, truths: np.ndarray[Any, Any], settings: PanelSettings
) -> Any:
    """A comparison of sets with these true differences, errors of 0.3 to 0.9, and 80 units each."""
    found = []
    for place, truth in enumerate(truths):
        error = 0.3 + 0.6 * place / len(truths)
        values = truth + error * 80**0.5 * generator.standard_normal(80)
        estimate, spread = values.mean(), values.std(ddof=1) / 80**0.5
        from scipy.special import stdtr

        p = 2 * float(stdtr(79, -abs(estimate / spread)))
        open_ends = [(None, None)] * len(truths)
        found.append(
            SetDifference(f"set {place}", float(estimate), float(spread), 79, p, open_ends)
        )
    return average_differences("M", ("a", "b"), 1, found, (), settings)


@pytest.mark.slow
def test_intervals_cover_and_discoveries_are_mostly_true() -> None:
    generator = np.random.default_rng(5)
    runs, sets = 1500, 12
    fixed_truths = np.array([0.0] * 8 + [2.0] * 4)
    settings = PanelSettings()
    fixed = drawn = predicted = false = 0
    share = 0.0
    for _ in range(runs):
        result = simulated(generator, fixed_truths, settings)
        fixed += result.fixed[0] <= fixed_truths.mean() <= result.fixed[1]
        called = [row for row in result.sets if row.verdict != "undecided"]
        wrong = sum(row.verdict == "worse" or int(row.test_set[4:]) < 8 for row in called)
        share += wrong / max(len(called), 1)
        truths = 0.7 + generator.standard_normal(sets)
        of_drawn = simulated(generator, truths, settings)
        drawn += of_drawn.drawn[0] <= 0.7 <= of_drawn.drawn[1]
        low, high = of_drawn.heterogeneity.prediction
        predicted += low <= 0.7 + generator.standard_normal() <= high
        null = simulated(generator, np.zeros(sets), settings)
        false += null.p <= 0.05
    # Four standard errors of a share of 1,500.
    assert abs(fixed / runs - 0.95) < 0.023
    assert abs(drawn / runs - 0.95) < 0.023
    assert abs(predicted / runs - 0.95) < 0.03
    assert abs(false / runs - 0.05) < 0.023
    # Two thirds of the sets are null: the rate is at most 5 % times that.
    assert 0.015 < share / runs < 0.05


def test_test_sets_compared_elsewhere_have_the_same_digits(sets: dict[str, TestSet]) -> None:
    here = panel(sets, ["bleu", "chrf"], replicates=200)
    done: list[int] = []
    with ThreadPoolExecutor(3) as executor:
        there = panel(
            sets, ["bleu", "chrf"], replicates=200, executor=executor, progress=done.append
        )
    assert there == here
    assert done == [200] * len(sets)


@pytest.mark.parametrize("languages", ["fixed", "drawn"])
@pytest.mark.parametrize("kind", ["scores", "pass/fail", "exact swaps"])
def test_every_interval_excludes_0_exactly_if_the_adjusted_test_rejects(
    kind: str, languages: Any
) -> None:
    rng = np.random.default_rng(11)
    outcomes = set()
    for _ in range(8):
        panel_sets = {}
        for name, size in (("de", 30), ("fr", 12), ("ja", 60), ("cs", 25)):
            items = 8 if kind == "exact swaps" else size
            gains = np.array([[0.0], [0.3], [0.8]])
            scores = rng.normal(size=(3, items)) + gains
            if kind == "pass/fail":
                scores = (rng.random((3, items)) < 0.5 + gains / 2).astype(float)
            panel_sets[name] = dict(zip("abc", scores.tolist(), strict=True))
        del panel_sets["cs"]["b"]
        result = panel(panel_sets, languages=languages, replicates=999)
        for pair in result.comparisons:
            for row in pair.sets:
                low, high = (0.0 if end is None else end for end in row.interval)
                assert (low > 0 or high < 0) == (row.p_adjusted <= 0.05), row
                assert (row.verdict != "undecided") == (row.p_adjusted <= 0.05)
                outcomes.add((row.p <= 0.05, row.verdict != "undecided"))
            bounds = pair.fixed if languages == "fixed" else pair.drawn
            assert bounds is not None
            assert (bounds[0] > 0 or bounds[1] < 0) == pair.significant
    # Some sets are undecided only because of the correction.
    assert outcomes >= {(True, True), (False, False)}
    assert kind == "exact swaps" or (True, False) in outcomes


@pytest.mark.parametrize("sets", [3, 5])
def test_a_further_set_lies_in_the_predicted_interval(sets: int) -> None:
    rng, covered = np.random.default_rng(5), 0
    for _ in range(500):
        true = rng.normal(size=sets + 1)
        seen = true[:sets] + 0.2 * rng.normal(size=sets)
        low, high = heterogeneity(seen, np.full(sets, 0.2), 0.95).prediction or (0.0, 0.0)
        covered += low <= true[sets] <= high
    assert covered / 500 > 0.93


@pytest.mark.parametrize(("sets", "predicted"), [(2, False), (3, True)])
def test_three_sets_predict_a_further_one(sets: int, predicted: bool) -> None:
    found = heterogeneity(np.arange(float(sets)), np.ones(sets), 0.95)
    assert (found.prediction is not None) == predicted


def test_a_p_value_of_exactly_alpha_decides() -> None:
    rows = [SetDifference("de", 1.0, 0.1, 9, p, [(0.8, 1.2)]) for p in (0.25, 0.2500001)]
    verdicts = [
        average_differences("m", ("a", "b"), 1, [row], (), PanelSettings(level=0.75))
        .sets[0]
        .verdict
        for row in rows
    ]
    assert verdicts == ["better", "undecided"]
