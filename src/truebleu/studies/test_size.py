"""Test size: scores and their intervals against the share of the test set that is used.

Zhang & Vogel (2004, §4.1, Figs. 4-7, Table 2) add random documents to a test set until it is
complete, do so 100 times, and average: the relative intervals narrow by about 30 % whenever the
data double.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from truebleu._settings import DEFAULT_SEED
from truebleu.execution.journal import Runner, Task
from truebleu.significance.settings import CompareSettings
from truebleu.studies._pool import (
    Pool,
    PoolUnit,
    orders_of_growth,
    part_of_order,
    require_count,
    resampled_scores,
    sizes_of_shares,
)
from truebleu.studies._study import (
    FEWEST_SIZES,
    HIGH,
    LOW,
    Law,
    StudyResult,
    StudySettings,
    as_record,
    doubling,
    fit_law,
    from_record,
    mean_of_known,
    or_none,
    relative_intervals,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.test_set import TestSet
    from truebleu.execution.journal import Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics
    from truebleu.studies._pool import Part
    from truebleu.studies._study import Mean

USUAL_SHARES = tuple(tenth / 10 for tenth in range(1, 11))
# One growth says nothing about how growths differ.
FEWEST_SAMPLES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSizeSettings(StudySettings):
    """What `study_test_size` was asked for, and `sizes`, the units of each share."""

    # The name starts like a test class: pytest would collect it wherever it is imported.
    __test__ = False
    STUDY: ClassVar[str] = "test-size"

    shares: tuple[float, ...]
    sizes: tuple[int, ...]
    samples: int
    recount: bool
    replicates: int
    level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreAtSize:
    """A system's score by one metric on parts of one size: means over random growths.

    Attributes:
        metric: its label.
        system: its name.
        share: of the test set.
        size: units.
        score: the mean score.
        score_sd: the standard deviation of scores over growths.
        score_low: where the interval begins, around the mean of the replicates' medians.
        score_high: where it ends.
        low: where the relative interval begins, as a share of the median; None of scores of 0.
        high: where it ends.
        width: from one to the other.
        fitted: the width by the law of this system; None without one.
    """

    metric: str
    system: str
    share: float
    size: int
    score: float
    score_sd: float
    score_low: float | None
    score_high: float | None
    low: float | None
    high: float | None
    width: float | None
    fitted: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemLaw:
    """The law by which a system's intervals narrow; None where scores are 0 or do not vary."""

    system: str
    law: Law | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """What doubling the data does to the intervals of a metric.

    Attributes:
        metric: its label.
        doubling: by which share doubling narrows them, with the error over growths; below 0 where
            it widens them, None without a law.
        systems: the law of each system.
        best: the system with the best score on the whole.
        worst: the one with the worst.
        weighed_by_whole: whether the metric weighs parts by the whole test set, like NIST.
    """

    metric: str
    doubling: Mean | None
    systems: tuple[SystemLaw, ...]
    best: str
    worst: str
    weighed_by_whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSizeResult(StudyResult):
    """Scores and intervals by metric, system and share; by `truebleu study test-size`.

    Attributes:
        settings: how to repeat it.
        units: of the whole test set.
        rows: one for each metric, system and share.
        narrowings: one for each metric.
    """

    __test__ = False
    REPORT: ClassVar[str] = "truebleu.reports.studies.intervals:test_size_document"

    settings: TestSizeSettings
    units: int
    rows: tuple[ScoreAtSize, ...]
    narrowings: tuple[Narrowing, ...]


