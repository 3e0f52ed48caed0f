"""Agreement with judgments of two outputs at a time."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu.agreement.coefficients import FORMULAS, count_pairs
from truebleu.agreement.comparisons import (
    Judgments,
    count_judgments,
    count_judgments_by_item,
    measure_judgments,
)
from truebleu.errors import SettingError

METRIC = [[3.0, 1.0], [2.0, 1.0], [2.0, 4.0]]


def judgments(*rows: tuple[int, int, int, int]) -> Judgments:
    """From rows of left, right, item, verdict."""
    left, right, item, verdict = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return Judgments(left=left, right=right, item=item, verdict=verdict)


@given(
    st.lists(st.lists(st.integers(-3, 0), min_size=4, max_size=4), min_size=3, max_size=3),
    st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=3, max_size=3),
    st.sampled_from([0.0, 1.0, 2.0]),
    st.randoms(use_true_random=False),
)
def test_judgments_that_scores_imply_count_like_the_scores(
    human: list[list[int]], metric: list[list[int]], epsilon: float, random: Any
) -> None:
    rows = []
    for item in range(4):
        for pair in combinations(range(3), 2):
            left, right = random.sample(pair, 2)
            verdict = int(np.sign(human[left][item] - human[right][item]))
            rows.append((left, right, item, verdict))
    random.shuffle(rows)
    found = count_judgments(metric, judgments(*rows), epsilon=epsilon)
    assert found == count_pairs(human, metric, grouping="item", epsilon=epsilon)
    for name in FORMULAS:
        value, reason = measure_judgments(metric, judgments(*rows), f"{name}:{epsilon}")
        assert value == FORMULAS[name](found)
        assert (reason is None) == (value is not None)


def test_counts_are_kept_apart_by_item() -> None:
    made = judgments((0, 1, 0, 1), (1, 0, 0, 1), (0, 1, 1, -1), (2, 0, 1, 0), (1, 2, 1, -1))
    counts = count_judgments_by_item(METRIC, made)
    assert counts.tolist() == [[1, 1, 0, 0, 0], [1, 0, 1, 1, 0]]
    assert count_judgments(METRIC, made).classes == (2, 1, 1, 1, 0)


def test_a_pair_judged_twice_counts_twice() -> None:
    made = judgments((0, 1, 0, 1), (0, 1, 0, -1), (0, 1, 0, -1))
    value, reason = measure_judgments(METRIC, made, "chen-cherry")
    assert value == pytest.approx(-1 / 3)
    assert reason is None


@pytest.mark.parametrize(
    ("rows", "name", "reason"),
    [
        ([], "tau-14", "there are no judgments"),
        ([(0, 1, 0, 0)], "tau-14", "people tie every pair"),
        ([(0, 1, 1, 1)], "tau-13", "no pair is ordered by people and by the metric"),
        ([(0, 1, 1, 1)], "kendall-b", "the metric ties every pair"),
    ],
)
def test_what_is_undefined_is_none_with_the_reason(
    rows: list[tuple[int, int, int, int]], name: str, reason: str
) -> None:
    assert measure_judgments(METRIC, judgments(*rows), name) == (None, reason)


@pytest.mark.parametrize("name", ["pearson", "kendall-like:1", "acc-eq:calibrated"])
def test_coefficients_that_need_scores_are_refused(name: str) -> None:
    with pytest.raises(SettingError, match="one for comparisons of pairs"):
        measure_judgments(METRIC, judgments((0, 1, 0, 1)), name)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((0, 3, 0, 1), "right: found 3, expected a number from 0 to 2: there are 3 systems"),
        ((-1, 1, 0, 1), "left: found -1"),
        ((0, 1, 2, 1), "item: found 2, expected a number from 0 to 1: there are 2 items"),
        ((0, 1, 0, 2), "verdict: found 2"),
        ((1, 1, 0, 1), "judgment 1 of a system and itself"),
    ],
)
def test_judgments_of_what_is_not_there_are_refused(
    row: tuple[int, int, int, int], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        count_judgments(METRIC, judgments(row))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"left": np.array([0.5])}, "left: found 'float64"),
        ({"left": np.array([0, 1])}, "of the same length"),
        ({"item": np.array([[0]])}, "one whole number for each judgment"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: dict[str, Any], message: str) -> None:
    arrays: dict[str, Any] = {"left": [0], "right": [1], "item": [0], "verdict": [1], **change}
    with pytest.raises(SettingError, match=message):
        Judgments(**arrays)


@pytest.mark.parametrize("metric", [[1.0, 2.0], [["a"], ["b"]], [[1.0], [float("nan")]]])
def test_scores_that_do_not_fit_are_refused(metric: Any) -> None:
    with pytest.raises(SettingError, match="metric"):
        count_judgments(metric, judgments((0, 1, 0, 1)))
