"""What intervals hold: the table of coverage, its chart, and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from truebleu._seeds import DEFAULT_SEED
from truebleu.errors import UnknownNameError
from truebleu.execution.journal import Runner, Task
from truebleu.exhibits import Exhibit, Field, Plot, Row
from truebleu.resampling import Bootstrap, Units
from truebleu.significance._checks import TIE_TOLERANCE
from truebleu.significance.intervals import difference_intervals, score_intervals
from truebleu.significance.p_values import monte_carlo_interval
from truebleu.significance.settings import CompareSettings
from truebleu.significance.statistics import bootstrap_scores
from truebleu.studies._pairs import choose_pairs
from truebleu.studies._pool import Pool, PoolUnit, Sampling, draw_by_size, require_count
from truebleu.studies._rates import clustered_rate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric
    from truebleu.significance._names import IntervalName
    from truebleu.significance.statistics import MetricStatistics, Pair

# A sample that is a larger share of its pool varies noticeably less than its interval says.
NOTABLE_SHARE = 0.05
# More intervals side by side run into one another.
MOST_SHOWN = 50

FIELDS = (
    Field("metric", "Metric"),
    Field("size", "Size"),
    Field("samples", "Samples"),
    Field("intervals", "Intervals"),
    Field("covered", "Covered", 1, percent=True),
    Field("low", "from", 1, percent=True),
    Field("high", "to", 1, percent=True),
    Field("above", "Wholly above", 1, percent=True),
    Field("below", "below", 1, percent=True),
    Field("width", "Mean width", 2),
)
PLOT_FIELDS = (
    Field("sample", "Sample"),
    Field("score", "Score or difference", 2),
    Field("bottom", "Interval from", 2),
    Field("top", "to", 2),
    Field("pool", "That of the pool", 2),
    Field("held", "Interval holds it"),
    Field("of", "Metric and system"),
)


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """Where the intervals of one metric and size lie, shaped (sample, system or pair)."""

    above: NDArray[np.bool_]
    below: NDArray[np.bool_]
    width: float

    @classmethod
    def of(
        cls, one: MetricStatistics, truth: NDArray[np.float64], records: Sequence[Record]
    ) -> _Held:
        _, low, high = np.moveaxis(np.array([record[one.label] for record in records]), 1, 0)
        # A score that never varies must not miss itself by rounding.
        margin = TIE_TOLERANCE * one.scale
        return cls(low > truth + margin, high < truth - margin, float((high - low).mean()))

    @property
    def held(self) -> NDArray[np.bool_]:
        return ~(self.above | self.below)


def values_of(one: MetricStatistics, pairs: Sequence[Pair] | None) -> NDArray[np.float64]:
    """Each system's score, or each pair's difference."""
    if pairs is None:
        return one.scores
    left, right = np.array(pairs).T
    return np.asarray(one.scores[left] - one.scores[right])


def exhibit_coverage(
    pool: Pool,
    pairs: Sequence[Pair] | None,
    records: Mapping[Key, Record],
    subject: Mapping[str, Any],
) -> Exhibit:
    """The table of coverage by metric and size.

    Args:
        pool: whose values are the truth.
        pairs: of which the intervals of differences are; None for those of scores.
        records: for each sample and metric the values, the lower and the upper bounds.
        subject: what was studied.
    """
    what = "score" if pairs is None else "difference"
    level = f"{100 * subject['level']:g} %"
    rows: list[Row] = []
    findings: list[str] = []
    for one in pool.counted:
        truth = values_of(one, pairs)
        for size in subject["sizes"]:
            found = _Held.of(one, truth, [records[key] for key in records if key[0] == size])
            share = clustered_rate(found.held)
            rows.append(
                {
                    "metric": one.label,
                    "size": size,
                    "samples": len(found.held),
                    "intervals": found.held.size,
                    "covered": share.value,
                    "low": share.low,
                    "high": share.high,
                    "above": float(found.above.mean()),
                    "below": float(found.below.mean()),
                    "width": found.width,
                }
            )
            holds = share.holds(subject["level"])
            verdict = f"{level} is within the error" if holds else f"not {level}"
            findings.append(
                f"{one.label} on {size:,} {pool.unit}s: {share} of the intervals hold the pool's "
                f"{what}; {verdict}." + _least(pool, one, pairs, found, subject["level"])
            )
    return Exhibit(
        name="coverage",
        title=f"Intervals of the level {level} that hold the pool's {what}",
        fields=FIELDS,
        rows=tuple(rows),
        findings=(*findings, *_finite_pool(pool, subject)),
        plot=Plot(
            mark="point",
            x="sample",
            y="score",
            low="bottom",
            high="top",
            series="held",
            panel="of",
            reference_field="pool",
        ),
        plot_rows=tuple(_plot_rows(pool, pairs, records, subject)),
        plot_fields=PLOT_FIELDS,
        settings=subject,
    )


def _least(
    pool: Pool, one: MetricStatistics, pairs: Sequence[Pair] | None, found: _Held, level: float
) -> str:
    """What is covered less than the level and than the others, by no chance; and its skewness."""
    by_each = found.held.mean(axis=0)
    worst = int(by_each.argmin())
    # As many as there are might have been the least by chance (Bonferroni).
    confidence = 1 - 0.05 / len(by_each)
    _, most = monte_carlo_interval(by_each[worst], len(found.held), confidence)
    if len(by_each) == 1 or most >= min(level, by_each.mean()):
        return ""
    return (
        f" Least covered is {_name(pool, pairs, worst)} with {100 * by_each[worst]:.1f} % "
        f"({100 * found.above[:, worst].mean():.1f} % lie above, "
        f"{100 * found.below[:, worst].mean():.1f} % below); what single {pool.unit}s do to it has "
        f"a skewness of {_skewness(one, pairs, worst):.1f}."
    )


def _name(pool: Pool, pairs: Sequence[Pair] | None, number: int) -> str:
    if pairs is None:
        return pool.names[number]
    return " against ".join(pool.names[system] for system in pairs[number])


def _skewness(one: MetricStatistics, pairs: Sequence[Pair] | None, number: int) -> float:
    """The skewness of the effects of single units on a score or difference, by the jackknife.

    Intervals from the bootstrap miss more on one side where it is large against the root of the
    sample's size: few units decide, and most samples have none of them (Hall 1992, ch. 3).
    """
    without = one.jackknife_scores()
    if pairs is None:
        effects = -without[:, number]
    else:
        left, right = pairs[number]
        effects = without[:, right] - without[:, left]
    effects = effects - effects.mean()
    deviation = float(np.sqrt((effects**2).mean()))
    return float((effects**3).mean()) / deviation**3 if deviation > 0 else 0.0


def _finite_pool(pool: Pool, subject: Mapping[str, Any]) -> list[str]:
    largest = subject["sizes"][-1] / len(pool)
    if subject["draw"] == "independent" or largest <= NOTABLE_SHARE:
        return []
    narrower = 100 * (1 - (1 - largest) ** 0.5)
    # Of random samples, which may have units in common, this holds as well.
    return [
        f"The largest samples are {100 * largest:.0f} % of the pool and have no unit twice: they "
        f"vary by {narrower:.0f} % less around its score than around that of endless text, so that "
        "more intervals hold it than would hold that."
    ]


def _plot_rows(
    pool: Pool,
    pairs: Sequence[Pair] | None,
    records: Mapping[Key, Record],
    subject: Mapping[str, Any],
) -> list[Row]:
    """The first intervals of one system or pair, of the smallest size, as in Koehn's Fig. 6."""
    size = subject["sizes"][0]
    first = _name(pool, pairs, 0)
    keys = [key for key in records if key[0] == size][:MOST_SHOWN]
    rows: list[Row] = []
    for one in pool.counted:
        truth, margin = float(values_of(one, pairs)[0]), TIE_TOLERANCE * one.scale
        for (_, index), record in ((key, records[key]) for key in keys):
            score, low, high = (values[0] for values in record[one.label])
            rows.append(
                {
                    "sample": int(index) + 1,
                    "score": score,
                    "bottom": low,
                    "top": high,
                    "pool": truth,
                    "held": "yes" if low - margin <= truth <= high + margin else "no",
                    "of": f"{one.label} of {first}, {size} {pool.unit}s",
                }
            )
    return rows


