"""Moments: means and standard deviations that are put together from parts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce
from math import isfinite, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu._seeds import DEFAULT_SEED, require_replicates, require_seed
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner, Task
from truebleu.exhibits import Exhibit, Field, Plot, Row
from truebleu.resampling import Bootstrap, Units
from truebleu.significance._checks import require_level
from truebleu.significance.intervals import smallest_replicates
from truebleu.significance.statistics import bootstrap_scores
from truebleu.studies._pool import Pool, PoolUnit, require_count
from truebleu.studies._widths import (
    HIGH,
    LOW,
    as_record,
    fit_law,
    from_record,
    or_none,
    relative_intervals,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics


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


# Replicates: how many of them the bootstrap needs before its intervals stop moving.
#
# Zhang & Vogel (2004, §4.3, Tables 5 and 6) make intervals of B = 100 to 100,000 replicates, and
# for each B up to 10,000 they make 5,000 of them: the standard deviation of a bound is 7 % of the
# interval's width at B = 100, and below 1 % at 10,000.


USUAL_REPLICATES = (100, 200, 500, 1000, 2000, 5000, 10_000)
# A standard deviation of fewer is off by more than a third.
FEWEST_REPETITIONS = 5

FIELDS = (
    Field("metric", "Metric"),
    Field("system", "System"),
    Field("replicates", "B"),
    Field("runs", "Runs"),
    Field("median", "Median", 3),
    Field("low", "Interval from", 2, percent=True, sign=True),
    Field("high", "to", 2, percent=True, sign=True),
    Field("sd_low", "SD of lower", 3, percent=True),
    Field("sd_high", "of upper", 3, percent=True),
    Field("theory", "By theory", 3, percent=True),
    Field("unsure", "SD / width", 1, percent=True),
)
PLOT_FIELDS = (
    Field("deviation", "SD of the bounds / width of the interval", 1, percent=True),
    Field("of", "Metric"),
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
) -> Exhibit:
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
    subject = {
        "study": "replicates",
        **pool.outline,
        "replicates": chosen,
        "repetitions": repetitions,
        "level": level,
        "seed": seed,
    }
    tasks = [
        Task((repetition,), partial(_runs, pool, chosen, repetition, level, seed))
        for repetition in range(repetitions)
    ]
    records = (runner or Runner()).run(subject, tasks)
    return _exhibit(pool, records, {**subject, "enough": enough})


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
    bootstrap = Bootstrap(replicates=largest, seed=seed)
    units = Units.segments(len(pool))
    scores = bootstrap_scores(pool.counted, units, bootstrap, first=repetition * largest)
    record: Record = {}
    for one, replicates in zip(pool.counted, scores, strict=True):
        by_number = []
        for number in chosen:
            runs = [
                relative_intervals(replicates[start : start + number], level)
                for start in range(0, largest - number + 1, number)
            ]
            by_number.append(Moments.of(np.stack(runs)).to_record())
        record[one.label] = by_number
    return record


def _exhibit(pool: Pool, records: Mapping[Key, Record], subject: dict[str, Any]) -> Exhibit:
    rows: list[Row] = []
    plot_rows: list[Row] = []
    findings: list[str] = []
    for one in pool.counted:
        found = [
            Moments.combined(
                [Moments.from_record(record[one.label][place]) for record in records.values()]
            )
            for place in range(len(subject["replicates"]))
        ]
        of_metric = _rows(pool, one, found, subject)
        rows += of_metric
        means = _mean_unsure(of_metric, subject["replicates"])
        plot_rows += [
            {"replicates": number, "deviation": mean, "of": one.label}
            for number, mean in means.items()
        ]
        findings += [*_findings(one, means, subject), *_without_width(one, of_metric)]
    plot_rows += [
        {
            "replicates": number,
            "deviation": theoretical_deviation(1.0, number, subject["level"]),
            "of": "theory",
        }
        for number in subject["replicates"]
    ]
    return Exhibit(
        name="replicates",
        title=f"Relative intervals of the level {100 * subject['level']:g} % from B replicates, "
        "and how far they differ between runs",
        fields=FIELDS,
        rows=tuple(rows),
        findings=tuple(findings),
        plot=Plot(
            mark="line",
            x="replicates",
            y="deviation",
            series="of",
            reference=subject["enough"],
            log_x=True,
            zero_y=True,
        ),
        plot_rows=tuple(plot_rows),
        plot_fields=PLOT_FIELDS,
        settings=subject,
    )


def _rows(
    pool: Pool, one: MetricStatistics, found: Sequence[Moments], subject: Mapping[str, Any]
) -> list[Row]:
    rows: list[Row] = []
    for system, name in enumerate(pool.names):
        for number, moments in zip(subject["replicates"], found, strict=True):
            median, low, high = moments.mean[:, system]
            deviations = moments.deviation[:, system]
            # NaN where the scores are 0 or the same throughout: there is no width to compare with.
            width = high - low if high > low else np.nan
            theory = theoretical_deviation(float(width), number, subject["level"])
            # Of both bounds, which by theory are alike: the larger one would be so by chance.
            unsure = sqrt((deviations[LOW] ** 2 + deviations[HIGH] ** 2) / 2) / width
            rows.append(
                {
                    "metric": one.label,
                    "system": name,
                    "replicates": number,
                    "runs": moments.count,
                    "median": float(median),
                    "low": or_none(low),
                    "high": or_none(high),
                    "sd_low": or_none(deviations[LOW]),
                    "sd_high": or_none(deviations[HIGH]),
                    "theory": or_none(theory),
                    "unsure": or_none(unsure),
                }
            )
    return rows


def _without_width(one: MetricStatistics, rows: Sequence[Row]) -> list[str]:
    """Which systems have no relative interval, where others have."""
    without = dict.fromkeys(str(row["system"]) for row in rows if row["unsure"] is None)
    if not without or all(row["unsure"] is None for row in rows):
        return []
    return [f"{one.label}: no figures of {', '.join(without)}: scores are 0 or do not vary."]


def _mean_unsure(rows: Sequence[Row], numbers: Sequence[int]) -> dict[int, float | None]:
    """For each B the systems' mean of how large the deviation is beside the width."""
    found: dict[int, float | None] = {}
    for number in numbers:
        values = [
            row["unsure"]
            for row in rows
            if row["replicates"] == number and isinstance(row["unsure"], float)
        ]
        found[number] = sum(values) / len(values) if values else None
    return found


