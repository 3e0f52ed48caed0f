"""Trials: what tests conclude about pairs of systems on samples of a pool, judged by the pool.

Koehn (2004, §7) took what 30,000 sentences say for the truth, and asked how often samples of 100
to 3,000 lead to it. `study power` counts right and wrong conclusions by size (his Table 3),
`study accuracy` by how sure they were (Table 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from truebleu.execution.journal import Runner, Task
from truebleu.significance.settings import CompareSettings
from truebleu.studies._pairs import Testing, choose_pairs, needed, require_tests, true_differences
from truebleu.studies._pool import Pool, Sampling, draw_by_size, require_count
from truebleu.studies._study import StudySettings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics, Pair
    from truebleu.studies._pairs import Pairs
    from truebleu.studies._pool import PoolUnit

#: The sizes of Koehn's Table 3.
USUAL_SIZES = (100, 300, 600, 3000)
#: The test that `compare` makes if not told otherwise, and the paper's own.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """What a study is asked for: how to take samples, and how to test pairs on them.

    Attributes:
        tests: which ones; see `truebleu.studies._pairs.TESTS`.
        sizes: units in a sample; those of the paper that fit, if not given.
        samples: how many samples of each size; systematic samples and blocks may be fewer.
        sampling: how samples are taken; see `draw_samples`.
        unit: what is sampled, resampled and swapped: segments or documents.
        pairs: which pairs of systems; see `choose_pairs`.
        baseline: compare all others with this system instead.
        replicates: of each test.
        level: at which tests conclude.
        seed: of samples and replicates.
    """

    tests: Sequence[str]
    sizes: Sequence[int] | None
    samples: int
    sampling: Sampling
    unit: PoolUnit
    pairs: Pairs | None
    baseline: str | None
    replicates: int
    level: float = 0.95
    seed: int


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


def run_trials(
    test_set: TestSet,
    metrics: Sequence[str | Metric],
    design: Design,
    runner: Runner | None,
    settings_of: Callable[..., Settings],
) -> Trials[Settings]:
    """Test all pairs on all samples.

    All tests and pairs share the replicates of a sample, and every sample has its own.

    Args:
        test_set: the pool.
        metrics: by which to compare.
        design: what is asked for.
        runner: keeps the results and shows progress.
        settings_of: makes the study's settings of those that are common to all trials.
    """
    # A comparison's own checks of the seed, and of the number of replicates for the level.
    CompareSettings(replicates=design.replicates, seed=design.seed, level=design.level)
    testing = Testing(
        tests=require_tests(design.tests), replicates=design.replicates, seed=design.seed
    )
    require_count(
        "samples", design.samples, FEWEST_SAMPLES, "fewer could not tell seldom from often"
    )
    whole = Pool.of(test_set, metrics, design.unit)
    pool, pairs = needed(whole, choose_pairs(whole, design.pairs, design.baseline))
    drawn = draw_by_size(
        design.sampling,
        len(pool),
        design.sizes,
        USUAL_SIZES,
        samples=design.samples,
        fewest=FEWEST_SAMPLES,
        seed=design.seed,
    )
    settings = settings_of(
        pool=pool.summary,
        tests=testing.tests,
        pairs=tuple((pool.names[a], pool.names[b]) for a, b in pairs),
        sizes=tuple(drawn),
        samples=design.samples,
        sampling=design.sampling,
        replicates=design.replicates,
        seed=design.seed,
    )
    tasks = [
        Task((size, index), partial(_conclude, pool, pairs, testing, sample, index))
        for size, samples in drawn.items()
        for index, sample in enumerate(samples)
    ]
    return Trials(pool, pairs, (runner or Runner()).run(settings, tasks), settings)


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
