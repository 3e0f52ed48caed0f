"""Why a measure has no value, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truebleu.agreement.measures.cells import rated_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.agreement.measures.grouping import Measure
    from truebleu.inference.arguments import Values

# What a group's cells are called, and the axis along which they lie.
CELLS = {
    "none": "every cell",
    "item": "all systems on every item",
    "system": "all items of every system",
}
AXES = {"none": None, "item": 0, "system": 1}
PAIRS = {"none": "", "item": " on one item", "system": " of one system"}
TOO_FEW = {
    "none": "fewer than two cells have a human score",
    "item": "no item has human scores of two systems",
    "system": "no system has human scores of two items",
}


def why_undefined(human: Values, metric: Values, measure: Measure) -> str:
    """Why no group has a value, of matrices that were checked."""
    grouping = measure.grouping
    axis = AXES[grouping]
    rated = rated_cells(human)
    exists = np.atleast_1d(rated.sum(axis=axis)) >= 2
    if not exists.any():
        return TOO_FEW[grouping]
    match measure.coefficient.definition.undefined:
        case "no order":
            return f"people tie every pair{PAIRS[grouping]}"
        case "no common order":
            return f"no pair{PAIRS[grouping]} is ordered by people and by the metric"
        case "nothing kept":
            least = measure.coefficient.parameter
            return f"no two human scores{PAIRS[grouping]} differ by {least:g} or more"
        case _:
            epsilon = measure.coefficient.parameter
            by_metric = _spread(metric, rated, axis)[exists] <= epsilon
            by_people = _spread(human, rated, axis)[exists] == 0
            return _constant(by_metric, by_people, grouping, epsilon)


def _constant(
    by_metric: NDArray[np.bool_], by_people: NDArray[np.bool_], grouping: str, epsilon: float
) -> str:
    same = f"scores within {epsilon:g} of each other" if epsilon else "the same score"
    if by_metric.all():
        return f"the metric gives {CELLS[grouping]} {same}"
    if by_people.all():
        return f"people give {CELLS[grouping]} the same score"
    return f"in each {grouping}, either people or the metric give all cells the same score"


def _spread(scores: Values, rated: NDArray[np.bool_], axis: int | None) -> Values:
    """The largest score of each group less the smallest; 0 for a group that nobody rated."""
    high = np.where(rated, scores, -np.inf).max(axis=axis, initial=-np.inf)
    low = np.where(rated, scores, np.inf).min(axis=axis, initial=np.inf)
    spread: Values = np.atleast_1d(np.where(high >= low, high - low, 0.0))
    return spread
