"""Which pairs of systems are compared."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from truebleu.simulation import simulate
from truebleu.studies._pairs import choose_pairs, needed, true_differences
from truebleu.studies._pool import Pool

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
