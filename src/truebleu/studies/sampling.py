"""Sampling: how much scores vary over consecutive blocks, and how much over systematic samples.

Koehn (2004, §3.2-3.4, Figs. 2-4): BLEU of one system ran from 21 to 37 on blocks of 300
consecutive sentences, and from 27 to 31 on samples of every hundredth sentence. What is hard to
translate stands together, so that a block is worth fewer sentences than it has.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from truebleu._settings import DEFAULT_SEED, require_seed
from truebleu.execution.journal import Runner, Task
from truebleu.studies._pool import Pool, PoolUnit, draw_by_size, draw_samples, require_count
from truebleu.studies._study import StudyResult, StudySettings
from truebleu.studies._tests import choose_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.corpus.test_set import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics
    from truebleu.studies._pool import Sampling
    from truebleu.studies._tests import Pairs

Shown = Literal["scores", "differences"]
USUAL_SIZES = (100, 300, 600)
PAPERS_SIZE = 300
# Fewer points do not show to the eye how much they vary.
ENOUGH_POINTS = 10
# How much fewer samples vary is anyone's guess.
FEWEST_SAMPLES = 5
# With so many, the standard deviation over independent units is known within 14 %.
FEWEST_INDEPENDENT = 100
CUTS: tuple[Sampling, ...] = ("block", "systematic")
# What is smaller than this share of the values is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingSettings(StudySettings):
    """What `study_sampling` was asked for, with the sizes that were chosen, ascending."""

    STUDY: ClassVar[str] = "sampling"

    sizes: tuple[int, ...]
    samples: int | None
    independent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """How much a score or difference varies over samples of one kind.

    Attributes:
        low: the least value; None of a mean over systems or pairs.
        high: the greatest; None likewise.
        sd: the standard deviation.
        effect: the design effect, the variance over that of independent units; None where neither
            varies.
        effect_low: where its 95 % interval begins, were scores of samples normal and independent.
        effect_high: where it ends.
    """

    low: float | None = None
    high: float | None = None
    sd: float
    effect: float | None = None
    effect_low: float | None = None
    effect_high: float | None = None

    @classmethod
    def of(cls, sd: float, samples: int, independent_sd: float) -> Deviation:
        """The standard deviation over so many samples, beside that over independent units."""
        if independent_sd == 0:
            return cls(sd=sd)
        from scipy.special import chdtri

        effect, degrees = float((sd / independent_sd) ** 2), samples - 1
        return cls(
            sd=sd,
            effect=effect,
            effect_low=float(effect * degrees / chdtri(degrees, 0.025)),
            effect_high=float(effect * degrees / chdtri(degrees, 0.975)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleVariation:
    """How much a score or a difference varies, by one metric on samples of one size.

    Attributes:
        metric: its label.
        size: units in a sample.
        samples: how many blocks there are, and as many systematic samples.
        of: whether it is a score or a difference.
        system: whose score it is, or the better one of the pair; None of the mean of variances
            over all systems or pairs.
        other: the worse one of the pair; None for a score.
        pool: the value in the pool; None of a mean.
        block: over blocks of consecutive units.
        systematic: over systematic samples.
        independent_sd: the standard deviation over samples of independent units.
    """

    metric: str
    size: int
    samples: int
    of: Literal["score", "difference"]
    system: str | None = None
    other: str | None = None
    pool: float | None = None
    block: Deviation
    systematic: Deviation
    independent_sd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSamples:
    """The values of one score or difference by the first metric on every sample of one size.

    Attributes:
        metric: its label.
        size: units in a sample.
        system: whose score it is, or the better one of the pair.
        other: the worse one of the pair; None for a score.
        pool: the value in the pool.
        block: those on blocks.
        systematic: those on systematic samples.
    """

    metric: str
    size: int
    system: str
    other: str | None
    pool: float
    block: tuple[float, ...]
    systematic: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingResult(StudyResult):
    """How much scores and differences vary, by metric and size; by `truebleu study sampling`.

    Attributes:
        settings: how to repeat it.
        rows: one for each metric, size, and system or pair.
        means: one for each metric and size, of all scores and of all differences.
        shown: what the chart shows.
    """

    REPORT: ClassVar[str] = "truebleu.reports.studies.intervals:sampling_document"

    settings: SamplingSettings
    rows: tuple[SampleVariation, ...]
    means: tuple[SampleVariation, ...]
    shown: ShownSamples


class Quantity(NamedTuple):
    """A system's score, or by how much one system is better than another; by their places."""

    system: int
    other: int | None = None

    def of(self, scores: ArrayLike, sign: int) -> NDArray[np.float64]:
        """Its values, of scores shaped (..., system)."""
        array = np.asarray(scores, dtype=np.float64)
        if self.other is None:
            return np.asarray(array[..., self.system])
        return np.asarray(sign * (array[..., self.system] - array[..., self.other]))

    def in_pool(self, pool: Pool, statistics: MetricStatistics) -> dict[str, Any]:
        """What it is called, and its value in the pool by one metric."""
        return {
            "metric": statistics.label,
            "system": pool.names[self.system],
            "other": None if self.other is None else pool.names[self.other],
            "pool": float(self.of(statistics.scores, statistics.sign)),
        }


