"""Intervals of soft pairwise accuracy, from sums over segments.

A replicate draws segments or documents and has p-values by the normal approximation, which needs
two sums over segments for each pair of systems: it costs as little as that of any other metric.
Segments are taken for independent draws from one population, or documents are.

The value depends on the number of segments: with ever more of them all p-values become 0 or 1. So
the interval is about test sets of this size. A replicate is a sample of a sample, whose p-values
are further apart than those of the data: replicates lie lower than the value on average, often by a
quarter of the interval's width. Percentiles are right nonetheless: of test sets of 200 segments
drawn from wmt21 en-de, about 95 % of the intervals covered the mean of all such test sets, but 75 %
of those that were mirrored at the value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truebleu.agreement.certainty.bootstrap import Over, Replicates, require_over, units_of_segments
from truebleu.agreement.certainty.soft_normal import normal_p, paired_systems
from truebleu.agreement.measures.cells import as_human, as_metric, rated_cells
from truebleu.errors import SettingError
from truebleu.resampling import Bootstrap
from truebleu.resampling.exact import on_exact_grid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.inference.arguments import Values
    from truebleu.resampling import Units

# Numbers that a block of replicate sums may hold: 32 MB.
BLOCK_SIZE = 1 << 22


def bootstrap_soft_accuracy(
    human: ArrayLike,
    metrics: Mapping[str, ArrayLike],
    observed: Mapping[str, float | None],
    *,
    over: Over = "segments",
    documents: Sequence[str] | None = None,
    replicates: int,
    seed: int,
) -> Replicates:
    """Soft pairwise accuracy of metrics on bootstrap replicates of segments or documents.

    Replicates are moved so that they lie around the observed value as they lie around that of the
    normal approximation.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated.
        metrics: the scores of each metric by its name, shaped alike; higher is better.
        observed: the value of each metric, by drawn signs.
        over: "segments" or "documents": with drawn systems it would be another statistic.
        documents: the document of each segment, with "documents".
        replicates: how many.
        seed: of the draws.
    """
    require_over(over, replicates, seed)
    if over.endswith("systems"):
        expected = "'segments' or 'documents' for soft pairwise accuracy"
        raise SettingError("over", over, expected)
    ratings = as_human(human)
    rated = rated_cells(ratings)
    pairs = paired_systems(rated)
    units_of_segments(over, ratings.shape[1], documents)  # refuses documents that do not fit
    # Segments that nobody rated are no part of what the interval is about.
    segments = np.flatnonzero(rated.any(axis=0))
    labels = None if documents is None else [documents[one] for one in segments.tolist()]
    units = units_of_segments(over, len(segments), labels)
    values = np.full((replicates, len(metrics)), np.nan)
    if units is None or not pairs.size:
        return Replicates(observed, values, over, seed)
    people = np.where(rated, ratings, 0.0)
    bootstrap = Bootstrap(replicates=replicates, seed=seed)
    # One metric at a time: the pairs of many systems and metrics would fill the memory.
    for number, (name, scores) in enumerate(metrics.items()):
        at = observed[name]
        if at is not None:
            rows = _rows((people, as_metric(name, scores, ratings)), rated, pairs)
            by_unit = on_exact_grid(units.add_up(rows[segments]))
            centre = _values(by_unit.sum(axis=0)[np.newaxis])[0]
            drawn = _replicate_values(by_unit, units, bootstrap)
            values[:, number] = (drawn - centre + at).clip(0.0, 1.0)
    return Replicates(observed, values, over, seed)


def _replicate_values(rows: Values, units: Units, bootstrap: Bootstrap) -> Values:
    values = np.empty(bootstrap.replicates)
    size = max(1, BLOCK_SIZE // rows.shape[1])
    for start in range(0, bootstrap.replicates, size):
        count = min(size, bootstrap.replicates - start)
        values[start : start + count] = _values(bootstrap.sums(rows, units, start, count))
    return values


def _rows(
    matrices: tuple[Values, Values], rated: NDArray[np.bool_], pairs: NDArray[np.intp]
) -> Values:
    """By segment: differences of all pairs by people and by the metric, squares, who is rated."""
    left, right = pairs
    both = (rated[left] & rated[right]).T
    differences = [(one[left] - one[right]).T * both for one in matrices]
    squares = [one**2 for one in differences]
    return np.concatenate([*differences, *squares, both.astype(np.float64)], axis=1)


def _values(sums: Values) -> Values:
    """1 - mean |p_h - p_m| of each replicate, over the pairs that it has.

    NaN where no segment of a replicate is rated for two systems.
    """
    parts = sums.reshape(len(sums), 5, -1)
    p = normal_p(parts[:, :2], parts[:, 2:4])
    shared = parts[:, 4] > 0
    distances = np.where(shared, np.abs(p[:, 1] - p[:, 0]), 0.0).sum(axis=1)
    count = shared.sum(axis=1)
    return np.where(count > 0, 1 - distances / np.maximum(count, 1), np.nan)
