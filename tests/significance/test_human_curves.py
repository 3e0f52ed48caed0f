"""The curves of Kocmi et al. (2024), against the numbers that their authors publish."""

from __future__ import annotations

import numpy as np
import pytest

from truebleu import gate
from truebleu.metrics import BLEU, CHRF
from truebleu.metrics.base import GivenMean, Scorer, Signature
from truebleu.metrics.registry import parse_metric
from truebleu.significance import CURVES, PeopleAgreement, find_curve
from truebleu.significance.human_curves import agreement_of_pairs

BY_NAME = {curve.metric: curve for curve in CURVES}


def people_agreement(metric: Scorer, scores: list[float]) -> PeopleAgreement:
    """That with the difference of two scores."""
    (agreement,) = agreement_of_pairs(metric, "kocmi", [(0, 1)], np.array(scores), 1)
    assert agreement is not None
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


COMET = GivenMean(name="wmt22-comet-da", signature=Signature.of("wmt22-comet-da"))


def test_agreement_is_at_least_50_per_cent() -> None:
    agreement = people_agreement(BLEU(tokenize="13a"), [30.2, 30.0])
    assert agreement.accuracy == 50
    assert not agreement.better_than_coin
    assert agreement.coin == pytest.approx(0.27, abs=0.006)


def test_scores_between_0_and_1_are_read_as_percentages() -> None:
    comet = COMET
    small = people_agreement(comet, [0.855, 0.85])
    large = people_agreement(comet, [85.5, 85.0])
    assert small.accuracy == pytest.approx(large.accuracy)
    assert 100 * small.coin == pytest.approx(large.coin)


def test_a_curve_is_about_the_settings_that_it_was_fitted_to() -> None:
    assert find_curve(BLEU(tokenize="13a")) is BY_NAME["BLEU"]
    assert find_curve(CHRF()) is BY_NAME["chrF"]
    assert find_curve(parse_metric("bleu:tokenize=13a,lowercase")) is None
    assert find_curve(parse_metric("chrf:word_order=2")) is None
    assert find_curve(parse_metric("ter")) is None
    comet = COMET
    assert find_curve(comet) is BY_NAME["COMET-22"]


def test_differences_on_the_level_part_have_no_agreement() -> None:
    scores = np.array([30.0, 34.7, 34.8])
    pairs = [(0, 1), (0, 2)]
    small, large = agreement_of_pairs(BLEU(tokenize="13a"), "kocmi", pairs, scores, 1)
    assert small is not None
    assert large is None


def test_a_gate_with_several_references_has_no_human_agreement() -> None:
    reference = ["the cat sat on the mat", "a dog barked at me"] * 5
    new = ["the cat sat on a mat", "a dog barked at me"] * 5
    outputs = {"new": new, "old": ["the cat sat on mat", "a dog barked at me"] * 5}
    said = [
        gate(outputs, references, baseline="old", replicates=50).checks[0].people
        for references in ([reference], [reference, new])
    ]
    assert said[0] is not None
    assert said[1] is None


def test_scores_up_to_one_and_a_half_are_fractions() -> None:
    as_fractions = people_agreement(COMET, [1.5, 1.4975])
    as_points = people_agreement(COMET, [1.51, 1.26])
    assert as_fractions.accuracy == pytest.approx(as_points.accuracy)
    assert as_points.coin == pytest.approx(100 * as_fractions.coin)


@pytest.mark.parametrize(("share", "said"), [(0.989, True), (0.991, False)])
def test_a_curve_is_level_from_99_hundredths_of_its_ceiling_on(share: float, said: bool) -> None:
    curve = BY_NAME["BLEU"]
    difference = curve.difference(share * curve.ceiling)
    assert difference is not None
    scores = np.array([30.0, 30.0 + difference])
    (agreement,) = agreement_of_pairs(BLEU(tokenize="13a"), "kocmi", [(0, 1)], scores, 1)
    assert (agreement is not None) == said