def _findings(
    one: MetricStatistics, means: Mapping[int, float | None], subject: Mapping[str, Any]
) -> list[str]:
    known = {number: mean for number, mean in means.items() if mean is not None}
    if not known:
        return [f"{one.label}: there is nothing to measure: its scores are 0 or do not vary."]
    enough = subject["enough"]
    limit = f"{100 * enough:g} % of the interval's width"
    # Enough is a B from which on all are.
    fit = [
        number
        for number in known
        if all(mean <= enough for other, mean in known.items() if other >= number)
    ]
    needed = int(np.ceil((theoretical_deviation(1.0, 1, subject["level"]) / enough) ** 2))
    by_theory = f"normal theory asks for {needed:,}"
    if fit:
        number = fit[0]
        found = [
            f"{one.label}: {number:,} replicates are enough: from there on the bounds' standard "
            f"deviation is at most {limit}, at {number:,} it is {100 * known[number]:.1f} %; "
            f"{by_theory}."
        ]
    else:
        largest = max(known)
        found = [
            f"{one.label}: even {largest:,} replicates are not enough: the bounds' standard "
            f"deviation is {100 * known[largest]:.1f} % of the width, above {limit}; {by_theory}."
        ]
    law = fit_law(list(known), list(known.values()))
    if law is not None:
        found.append(
            f"{one.label}: the deviation falls with B to the power {law.exponent:.2f}; theory says "
            "-0.5, so that four times the replicates halve it."
        )
    return found
