"""Samples of a pool: the variation of scores over samples, and the coverage of their intervals.

Koehn (2004, §3.2-3.4, Figs. 2-4): BLEU of one system ran from 21 to 37 on blocks of 300
consecutive sentences, and from 27 to 31 on samples of every hundredth sentence. Sentences that are
hard to translate stand together, so the effective sample size of a block is below its number of
sentences.

Koehn (2004, §5, Fig. 6) took 100 systematic samples of 300 sentences: 97 of their 95 % intervals
contained the score of all 30,000 sentences. This study can also check intervals of differences.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import numpy as np

import truebleu.studies._study as base
from truebleu.execution.journal import Key, Record, Task
from truebleu.reports.document import Plot, percent
from truebleu.resampling import TIE_TOLERANCE
from truebleu.schema import IntervalName, Level, Setting
from truebleu.significance.intervals import interval_bounds
from truebleu.significance.settings import CompareSettings
from truebleu.significance.tests import monte_carlo_interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from truebleu.corpus.test_set import TestSet
    from truebleu.counts.counts import Counts
    from truebleu.metrics.registry import MetricsLike
    from truebleu.significance.unit_counts import Pair, UnitCounts


__all__ = ["study_coverage", "study_sampling"]

SAMPLE_SIZES = (100, 300, 600)
PAPERS_SIZE = 300
# Fewest points that show their spread in a chart.
ENOUGH_POINTS = 10
CUTS: tuple[base.Sampling, base.Sampling] = ("block", "systematic")
TITLES = {"block": "blocks", "systematic": "systematic samples"}
# Standard deviations below this share of the values are rounding errors.
ROUNDING = 1e-12
SAMPLING_COLUMNS = (
    "metric | size | samples | of: Score or difference | pool [D] | "
    "block_low: Blocks from [D] | block_high: to [D] | block_sd: sd [D] | "
    "systematic_low: Systematic from [D] | systematic_high: to [D] | "
    "systematic_sd: sd [D] | independent_sd: Independent sd [D] | "
    "block_effect: Design effect of blocks [.2f] | systematic_effect: of systematic [.2f]"
)


class Quantities(NamedTuple):
    """Systems of a pool to show scores of, the best first, and pairs to show differences of."""

    pool: base.Pool
    systems: list[int]
    pairs: list[Pair]

    def of(self, scores: ArrayLike, sign: int) -> base.Floats:
        """Compute the scores and then the differences, from scores shaped (..., system)."""
        array = np.asarray(scores, dtype=np.float64)
        differences = [sign * base.differences_of(array, self.pairs)] if self.pairs else []
        return np.concatenate([array[..., self.systems], *differences], axis=-1)

    def names(self) -> list[str]:
        """Name the systems and then the pairs."""
        names = [self.pool.names[system] for system in self.systems]
        return [*names, *_against(self.pool, self.pairs)]


def _against(pool: base.Pool, pairs: Sequence[Pair]) -> list[str]:
    return [f"{pool.names[a]} against {pool.names[b]}" for a, b in pairs]


class SamplingOptions(base.PoolOptions, total=False):
    """Options of `study_sampling`.

    Attributes:
        samples: samples of each kind and size. Default: all samples that fit.
        independent: samples of independent units, for comparison.
        figure: content of the chart: the best system's scores by the first metric (Figs. 2 and 3),
            or the differences of the first pair (Fig. 4).
    """

    samples: Annotated[int | None, Setting(minimum=5)]
    independent: Annotated[int, Setting(minimum=100, maximum=base.MOST_TASKS, default=1000)]
    figure: Annotated[Literal["scores", "differences"], Setting(default="scores")]
    sizes: base.Sizes
    pairs: Annotated[base.Pairs, Setting(default="neighbours")]


@base.study(SamplingOptions)
def study_sampling(
    test_set: TestSet | Counts, metrics: MetricsLike = "bleu", **options: Unpack[SamplingOptions]
) -> base.StudyResult:
    """How much do scores vary over consecutive blocks, and how much over systematic samples?

    Koehn (2004, Figs. 2-4): BLEU ran from 21 to 37 on blocks of 300 consecutive sentences, and
    from 27 to 31 on systematic samples, of every hundredth sentence.

    The design effect is the variance over samples divided by the variance over samples of
    independent units of the same size, drawn from the whole pool with replacement. With a design
    effect of 5, the effective sample size of a block of 300 is 60 segments. Blocks are disjoint,
    and so are systematic samples; hence their variance with the divisor n - 1 needs no finite
    population correction. If units are in random order, the design effect is 1 (Cochran 1977,
    §8.5). Above 1, units of a sample are alike; below 1, they are more varied than independent
    units.

    Args:
        test_set: pool, in its original order, which matters here.
        metrics: metrics to score by.
    """
    unit, figure, seed = options["unit"], options["figure"], options["seed"]
    independent = options["independent"]
    pool = base.Pool.of(test_set, metrics, unit)
    compared = len(pool.names) > 1 or figure == "differences"
    pairs = base.choose_pairs(pool, options["pairs"]) if compared else []
    quantities = Quantities(pool, pool.ranking, pairs)
    drawing = {**options, "samples": options["samples"] or len(pool)}
    samples = {
        cut: base.draw_by_size({**drawing, "sampling": cut}, len(pool), SAMPLE_SIZES)
        for cut in CUTS
    }
    tasks = [
        Task((cut, size), partial(_scores, pool, of_size))
        for cut, by_size in samples.items()
        for size, of_size in by_size.items()
    ]
    chosen = list(samples["block"])
    tasks += [
        Task(("independent", size), partial(_independent, pool, size, independent, seed))
        for size in chosen
    ]
    shown = ("figure", "pairs")
    settings, records = base.run_study(
        "sampling", options, pool.settings, tasks, unused=shown, sizes=chosen
    )
    title = "Scores and differences on consecutive blocks and on systematic samples"
    columns = base.columns(SAMPLING_COLUMNS.replace("[D]", f"[.{pool.digits}f]"))
    # Both panels share the y axis, so that they compare.
    plot = Plot("point", "sample", "score", panel="case", reference_field="pool", shared_y=True)
    result = base.StudyResult(settings, title, columns, plot)
    index = 0 if figure == "scores" else len(pool.names)
    result.chart_rows.extend(_points(quantities, index, records, chosen))
    for statistics in pool.statistics:
        for size in chosen:
            of_size = list(_variations(statistics, quantities, records, size))
            result.rows.extend(of_size)
            for kind in ("score", "difference"):
                if group := [row for row in of_size if row["kind"] == kind]:
                    mean = mean_variation(group)
                    result.sentences.append(_worth_of_blocks(mean, statistics.metric.digits, unit))
                    result.rows.extend([mean] if len(group) > 1 else [])
    return result


def _scores(pool: base.Pool, samples: Sequence[base.Sample]) -> Record:
    """Compute each metric's scores of all systems on every sample, shaped (sample, system)."""
    counted = [pool.take(sample) for sample in samples]
    return {
        statistics.label: [by_metric[index].scores.tolist() for by_metric in counted]
        for index, statistics in enumerate(pool.statistics)
    }


