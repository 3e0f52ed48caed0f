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
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu._settings import DEFAULT_SEED, require_level, require_replicates, require_seed
from truebleu.errors import SettingError
from truebleu.execution.journal import Key, Record, Runner, Task
from truebleu.reports.document import Column, Plot
from truebleu.reports.sentences import percent
from truebleu.significance.intervals import smallest_replicates
from truebleu.studies._pool import Pool, PoolUnit, require_count, resampled_scores
from truebleu.studies._study import (
    HIGH,
    LOW,
    Floats,
    Row,
    StudyResult,
    as_record,
    fit_law,
    from_record,
    or_none,
    relative_intervals,
    settings_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import Metric

USUAL_REPLICATES = (100, 200, 500, 1000, 2000, 5000, 10_000)
# A standard deviation of fewer is off by more than a third.
FEWEST_REPETITIONS = 5


COLUMNS = (
    Column("metric", "Metric"),
    Column("system", "System"),
    Column("replicates", "B"),
    Column("runs", "Runs"),
    Column("median", "Median", 3),
    Column("low", "Interval from", 2, percent=True, sign=True),
    Column("high", "to", 2, percent=True, sign=True),
    Column("sd_low", "SD of lower", 3, percent=True),
    Column("sd_high", "of upper", 3, percent=True),
    Column("theory", "By theory", 3, percent=True),
    Column("relative_sd", "SD / width", 1, percent=True),
)


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
) -> StudyResult:
    """How many replicates does the bootstrap need?

    Zhang & Vogel (2004, Tables 5 and 6): the relative interval and the standard deviation of its
    bounds for B = 100 to 100,000; beyond 2,000 replicates there are only small changes. The
    replicates are made once, as many as the largest B takes; every B cuts the same ones into
    runs that share none, so that a smaller B has more runs.

    Args:
        test_set: what is resampled.
        metrics: by which to score.
        replicates: the numbers of replicates, B; by default 100 to 10,000.
        repetitions: runs of the largest B; smaller ones cut the same replicates into more.
        unit: what is resampled.
        enough: a B is enough when the standard deviation of the bounds is at most this share of
            the interval's width.
        level: of the intervals.
        seed: of the replicates.
        runner: keeps the results and shows progress.
    """
    arguments = {**locals()}
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
    # Which B is enough changes no task: one journal serves all limits.
    del arguments["enough"]
    settings = settings_of("replicates", arguments, pool.settings, replicates=chosen)
    tasks = [
        Task((repetition,), partial(_runs, pool, chosen, repetition, level, seed))
        for repetition in range(repetitions)
    ]
    records = (runner or Runner()).run(settings, tasks)
    rows: list[Row] = []
    lines: list[Row] = []
    sentences: list[str] = []
    needed: list[Row] = []
    by_theory = ceil((theoretical_deviation(1.0, 1, level) / enough) ** 2)
    for statistics in pool.statistics:
        label = statistics.label
        of_metric = list(_rows(pool, label, records, chosen, level))
        means = _means(of_metric)
        least, law = least_enough(means, enough), fit_law(list(means), list(means.values()))
        exponent = None if law is None else law.exponent
        rows += of_metric
        needed.append({"metric": label, "enough": least, "exponent": exponent})
        lines += [{"of": label, "replicates": b, "relative_sd": means.get(b)} for b in chosen]
        sentences += _sentences(label, means, least, exponent, enough, by_theory)
        without = dict.fromkeys(row["system"] for row in of_metric if row["relative_sd"] is None)
        if without and means:
            systems = ", ".join(without)
            sentences.append(f"{label}: no figures of {systems}: scores are 0 or do not vary.")
    theory = {number: theoretical_deviation(1.0, number, level) for number in chosen}
    lines += [{"of": "theory", "replicates": b, "relative_sd": sd} for b, sd in theory.items()]
    return StudyResult(
        study="replicates",
        title=f"Relative intervals of the level {100 * level:g} % from B replicates, and how far "
        "they differ between runs",
        settings={**settings, "enough": enough},
        columns=COLUMNS,
        rows=tuple(rows),
        sentences=tuple(sentences),
        plot=Plot(
            "line",
            "replicates",
            "relative_sd",
            series="of",
            reference=enough,
            log_x=True,
            zero_y=True,
        ),
        axes={
            "replicates": "Bootstrap replicates (B)",
            "relative_sd": "SD of the bounds / width of the interval",
            "of": "Metric",
        },
        drawn=tuple(lines),
        details={"needed": needed, "needed_by_theory": by_theory},
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
    pool: Pool,
    label: str,
    records: Mapping[Key, Record],
    chosen: Sequence[int],
    level: float,
) -> Iterator[Row]:
    by_number = [
        Moments.combined([Moments.from_record(record[label][place]) for record in records.values()])
        for place in range(len(chosen))
    ]
    for system, name in enumerate(pool.names):
        for number, moments in zip(chosen, by_number, strict=True):
            median, low, high = moments.mean[:, system]
            deviations = moments.deviation[:, system]
            # NaN where the scores are 0 or the same throughout: there is no width to compare with.
            width = high - low if high > low else np.nan
            # Of both bounds, which by theory are alike: the larger one would be so by chance.
            relative_sd = sqrt((deviations[LOW] ** 2 + deviations[HIGH] ** 2) / 2) / width
            yield {
                "metric": label,
                "system": name,
                "replicates": number,
                "runs": moments.count,
                "median": float(median),
                "low": or_none(low),
                "high": or_none(high),
                "sd_low": or_none(deviations[LOW]),
                "sd_high": or_none(deviations[HIGH]),
                "theory": or_none(theoretical_deviation(float(width), number, level)),
                "relative_sd": or_none(relative_sd),
            }


def _means(rows: Sequence[Row]) -> dict[int, float]:
    """For each B the systems' mean deviation, as a share of the width; without what is unknown."""
    values: dict[int, list[float]] = {}
    for row in rows:
        if row["relative_sd"] is not None:
            values.setdefault(row["replicates"], []).append(row["relative_sd"])
    return {number: sum(of_number) / len(of_number) for number, of_number in values.items()}


def least_enough(means: Mapping[int, float], limit: float) -> int | None:
    """The least B from which on all deviations are within the limit; None if none is."""
    least = None
    for number in sorted(means, reverse=True):
        if means[number] > limit:
            break
        least = number
    return least


def _sentences(
    metric: str,
    means: Mapping[int, float],
    least: int | None,
    exponent: float | None,
    enough: float,
    by_theory: int,
) -> Iterator[str]:
    if not means:
        yield f"{metric}: there is nothing to measure: its scores are 0 or do not vary."
        return
    limit = f"{100 * enough:g} % of the interval's width"
    theory = f"normal theory asks for {by_theory:,}"
    if least is not None:
        yield (
            f"{metric}: {least:,} replicates are enough: from there on the bounds' standard "
            f"deviation is at most {limit}, at {least:,} it is {percent(means[least])}; {theory}."
        )
    else:
        largest = max(means)
        yield (
            f"{metric}: even {largest:,} replicates are not enough: the bounds' standard deviation "
            f"is {percent(means[largest])} of the width, above {limit}; {theory}."
        )
    if exponent is not None:
        yield (
            f"{metric}: the deviation falls with B to the power {exponent:.2f}; theory says -0.5, "
            "so that four times the replicates halve it."
        )


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Of so many values their mean, and the sum of their squared deviations from it."""

    count: int
    mean: Floats
    squares: Floats

    @classmethod
    def of(cls, values: Floats) -> Moments:
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
    def deviation(self) -> Floats:
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
