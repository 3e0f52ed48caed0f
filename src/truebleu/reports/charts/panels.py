"""A panel: one of the charts that stand side by side, or the only one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truebleu.reports.charts.data import Drawing

# Error bars of several series at one place stand side by side, this far apart at most, in pixels.
WIDEST_DODGE = 3.5


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart among several, or the only one: what is drawn in it, and how large it is.

    Attributes:
        drawing: what is drawn.
        name: the value of the panel's field, None for the only one.
        width: in pixels.
        height: in pixels.
        x_title: whether the horizontal axis says what it is; another panel's may say it.
        y_title: likewise.
        shared: the axes, x or y, that are those of all panels.
    """

    drawing: Drawing
    name: str | None
    width: float
    height: float
    x_title: bool = True
    y_title: bool = True
    shared: frozenset[str] = frozenset()

    @property
    def categories(self) -> tuple[str, ...] | None:
        """The labels along the horizontal axis that this panel has points of."""
        return self.drawing.categories_of(self.name)

    @property
    def spacing(self) -> float:
        """About how many pixels lie between neighbours along the horizontal axis."""
        if self.categories is not None:
            return self.width / max(1, len(self.categories)) / self._side_by_side
        return self.width / max(1, len(set(self.drawing.numbers("x", self.name))))

    @property
    def _side_by_side(self) -> int:
        return len(self.drawing.series) if self.drawing.crowded else 1

    @property
    def dodge(self) -> list[float]:
        """How far each series is moved aside on an axis of numbers, in pixels."""
        count = self._side_by_side
        step = min(WIDEST_DODGE, 0.5 * self.spacing / count)
        return [round((index - (count - 1) / 2) * step, 2) for index in range(count)]