def _independent(pool: base.Pool, size: int, count: int, seed: int) -> Record:
    return _scores(pool, base.draw_samples("independent", len(pool), size, count, seed))


def _variations(
    statistics: UnitCounts, quantities: Quantities, records: Mapping[Key, Record], size: int
) -> Iterator[base.Row]:
    """Yield rows with the variation of each score and difference over samples of one size."""
    values = {
        sampling: quantities.of(records[sampling, size][statistics.label], statistics.sign)
        for sampling in (*CUTS, "independent")
    }
    whole = quantities.of(statistics.scores, statistics.sign)
    for index, name in enumerate(quantities.names()):
        sds = {cut: standard_deviation(samples[:, index]) for cut, samples in values.items()}
        row: base.Row = {
            "metric": statistics.label,
            "size": size,
            "samples": len(values["block"]),
            "kind": "score" if index < len(quantities.systems) else "difference",
            "of": name,
            "pool": float(whole[index]),
        }
        for cut in CUTS:
            samples = values[cut][:, index]
            row |= {f"{cut}_low": float(samples.min()), f"{cut}_high": float(samples.max())}
        yield row | _design_effects(sds, len(values["block"]))


def mean_variation(group: Sequence[base.Row]) -> base.Row:
    """Average variances over systems or pairs, which share all samples."""
    first = group[0]
    mean: base.Row = {name: first[name] for name in ("metric", "size", "samples", "kind")}
    sds = {
        kind: float(np.sqrt(np.mean(np.square([row[f"{kind}_sd"] for row in group]))))
        for kind in (*CUTS, "independent")
    }
    return mean | {"of": f"mean of {first['kind']}s"} | _design_effects(sds, first["samples"])


def _design_effects(sds: Mapping[Any, float], samples: int) -> base.Row:
    cells: base.Row = {"independent_sd": sds["independent"]}
    for cut in CUTS:
        cells |= design_effect(cut, sds[cut], samples, sds["independent"])
    return cells


def design_effect(name: str, sd: float, samples: int, independent_sd: float) -> base.Row:
    """Compute the design effect of a standard deviation over `samples` samples.

    The 95 % interval assumes that scores of samples are normal and independent. The design effect
    is None if scores of independent units do not vary.
    """
    cells: base.Row = dict.fromkeys(f"{name}_effect{end}" for end in ("", "_low", "_high"))
    if independent_sd:
        from scipy.special import chdtri

        effect, degrees = float((sd / independent_sd) ** 2), samples - 1
        bounds = (float(effect * degrees / chdtri(degrees, tail)) for tail in (0.025, 0.975))
        cells = dict(zip(cells, (effect, *bounds), strict=True))
    return {f"{name}_sd": sd, **cells}


