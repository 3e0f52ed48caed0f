"""Metrics that are counted and scored by the native code."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from truebleu.metrics.metric import Metric, rows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from truebleu._core import Scorer


class NativeMetric(Metric):
    """A metric that says how many columns it counts, and which native code scores their sums."""

    __slots__ = ()

    @property
    @abstractmethod
    def width(self) -> int:
        """The number of columns."""

    @abstractmethod
    def scorer(self) -> Scorer:
        """The native code that scores rows of sums."""

    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """The scores of summed rows, over any leading axes: one call, all replicates."""
        rows, shape = rows_of(sums, self.width)
        return self.scorer().scores(rows).reshape(shape)
