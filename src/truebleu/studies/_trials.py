"""Trials: what tests conclude about pairs of systems on samples of a pool, judged by the pool.

Koehn (2004, §7) took what 30,000 sentences say for the truth, and asked how often samples of 100
to 3,000 lead to it. `study power` counts right and wrong conclusions by size (his Table 3),
`study accuracy` by how sure they were (Table 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.execution.journal import Runner, Task
from truebleu.significance.p_values import fewest_units
from truebleu.significance.settings import CompareSettings
from truebleu.studies._pairs import TEST_NAMES, Testing, choose_pairs, needed, true_differences
from truebleu.studies._pool import Draw, Pool, PoolUnit, draw_by_size, require_repetitions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics, Pair
    from truebleu.studies._pairs import Pairs

#: The sizes of Koehn's Table 3.
USUAL_SIZES = (100, 300, 600, 3000)
#: The test that `compare` makes if not told otherwise, and the paper's own.
USUAL_TESTS = ("ar", "wins")
# Fewer samples could not tell a seldom conclusion from a frequent one.
FEWEST_SAMPLES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How samples are taken, and how pairs are tested on them.

    Attributes:
        tests: which ones; see `conclusions.TESTS`.
        sizes: units in a sample; those of the paper that fit, if not given.
        repetitions: how many samples of each size; broad samples and blocks may be fewer.
        draw: how samples are taken; see `draw_samples`.
        unit: what is sampled, resampled and swapped: segments or documents.
        pairs: which pairs of systems; see `choose_pairs`.
        baseline: compare all others with this system instead.
        samples: the replicates of each test.
        seed: of samples and replicates.
    """

    tests: tuple[str, ...]
    sizes: Sequence[int] | None
    repetitions: int
    draw: Draw
    unit: PoolUnit
    pairs: Pairs | None
    baseline: str | None
    samples: int
    seed: int


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What one test by one metric found on all samples of one size, shaped (sample, pair).

    Attributes:
        p: the p-values.
        right: whether the system that would be concluded to be better is so in the pool.
        wrong: whether it is not; neither where the sample's scores tie.
    """

    p: NDArray[np.float64]
    right: NDArray[np.bool_]
    wrong: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """All that was found.

    Attributes:
        pool: of the systems that were compared.
        pairs: the systems of each pair in that pool, the better by its first metric first.
        testing: the tests.
        sizes: of the samples, ascending.
        records: what each sample gave.
        settings: all that is needed to repeat it.
    """

    pool: Pool
    pairs: list[Pair]
    testing: Testing
    sizes: list[int]
    records: Mapping[Key, Record]
    settings: dict[str, Any]

    def judged(self, one: MetricStatistics, test: str, size: int) -> Judged:
        """What a test by a metric found on samples of a size."""
        truth = np.sign(true_differences(one, self.pairs))
        found = np.array([self.records[key][one.label][test] for key in self._keys(size)])
        p, better = found[:, 0], found[:, 1]
        concludes = better != 0
        return Judged(p, concludes & (better == truth), concludes & (better != truth))

    def count(self, size: int) -> int:
        """How many samples of a size there are."""
        return len(self._keys(size))

    def _keys(self, size: int) -> list[Key]:
        return [key for key in self.records if key[0] == size]

    def names(self, pair: int) -> tuple[str, str]:
        """The names of both systems of a pair."""
        a, b = self.pairs[pair]
        return self.pool.names[a], self.pool.names[b]


def run_trials(
    name: str,
    test_set: TestSet,
    metrics: Sequence[str | Metric],
    design: Design,
    runner: Runner | None,
    **further: Any,
) -> Trials:
    """Test all pairs on all samples; the further settings are kept with the results.

    All tests and pairs share the replicates of a sample, and every sample has its own.
    """
    # A comparison's own checks of the seed, and of the number of replicates for the level.
    CompareSettings(replicates=design.samples, seed=design.seed, level=further.get("level", 0.95))
    testing = Testing(tests=tuple(design.tests), samples=design.samples, seed=design.seed)
    require_repetitions(
        design.repetitions, FEWEST_SAMPLES, "fewer could not tell seldom from often"
    )
    whole = Pool.of(test_set, metrics, design.unit)
    pool, pairs = needed(whole, choose_pairs(whole, design.pairs, design.baseline))
    drawn = draw_by_size(
        design.draw,
        len(pool),
        design.sizes,
        USUAL_SIZES,
        repetitions=design.repetitions,
        fewest=FEWEST_SAMPLES,
        seed=design.seed,
    )
    settings = {
        "study": name,
        **pool.outline,
        "tests": list(testing.tests),
        "pairs": [[pool.names[a], pool.names[b]] for a, b in pairs],
        "sizes": list(drawn),
        "repetitions": design.repetitions,
        "draw": design.draw,
        "samples": design.samples,
        "seed": design.seed,
        **further,
    }
    tasks = [
        Task((size, index), partial(_conclude, pool, pairs, testing, sample, index))
        for size, samples in drawn.items()
        for index, sample in enumerate(samples)
    ]
    records = (runner or Runner()).run(settings, tasks)
    return Trials(pool, pairs, testing, list(drawn), records, settings)


def _conclude(
    pool: Pool, pairs: Sequence[Pair], testing: Testing, sample: NDArray[np.int64], index: int
) -> Record:
    """By metric and test the p-values of all pairs on one sample, and which system is better."""
    return {
        one.label: {
            test: [found.p.tolist(), found.better.tolist()]
            for test, found in testing.conclusions(one, pairs, index).items()
        }
        for one in pool.take(sample)
    }


def caveats(trials: Trials, alpha: float) -> list[str]:
    """What a reader must know to judge the numbers: ties, no direction, samples too small."""
    found = []
    for one in trials.pool.counted:
        ties = [
            " and ".join(trials.names(pair))
            for pair, difference in enumerate(true_differences(one, trials.pairs))
            if difference == 0
        ]
        if ties:
            found.append(
                f"{one.label}: {'; '.join(ties)} tie in the pool, so that no conclusion about them "
                "can be right."
            )
        if one.metric.higher_is_better is None:
            found.append(
                f"{one.label} has no better or worse: a right conclusion says which system has "
                "more, as in the pool."
            )
    least = fewest_units(alpha)
    small = [size for size in trials.sizes if size < least]
    if small and "ar" in trials.testing.tests:
        found.append(
            f"{TEST_NAMES['ar'].capitalize()} of {small[-1]} {trials.pool.unit}s can conclude "
            f"nothing at the level {100 * (1 - alpha):g} %: it needs at least {least}."
        )
    return found
