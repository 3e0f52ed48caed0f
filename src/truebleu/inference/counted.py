"""A metric's counts of all systems, ready to be resampled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truebleu.errors import SettingError
from truebleu.metrics.scoring import metric_labels
from truebleu.resampling.exact import on_exact_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.metrics.metric import Metric
    from truebleu.resampling import Units


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Counts by unit, system and column, on the grid on which their sums are exact."""

    label: str
    metric: Metric
    rows: NDArray[np.float64]

    @classmethod
    def of(cls, label: str, metric: Metric, rows: NDArray[np.float64], units: Units) -> Counted:
        """Counts by segment, added up by unit."""
        by_unit = units.add_up(rows)
        flat = on_exact_grid(by_unit.reshape(len(by_unit), -1))
        return cls(label, metric, flat.reshape(by_unit.shape))

    @property
    def systems(self) -> int:
        """How many systems were counted."""
        systems: int = self.rows.shape[1]
        return systems

    @property
    def sums(self) -> NDArray[np.float64]:
        """The rows of the whole test set added up, shaped (system, column)."""
        sums: NDArray[np.float64] = self.rows.sum(axis=0)
        return sums

    @property
    def scores(self) -> NDArray[np.float64]:
        """Each system's score on the whole test set."""
        return self.metric.score(self.sums)

    @property
    def sign(self) -> int:
        """1, or -1 where less is better; a metric without direction counts as it is."""
        return -1 if self.metric.higher_is_better is False else 1

    @property
    def scale(self) -> float:
        """The size of the scores, to which rounding is relative."""
        return float(np.abs(self.scores).max())

    @property
    def width(self) -> int:
        """Columns of all systems side by side."""
        columns: int = self.rows.shape[2]
        return self.systems * columns

    def differing(self, a: int, b: int) -> int:
        """The number of units in which two systems' counts are not the same."""
        return int((self.rows[:, a] != self.rows[:, b]).any(axis=1).sum())

    def unit_means(self, needed_by: str) -> NDArray[np.float64]:
        """The scores of units, shaped (unit, system), of a metric that is their mean."""
        if not self.metric.is_mean:
            expected = "a metric that is a mean over segments"
            raise SettingError(needed_by, self.label, expected)
        if self.rows.shape[2] != 2 or (self.rows[..., 1] != 1).any():
            expected = "one score for every segment and system, with segments as units"
            raise SettingError(needed_by, "missing or grouped scores", expected)
        return self.rows[..., 0]

    def jackknife_scores(self) -> NDArray[np.float64]:
        """Each system's score without one unit, shaped (unit, system)."""
        return self.metric.score(self.sums - self.rows)


def count_all(test_set: TestSet, metrics: Sequence[Metric], units: Units) -> list[Counted]:
    """The counts of every metric; each metric reads the texts once."""
    return [
        Counted.of(label, metric, metric.count(test_set).array(), units)
        for label, metric in zip(metric_labels(metrics), metrics, strict=True)
    ]


def side_by_side(counted: Sequence[Counted]) -> NDArray[np.float64]:
    """The counts of all metrics and systems in one row per unit: one draw serves them all."""
    rows = [one.rows.reshape(len(one.rows), -1) for one in counted]
    return rows[0] if len(rows) == 1 else np.concatenate(rows, axis=1)


def apart(sums: NDArray[np.float64], counted: Sequence[Counted]) -> list[NDArray[np.float64]]:
    """Sums of rows that stood side by side, by metric: each shaped (replicate, system, column)."""
    ends = np.cumsum([one.width for one in counted])
    parts = np.split(sums, ends[:-1], axis=1)
    return [
        part.reshape(len(part), *one.rows.shape[1:])
        for part, one in zip(parts, counted, strict=True)
    ]
