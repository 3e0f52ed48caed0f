"""The average over runs as a metric: whatever can be asked of a score can be asked of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truebleu._core import Statistics
from truebleu.metrics.metric import Metric, Score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.corpus import TestSet
    from truebleu.metrics.signature import Signature


@dataclass(frozen=True, slots=True)
class RunAverage(Metric):
    """The mean of the scores of a system's runs.

    The outputs of a test set are the runs, one system after the other. A row has the counts of
    all runs of a system side by side, so resampling takes them together.
    """

    metric: Metric
    runs: int

    @property
    def name(self) -> str:
        """The name of the metric that is averaged."""
        return self.metric.name

    @property
    def higher_is_better(self) -> bool | None:
        """As of the metric that is averaged."""
        return self.metric.higher_is_better

    @property
    def digits(self) -> int:
        """As of the metric that is averaged."""
        return self.metric.digits

    @property
    def signature(self) -> Signature:
        """That of the metric that is averaged: the runs' scores have the same one."""
        return self.metric.signature

    def count(self, test_set: TestSet) -> Statistics:
        """The counts of each system's runs side by side."""
        return Statistics(self.by_system(self.metric.count(test_set).array()))

    def by_system(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Counts shaped (unit, output, column) with those of each system's runs side by side."""
        return np.ascontiguousarray(rows.reshape(len(rows), rows.shape[1] // self.runs, -1))

    def by_run(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Counts of runs side by side taken apart: the last axis becomes (run, column)."""
        return rows.reshape(*rows.shape[:-1], self.runs, -1)

    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """The mean of the runs' scores, over any leading axes."""
        rows = np.asarray(sums, dtype=np.float64)
        return np.asarray(self.metric.score(self.by_run(rows)).mean(axis=-1))

    def describe(self, sums: Sequence[float], references: int | None) -> Score:
        """The average of one row of sums."""
        signature = self.signature.with_references(references)
        return Score(score=float(self.score(sums)), signature=signature)
