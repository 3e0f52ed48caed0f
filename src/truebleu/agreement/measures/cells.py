"""Cells: human and metric scores of every system on every segment, checked before anything is done.

Scores are shaped (system, segment), higher is better on both sides. A cell that nobody rated is NaN
among the human scores, here and nowhere else; what a metric says of such a cell is never looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truebleu.errors import SettingError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from truebleu.inference.arguments import Values


def as_human(human: ArrayLike) -> Values:
    """Human scores as a checked matrix (system, segment), in which NaN is an unrated cell."""
    scores = _as_matrix("human", human)
    if np.isinf(scores).any():
        raise SettingError("human", float("inf"), "finite numbers, NaN where nobody rated")
    return scores


def as_metric(name: str, metric: ArrayLike, human: Values) -> Values:
    """A metric's scores as a checked matrix, finite wherever there is a human score.

    Unrated cells hold 0 in the result.
    """
    scores = _as_matrix(name, metric)
    if scores.shape != human.shape:
        expected = f"the shape {human.shape} of the human scores: (system, segment)"
        raise SettingError(name, scores.shape, expected)
    rated = rated_cells(human)
    bad = rated & ~np.isfinite(scores)
    if bad.any():
        system, segment = (int(number) for number in np.argwhere(bad)[0])
        found = f"{scores[system, segment]} for system {system + 1}, segment {segment + 1}"
        raise SettingError(name, found, "a finite score in every cell that people rated")
    return np.where(rated, scores, 0.0)


def rated_cells(human: Values) -> NDArray[np.bool_]:
    """Which cells have a human score."""
    return ~np.isnan(human)


def _as_matrix(name: str, values: ArrayLike) -> Values:
    try:
        scores = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        expected = "a number for every system and segment, shaped (system, segment)"
        raise SettingError(name, type(values).__name__, expected) from error
    if scores.ndim != 2:
        raise SettingError(name, scores.shape, "shape (system, segment)")
    return scores
