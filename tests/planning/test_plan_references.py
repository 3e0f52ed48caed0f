"""What a number of references is worth in a plan."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import pytest

import truebleu
from truebleu.planning.plan import plan
from truebleu.simulation import simulate

if TYPE_CHECKING:
    from truebleu.corpus import TestSet


@pytest.fixture(scope="module")
def pilot() -> TestSet:
    return simulate(segments=150, references=3, systems=[0.2, 0.3], seed=4)


def chrf_scores(texts: TestSet) -> list[float]:
    return [
        system.scores["chrF2"].score for system in truebleu.score(texts, metrics=["chrf"]).systems
    ]


def relative_variance(texts: TestSet, references: list[int]) -> float:
    """Return the variance of the difference without one segment, over the squared scores."""
    texts = texts.with_references(references)
    without = []
    for segment in range(len(texts)):
        a, b = chrf_scores(texts.part([place for place in range(len(texts)) if place != segment]))
        without.append(a - b)
    return float(np.var(without) / np.mean(chrf_scores(texts)) ** 2)


def test_a_ratio_compares_relative_variances_over_all_choices() -> None:
    texts = simulate(segments=25, references=3, systems=[0.2, 0.3], seed=4)
    (found,) = plan(texts, metrics=["chrf"], replicates=100, unit="segment").plans
    whole = relative_variance(texts, [0, 1, 2])
    one = np.mean([relative_variance(texts, [index]) for index in range(3)])
    two = np.mean([relative_variance(texts, pair) for pair in ([0, 1], [1, 2], [0, 2])])
    assert [part.references for part in found.references] == [1, 2, 3]
    assert [part.ratio for part in found.references] == pytest.approx(
        [one / whole, two / whole, 1.0], rel=1e-6
    )


def test_sizes_follow_from_the_ratio(pilot: TestSet) -> None:
    (found,) = plan(pilot, difference=2.0, replicates=100, unit="segment").plans
    assert found.units_needed is not None
    for part in found.references:
        units = ceil(found.units_needed * part.ratio - 1e-6)
        assert (part.units_needed, part.segments_needed) == (units, units)
        assert part.translations == units * part.references
    (unknown,) = plan(pilot, replicates=100, unit="segment").plans
    for part in unknown.references:
        assert (part.units_needed, part.segments_needed, part.translations) == (None,) * 3


def test_all_references_need_what_the_plan_needs(pilot: TestSet) -> None:
    (found,) = plan(pilot, difference=2.0, replicates=100).plans
    assert found.references[-1].units_needed == found.units_needed
    assert "Counted in translations, 1 reference for each segment costs least" in " ".join(
        str(plan(pilot, difference=2.0, replicates=100)).split()
    )


def test_a_plan_without_references_to_leave_out_says_nothing(pilot: TestSet) -> None:
    one = pilot.with_references([0])
    gaps = replace(
        pilot, references=(*pilot.references[:2], [None, *list(pilot.references[2])[1:]])
    )
    for texts in (one, gaps):
        (found,) = plan(texts, difference=2.0, replicates=100).plans
        assert found.references == ()
