"""Replicates: how many of them the bootstrap needs before its intervals stop moving.

Zhang & Vogel (2004, §4.3, Tables 5 and 6) make intervals of B = 100 to 100,000 replicates, and for
each B up to 10,000 they make 5,000 of them: the standard deviation of a bound is 7 % of the
interval's width at B = 100, and below 1 % at 10,000.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce
from math import ceil, isfinite, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from truebleu._settings import DEFAULT_SEED, require_level, require_replicates, require_seed
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner, Task
from truebleu.significance.intervals import smallest_replicates
from truebleu.studies._pool import Pool, PoolUnit, require_count, resampled_scores
from truebleu.studies._study import (
    HIGH,
    LOW,
    StudyResult,
    StudySettings,
    as_record,
    fit_law,
    from_record,
    or_none,
    relative_intervals,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.test_set import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric

USUAL_REPLICATES = (100, 200, 500, 1000, 2000, 5000, 10_000)
# A standard deviation of fewer is off by more than a third.
FEWEST_REPETITIONS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicatesSettings(StudySettings):
    """What `study_replicates` was asked for; `replicates` are ascending."""

    STUDY: ClassVar[str] = "replicates"

    replicates: tuple[int, ...]
    repetitions: int
    level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalDeviation:
    """How much a system's relative interval from B replicates differs from run to run.

    Attributes:
        metric: its label.
        system: its name.
        replicates: B.
        runs: how many intervals of B replicates there were.
        median: the mean of the medians.
        low: the mean lower bound, as a share of the median; None of scores of 0.
        high: the mean upper bound.
        sd_low: the standard deviation of the lower bound.
        sd_high: that of the upper bound.
        theory: what normal scores would give for either.
        relative_sd: the standard deviation of both bounds as a share of the width; None where
            scores are 0 or do not vary.
    """

    metric: str
    system: str
    replicates: int
    runs: int
    median: float
    low: float | None
    high: float | None
    sd_low: float | None
    sd_high: float | None
    theory: float | None
    relative_sd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundDeviation:
    """The standard deviation of bounds from B replicates, as a share of the interval's width."""

    replicates: int
    relative_sd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricReplicates:
    """How many replicates a metric needs.

    Attributes:
        metric: its label.
        means: the systems' mean for each B; None where no system's scores vary.
        enough: the least B from which on the deviation is within the limit; None if none is.
        exponent: the power of B with which the deviation falls; None with fewer than three.
    """

    metric: str
    means: tuple[BoundDeviation, ...]
    enough: int | None
    exponent: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicatesResult(StudyResult):
    """How much intervals differ from run to run; by `truebleu study replicates`.

    Attributes:
        settings: how to repeat it.
        limit: B is enough where the deviation of bounds is this share of the width or less.
        rows: one for each metric, system and B.
        metrics: one for each metric.
        theory: the deviation of normal scores for each B.
        needed_by_theory: the B that normal scores would need.
    """

    REPORT: ClassVar[str] = "truebleu.reports.studies.intervals:replicates_document"

    settings: ReplicatesSettings
    limit: float
    rows: tuple[IntervalDeviation, ...]
    metrics: tuple[MetricReplicates, ...]
    theory: tuple[BoundDeviation, ...]
    needed_by_theory: int


