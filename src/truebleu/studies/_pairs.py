"""Pairs of systems that a study compares: near ones, as Koehn's (2004, Table 3), all or chosen."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from truebleu.errors import SettingError, UnknownNameError
from truebleu.resampling import Bootstrap, Swaps, Units
from truebleu.significance._checks import TIE_TOLERANCE
from truebleu.significance.compare import pairs_to_compare
from truebleu.significance.p_values import (
    absolute_bootstrap_p,
    bootstrap_wins,
    randomization_p,
    shifted_bootstrap_p,
)
from truebleu.significance.statistics import bootstrap_scores, swap_differences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truebleu.significance.statistics import MetricStatistics, Pair
    from truebleu.studies._pool import Pool

PairKind = Literal["neighbours", "near", "all"]
#: A kind of pairs, or the names of both systems of each.
Pairs: TypeAlias = "PairKind | Sequence[tuple[str, str]]"

PAIR_KINDS: tuple[PairKind, ...] = get_args(PairKind)
# So many ranks lie between two systems: Table 3 has the nine pairs of six systems up to 2 apart.
RANKS_APART = {"neighbours": 1, "near": 2}


def choose_pairs(
    pool: Pool,
    pairs: Pairs | None = None,
    baseline: str | None = None,
    *,
    usual: PairKind = "near",
) -> list[Pair]:
    """The pairs to compare, the better system by the pool's first metric before the worse.

    Args:
        pool: whose scores rank the systems.
        pairs: "near" ranks up to two apart, as in the paper; "neighbours" one apart; "all"; or
            the names of both systems of each pair.
        baseline: compare all others with this system instead.
        usual: the kind of pairs where nothing is chosen.
    """
    pool.require_systems(2)
    one = pool.counted[0]
    ranking = [int(system) for system in np.argsort(-one.sign * one.scores, kind="stable")]
    rank = {system: place for place, system in enumerate(ranking)}
    if baseline is not None:
        if pairs is not None:
            raise SettingError("baseline", baseline, "no other choice of pairs beside it")
        found = pairs_to_compare(pool.names, baseline)
    elif pairs is None or isinstance(pairs, str):
        kind = usual if pairs is None else pairs
        if kind not in PAIR_KINDS:
            raise UnknownNameError("pairs", kind, PAIR_KINDS)
        apart = RANKS_APART.get(kind, len(ranking))
        found = [(a, b) for a, b in combinations(ranking, 2) if rank[b] - rank[a] <= apart]
    else:
        found = [_named(pool.names, pair) for pair in pairs]
        if not found:
            raise SettingError("pairs", "none", "at least one pair of systems")
    ordered = [(a, b) if rank[a] < rank[b] else (b, a) for a, b in found]
    return sorted(set(ordered), key=lambda pair: (rank[pair[0]], rank[pair[1]]))


def _named(names: Sequence[str], pair: tuple[str, str]) -> Pair:
    if isinstance(pair, str) or len(pair) != 2:
        raise SettingError("pair", pair, "the names of two systems")
    for name in pair:
        if name not in names:
            raise UnknownNameError("system", name, names)
    if pair[0] == pair[1]:
        raise SettingError("pair", pair, "two different systems")
    return names.index(pair[0]), names.index(pair[1])


def needed(pool: Pool, pairs: Sequence[Pair]) -> tuple[Pool, list[Pair]]:
    """The pool without the systems of which no pair is made, and the pairs counted in it."""
    systems = sorted({system for pair in pairs for system in pair})
    place = {system: number for number, system in enumerate(systems)}
    return pool.only(systems), [(place[a], place[b]) for a, b in pairs]


def true_differences(one: MetricStatistics, pairs: Sequence[Pair]) -> NDArray[np.float64]:
    """By how much the first system of each pair is better in the pool; 0 where they tie."""
    left, right = np.array(pairs).T
    scores = one.scores
    differences = one.sign * (scores[left] - scores[right])
    return np.where(np.abs(differences) > TIE_TOLERANCE * one.scale, differences, 0.0)


# What tests conclude about pairs of systems on one sample: p-values of several tests at once.
#
# Besides the tests that ``compare`` offers, those of the papers in their own words: "wins"
# concludes at the level L when the better system wins in a share L of the bootstrap's replicates
# (Koehn 2004, §6), "interval" when the interval of the difference leaves out 0 (Zhang & Vogel
# 2004, §3.2).


TESTS = ("ar", "bootstrap", "bootstrap-absolute", "wins", "interval")
# What is left of a share when the errors of floats are rounded away.
DECIMALS = 12
# What people call them in tables.
TEST_NAMES = {
    "ar": "approximate randomization",
    "bootstrap": "shifted bootstrap",
    "bootstrap-absolute": "bootstrap of absolute differences",
    "wins": "bootstrap wins",
    "interval": "bootstrap interval",
}


class Conclusions(NamedTuple):
    """What one test says about all pairs on one sample.

    Attributes:
        p: the p-value of each pair; at most alpha, and the test concludes.
        better: 1 where the first system of the pair would be better, -1 the second, 0 neither. It
            is the one with the better score on the sample, or for "wins" and "interval" the one
            that wins in most replicates.
    """

    p: NDArray[np.float64]
    better: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Testing:
    """Which tests are made, of how many replicates, from which seed."""

    tests: tuple[str, ...] = ("ar",)
    replicates: int = 1000
    seed: int = 0

    # pytest would take the name for a test class.
    __test__ = False

    def __post_init__(self) -> None:
        if not self.tests:
            raise SettingError("tests", "none", "at least one")
        for test in self.tests:
            if test not in TESTS:
                raise UnknownNameError("test", test, TESTS)

    def p_values(
        self, one: MetricStatistics, pairs: Sequence[Pair], index: int
    ) -> dict[str, NDArray[np.float64]]:
        """For each test the p-values of all pairs; sample `index` has replicates of its own.

        At most alpha means that the test concludes which system is better; see `conclusions`.
        """
        return {test: found.p for test, found in self.conclusions(one, pairs, index).items()}

    def conclusions(
        self, one: MetricStatistics, pairs: Sequence[Pair], index: int
    ) -> dict[str, Conclusions]:
        """For each test the p-values of all pairs, and which system of each would be better."""
        left, right = np.array(pairs).T
        scores = one.scores
        observed = one.sign * (scores[left] - scores[right])
        # Scores that are the same but for rounding have no better one.
        better = np.sign(np.where(np.abs(observed) > TIE_TOLERANCE * one.scale, observed, 0.0))
        found = {}
        first = index * self.replicates
        if "ar" in self.tests:
            swaps = Swaps(replicates=self.replicates, seed=self.seed)
            (swapped,) = swap_differences([one], pairs, swaps, first=_first(swaps, one, first))
            exact = swaps.enumerates(len(one.rows))
            p = randomization_p(observed, one.sign * swapped, exact=exact, scale=one.scale)
            found["ar"] = Conclusions(p, better)
        if set(self.tests) - {"ar"}:
            bootstrap = Bootstrap(replicates=self.replicates, seed=self.seed)
            units = Units.segments(len(one.rows))
            (replicates,) = bootstrap_scores([one], units, bootstrap, first=first)
            differences = one.sign * (replicates[:, left] - replicates[:, right])
            found |= _of_bootstrap(self.tests, observed, better, differences, one.scale)
        return {test: found[test] for test in self.tests}


def _first(swaps: Swaps, one: MetricStatistics, first: int) -> int:
    """Where a sample's swaps begin; where all possible ones are made, at the first of them."""
    return 0 if swaps.enumerates(len(one.rows)) else first


def _of_bootstrap(
    tests: Sequence[str],
    observed: NDArray[np.float64],
    better: NDArray[np.float64],
    differences: NDArray[np.float64],
    scale: float,
) -> dict[str, Conclusions]:
    wins = bootstrap_wins(differences, scale=scale)
    # Koehn's conclusion is one-sided: the other system's share of wins is compared with alpha.
    # Rounded, since 1 - 0.95 is a little more than 0.05 in floats.
    one_sided = np.minimum(wins, 1 - wins).round(DECIMALS)
    winner = np.sign((wins - 0.5).round(DECIMALS))
    found = {
        "wins": Conclusions(one_sided, winner),
        "interval": Conclusions(np.minimum(1.0, 2 * one_sided), winner),
    }
    if "bootstrap" in tests:
        p = shifted_bootstrap_p(observed, differences, scale=scale)
        found["bootstrap"] = Conclusions(p, better)
    if "bootstrap-absolute" in tests:
        p = absolute_bootstrap_p(observed, differences, scale=scale)
        found["bootstrap-absolute"] = Conclusions(p, better)
    return found
