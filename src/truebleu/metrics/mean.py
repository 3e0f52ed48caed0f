"""Metrics whose score is the mean of a score per segment: the statistics are (sum, count)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from truebleu import _core
from truebleu.errors import SettingError
from truebleu.metrics.metric import Metric, Score, rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from truebleu._core import Statistics


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanScore(Score):
    """The mean over so many segments."""

    segments: int

    def __str__(self) -> str:
        return f"{self.name} = {self.score:.4f} (segments = {self.segments})"


class MeanMetric(Metric):
    """A metric that scores each segment, however it likes, and a text by the mean of them."""

    __slots__ = ()

    is_mean: ClassVar[bool] = True
    # Such scores are often between 0 and 1.
    digits: ClassVar[int] = 4

    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """The means of summed rows, over any leading axes; a sum of no scores is refused."""
        rows, shape = rows_of(sums, 2)
        if not (rows[:, 1] > 0).all():
            self._refuse_no_scores()
        return (rows[:, 0] / rows[:, 1]).reshape(shape)

    def segment_scores(self, rows: NDArray[np.float64]) -> list[tuple[float | None, ...]]:
        """Each system's scores of single segments; None where a segment has none."""
        return [
            tuple(total / count if count else None for total, count in system.tolist())
            for system in rows.swapaxes(0, 1)
        ]

    def describe(self, sums: Sequence[float], references: int | None) -> MeanScore:
        """The mean of one row of sums, and over how many segments it is."""
        total, count = sums
        if not count > 0:
            self._refuse_no_scores()
        return MeanScore(
            score=total / count,
            signature=self.signature.with_references(references),
            segments=int(count),
        )

    def _refuse_no_scores(self) -> None:
        expected = (
            "at least one score in every sum; there are too few scores to resample if a resampled "
            "test set can have none"
        )
        raise SettingError(f"{self.name}: sums", "a count of 0", expected)


def mean_statistics(scores: Sequence[Sequence[float | None]]) -> Statistics:
    """Statistics of systems' segment scores; a missing one is a row of zeros, count included."""
    import numpy as np

    columns = np.array([[np.nan if s is None else s for s in system] for system in scores])
    present = ~np.isnan(columns)
    rows = np.stack([np.where(present, columns, 0.0), present], axis=-1)
    return _core.Statistics(np.ascontiguousarray(rows.transpose(1, 0, 2), dtype=np.float64))
