"""Replicates: how many of them the bootstrap needs before its intervals stop moving.

Zhang & Vogel (2004, §4.3, Tables 5 and 6) make intervals of B = 100 to 100,000 replicates, and for
each B up to 10,000 they make 5,000 of them: the standard deviation of a bound is 7 % of the
interval's width at B = 100, and below 1 % at 10,000.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import ceil, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Annotated

import numpy as np

from truebleu._settings import DEFAULT_SEED
from truebleu.errors import SettingError
from truebleu.execution.journal import Key, Record, Runner, Task
from truebleu.reports.document import Plot
from truebleu.reports.sentences import percent
from truebleu.schema import Level, Seed, Setting
from truebleu.significance.intervals import smallest_replicates
from truebleu.studies import _study as base
from truebleu.studies._pool import MOST_TASKS, Pool, PoolUnit, resampled_scores

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.registry import MetricsLike

__all__ = ["study_replicates"]

Numbers = Annotated[Sequence[int] | None, Setting(least=1, metavar="N,N,...")]
USUAL_REPLICATES = (100, 200, 500, 1000, 2000, 5000, 10_000)
COLUMNS = base.columns(
    "metric | system | replicates: B | runs | median [.3f] | low: Interval from [+.2%] | "
    "high: to [+.2%] | sd_low: SD of lower [.3%] | sd_high: of upper [.3%] | "
    "theory: By theory [.3%] | relative_sd: SD / width [.1%]"
)


@base.study
def study_replicates(
    test_set: TestSet,
    metrics: MetricsLike = "bleu",
    *,
    replicates: Numbers = None,
    repetitions: Annotated[int, Setting(least=5, most=MOST_TASKS)] = 20,
    unit: PoolUnit = "segment",
    enough: Annotated[float, Setting(above=0, below=1)] = 0.02,
    level: Level = 0.95,
    seed: Seed = DEFAULT_SEED,
    runner: Runner | None = None,
) -> base.StudyResult:
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
        enough: a B is enough when the standard deviation of the bounds is at most this share of
            the interval's width.
        runner: keeps the results and shows progress.
    """
    asked = {**locals()}
    chosen = sorted(set(replicates or USUAL_REPLICATES))
    if chosen[0] < (fewest := smallest_replicates(level)):
        raise SettingError("replicates", chosen[0], f"at least {fewest} for the level {level:g}")
    pool = Pool.of(test_set, metrics, unit)
    if len(pool) < 2:
        expected = "at least two: one says nothing about the spread"
        raise SettingError("test set", f"one {unit}", expected)
    # Which B is enough changes no task: one journal serves all limits.
    del asked["enough"]
    settings = base.settings_of("replicates", asked, pool.settings, replicates=chosen)
    tasks = [
        Task((repetition,), partial(_runs, pool, chosen, repetition, level, seed))
        for repetition in range(repetitions)
    ]
    records = (runner or Runner()).run(settings, tasks)
    rows: list[base.Row] = []
    lines: list[base.Row] = []
    sentences: list[str] = []
    needed: list[base.Row] = []
    by_theory = ceil((theoretical_deviation(1.0, 1, level) / enough) ** 2)
    for statistics in pool.statistics:
        label = statistics.label
        of_metric = list(_rows(pool, label, records, chosen, level))
        means = _means(of_metric)
        least, law = least_enough(means, enough), base.fit_law(list(means), list(means.values()))
        exponent = None if law is None else law.exponent
        rows += of_metric
        needed.append({"metric": label, "enough": least, "exponent": exponent})
        lines += [{"metric": label, "replicates": b, "relative_sd": means.get(b)} for b in chosen]
        sentences += _sentences(label, means, least, exponent, enough, by_theory)
        without = dict.fromkeys(row["system"] for row in of_metric if row["relative_sd"] is None)
        if without and means:
            systems = ", ".join(without)
            sentences.append(f"{label}: no figures of {systems}: scores are 0 or do not vary.")
    theory = {number: theoretical_deviation(1.0, number, level) for number in chosen}
    lines += [{"metric": "theory", "replicates": b, "relative_sd": sd} for b, sd in theory.items()]
    return base.StudyResult(
        settings={**settings, "enough": enough},
        title=f"Relative intervals of the level {100 * level:g} % from B replicates, and how far "
        "they differ between runs",
        columns=COLUMNS,
        rows=rows,
        sentences=sentences,
        plot=Plot(
            "line",
            "replicates",
            "relative_sd",
            series="metric",
            reference=enough,
            log_x=True,
            zero_y=True,
        ),
        drawn=lines,
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
    tail = (1 - level) / 2
    quantile = normal.inv_cdf(1 - tail)
    density, centre = normal.pdf(quantile), normal.pdf(0.0)
    variance = (
        tail * (1 - tail) / density**2 - tail / (density * centre) + 1 / (4 * centre**2)
    ) / replicates
    return width / (2 * quantile) * sqrt(variance)


def _runs(pool: Pool, chosen: Sequence[int], repetition: int, level: float, seed: int) -> Record:
    """The largest B's replicates of one repetition, cut into runs of every B."""
    largest = chosen[-1]
    return {
        statistics.label: [
            [
                base.as_record(base.relative_intervals(replicates[start : start + number], level))
                for start in range(0, largest - number + 1, number)
            ]
            for number in chosen
        ]
        for statistics, replicates in resampled_scores(pool.statistics, largest, seed, repetition)
    }


def _rows(
    pool: Pool,
    label: str,
    records: Mapping[Key, Record],
    chosen: Sequence[int],
    level: float,
) -> Iterator[base.Row]:
    # For each B shaped (run, value, system).
    by_number = [
        np.concatenate([base.from_record(record[label][place]) for record in records.values()])
        for place in range(len(chosen))
    ]
    for system, name in enumerate(pool.names):
        for number, runs in zip(chosen, by_number, strict=True):
            median, low, high = runs[:, :, system].mean(axis=0)
            _, sd_low, sd_high = runs[:, :, system].std(axis=0, ddof=1)
            # NaN where the scores are 0 or the same throughout: there is no width to compare with.
            width = high - low if high > low else np.nan
            # Of both bounds, which by theory are alike: the larger one would be so by chance.
            relative_sd = sqrt((sd_low**2 + sd_high**2) / 2) / width
            yield {
                "metric": label,
                "system": name,
                "replicates": number,
                "runs": len(runs),
                "median": float(median),
                "low": base.or_none(low),
                "high": base.or_none(high),
                "sd_low": base.or_none(sd_low),
                "sd_high": base.or_none(sd_high),
                "theory": base.or_none(theoretical_deviation(float(width), number, level)),
                "relative_sd": base.or_none(relative_sd),
            }


def _means(rows: Sequence[base.Row]) -> dict[int, float]:
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
