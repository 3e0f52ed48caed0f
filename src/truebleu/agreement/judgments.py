"""Agreement with judgments of two outputs at a time, such as the relative rankings of WMT.

A judgment says of two systems on one item that the left is better, worse or tied. The metric's
scores of both are compared alike, and the pair falls into one of the five classes of `PairCounts`.
Two judgments of the same pair, by two people, are two pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truebleu import _core
from truebleu.agreement.coefficients import (
    FORMULAS,
    Coefficient,
    PairCounts,
    coefficient,
    from_classes,
    require_tie_threshold,
)
from truebleu.errors import SettingError
from truebleu.significance._checks import as_values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from truebleu.significance._checks import Values


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judgments:
    """Judgments as arrays, one element each.

    Attributes:
        left: the left system's row in the matrix of metric scores.
        right: the right system's row.
        item: the column.
        verdict: 1 where the left is better, -1 where it is worse, 0 where both are tied.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    item: NDArray[np.int64]
    verdict: NDArray[np.int64]

    def __post_init__(self) -> None:
        for name in ("left", "right", "item", "verdict"):
            array = np.asarray(getattr(self, name))
            if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
                found = f"{array.dtype} of shape {array.shape}"
                raise SettingError(name, found, "one whole number for each judgment")
            object.__setattr__(self, name, array.astype(np.int64))
        sizes = {len(self.left), len(self.right), len(self.item), len(self.verdict)}
        if len(sizes) > 1:
            expected = "left, right, item and verdict of the same length"
            raise SettingError("judgments", f"{sorted(sizes)} of them", expected)
        strange = self.verdict[np.abs(self.verdict) > 1]
        if strange.size:
            raise SettingError("verdict", int(strange[0]), "1 (left is better), 0 (tied) or -1")
        if (self.left == self.right).any():
            found = f"judgment {int(np.argmax(self.left == self.right)) + 1} of a system and itself"
            raise SettingError("judgments", found, "two systems in each")

    def __len__(self) -> int:
        return len(self.verdict)


def count_judgments_by_item(
    metric: ArrayLike, judgments: Judgments, *, epsilon: float = 0.0
) -> NDArray[np.int64]:
    """The five classes of the judgments of each item, shaped (item, class) as C, D, Th, Tm, Thm.

    Args:
        metric: scores shaped (system, item), higher for better.
        judgments: systems and items by their place in the matrix.
        epsilon: the metric ties a pair whose scores differ by no more than this.
    """
    scores = _as_scores(metric)
    for name, bound in (("left", 0), ("right", 0), ("item", 1)):
        indices = getattr(judgments, name)
        outside = indices[(indices < 0) | (indices >= scores.shape[bound])]
        if outside.size:
            what = ("systems", "items")[bound]
            expected = f"a number from 0 to {scores.shape[bound] - 1}: there are "
            raise SettingError(name, int(outside[0]), f"{expected}{scores.shape[bound]} {what}")
    counts = _core.judgment_counts(
        scores,
        left=judgments.left,
        right=judgments.right,
        item=judgments.item,
        verdict=judgments.verdict,
        epsilon=require_tie_threshold(epsilon),
    )
    return counts.astype(np.int64)


def count_judgments(metric: ArrayLike, judgments: Judgments, *, epsilon: float = 0.0) -> PairCounts:
    """The five classes of all judgments put together; see `count_judgments_by_item`.

    >>> arrays = {"left": [0, 0, 1], "right": [1, 2, 2], "item": [0, 0, 0], "verdict": [1, 0, -1]}
    >>> count_judgments([[3.0], [2.0], [2.0]], Judgments(**arrays)).classes
    (1, 0, 1, 1, 0)
    """
    return from_classes(count_judgments_by_item(metric, judgments, epsilon=epsilon).sum(axis=0))


def judged_value(
    metric: ArrayLike, judgments: Judgments, by: str | Coefficient
) -> tuple[float | None, str | None]:
    """A coefficient of all judgments put together, or None and the reason why.

    Args:
        metric: scores shaped (system, item), higher for better.
        judgments: systems and items by their place in the matrix.
        by: a coefficient that is made of the counts of pairs, with a number as epsilon.
    """
    chosen = coefficient(by) if isinstance(by, str) else by
    if chosen.name not in FORMULAS or chosen.calibrated:
        known = ", ".join(FORMULAS)
        raise SettingError("coefficient", chosen.label, f"one for judgments of pairs: {known}")
    counts = count_judgments(metric, judgments, epsilon=chosen.parameter)
    value = FORMULAS[chosen.name](counts)
    return value, _reason(counts, chosen) if value is None else None


def _reason(counts: PairCounts, chosen: Coefficient) -> str:
    if not counts.total:
        return "there are no judgments"
    ordered = counts.concordant + counts.discordant + counts.metric_ties
    if not ordered:
        return "people tie every pair"
    if chosen.name == "tau-13":
        return "no pair is ordered by people and by the metric"
    return "the metric ties every pair"


def _as_scores(metric: ArrayLike) -> Values:
    try:
        scores = as_values("metric", metric)
    except (TypeError, ValueError) as error:
        if isinstance(error, SettingError):
            raise
        expected = "a number for every system and item, shaped (system, item)"
        raise SettingError("metric", type(metric).__name__, expected) from error
    if scores.ndim != 2:
        raise SettingError("metric", scores.shape, "shape (system, item)")
    return scores
