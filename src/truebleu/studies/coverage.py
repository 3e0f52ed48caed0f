"""Coverage: how often the interval from a small sample holds the value of the whole pool.

Koehn (2004, §5, Fig. 6) took 100 broad samples of 300 sentences: of their 95 % intervals 97 held
the score of all 30,000 sentences. The same is asked here of intervals of differences.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

from truebleu.errors import UnknownNameError
from truebleu.inference.comparison import difference_intervals, score_intervals
from truebleu.inference.replication import bootstrap_scores
from truebleu.inference.settings import CompareSettings
from truebleu.resampling import Bootstrap, Units
from truebleu.seeds import DEFAULT_SEED
from truebleu.studies.apparatus.covered import exhibit_coverage, values_of
from truebleu.studies.apparatus.journal import Runner, Task
from truebleu.studies.apparatus.pairs import choose_pairs
from truebleu.studies.apparatus.pool import Pool, PoolUnit
from truebleu.studies.apparatus.samples import Draw, draw_by_size, require_repetitions

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.exhibits import Exhibit
    from truebleu.inference.names import IntervalMethod
    from truebleu.inference.replication import Pair
    from truebleu.metrics.metric import Metric
    from truebleu.studies.apparatus.journal import Record

Covered = Literal["scores", "differences"]

COVERED: tuple[Covered, ...] = get_args(Covered)
USUAL_SIZES = (100, 300, 600, 1000, 3000)
# Fewer samples could not tell 95 % from 80 %.
FEWEST_SAMPLES = 5


def study_coverage(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    sizes: Sequence[int] | None = None,
    repetitions: int = 100,
    draw: Draw = "independent",
    unit: PoolUnit = "segment",
    of: Covered = "scores",
    samples: int = 1000,
    level: float = 0.95,
    interval: IntervalMethod = "percentile",
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> Exhibit:
    """How often intervals from samples hold the score of the pool they were taken of.

    Args:
        test_set: the pool.
        metrics: by which to score.
        sizes: units in a sample; those of the paper that fit, if not given.
        repetitions: how many samples of each size; broad samples and blocks may be fewer.
        draw: how samples are taken; see `draw_samples`.
        unit: what is sampled and resampled: segments or documents.
        of: whether the intervals are those of the systems' scores, or of the differences of all
            pairs.
        samples: the bootstrap's replicates.
        level: of the intervals.
        interval: how intervals are made of replicates.
        seed: of samples and replicates.
        runner: keeps the results and shows progress.
    """
    settings = CompareSettings(samples=samples, level=level, seed=seed, interval=interval)
    require_repetitions(repetitions, FEWEST_SAMPLES, "fewer could not tell 95 % from 80 %")
    if of not in COVERED:
        raise UnknownNameError("of", of, COVERED)
    pool = Pool.of(test_set, metrics, unit)
    pairs = choose_pairs(pool, "all") if of == "differences" else None
    drawn = draw_by_size(
        draw,
        len(pool),
        sizes,
        USUAL_SIZES,
        repetitions=repetitions,
        fewest=FEWEST_SAMPLES,
        seed=seed,
    )
    subject = {
        "study": "coverage",
        **pool.outline,
        "sizes": list(drawn),
        "repetitions": repetitions,
        "draw": draw,
        "of": of,
        "samples": samples,
        "level": level,
        "interval": interval,
        "seed": seed,
    }
    tasks = [
        Task((size, index), partial(_intervals, pool, pairs, sample, index, settings))
        for size, taken in drawn.items()
        for index, sample in enumerate(taken)
    ]
    records = (runner or Runner()).run(subject, tasks)
    return exhibit_coverage(pool, pairs, records, subject)


def _intervals(
    pool: Pool,
    pairs: Sequence[Pair] | None,
    sample: NDArray[np.int64],
    index: int,
    settings: CompareSettings,
) -> Record:
    """Each metric's scores or differences on one sample, with their intervals."""
    counted = pool.take(sample)
    bootstrap = Bootstrap(replicates=settings.samples, seed=settings.seed)
    units = Units.segments(len(sample))
    # Replicates of its own for every sample, so that no two make the same mistake.
    scores = bootstrap_scores(counted, units, bootstrap, first=index * settings.samples)
    record: Record = {}
    for one, replicates in zip(counted, scores, strict=True):
        if pairs is None:
            low, high = score_intervals(one, replicates, settings)
        else:
            low, high = difference_intervals(one, replicates, pairs, settings)
        record[one.label] = [values_of(one, pairs).tolist(), low.tolist(), high.tolist()]
    return record
