"""Which segments a test set takes."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from truebleu._seeds import Draw, Streams
from truebleu.planning import sample as drawing


def stream(seed: int) -> Draw:
    return Streams(seed, "test").at(0)


SIZES = st.integers(1, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n)))
LABELS = st.lists(st.sampled_from("abcde"), min_size=1, max_size=60)


@given(sizes=SIZES, seed=st.integers(0, 1000))
def test_a_broad_sample_takes_steps_of_two_lengths_at_most(
    sizes: tuple[int, int], seed: int
) -> None:
    count, size = sizes
    positions = drawing.broad(count, size, stream(seed))
    assert len(positions) == size
    assert positions[0] >= 0
    assert positions[-1] < count
    # Around the end the pool begins again.
    steps = np.diff([*positions, positions[0] + count])
    assert set(steps.tolist()) <= {count // size, -(-count // size)}


@pytest.mark.parametrize("start", range(10))
def test_a_broad_sample_is_every_kth_segment(start: int) -> None:
    """Koehn (2004, §3.3): sample i of 30,000 segments has i, i + 100, i + 200 and so on."""
    positions = drawing.broad(100, 10, lambda: (start + 0.5) / 10)
    assert positions.tolist() == list(range(start, 100, 10))


def test_every_segment_is_as_likely_in_a_broad_sample() -> None:
    starts = [(start + 0.5) / 7 for start in range(7)]
    taken = Counter(p for u in starts for p in drawing.broad(7, 3, lambda u=u: u).tolist())  # type: ignore[misc]
    assert taken == dict.fromkeys(range(7), 3)


@given(sizes=SIZES, seed=st.integers(0, 1000))
def test_a_random_sample_has_each_segment_once(sizes: tuple[int, int], seed: int) -> None:
    count, size = sizes
    positions = drawing.random(count, size, stream(seed)).tolist()
    assert positions == sorted(set(positions))
    assert len(positions) == size
    assert set(positions) <= set(range(count))


def test_every_segment_is_as_likely_in_a_random_sample() -> None:
    taken = Counter(p for seed in range(2000) for p in drawing.random(10, 3, stream(seed)).tolist())
    # 600 each; 5 standard deviations.
    assert all(abs(taken[position] - 600) < 103 for position in range(10))


@given(labels=LABELS, seed=st.integers(0, 100), data=st.data())
def test_a_stratified_sample_has_the_shares_of_the_pool(
    labels: list[str], seed: int, data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, len(labels)))
    groups = data.draw(
        st.lists(st.integers(0, 5), min_size=len(labels), max_size=len(labels)).map(np.array)
    )
    positions = drawing.stratified(labels, size, stream(seed), groups).tolist()
    assert positions == sorted(set(positions))
    assert len(positions) == size
    taken = Counter(labels[position] for position in positions)
    cells = Counter((labels[position], int(groups[position])) for position in positions)
    sizes = Counter(zip(labels, groups.tolist(), strict=True))
    for label, count in Counter(labels).items():
        assert abs(taken[label] - Fraction(size * count, len(labels))) < 1
        for group in range(6):
            share = Fraction(taken[label] * sizes[label, group], count)
            assert abs(cells[label, group] - share) < 1


def test_small_groups_do_not_spoil_the_shares_of_strata() -> None:
    """Each of 20 cells has about half a segment to give, and the larger ones are all of one."""
    labels = ["a"] * 100 + ["b"] * 90
    groups = np.array([i // 10 for i in range(100)] + [i // 9 for i in range(90)])
    positions = drawing.stratified(labels, 10, stream(1), groups).tolist()
    assert Counter(labels[position] for position in positions) == {"a": 5, "b": 5}


def test_every_segment_of_a_stratum_is_as_likely() -> None:
    groups = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 3])
    taken: Counter[int] = Counter()
    for seed in range(2000):
        taken.update(drawing.stratified("x" * 10, 3, stream(seed), groups).tolist())
    # 600 each; 5 standard deviations.
    assert all(abs(taken[position] - 600) < 103 for position in range(10))


@given(counts=st.lists(st.integers(1, 50), min_size=1, max_size=8), data=st.data())
def test_largest_remainders_get_what_is_left(counts: list[int], data: st.DataObject) -> None:
    total = sum(counts)
    size = data.draw(st.integers(1, total))
    taken = drawing.allocate(counts, size)
    assert sum(taken) == size
    shares = [Fraction(size * count, total) for count in counts]
    rounded_up = [s - int(s) for s, n in zip(shares, taken, strict=True) if n > s]
    rounded_down = [s - int(s) for s, n in zip(shares, taken, strict=True) if n < s]
    assert not rounded_up or not rounded_down or min(rounded_up) >= max(rounded_down)
    assert all(n <= count for n, count in zip(taken, counts, strict=True))


@given(labels=LABELS, seed=st.integers(0, 100), data=st.data())
def test_documents_stay_whole(labels: list[str], seed: int, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(labels)))
    positions = set(drawing.whole_documents(labels, size, stream(seed)).tolist())
    assert positions
    for label in set(labels):
        inside = {position for position, other in enumerate(labels) if other == label}
        assert inside <= positions or not inside & positions


@given(
    lengths=st.lists(st.integers(1, 9), min_size=2, max_size=12),
    seed=st.integers(0, 100),
    data=st.data(),
)
def test_no_further_document_comes_nearer(
    lengths: list[int], seed: int, data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, sum(lengths)))
    labels = [f"d{i}" for i, length in enumerate(lengths) for _ in range(length)]
    positions = drawing.whole_documents(labels, size, stream(seed))
    taken = {labels[position] for position in positions.tolist()}
    reached = len(positions)
    assume(reached != size)
    left_out = [length for i, length in enumerate(lengths) if f"d{i}" not in taken]
    assert all(abs(reached + length - size) >= abs(reached - size) for length in left_out)


def test_documents_of_one_segment_reach_any_size() -> None:
    labels = [f"d{i}" for i in range(30)]
    assert len(drawing.whole_documents(labels, 17, stream(1))) == 17
    assert len(drawing.whole_documents(labels, 30, stream(1))) == 30


def test_a_long_document_alone_is_taken_where_nothing_is_nearer() -> None:
    labels = ["a"] * 40 + ["b"] * 50
    assert len(drawing.whole_documents(labels, 1, stream(3))) == 40


@pytest.mark.parametrize("draw", [drawing.broad, drawing.random])
def test_the_seed_alone_decides(draw: object) -> None:
    assert callable(draw)
    drawn = [draw(1000, 30, stream(seed)).tolist() for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]
