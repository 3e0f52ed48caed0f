"""Coverage: how often the interval of a small sample contains the value of the whole pool.

Koehn (2004, §5, Fig. 6) took 100 systematic samples of 300 sentences: of their 95 % intervals 97
contained the score of all 30,000 sentences. The same is asked here of intervals of differences.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from truebleu._settings import DEFAULT_SEED, IntervalName
from truebleu.execution.journal import Record, Runner, Task
from truebleu.reports.document import Plot
from truebleu.reports.sentences import percent
from truebleu.resampling import TIE_TOLERANCE
from truebleu.schema import Level, Seed
from truebleu.significance.intervals import interval_bounds
from truebleu.significance.settings import CompareSettings
from truebleu.significance.tests import monte_carlo_interval
from truebleu.studies import _pool as pools, _study as base

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.registry import MetricsLike
    from truebleu.significance.statistics import MetricStatistics, Pair

__all__ = ["study_coverage"]

Quantity = Literal["scores", "differences"]
USUAL_SIZES = (100, 300, 600, 1000, 3000)
# More intervals side by side run into one another.
MOST_DRAWN = 50
# A sample that is a larger share of its pool varies noticeably less than its interval says.
NOTABLE_SHARE = 0.05

COLUMNS = base.columns(
    f"metric | size | samples | intervals | {base.bounded('coverage', 'Coverage')} | "
    "above: Wholly above [.1%] | below: below [.1%] | width: Mean width [.2f]"
)


@base.study
def study_coverage(
    test_set: TestSet,
    metrics: MetricsLike = "bleu",
    *,
    sizes: pools.Sizes = None,
    samples: pools.Samples = 100,
    sampling: pools.Sampling = "independent",
    unit: pools.PoolUnit = "segment",
    of: Quantity = "scores",
    replicates: pools.Replicates = 1000,
    level: Level = 0.95,
    interval: IntervalName = "percentile",
    seed: Seed = DEFAULT_SEED,
    runner: Runner | None = None,
) -> base.StudyResult:
    """How often does the interval of a small sample contain the score of the whole pool?

    Koehn (2004, Fig. 6): of 100 intervals at the 95 % level from samples of 300 segments, 97
    contained the score of all 30,000 segments.

    Args:
        test_set: the pool.
        metrics: by which to score.
        of: whether the intervals are those of the systems' scores, or of the differences of all
            pairs.
        interval: how intervals are made of replicates.
        runner: keeps the results and shows progress.
    """
    asked = {**locals()}
    comparison = CompareSettings(replicates=replicates, level=level, seed=seed, interval=interval)
    pool = pools.Pool.of(test_set, metrics, unit)
    pairs = pools.choose_pairs(pool, "all") if of == "differences" else None
    drawn = pools.draw_by_size(sampling, len(pool), sizes, USUAL_SIZES, samples=samples, seed=seed)
    settings = base.settings_of("coverage", asked, pool.settings, sizes=list(drawn))
    tasks = [
        Task((size, index), partial(_intervals, pool, pairs, sample, index, comparison))
        for size, taken in drawn.items()
        for index, sample in enumerate(taken)
    ]
    records = (runner or Runner()).run(settings, tasks)
    names = pool.names if pairs is None else _against(pool, pairs)
    rows: list[base.Row] = []
    intervals: list[base.Row] = []
    for statistics in pool.statistics:
        truth = _values(statistics, pairs)
        # A score that never varies must not miss itself by rounding.
        margin = TIE_TOLERANCE * statistics.scale
        for size in drawn:
            bounds = np.array([records[key][statistics.label] for key in records if key[0] == size])
            values, low, high = np.moveaxis(bounds, 1, 0)
            above, below = low > truth + margin, high < truth - margin
            contains = ~(above | below)
            row: base.Row = {
                "metric": statistics.label,
                "size": size,
                "samples": len(contains),
                "intervals": contains.size,
                **base.clustered_rate(contains).cells("coverage"),
                "above": float(above.mean()),
                "below": float(below.mean()),
                "width": float((high - low).mean()),
            }
            worst = _least_covered(contains, level)
            if worst is not None:
                row |= {"least": names[worst], "least_coverage": float(contains[:, worst].mean())}
            rows.append(row)
            if size == next(iter(drawn)):
                intervals += [
                    {
                        "case": f"{statistics.label} of {names[0]}, {size} {unit}s",
                        "sample": number + 1,
                        "value": float(values[number, 0]),
                        "value_low": float(low[number, 0]),
                        "value_high": float(high[number, 0]),
                        "pool": float(truth[0]),
                        "contains": "yes" if contains[number, 0] else "no",
                    }
                    for number in range(min(MOST_DRAWN, len(values)))
                ]
    quantity = of.removesuffix("s")
    sentences = [_sentence(row, quantity, unit, level) for row in rows]
    if sampling != "independent":
        sentences += _finite_pool(max(drawn) / len(pool))
    return base.StudyResult(
        settings=settings,
        title=f"Intervals of the level {100 * level:g} % that contain the pool's {quantity}",
        columns=COLUMNS,
        rows=rows,
        sentences=sentences,
        plot=Plot(
            "point", "sample", "value", series="contains", panel="case", reference_field="pool"
        ),
        drawn=intervals,
    )


def _intervals(
    pool: pools.Pool,
    pairs: Sequence[Pair] | None,
    sample: NDArray[np.int64],
    index: int,
    settings: CompareSettings,
) -> Record:
    """Each metric's scores or differences on one sample, with their intervals."""
    record: Record = {}
    for statistics, replicates in pools.resampled_scores(
        pool.take(sample), settings.replicates, settings.seed, index
    ):
        low, high = interval_bounds(
            statistics, replicates, pairs, settings.interval, settings.level
        )
        values = _values(statistics, pairs)
        record[statistics.label] = [values.tolist(), low.tolist(), high.tolist()]
    return record


