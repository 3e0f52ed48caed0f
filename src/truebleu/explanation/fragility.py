"""How few segments or documents carry a difference.

Removing a segment moves the difference by about its influence, the gradient of each score times
its row. So the segments with the largest influence are removed one by one, and the difference is
computed anew after each (Broderick, Giordano & Meager 2020). The count is an upper limit of the
smallest set. It says how fragile a result is, and is no licence to remove anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from truebleu.explanation.contributions import split_difference

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from truebleu.metrics.base import Metric
    from truebleu.resampling import Units

    Values = NDArray[np.float64]
    #: The p-value of the difference between two systems on a part of the segments.
    Test = Callable[[NDArray[np.bool_]], float]

# How far from where the approximation puts it the test may find its own threshold.
FARTHEST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragility:
    """How few segments or documents a difference hangs on.

    Attributes:
        removed: what is removed.
        total: how many there are.
        until_sign_turns: how many removals turn the sign; None where no removal of most does.
        until_not_significant: how many end significance; None where it was not significant, or
            where nothing short of turning the sign does.
    """

    removed: Literal["segment", "document"]
    total: int
    until_sign_turns: int | None
    until_not_significant: int | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


def fragility(
    metric: Metric,
    rows: Values,
    groups: Units,
    units: Units,
    *,
    significant: bool,
    alpha: float,
    test: Test,
) -> Fragility:
    """How few segments or documents can be removed until a difference is gone.

    Args:
        metric: whose scores differ.
        rows: statistics of the two systems, shaped (segment, 2, column).
        groups: what is removed as a whole.
        units: what the test swaps as a whole.
        significant: whether the difference is significant with all segments.
        alpha: the significance level.
        test: the p-value on the segments that are kept.
    """
    by_group = groups.add_up(rows)
    order, differences = _removals(metric, by_group)
    turned = np.flatnonzero(differences * differences[0] <= 0)
    until_sign = int(turned[0]) if len(turned) and differences[0] else None
    ends = None
    if significant:
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))

        def kept(count: int) -> NDArray[np.bool_]:
            return place[groups.of_segment] >= count

        most = until_sign if until_sign is not None else len(differences) - 1
        ends = _threshold(metric, rows, units, kept, most, alpha, test)
    return Fragility(
        removed="document" if groups.kind == "document" else "segment",
        total=len(groups),
        until_sign_turns=until_sign,
        until_not_significant=ends,
    )


def _removals(metric: Metric, rows: Values) -> tuple[NDArray[np.int64], Values]:
    """The order of removals, and the difference after 0, 1, 2 … of them.

    The last tenth stays, or scores would be those of nothing.
    """
    sums = rows.sum(axis=0)
    scores, gradients = metric.score(sums), metric.gradient(sums)
    influence = rows[:, 0] @ gradients[0] - rows[:, 1] @ gradients[1]
    sign = 1.0 if scores[0] >= scores[1] else -1.0
    order = np.argsort(-sign * influence, kind="stable")
    most = len(rows) - max(1, len(rows) // 10)
    gone = np.concatenate([np.zeros_like(rows[:1]), rows[order[:most]].cumsum(axis=0)])
    left = metric.score(sums - gone)
    return order, left[:, 0] - left[:, 1]


def _threshold(
    metric: Metric,
    rows: Values,
    units: Units,
    kept: Callable[[int], NDArray[np.bool_]],
    most: int,
    alpha: float,
    test: Test,
) -> int | None:
    """The fewest removals after which the test finds nothing.

    A normal approximation of the swaps says where to look, and the test itself decides.
    """
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        if _approximate_p(metric, rows, units, kept(middle)) > alpha:
            high = middle
        else:
            low = middle
    count = max(1, high)
    if test(kept(count)) > alpha:
        for fewer in range(count - 1, max(0, count - FARTHEST), -1):
            if test(kept(fewer)) <= alpha:
                return fewer + 1
        return max(1, count - FARTHEST + 1)
    for more in range(count + 1, min(most, count + FARTHEST) + 1):
        if test(kept(more)) > alpha:
            return more
    return None


def _approximate_p(metric: Metric, rows: Values, units: Units, kept: NDArray[np.bool_]) -> float:
    """Swaps turn the signs of units' contributions, whose sum is then about normal."""
    found = split_difference(metric, rows[kept, 0], rows[kept, 1])
    by_unit = np.bincount(units.of_segment[kept], weights=found.by_segment, minlength=len(units))
    spread = sqrt(float(np.square(by_unit).sum()))
    return erfc(abs(found.difference) / (sqrt(2) * spread)) if spread else 1.0
