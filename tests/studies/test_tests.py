"""What tests conclude on a sample, against `compare` and against the papers' own words."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from truebleu.resampling import Bootstrap, Units
from truebleu.significance.compare import compare
from truebleu.significance.intervals import percentile_interval
from truebleu.significance.statistics import bootstrap_scores
from truebleu.simulation import simulate
from truebleu.studies._pool import Pool
from truebleu.studies._tests import (
    TESTS,
    Testing,
    _by_wins,
    choose_pairs,
    needed,
    true_differences,
)

RATES = [0.25, 0.05, 0.45, 0.15, 0.35, 0.55]


def test_near_pairs_of_six_systems_are_the_nine_of_koehns_table() -> None:
    """Spanish, Portuguese, Danish, Greek, German and Finnish, in the order of their BLEU."""
    pool = Pool.of(simulate(segments=60, systems=RATES), ["bleu"])
    ranking = [RATES.index(rate) for rate in sorted(RATES)]
    table_3 = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4), (3, 5), (4, 5)]
    assert choose_pairs(pool) == [(ranking[a], ranking[b]) for a, b in table_3]


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
    twice = [("system-1", "system-2"), ("system-2", "system-1")]
    assert choose_pairs(pool, twice) == [(1, 0)]


def test_what_is_not_needed_is_left_out() -> None:
    pool = Pool.of(simulate(segments=60, systems=RATES), ["bleu"])
    pairs = [(1, 4), (1, 5)]
    few, renumbered = needed(pool, pairs)
    assert few.names == ("system-2", "system-5", "system-6")
    assert renumbered == [(0, 1), (0, 2)]
    before, after = (
        true_differences(one.statistics[0], of) for one, of in ((pool, pairs), (few, renumbered))
    )
    assert np.array_equal(before, after)


PAIRS = list(combinations(range(4), 2))
TEXTS = simulate(segments=50, systems=[0.2, 0.21, 0.25, 0.4])


@pytest.mark.parametrize("metric", ["bleu", "ter"])
@pytest.mark.parametrize("test", ["ar", "bootstrap", "bootstrap-absolute"])
def test_on_the_first_sample_p_values_are_those_of_compare(metric: str, test: str) -> None:
    settings: dict[str, Any] = {"test": test, "replicates": 400, "seed": 9}
    expected = compare(TEXTS, metrics=[metric], unit="segment", **settings)
    (one,) = Pool.of(TEXTS, [metric]).statistics
    found = Testing(tests=(test,), replicates=400, seed=9).conclusions(one, PAIRS, 0)[test]
    assert found.p.tolist() == [pair.p for pair in expected.comparisons]
    higher = 1 if metric == "bleu" else -1
    better = [np.sign(higher * pair.difference) for pair in expected.comparisons]
    assert found.better.tolist() == better


@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_wins_and_interval_are_koehns_and_zhang_and_vogels(metric: str) -> None:
    (one,) = Pool.of(TEXTS, [metric]).statistics
    index, samples, seed = 3, 1000, 4
    testing = Testing(tests=("wins", "interval"), replicates=samples, seed=seed)
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
    for test, found in Testing(tests=TESTS, replicates=100).conclusions(one, [(0, 1)], 0).items():
        assert found.better.tolist() == [0], test
        assert found.p[0] >= 0.5, test


def test_every_sample_has_replicates_of_its_own() -> None:
    (one,) = Pool.of(TEXTS, ["bleu"]).statistics
    testing = Testing(tests=TESTS, replicates=100, seed=1)
    first, again, second = (testing.p_values(one, PAIRS, index) for index in (0, 0, 1))
    for test in TESTS:
        assert first[test].tolist() == again[test].tolist()
        assert first[test].tolist() != second[test].tolist()


def test_few_units_are_swapped_in_all_ways() -> None:
    small = Pool.of(TEXTS, ["bleu"]).take(np.arange(6))[0]
    testing = Testing(tests=("ar",), replicates=1000)
    first, second = (testing.p_values(small, PAIRS, index)["ar"] for index in (0, 5))
    assert first.tolist() == second.tolist()
    assert all((64 * p).is_integer() for p in first.tolist())
