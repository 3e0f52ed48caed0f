"""A pool: a test set counted once, of which studies take samples, and whose score is the truth.

Also the pairs of its systems that studies compare, and the tests that they make of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from truebleu.errors import ArgumentTypeError, SettingError
from truebleu.metrics.registry import metrics_for
from truebleu.resampling import TIE_TOLERANCE, Bootstrap, Units
from truebleu.schema import Setting, Streams, require_name
from truebleu.significance.pairs import pairs_to_compare
from truebleu.significance.statistics import (
    MetricStatistics,
    bootstrap_scores,
    metric_statistics,
)
from truebleu.significance.tests import TESTS as SIGNIFICANCE_TESTS, bootstrap_wins
from truebleu.studies._study import Floats, Settings, pool_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.registry import MetricsLike
    from truebleu.resampling import Values
    from truebleu.schema import Draw
    from truebleu.significance.statistics import Pair

# Settings that studies share.

# More tasks and their records would fill the memory before the first is done.
MOST_TASKS = 10**7
# The bootstrap of fewer units says next to nothing about the spread.
FEWEST_UNITS = 5

PoolUnit = Annotated[
    Literal["segment", "document"], Setting(help="what is drawn, resampled or swapped as a whole.")
]
Sampling = Annotated[
    Literal["systematic", "block", "random", "independent"],
    Setting(
        help="how samples are taken: every k-th unit, consecutive ones, or at random without or "
        "with replacement."
    ),
]
Sizes = Annotated[
    Sequence[int] | None,
    Setting(
        help="units in a sample; by default those of the paper, as far as several samples fit.",
        least=2,
        metavar="N,N,...",
    ),
]
# Fewer samples could not tell 95 % from 80 %, or a seldom conclusion from a frequent one.
Samples = Annotated[
    int,
    Setting(
        help="samples of each size; systematic ones and blocks may be fewer.",
        least=5,
        most=MOST_TASKS,
    ),
]
Shares = Annotated[
    Sequence[float] | None,
    Setting(
        help="shares of the test set, up to 1; by default those of the paper.",
        above=0,
        most=1,
        metavar="P,P,...",
    ),
]
# One growth says nothing about how growths differ.
Growths = Annotated[int, Setting(help="random growths to average over.", least=2, most=MOST_TASKS)]
Replicates = Annotated[int, Setting(help="replicates of each interval or test.", least=1)]


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The counts of all units of a test set by every metric.

    Statistics that depend on the whole text, such as NIST's information, are those of the pool.

    Attributes:
        names: the systems' names.
        statistics: the counts of each metric, shaped (unit, system, column).
        unit: what samples are made of: segments or whole documents.
        settings: what results say about the texts: sizes, names, fingerprints, signatures.
    """

    names: tuple[str, ...]
    statistics: tuple[MetricStatistics, ...]
    unit: PoolUnit
    settings: Settings

    @classmethod
    def of(cls, test_set: TestSet, metrics: MetricsLike, unit: PoolUnit = "segment") -> Pool:
        """Count a test set; every metric reads the texts once."""
        parsed, test_set = metrics_for(metrics, test_set)
        units = units_of(test_set, unit)
        counted = tuple(metric_statistics(test_set, parsed, units))
        labels = [statistics.label for statistics in counted]
        settings = pool_settings(test_set, parsed, labels, unit)
        settings["counts_fingerprint"] = _fingerprint_of_counts(counted)
        return cls(tuple(test_set.systems), counted, unit, settings)

    def __len__(self) -> int:
        """The number of units."""
        return len(self.statistics[0].rows)

    @property
    def digits(self) -> int:
        """Decimals that a column with scores of all metrics needs."""
        return max(statistics.metric.digits for statistics in self.statistics)

    def take(self, sample: NDArray[np.int64]) -> list[MetricStatistics]:
        """The counts of a sample's units; a unit drawn twice counts twice."""
        return [
            replace(statistics, rows=np.ascontiguousarray(statistics.rows[sample]))
            for statistics in self.statistics
        ]

    def require_systems(self, fewest: int) -> None:
        """Refuse fewer systems than a study needs."""
        if len(self.names) < fewest:
            expected = f"at least {fewest} to compare"
            raise SettingError("systems", len(self.names), expected)


def resampled_scores(
    counted: Sequence[MetricStatistics], replicates: int, seed: int, index: int
) -> Iterator[tuple[MetricStatistics, Values]]:
    """Each metric with the scores of all systems on replicates, shaped (replicate, system).

    Sample `index` has replicates of its own, so that no two make the same mistake.
    """
    bootstrap = Bootstrap(replicates=replicates, seed=seed)
    units = Units.segments(len(counted[0].rows))
    scores = bootstrap_scores(counted, units, bootstrap, first=index * replicates)
    return zip(counted, scores, strict=True)


