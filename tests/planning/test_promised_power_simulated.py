"""The power that a plan promises is the power that is achieved on simulated systems.

As in test_promised_power.py; the pilot and the population are different sentences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.planning.achieved import achieved_power, counted_by, units_for
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from truebleu.corpus import TestSet
    from truebleu.planning.plan import PlanUnit

PROMISED, BOUND = 0.8, 0.05


@pytest.fixture(scope="module")
def simulated() -> tuple[TestSet, TestSet]:
    """A pilot, and a population of other sentences by the same two systems."""
    channels = {"old": Channel.at_rate(0.25), "new": Channel.at_rate(0.22)}
    return (
        simulate(segments=4_000, systems=channels, seed=1),
        simulate(segments=20_000, systems=channels, seed=2),
    )


@pytest.mark.parametrize("unit", ["segment", "document"])
@pytest.mark.parametrize("metric", ["bleu", "chrf"])
def test_on_simulated_systems_the_power_is_as_promised(
    simulated: tuple[TestSet, TestSet], metric: str, unit: PlanUnit
) -> None:
    pilot, others = simulated
    population = counted_by(others, metric, unit)
    difference = abs(float(population.scores[0] - population.scores[1]))
    needed = units_for(pilot, difference, metric, unit)
    assert abs(achieved_power(population, needed, 1500, seed=3) - PROMISED) <= BOUND
