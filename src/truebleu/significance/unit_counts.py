"""A metric's counts of all systems by unit: scores, jackknife, standard errors, largest units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu import _core
from truebleu.errors import SettingError
from truebleu.metrics.base import MeanScorer
from truebleu.resampling import blocks, jackknife_error, on_exact_grid
from truebleu.schema import ComparedByValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from truebleu.counts.counts import Counts
    from truebleu.metrics.base import Scorer
    from truebleu.resampling import Units, Values

__all__ = ["UnitCounts", "count_units"]

Pair = tuple[int, int]

# Number of zeros from which their share is known well enough, and the largest share of rare ones.
ENOUGH_ZEROS, MOST_ZEROS = 10, 0.1
# Numbers in a block: 32 MB.
BLOCK_SIZE = 1 << 22


def are_rates(metric: Scorer, rows: NDArray[Any]) -> bool:
    """Return whether all scores are 0 or 1, on the same segments for all systems."""
    if not isinstance(metric, MeanScorer) or rows.ndim != 3 or rows.shape[2] != 2:
        return False
    return _core.Rows(rows.reshape(len(rows), -1)).are_rates()


def are_clustered(rows: Values) -> bool:
    """Return whether units hold several items; rows are shaped (unit, system, 2)."""
    return bool((rows[..., 1] > 1).any())


@dataclass(frozen=True, slots=True, eq=False)
class UnitCounts(ComparedByValue):
    """Counts by unit, system and column, on the grid on which their sums are exact.

    Large arrays of whole numbers have 16 or 32 bits; `blocks` yields them as floats.

    Attributes:
        label: the metric's label.
        metric: scorer that turns sums into scores.
        rows: counts, shaped (unit, system, column).
        items: counts of pass/fail scores by segment; None for other scores.
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
        """Number of systems."""
        return int(self.rows.shape[1])

    @property
    def units(self) -> int:
        """Number of units."""
        return len(self.rows)

    @property
    def sums(self) -> Values:
        """Sums of the rows of the whole test set, shaped (system, column)."""
        return np.asarray(self.rows.sum(axis=0, dtype=np.float64))

    @property
    def scores(self) -> Values:
        """Each system's score on the whole test set."""
        return self.metric.score(self.sums)

    def differences(self, pairs: Sequence[Pair]) -> Values:
        """Return the first system's score minus the second's for each pair."""
        left, right = np.array(pairs).T
        scores = self.scores
        return np.asarray(scores[left] - scores[right])

    @property
    def sign(self) -> int:
        """1, or -1 if lower is better; 1 for a metric without direction."""
        return self.metric.sign

    @property
    def scale(self) -> float:
        """Size of the scores, to which rounding is relative."""
        return float(np.abs(self.scores).max())

    @property
    def width(self) -> int:
        """Number of columns of all systems side by side."""
        return self.systems * int(self.rows.shape[2])

    def differing_units(self, pairs: Sequence[Pair]) -> list[int]:
        """Count the units in which each pair's systems have different counts."""
        self._require_systems(pairs)
        of_blocks = [_core.Pairs(pairs).differing_units(block) for block in blocks(self.rows)]
        return [int(count) for count in np.sum(of_blocks, axis=0)]

    def _require_systems(self, pairs: Sequence[Pair]) -> None:
        if not pairs or any(not 0 <= system < self.systems for pair in pairs for system in pair):
            raise SettingError("pairs", pairs, f"pairs of numbers from 0 to {self.systems - 1}")

    @property
    def are_single_scores(self) -> bool:
        """True if each unit has a single score, and the score of a system is their mean."""
        is_mean = isinstance(self.metric, MeanScorer) and self.rows.shape[2] == 2
        return is_mean and not (self.rows[..., 1] != 1).any()

    @property
    def rare_zeros(self) -> list[int]:
        """Number of each system's scores that are 0, if they are few and far from the others."""
        if self.items is not None or not self.are_single_scores:
            return [0] * self.systems
        sizes = np.abs(self.rows[..., 0])
        counts = np.count_nonzero(sizes == 0, axis=0)
        others = np.where(sizes == 0, np.inf, sizes).min(axis=0)
        are_rare = (counts < ENOUGH_ZEROS) & (counts <= MOST_ZEROS * self.units)
        are_far = others > np.median(sizes, axis=0) / 4
        return [int(count) for count in np.where(are_rare & are_far, counts, 0)]

    def unit_means(self, needed_by: str) -> Values:
        """Return the scores of units, shaped (unit, system), of a metric that is their mean.

        Raises SettingError in the name of `needed_by` for other metrics.
        """
        if not isinstance(self.metric, MeanScorer):
            expected = "a metric that is a mean over segments"
            raise SettingError(needed_by, self.label, expected)
        if not self.are_single_scores:
            expected = "one score for every segment and system, with segments as units"
            raise SettingError(needed_by, "missing or grouped scores", expected)
        return self.rows[..., 0]

    def contributions(self) -> Values:
        """Return each unit's contribution to the error of each score, shaped (unit, system).

        A contribution is the unit's counts times the gradient at the sums, centred at 0 (delta
        method). The variance of a score is n / (n - 1) times the sum of its squared contributions;
        the variance of a difference, of the squared differences of contributions.
        """
        gradient = self.metric.gradient(self.sums)
        effects = self._of_blocks(lambda block: np.einsum("usc,sc->us", block, gradient))
        effects -= effects.mean(axis=0)
        return effects

    def paired_rates(self, pairs: Sequence[Pair], level: float) -> Values | None:
        """Count the items that only each pair's first system passes, only the second, and all.

        The counts, shaped (3, pair), are effective sample sizes; few clusters are adjusted for
        intervals of this level. None unless scores are pass/fail.
        """
        if self.items is None:
            return None
        return _core.paired_rates(self.rows.astype(np.float64), self.items[..., 0], pairs, level)

    def discordant_items(self, pairs: Sequence[Pair]) -> tuple[Values, Values] | None:
        """Count the items that only each pair's first system gets right, and only its second.

        None unless scores are pass/fail.
        """
        if self.items is None:
            return None
        right = self.items[..., 0].astype(np.float64)
        if self.sign < 0:
            right = self.items[..., 1] - right
        both_right = right.T @ right
        left, second = np.array(pairs).T
        shared, totals = both_right[left, second], both_right.diagonal()
        return totals[left] - shared, totals[second] - shared

    @property
    def has_exact_test(self) -> bool:
        """True for pass/fail scores with items as units, which McNemar's exact test compares."""
        return self.items is not None and not are_clustered(self.rows)

    def errors_of_pairs(self, pairs: Sequence[Pair]) -> Values:
        """Compute the standard error of each pair's difference by the jackknife."""
        self._require_systems(pairs)
        jackknife = self.jackknife_scores()
        left, right = np.array(pairs).T
        error = np.empty(len(pairs))
        for some in pair_blocks(len(pairs), self.units):
            error[some] = jackknife_error(jackknife[:, left[some]] - jackknife[:, right[some]])
        return error

    def difference_errors(self, pairs: Sequence[Pair]) -> Values:
        """Compute standard errors of differences that are above 0 for pass/fail scores, too.

        Of few items, none may be fixed or broken: one item more counts as discordant.
        """
        if not self.has_exact_test:
            return self.errors_of_pairs(pairs)
        first, second = self.discordant_items(pairs) or (np.zeros(0), np.zeros(0))
        variance = first + second + 1 - (first - second) ** 2 / self.units
        return np.asarray(np.sqrt(variance) / self.units)

    def jackknife_scores(self) -> Values:
        """Compute each system's score without one unit each, shaped (unit, system)."""
        sums = self.sums
        return self._of_blocks(lambda block: self.metric.score(sums - block))

    def _of_blocks(self, number: Callable[[Values], Values]) -> Values:
        """Compute a number of each unit and system, block by block."""
        numbers = np.empty(self.rows.shape[:2])
        start = 0
        for block in blocks(self.rows):
            numbers[start : start + len(block)] = number(block)
            start += len(block)
        return numbers


