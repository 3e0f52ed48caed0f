"""Samples of a pool: which units they take, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from truebleu.errors import SettingError, UnknownNameError
from truebleu.studies._pool import (
    Sampling,
    draw_by_size,
    draw_samples,
    require_count,
    sizes_that_fit,
)


def test_broad_samples_are_koehns() -> None:
    """§3.3: sentences 1, 101, 201, ... of 30,000 are the first of 100 samples of 300."""
    samples = draw_samples("systematic", 30_000, 300, 100, seed=0)
    assert len(samples) == 100
    for number, sample in enumerate(samples):
        assert sample.tolist() == list(range(number, 30_000, 100))


def test_blocks_are_koehns() -> None:
    """§3.2: 100 blocks of 300 consecutive sentences."""
    samples = draw_samples("block", 30_000, 300, 100, seed=0)
    assert np.concatenate(samples).tolist() == list(range(30_000))
    assert {len(sample) for sample in samples} == {300}


@given(
    draw=st.sampled_from(["systematic", "block"]),
    pool=st.integers(2, 400),
    data=st.data(),
)
def test_parts_of_a_pool_share_nothing_and_lie_all_over_it(
    draw: Sampling, pool: int, data: st.DataObject
) -> None:
    size = data.draw(st.integers(2, pool))
    count = data.draw(st.integers(1, 50))
    samples = draw_samples(draw, pool, size, count, seed=0)
    assert len(samples) == min(count, pool // size)
    assert all(len(sample) == size and (np.diff(sample) > 0).all() for sample in samples)
    taken = np.concatenate(samples)
    assert len(set(taken.tolist())) == len(taken)
    assert taken.min() >= 0
    assert taken.max() < pool
    if draw == "block":
        assert all((np.diff(sample) == 1).all() for sample in samples)
        starts = [int(sample[0]) for sample in samples]
        assert starts == [number * pool // len(samples) for number in range(len(samples))]
    else:
        # Neighbours of a sample are as far apart as the pool is long, but for rounding.
        gaps = np.diff(samples[0])
        assert gaps.min() >= pool // size
        assert gaps.max() <= -(-pool // size)


def test_random_samples_have_no_unit_twice_and_independent_ones_may() -> None:
    random = draw_samples("random", 50, 40, 20, seed=1)
    assert all(len(set(sample.tolist())) == 40 for sample in random)
    independent = draw_samples("independent", 50, 40, 20, seed=1)
    assert all(len(set(sample.tolist())) < 40 for sample in independent)
    assert all((np.diff(sample) >= 0).all() for sample in [*random, *independent])


@pytest.mark.parametrize("draw", ["random", "independent"])
def test_every_unit_is_as_likely(draw: Sampling) -> None:
    samples = draw_samples(draw, 20, 10, 2000, seed=2)
    counts = np.bincount(np.concatenate(samples), minlength=20)
    # Without replacement the counts vary by (1 - size / pool) less than chi-square has it.
    factor = 0.5 * 20 / 19 if draw == "random" else 1.0
    statistic = ((counts - 1000) ** 2 / 1000).sum() / factor
    assert chisquare([1000] * 20).pvalue == 1
    assert 8.9 < statistic < 38.6  # the middle 99 % of chi-square of 19 degrees, and a bit


@pytest.mark.parametrize("draw", ["random", "independent"])
def test_samples_depend_on_seed_size_and_number_alone(draw: Sampling) -> None:
    few, many, other = (
        draw_samples(draw, 99, 9, count, seed) for count, seed in ((3, 5), (8, 5), (3, 6))
    )
    assert [sample.tolist() for sample in few] == [sample.tolist() for sample in many[:3]]
    assert few[0].tolist() != few[1].tolist()
    assert few[0].tolist() != other[0].tolist()


@pytest.mark.parametrize("size", [0, 1, -3, True, 2.0, "9", 11])
def test_a_size_that_is_none_or_does_not_fit_is_refused(size: object) -> None:
    with pytest.raises(SettingError, match="size: found"):
        draw_samples("systematic", 10, size, 5, seed=0)  # type: ignore[arg-type]


def test_an_unknown_draw_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'systematic'"):
        draw_samples("sistematic", 10, 2, 5, seed=0)  # type: ignore[arg-type]


def test_usual_sizes_are_those_that_leave_enough_samples() -> None:
    assert sizes_that_fit(None, 1000, (100, 300, 600)) == [100, 300]
    assert sizes_that_fit(None, 1000, (100, 300, 600), fewest=5) == [100]
    assert sizes_that_fit(None, 40, (100, 300)) == [10, 20]
    assert sizes_that_fit(None, 40, (100, 300), fewest=5) == [4, 8]
    assert sizes_that_fit([30, 10, 30], 40, (100,)) == [10, 30]
    with pytest.raises(SettingError, match="at least 4"):
        sizes_that_fit(None, 3, (100,))
    with pytest.raises(SettingError, match="sizes: found 'none'"):
        sizes_that_fit([], 40, (100,))


def test_too_few_parts_of_a_pool_are_refused_before_any_is_drawn() -> None:
    with pytest.raises(SettingError, match=r"size: found 30, expected at most 20 for 5 systematic"):
        draw_by_size("systematic", 100, [10, 30], (), samples=9, fewest=5, seed=0)
    drawn = draw_by_size("independent", 100, [10, 100], (), samples=9, fewest=5, seed=0)
    assert {size: len(samples) for size, samples in drawn.items()} == {10: 9, 100: 9}
    usual = draw_by_size("block", 100, None, (20, 30), samples=9, fewest=5, seed=0)
    assert {size: len(samples) for size, samples in usual.items()} == {20: 5}


@pytest.mark.parametrize("repetitions", [4, 0, -1, True, 9.0])
def test_too_few_repetitions_are_refused_with_the_reason(repetitions: object) -> None:
    with pytest.raises(SettingError, match="at least 5: because"):
        require_count("repetitions", repetitions, 5, "because")
    require_count("repetitions", 5, 5, "because")
