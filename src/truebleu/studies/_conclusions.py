"""Pairs of systems that a study compares, and what tests conclude about them on samples.

Koehn (2004, §7) took what 30,000 sentences say for the truth, and asked how often samples of 100
to 3,000 lead to it. `study power` counts right and wrong conclusions by size (his Table 3), `study
accuracy` by how sure they were (Table 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import (
    TYPE_CHECKING,
    Generic,
    Literal,
    NamedTuple,
    TypeAlias,
    TypedDict,
    TypeVar,
    get_args,
)

import numpy as np

from truebleu._settings import DEFAULT_SEED, checked
from truebleu.errors import SettingError, UnknownNameError
from truebleu.execution.journal import Runner, Task
from truebleu.resampling import TIE_TOLERANCE
from truebleu.significance.pairs import pairs_to_compare
from truebleu.significance.settings import CompareSettings
from truebleu.significance.tests import TESTS as SIGNIFICANCE_TESTS, bootstrap_wins
from truebleu.studies._pool import Pool, Sampling, draw_by_size, require_count
from truebleu.studies._study import StudySettings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.test_set import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics, Pair
    from truebleu.studies._pool import PoolUnit


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
        kind = usual if pairs is None else pairs
        if kind not in PAIR_KINDS:
            raise UnknownNameError("pairs", kind, PAIR_KINDS)
        apart = RANKS_APART.get(kind, len(ranking))
        chosen = [(a, b) for a, b in combinations(ranking, 2) if rank[b] - rank[a] <= apart]
    else:
        chosen = [_named(pool.names, pair) for pair in pairs]
        if not chosen:
            raise SettingError("pairs", "none", "at least one pair of systems")
    ordered = [(a, b) if rank[a] < rank[b] else (b, a) for a, b in chosen]
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


def true_differences(statistics: MetricStatistics, pairs: Sequence[Pair]) -> NDArray[np.float64]:
    """By how much the first system of each pair is better in the pool; 0 where they tie."""
    left, right = np.array(pairs).T
    scores = statistics.scores
    differences = statistics.sign * (scores[left] - scores[right])
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
# What is left of a share when the errors of floats are rounded away.
DECIMALS = 12


def require_tests(tests: Sequence[str], known: Sequence[str] = TESTS) -> tuple[str, ...]:
    """Refuse tests that a study does not make, and none at all."""
    if not tests or isinstance(tests, str):
        raise SettingError("tests", tests or "none", f"at least one of {', '.join(known)}")
    for test in tests:
        if test not in known:
            raise UnknownNameError("test", test, tuple(known))
    return tuple(tests)


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
        left, right = np.array(pairs).T
        scores = statistics.scores
        observed = statistics.sign * (scores[left] - scores[right])
        # Scores that are the same but for rounding have no better one.
        better = np.sign(
            np.where(np.abs(observed) > TIE_TOLERANCE * statistics.scale, observed, 0.0)
        )
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


# Trials: many samples.


#: The sizes of Koehn's Table 3.
USUAL_SIZES = (100, 300, 600, 3000)
#: The test that `compare` makes by default, and the paper's own.
USUAL_TESTS = ("ar", "wins")
# Fewer samples could not tell a seldom conclusion from a frequent one.
FEWEST_SAMPLES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSettings(StudySettings):
    """How samples were taken, and how pairs were tested on them.

    Attributes:
        tests: which ones.
        pairs: both systems of each pair, the better by the first metric first.
        sizes: units in a sample, ascending.
        samples: how many samples of each size were asked for.
        sampling: how samples were taken; see `draw_samples`.
        replicates: of each test.
    """

    tests: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    sizes: tuple[int, ...]
    samples: int
    sampling: Sampling
    replicates: int


class TrialOptions(TypedDict, total=False):
    """What studies of conclusions may be asked for; the defaults are those of `run_trials`.

    Attributes:
        tests: any of `truebleu.studies._conclusions.TESTS`.
        sizes: units in a sample; those of the paper that fit, if not given.
        samples: how many samples of each size; systematic samples and blocks may be fewer.
        sampling: how samples are taken; see `draw_samples`.
        unit: what is sampled, resampled and swapped: segments or documents.
        pairs: "near" for systems up to two ranks apart, as in the paper and if not given;
            "neighbours", "all", or the names of both systems of each pair.
        baseline: compare all others with this system instead.
        replicates: of each test.
        seed: of samples and replicates.
        runner: keeps the results and shows progress.
    """

    tests: Sequence[str]
    sizes: Sequence[int] | None
    samples: int
    sampling: Sampling
    unit: PoolUnit
    pairs: Pairs | None
    baseline: str | None
    replicates: int
    seed: int
    runner: Runner | None


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """What one test by one metric concluded on all samples of one size, shaped (sample, pair).

    Attributes:
        p: the p-values.
        right: whether the system that would be concluded to be better is so in the pool.
        wrong: whether it is not; neither where the sample's scores tie.
    """

    p: NDArray[np.float64]
    right: NDArray[np.bool_]
    wrong: NDArray[np.bool_]


Settings = TypeVar("Settings", bound=TrialSettings)


@dataclass(frozen=True, slots=True, eq=False)
class Trials(Generic[Settings]):
    """The conclusions of all tests on all samples.

    Attributes:
        pool: of the systems that were compared.
        pairs: the systems of each pair in that pool, the better by its first metric first.
        records: what each sample gave.
        settings: what `run_trials` was asked for, with the sizes and pairs that were chosen.
    """

    pool: Pool
    pairs: list[Pair]
    records: Mapping[Key, Record]
    settings: Settings

    def conclusions(self, statistics: MetricStatistics, test: str, size: int) -> Outcomes:
        """What a test by a metric concluded on samples of a size."""
        truth = np.sign(true_differences(statistics, self.pairs))
        keys = [key for key in self.records if key[0] == size]
        values = np.array([self.records[key][statistics.label][test] for key in keys])
        p, better = values[:, 0], values[:, 1]
        concludes = better != 0
        return Outcomes(p, concludes & (better == truth), concludes & (better != truth))

    def names(self, pair: int) -> tuple[str, str]:
        """The names of both systems of a pair."""
        a, b = self.pairs[pair]
        return self.pool.names[a], self.pool.names[b]

    def ties(self) -> tuple[Tie, ...]:
        """The pairs that tie in the pool."""
        return tuple(
            Tie(statistics.label, *self.names(pair))
            for statistics in self.pool.statistics
            for pair, difference in enumerate(true_differences(statistics, self.pairs))
            if difference == 0
        )


@dataclass(frozen=True, slots=True)
class Tie:
    """Two systems whose scores in the pool are the same, so that no conclusion is right."""

    metric: str
    a: str
    b: str


@checked
def run_trials(
    test_set: TestSet,
    metrics: Sequence[str | Metric],
    settings_of: Callable[..., Settings],
    *,
    tests: Sequence[str] = USUAL_TESTS,
    sizes: Sequence[int] | None = None,
    samples: int = 100,
    sampling: Sampling = "independent",
    unit: PoolUnit = "segment",
    pairs: Pairs | None = None,
    baseline: str | None = None,
    replicates: int = 1000,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> Trials[Settings]:
    """Test all pairs on all samples.

    All tests and pairs share the replicates of a sample, and every sample has its own. All but
    `settings_of`, which makes the study's settings of those that are common to all trials, and
    `level`, at which tests conclude, is described by `TrialOptions`.
    """
    # A comparison's own checks of the seed, and of the number of replicates for the level.
    CompareSettings(replicates=replicates, seed=seed, level=level)
    testing = Testing(tests=require_tests(tests), replicates=replicates, seed=seed)
    require_count("samples", samples, FEWEST_SAMPLES, "fewer could not tell seldom from often")
    whole = Pool.of(test_set, metrics, unit)
    pool, compared = needed(whole, choose_pairs(whole, pairs, baseline))
    drawn = draw_by_size(
        sampling, len(pool), sizes, USUAL_SIZES, samples=samples, fewest=FEWEST_SAMPLES, seed=seed
    )
    settings = settings_of(
        pool=pool.summary,
        tests=testing.tests,
        pairs=tuple((pool.names[a], pool.names[b]) for a, b in compared),
        sizes=tuple(drawn),
        samples=samples,
        sampling=sampling,
        replicates=replicates,
        seed=seed,
    )
    tasks = [
        Task((size, index), partial(_conclude, pool, compared, testing, sample, index))
        for size, of_size in drawn.items()
        for index, sample in enumerate(of_size)
    ]
    return Trials(pool, compared, (runner or Runner()).run(settings, tasks), settings)


def _conclude(
    pool: Pool, pairs: Sequence[Pair], testing: Testing, sample: NDArray[np.int64], index: int
) -> Record:
    """By metric and test the p-values of all pairs on one sample, and which system is better."""
    return {
        statistics.label: {
            test: [conclusion.p.tolist(), conclusion.better.tolist()]
            for test, conclusion in testing.conclusions(statistics, pairs, index).items()
        }
        for statistics in pool.take(sample)
    }
