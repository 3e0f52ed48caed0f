"""Claims about ranks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from truebleu.errors import SettingError
from truebleu.significance.ranking import (
    clusters,
    probability_of_best,
    rank_ranges,
    significantly_better,
)

Decisions = NDArray[np.bool_]

# Five systems by score, 0 the best: 0 beats 2, 3, 4; 1 beats 3, 4; 2 beats 3, 4; 3 ~ 4.
BETTER = np.array(
    [
        [0, 0, 1, 1, 1],
        [0, 0, 0, 1, 1],
        [0, 0, 0, 1, 1],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
    ],
    dtype=np.bool_,
)
SCORES = [35.0, 34.0, 33.0, 20.0, 19.0]


@st.composite
def ranked_systems(draw: st.DrawFn) -> tuple[list[int], Decisions]:
    """Scores, and decisions in which only a higher score is ever better."""
    scores = draw(st.lists(st.integers(0, 9), min_size=1, max_size=7))
    drawn = draw(arrays(np.bool_, (len(scores), len(scores))))
    return scores, drawn & (np.array(scores)[:, None] > np.array(scores))


def test_a_rank_lies_between_the_losses_and_the_wins() -> None:
    assert rank_ranges(BETTER) == [(1, 2), (1, 3), (2, 3), (4, 5), (4, 5)]


def test_a_line_is_drawn_where_all_above_beat_all_below() -> None:
    # 0 beats 2, but 1 joins them.
    assert clusters(SCORES, BETTER) == [[0, 1, 2], [3, 4]]


def test_error_rates_rank_the_other_way_round() -> None:
    # Numbered from the last to the first, with errors in place of scores.
    errors = [100 - score for score in reversed(SCORES)]
    found = clusters(errors, BETTER[::-1, ::-1], higher_is_better=False)
    assert found == [[4, 3, 2], [1, 0]]


@given(ranked_systems())
def test_clusters_are_separated_and_no_finer_line_separates(
    systems: tuple[list[int], Decisions],
) -> None:
    scores, better = systems
    groups = clusters(scores, better)
    order = [system for group in groups for system in group]
    assert sorted(order) == list(range(len(scores)))
    assert [scores[system] for system in order] == sorted(scores, reverse=True)
    lines = {sum(map(len, groups[:count])) for count in range(1, len(groups))}
    for place in range(1, len(order)):
        separated = all(better[i, j] for i in order[:place] for j in order[place:])
        assert (place in lines) == separated


@given(ranked_systems())
def test_rank_ranges_stay_within_their_cluster(systems: tuple[list[int], Decisions]) -> None:
    scores, better = systems
    ranges = rank_ranges(better)
    first = 1
    for group in clusters(scores, better):
        last = first + len(group) - 1
        for system in group:
            low, high = ranges[system]
            assert first <= low <= high <= last
        first = last + 1


def test_decisions_on_pairs_become_a_matrix() -> None:
    pairs = [(0, 1), (0, 2), (1, 2)]
    expected = np.zeros((4, 4), dtype=np.bool_)
    expected[0, 2] = expected[2, 1] = True
    better = significantly_better(4, pairs, [0.1, 2.0, -1.0], [False, True, True])
    assert_array_equal(better, expected)
    errors = significantly_better(
        4, pairs, [0.1, 2.0, -1.0], [False, True, True], higher_is_better=False
    )
    assert_array_equal(errors, expected.T)


def test_a_significant_difference_of_zero_makes_nobody_better() -> None:
    assert not significantly_better(2, [(0, 1)], [0.0], [True]).any()


def test_the_probability_of_being_best_is_shared_by_those_who_tie() -> None:
    scores = [[3.0, 2.0, 1.0], [2.0, 2.0, 1.0], [1.0, 1.0, 1.0], [0.1 + 0.2, 0.3, 0.0]]
    third = 1 / 3
    expected = [(1 + 0.5 + third + 0.5) / 4, (0.5 + third + 0.5) / 4, third / 4]
    assert probability_of_best(scores) == pytest.approx(expected)


@given(arrays(np.float64, (20, 4), elements=st.floats(-100, 100)))
def test_the_probabilities_add_up_to_1_and_turn_round_with_the_sign(
    scores: NDArray[np.float64],
) -> None:
    shares = probability_of_best(scores)
    assert sum(shares) == pytest.approx(1)
    assert probability_of_best(-scores, higher_is_better=False) == shares


def test_contradictions_are_refused() -> None:
    with pytest.raises(SettingError, match="at most one better system"):
        rank_ranges([[False, True], [True, False]])
    with pytest.raises(SettingError, match="square"):
        rank_ranges([[False, True]])
    with pytest.raises(SettingError, match="one score for each of 5 systems"):
        clusters([1.0, 2.0], BETTER)
