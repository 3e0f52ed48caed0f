"""What the linear view of a score misses: bias and spread of differences on small test sets.

BLEU's brevity penalty has a kink at output as long as the reference. A system that sits on it loses
by chance in length and never gains, so its score on small test sets is lower on average, by an
amount that falls only with the square root of their size. The jackknife of the pilot sees one side
of the kink. So the bootstrap's deviations of the sums are stretched by sqrt(pilot / units): they
then vary as the sums of a test set of so many units do, and the score of them shows what it does.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from truebleu import _core
from truebleu.resampling.exact import on_exact_grid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.inference.counted import Counted

# The linear part of each replicate is known and taken off, so that few will do.
REPLICATES = 2000


class Curvature:
    """Scores of two systems on stretched replicates of a pilot.

    Args:
        counted: the counts by unit.
        pair: the two systems.
        influence: of each unit on the difference of the pair.
        direction: 1, or -1 to turn the difference.
        seed: of the replicates.
    """

    def __init__(
        self,
        counted: Counted,
        pair: tuple[int, int],
        influence: NDArray[np.float64],
        direction: int,
        seed: int,
    ) -> None:
        rows = counted.rows[:, list(pair)]
        units, _, columns = rows.shape
        table = np.concatenate([rows.reshape(units, -1), influence[:, np.newaxis]], axis=1)
        table = on_exact_grid(table)
        drawn = _core.bootstrap_sums(
            table, strata=((0, units),), first=0, replicates=REPLICATES, seed=seed
        )
        deviations = drawn - table.sum(axis=0)
        self._metric = counted.metric
        self._units = units
        self._sums = rows.sum(axis=0)
        self._counts = (rows >= 0).all(axis=(0, 1))
        self._deviations = deviations[:, :-1].reshape(-1, 2, columns)
        self._linear = direction * deviations[:, -1] / units
        self._direction = direction
        self._difference = self._of(self._sums[np.newaxis])[0]
        self._known: dict[float, tuple[float, float]] = {}

    def at(self, units: int, factor: float = 1.0) -> tuple[float, float]:
        """The bias on so many units, and the spread as a multiple of the linear one.

        The factor stretches the deviations, for a spread that is larger by it.
        """
        stretch = factor * math.sqrt(self._units / units)
        if stretch not in self._known:
            self._known[stretch] = self._measure(stretch)
        return self._known[stretch]

    def _measure(self, stretch: float) -> tuple[float, float]:
        sums = self._sums + stretch * self._deviations
        # Counts cannot be negative, however far a stretched replicate would go.
        differences = self._of(np.where(self._counts, np.maximum(sums, 0.0), sums))
        linear = stretch * self._linear
        spread, curved = float(linear.std()), float(differences.std())
        # Stretched beyond all sense, as a handful of units are: the linear view has to do.
        if not (math.isfinite(curved) and curved > 0 and spread > 0):
            return 0.0, 1.0
        return float((differences - self._difference - linear).mean()), curved / spread

    def _of(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """The differences of pairs of sums, shaped (replicate, system, column)."""
        scores = self._metric.score(sums)
        return np.asarray(self._direction * (scores[:, 0] - scores[:, 1]))