# Coverage: how often the interval from a small sample holds the value of the whole pool.
#
# Koehn (2004, §5, Fig. 6) took 100 broad samples of 300 sentences: of their 95 % intervals 97 held
# the score of all 30,000 sentences. The same is asked here of intervals of differences.


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
    draw: Sampling = "independent",
    unit: PoolUnit = "segment",
    of: Covered = "scores",
    samples: int = 1000,
    level: float = 0.95,
    interval: IntervalName = "percentile",
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
    settings = CompareSettings(replicates=samples, level=level, seed=seed, interval=interval)
    require_count("repetitions", repetitions, FEWEST_SAMPLES, "fewer could not tell 95 % from 80 %")
    if of not in COVERED:
        raise UnknownNameError("of", of, COVERED)
    pool = Pool.of(test_set, metrics, unit)
    pairs = choose_pairs(pool, "all") if of == "differences" else None
    drawn = draw_by_size(
        draw,
        len(pool),
        sizes,
        USUAL_SIZES,
        samples=repetitions,
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
    bootstrap = Bootstrap(replicates=settings.replicates, seed=settings.seed)
    units = Units.segments(len(sample))
    # Replicates of its own for every sample, so that no two make the same mistake.
    scores = bootstrap_scores(counted, units, bootstrap, first=index * settings.replicates)
    record: Record = {}
    for one, replicates in zip(counted, scores, strict=True):
        if pairs is None:
            low, high = score_intervals(one, replicates, settings)
        else:
            low, high = difference_intervals(one, replicates, pairs, settings)
        record[one.label] = [values_of(one, pairs).tolist(), low.tolist(), high.tolist()]
    return record