def study_replicates(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    replicates: Sequence[int] | None = None,
    repetitions: int = 20,
    unit: PoolUnit = "segment",
    enough: float = 0.02,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> ReplicatesResult:
    """How far intervals of B replicates differ from one run of the bootstrap to the next.

    The replicates are made once, as many as the largest B takes; every B cuts the same ones into
    runs that share none, so that a smaller B has more runs.

    Args:
        test_set: what is resampled.
        metrics: by which to score.
        replicates: the numbers of replicates, B; 100 to 10,000 if not given.
        repetitions: how many runs the largest B has.
        unit: what is resampled: segments or documents.
        enough: a B is enough when the standard deviation of the bounds is at most this share of
            the interval's width.
        level: of the intervals.
        seed: of the replicates.
        runner: keeps the results and shows progress.
    """
    chosen = _require_replicates(USUAL_REPLICATES if replicates is None else replicates, level)
    why = "the standard deviation of fewer intervals says little"
    require_count("repetitions", repetitions, FEWEST_REPETITIONS, why)
    require_seed(seed)
    if not (isfinite(enough) and 0 < enough < 1):
        raise SettingError("enough", enough, "a share between 0 and 1, such as 0.02")
    pool = Pool.of(test_set, metrics, unit)
    if len(pool) < 2:
        expected = "at least two: one says nothing about the spread"
        raise SettingError("test set", f"one {unit}", expected)
    settings = ReplicatesSettings(
        pool=pool.summary,
        seed=seed,
        replicates=tuple(chosen),
        repetitions=repetitions,
        level=level,
    )
    tasks = [
        Task((repetition,), partial(_runs, pool, chosen, repetition, level, seed))
        for repetition in range(repetitions)
    ]
    records = (runner or Runner()).run(settings.to_dict(), tasks)
    rows = {
        statistics.label: list(_rows(pool, statistics.label, records, settings))
        for statistics in pool.statistics
    }
    return ReplicatesResult(
        settings=settings,
        limit=enough,
        rows=tuple(row for of_metric in rows.values() for row in of_metric),
        metrics=tuple(_needed(label, rows[label], chosen, enough) for label in rows),
        theory=tuple(
            BoundDeviation(replicates=number, relative_sd=theoretical_deviation(1.0, number, level))
            for number in chosen
        ),
        needed_by_theory=ceil((theoretical_deviation(1.0, 1, level) / enough) ** 2),
    )


def theoretical_deviation(width: float, replicates: int, level: float) -> float:
    """The standard deviation of a bound around the median, for normal scores and large B.

    The difference of the sample quantiles at p and at 1/2 has the variance
    (p (1 - p) / f(p)² - p / (f(p) f(½)) + 1 / (4 f(½)²)) / B, where f is the density at a quantile
    (David & Nagaraja 2003, §10.2).

    >>> round(theoretical_deviation(0.0336, 500, 0.95), 4)  # Zhang & Vogel's Table 6 has 0.0011
    0.0011
    """
    normal = NormalDist()
    tail = (1 - require_level(level)) / 2
    quantile = normal.inv_cdf(1 - tail)
    density, centre = normal.pdf(quantile), normal.pdf(0.0)
    variance = (
        tail * (1 - tail) / density**2 - tail / (density * centre) + 1 / (4 * centre**2)
    ) / replicates
    return width / (2 * quantile) * sqrt(variance)


def _require_replicates(replicates: Sequence[int], level: float) -> list[int]:
    least = smallest_replicates(level)
    if not replicates:
        raise SettingError("replicates", "none", "at least one number of replicates")
    for number in replicates:
        require_replicates("replicates", number)
        if number < least:
            raise SettingError("replicates", number, f"at least {least} for the level {level:g}")
    return sorted(set(replicates))


def _runs(pool: Pool, chosen: Sequence[int], repetition: int, level: float, seed: int) -> Record:
    """The largest B's replicates of one repetition, cut into runs of every B."""
    largest = chosen[-1]
    record: Record = {}
    for statistics, replicates in resampled_scores(pool.statistics, largest, seed, repetition):
        by_number = []
        for number in chosen:
            runs = [
                relative_intervals(replicates[start : start + number], level)
                for start in range(0, largest - number + 1, number)
            ]
            by_number.append(Moments.of(np.stack(runs)).to_record())
        record[statistics.label] = by_number
    return record


def _rows(
    pool: Pool, label: str, records: Mapping[Key, Record], settings: ReplicatesSettings
) -> Iterator[IntervalDeviation]:
    by_number = [
        Moments.combined([Moments.from_record(record[label][place]) for record in records.values()])
        for place in range(len(settings.replicates))
    ]
    for system, name in enumerate(pool.names):
        for number, moments in zip(settings.replicates, by_number, strict=True):
            median, low, high = moments.mean[:, system]
            deviations = moments.deviation[:, system]
            # NaN where the scores are 0 or the same throughout: there is no width to compare with.
            width = high - low if high > low else np.nan
            theory = theoretical_deviation(float(width), number, settings.level)
            # Of both bounds, which by theory are alike: the larger one would be so by chance.
            relative_sd = sqrt((deviations[LOW] ** 2 + deviations[HIGH] ** 2) / 2) / width
            yield IntervalDeviation(
                metric=label,
                system=name,
                replicates=number,
                runs=moments.count,
                median=float(median),
                low=or_none(low),
                high=or_none(high),
                sd_low=or_none(deviations[LOW]),
                sd_high=or_none(deviations[HIGH]),
                theory=or_none(theory),
                relative_sd=or_none(relative_sd),
            )


def _needed(
    label: str, rows: Sequence[IntervalDeviation], numbers: Sequence[int], limit: float
) -> MetricReplicates:
    means: dict[int, float] = {}
    for number in numbers:
        values = [
            row.relative_sd
            for row in rows
            if row.replicates == number and row.relative_sd is not None
        ]
        if values:
            means[number] = sum(values) / len(values)
    # Enough is a B from which on all are.
    enough = [
        number
        for number in means
        if all(mean <= limit for other, mean in means.items() if other >= number)
    ]
    law = fit_law(list(means), list(means.values()))
    return MetricReplicates(
        metric=label,
        means=tuple(
            BoundDeviation(replicates=number, relative_sd=means.get(number)) for number in numbers
        ),
        enough=min(enough, default=None),
        exponent=None if law is None else law.exponent,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Of so many values their mean, and the sum of their squared deviations from it."""

    count: int
    mean: NDArray[np.float64]
    squares: NDArray[np.float64]

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Moments:
        """The moments along the first axis."""
        mean = values.mean(axis=0)
        return cls(len(values), mean, ((values - mean) ** 2).sum(axis=0))

    @classmethod
    def combined(cls, parts: Sequence[Moments]) -> Moments:
        """The moments of all values of the parts (Chan, Golub & LeVeque 1983, eq. 2.1)."""
        return reduce(cls._and, parts)

    def _and(self, other: Moments) -> Moments:
        count = self.count + other.count
        apart = other.mean - self.mean
        mean = self.mean + apart * (other.count / count)
        squares = self.squares + other.squares + apart**2 * (self.count * other.count / count)
        return Moments(count, mean, squares)

    @property
    def deviation(self) -> NDArray[np.float64]:
        """The standard deviation, with count - 1; NaN of a single value."""
        if self.count < 2:
            return np.full_like(self.mean, np.nan)
        return np.asarray(np.sqrt(self.squares / (self.count - 1)))

    def to_record(self) -> list[Any]:
        """Plain values for a journal."""
        return [self.count, as_record(self.mean), as_record(self.squares)]

    @classmethod
    def from_record(cls, record: Sequence[Any]) -> Moments:
        """What a journal kept."""
        count, mean, squares = record
        return cls(count, from_record(mean), from_record(squares))
