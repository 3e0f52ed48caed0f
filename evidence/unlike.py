"""Null data of dissimilar systems: equal scores on the pool, but one system is cut short.

The null hypothesis is true, but outputs are not exchangeable.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from truebleu.errors import SettingError
from truebleu.schema import Streams
from truebleu.significance.unit_counts import UnitCounts
from truebleu.studies._study import Pool, numbers, units_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.registry import MetricsLike
    from truebleu.resampling import Units
    from truebleu.schema import Draw
    from truebleu.studies._study import PoolUnit


@dataclass(frozen=True, slots=True, eq=False)
class Unlike:
    """Two systems with one score on the pool, tested on samples of it.

    Outputs of the better one are cut short in so many segments, chosen at random, that its score is
    that of the other: the one then is short, and the other is not.

    Attributes:
        pool: counts by segment.
        tested: units that the tests resample.
        seed: seed of all random numbers.
        cut: counts of all outputs cut short.
        pairs: pairs that can be made equal, for each metric.
    """

    pool: Pool
    tested: Units
    seed: int
    cut: Pool
    pairs: tuple[tuple[tuple[int, int], ...], ...]

    @classmethod
    def of(cls, test_set: TestSet, metrics: MetricsLike, unit: PoolUnit, seed: int) -> Unlike:
        """Make null data of a test set's systems; raises an error if no pair can be made equal."""
        pool = Pool.of(test_set, metrics)
        shortened = replace(
            test_set,
            systems={
                name: [_half(segment or "") for segment in text]
                for name, text in test_set.systems.items()
            },
        )
        cut = Pool.of(shortened, metrics)
        pairs = tuple(
            tuple(_made_equal(whole, short))
            for whole, short in zip(pool.statistics, cut.statistics, strict=True)
        )
        for statistics, of_metric in zip(pool.statistics, pairs, strict=True):
            if not of_metric:
                expected = "two systems that are equal after outputs of the better one are cut"
                raise SettingError("null", f"sampled, by {statistics.label}", expected)
        return cls(pool, units_of(test_set.outline, unit), seed, cut, pairs)

    def sets(self, first: int, count: int) -> Iterator[list[UnitCounts]]:
        """Yield sets of every metric's counts of two systems on samples."""
        streams = Streams(self.seed, "null data")
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
                rows = equal_rows(whole, short, better, worse, order)
                all_units = UnitCounts.of(whole.label, whole.metric, rows, self.tested)
                sample = np.ascontiguousarray(all_units.rows[drawn])
                sets.append(UnitCounts(whole.label, whole.metric, sample))
            yield sets


def _half(text: str) -> str:
    """Return the first half of a text, by words if it has any."""
    words = text.split(" ")
    return " ".join(words[: -(-len(words) // 2)]) if len(words) > 1 else text[: -(-len(text) // 2)]


def _made_equal(whole: UnitCounts, short: UnitCounts) -> Iterator[tuple[int, int]]:
    """List pairs, better first, whose better system becomes worse if all its outputs are cut."""
    scores, cut = whole.sign * whole.scores, short.sign * short.scores
    for better in range(whole.systems):
        for worse in range(whole.systems):
            if scores[better] > scores[worse] > cut[better]:
                yield better, worse


def equal_rows(
    whole: UnitCounts,
    short: UnitCounts,
    better: int,
    worse: int,
    order: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Make counts of two systems with about equal scores, shaped (segment, 2, column)."""
    kept, cut = whole.rows[order, better], short.rows[order, better]
    steps = np.concatenate([np.zeros((1, kept.shape[1])), np.cumsum(cut - kept, axis=0)])
    apart = np.abs(whole.metric.score(whole.sums[better] + steps) - whole.scores[worse])
    rows = np.stack([whole.rows[:, better], whole.rows[:, worse]], axis=1)
    chosen = order[: int(apart.argmin())]
    rows[chosen, 0] = short.rows[chosen, better]
    return rows


def _choose(draw: Draw, among: int, count: int) -> NDArray[np.int64]:
    return np.argsort(numbers(draw, among), kind="stable")[:count]
