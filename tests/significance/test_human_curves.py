"""The curves of Kocmi et al. (2024), against the numbers that their authors publish."""

from __future__ import annotations

import numpy as np
import pytest

from truebleu import compare, gate
from truebleu.metrics import BLEU, CHRF
from truebleu.metrics.base import GivenMean, Scorer, Signature
from truebleu.metrics.registry import parse_metric
from truebleu.significance import CURVES, PeopleAgreement, find_curve
from truebleu.significance.human_curves import agreement_of_pairs
from truebleu.simulation import simulate

BY_NAME = {curve.metric: curve for curve in CURVES}


def agreements(
    metric: Scorer, scores: list[float], pairs: list[tuple[int, int]], *, decided: bool = True
) -> list[PeopleAgreement | None]:
    """The agreement with differences of scores that do not vary."""
    values = np.array(scores)
    return agreement_of_pairs(
        metric,
        "kocmi",
        pairs,
        values,
        1,
        decided=[decided] * len(pairs),
        replicates=lambda: values[np.newaxis],
    )


def people_agreement(metric: Scorer, scores: list[float]) -> PeopleAgreement:
    """The agreement with the difference of two scores."""
    (agreement,) = agreements(metric, scores, [(0, 1)])
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


CLEAR = simulate(segments=400, systems=[0.2, 0.22], seed=3)
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
    small, large = agreements(BLEU(tokenize="13a"), [30.0, 34.7, 34.8], [(0, 1), (0, 2)])
    assert small is not None
    assert large is None


def test_a_gate_with_several_references_has_no_human_agreement() -> None:
    several = [*CLEAR.references, CLEAR.systems["system-1"]]
    said = [
        gate(CLEAR.systems, references, baseline="system-2", replicates=50).checks[0].people
        for references in (CLEAR.references, several)
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
    (agreement,) = agreements(BLEU(tokenize="13a"), [30.0, 30.0 + difference], [(0, 1)])
    assert (agreement is not None) == said


def test_agreement_is_averaged_over_replicates_of_the_difference() -> None:
    replicates = np.array([[31.0, 30.0], [33.0, 30.0], [30.0, 31.0]])
    (agreement,) = agreement_of_pairs(
        BLEU(tokenize="13a"),
        "kocmi",
        [(0, 1)],
        np.array([31.0, 30.0]),
        1,
        decided=[True],
        replicates=lambda: replicates,
    )
    # 64.0 % and 83.7 % with gaps of 1 and 3 BLEU, and 36.0 % in the replicate of the other sign.
    assert agreement is not None
    assert agreement.accuracy == pytest.approx((64.0 + 83.7 + 36.0) / 3, abs=0.05)


def test_undecided_differences_have_no_human_agreement() -> None:
    assert agreements(BLEU(tokenize="13a"), [31.0, 30.0], [(0, 1)], decided=False) == [None]


@pytest.mark.parametrize(("rates", "said"), [([0.2, 0.2], False), ([0.2, 0.22], True)])
def test_comparisons_and_gates_quote_human_agreement_only_for_decided_pairs(
    rates: list[float], said: bool
) -> None:
    texts = simulate(segments=600, systems=rates, seed=3)
    compared = compare(texts, replicates=500)
    gated = gate(texts, baseline="system-1", replicates=500)
    assert compared.comparisons[0].significant == said
    for result in (compared, gated):
        assert ("human raters" in str(result)) == said
