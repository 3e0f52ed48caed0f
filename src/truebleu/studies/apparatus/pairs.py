"""Pairs of systems that a study compares: near ones, as Koehn's (2004, Table 3), all or chosen."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from truebleu.errors import SettingError, UnknownNameError
from truebleu.inference.arguments import TIE_TOLERANCE
from truebleu.inference.comparison import pairs_to_compare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truebleu.inference.counted import Counted
    from truebleu.inference.replication import Pair
    from truebleu.studies.apparatus.pool import Pool

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


def true_differences(one: Counted, pairs: Sequence[Pair]) -> NDArray[np.float64]:
    """By how much the first system of each pair is better in the pool; 0 where they tie."""
    left, right = np.array(pairs).T
    scores = one.scores
    differences = one.sign * (scores[left] - scores[right])
    return np.where(np.abs(differences) > TIE_TOLERANCE * one.scale, differences, 0.0)
