"""N-grams: contributions that add up."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from truebleu.explanation import split_difference
from truebleu.explanation.ngrams import ngram_effects
from truebleu.metrics import BLEU
from truebleu.resampling import Units
from truebleu.simulation import simulate_causes

if TYPE_CHECKING:
    from truebleu.corpus import TestSet


@pytest.fixture(scope="module")
def causes() -> TestSet:
    return simulate_causes(segments=800)


def test_n_grams_add_up_to_the_contribution_of_matches(causes: TestSet) -> None:
    names = ("baseline", "weak-in-sport")
    two = replace(causes, systems={name: causes.systems[name] for name in names})
    metric = BLEU(tokenize="13a")
    rows = metric.count(two).array()
    found = split_difference(metric, rows[:, 0], rows[:, 1])
    effects = ngram_effects(metric, two, names, found, Units.segments(len(two)), None)
    assert effects is not None
    matches = found.by_column()[2:6].sum()
    assert effects.contributions.sum() == pytest.approx(matches, abs=1e-9)
