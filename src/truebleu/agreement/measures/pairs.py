"""Pairs of cells in five classes: ordered alike or not, tied by people, by the metric, by both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from truebleu import _core
from truebleu.agreement.measures.cells import as_human, as_metric
from truebleu.errors import SettingError, UnknownNameError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from truebleu.inference.arguments import Values

#: Which cells are compared with each other: all, those of one item, or those of one system.
Grouping: TypeAlias = Literal["none", "item", "system"]

GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
# Squares of larger scores, and sums of squares, would not fit into a float64.
LARGEST = 1e150


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCounts:
    """How many pairs fall into each class; every pair falls into one.

    Attributes:
        concordant: C, both scores differ, in the same direction.
        discordant: D, both scores differ, in opposite directions.
        human_ties: Th, people tie the pair and the metric does not.
        metric_ties: Tm, the metric ties the pair and people do not.
        both_ties: Thm, people and the metric tie it.
    """

    concordant: int = 0
    discordant: int = 0
    human_ties: int = 0
    metric_ties: int = 0
    both_ties: int = 0

    @property
    def total(self) -> int:
        """All pairs."""
        return sum(self.classes)

    @property
    def right(self) -> int:
        """The pairs that the metric has as people have them: C + Thm."""
        return self.concordant + self.both_ties

    @property
    def classes(self) -> tuple[int, int, int, int, int]:
        """C, D, Th, Tm, Thm."""
        return (
            self.concordant,
            self.discordant,
            self.human_ties,
            self.metric_ties,
            self.both_ties,
        )

    def __add__(self, other: PairCounts) -> PairCounts:
        return from_classes([a + b for a, b in zip(self.classes, other.classes, strict=True)])


def from_classes(classes: ArrayLike) -> PairCounts:
    """Counts from C, D, Th, Tm, Thm in this order."""
    concordant, discordant, human_ties, metric_ties, both_ties = (
        int(count) for count in np.asarray(classes)
    )
    return PairCounts(
        concordant=concordant,
        discordant=discordant,
        human_ties=human_ties,
        metric_ties=metric_ties,
        both_ties=both_ties,
    )


def count_pairs(
    human: ArrayLike, metric: ArrayLike, *, grouping: Grouping = "none", epsilon: float = 0.0
) -> PairCounts:
    """Count the pairs of cells within each group, and add the counts of all groups.

    Args:
        human: scores shaped (system, item), NaN where nobody rated; or one score per system.
        metric: scores of the same shape, higher for better.
        grouping: which cells make pairs.
        epsilon: the metric ties a pair whose scores differ by no more than this. People tie
            only what is equal.

    >>> count_pairs([4, 1, 2, 2, 3], [5, 1, 1, 4.8, 4.5]).classes
    (7, 1, 1, 1, 0)
    """
    cells, scores = as_cells(human, metric)
    require_grouping(grouping)
    counts = _core.pair_counts(
        cells, scores, grouping=grouping, epsilon=require_tie_threshold(epsilon)
    )
    return from_classes(counts)


class KeptPairs(NamedTuple):
    """Pairs that human scores keep apart, and those of them that the metric orders alike."""

    kept: int
    concordant: int

    @property
    def discordant(self) -> int:
        """All others: a metric tie is discordant too."""
        return self.kept - self.concordant


def count_kept_pairs(
    human: ArrayLike, metric: ArrayLike, *, grouping: Grouping = "none", threshold: float
) -> KeptPairs:
    """Count the pairs of kendall-like within each group, and add the counts of all groups.

    A pair is kept where its human scores differ by the threshold or more. With threshold 0 the
    pairs that people tie are kept too, and are never concordant.

    >>> count_kept_pairs([10, 35, 40, 40, 90], [1, 3, 2, 5, 5], threshold=25)
    KeptPairs(kept=7, concordant=6)
    """
    cells, scores = as_cells(human, metric)
    require_grouping(grouping)
    least = require_tie_threshold(threshold, "threshold")
    return KeptPairs(*_core.kept_pairs(cells, scores, grouping=grouping, threshold=least))


def as_cells(human: ArrayLike, metric: ArrayLike) -> tuple[Values, Values]:
    """Human and metric scores as checked matrices; one score per system makes one column."""
    columns = (_as_column("human", human), _as_column("metric", metric))
    cells = as_human(columns[0])
    scores = as_metric("metric", columns[1], cells)
    for name, matrix in (("human", cells), ("metric", scores)):
        if matrix.size and np.nanmax(np.abs(matrix), initial=0.0) > LARGEST:
            found = float(matrix.flat[np.nanargmax(np.abs(matrix))])
            raise SettingError(name, found, f"scores between -{LARGEST:g} and {LARGEST:g}")
    return cells, scores


def _as_column(name: str, scores: ArrayLike) -> Values:
    try:
        array = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        expected = "a number for every system and item, shaped (system, item)"
        raise SettingError(name, type(scores).__name__, expected) from error
    return array[:, np.newaxis] if array.ndim == 1 else array


def require_grouping(grouping: str) -> None:
    """Refuse a grouping that does not exist."""
    if grouping not in GROUPINGS:
        raise UnknownNameError("grouping", grouping, GROUPINGS)


def require_tie_threshold(epsilon: object, setting: str = "epsilon") -> float:
    """A tie threshold, refused unless it is a finite number from 0 up."""
    if isinstance(epsilon, (int, float, np.integer, np.floating)) and not isinstance(epsilon, bool):
        value = float(epsilon)
        if np.isfinite(value) and value >= 0:
            return value
    raise SettingError(setting, epsilon, "a finite number from 0 up")
