"""Coverage: how often the interval of a small sample contains the value of the whole pool.

Koehn (2004, §5, Fig. 6) took 100 systematic samples of 300 sentences: of their 95 % intervals 97
contained the score of all 30,000 sentences. The same is asked here of intervals of differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from truebleu._settings import DEFAULT_SEED
from truebleu.execution.journal import Runner, Task
from truebleu.resampling import TIE_TOLERANCE
from truebleu.significance.intervals import interval_bounds
from truebleu.significance.settings import CompareSettings
from truebleu.significance.tests import monte_carlo_interval
from truebleu.studies._pool import (
    Pool,
    PoolUnit,
    Sampling,
    draw_by_size,
    require_count,
    resampled_scores,
)
from truebleu.studies._study import Rate, StudyResult, StudySettings, clustered_rate
from truebleu.studies._tests import choose_pairs, differences_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from truebleu._settings import IntervalName
    from truebleu.corpus.test_set import TestSet
    from truebleu.execution.journal import Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics, Pair

Quantity = Literal["scores", "differences"]
USUAL_SIZES = (100, 300, 600, 1000, 3000)
# Fewer samples could not tell 95 % from 80 %.
FEWEST_SAMPLES = 5
# More intervals side by side run into one another.
MOST_SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageSettings(StudySettings):
    """What `study_coverage` was asked for, with the sizes that were chosen, ascending."""

    STUDY: ClassVar[str] = "coverage"

    sizes: tuple[int, ...]
    samples: int
    sampling: Sampling
    of: Quantity
    replicates: int
    level: float
    interval: IntervalName


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastCovered:
    """The system or pair that is covered less than the level and than the others, by no chance.

    Attributes:
        systems: its name, or those of both systems.
        share: of its intervals that contain the value.
        above: the share of those that lie above it.
        below: the share of those that lie below it.
        skewness: of the effects of single units on the value.
    """

    systems: tuple[str, ...]
    share: float
    above: float
    below: float
    skewness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The intervals of one metric and size, of all systems or pairs.

    Attributes:
        metric: its label.
        size: units in a sample.
        samples: how many samples there were.
        intervals: how many intervals.
        coverage: the rate of those that contain the pool's value; samples are taken as a whole.
        above: the share of those that lie wholly above it.
        below: the share of those that lie wholly below it.
        width: their mean width.
        least: what is covered least, where that is no chance.
    """

    metric: str
    size: int
    samples: int
    intervals: int
    coverage: Rate
    above: float
    below: float
    width: float
    least: LeastCovered | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleInterval:
    """The interval of the first system or pair on one sample of the smallest size."""

    metric: str
    sample: int
    value: float
    low: float
    high: float
    pool: float
    contains: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageResult(StudyResult):
    """How often intervals contain the pool's value.

    Attributes:
        settings: how to repeat it.
        units: how many the pool has.
        rows: one for each metric and size.
        first: the names of the first system, or of both systems of the first pair.
        intervals: some of its intervals on samples of the smallest size, as in Koehn's Fig. 6.
    """

    REPORT: ClassVar[str] = "truebleu.reports.studies.intervals:coverage_document"

    settings: CoverageSettings
    units: int
    rows: tuple[Coverage, ...]
    first: tuple[str, ...]
    intervals: tuple[SampleInterval, ...]


