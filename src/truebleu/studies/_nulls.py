"""Null data: systems that are equal by construction, whose differences are all chance.

Riezler & Maxwell (2005, §4.3) built systems that were "essentially equal but produce superficially
different results", and had to believe it. Here it is certain. Outputs of real systems are dealt out
among them at random, segment by segment or document by document: then no name has anything to do
with an output, which is the null hypothesis itself. Or the simulator makes systems with equal
channels, whose outputs are draws from one distribution. Or two systems have the same score on the
pool and nothing else in common, since outputs of the better one were cut short, and samples of the
pool are tested: there is no difference to find, and yet outputs cannot be exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal, Protocol

import numpy as np

from truebleu._settings import Streams
from truebleu.errors import SettingError
from truebleu.metrics.registry import as_metrics, metric_labels
from truebleu.schema import Setting
from truebleu.significance.statistics import MetricStatistics, metric_statistics
from truebleu.significance.tests import fewest_units, replicates_for, smallest_p
from truebleu.simulation.test_sets import Channel, simulate
from truebleu.studies._pool import Pool, numbers, units_of
from truebleu.studies._study import Settings, metric_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from truebleu._settings import Draw
    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import Metric
    from truebleu.metrics.registry import MetricsLike
    from truebleu.resampling import Units
    from truebleu.studies._pool import PoolUnit

NULL_TITLES = {
    "segment": "outputs swapped by segment",
    "document": "outputs swapped by document",
    "simulated": "simulated systems with equal channels",
    "sampled": "samples of two systems with one score on the whole test set",
}
Null = Annotated[
    Literal["segment", "document", "simulated", "sampled"],
    Setting(
        help="how equal systems come about: outputs are swapped at random, segment by segment or "
        "document by document; systems are simulated with equal channels, on a simulated test set "
        "of this size; or two systems that have one score on the whole test set, since outputs of "
        "the better one are cut short, are sampled."
    ),
]
# Fewer repetitions could not tell 5 % from 15 %.
Repetitions = Annotated[
    int, Setting(help="how often systems are made equal.", least=50, most=10**7)
]
Alpha = Annotated[float, Setting(help="the significance level.", above=0, below=1)]

# Errors per word of simulated systems, about as many as those of middling real ones.
RATE = 0.2
PURPOSE = "null data"
# Repetitions in a line of the journal.
BATCH = 20


class NullSource(Protocol):
    """Where null data come from: set i depends on the seed and on i, not on the sets before it."""

    @property
    def settings(self) -> Settings:
        """What the sets are made of, for the results to say."""

    @property
    def units(self) -> int:
        """How many units the tests have to resample."""

    def sets(self, first: int, count: int) -> Iterator[list[MetricStatistics]]:
        """The counts of equal systems by every metric, set after set."""


@dataclass(frozen=True, slots=True, eq=False)
class OfPool:
    """Equal systems that are made of a pool.

    Attributes:
        pool: the counts by segment.
        tested: what the tests resample, to which counts are added up.
        seed: of all that is drawn.
    """

    pool: Pool
    tested: Units
    seed: int

    @property
    def settings(self) -> Settings:
        """The texts, and what is tested."""
        return self.pool.settings | {"unit": self.tested.kind}

    @property
    def units(self) -> int:
        """How many units the tests have to resample."""
        return len(self.tested)


@dataclass(frozen=True, slots=True, eq=False)
class Swapped(OfPool):
    """Systems drawn at random from a pool, their outputs dealt out among them at random.

    Statistics are swapped instead of texts. That is the same for every metric whose row depends on
    its segment alone, and no metric's row does otherwise.

    Attributes:
        swapped: what is dealt out as a whole.
        systems: how many equal systems a set has.
    """

    swapped: Units
    systems: int

    def sets(self, first: int, count: int) -> Iterator[list[MetricStatistics]]:
        """The counts of equal systems by every metric, set after set."""
        streams = Streams(self.seed, PURPOSE)
        for index in range(first, first + count):
            draw = streams.at(index)
            chosen = _choose(draw, len(self.pool.names), self.systems)
            deal = _deal(draw, len(self.swapped), self.systems)[self.swapped.of_segment]
            yield [
                MetricStatistics.of(
                    statistics.label,
                    statistics.metric,
                    statistics.rows[np.arange(len(deal))[:, None], chosen[deal]],
                    self.tested,
                )
                for statistics in self.pool.statistics
            ]


def _choose(draw: Draw, among: int, count: int) -> NDArray[np.int64]:
    return np.argsort(numbers(draw, among), kind="stable")[:count]


def _deal(draw: Draw, units: int, systems: int) -> NDArray[np.int64]:
    """For each unit, whose output each system gets: all orders are equally likely."""
    keys = numbers(draw, units * systems).reshape(units, systems)
    return np.argsort(keys, axis=1, kind="stable")


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """Systems with equal channels, new ones in every set, on one simulated test set.

    Attributes:
        metrics: by which to score.
        segments: of the test set.
        references: of the test set.
        unit: what the tests resample.
        systems: how many equal systems a set has.
        seed: of everything.
    """

    metrics: tuple[Metric, ...]
    segments: int
    references: int
    unit: PoolUnit
    systems: int
    seed: int

    @property
    def settings(self) -> Settings:
        """The size of the simulated test set; its systems are others in every set."""
        labels = metric_labels(self.metrics)
        return {
            "segments": self.segments,
            "references": self.references,
            "unit": self.unit,
            "metrics": metric_settings(self.metrics, labels, self.references),
            "errors_per_word": RATE,
        }

    @property
    def units(self) -> int:
        """How many units the tests have to resample."""
        return len(units_of(self._test_set([0]), self.unit))

    def sets(self, first: int, count: int) -> Iterator[list[MetricStatistics]]:
        """The counts of equal systems by every metric, set after set."""
        names = range(first * self.systems, (first + count) * self.systems)
        test_set = self._test_set(names)
        counted = metric_statistics(test_set, self.metrics, units_of(test_set, self.unit))
        for start in range(0, len(names), self.systems):
            yield [
                replace(
                    statistics,
                    rows=np.ascontiguousarray(statistics.rows[:, start : start + self.systems]),
                )
                for statistics in counted
            ]

    def _test_set(self, names: Sequence[int]) -> TestSet:
        # A system's errors come from its name: that of every system is its own.
        channels = {f"equal-{name}": Channel.at_rate(RATE) for name in names}
        return simulate(
            segments=self.segments, systems=channels, references=self.references, seed=self.seed
        )


@dataclass(frozen=True, slots=True, eq=False)
class Sampled(OfPool):
    """Two systems with one score on the pool, tested on samples of it.

    Outputs of the better one are cut short in so many segments, chosen at random, that its score is
    that of the other: the one then is short, and the other is not.

    Attributes:
        cut: the counts of all outputs cut short.
        pairs: for each metric the pairs that can be made equal.
    """

    cut: Pool
    pairs: tuple[tuple[tuple[int, int], ...], ...]

    @classmethod
    def of(cls, test_set: TestSet, metrics: MetricsLike, unit: PoolUnit, seed: int) -> Sampled:
        """Null data of a test set's systems; refused where no two of them can be made equal."""
        pool = Pool.of(test_set, metrics)
        shortened = replace(
            test_set,
            systems={
                name: [_half(segment or "") for segment in text]
                for name, text in test_set.systems.items()
            },
        )
        cut = Pool.of(shortened, [statistics.metric for statistics in pool.statistics])
        pairs = tuple(
            tuple(_made_equal(whole, short))
            for whole, short in zip(pool.statistics, cut.statistics, strict=True)
        )
        for statistics, of_metric in zip(pool.statistics, pairs, strict=True):
            if not of_metric:
                expected = "two systems that are equal after outputs of the better one are cut"
                raise SettingError("null", f"sampled, by {statistics.label}", expected)
        return cls(pool, units_of(test_set, unit), seed, cut, pairs)

    def sets(self, first: int, count: int) -> Iterator[list[MetricStatistics]]:
        """The counts of samples of two systems by every metric, set after set."""
        streams = Streams(self.seed, PURPOSE)
        for index in range(first, first + count):
            draw = streams.at(index)
            segments, units = len(self.pool), len(self.tested)
            order = _choose(draw, segments, segments)
            drawn = np.fromiter((int(draw() * units) for _ in range(units)), np.int64, count=units)
            sets = []
            for whole, short, pairs in zip(
                self.pool.statistics, self.cut.statistics, self.pairs, strict=True
            ):
                better, worse = pairs[int(draw() * len(pairs))]
                rows = _equal_rows(whole, short, better, worse, order)
                all_units = MetricStatistics.of(whole.label, whole.metric, rows, self.tested)
                sample = np.ascontiguousarray(all_units.rows[drawn])
                sets.append(MetricStatistics(whole.label, whole.metric, sample))
            yield sets


