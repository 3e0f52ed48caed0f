"""Intervals of agreement between system scores, whose segments are drawn before they are scored.

Every replicate draws segments or documents, gives each system the mean of its drawn human scores
and the metric its own score of the drawn segments (corpus BLEU of them, say), and correlates the
two over systems; or it draws systems; or both. `bootstrap` says what each of them assumes.

People often rate a part of the segments only, while metrics score all: replicates draw from all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from truebleu import _core
from truebleu.agreement.certainty.bootstrap import (
    REPLICATES,
    Over,
    Replicates,
    require_over,
    units_of_segments,
)
from truebleu.agreement.measures.cells import as_human, rated_cells
from truebleu.agreement.measures.grouping import measure_by
from truebleu.agreement.measures.measuring import measure_cells
from truebleu.errors import SettingError
from truebleu.resampling import Bootstrap, Units
from truebleu.resampling.exact import on_exact_grid
from truebleu.seeds import DEFAULT_SEED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from truebleu.agreement.measures.coefficients import Coefficient
    from truebleu.agreement.measures.grouping import Measure
    from truebleu.inference.arguments import Values

Score: TypeAlias = Callable[["Values"], "Values"]
# Numbers that a block of replicate sums may hold: 32 MB.
BLOCK_SIZE = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class SegmentStatistics:
    """What a metric counts in each segment, and how the sums become system scores.

    Attributes:
        rows: shaped (segment, system, column).
        score: scores of sums shaped (..., system, column), higher for better.
    """

    rows: Values
    score: Score


def mean_of_segments(scores: ArrayLike) -> SegmentStatistics:
    """A metric whose system score is the mean of its segment scores.

    Args:
        scores: shaped (system, segment).
    """
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise SettingError("metric", matrix.shape, "finite scores shaped (system, segment)")
    return SegmentStatistics(np.stack([matrix.T, np.ones_like(matrix.T)], axis=2), _mean)


def bootstrap_system_agreement(
    human: ArrayLike,
    metrics: Mapping[str, SegmentStatistics],
    coefficient: str | Coefficient,
    *,
    over: Over = "segments",
    documents: Sequence[str] | None = None,
    replicates: int = REPLICATES,
    seed: int = DEFAULT_SEED,
) -> Replicates:
    """Measure metrics by their system scores on bootstrap replicates.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated.
        metrics: by name, what each metric counts; see `mean_of_segments`.
        coefficient: the coefficient of the system scores, or its name.
        over: what is drawn.
        documents: the document of each segment, with "documents" and "documents+systems".
        replicates: how many.
        seed: of the draws.
    """
    require_over(over, replicates, seed)
    if not metrics:
        raise SettingError("metrics", 0, "at least one")
    everyone = _together(as_human(human), metrics)
    by = measure_by(coefficient)
    observed = [one.score(one.rows.sum(axis=0)) for one in everyone]
    units = units_of_segments(over, len(everyone[0].rows), documents)
    scores = _replicate_scores(everyone, units, replicates, seed)
    values = _core.system_agreement(
        scores[0],
        scores[1:],
        coefficient=by.coefficient.native_name,
        parameter=by.coefficient.parameter,
        seed=seed if over.endswith("systems") else None,
    )
    return Replicates(dict(zip(metrics, _measured(observed, by), strict=True)), values, over, seed)


def _together(human: Values, metrics: Mapping[str, SegmentStatistics]) -> list[SegmentStatistics]:
    """People as the first metric, then the others, for the systems that people rated.

    People's score of a system is the mean of the segments that they rated.
    """
    rated = rated_cells(human)
    systems = np.flatnonzero(rated.any(axis=1))
    if len(systems) < 2:
        raise SettingError("systems with human scores", len(systems), "at least two")
    rows = np.stack([np.where(rated, human, 0.0).T, rated.T.astype(np.float64)], axis=2)
    for name, metric in metrics.items():
        if metric.rows.ndim != 3 or metric.rows.shape[:2] != rows.shape[:2]:
            expected = f"rows for {rows.shape[:2]} segments and systems, as people have them"
            raise SettingError(name, metric.rows.shape, expected)
    everyone = [SegmentStatistics(rows, _mean), *metrics.values()]
    return [SegmentStatistics(one.rows[:, systems], one.score) for one in everyone]


def _mean(sums: Values) -> Values:
    """Sum over count; NaN where nothing was counted."""
    total, count = sums[..., 0], sums[..., 1]
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _measured(scores: list[Values], by: Measure) -> list[float | None]:
    people, *metrics = (one[:, np.newaxis] for one in scores)
    return [measure_cells(people, metric, by).value for metric in metrics]


def _replicate_scores(
    everyone: Sequence[SegmentStatistics], units: Units | None, replicates: int, seed: int
) -> Values:
    """The systems' scores on every replicate, shaped (people and metrics, replicate, system)."""
    systems = everyone[0].rows.shape[1]
    scores = np.empty((len(everyone), replicates, systems))
    if units is None:
        for number, one in enumerate(everyone):
            scores[number] = one.score(one.rows.sum(axis=0))
        return scores
    flat = [units.add_up(one.rows.reshape(len(one.rows), -1)) for one in everyone]
    rows = on_exact_grid(np.concatenate(flat, axis=1))
    ends = np.cumsum([one.shape[1] for one in flat])[:-1]
    bootstrap = Bootstrap(replicates=replicates, seed=seed)
    size = max(1, BLOCK_SIZE // rows.shape[1])
    for start in range(0, replicates, size):
        count = min(size, replicates - start)
        sums = bootstrap.sums(rows, units, start, count)
        for number, (one, part) in enumerate(zip(everyone, np.split(sums, ends, 1), strict=True)):
            scores[number, start : start + count] = one.score(part.reshape(count, systems, -1))
    return scores
