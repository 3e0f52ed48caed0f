"""The curves of Kocmi et al. (2024), against the numbers that their authors publish."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from truebleu.errors import MalformedFileError, UnreadableFileError
from truebleu.metrics import BLEU, CHRF
from truebleu.metrics.registry import parse_metric
from truebleu.scores import OutsideScores
from truebleu.significance import CURVES, AgreementCurve, PeopleAgreement, find_curve, read_curves
from truebleu.significance.people import _agreements

if TYPE_CHECKING:
    from pathlib import Path

BY_NAME = {curve.metric: curve for curve in CURVES}


def people_agreement(
    curve: AgreementCurve, difference: float, replicates: np.ndarray, *, score: float
) -> PeopleAgreement:
    """That with one difference, of which replicates are known."""
    scores = np.stack([replicates, np.zeros_like(replicates)])
    (agreement,) = _agreements(curve, np.array([difference]), scores, [(0, 1)], score)
    return agreement


@pytest.mark.parametrize(
    ("metric", "difference", "accuracy"),
    [("BLEU", 1.0, 64.0), ("BLEU", 1.2, 67.2), ("BLEU", 5, 87.6), ("COMET-22", 0.5, 77.5)],
)
def test_the_curves_give_the_published_accuracies(
    metric: str, difference: float, accuracy: float
) -> None:
    assert float(BY_NAME[metric].accuracy(difference)) == pytest.approx(accuracy, abs=0.05)


@pytest.mark.parametrize(
    ("metric", "accuracy", "difference"),
    [
        ("BLEU", 50, 0.27),
        ("BLEU", 80, 2.34),
        ("BLEU", 90, None),
        ("chrF", 63.989, 0.710),
        ("spBLEU-200", 90, 5.57),
        ("COMET-22", 95, 1.53),
        ("xCOMET-XXL", 95, 2.74),
        ("MetricX-23-Large", 60, 0.02),
    ],
)
def test_the_curves_give_the_published_differences(
    metric: str, accuracy: float, difference: float | None
) -> None:
    found = BY_NAME[metric].difference(accuracy)
    assert found == (None if difference is None else pytest.approx(difference, abs=0.006))


def test_below_the_point_of_a_coin_it_is_a_coin() -> None:
    agreement = people_agreement(BY_NAME["BLEU"], 0.2, np.array([0.2]), score=30.0)
    assert agreement.accuracy == 50
    assert not agreement.better_than_coin
    assert agreement.coin == pytest.approx(0.27, abs=0.006)


def test_replicates_on_the_other_side_count_against_the_difference() -> None:
    curve = BY_NAME["BLEU"]
    agreement = people_agreement(curve, 2.0, np.array([2.0, -2.0, 2.0, -2.0]), score=30.0)
    assert agreement.accuracy == pytest.approx(77.2, abs=0.05)
    assert agreement.with_sampling == pytest.approx(50)


def test_the_same_scores_between_0_and_1_mean_the_same() -> None:
    curve = BY_NAME["COMET-22"]
    small = people_agreement(curve, 0.005, np.array([0.005, 0.004]), score=0.85)
    large = people_agreement(curve, 0.5, np.array([0.5, 0.4]), score=85.0)
    assert small.accuracy == pytest.approx(large.accuracy)
    assert small.with_sampling == pytest.approx(large.with_sampling)
    assert 100 * small.coin == pytest.approx(large.coin)


def test_a_curve_is_about_the_settings_that_it_was_fitted_to() -> None:
    assert find_curve(BLEU(tokenize="13a")) is BY_NAME["BLEU"]
    assert find_curve(CHRF()) is BY_NAME["chrF"]
    assert find_curve(parse_metric("bleu:tokenize=13a,lowercase")) is None
    assert find_curve(parse_metric("chrf:word_order=2")) is None
    assert find_curve(parse_metric("ter")) is None
    comet = OutsideScores.of({"a": [0.8]}, name="wmt22-comet-da")
    assert find_curve(comet) is BY_NAME["COMET-22"]


OWN = {
    "metric": "BLEU",
    "name": "BLEU",
    "settings": {"tok": "13a"},
    "ceiling": 90.0,
    "slope": 2.0,
    "pairs": 120,
    "largest": 3.0,
}


DAMAGE: tuple[dict[str, object], ...] = (
    {"ceiling": 101},
    {"ceiling": "90"},
    {"slope": -1},
    {"slope": float("nan")},
    {"settings": []},
    {"pairs": 1.5},
)


def test_a_curve_of_ones_own_starts_at_a_coin_and_ends_at_its_ceiling() -> None:
    curve = AgreementCurve(metric="x", ceiling=90, slope=2.0, names=("x",), start=50)
    assert curve.accuracy([0.0, 100.0]).tolist() == [50.0, 90.0]
    halfway = curve.difference(70)
    assert halfway is not None
    assert float(curve.accuracy(halfway)) == pytest.approx(70)
    assert curve.difference(90) is None


def test_a_saved_curve_is_about_its_settings_whatever_the_references(tmp_path: Path) -> None:
    file = tmp_path / "curve.json"
    file.write_text(json.dumps({"curves": [OWN]}))
    (curve,) = read_curves(file)
    assert (curve.pairs, curve.source) == (120, str(file))
    assert find_curve(BLEU(tokenize="13a"), [curve]) is curve
    assert find_curve(BLEU(tokenize="intl"), [curve]) is None
    small, large = (
        people_agreement(curve, size, np.array([size]), score=30.0) for size in (0.5, 3.5)
    )
    assert (small.beyond, large.beyond) == (False, True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"curves": []}',
        '{"curves": [{}]}',
        *(json.dumps({"curves": [{**OWN, **change}]}) for change in DAMAGE),
    ],
)
def test_a_file_that_holds_no_curves_is_refused_with_its_name(tmp_path: Path, text: str) -> None:
    file = tmp_path / "curve.json"
    file.write_text(text)
    with pytest.raises(MalformedFileError, match=r"curve\.json.*truebleu agree --curve"):
        read_curves(file)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError):
        read_curves(tmp_path / "none.json")
