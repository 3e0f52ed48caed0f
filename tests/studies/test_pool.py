"""A pool: counts that give the same scores as the texts themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose
from scipy.stats import chisquare

from truebleu.errors import ArgumentTypeError, SettingError, UnknownNameError
from truebleu.metrics.bleu import BLEU
from truebleu.metrics.nist import NIST
from truebleu.metrics.registry import as_metrics
from truebleu.simulation import simulate
from truebleu.studies import study_coverage
from truebleu.studies._pool import (
    Part,
    Pool,
    PoolUnit,
    Sampling,
    draw_by_size,
    draw_samples,
    orders_of_growth,
    part_of,
    require_count,
    sizes_of_shares,
    sizes_that_fit,
    units_of,
)

if TYPE_CHECKING:
    from truebleu.corpus import TestSet


METRICS = ("bleu", "ter", "chrf")


def test_samples_score_as_their_texts_do() -> None:
    texts = simulate(segments=60, systems=[0.1, 0.3, 0.5], references=2)
    pool = Pool.of(texts, METRICS)
    sample = np.array([0, 3, 3, 17, 59])
    names = list(texts.systems)
    for counted, metric in zip(pool.take(sample), as_metrics(METRICS), strict=True):
        for system, outputs in texts.systems.items():
            chosen = [outputs[unit] for unit in sample.tolist()]
            references = [[text[unit] for unit in sample.tolist()] for text in texts.references]
            expected = metric.corpus(chosen, references).score
            assert counted.scores[names.index(system)] == pytest.approx(expected, rel=1e-12)


def test_fewer_systems_score_as_before() -> None:
    texts = simulate(segments=30, systems=[0.1, 0.3, 0.5])
    pool = Pool.of(texts, METRICS)
    few = pool.only([2, 0])
    assert few.names == ("system-3", "system-1")
    for all_, some in zip(pool.statistics, few.statistics, strict=True):
        assert some.scores.tolist() == all_.scores[[2, 0]].tolist()
    assert few.summary == pool.summary


def test_documents_are_units() -> None:
    texts = simulate(segments=60, systems=[0.1], document_length=5)
    assert texts.documents is not None
    pool = Pool.of(texts, ["bleu"], "document")
    assert len(pool) == len(set(texts.documents))
    assert pool.segments_per_unit == pytest.approx(60 / len(pool))
    assert pool.statistics[0].scores == pytest.approx(Pool.of(texts, ["bleu"]).statistics[0].scores)


def test_the_summary_changes_with_any_text() -> None:
    texts = simulate(segments=10, systems=[0.1])
    other = simulate(segments=10, systems=[0.2])
    summary, changed = (Pool.of(pool, ["bleu"]).summary for pool in (texts, other))
    assert summary.outputs_fingerprint != changed.outputs_fingerprint
    assert summary.references_fingerprint == changed.references_fingerprint


def test_what_a_study_needs_and_the_pool_lacks_is_refused() -> None:
    texts = simulate(segments=10, systems=[0.1])
    with pytest.raises(SettingError, match="systems: found 1, expected at least 2"):
        Pool.of(texts, ["bleu"]).require_systems(2)
    plain = replace(texts, documents=None)
    with pytest.raises(SettingError, match="a test set with documents"):
        Pool.of(plain, ["bleu"], "document")


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


@pytest.mark.parametrize("size", [0, 1, -3, 11])
def test_a_size_that_says_nothing_or_does_not_fit_is_refused(size: int) -> None:
    with pytest.raises(SettingError, match="size: found"):
        draw_samples("systematic", 10, size, 5, seed=0)


@pytest.mark.parametrize(
    "options",
    [{"sizes": [True]}, {"sizes": [2.0]}, {"sizes": ["9"]}, {"samples": True}, {"samples": 9.0}],
)
def test_what_is_no_number_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ArgumentTypeError, match=f"{next(iter(options))}: found"):
        study_coverage(simulate(segments=20, systems=[0.1]), **options)


def test_an_unknown_draw_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'systematic'"):
        study_coverage(simulate(segments=20, systems=[0.1]), sampling="sistematic")  # type: ignore[arg-type]


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


@pytest.mark.parametrize("repetitions", [4, 0, -1])
def test_too_few_repetitions_are_refused_with_the_reason(repetitions: int) -> None:
    with pytest.raises(SettingError, match="at least 5: because"):
        require_count("repetitions", repetitions, 5, "because")
    require_count("repetitions", 5, 5, "because")


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