def _half(text: str) -> str:
    """The first half of a text, by words where it has any."""
    words = text.split(" ")
    return " ".join(words[: -(-len(words) // 2)]) if len(words) > 1 else text[: -(-len(text) // 2)]


def _made_equal(whole: MetricStatistics, short: MetricStatistics) -> Iterator[tuple[int, int]]:
    """The pairs, better first, of which the better one is worse when all of it is cut."""
    scores, cut = whole.sign * whole.scores, short.sign * short.scores
    for better in range(whole.systems):
        for worse in range(whole.systems):
            if scores[better] > scores[worse] > cut[better]:
                yield better, worse


def _equal_rows(
    whole: MetricStatistics,
    short: MetricStatistics,
    better: int,
    worse: int,
    order: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Counts by segment of two systems with about one score, shaped (segment, 2, column)."""
    kept, cut = whole.rows[order, better], short.rows[order, better]
    steps = np.concatenate([np.zeros((1, kept.shape[1])), np.cumsum(cut - kept, axis=0)])
    apart = np.abs(whole.metric.score(whole.sums[better] + steps) - whole.scores[worse])
    rows = np.stack([whole.rows[:, better], whole.rows[:, worse]], axis=1)
    chosen = order[: int(apart.argmin())]
    rows[chosen, 0] = short.rows[chosen, better]
    return rows


def null_source(
    test_set: TestSet,
    metrics: MetricsLike,
    *,
    null: Null,
    unit: PoolUnit,
    systems: int,
    seed: int,
) -> NullSource:
    """Null data of a test set, for tests that resample these units.

    Args:
        test_set: whose outputs are swapped; only its size matters to "simulated".
        metrics: by which to score.
        null: one of NULL_TITLES.
        unit: what the tests resample.
        systems: how many equal systems a set has.
        seed: of all that is drawn.
    """
    if null == "simulated":
        # Simulated words are spaced, whatever script the texts are in.
        parsed = tuple(metric.for_references([]) for metric in as_metrics(metrics))
        references = len(test_set.references)
        return Simulated(parsed, len(test_set), references, unit, systems, seed)
    if null == "sampled":
        if systems != 2:
            raise SettingError("null", null, "two systems; more cannot be made equal in this way")
        return Sampled.of(test_set, metrics, unit, seed)
    tested = units_of(test_set, unit)
    swapped = units_of(test_set, null, "null")
    if len(swapped) < 2:
        raise SettingError("null", f"one {null}", f"at least two {null}s to swap")
    if len(test_set.systems) < systems:
        expected = f"at least {systems}, whose outputs are swapped"
        raise SettingError("systems", len(test_set.systems), expected)
    pool = Pool.of(test_set, metrics)
    return Swapped(pool, tested, seed, swapped, systems)


def require_enough_replicates(replicates: int, alpha: float) -> None:
    """Refuse so few replicates that no p-value could be as small as alpha."""
    least = replicates_for(alpha)
    if replicates < least:
        smallest = f"with {replicates} the smallest possible p is {smallest_p(replicates):.3g}"
        expected = f"at least {least} at the level {alpha:g}; {smallest}"
        raise SettingError("replicates", replicates, expected)


def require_enough_units(units: int, unit: str, alpha: float) -> None:
    """Refuse so few units that no swap of them could have a p-value as small as alpha."""
    least = fewest_units(alpha)
    if units < least:
        expected = f"at least {least}: swaps of fewer never give a p of {alpha:g} or less"
        raise SettingError("test set", f"{units} {unit}s", expected)


def batches(repetitions: int) -> list[tuple[int, int]]:
    """The first repetition of each line of the journal, and the one after its last."""
    return [(first, min(first + BATCH, repetitions)) for first in range(0, repetitions, BATCH)]
