"""Sensitivity: which metric tells most pairs of systems apart, and how wide its intervals are.

Zhang & Vogel (2004, §3, Table 1, Fig. 3) compare seven systems pair by pair: two differ when the
bootstrap's interval of their difference leaves out 0, and NIST's relative intervals are the
narrowest. Riezler & Maxwell (2005, §3, Table 1) find a small difference significant by NIST and not
by BLEU or F-score.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from truebleu.errors import SettingError, UnknownNameError
from truebleu.inference.monte_carlo import smallest_p
from truebleu.inference.multiplicity import CORRECTIONS, adjust
from truebleu.inference.p_values import bootstrap_wins
from truebleu.inference.replication import bootstrap_scores
from truebleu.inference.settings import CompareSettings
from truebleu.resampling import Bootstrap, Units
from truebleu.seeds import DEFAULT_SEED
from truebleu.studies.apparatus.conclusions import Testing
from truebleu.studies.apparatus.journal import Runner, Task
from truebleu.studies.apparatus.pool import Pool, PoolUnit
from truebleu.studies.apparatus.samples import Draw, draw_samples, require_repetitions, require_size
from truebleu.studies.apparatus.told_apart import sensitivity_exhibit
from truebleu.studies.apparatus.widths import as_record, relative_intervals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.exhibits import Exhibit
    from truebleu.inference.replication import Pair
    from truebleu.metrics.metric import Metric
    from truebleu.studies.apparatus.journal import Record

#: Those of both papers, and the two that are most used beside BLEU.
USUAL_METRICS = ("bleu", "nist", "mbleu", "chrf", "ter")


def study_sensitivity(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = USUAL_METRICS,
    *,
    sizes: Sequence[int] | None = None,
    repetitions: int | None = None,
    draw: Draw | None = None,
    unit: PoolUnit = "segment",
    samples: int = 10_000,
    level: float = 0.95,
    correction: str = "holm",
    by_system: bool = False,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> Exhibit:
    """How many pairs of systems each metric tells apart, and its relative intervals.

    A pair is told apart by the interval of the difference (Zhang & Vogel 2004, §3.2) or by
    approximate randomization, each with and without a correction for all pairs. It need not be
    told apart rightly: a metric may be sure of what people would not say.

    Args:
        test_set: with two systems at least.
        metrics: to compare.
        sizes: units in samples, on which large test sets do not tell everything apart; the whole
            test set if not given.
        repetitions: samples of each size, 20 if not given; only with sizes.
        draw: how samples are taken, at random if not given; see `draw_samples`.
        unit: what is sampled, resampled and swapped.
        samples: replicates of each test.
        level: of intervals, and 1 minus the significance level.
        correction: for all pairs of one metric.
        by_system: list the systems' intervals, as Zhang & Vogel's Table 1 does, instead of tests.
        seed: of samples and replicates.
        runner: keeps the results and shows progress.
    """
    settings = CompareSettings(samples=samples, level=level, seed=seed)
    pairs = list(combinations(range(len(test_set.systems)), 2))
    _require_decisive(len(pairs), samples, settings.alpha, correction)
    pool = Pool.of(test_set, metrics, unit)
    chosen = _sizes(sizes, len(pool))
    _require_enough_units(chosen[0], len(pairs), settings.alpha, correction)
    if sizes is None and (repetitions is not None or draw is not None):
        found = repetitions if repetitions is not None else draw
        expected = "sizes (--sizes) beside it: without them the whole test set is taken, once"
        raise SettingError("repetitions" if repetitions is not None else "draw", found, expected)
    draw, repetitions = draw or "random", 20 if repetitions is None else repetitions
    if sizes is not None:
        require_repetitions(repetitions, 2, "one does not show how samples differ")
    subject = {
        "study": "sensitivity",
        **pool.outline,
        "sizes": chosen,
        "repetitions": repetitions,
        "draw": draw,
        "samples": samples,
        "level": level,
        "seed": seed,
    }
    tasks = []
    for size in chosen:
        for index, sample in enumerate(_samples(draw, len(pool), size, repetitions, seed)):
            work = partial(_tested, pool, pairs, sample, index, settings)
            tasks.append(Task((size, index), work))
    records = (runner or Runner()).run(subject, tasks)
    result = {**subject, "correction": correction, "by_system": by_system}
    return sensitivity_exhibit(pool, pairs, records, result)


def _require_decisive(pairs: int, samples: int, alpha: float, correction: str) -> None:
    """Refuse what can tell nothing apart: one system, or too few replicates for so many pairs."""
    if pairs == 0:
        raise SettingError("systems", 1, "at least 2 to tell apart")
    if correction not in CORRECTIONS:
        raise UnknownNameError("correction", correction, CORRECTIONS)
    smallest = float(adjust(np.full(pairs, smallest_p(samples)), correction).min())
    if smallest > alpha:
        expected = (
            f"more of them: with {pairs} pairs the smallest p after the correction {correction!r} "
            f"is {smallest:.3g}, and nothing can be told apart at {alpha:g}"
        )
        raise SettingError("samples", samples, expected)


def _require_enough_units(size: int, pairs: int, alpha: float, correction: str) -> None:
    """Refuse so few units that even the clearest difference has a p-value above alpha.

    Of all swaps of n units two are as extreme as none, so that p is 2 / 2**n at the least.
    """
    least = 1
    while float(adjust(np.full(pairs, 2.0 ** (1 - least)), correction).min()) > alpha:
        least += 1
    if size < least:
        expected = (
            f"at least {least} units: swaps of fewer can tell none of {pairs} pairs apart at "
            f"{alpha:g}, corrected by {correction!r}"
        )
        raise SettingError("size", size, expected)


def _sizes(sizes: Sequence[int] | None, pool: int) -> list[int]:
    if sizes is None:
        return [pool]
    if not sizes:
        raise SettingError("sizes", "none", "at least one size")
    for size in sizes:
        require_size("size", size, pool)
    return sorted(set(sizes))


def _samples(
    draw: Draw, pool: int, size: int, repetitions: int, seed: int
) -> list[NDArray[np.int64]]:
    """Samples of a size; there is one only of the whole, unless units may be drawn twice."""
    if size == pool and draw != "independent":
        return [np.arange(pool)]
    return draw_samples(draw, pool, size, repetitions, seed)


def _tested(
    pool: Pool,
    pairs: Sequence[Pair],
    sample: NDArray[np.int64],
    index: int,
    settings: CompareSettings,
) -> Record:
    """For each metric p-values of all pairs by both tests, scores, and relative intervals."""
    counted = pool.take(sample)
    bootstrap = Bootstrap(replicates=settings.samples, seed=settings.seed)
    units = Units.segments(len(sample))
    # Replicates of its own for every sample, so that no two make the same mistake.
    scores = bootstrap_scores(counted, units, bootstrap, first=index * settings.samples)
    testing = Testing(tests=("ar",), samples=settings.samples, seed=settings.seed)
    left, right = np.array(pairs).T
    record: Record = {}
    for one, replicates in zip(counted, scores, strict=True):
        wins = np.atleast_1d(
            bootstrap_wins(replicates[:, left] - replicates[:, right], scale=one.scale)
        )
        record[one.label] = {
            # At most alpha where the interval of the difference leaves out 0.
            "interval": np.minimum(1.0, 2 * np.minimum(wins, 1 - wins)).tolist(),
            "ar": testing.p_values(one, pairs, index)["ar"].tolist(),
            "scores": one.scores.tolist(),
            "intervals": as_record(relative_intervals(replicates, settings.level)),
        }
    return record