def _fingerprint_of_counts(counted: Sequence[MetricStatistics]) -> str:
    """SHA-256 over the counts of every metric: two test sets that share it score alike."""
    from hashlib import sha256

    digest = sha256()
    for statistics in counted:
        # With its shape before it, no array can pass for two.
        digest.update(f"{statistics.label!r} {statistics.rows.shape}\n".encode())
        digest.update(np.ascontiguousarray(statistics.rows, dtype="<f8").data)
    return f"sha256:{digest.hexdigest()}"


def units_of(test_set: TestSet, unit: PoolUnit, setting: str = "unit") -> Units:
    """The segments or the documents of a test set."""
    if unit == "segment":
        return Units.segments(len(test_set))
    if test_set.documents is None:
        raise SettingError(setting, "document", "a test set with documents; see --documents")
    return Units.documents(test_set.documents)


# Random growth of a test set, unit by unit.


# What the order of growth takes its random numbers for.
PURPOSE = "growth of a test set"


def sizes_of_shares(shares: Sequence[float], pool: int, unit: str, fewest: int = 1) -> list[int]:
    """How many units the shares of a pool are, ascending; each must be a size of its own.

    Fewer shares than `fewest`, to which no law could be fitted, are refused.

    >>> sizes_of_shares([0.1, 0.5, 1.0], 101, "document")
    [10, 50, 101]
    """
    sizes = sorted({round(share * pool) for share in shares})
    if len(sizes) < len(shares) or sizes[0] < FEWEST_UNITS:
        expected = f"parts of at least {FEWEST_UNITS} {unit}s, each of another size"
        raise SettingError("shares", f"{list(shares)} of {pool} {unit}s", expected)
    if len(sizes) < fewest:
        raise SettingError("shares", list(shares), f"at least {fewest}, to fit a law to")
    return sizes


def numbers(draw: Draw, count: int) -> Floats:
    """So many random numbers between 0 and 1."""
    return np.fromiter((draw() for _ in range(count)), dtype=np.float64, count=count)


def orders_of_growth(pool: int, repetitions: int, seed: int) -> list[NDArray[np.int64]]:
    """For each repetition a random order of the units.

    The first n of it are the part of size n, as Zhang & Vogel (2004, §4.1) add random documents to
    those they have: every part holds the smaller ones, and units are never drawn twice.
    """
    streams = Streams(seed, PURPOSE)
    return [
        np.argsort(numbers(streams.at(repetition), pool), kind="stable")
        for repetition in range(repetitions)
    ]


# Samples: smaller test sets taken of a pool, as Koehn (2004, §3) took them and in other ways.


# What the drawing of samples takes its random numbers for.
SAMPLE_PURPOSE = "samples of a pool"


def draw_samples(
    sampling: Sampling, pool: int, size: int, count: int, seed: int
) -> list[NDArray[np.int64]]:
    """Samples of so many units, each in the order of the pool.

    "systematic" takes every k-th unit (Koehn 2004, §3.3, "broad" samples), "block" consecutive ones
    (§3.2). Both cut the pool into samples that share nothing, so there are at most pool / size of
    them, and fewer than asked for are made; they lie all over the pool, even where they do not use
    it up. "random" draws without replacement. "independent" draws with replacement: then the pool
    is the population itself, and theory applies without the correction for a sample that is a good
    part of its pool.
    """
    _require_size(size, pool)
    if sampling in ("systematic", "block"):
        return _partition(sampling, pool, size, count)
    streams = Streams(seed, f"{SAMPLE_PURPOSE}: {sampling} {size}")
    return [_random(sampling, pool, size, streams, index) for index in range(count)]