def study_coverage(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    sizes: Sequence[int] | None = None,
    samples: int = 100,
    sampling: Sampling = "independent",
    unit: PoolUnit = "segment",
    of: Quantity = "scores",
    replicates: int = 1000,
    level: float = 0.95,
    interval: IntervalName = "percentile",
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> CoverageResult:
    """How often intervals from samples contain the score of the pool they were taken of.

    Args:
        test_set: the pool.
        metrics: by which to score.
        sizes: units in a sample; those of the paper that fit, if not given.
        samples: how many samples of each size; systematic samples and blocks may be fewer.
        sampling: how samples are taken; see `draw_samples`.
        unit: what is sampled and resampled: segments or documents.
        of: whether the intervals are those of the systems' scores, or of the differences of all
            pairs.
        replicates: of each interval.
        level: of the intervals.
        interval: how intervals are made of replicates.
        seed: of samples and replicates.
        runner: keeps the results and shows progress.
    """
    comparison = CompareSettings(replicates=replicates, level=level, seed=seed, interval=interval)
    require_count("samples", samples, FEWEST_SAMPLES, "fewer could not tell 95 % from 80 %")
    pool = Pool.of(test_set, metrics, unit)
    pairs = choose_pairs(pool, "all") if of == "differences" else None
    drawn = draw_by_size(
        sampling, len(pool), sizes, USUAL_SIZES, samples=samples, fewest=FEWEST_SAMPLES, seed=seed
    )
    settings = CoverageSettings(
        pool=pool.summary,
        sizes=tuple(drawn),
        samples=samples,
        sampling=sampling,
        of=of,
        replicates=replicates,
        level=level,
        interval=interval,
        seed=seed,
    )
    tasks = [
        Task((size, index), partial(_intervals, pool, pairs, sample, index, comparison))
        for size, taken in drawn.items()
        for index, sample in enumerate(taken)
    ]
    records = (runner or Runner()).run(settings, tasks)
    by_size = {size: [records[key] for key in records if key[0] == size] for size in drawn}
    return CoverageResult(
        settings=settings,
        units=len(pool),
        rows=tuple(
            _row(pool, statistics, pairs, size, by_size[size], level)
            for statistics in pool.statistics
            for size in drawn
        ),
        first=_names(pool, pairs, 0),
        intervals=tuple(
            interval
            for statistics in pool.statistics
            for interval in _first_intervals(statistics, pairs, by_size[settings.sizes[0]])
        ),
    )


def _intervals(
    pool: Pool,
    pairs: Sequence[Pair] | None,
    sample: NDArray[np.int64],
    index: int,
    settings: CompareSettings,
) -> Record:
    """Each metric's scores or differences on one sample, with their intervals."""
    record: Record = {}
    for statistics, replicates in resampled_scores(
        pool.take(sample), settings.replicates, settings.seed, index
    ):
        low, high = interval_bounds(
            statistics, replicates, pairs, settings.interval, settings.level
        )
        values = _values(statistics, pairs)
        record[statistics.label] = [values.tolist(), low.tolist(), high.tolist()]
    return record


def _values(statistics: MetricStatistics, pairs: Sequence[Pair] | None) -> NDArray[np.float64]:
    """Each system's score, or each pair's difference."""
    return statistics.scores if pairs is None else differences_of(statistics.scores, pairs)


def _row(
    pool: Pool,
    statistics: MetricStatistics,
    pairs: Sequence[Pair] | None,
    size: int,
    records: Sequence[Record],
    level: float,
) -> Coverage:
    truth = _values(statistics, pairs)
    bounds = np.array([record[statistics.label] for record in records])
    _, low, high = np.moveaxis(bounds, 1, 0)
    # A score that never varies must not miss itself by rounding.
    margin = TIE_TOLERANCE * statistics.scale
    above, below = low > truth + margin, high < truth - margin
    contains = ~(above | below)
    return Coverage(
        metric=statistics.label,
        size=size,
        samples=len(contains),
        intervals=contains.size,
        coverage=clustered_rate(contains),
        above=float(above.mean()),
        below=float(below.mean()),
        width=float((high - low).mean()),
        least=_least(pool, statistics, pairs, above, below, level),
    )


def _least(
    pool: Pool,
    statistics: MetricStatistics,
    pairs: Sequence[Pair] | None,
    above: NDArray[np.bool_],
    below: NDArray[np.bool_],
    level: float,
) -> LeastCovered | None:
    by_each = (~(above | below)).mean(axis=0)
    worst = int(by_each.argmin())
    # As many as there are might have been the least by chance (Bonferroni).
    confidence = 1 - 0.05 / len(by_each)
    _, most = monte_carlo_interval(by_each[worst], len(above), confidence)
    if len(by_each) == 1 or most >= min(level, by_each.mean()):
        return None
    return LeastCovered(
        systems=_names(pool, pairs, worst),
        share=float(by_each[worst]),
        above=float(above[:, worst].mean()),
        below=float(below[:, worst].mean()),
        skewness=_skewness(statistics, pairs, worst),
    )


def _names(pool: Pool, pairs: Sequence[Pair] | None, number: int) -> tuple[str, ...]:
    if pairs is None:
        return (pool.names[number],)
    return tuple(pool.names[system] for system in pairs[number])


def _skewness(statistics: MetricStatistics, pairs: Sequence[Pair] | None, number: int) -> float:
    """The skewness of the effects of single units on a score or difference, by the jackknife.

    Intervals from the bootstrap miss more on one side where it is large against the root of the
    sample's size: few units decide, and most samples have none of them (Hall 1992, ch. 3).
    """
    without = statistics.jackknife_scores()
    values = without if pairs is None else differences_of(without, pairs)
    effects = -values[:, number]
    effects = effects - effects.mean()
    deviation = float(np.sqrt((effects**2).mean()))
    return float((effects**3).mean()) / deviation**3 if deviation > 0 else 0.0


def _first_intervals(
    statistics: MetricStatistics, pairs: Sequence[Pair] | None, records: Sequence[Record]
) -> Iterator[SampleInterval]:
    truth = float(_values(statistics, pairs)[0])
    margin = TIE_TOLERANCE * statistics.scale
    for number, record in enumerate(records[:MOST_SHOWN], 1):
        value, low, high = (values[0] for values in record[statistics.label])
        yield SampleInterval(
            metric=statistics.label,
            sample=number,
            value=value,
            low=low,
            high=high,
            pool=truth,
            contains=low - margin <= truth <= high + margin,
        )