def standard_deviation(values: base.Floats) -> float:
    """Compute the standard deviation with divisor n - 1; 0 if values differ only by rounding."""
    sd = float(values.std(ddof=1))
    return 0.0 if sd <= ROUNDING * float(np.abs(values).max()) else sd


def _worth_of_blocks(mean: base.Row, digits: int, unit: str) -> str:
    """Describe the effective sample size of a block."""
    size, effect = mean["size"], mean["block_effect"]
    begin = (
        f"{mean['metric']} on {size:,} {unit}s: {mean['kind']}s have a standard deviation of "
        f"{mean['block_sd']:.{digits}f} on {mean['samples']} blocks, "
        f"{mean['systematic_sd']:.{digits}f} on systematic samples and "
        f"{mean['independent_sd']:.{digits}f} on independent {unit}s"
    )
    if not effect:
        return f"{begin}; without variation there is no design effect."
    return (
        f"{begin}. The effective sample size of a block of {size:,} {unit}s is "
        f"{size / effect:,.0f} (design effect {effect:.2f}, from {mean['block_effect_low']:.2f} to "
        f"{mean['block_effect_high']:.2f})."
    )


def _points(
    quantities: Quantities, index: int, records: Mapping[Key, Record], sizes: Sequence[int]
) -> list[base.Row]:
    """Make the points of the chart: one quantity by the first metric, on samples of one size.

    The size is the largest up to the paper's that leaves enough points.
    """
    statistics = quantities.pool.statistics[0]
    label, sign = statistics.label, statistics.sign
    enough = (size for size in sizes if len(records["block", size][label]) >= ENOUGH_POINTS)
    size = max((size for size in enough if size <= PAPERS_SIZE), default=sizes[0])
    whole = float(quantities.of(statistics.scores, sign)[index])
    name = quantities.names()[index]
    return [
        {
            "case": f"{label} of {name}, {TITLES[cut]} of {size}",
            "sample": number,
            "score": float(values[index]),
            "pool": whole,
        }
        for cut in CUTS
        for number, values in enumerate(quantities.of(records[cut, size][label], sign), 1)
    ]


# Coverage: rate at which intervals of samples contain the score of the pool.


COVERAGE_SIZES = (100, 300, 600, 1000, 3000)
# More intervals would overlap in the chart.
MOST_DRAWN = 50
# Share of the pool from which a sample varies noticeably less than its interval claims.
NOTABLE_SHARE = 0.05
# Largest error of a coverage that counts as equal to the level.
EQUIVALENT = 0.05

COVERAGE_COLUMNS = base.columns(
    f"metric | size | samples | intervals | {base.bounded('coverage', 'Coverage')} | "
    "above: Wholly above [.1%] | below: below [.1%] | width: Mean width [.2f]"
)
COVERAGE_PLOT = Plot(
    "point", "sample", "value", series="contains", panel="case", reference_field="pool"
)


class CoverageOptions(base.SampleOptions, total=False):
    """Options of `study_coverage`.

    Attributes:
        of: quantity of the intervals: the systems' scores, or the differences of all pairs.
        interval: method of the intervals.
    """

    of: Annotated[Literal["scores", "differences"], Setting(default="scores")]
    interval: Annotated[IntervalName, Setting(default="percentile")]
    replicates: base.Replicates
    level: Level


