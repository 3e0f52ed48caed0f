"""Rows: counts by segment, system and column, in few bits, lazily counted and picklable."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.testing import assert_array_equal

from truebleu._core import Statistics
from truebleu.counts.rows import ArrayRows, Rows, downcast_integers
from truebleu.errors import EmptyTextError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.metrics.base import CountedRows

TABLE = np.arange(24, dtype=np.float64).reshape(4, 3, 2)


def counted_once(table: NDArray[Any] = TABLE) -> tuple[Rows, list[str]]:
    """Lazily counted rows, and a list that gets an entry whenever they are counted."""
    calls: list[str] = []

    def count() -> CountedRows:
        calls.append("counted")
        return ArrayRows(table)

    return Rows(count), calls


def count_table() -> CountedRows:
    """Function that another process can import."""
    return ArrayRows(TABLE)


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        ([0, 1, 32767], "int16"),
        ([0, 1, 32768], "int32"),
        ([0, 2**31 - 1], "int32"),
        ([0, 2**31], "float64"),
        ([0.5, 1], "float64"),
        ([-0.0, 1], "float64"),
        ([-1, 1], "float64"),
    ],
)
def test_whole_numbers_take_the_fewest_bits_that_hold_them(numbers: list[float], kind: str) -> None:
    narrow = downcast_integers(np.array(numbers, dtype=np.float64).reshape(-1, 1, 1))
    assert narrow.dtype == kind
    assert_array_equal(narrow.ravel(), numbers)


@given(arrays(np.float64, array_shapes(min_dims=3, max_dims=3, min_side=0, max_side=4)))
def test_downcasting_changes_no_number(rows: NDArray[np.float64]) -> None:
    narrow = downcast_integers(rows)
    assert narrow.astype(np.float64).tobytes() == rows.tobytes()


def test_parts_are_added_up_from_the_first_to_the_last() -> None:
    rng = np.random.default_rng(1)
    pieces = [rng.integers(0, limit, (70, 2, 3)).astype(float) for limit in (9, 90_000, 9)]
    pieces.append(rng.random((70, 2, 3)))
    rows = Rows()
    kinds = []
    for count, piece in enumerate(pieces, 1):
        rows.add(Statistics(piece))
        whole = np.concatenate(pieces[:count])
        assert rows.sums() == Statistics(whole).sums()
        assert_array_equal(rows.stored(), whole)
        kinds.append(rows.stored().dtype.name)
    assert kinds[1:] == ["int32", "int32", "float64"]


def test_a_single_part_keeps_the_sums_of_the_core() -> None:
    piece = np.random.default_rng(2).random((70, 2, 3))
    rows = Rows()
    rows.add(Statistics(piece))
    assert rows.sums() == Statistics(piece).sums() == Rows.of(ArrayRows(piece)).sums()


def test_sums_do_not_depend_on_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(3).random((100, 2, 3))
    expected = ArrayRows(table).sums()
    monkeypatch.setattr("truebleu.counts.rows.BLOCK", 7)
    assert ArrayRows(table).sums() == expected


def test_rows_are_counted_on_first_use_and_once() -> None:
    rows, calls = counted_once()
    chosen, part = rows.select([2, 0]), rows.subset([3, 1])
    assert calls == []
    assert_array_equal(chosen.floats(), TABLE[:, [2, 0]])
    assert_array_equal(part.floats(), TABLE[[3, 1]])
    assert_array_equal(rows.floats(), TABLE)
    assert calls == ["counted"]


def test_a_choice_of_systems_and_segments_can_be_repeated() -> None:
    rows, _ = counted_once()
    chosen = rows.subset([3, 1, 0]).select([1]).subset([2])
    assert_array_equal(chosen.floats(), TABLE[[0]][:, [1]])
    assert chosen.sums() == [TABLE[0, 1].tolist()]


@pytest.mark.parametrize("kind", ["int16", "int32", "float64"])
def test_floats_are_float64_whatever_is_stored(kind: str) -> None:
    rows = Rows.of(ArrayRows(TABLE.astype(kind)))
    for chosen in (rows, rows.select([0, 1, 2]), rows.subset([0, 1, 2, 3])):
        assert chosen.stored().dtype == kind
        assert chosen.floats().dtype == np.float64
        assert_array_equal(chosen.floats(), TABLE)


def test_rows_with_the_same_numbers_are_equal() -> None:
    rows, calls = counted_once()
    narrow = Rows.of(ArrayRows(TABLE.astype("int16")))
    assert rows == narrow
    assert hash(rows) == hash(narrow)
    assert calls == ["counted"]


@pytest.mark.parametrize("other", [TABLE + 1, TABLE[:3], TABLE[:, :2]], ids=str)
def test_rows_with_other_numbers_differ(other: NDArray[np.float64]) -> None:
    assert Rows.of(ArrayRows(TABLE)) != Rows.of(ArrayRows(other))


def test_rows_differ_from_arrays() -> None:
    assert (Rows.of(ArrayRows(TABLE)) == "rows") is False


@given(st.booleans(), st.booleans())
def test_pickled_rows_are_equal(is_counted: bool, is_part: bool) -> None:
    rows = Rows(count_table).select([2, 0])
    if is_part:
        rows = rows.subset([0, 2])
    if is_counted:
        rows.sums()
    copy = pickle.loads(pickle.dumps(rows))  # noqa: S301
    assert copy == rows
    assert copy.sums() == rows.sums()


def test_rows_are_pickled_uncounted_unless_they_were_counted() -> None:
    uncounted = Rows(count_table)
    assert len(pickle.dumps(uncounted)) < TABLE.nbytes
    uncounted.sums()
    assert len(pickle.dumps(uncounted)) > TABLE.nbytes


def test_rows_of_the_core_and_of_parts_are_picklable() -> None:
    rows = Rows()
    for piece in (TABLE, TABLE + 0.5):
        rows.add(Statistics(piece))
        assert pickle.loads(pickle.dumps(rows)) == rows  # noqa: S301


def test_rows_without_parts_raise_an_error() -> None:
    with pytest.raises(EmptyTextError, match="counts"):
        Rows().sums()