def study_test_size(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    shares: Sequence[float] | None = None,
    samples: int = 100,
    unit: PoolUnit = "segment",
    recount: bool = False,
    replicates: int = 1000,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> TestSizeResult:
    """How scores and relative intervals depend on how much of the test set is used.

    Assumes that units are independent draws from one population, as all bootstrap intervals do;
    the parts of one repetition are nested.

    Args:
        test_set: the whole.
        metrics: by which to score; given scores, such as people's, will do.
        shares: of the test set; 10 % to 100 % if not given.
        samples: random growths to average over.
        unit: what is added and resampled: segments or documents.
        recount: count every part anew, as a test set that knows nothing of the rest. Without it
            weights that come from the whole text, such as NIST's information, stay those of the
            whole, so that scores of different sizes compare.
        replicates: of each interval.
        level: of the intervals.
        seed: of growth and replicates.
        runner: keeps the results and shows progress.
    """
    resampling = CompareSettings(replicates=replicates, level=level, seed=seed)
    require_count("samples", samples, FEWEST_SAMPLES, "one does not show how parts differ")
    pool = Pool.of(test_set, metrics, unit)
    chosen = sorted(USUAL_SHARES if shares is None else shares)
    sizes = sizes_of_shares(chosen, len(pool), unit, FEWEST_SIZES)
    orders = orders_of_growth(len(pool), samples, seed)
    smallest = part_of_order(pool, test_set, orders[0], sizes[0])
    weighed = smallest.weighed_by_the_whole(anew=recount)
    settings = TestSizeSettings(
        pool=pool.summary,
        seed=seed,
        shares=tuple(chosen),
        sizes=tuple(sizes),
        samples=samples,
        recount=recount,
        replicates=replicates,
        level=level,
    )
    tasks = []
    for growth, order in enumerate(orders):
        for place, size in enumerate(sizes):
            # Made into a part when its turn comes: all of them at once would fill the memory.
            part = partial(part_of_order, pool, test_set, order, size)
            index = growth * len(sizes) + place
            work = partial(_intervals, part, resampling, index, anew=recount)
            tasks.append(Task((size, growth), work))
    records = (runner or Runner()).run(settings.to_dict(), tasks)
    rows: list[ScoreAtSize] = []
    narrowings: list[Narrowing] = []
    for statistics in pool.statistics:
        label = statistics.label
        # Shaped (size, growth, value, system); the last value is the score.
        values = np.stack(
            [
                [from_record(records[key][label]) for key in records if key[0] == size]
                for size in sizes
            ]
        )
        narrowing = _narrowing(pool, statistics, values, settings, weighed=label in weighed)
        narrowings.append(narrowing)
        rows += _rows(narrowing, values, settings)
    return TestSizeResult(
        settings=settings, units=len(pool), rows=tuple(rows), narrowings=tuple(narrowings)
    )


def _intervals(
    part: Callable[[], Part], settings: CompareSettings, index: int, *, anew: bool
) -> Record:
    """Each metric's medians, relative intervals and scores of all systems on one part."""
    record: Record = {}
    for statistics, replicates in resampled_scores(
        part().counted(anew=anew), settings.replicates, settings.seed, index
    ):
        intervals = relative_intervals(replicates, settings.level)
        record[statistics.label] = as_record(np.vstack([intervals, statistics.scores]))
    return record


def _widths(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Widths of the intervals, shaped (size, growth, system)."""
    return np.asarray(values[:, :, HIGH] - values[:, :, LOW])


def _rows(
    narrowing: Narrowing, values: NDArray[np.float64], settings: TestSizeSettings
) -> Iterator[ScoreAtSize]:
    widths = mean_of_known(_widths(values), axis=1)
    means = mean_of_known(values, axis=1)
    deviations = values[:, :, -1].std(axis=1, ddof=1)
    for place, of_system in enumerate(narrowing.systems):
        law = of_system.law
        for row, (share, size) in enumerate(zip(settings.shares, settings.sizes, strict=True)):
            median, low, high, score = means[row, :, place]
            yield ScoreAtSize(
                metric=narrowing.metric,
                system=of_system.system,
                share=share,
                size=size,
                score=float(score),
                score_sd=float(deviations[row, place]),
                score_low=or_none(median + abs(median) * low),
                score_high=or_none(median + abs(median) * high),
                low=or_none(low),
                high=or_none(high),
                width=or_none(widths[row, place]),
                fitted=None if law is None else law.width(size),
            )


def _narrowing(
    pool: Pool,
    statistics: MetricStatistics,
    values: NDArray[np.float64],
    settings: TestSizeSettings,
    *,
    weighed: bool,
) -> Narrowing:
    widths = _widths(values)
    laws = [fit_law(settings.sizes, column) for column in mean_of_known(widths, axis=1).T]
    # The systems' mean of logarithms, so that every system counts alike.
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = np.where(widths > 0, np.log(widths), np.nan)
    order = np.argsort(-statistics.sign * statistics.scores, kind="stable")
    return Narrowing(
        metric=statistics.label,
        doubling=doubling(settings.sizes, np.exp(mean_of_known(logarithms, axis=2)).T),
        systems=tuple(
            SystemLaw(system=name, law=law) for name, law in zip(pool.names, laws, strict=True)
        ),
        best=pool.names[order[0]],
        worst=pool.names[order[-1]],
        weighed_by_whole=weighed,
    )