def study_sampling(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    sizes: Sequence[int] | None = None,
    samples: int | None = None,
    unit: PoolUnit = "segment",
    pairs: Pairs | None = None,
    baseline: str | None = None,
    independent: int = 1000,
    shown: Shown = "scores",
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> SamplingResult:
    """How much scores and differences vary, over consecutive blocks and systematic samples.

    The design effect is the variance over samples divided by the variance over samples of as many
    independent units, drawn from the whole pool with replacement. Blocks and systematic samples
    share nothing, so that their variance with the divisor n - 1 needs no correction for the finite
    pool: of units in random order both would be those of independent units, and the effect 1
    (Cochran 1977, §8.5). Above 1, units of a sample are alike; below 1, they are spread over what
    differs.

    Args:
        test_set: the pool, in its own order, which is what matters here.
        metrics: by which to score.
        sizes: units in a sample; those of 100, 300 and 600 of which five fit, if not given.
        samples: how many samples of each kind and size; all that fit, if not given.
        unit: what samples are made of: segments or documents.
        pairs: whose differences are shown; those of neighbours in rank, if not given.
        baseline: show the differences of all others from this system instead.
        independent: how many samples of independent units to compare with.
        shown: whether the chart shows the best system's scores by the first metric (Figs. 2 and
            3) or the differences of the first pair (Fig. 4).
        seed: of the independent units.
        runner: keeps the results and shows progress.
    """
    require_seed(seed)
    why = "or how much samples vary by chance is a guess"
    require_count("independent", independent, FEWEST_INDEPENDENT, why)
    if samples is not None:
        require_count("samples", samples, FEWEST_SAMPLES, "fewer do not show how much they vary")
    pool = Pool.of(test_set, metrics, unit)
    quantities = _quantities(pool, pairs, baseline)
    if shown == "differences":
        pool.require_systems(2)
    drawn = {
        sampling: draw_by_size(
            sampling,
            len(pool),
            sizes,
            USUAL_SIZES,
            samples=samples or len(pool),
            fewest=FEWEST_SAMPLES,
            seed=seed,
        )
        for sampling in CUTS
    }
    settings = SamplingSettings(
        pool=pool.summary,
        seed=seed,
        sizes=tuple(drawn["block"]),
        samples=samples,
        independent=independent,
    )
    tasks = [
        Task((sampling, size), partial(_scores, pool, taken))
        for sampling, by_size in drawn.items()
        for size, taken in by_size.items()
    ]
    tasks += [
        Task(("independent", size), partial(_independent, pool, size, settings))
        for size in settings.sizes
    ]
    records = (runner or Runner()).run(settings.to_dict(), tasks)
    rows, means = [], []
    for statistics in pool.statistics:
        for size in settings.sizes:
            of_size = [
                _variation(pool, statistics, quantity, records, size) for quantity in quantities
            ]
            rows += of_size
            for kind in ("score", "difference"):
                if group := [row for row in of_size if row.of == kind]:
                    means.append(mean_variation(group))
    first = quantities[0 if shown == "scores" else len(pool.names)]
    return SamplingResult(
        settings=settings,
        rows=tuple(rows),
        means=tuple(means),
        shown=_shown(pool, first, records, settings.sizes),
    )


def _scores(pool: Pool, samples: Sequence[NDArray[np.int64]]) -> Record:
    """Each metric's scores of all systems on every sample, shaped (sample, system)."""
    taken = [pool.take(sample) for sample in samples]
    return {
        statistics.label: [by_metric[place].scores.tolist() for by_metric in taken]
        for place, statistics in enumerate(pool.statistics)
    }


def _independent(pool: Pool, size: int, settings: SamplingSettings) -> Record:
    count, seed = settings.independent, settings.seed
    return _scores(pool, draw_samples("independent", len(pool), size, count, seed))


def _quantities(pool: Pool, pairs: Pairs | None, baseline: str | None) -> list[Quantity]:
    """Every system's score, the best system's first, and the differences of pairs."""
    first = pool.statistics[0]
    ranking = (-first.sign * first.scores).argsort(kind="stable").tolist()
    quantities = [Quantity(system) for system in ranking]
    if len(pool.names) > 1:
        quantities += [
            Quantity(*pair) for pair in choose_pairs(pool, pairs, baseline, usual="neighbours")
        ]
    elif pairs is not None or baseline is not None:
        pool.require_systems(2)
    return quantities


def _variation(
    pool: Pool,
    statistics: MetricStatistics,
    quantity: Quantity,
    records: Mapping[Key, Record],
    size: int,
) -> SampleVariation:
    block, systematic, independent = (
        quantity.of(records[sampling, size][statistics.label], statistics.sign)
        for sampling in (*CUTS, "independent")
    )
    independent_sd = standard_deviation(independent)
    return SampleVariation(
        **quantity.in_pool(pool, statistics),
        size=size,
        samples=len(block),
        of="score" if quantity.other is None else "difference",
        block=deviation(block, independent_sd),
        systematic=deviation(systematic, independent_sd),
        independent_sd=independent_sd,
    )


def deviation(values: NDArray[np.float64], independent_sd: float) -> Deviation:
    """How much values over samples vary, beside the standard deviation over independent units."""
    varying = Deviation.of(standard_deviation(values), len(values), independent_sd)
    return replace(varying, low=float(values.min()), high=float(values.max()))


def mean_variation(group: Sequence[SampleVariation]) -> SampleVariation:
    """The mean of variances over systems or pairs, which share all samples."""
    first = group[0]
    independent_sd = _mean_sd([row.independent_sd for row in group])
    block, systematic = (
        Deviation.of(_mean_sd(deviations), first.samples, independent_sd)
        for deviations in ([row.block.sd for row in group], [row.systematic.sd for row in group])
    )
    return SampleVariation(
        metric=first.metric,
        size=first.size,
        samples=first.samples,
        of=first.of,
        block=block,
        systematic=systematic,
        independent_sd=independent_sd,
    )


def standard_deviation(values: NDArray[np.float64]) -> float:
    """With n - 1; 0 where values differ by rounding only."""
    sd = float(values.std(ddof=1))
    return 0.0 if sd <= ROUNDING * float(np.abs(values).max()) else sd


def _mean_sd(deviations: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(deviations))))


def _shown(
    pool: Pool, quantity: Quantity, records: Mapping[Key, Record], sizes: Sequence[int]
) -> ShownSamples:
    """One quantity by the first metric, on samples of up to the paper's size and not too few."""
    statistics = pool.statistics[0]
    many = [
        size
        for size in sizes
        if size <= PAPERS_SIZE and len(records["block", size][statistics.label]) >= ENOUGH_POINTS
    ]
    size = max(many, default=sizes[0])
    block, systematic = (
        tuple(quantity.of(records[sampling, size][statistics.label], statistics.sign).tolist())
        for sampling in CUTS
    )
    return ShownSamples(
        **quantity.in_pool(pool, statistics), size=size, block=block, systematic=systematic
    )
