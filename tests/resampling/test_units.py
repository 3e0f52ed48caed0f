"""Units: segments, documents, blocks and strata."""

from __future__ import annotations

import numpy as np
import pytest

from truebleu.errors import SettingError, UnpairedSegmentsError
from truebleu.resampling import Units

ROWS = np.arange(12.0).reshape(6, 2)


def test_segments_are_units_of_their_own() -> None:
    units = Units.segments(6)
    assert len(units) == 6
    assert units.strata == ((0, 6),)
    np.testing.assert_array_equal(units.add_up(ROWS), ROWS)


def test_a_document_s_rows_are_added_wherever_they_stand() -> None:
    units = Units.documents(["b", "a", "b", "a", "c", "b"])
    expected = [ROWS[[0, 2, 5]].sum(0), ROWS[[1, 3]].sum(0), ROWS[4]]
    np.testing.assert_array_equal(units.add_up(ROWS), expected)


def test_blocks_are_consecutive_and_the_last_may_be_shorter() -> None:
    units = Units.blocks(6, 4)
    np.testing.assert_array_equal(units.add_up(ROWS), [ROWS[:4].sum(0), ROWS[4:].sum(0)])


def test_documents_of_one_segment_equal_segments() -> None:
    documents, segments = Units.documents(list("uvwxyz")), Units.segments(6)
    np.testing.assert_array_equal(documents.of_segment, segments.of_segment)
    assert documents.strata == segments.strata


def test_units_of_a_stratum_are_numbered_together() -> None:
    units = Units.segments(6, strata=["news", "talk", "news", "talk", "talk", "news"])
    assert units.strata == ((0, 3), (3, 6))
    np.testing.assert_array_equal(units.add_up(ROWS), ROWS[[0, 2, 5, 1, 3, 4]])


def test_a_document_in_two_strata_is_refused() -> None:
    with pytest.raises(SettingError, match="each document in one stratum"):
        Units.documents(["a", "a"], strata=["news", "talk"])


def test_labels_of_another_length_are_refused() -> None:
    with pytest.raises(UnpairedSegmentsError):
        Units.segments(3, strata=["news"])
    with pytest.raises(UnpairedSegmentsError):
        Units.segments(3).add_up(ROWS)


@pytest.mark.parametrize("length", [0, -1, 7, True, 1.5])
def test_impossible_block_lengths_are_refused(length: int) -> None:
    with pytest.raises(SettingError, match="block length"):
        Units.blocks(6, length)


def test_blocks_begin_anew_where_the_stratum_changes() -> None:
    units = Units.blocks(6, 2, strata=["news", "news", "news", "talk", "talk", "news"])
    assert units.strata == ((0, 3), (3, 4))
    expected = [ROWS[:2].sum(0), ROWS[2], ROWS[5], ROWS[3:5].sum(0)]
    np.testing.assert_array_equal(units.add_up(ROWS), expected)


def test_a_million_segments_need_no_second_copy_of_their_rows() -> None:
    assert Units.segments(6).add_up(ROWS) is ROWS