def _values(statistics: MetricStatistics, pairs: Sequence[Pair] | None) -> base.Floats:
    """Each system's score, or each pair's difference."""
    return statistics.scores if pairs is None else pools.differences_of(statistics.scores, pairs)


def _against(pool: pools.Pool, pairs: Sequence[Pair]) -> list[str]:
    return [f"{pool.names[a]} against {pool.names[b]}" for a, b in pairs]


def _least_covered(contains: NDArray[np.bool_], level: float) -> int | None:
    """The system or pair that is covered less than the level and than the others, by no chance."""
    by_each = contains.mean(axis=0)
    worst = int(by_each.argmin())
    # As many as there are might have been the least by chance (Bonferroni).
    confidence = 1 - 0.05 / len(by_each)
    _, most = monte_carlo_interval(by_each[worst], len(contains), confidence)
    return None if len(by_each) == 1 or most >= min(level, by_each.mean()) else worst


def _sentence(row: base.Row, quantity: str, unit: str, level: float) -> str:
    rate = base.Estimate.from_cells(row, "coverage")
    kept = row["coverage_low"] <= level <= row["coverage_high"]
    verdict = f"{100 * level:g} % is within the error" if kept else f"not {100 * level:g} %"
    sentence = (
        f"{row['metric']} on {row['size']:,} {unit}s: {rate} of the intervals contain the pool's "
        f"{quantity}; {verdict}."
    )
    if "least" in row:
        least = percent(row["least_coverage"])
        sentence += f" Least covered is {row['least']} with {least}, which is no chance."
    return sentence


def _finite_pool(largest: float) -> Iterator[str]:
    """What samples that are a notable share of the pool do to coverage."""
    if largest > NOTABLE_SHARE:
        narrower = 100 * (1 - (1 - largest) ** 0.5)
        # Of random samples, which may have units in common, this holds as well.
        yield (
            f"The largest samples are {100 * largest:.0f} % of the pool and have no unit twice: "
            f"they vary by {narrower:.0f} % less around its score than around that of endless "
            "text, so more intervals contain it than would contain that."
        )
