"""How often approximate randomization finds a difference on fresh test sets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from truebleu.counts.counting import count_texts
from truebleu.metrics.registry import parse_metric
from truebleu.planning.plan import plan
from truebleu.resampling import Units
from truebleu.significance.tests import REPLICATE_TESTS, randomization_p
from truebleu.significance.unit_counts import count_units

if TYPE_CHECKING:
    from truebleu.corpus import TestSet
    from truebleu.schema import TextUnit
    from truebleu.significance.unit_counts import UnitCounts

ALPHA = 0.05
# With 399 swaps a test at .05 is exact.
SWAPS = 399


def achieved_power(population: UnitCounts, units: int, test_sets: int, seed: int) -> float:
    """The share of test sets, drawn with replacement, on which the better system of two is found.

    Args:
        population: two systems' counts by unit.
        units: of each test set.
        test_sets: how many are drawn.
        seed: of the draws.
    """
    rng = np.random.default_rng(seed)
    better = np.sign(population.scores[0] - population.scores[1])
    found = 0
    for number in range(test_sets):
        drawn = rng.integers(0, len(population.rows), units)
        fresh = replace(population, rows=np.ascontiguousarray(population.rows[drawn]))
        difference = fresh.scores[0] - fresh.scores[1]
        null, _ = REPLICATE_TESTS["ar"].differences(fresh, [(0, 1)], replicates=SWAPS, seed=number)
        p = randomization_p(difference, null[:, 0], scale=fresh.scale)
        found += bool(p <= ALPHA and np.sign(difference) == better)
    return found / test_sets


def pair_of(counted: UnitCounts, a: int, b: int) -> UnitCounts:
    """The counts of two systems only."""
    return replace(counted, rows=np.ascontiguousarray(counted.rows[:, [a, b]]))


def only(test_set: TestSet, *names: str) -> TestSet:
    return replace(test_set, systems={name: test_set.systems[name] for name in names})


def counted_by(test_set: TestSet, metric: str, unit: TextUnit) -> UnitCounts:
    documents = test_set.documents
    assert documents is not None
    units = Units.segments(len(test_set))
    if unit == "document":
        units = Units.documents(documents)
    return count_units(count_texts(test_set, [parse_metric(metric)]), units)[0]


def units_for(pilot: TestSet, difference: float, metric: str, unit: TextUnit) -> int:
    result = plan(pilot, difference=difference, metrics=[metric], unit=unit, replicates=100)
    needed = result.plans[0].units_by_pilot
    assert needed is not None
    return needed
