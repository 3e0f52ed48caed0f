"""A pool: counts that give the same scores as the texts themselves."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import chisquare

from truebleu.errors import ArgumentTypeError, SettingError, UnknownNameError
from truebleu.metrics.registry import as_metrics
from truebleu.resampling import Bootstrap, Units
from truebleu.significance.compare import compare
from truebleu.significance.intervals import percentile_interval
from truebleu.significance.replicates import bootstrap_scores
from truebleu.simulation import simulate
from truebleu.studies import study_coverage
from truebleu.studies._study import (
    TESTS,
    Pool,
    Sampling,
    Testing,
    _by_wins,
    choose_pairs,
    draw_by_size,
    draw_samples,
    orders_of_growth,
    sizes_of_shares,
    sizes_that_fit,
    true_differences,
)

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


def test_documents_are_units() -> None:
    texts = simulate(segments=60, systems=[0.1], document_length=5)
    assert texts.documents is not None
    pool = Pool.of(texts, ["bleu"], "document")
    assert len(pool) == len(set(texts.documents))
    assert pool.statistics[0].scores == pytest.approx(Pool.of(texts, ["bleu"]).statistics[0].scores)


def test_the_settings_change_with_any_text() -> None:
    texts = simulate(segments=10, systems=[0.1])
    other = simulate(segments=10, systems=[0.2])
    settings, changed = (Pool.of(pool, ["bleu"]).settings for pool in (texts, other))
    assert settings["outputs_fingerprint"] != changed["outputs_fingerprint"]
    assert settings["references_fingerprint"] == changed["references_fingerprint"]


def test_a_pool_without_required_data_is_rejected() -> None:
    texts = simulate(segments=10, systems=[0.1])
    with pytest.raises(SettingError, match="systems: 1; expected at least 2"):
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


def test_invalid_sizes_are_rejected() -> None:
    with pytest.raises(SettingError, match="at most 10, the size of the pool"):
        draw_samples("systematic", 10, 11, 5, seed=0)
    with pytest.raises(SettingError, match="sizes: 1; expected a whole number from 2 up"):
        study_coverage(simulate(segments=20, systems=[0.1]), sizes=[1])


@pytest.mark.parametrize(
    "options",
    [{"sizes": [True]}, {"sizes": [2.0]}, {"sizes": ["9"]}, {"samples": True}, {"samples": 9.0}],
)
def test_settings_of_a_wrong_type_are_rejected(options: dict[str, Any]) -> None:
    with pytest.raises(ArgumentTypeError, match=f"{next(iter(options))}:"):
        study_coverage(simulate(segments=20, systems=[0.1]), **options)


def test_an_unknown_draw_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'systematic'"):
        study_coverage(simulate(segments=20, systems=[0.1]), sampling="sistematic")  # type: ignore[arg-type]


def test_default_sizes_leave_enough_samples() -> None:
    assert sizes_that_fit(None, 1000, (100, 300, 600)) == [100, 300]
    assert sizes_that_fit(None, 1000, (100, 300, 600), min_samples=5) == [100]
    assert sizes_that_fit(None, 40, (100, 300)) == [10, 20]
    assert sizes_that_fit(None, 40, (100, 300), min_samples=5) == [4, 8]
    assert sizes_that_fit([30, 10, 30], 40, (100,)) == [10, 30]
    with pytest.raises(SettingError, match="at least 4"):
        sizes_that_fit(None, 3, (100,))
    assert sizes_that_fit([], 1000, (100, 300)) == [100, 300]


def test_too_few_parts_of_a_pool_are_refused_before_any_is_drawn() -> None:
    asked = {"samples": 9, "seed": 0}
    with pytest.raises(SettingError, match=r"size: 30; expected at most 20 for 5 systematic"):
        draw_by_size({**asked, "sampling": "systematic", "sizes": [10, 30]}, 100, ())
    drawn = draw_by_size({**asked, "sampling": "independent", "sizes": [10, 100]}, 100, ())
    assert {size: len(samples) for size, samples in drawn.items()} == {10: 9, 100: 9}
    usual = draw_by_size({**asked, "sampling": "block", "sizes": None}, 100, (20, 30))
    assert {size: len(samples) for size, samples in usual.items()} == {20: 5}


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


@pytest.mark.parametrize(
    ("shares", "claim"),
    [
        ([0.02, 1.0], "shares that give different sizes, each of at least 5 segments"),
        ([0.5, 0.501], "different sizes"),
        ([0.5], "at least 2, to fit a law to"),
    ],
)
def test_shares_that_are_no_parts_are_refused(shares: list[float], claim: str) -> None:
    with pytest.raises(SettingError, match=claim):
        sizes_of_shares(shares, 100, "segment", minimum=2)


# Pairs of systems, and what tests conclude of them on a sample.


RATES = [0.25, 0.05, 0.45, 0.15, 0.35, 0.55]


def test_near_pairs_of_six_systems_are_the_nine_of_koehns_table() -> None:
    """Spanish, Portuguese, Danish, Greek, German and Finnish, in the order of their BLEU."""
    pool = Pool.of(simulate(segments=60, systems=RATES), ["bleu"])
    ranking = [RATES.index(rate) for rate in sorted(RATES)]
    table_3 = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4), (3, 5), (4, 5)]
    assert choose_pairs(pool, "near") == [(ranking[a], ranking[b]) for a, b in table_3]


def test_less_is_better_by_ter() -> None:
    texts = simulate(segments=60, systems=RATES)
    bleu, ter = (Pool.of(texts, [metric]) for metric in ("bleu", "ter"))
    assert choose_pairs(bleu, "neighbours") == choose_pairs(ter, "neighbours")
    pairs = choose_pairs(ter, "all")
    assert len(pairs) == 15
    assert (true_differences(ter.statistics[0], pairs) > 0).all()


def test_all_pairs_are_each_once() -> None:
    pool = Pool.of(simulate(segments=60, systems=RATES), ["bleu"])
    assert {frozenset(pair) for pair in choose_pairs(pool, "all")} == {
        frozenset(pair) for pair in combinations(range(6), 2)
    }


PAIRS = list(combinations(range(4), 2))
TEXTS = simulate(segments=50, systems=[0.2, 0.21, 0.25, 0.4])


@pytest.mark.parametrize("metric", ["bleu", "ter"])
@pytest.mark.parametrize("test", ["ar", "bootstrap", "bootstrap-absolute"])
def test_p_values_of_the_first_sample_equal_compare(metric: str, test: str) -> None:
    settings: dict[str, Any] = {"test": test, "replicates": 400, "seed": 9}
    expected = compare(TEXTS, metrics=[metric], unit="segment", **settings)
    (one,) = Pool.of(TEXTS, [metric]).statistics
    found = Testing((test,), 400, 9).conclusions(one, PAIRS, 0)[test]
    assert found.p.tolist() == [pair.p for pair in expected.comparisons]
    higher = 1 if metric == "bleu" else -1
    better = [np.sign(higher * pair.difference) for pair in expected.comparisons]
    assert found.better.tolist() == better


@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_wins_and_interval_are_koehns_and_zhang_and_vogels(metric: str) -> None:
    (one,) = Pool.of(TEXTS, [metric]).statistics
    index, samples, seed = 3, 1000, 4
    testing = Testing(("wins", "interval"), samples, seed)
    conclusions = testing.conclusions(one, PAIRS, index)
    bootstrap = Bootstrap(replicates=samples, seed=seed)
    (scores,) = bootstrap_scores([one], Units.segments(50), bootstrap, first=index * samples)
    for number, (a, b) in enumerate(PAIRS):
        differences = (1 if metric == "bleu" else -1) * (scores[:, a] - scores[:, b])
        first = sum(1.0 if d > 1e-6 else 0.5 if d > -1e-6 else 0.0 for d in differences.tolist())
        winner, share = (1, first / samples) if first > samples / 2 else (-1, 1 - first / samples)
        assert (
            conclusions["wins"].better[number] == conclusions["interval"].better[number] == winner
        )
        assert conclusions["wins"].p[number] == pytest.approx(1 - share, abs=1e-12)
        for level in (0.8, 0.9, 0.95, 0.99):
            low, high = percentile_interval(differences, level)
            leaves_out_zero = low > 0 or high < 0
            concluded = conclusions["interval"].p[number] <= round(1 - level, 12)
            assert concluded == leaves_out_zero


@pytest.mark.parametrize("sign", [1, -1])
def test_winning_exactly_the_level_concludes_whoever_wins(sign: int) -> None:
    # 950 of 1,000, and 975 for the two-sided interval; 1 - 0.95 is more than 0.05 in floats.
    for lost, test in ((50, "wins"), (25, "interval")):
        differences = sign * np.where(np.arange(1000) < lost, -1.0, 1.0)[:, None]
        by_wins = _by_wins(test, differences, 1.0)
        assert by_wins.p.tolist() == [0.05]
        assert by_wins.better.tolist() == [sign]
        worse = sign * np.where(np.arange(1000) < lost + 1, -1.0, 1.0)[:, None]
        assert _by_wins(test, worse, 1.0).p[0] > 0.05


def test_a_copy_is_never_better() -> None:
    texts = simulate(segments=20, systems=[0.2])
    twice = replace(texts, systems=dict.fromkeys("ab", texts.systems["system-1"]))
    (one,) = Pool.of(twice, ["bleu"]).statistics
    for test, found in Testing(TESTS, 100, 0).conclusions(one, [(0, 1)], 0).items():
        assert found.better.tolist() == [0], test
        assert found.p[0] >= 0.5, test


def test_every_sample_has_replicates_of_its_own() -> None:
    (one,) = Pool.of(TEXTS, ["bleu"]).statistics
    testing = Testing(TESTS, 100, 1)
    first, again, second = (testing.conclusions(one, PAIRS, index) for index in (0, 0, 1))
    for test in TESTS:
        assert first[test].p.tolist() == again[test].p.tolist()
        assert first[test].p.tolist() != second[test].p.tolist()


def test_few_units_are_swapped_in_all_ways() -> None:
    small = Pool.of(TEXTS, ["bleu"]).take(np.arange(6))[0]
    testing = Testing(("ar",), 1000, 0)
    first, second = (testing.conclusions(small, PAIRS, index)["ar"].p for index in (0, 5))
    assert first.tolist() == second.tolist()
    assert all((64 * p).is_integer() for p in first.tolist())