@base.study(CoverageOptions)
def study_coverage(
    test_set: TestSet | Counts, metrics: MetricsLike = "bleu", **options: Unpack[CoverageOptions]
) -> base.StudyResult:
    """How often does the interval of a small sample contain the score of the whole pool?

    Koehn (2004, Fig. 6): of 100 intervals at the 95 % level from samples of 300 segments, 97
    contained the score of all 30,000 segments.

    Args:
        test_set: pool to draw samples from.
        metrics: metrics to score by.
    """
    unit, of, level = options["unit"], options["of"], options["level"]
    comparison = CompareSettings.from_options(options)
    pool = base.Pool.of(test_set, metrics, unit)
    pairs = base.choose_pairs(pool, "all") if of == "differences" else None
    samples = base.draw_by_size(options, len(pool), COVERAGE_SIZES)
    tasks = [
        Task((size, index), partial(_intervals, pool, pairs, sample, index, comparison))
        for size, of_size in samples.items()
        for index, sample in enumerate(of_size)
    ]
    settings, records = base.run_study(
        "coverage", options, pool.settings, tasks, sizes=list(samples)
    )
    quantity = of.removesuffix("s")
    title = f"{100 * level:g} % intervals that contain the pool's {quantity}"
    result = base.StudyResult(settings, title, COVERAGE_COLUMNS, COVERAGE_PLOT)
    names = pool.names if pairs is None else _against(pool, pairs)
    for statistics in pool.statistics:
        truth = _values(statistics, pairs)
        # Rounding must not put a constant score outside its interval.
        margin = TIE_TOLERANCE * statistics.scale
        for size in samples:
            overlap = base.do_overlap(options, len(pool), size)
            bounds = np.array([records[key][statistics.label] for key in records if key[0] == size])
            values, low, high = np.moveaxis(bounds, 1, 0)
            above, below = low > truth + margin, high < truth - margin
            contains = ~(above | below)
            row: base.Row = {
                "metric": statistics.label,
                "size": size,
                "samples": len(contains),
                "intervals": contains.size,
                **base.clustered_rate(contains).cells("coverage", overlap),
                "above": float(above.mean()),
                "below": float(below.mean()),
                "width": float((high - low).mean()),
            }
            worst = None if overlap else _least_covered(contains, level)
            if worst is not None:
                row |= {"least": names[worst], "least_coverage": float(contains[:, worst].mean())}
            result.rows.append(row)
            if size == next(iter(samples)):
                case = f"{statistics.label} of {names[0]}, {size} {unit}s"
                result.chart_rows.extend(
                    {
                        "case": case,
                        "sample": number + 1,
                        **base.Estimate(*bounds[number, :, 0].tolist()).cells("value"),
                        "pool": float(truth[0]),
                        "contains": "yes" if contains[number, 0] else "no",
                    }
                    for number in range(min(MOST_DRAWN, len(values)))
                )
    result.sentences.extend(_sentence(row, quantity, unit, level) for row in result.rows)
    result.sentences.extend(base.overlap_notes(options, len(pool), samples))
    largest = max(samples) / len(pool)
    if options["sampling"] != "independent" and largest > NOTABLE_SHARE:
        narrower = 100 * (1 - (1 - largest) ** 0.5)
        # This also holds for random samples, which may have units in common.
        result.sentences.append(
            f"The largest samples are {100 * largest:.0f} % of the pool and have no unit twice: "
            f"they vary by {narrower:.0f} % less around the pool's score than around the score of "
            "an infinite pool. So intervals cover the pool's score more often."
        )
    return result


def _intervals(
    pool: base.Pool,
    pairs: Sequence[Pair] | None,
    sample: base.Sample,
    index: int,
    settings: CompareSettings,
) -> Record:
    """Compute each metric's scores or differences on one sample, with their intervals."""
    record: Record = {}
    for statistics, replicates in base.resampled_scores(
        pool.take(sample), settings.replicates, settings.seed, index
    ):
        bounds = interval_bounds(statistics, replicates, pairs, settings.interval, settings.level)
        observed = _values(statistics, pairs)
        # Equal values have no interval, which covers as little as an interval without width.
        values = (observed, *np.where(np.isnan(bounds), observed, bounds))
        record[statistics.label] = [array.tolist() for array in values]
    return record


def _values(statistics: UnitCounts, pairs: Sequence[Pair] | None) -> base.Floats:
    """Return the systems' scores, or the pairs' differences if there are pairs."""
    return statistics.scores if pairs is None else base.differences_of(statistics.scores, pairs)


def _least_covered(contains: NDArray[np.bool_], level: float) -> int | None:
    """Return the index of the system or pair with the lowest coverage, if it is significant.

    Its coverage must be significantly below both the level and the mean coverage; else None.
    """
    by_each = contains.mean(axis=0)
    worst = int(by_each.argmin())
    # The lowest of several rates is low by chance (Bonferroni).
    confidence = 1 - 0.05 / len(by_each)
    _, upper = monte_carlo_interval(by_each[worst], len(contains), confidence)
    return None if len(by_each) == 1 or upper >= min(level, by_each.mean()) else worst


def _sentence(row: base.Row, quantity: str, unit: str, level: float) -> str:
    rate = base.Estimate.from_cells(row, "coverage")
    claimed, low, high = f"{100 * level:g} %", rate.low or 0.0, rate.high or 1.0
    within = max(level - low, high - level)
    verdict = f"differs significantly from {claimed}"
    if low <= level <= high:
        verdict = f"equals {claimed} within {100 * within:.1f} points"
        if within > EQUIVALENT:
            verdict = f"cannot be told from {claimed} with this number of samples"
    sentence = (
        f"{row['metric']} on {row['size']:,} {unit}s: {rate} of the intervals contain the pool's "
        f"{quantity}; this rate {verdict}."
    )
    if "least" in row:
        lowest = percent(row["least_coverage"])
        sentence += f" Coverage is lowest for {row['least']} ({lowest}), significantly too low."
    return sentence
