"""Claims about parts of a test set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.testing import assert_allclose

from truebleu.errors import SettingError
from truebleu.metrics.bleu import BLEU
from truebleu.metrics.nist import NIST
from truebleu.simulation import simulate
from truebleu.studies._pool import (
    Part,
    Pool,
    PoolUnit,
    orders_of_growth,
    part_of,
    sizes_of_shares,
    units_of,
)

if TYPE_CHECKING:
    from truebleu.corpus import TestSet


@pytest.fixture(scope="module")
def test_set() -> TestSet:
    return simulate(segments=60, systems=[0.2, 0.3], references=2, document_length=4, seed=3)


def test_parts_grow_by_random_units_and_hold_the_smaller_ones() -> None:
    orders = orders_of_growth(30, 4, seed=1)
    assert all(sorted(order) == list(range(30)) for order in orders)
    assert len({tuple(order) for order in orders}) == 4
    again = orders_of_growth(30, 2, seed=1)
    assert [tuple(order) for order in again] == [tuple(order) for order in orders[:2]]


def test_every_unit_is_as_likely_as_any_other_to_be_in_a_part() -> None:
    counts = np.bincount(np.concatenate([o[:5] for o in orders_of_growth(20, 2000, 7)]))
    # 500 expected of each; the standard deviation is sqrt(2000 / 4 * 3 / 4).
    assert np.abs(counts - 500).max() < 4 * 375**0.5


@pytest.mark.parametrize("unit", ["segment", "document"])
def test_a_part_counted_anew_scores_like_a_test_set_of_its_own(
    test_set: TestSet, unit: PoolUnit
) -> None:
    pool = Pool.of(test_set, ["nist", "bleu"], unit)
    chosen = np.array([1, 4, 5, 7, 9])
    units = units_of(test_set, unit).of_segment
    places = [place for place in range(60) if units[place] in chosen]
    assert len(places) >= 5

    def taken(text: object) -> list[str]:
        return [list(text)[place] for place in places]  # type: ignore[call-overload]

    nist, bleu = Part(pool, test_set, chosen).counted(anew=True)
    for index, outputs in enumerate(test_set.systems.values()):
        references = [taken(reference) for reference in test_set.references]
        alone = NIST().corpus(taken(outputs), references)
        assert nist.scores[index] == pytest.approx(alone.score, rel=1e-9)
        alone_bleu = BLEU().corpus(taken(outputs), references)
        assert bleu.scores[index] == pytest.approx(alone_bleu.score, rel=1e-9)


def test_only_metrics_that_weigh_by_the_whole_text_count_a_part_differently(
    test_set: TestSet,
) -> None:
    pool = Pool.of(test_set, ["bleu", "nist", "chrf", "ter"], "document")
    assert Part(pool, test_set, np.array([0, 2, 3])).weighed_by_the_whole() == ["NIST"]


def test_a_part_keeps_documents_domains_and_the_order_of_the_whole(test_set: TestSet) -> None:
    units = units_of(test_set, "document")
    part = part_of(test_set, units, np.array([2, 0]))
    places = np.flatnonzero(np.isin(units.of_segment, [0, 2]))
    assert test_set.documents is not None
    assert part.documents == tuple(test_set.documents[place] for place in places)
    assert list(part.references[1]) == [list(test_set.references[1])[p] for p in places]


def test_counts_within_the_pool_are_those_of_the_pool(test_set: TestSet) -> None:
    pool = Pool.of(test_set, ["nist"])
    (one,) = Part(pool, test_set, np.array([3, 8, 20])).counted()
    assert_allclose(one.rows, pool.statistics[0].rows[[3, 8, 20]], rtol=0)


@pytest.mark.parametrize(
    ("shares", "claim"),
    [
        ([], "at least one"),
        ([0.0], "found '0 %', expected more than 0"),
        ([1.5], "found '150 %', expected .* at most 100 %"),
        ([float("nan")], "more than 0"),
        ([0.02, 1.0], "at least 5 segments in a part"),
        ([0.5, 0.501], "differ by a segment"),
    ],
)
def test_shares_that_are_no_parts_are_refused(shares: list[float], claim: str) -> None:
    with pytest.raises(SettingError, match=claim):
        sizes_of_shares(shares, 100, "segment")
