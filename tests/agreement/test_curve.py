"""Claims about agreement curves that are fitted to one's own human scores."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.optimize import minimize

from tests.agreement.judged_texts import RATES, human_scores, texts
from truebleu.agreement.curve import FittedCurve, JudgedSystems, fit_curves
from truebleu.errors import MalformedFileError, SettingError, UnreadableFileError
from truebleu.scores import OutsideScores

if TYPE_CHECKING:
    from pathlib import Path

TRUE_SLOPE, TRUE_CEILING = 2.0, 90.0


def chance(difference: Any, slope: float, ceiling: float) -> Any:
    return (50 + (ceiling - 50) * (2 / (1 + np.exp(-slope * difference)) - 1)) / 100


def pairs_of_systems(count: int, seed: int) -> list[JudgedSystems]:
    """Test sets of two systems each, so that pairs are independent, with a known curve."""
    rng = np.random.default_rng(seed)
    sets = []
    for number, difference in enumerate(rng.exponential(1.0, count)):
        agrees = rng.random() < chance(difference, TRUE_SLOPE, TRUE_CEILING)
        human = (1.0, 0.0) if agrees else (0.0, 1.0)
        scores = {"m": (float(difference), 0.0)}
        sets.append(
            JudgedSystems(name=f"set {number}", systems=("a", "b"), human=human, scores=scores)
        )
    return sets


def pooled(folder: Path, sets: list[JudgedSystems], **changes: Any) -> Path:
    file = folder / "pool.json"
    curves = [{"metric": "m", "settings": changes}]
    file.write_text(json.dumps({"curves": curves, "sets": [asdict(test_set) for test_set in sets]}))
    return file


def fitted(folder: Path, sets: list[JudgedSystems], **options: Any) -> FittedCurve:
    metric = OutsideScores.of({"a": [2.0], "b": [1.0]}, name="m")
    settings = dict(metric.signature.fields)
    file = pooled(folder, sets, **{key: settings[key] for key in settings if key != "scores"})
    human = {"a": [1.0], "b": [0.0]}
    outputs = {"a": ["x"], "b": ["x"]}
    options = {"replicates": 200, **options}
    fit = fit_curves(outputs, human, [metric], references=["x"], pool=[file], **options)
    return fit.curves[0]


def test_the_fit_is_the_most_likely_curve(tmp_path: Path) -> None:
    sets = pairs_of_systems(60, seed=1)
    curve = fitted(tmp_path, sets)
    difference = np.array([2.0 - 1.0, *(test_set.scores["m"][0] for test_set in sets)])
    agrees = np.array([1.0, *(test_set.human[0] for test_set in sets)])

    def minus_log_likelihood(parameters: Any) -> float:
        p = np.clip(chance(difference, *parameters), 1e-9, 1 - 1e-9)
        return -float((agrees * np.log(p) + (1 - agrees) * np.log1p(-p)).sum())

    starts = [(0.5, 70.0), (2.0, 90.0), (5.0, 80.0)]
    bounds = [(1e-3, 100), (50, 100)]
    best = min(
        minimize(minus_log_likelihood, start, bounds=bounds, method="Nelder-Mead").fun
        for start in starts
    )
    assert minus_log_likelihood((curve.slope, curve.ceiling)) == pytest.approx(best, abs=1e-4)
    assert curve.pairs == 61
    assert curve.agreement == pytest.approx(100 * agrees.mean())


@pytest.mark.slow
def test_a_known_curve_is_found_again_and_lies_in_the_intervals(tmp_path: Path) -> None:
    curve = fitted(tmp_path, pairs_of_systems(1500, seed=2), replicates=300)
    truth = [100 * chance(point.difference, TRUE_SLOPE, TRUE_CEILING) for point in curve.points]
    for point, true in zip(curve.points, truth, strict=True):
        assert point.accuracy == pytest.approx(true, abs=5)
    inside = [
        point.low <= true <= point.high
        for point, true in zip(curve.points, truth, strict=True)
        if point.low is not None and point.high is not None
    ]
    assert np.mean(inside) > 0.8
    assert sum(point.pairs or 0 for point in curve.observed) == curve.pairs
    by_accuracy = {threshold.accuracy: threshold for threshold in curve.thresholds}
    needed = by_accuracy[70].difference
    assert needed == pytest.approx(np.log(3) / TRUE_SLOPE, abs=0.15)


def test_a_metric_that_guesses_is_a_coin(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    sets = [
        JudgedSystems(
            name=str(number),
            systems=("a", "b"),
            human=(float(rng.random() < 0.5), 0.5),
            scores={"m": (float(rng.exponential()), 0.0)},
        )
        for number in range(600)
    ]
    curve = fitted(tmp_path, sets)
    assert all(point.accuracy < 58 for point in curve.points)
    assert by_threshold(curve, 80) is None


def by_threshold(curve: FittedCurve, accuracy: int) -> float | None:
    return next(
        threshold.difference for threshold in curve.thresholds if threshold.accuracy == accuracy
    )


def test_all_pairs_of_a_test_set_are_counted_whatever_the_direction() -> None:
    fit = fit_curves(texts(), human_scores(), ["bleu", "ter"], replicates=50)
    count = len(RATES) * (len(RATES) - 1) // 2
    assert [curve.pairs for curve in fit.curves] == [count, count]
    assert all(curve.agreement > 50 for curve in fit.curves)
    assert all(point.low is not None and point.low >= 50 for point in fit.curves[0].points)


def test_the_same_seed_gives_the_same_digits_and_another_does_not(tmp_path: Path) -> None:
    sets = pairs_of_systems(80, seed=4)
    first, again, other = (fitted(tmp_path, sets, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.points != other.points
    assert (first.slope, first.ceiling) == (other.slope, other.ceiling)


def test_pools_of_other_metrics_or_settings_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    sets = pairs_of_systems(3, seed=5)
    metric = OutsideScores.of({"a": [2.0], "b": [1.0]}, name="m")
    other = pooled(tmp_path, sets, column="another")

    def fit(file: Path, name: str = "m") -> object:
        scored = metric if name == "m" else OutsideScores.of({"a": [2.0], "b": [1.0]}, name=name)
        human = {"a": [1.0], "b": [0.0]}
        outputs = {"a": ["x"], "b": ["x"]}
        return fit_curves(outputs, human, [scored], references=["x"], pool=[file])

    with pytest.raises(MalformedFileError, match="m with"):
        fit(other)
    with pytest.raises(MalformedFileError, match="no fit by n"):
        fit(other, "n")
    with pytest.raises(UnreadableFileError):
        fit(tmp_path / "none.json")
    none_fitted = json.dumps({"curves": [], "sets": [asdict(test_set) for test_set in sets]})
    for damaged in ("{", "[]", '{"curves": [], "curves": []}', none_fitted):
        (tmp_path / "bad.json").write_text(damaged)
        with pytest.raises(MalformedFileError, match=r"bad\.json"):
            fit(tmp_path / "bad.json")


def test_equal_scores_have_no_curve() -> None:
    flat = OutsideScores.of({"a": [1.0], "b": [1.0]}, name="flat")
    human = {"a": [1.0], "b": [0.0]}
    with pytest.raises(SettingError, match="some judged systems differ"):
        fit_curves({"a": ["x"], "b": ["x"]}, human, [flat], references=["x"])
