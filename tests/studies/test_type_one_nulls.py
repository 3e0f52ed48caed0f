"""Null data are what they claim to be: systems without any difference but chance."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from numpy.testing import assert_array_equal
from scipy.stats import chisquare

from truebleu.counts.counting import count_texts
from truebleu.errors import SettingError, UnknownNameError
from truebleu.resampling import Units
from truebleu.significance.unit_counts import count_units
from truebleu.simulation import simulate
from truebleu.studies import study_type_one
from truebleu.studies.type_one import NullData

if TYPE_CHECKING:
    import numpy as np

    from truebleu.corpus import TestSet
    from truebleu.studies._study import PoolUnit
    from truebleu.studies.type_one import Null

METRICS = ["bleu", "ter"]


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=60, systems=[0.1, 0.3, 0.5], references=2, document_length=4)


def two(test_set: TestSet) -> TestSet:
    systems = dict(list(test_set.systems.items())[:2])
    return replace(test_set, systems=systems)


def swapped_segments(test_set: TestSet, null: Null) -> list[bool | None]:
    """Which segments' outputs were exchanged; None where the two outputs count the same."""
    source = NullData.of(test_set, ["chrf"], {"null": null, "unit": "segment", "seed": 1}, 2)
    (one,) = next(source.sets(0, 1))
    (before,) = count_units(count_texts(test_set, "chrf"), Units.segments(len(test_set)))
    found: list[bool | None] = []
    for row, old in zip(one.rows, before.rows, strict=True):
        kept, swapped = (row == old).all(), (row == old[::-1]).all()
        assert kept or swapped
        found.append(None if kept and swapped else bool(swapped))
    return found


def test_counts_of_swapped_outputs_equal_counts_of_swapped_texts(pool: TestSet) -> None:
    test_set = two(pool)
    swapped = swapped_segments(test_set, "segment")
    a, b = test_set.systems.values()
    texts = {
        "a": [y if swap else x for x, y, swap in zip(a, b, swapped, strict=True)],
        "b": [x if swap else y for x, y, swap in zip(a, b, swapped, strict=True)],
    }
    exchanged = replace(test_set, systems=texts)
    expected = count_units(count_texts(exchanged, METRICS), Units.segments(len(test_set)))
    source = NullData.of(test_set, METRICS, {"null": "segment", "unit": "segment", "seed": 1}, 2)
    # Which of the two systems comes first is a matter of chance as well.
    for one, other in zip(next(source.sets(0, 1)), expected, strict=True):
        straight = (one.rows == other.rows).all()
        assert straight or (one.rows == other.rows[:, ::-1]).all()


def test_a_document_is_exchanged_as_a_whole(pool: TestSet) -> None:
    test_set = two(pool)
    swapped = swapped_segments(test_set, "document")
    by_document: dict[str, set[bool]] = {}
    assert test_set.documents is not None
    for document, swap in zip(test_set.documents, swapped, strict=True):
        if swap is not None:
            by_document.setdefault(document, set()).add(swap)
    assert all(len(swaps) == 1 for swaps in by_document.values())
    assert {True} in by_document.values()
    assert {False} in by_document.values()


def test_segments_are_exchanged_one_by_one(pool: TestSet) -> None:
    test_set = two(pool)
    swapped = swapped_segments(test_set, "segment")
    by_document: dict[str, set[bool | None]] = {}
    assert test_set.documents is not None
    for document, swap in zip(test_set.documents, swapped, strict=True):
        by_document.setdefault(document, set()).add(swap)
    assert any({True, False} <= swaps for swaps in by_document.values())


def test_all_orders_of_three_systems_are_equally_likely(pool: TestSet) -> None:
    source = NullData.of(pool, ["bleu"], {"null": "segment", "unit": "segment", "seed": 2}, 3)
    (before,) = count_units(count_texts(pool, "bleu"), Units.segments(len(pool)))
    orders = list(permutations(range(3)))
    found: Counter[int] = Counter()
    for (one,) in source.sets(0, 40):
        for row, old in zip(one.rows, before.rows, strict=True):
            fitting = [i for i, order in enumerate(orders) if (row == old[list(order)]).all()]
            assert fitting
            if len(fitting) == 1:
                found[fitting[0]] += 1
    assert sum(found.values()) > 1000
    assert chisquare([found[i] for i in range(6)]).pvalue > 0.001


@pytest.mark.parametrize("null", ["segment", "document"])
@pytest.mark.parametrize("unit", ["segment", "document"])
def test_a_set_does_not_depend_on_its_neighbours(pool: TestSet, null: Null, unit: PoolUnit) -> None:
    def sets(first: int, count: int) -> list[np.ndarray]:
        source = NullData.of(pool, METRICS, {"null": null, "unit": unit, "seed": 3}, 2)
        return [one.rows for counted in source.sets(first, count) for one in counted]

    all_of_them = sets(0, 4)
    assert_array_equal(all_of_them[6], sets(3, 1)[0])
    assert_array_equal(all_of_them[7], sets(3, 1)[1])
    assert (all_of_them[0] != all_of_them[2]).any()


@pytest.mark.parametrize("null", ["segment", "document"])
def test_counts_of_documents_are_sums_of_segments(pool: TestSet, null: Null) -> None:
    units: tuple[PoolUnit, PoolUnit] = ("segment", "document")
    by_unit = [
        NullData.of(pool, METRICS, {"null": null, "unit": unit, "seed": 3}, 2) for unit in units
    ]
    assert len(by_unit[0].tested) == 60
    assert len(by_unit[1].tested) == len(set(pool.documents or ()))
    segments, documents = (next(source.sets(0, 1)) for source in by_unit)
    for one, other in zip(segments, documents, strict=True):
        assert_array_equal(one.sums, other.sums)


def test_invalid_null_data_are_rejected(pool: TestSet) -> None:
    without = replace(pool, documents=None)
    one_document = replace(pool, documents=("d",) * 60)
    impossible: list[tuple[TestSet, Null, PoolUnit, int, str]] = [
        (without, "document", "segment", 2, "null: 'document'"),
        (without, "segment", "document", 2, "unit: 'document'"),
        (one_document, "document", "segment", 2, "one document"),
        (pool, "segment", "segment", 4, "systems: 3"),
    ]
    for test_set, null, unit, systems, said in impossible:
        with pytest.raises(SettingError, match=said):
            NullData.of(test_set, ["bleu"], {"null": null, "unit": unit, "seed": 0}, systems)
    unknown: list[dict[str, Any]] = [{"null": "segments"}, {"unit": "documents"}]
    for names in unknown:
        with pytest.raises(UnknownNameError, match="did you mean"):
            study_type_one(pool, **names)
