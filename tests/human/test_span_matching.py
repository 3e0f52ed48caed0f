"""Matchings of spans against plain searches through all of them."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, strategies as st

from truebleu.errors import SettingError
from truebleu.human.span_matching import (
    Pair,
    Span,
    Spans,
    best_f1,
    best_sum,
    count_characters,
    credit_characters,
    greedy,
    overlap,
)


@st.composite
def some_spans(draw: st.DrawFn) -> list[Span]:
    starts = draw(st.lists(st.integers(0, 12), max_size=4))
    return [
        Span(start, start + draw(st.integers(1, 6)), draw(st.booleans()), draw(st.booleans()))
        for start in starts
    ]


def pairs_of(predicted: Spans, gold: Spans) -> list[Pair]:
    return [
        Pair(i, j, shared / one.length, shared / other.length)
        for i, one in enumerate(predicted)
        for j, other in enumerate(gold)
        if (shared := overlap(one, other))
    ]


def all_matchings(predicted: int, gold: int) -> list[list[tuple[int, int]]]:
    """Every way of giving each prediction a gold span of its own, or none."""
    slots = [*range(gold), *[-1] * predicted]
    chosen = set(permutations(slots, predicted))
    return [[(i, j) for i, j in enumerate(each) if j >= 0] for each in chosen]


@given(some_spans(), some_spans())
def test_best_f1_equals_the_maximum_over_all_matchings(
    predicted: list[Span], gold: list[Span]
) -> None:
    pairs = {pair[:2]: pair for pair in pairs_of(predicted, gold)}
    if not pairs:
        return

    def f1(precision: float, recall: float) -> float:
        both = precision / len(predicted), recall / len(gold)
        return 2 * both[0] * both[1] / sum(both) if sum(both) else 0.0

    best = max(
        f1(
            sum(pairs[cell].precision for cell in cells if cell in pairs),
            sum(pairs[cell].recall for cell in cells if cell in pairs),
        )
        for cells in all_matchings(len(predicted), len(gold))
    )
    assert f1(*best_f1(list(pairs.values()), len(predicted), len(gold))) == pytest.approx(best)


@given(some_spans(), some_spans())
def test_best_sum_equals_the_maximum_over_all_matchings(
    predicted: list[Span], gold: list[Span]
) -> None:
    pairs = pairs_of(predicted, gold)
    weights = {pair[:2]: pair.precision for pair in pairs}
    matched = best_sum(pairs, list(weights.values()))
    assert len({pair.predicted for pair in matched}) == len(matched)
    assert len({pair.gold for pair in matched}) == len(matched)
    best = max(
        sum(weights.get(cell, 0.0) for cell in cells)
        for cells in all_matchings(len(predicted), len(gold))
    )
    assert sum(weights[pair[:2]] for pair in matched) == pytest.approx(best)
    taken = greedy(pairs, list(weights.values()))
    assert sum(weights[pair[:2]] for pair in taken) <= best + 1e-12


def test_spans_on_different_sides_share_nothing() -> None:
    assert overlap(Span(0, 5), Span(3, 9)) == 2
    assert overlap(Span(0, 5), Span(5, 9)) == 0
    assert overlap(Span(0, 5), Span(3, 9, in_source=True)) == 0


def test_characters_count_once_in_wmt23_and_as_often_as_covered_in_wmt25() -> None:
    gold, predicted = [Span(2, 8), Span(2, 8)], [Span(2, 8)]
    assert credit_characters(gold, predicted, None, 0.5) == (6, 6, 6, 6)
    assert count_characters(gold, predicted, None, 0.5) == (6, 6, 6, 12)
    major = [Span(2, 8, is_major=True)]
    assert credit_characters(gold, major, None, 0.5) == (3, 6, 3, 6)
    assert count_characters(gold, major, 5, 0.25) == (0.75, 3, 0.75, 6)


def test_too_many_spans_that_overlap_are_refused() -> None:
    spans = [Span(0, 10 + index) for index in range(40)]
    pairs = pairs_of(spans, spans)
    with pytest.raises(SettingError, match="matching=pairs"):
        best_f1(pairs, 40, 40)
    assert len(best_sum(pairs, [pair.precision for pair in pairs])) == 40
