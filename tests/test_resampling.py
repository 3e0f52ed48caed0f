"""Replicates: the same seed gives the same digits, in any blocks and on any threads."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from truebleu import set_threads
from truebleu.errors import SettingError, UnpairedSegmentsError
from truebleu.resampling import Bootstrap, Swaps, Units, on_exact_grid

ROWS = on_exact_grid(np.random.default_rng(1).gamma(2.0, 3.0, size=(300, 20)))
UNITS = Units.segments(300)


@pytest.mark.usefixtures("restored_threads")
def test_threads_and_blocks_change_no_digit() -> None:
    found = []
    for threads, block in ((1, 200), (2, 200), (3, 7)):
        set_threads(threads)
        bootstrap = [Bootstrap(seed=3).sums(ROWS, UNITS, i, block) for i in range(0, 200, block)]
        swaps = [Swaps(seed=3).sums(ROWS, i, block, enumerated=False) for i in range(0, 200, block)]
        found.append((np.concatenate(bootstrap)[:200], np.concatenate(swaps)[:200]))
    for bootstrap_sums, swap_sums in found[1:]:
        np.testing.assert_array_equal(bootstrap_sums, found[0][0])
        np.testing.assert_array_equal(swap_sums, found[0][1])


def test_zero_is_a_seed_of_its_own() -> None:
    sums = [Bootstrap(seed=seed).sums(ROWS, UNITS, 0, 5) for seed in (0, 0, 1, 12345)]
    np.testing.assert_array_equal(sums[0], sums[1])
    assert not np.array_equal(sums[0], sums[2])
    assert not np.array_equal(sums[0], sums[3])


def test_bootstrap_sums_average_to_the_total() -> None:
    sums = Bootstrap(seed=5).sums(ROWS, UNITS, 0, 4000)
    error = ROWS.std(axis=0) * np.sqrt(len(ROWS) / 4000)
    assert (np.abs(sums.mean(axis=0) - ROWS.sum(axis=0)) < 5 * error).all()


def test_swaps_take_half_of_the_total_on_average() -> None:
    sums = Swaps(seed=5).sums(ROWS, 0, 4000, enumerated=False)
    error = np.sqrt((ROWS**2).sum(axis=0) / 4 / 4000)
    assert (np.abs(sums.mean(axis=0) - ROWS.sum(axis=0) / 2) < 5 * error).all()


def test_enumeration_is_chosen_when_it_is_no_more_work() -> None:
    assert Swaps(replicates=1024).enumerates(10)
    assert not Swaps(replicates=1023).enumerates(10)
    sums = Swaps(replicates=8).sums(np.array([[1.0], [2.0], [4.0]]), 0, 8, enumerated=True)
    assert sorted(sums[:, 0]) == list(range(8))


@given(
    st.lists(
        st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: 0.0 if abs(x) < 1e-3 else x),
        min_size=1,
        max_size=30,
    )
)
def test_sums_on_the_grid_are_exact_and_close(column: list[float]) -> None:
    rows = np.array(column)[:, None]
    grid = on_exact_grid(rows)
    np.testing.assert_allclose(grid, rows, rtol=0, atol=1e-12 * max(1, np.abs(rows).max()))
    exact = sum((Fraction(x) for x in grid[:, 0].tolist()), Fraction(0))
    assert Fraction(float(grid.sum())) == exact
    assert Fraction(float(grid[::-1].sum())) == exact


@pytest.mark.parametrize("scale", [1.0, 5e-324])
def test_whole_numbers_stay_as_they_are(scale: float) -> None:
    rows = np.array([[1.0, 0.5], [2.0, 0.25]]) * scale
    np.testing.assert_array_equal(on_exact_grid(rows), rows)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, True, "1"])
def test_impossible_seeds_are_refused(seed: int) -> None:
    with pytest.raises(SettingError, match="seed"):
        Bootstrap(seed=seed)


@pytest.mark.parametrize("replicates", [0, -5, 2.5, True])
def test_impossible_numbers_of_replicates_are_refused(replicates: int) -> None:
    with pytest.raises(SettingError, match="replicates"):
        Swaps(replicates=replicates)


# Units.


SIX = np.arange(12.0).reshape(6, 2)


def test_segments_are_units_of_their_own() -> None:
    units = Units.segments(6)
    assert len(units) == 6
    assert units.strata == ((0, 6),)
    np.testing.assert_array_equal(units.add_up(SIX), SIX)


def test_a_document_s_rows_are_added_wherever_they_stand() -> None:
    units = Units.documents(["b", "a", "b", "a", "c", "b"])
    expected = [SIX[[0, 2, 5]].sum(0), SIX[[1, 3]].sum(0), SIX[4]]
    np.testing.assert_array_equal(units.add_up(SIX), expected)


def test_blocks_are_consecutive_and_the_last_may_be_shorter() -> None:
    units = Units.blocks(6, 4)
    np.testing.assert_array_equal(units.add_up(SIX), [SIX[:4].sum(0), SIX[4:].sum(0)])


def test_documents_of_one_segment_equal_segments() -> None:
    documents, segments = Units.documents(list("uvwxyz")), Units.segments(6)
    np.testing.assert_array_equal(documents.of_segment, segments.of_segment)
    assert documents.strata == segments.strata


def test_units_of_a_stratum_are_numbered_together() -> None:
    units = Units.segments(6, strata=["news", "talk", "news", "talk", "talk", "news"])
    assert units.strata == ((0, 3), (3, 6))
    np.testing.assert_array_equal(units.add_up(SIX), SIX[[0, 2, 5, 1, 3, 4]])


def test_a_document_in_two_strata_is_refused() -> None:
    with pytest.raises(SettingError, match="each document in one stratum"):
        Units.documents(["a", "a"], strata=["news", "talk"])


def test_labels_of_another_length_are_refused() -> None:
    with pytest.raises(UnpairedSegmentsError):
        Units.segments(3, strata=["news"])
    with pytest.raises(UnpairedSegmentsError):
        Units.segments(3).add_up(SIX)


@pytest.mark.parametrize("length", [0, -1, 7, True, 1.5])
def test_impossible_block_lengths_are_refused(length: int) -> None:
    with pytest.raises(SettingError, match="length"):
        Units.blocks(6, length)


def test_blocks_end_at_changes_of_the_stratum() -> None:
    units = Units.blocks(6, 2, strata=["news", "news", "news", "talk", "talk", "news"])
    assert units.strata == ((0, 3), (3, 4))
    expected = [SIX[:2].sum(0), SIX[2], SIX[5], SIX[3:5].sum(0)]
    np.testing.assert_array_equal(units.add_up(SIX), expected)


def test_a_million_segments_need_no_second_copy_of_their_rows() -> None:
    assert Units.segments(6).add_up(SIX) is SIX