def count_units(counts: Counts, units: Units) -> list[UnitCounts]:
    """Add up counts by unit, for each metric."""
    return [
        UnitCounts.of(metric.label, metric.scorer, metric.rows.stored(), units)
        for metric in counts.metrics
    ]


def pair_blocks(pairs: int, numbers: int) -> Iterator[slice]:
    """Yield slices of pairs that fit into a block, if each pair has `numbers` numbers."""
    size = max(1, BLOCK_SIZE // numbers)
    return (slice(start, start + size) for start in range(0, pairs, size))


def largest_units(
    statistics: UnitCounts, pairs: Sequence[Pair]
) -> list[tuple[int, float] | tuple[None, None]]:
    """Find the unit with the largest share of the variance of each pair's difference.

    Returns its index and its share; None twice if the difference does not vary.
    """
    contributions, rounding = statistics.contributions(), rounding_variance(statistics)
    left, right = np.array(pairs).T
    largest: list[tuple[int, float] | tuple[None, None]] = []
    for part in pair_blocks(len(pairs), len(contributions)):
        squares = (contributions[:, left[part]] - contributions[:, right[part]]) ** 2
        columns = squares.sum(axis=0), squares.max(axis=0), squares.argmax(axis=0)
        for total, highest, unit in zip(*(column.tolist() for column in columns), strict=True):
            largest.append((unit, highest / total) if total > rounding else (None, None))
    return largest


def rounding_variance(statistics: UnitCounts) -> float:
    """Return the largest variance that rounding gives to equal contributions."""
    return float(_core.ROUNDING * max(statistics.scale, 1.0)) ** 2


def design_effects(
    statistics: UnitCounts,
    rows: Values,
    clusters: tuple[Units, Units] | None,
    pairs: Sequence[Pair] | None = None,
) -> list[float | None]:
    """Return design effects of scores or differences: variance by clusters over by segments.

    None without clusters, or if nothing varies by segments.

    Args:
        statistics: counts of all systems by one metric.
        rows: counts by segment.
        clusters: segments and their clusters, documents or blocks.
        pairs: systems of each difference; None for the scores themselves.
    """
    if clusters is None:
        return [None] * (statistics.systems if pairs is None else len(pairs))
    parts = [UnitCounts.of(statistics.label, statistics.metric, rows, units) for units in clusters]
    rounding = rounding_variance(parts[0])
    variances = (_variances(part.contributions(), pairs) for part in parts)
    return [
        by_cluster / by_segment if by_segment > rounding else None
        for by_segment, by_cluster in zip(*variances, strict=True)
    ]


def _variances(contributions: Values, pairs: Sequence[Pair] | None) -> list[float]:
    """Return the variance of each system's contributions, or of their difference in each pair."""
    count = len(contributions)
    sums = (contributions**2).sum(axis=0)
    if pairs is not None:
        left, right = np.array(pairs).T
        sums = np.empty(len(pairs))
        for some in pair_blocks(len(pairs), count):
            differences = contributions[:, left[some]] - contributions[:, right[some]]
            sums[some] = (differences**2).sum(axis=0)
    return list((sums * count / (count - 1)).tolist())
