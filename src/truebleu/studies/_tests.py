"""The pairs of systems that studies compare, and the tests that they make of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from truebleu._settings import require_name
from truebleu.errors import ArgumentTypeError, SettingError, UnknownNameError
from truebleu.resampling import TIE_TOLERANCE
from truebleu.schema import Setting
from truebleu.significance.pairs import pairs_to_compare
from truebleu.significance.tests import TESTS as SIGNIFICANCE_TESTS, bootstrap_wins

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.resampling import Values
    from truebleu.significance.statistics import MetricStatistics, Pair
    from truebleu.studies._pool import Pool


PairKind = Literal["neighbours", "near", "all"]
#: A kind of pairs, or the names of both systems of each.
Pairs: TypeAlias = PairKind | Sequence[tuple[str, str]]

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
    statistics = pool.statistics[0]
    ranking = [
        int(system) for system in np.argsort(-statistics.sign * statistics.scores, kind="stable")
    ]
    rank = {system: place for place, system in enumerate(ranking)}
    if baseline is not None:
        if pairs is not None:
            raise SettingError("baseline", baseline, "no other choice of pairs beside it")
        chosen = pairs_to_compare(pool.names, baseline)
    elif pairs is None or isinstance(pairs, str):
        require_name("pairs", pairs or usual, get_args(PairKind))
        apart = RANKS_APART.get(pairs or usual, len(ranking))
        chosen = [(a, b) for a, b in combinations(ranking, 2) if rank[b] - rank[a] <= apart]
    else:
        named = isinstance(pairs, Sequence) and len(pairs) > 0
        if not named or not all(isinstance(pair, Sequence) and len(pair) == 2 for pair in pairs):
            expected = "neighbours, near, all, or the names of both systems of each pair"
            raise ArgumentTypeError("pairs", pairs, expected)
        chosen = [_named(pool.names, pair) for pair in pairs]
    ordered = [(a, b) if rank[a] < rank[b] else (b, a) for a, b in chosen]
    return sorted(set(ordered), key=lambda pair: (rank[pair[0]], rank[pair[1]]))


def _named(names: Sequence[str], pair: tuple[str, str]) -> Pair:
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


def differences_of(scores: Values, pairs: Sequence[Pair]) -> Values:
    """The first system's score less the second's of each pair, of scores shaped (..., system)."""
    left, right = np.array(pairs).T
    return np.asarray(scores[..., left] - scores[..., right])


def true_differences(statistics: MetricStatistics, pairs: Sequence[Pair]) -> NDArray[np.float64]:
    """By how much the first system of each pair is better in the pool; 0 where they tie."""
    differences = statistics.sign * differences_of(statistics.scores, pairs)
    return np.where(np.abs(differences) > TIE_TOLERANCE * statistics.scale, differences, 0.0)


@dataclass(frozen=True, slots=True)
class StudyTest:
    """A test that studies make: what people call it, and where it is described."""

    title: str
    origin: str


#: The tests that `compare` offers, and those of the papers in their own words: "wins" concludes at
#: the level L when the better system wins in a share L of the bootstrap's replicates, "interval"
#: when the interval of the difference leaves out 0.
STUDY_TESTS = {
    **{
        name: StudyTest(test.title, test.origin)
        for name, test in SIGNIFICANCE_TESTS.items()
        if test.source != "runs"
    },
    "wins": StudyTest("bootstrap wins", "Koehn 2004, §6"),
    "interval": StudyTest("bootstrap interval", "Zhang & Vogel 2004, §3.2"),
    "student": StudyTest("Student's paired t", "Student 1908"),
}
#: Those that resample, and so are for any metric; Student's is for means over segments.
TESTS = tuple(name for name in STUDY_TESTS if name not in ("student", "studentized"))
Tests = Annotated[
    Sequence[str],
    Setting(help=f"the tests: {', '.join(TESTS)}.", choices=TESTS, metavar="NAME,..."),
]
# What is left of a share when the errors of floats are rounded away.
DECIMALS = 12


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

    def p_values(
        self, statistics: MetricStatistics, pairs: Sequence[Pair], index: int
    ) -> dict[str, NDArray[np.float64]]:
        """For each test the p-values of all pairs; sample `index` has replicates of its own.

        At most alpha means that the test concludes which system is better; see `conclusions`.
        """
        return {test: made.p for test, made in self.conclusions(statistics, pairs, index).items()}

    def conclusions(
        self, statistics: MetricStatistics, pairs: Sequence[Pair], index: int
    ) -> dict[str, Conclusions]:
        """For each test the p-values of all pairs, and which system of each would be better."""
        # Scores that are the same but for rounding have no better one.
        better = np.sign(true_differences(statistics, pairs))
        conclusions = {}
        drawn: dict[tuple[str, bool], tuple[NDArray[np.float64], bool]] = {}
        for name in self.tests:
            if name == "student":
                p = np.array([student_p(statistics, pair) for pair in pairs])
                conclusions[name] = Conclusions(p, better)
                continue
            # The tests of the papers that are not in the table look at the bootstrap.
            test = SIGNIFICANCE_TESTS.get(name, SIGNIFICANCE_TESTS["bootstrap"])
            kind = (test.source, test.studentized)
            if kind not in drawn:
                (differences,), exact = test.differences(
                    [statistics],
                    pairs,
                    replicates=self.replicates,
                    seed=self.seed,
                    first=index * self.replicates,
                )
                drawn[kind] = statistics.sign * differences, exact
            differences, exact = drawn[kind]
            if name in SIGNIFICANCE_TESTS:
                tested = statistics.sign * test.observed(statistics, pairs)
                scale = test.scale(statistics)
                p = test.p_values(tested, differences, exact=exact, scale=scale)
                conclusions[name] = Conclusions(p, better)
            else:
                conclusions[name] = _by_wins(name, differences, statistics.scale)
        return conclusions


def _by_wins(test: str, differences: NDArray[np.float64], scale: float) -> Conclusions:
    wins = bootstrap_wins(differences, scale=scale)
    # Koehn's conclusion is one-sided: the other system's share of wins is compared with alpha.
    # Rounded, since 1 - 0.95 is a little more than 0.05 in floats.
    one_sided = np.minimum(wins, 1 - wins).round(DECIMALS)
    winner = np.sign((wins - 0.5).round(DECIMALS))
    p = one_sided if test == "wins" else np.minimum(1.0, 2 * one_sided)
    return Conclusions(p, winner)


def student_p(statistics: MetricStatistics, pair: Pair = (0, 1)) -> float:
    """Student's paired t-test of two systems' scores of segments, two-sided.

    Assumes that the differences of segments are independent and, unless there are many, normal.
    """
    from scipy.stats import t

    scores = statistics.unit_means("test student")[:, list(pair)]
    differences = scores[:, 0] - scores[:, 1]
    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    rounding = TIE_TOLERANCE * float(np.abs(scores).max())
    if deviation <= rounding:
        # Nothing varies: either no difference at all, or the same one everywhere.
        return 1.0 if abs(mean) <= rounding else 0.0
    count = len(differences)
    return float(2 * t.sf(abs(mean) / (deviation / count**0.5), count - 1))
