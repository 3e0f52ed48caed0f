"""A metric's counts of all systems by unit, and scores on many replicates.

Replicates are made block by block, so that no matrix of replicates by segments is ever stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu import _core
from truebleu.errors import SettingError
from truebleu.metrics.base import MeanScorer
from truebleu.resampling import Swaps, blocks, jackknife_error, on_exact_grid
from truebleu.schema import MOST, ComparedByValue, require_whole_number
from truebleu.significance.rates import are_rates

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from truebleu.counts.counts import Counts
    from truebleu.metrics.base import Scorer
    from truebleu.resampling import Bootstrap, Units, Values

__all__ = [
    "UnitCounts",
    "bootstrap_scores",
    "count_units",
]

Pair = tuple[int, int]
# Called with how many replicates have been made since the last call.
Progress = Callable[[int], object]

# Numbers that a block of replicate sums may hold: 32 MB.
BLOCK_SIZE = 1 << 22
# Enough replicates to keep all threads busy, few enough to report progress.
LARGEST_BLOCK = 1 << 12
# Swaps by which their variance is known within 5 %.
SWAPS_OF_RATIOS = 1000
# Swaps that vary less, as a share of the variance of samples, find too many differences.
LEAST_RATIO = 0.9
# The smallest share of the text that scaled swaps are taken to swap, or to leave.
ALMOST_NONE = 1e-6
# Rows that a block of replicates may add up: a second or two of work.
BLOCK_WORK = 1 << 31


@dataclass(frozen=True, slots=True, eq=False)
class UnitCounts(ComparedByValue):
    """Counts by unit, system and column, on the grid on which their sums are exact.

    Many whole numbers are kept in 16 or 32 bits; `blocks` gives them as floats. Of pass/fail scores
    `items` has the counts by segment; it is None of others.
    """

    label: str
    metric: Scorer
    rows: Values
    items: NDArray[Any] | None = None

    @classmethod
    def of(cls, label: str, metric: Scorer, rows: Values, units: Units) -> UnitCounts:
        """Add up counts by segment into counts by unit."""
        by_unit = units.add_up(rows)
        flat = on_exact_grid(by_unit.reshape(len(by_unit), -1))
        items = rows if are_rates(metric, rows) else None
        return cls(label, metric, flat.reshape(by_unit.shape), items)

    @property
    def systems(self) -> int:
        """How many systems were counted."""
        return int(self.rows.shape[1])

    @property
    def units(self) -> int:
        """How many units there are."""
        return len(self.rows)

    @property
    def sums(self) -> Values:
        """The rows of the whole test set added up, shaped (system, column)."""
        return np.asarray(self.rows.sum(axis=0, dtype=np.float64))

    @property
    def scores(self) -> Values:
        """Each system's score on the whole test set."""
        return self.metric.score(self.sums)

    def differences(self, pairs: Sequence[Pair]) -> Values:
        """The first system's score minus the second's, of each pair."""
        left, right = np.array(pairs).T
        scores = self.scores
        return np.asarray(scores[left] - scores[right])

    @property
    def sign(self) -> int:
        """1, or -1 where lower is better; a metric without direction counts as it is."""
        return self.metric.sign

    @property
    def scale(self) -> float:
        """The size of the scores, to which rounding is relative."""
        return float(np.abs(self.scores).max())

    @property
    def width(self) -> int:
        """Columns of all systems side by side."""
        return self.systems * int(self.rows.shape[2])

    def differing_units(self, pairs: Sequence[Pair]) -> list[int]:
        """The number of units in which each pair's systems are counted differently."""
        self._require_systems(pairs)
        of_blocks = [_core.Pairs(pairs).differing_units(block) for block in blocks(self.rows)]
        return [int(count) for count in np.sum(of_blocks, axis=0)]

    def _require_systems(self, pairs: Sequence[Pair]) -> None:
        if not pairs or any(not 0 <= system < self.systems for pair in pairs for system in pair):
            raise SettingError("pairs", pairs, f"pairs of numbers from 0 to {self.systems - 1}")

    def unit_means(self, needed_by: str) -> Values:
        """The scores of units, shaped (unit, system), of a metric that is their mean."""
        if not isinstance(self.metric, MeanScorer):
            expected = "a metric that is a mean over segments"
            raise SettingError(needed_by, self.label, expected)
        if self.rows.shape[2] != 2 or (self.rows[..., 1] != 1).any():
            expected = "one score for every segment and system, with segments as units"
            raise SettingError(needed_by, "missing or grouped scores", expected)
        return self.rows[..., 0]

    def contributions(self) -> Values:
        """What each unit adds to the error of each score, shaped (unit, system); they sum to 0.

        By the delta method: a unit's counts times the gradient at the sums. The variance of a
        score is n / (n - 1) times the sum of their squares, that of a difference likewise.
        """
        gradient = self.metric.gradient(self.sums)
        each = self._of_blocks(lambda block: np.einsum("usc,sc->us", block, gradient))
        each -= each.mean(axis=0)
        return each

    def paired_rates(self, pairs: Sequence[Pair], level: float) -> Values | None:
        """Count the items of each pair that only the first gets right, only the second, and all.

        The numbers, shaped (3, pair), are effective sample sizes, of few clusters for intervals of
        this level. None unless scores are pass/fail.
        """
        if self.items is None:
            return None
        return _core.paired_rates(self.rows.astype(np.float64), self.items[..., 0], pairs, level)

    def errors_of_pairs(self, pairs: Sequence[Pair]) -> Values:
        """The standard error of each pair's difference, by the jackknife."""
        self._require_systems(pairs)
        jackknife = self.jackknife_scores()
        left, right = np.array(pairs).T
        error = np.empty(len(pairs))
        size = max(1, BLOCK_SIZE // self.units)
        for start in range(0, len(pairs), size):
            some = slice(start, start + size)
            error[some] = jackknife_error(jackknife[:, left[some]] - jackknife[:, right[some]])
        return error

    def jackknife_scores(self) -> Values:
        """Each system's score without one unit, shaped (unit, system)."""
        sums = self.sums
        return self._of_blocks(lambda block: self.metric.score(sums - block))

    def _of_blocks(self, number: Callable[[Values], Values]) -> Values:
        """A number of each unit and system, made block by block."""
        numbers = np.empty(self.rows.shape[:2])
        start = 0
        for block in blocks(self.rows):
            numbers[start : start + len(block)] = number(block)
            start += len(block)
        return numbers


def signs_of_pairs(pairs: Sequence[Pair] | None, systems: int) -> Values:
    """For each pair what each system's score counts in its difference; of scores, each alone."""
    if pairs is None:
        return np.eye(systems)
    signs = np.zeros((len(pairs), systems))
    left, right = np.array(pairs).T
    places = np.arange(len(pairs))
    signs[places, left], signs[places, right] = 1.0, -1.0
    return signs


def count_units(counts: Counts, units: Units) -> list[UnitCounts]:
    """Add up counts by unit, for each metric."""
    return [
        UnitCounts.of(metric.label, metric.scorer, metric.rows.stored(), units)
        for metric in counts.metrics
    ]


@dataclass(frozen=True, slots=True)
class LargestUnit:
    """The unit that carries most of the variance of a pair's difference, and which share of it.

    Both are None where the difference does not vary.
    """

    unit: int | None = None
    share: float | None = None


def largest_units(statistics: UnitCounts, pairs: Sequence[Pair]) -> list[LargestUnit]:
    """The unit that carries most of the variance, of each pair."""
    contributions, least = statistics.contributions(), _no_variance(statistics)
    left, right = np.array(pairs).T
    size = max(1, BLOCK_SIZE // len(contributions))
    largest = []
    for start in range(0, len(pairs), size):
        part = slice(start, start + size)
        squares = (contributions[:, left[part]] - contributions[:, right[part]]) ** 2
        columns = squares.sum(axis=0), squares.max(axis=0), squares.argmax(axis=0)
        for total, highest, unit in zip(*(column.tolist() for column in columns), strict=True):
            varies = total > least
            largest.append(LargestUnit(unit, highest / total) if varies else LargestUnit())
    return largest


def swap_ratios(statistics: UnitCounts, pairs: Sequence[Pair]) -> Values:
    """The variance of each pair's difference over random swaps, over that over samples of units.

    About 1 where outputs might as well be the other system's. Below 1 where a count moves one of
    the scores only, as lengths do where one output is short and the other long: swaps then make two
    systems more alike than samples do. Means over units move with no count, and have 1. NaN where
    nothing varies.
    """
    if isinstance(statistics.metric, MeanScorer):
        return np.ones(len(pairs))
    if statistics.units < 2:
        return np.full(len(pairs), np.nan)
    squares, count = np.zeros(len(pairs)), 0
    for _, block, _ in swap_blocks([statistics], pairs, Swaps(replicates=SWAPS_OF_RATIOS)):
        squares += (block**2).sum(axis=0)
        count += len(block)
    errors = statistics.errors_of_pairs(pairs) ** 2
    varies = errors > _no_variance(statistics)
    return np.where(varies, squares / count / np.where(varies, errors, 1.0), np.nan)


def swap_scales(ratios: Values) -> Values:
    """What differences after swaps are multiplied by, so that they vary as samples do."""
    is_small = ratios < LEAST_RATIO
    return np.where(is_small, np.where(is_small, ratios, 1.0) ** -0.5, 1.0)


def scaled_swaps(differences: Values, shares: Values, scales: Values) -> tuple[Values, Values]:
    """Differences after swaps and the shares of the text that are swapped, scaled.

    A hypothesis moves a scaled difference as far as its share is scaled around a half. That share
    stays short of all and of none: such swaps rule nothing out, however small their difference is.
    """
    if (scales == 1).all():
        return differences, shares
    wider = np.clip(0.5 + (shares - 0.5) * scales, ALMOST_NONE, 1 - ALMOST_NONE)
    return differences * scales, np.where(scales == 1, shares, wider)


def _no_variance(statistics: UnitCounts) -> float:
    """What is left of equal contributions after rounding is no variance."""
    return (1e-12 * max(statistics.scale, 1.0)) ** 2


def design_effects(
    statistics: UnitCounts,
    rows: Values,
    kinds: tuple[Units, Units] | None,
    pairs: Sequence[Pair] | None = None,
) -> list[float | None]:
    """The variance of scores, or of differences of pairs, by clusters over that by segments.

    None where there are no clusters, or where nothing varies by segments.

    Args:
        statistics: of all systems by one metric.
        rows: the counts by segment that these were made of.
        kinds: the segments and their clusters: documents or blocks.
        pairs: the systems whose differences are meant; None for the scores themselves.
    """
    signs = signs_of_pairs(pairs, statistics.systems)
    if kinds is None:
        return [None] * len(signs)
    parts = [UnitCounts.of(statistics.label, statistics.metric, rows, k) for k in kinds]
    least = _no_variance(parts[0])
    plain, whole = (_variances(part.contributions() @ signs.T) for part in parts)
    return [
        by_clusters / by_segments if by_segments > least else None
        for by_clusters, by_segments in zip(whole, plain, strict=True)
    ]


def _variances(contributions: Values) -> list[float]:
    count = len(contributions)
    return list(((contributions**2).sum(axis=0) * count / (count - 1)).tolist())


def side_by_side(statistics: Sequence[UnitCounts]) -> Values:
    """The counts of all metrics and systems in one row per unit: one draw serves them all."""
    if not statistics:
        raise SettingError("statistics", [], "those of at least one metric")
    rows = [metric.rows.reshape(len(metric.rows), metric.width) for metric in statistics]
    return rows[0] if len(rows) == 1 else np.concatenate(rows, axis=1)


def split_sums(sums: Values, statistics: Sequence[UnitCounts]) -> list[Values]:
    """Sums of rows that stood side by side, by metric: each shaped (replicate, system, column)."""
    ends = np.cumsum([metric.width for metric in statistics])
    parts = np.split(sums, ends[:-1], axis=1)
    return [
        part.reshape(len(part), *metric.rows.shape[1:])
        for part, metric in zip(parts, statistics, strict=True)
    ]


def bootstrap_scores(
    statistics: Sequence[UnitCounts],
    units: Units,
    bootstrap: Bootstrap,
    progress: Progress | None = None,
    *,
    first: int = 0,
) -> list[Values]:
    """For each metric the scores of every system on every replicate, shaped (replicate, system).

    All systems and metrics are scored on the same resampled test sets: every comparison is paired.
    """
    rows = side_by_side(statistics)
    require_whole_number("first", first, 0, MOST)
    scores = [np.empty((bootstrap.replicates, metric.systems)) for metric in statistics]
    for start, count in _blocks(bootstrap.replicates, rows.shape[1], len(rows)):
        sums = split_sums(bootstrap.sums(rows, units, first + start, count), statistics)
        for metric, part, into in zip(statistics, sums, scores, strict=True):
            into[start : start + count] = metric.metric.score(part)
        if progress is not None:
            progress(count)
    return scores


def swap_blocks(
    statistics: Sequence[UnitCounts],
    pairs: Sequence[Pair],
    swaps: Swaps,
    progress: Progress | None = None,
    *,
    first: int = 0,
) -> Iterator[tuple[int, Values, Values]]:
    """The differences of each pair after random swaps, block after block of replicates.

    Swapping X and Y on a set of units moves the sums of X by S(Y) - S(X), where S adds up these
    units, and those of Y by as much the other way: S of each system serves all of its pairs.

    Yields:
        The place of the metric, the differences, and the shares of the text that the replicates
        swap: see `swapped_shares`.
    """
    for start, taken in taken_blocks(statistics, swaps, progress, first=first):
        for place, (metric, sums) in enumerate(zip(statistics, taken, strict=True)):
            size = max(1, BLOCK_SIZE // _width_of_pairs(metric, len(pairs)))
            for row in range(0, len(sums), size):
                part = sums[row : row + size]
                differences = _differences(metric, part, pairs)
                yield place, differences, swapped_shares(metric, part, pairs, swaps, start + row)


def swapped_shares(
    statistics: UnitCounts, taken: Values, pairs: Sequence[Pair], swaps: Swaps, first: int
) -> Values:
    """Which share of the text each replicate swaps, by the metric's weights.

    Args:
        statistics: of all systems by one metric.
        taken: the sums over the units that are swapped, shaped (replicate, system, column).
        pairs: the systems of each comparison.
        swaps: what made them.
        first: the first replicate.

    Returns:
        Shaped (replicate, pair), or (replicate, 1) where that is the same for all pairs: systems
        differ where each is counted against the closest of several references.
    """
    columns = list(statistics.metric.weight_columns)
    totals = statistics.sums[:, columns].sum(axis=1)
    if not columns or not (totals > 0).all():
        coins = np.ones((statistics.units, 1))
        enumerated = swaps.enumerates(statistics.units)
        return swaps.sums(coins, first, len(taken), enumerated=enumerated) / statistics.units
    swapped = taken[:, :, columns].sum(axis=2)
    if (totals == totals[0]).all() and (swapped == swapped[:, :1]).all():
        return np.asarray(swapped[:, :1] / totals[0])
    left, right = np.array(pairs).T
    return np.asarray((swapped[:, left] + swapped[:, right]) / (totals[left] + totals[right]))


def taken_blocks(
    statistics: Sequence[UnitCounts],
    swaps: Swaps,
    progress: Progress | None = None,
    *,
    first: int = 0,
    width: int = 1,
) -> Iterator[tuple[int, list[Values]]]:
    """The sums over the units that each replicate swaps, block after block.

    Args:
        statistics: of all systems, by each metric.
        swaps: how many replicates, and their seed.
        progress: hears of replicates after they were used.
        first: the first replicate.
        width: how many numbers more are made of each replicate.

    Yields:
        The first replicate of the block, and by metric sums shaped (replicate, system, column).
    """
    rows = side_by_side(statistics)
    require_whole_number("first", first, 0, MOST)
    units = statistics[0].units
    enumerated = swaps.enumerates(units)
    replicates = 2**units if enumerated else swaps.replicates
    for start, count in _blocks(replicates, max(rows.shape[1], width), len(rows)):
        sums = swaps.sums(rows, first + start, count, enumerated=enumerated)
        yield first + start, split_sums(sums, statistics)
        if progress is not None:
            progress(count)


def _differences(statistics: UnitCounts, swapped: Values, pairs: Sequence[Pair]) -> Values:
    """The differences of pairs, of the sums of the units that each replicate swaps."""
    native = statistics.metric.native()
    if native is not None:
        return _core.Pairs(pairs).differences(swapped, statistics.sums, native)
    first, second = statistics.metric.score(_core.Pairs(pairs).sums(swapped, statistics.sums))
    return np.asarray(first - second)


def _width_of_pairs(statistics: UnitCounts, pairs: int) -> int:
    """How many numbers a replicate takes while its pairs are scored."""
    columns: int = statistics.rows.shape[2]
    return pairs if statistics.metric.native() is not None else 2 * pairs * columns


def _blocks(replicates: int, width: int, rows: int) -> Iterator[tuple[int, int]]:
    """First replicate and number of each block."""
    size = max(1, min(LARGEST_BLOCK, BLOCK_SIZE // max(width, 1), BLOCK_WORK // max(rows, 1)))
    for first in range(0, replicates, size):
        yield first, min(size, replicates - first)