def _partition(sampling: Sampling, pool: int, size: int, count: int) -> list[NDArray[np.int64]]:
    """Samples that share nothing, spread evenly where there is room for more.

    Where the size divides the pool, and all samples are asked for, they are the paper's own: units
    1, 101, 201, ... and 2, 102, 202, ... of Koehn's 30,000. Where it does not, k is a fraction.
    """
    available = pool // size
    made = min(count, available)
    places = np.arange(made, dtype=np.int64)
    within = np.arange(size, dtype=np.int64)
    if sampling == "block":
        return [start + within for start in places * pool // made]
    return [start + within * pool // size for start in places * available // made]


def _random(
    sampling: Sampling, pool: int, size: int, streams: Streams, index: int
) -> NDArray[np.int64]:
    random = streams.at(index)
    if sampling == "independent":
        # A double has 53 bits: no unit of any real pool is favoured by a billionth.
        return np.sort((numbers(random, size) * pool).astype(np.int64))
    return np.sort(np.argsort(numbers(random, pool), kind="stable")[:size])


def _require_size(size: int, pool: int) -> None:
    """Refuse a size that is larger than the pool."""
    if size > pool:
        raise SettingError("size", size, f"no more than the pool has: {pool}")


def sizes_that_fit(
    sizes: Sequence[int] | None, pool: int, usual: Sequence[int], fewest: int = 2
) -> list[int]:
    """The sizes asked for, all checked; or those of the usual ones that leave `fewest` samples.

    A pool too small for any of them is cut into twice as many samples, and into as many.
    """
    if sizes:
        for size in sizes:
            _require_size(size, pool)
        return sorted(set(sizes))
    fitting = [size for size in usual if fewest * size <= pool]
    if fitting:
        return fitting
    parts = [size for size in (pool // (2 * fewest), pool // fewest) if size >= 2]
    if not parts:
        expected = f"at least {2 * fewest}: {fewest} samples of 2 must fit in it"
        raise SettingError("test set", f"{pool} units", expected)
    return parts


def draw_by_size(
    sampling: Sampling,
    pool: int,
    sizes: Sequence[int] | None,
    usual: Sequence[int],
    *,
    samples: int,
    seed: int,
    fewest: int = 5,
) -> dict[int, list[NDArray[np.int64]]]:
    """The samples of every size, at least so many of each; all is checked before any is drawn.

    Args:
        sampling: how samples are taken.
        pool: how many units there are.
        sizes: units in a sample, or None for the usual ones that fit.
        usual: the sizes to choose from then.
        samples: how many samples of each size; systematic ones and blocks may be fewer.
        fewest: how many there must be at least, or their shares would say nothing.
        seed: of random samples.
    """
    cut = sampling in ("systematic", "block")
    chosen = sizes_that_fit(sizes, pool, usual, fewest if cut else 2)
    if cut and fewest * chosen[-1] > pool:
        expected = (
            f"at most {pool // fewest} for {fewest} {sampling} samples without common units; "
            "or draw them at random"
        )
        raise SettingError("size", chosen[-1], expected)
    return {size: draw_samples(sampling, pool, size, samples, seed) for size in chosen}


# The pairs of systems that studies compare, and the tests that they make of them.


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
        require_name("system", name, names)
    if pair[0] == pair[1]:
        raise SettingError("pair", pair, "two different systems")
    return names.index(pair[0]), names.index(pair[1])


def differences_of(scores: Values, pairs: Sequence[Pair]) -> Values:
    """The first system's score less the second's of each pair, of scores shaped (..., system)."""
    left, right = np.array(pairs).T
    return np.asarray(scores[..., left] - scores[..., right])


def true_differences(statistics: MetricStatistics, pairs: Sequence[Pair]) -> Floats:
    """By how much the first system of each pair is better in the pool; 0 where they tie."""
    differences = statistics.sign * differences_of(statistics.scores, pairs)
    return np.where(np.abs(differences) > TIE_TOLERANCE * statistics.scale, differences, 0.0)


class StudyTest(NamedTuple):
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
}
#: Those for any metric.
TESTS = tuple(name for name in STUDY_TESTS if name != "studentized")
Tests = Annotated[
    Sequence[str],
    Setting(
        help=f"the tests: {', '.join(STUDY_TESTS)}.",
        choices=tuple(STUDY_TESTS),
        metavar="NAME,...",
    ),
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

    p: Floats
    better: Floats


@dataclass(frozen=True, slots=True)
class Testing:
    """Which tests are made, of how many replicates, from which seed."""

    tests: tuple[str, ...]
    replicates: int
    seed: int

    # pytest would take the name for a test class.
    __test__ = False

    def conclusions(
        self, statistics: MetricStatistics, pairs: Sequence[Pair], index: int
    ) -> dict[str, Conclusions]:
        """For each test the p-values of all pairs, and which system of each would be better.

        Sample `index` has replicates of its own.
        """
        # Scores that are the same but for rounding have no better one.
        better = np.sign(true_differences(statistics, pairs))
        conclusions = {}
        drawn: dict[tuple[str, bool], tuple[Floats, bool]] = {}
        for name in self.tests:
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


def _by_wins(test: str, differences: Floats, scale: float) -> Conclusions:
    wins = bootstrap_wins(differences, scale=scale)
    # Koehn's conclusion is one-sided: the other system's share of wins is compared with alpha.
    # Rounded, since 1 - 0.95 is a little more than 0.05 in floats.
    one_sided = np.minimum(wins, 1 - wins).round(DECIMALS)
    winner = np.sign((wins - 0.5).round(DECIMALS))
    p = one_sided if test == "wins" else np.minimum(1.0, 2 * one_sided)
    return Conclusions(p, winner)
