"""Claims about calibrated tie thresholds."""

from __future__ import annotations

import pytest

from truebleu.agreement.measures import measure
from truebleu.agreement.ties import calibrate_ties


def test_a_degenerate_threshold_is_said_to_be_one() -> None:
    # Three of six pairs are tied by people, and the metric has every other pair wrong.
    found = measure([0, 0, 0, -5], [1, 2, 3, 4], "acc-eq:calibrated")
    assert found.value == 0.5
    assert found.ties is not None
    assert found.ties.degenerate
    assert found.ties.human_ties == 0.5
    assert any("every pair a tie" in note and "50.0%" in note for note in found.notes)


def test_a_threshold_that_helps_is_not_called_degenerate() -> None:
    found = calibrate_ties([0, 0, 0, -5], [80, 81, 79, 60], grouping="none")
    assert found is not None
    assert (found.epsilon, found.below, found.accuracy) == (2.0, 19.0, 1.0)
    assert found.unique
    assert not found.degenerate
    assert found.notes == ()


def test_two_thresholds_that_are_equally_good_are_reported() -> None:
    # Right at 0: the concordant pair 1. At 1 the tied pair is gained, at 2 the other is lost,
    # at 5 one is gained again.
    human = [[0, 0, 0], [0, 1, 0]]
    metric = [[0.0, 0.0, 0.0], [1.0, 2.0, 5.0]]
    found = calibrate_ties(human, metric)
    assert found is not None
    assert (found.epsilon, found.below, found.unique) == (1.0, 2.0, False)
    assert found.accuracy == pytest.approx(2 / 3)
    assert any("separate" in note for note in found.notes)
