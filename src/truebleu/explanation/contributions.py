"""Contributions of segments to a difference between two systems, which add up to it exactly.

Let S be a system's summed statistics and f the score. On the straight path from the sums of the
second system to those of the first, the difference is the integral of the gradient of f:

    f(S_a) - f(S_b) = g · (S_a - S_b),  g = mean gradient along the path

So segment i, whose rows differ by d_i, contributes g · d_i: the Aumann-Shapley value of replacing
one system's output by the other's, segment by segment. Any grouping of segments adds up as well,
and so does any grouping of columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.metrics.base import Metric

    Values = NDArray[np.float64]

# Gauss-Legendre nodes and weights on [0, 1]: exact for polynomials up to degree 7.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)
NODES, WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2
# A part of the path that is this short holds a kink or a jump, and is left as it is.
DEEPEST = 48
# Parts that are cut at one depth, per path: kinks are few, the noise of a gradient is everywhere.
MOST_PARTS = 8
# By how much a gradient may be wrong, relative to its largest terms, before parts are cut.
NOISE = 1e-11
# What remains after integrating is rounding if it is this small, relative to the scores.
ROUNDING = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """What each segment contributes to a difference.

    Attributes:
        difference: score of the first system minus score of the second.
        by_segment: the contribution of each segment, in the metric's points.
        gradient: the mean gradient along the path, by column.
        rows: the first system's statistics minus the second's, shaped (segment, column).
        unattributed: what is left of the difference; 0 unless the score jumps along the path.
    """

    difference: float
    by_segment: Values
    gradient: Values
    rows: Values
    unattributed: float

    def by_column(self) -> Values:
        """What each column contributes."""
        return np.asarray(self.gradient * self.rows.sum(axis=0))


def split_difference(metric: Metric, first: Values, second: Values) -> Contributions:
    """Split the difference of two systems.

    Args:
        metric: whose scores differ.
        first: the statistics of the first system, shaped (segment, column).
        second: those of the second system.
    """
    sums = np.stack([first.sum(axis=0), second.sum(axis=0)])
    scores = metric.score(sums)
    gradient, unattributed = mean_gradient(metric, sums[None, 1], sums[None, 0])
    rows = first - second
    return Contributions(
        difference=float(scores[0] - scores[1]),
        by_segment=rows @ gradient[0],
        gradient=gradient[0],
        rows=rows,
        unattributed=float(unattributed[0]),
    )


def mean_gradient(
    metric: Metric, start: Values, end: Values, *, tolerance: float = 1e-13
) -> tuple[Values, Values]:
    """The mean gradient on the straight paths between sums, and what it leaves unattributed.

    A path is halved wherever the integral misses the difference of the scores at both ends, until
    the pieces around a kink (equal lengths under a brevity penalty, say) are too short to matter.

    Args:
        metric: whose gradient is averaged.
        start: sums where each path begins, shaped (path, column).
        end: sums where each path ends.
        tolerance: by how much a piece may miss, relative to the scores.

    Returns:
        Gradients shaped (path, column), and the unattributed rest of each path.
    """
    steps = end - start
    scores = np.stack([metric.score(start), metric.score(end)])
    scale = np.maximum(np.abs(scores).max(axis=0), 1e-300)
    gradient = np.zeros_like(steps)
    path = np.arange(len(steps))
    low, width, noise = np.zeros(len(steps)), 1.0, NOISE
    for depth in range(DEEPEST + 1):
        places = low[:, None] + width * NODES
        sums = start[path, None] + places[..., None] * steps[path, None]
        pieces = width * np.einsum("n,pnc->pc", WEIGHTS, metric.gradient(sums))
        ends = np.stack([low, low + width])[..., None] * steps[path] + start[path]
        at_ends = metric.score(ends)
        terms = pieces * steps[path]
        missed = np.abs(at_ends[1] - at_ends[0] - terms.sum(axis=1))
        # A gradient is good to some digits only, and its terms may cancel. One by differences has
        # fewer good digits, which shows where every part misses.
        size = np.abs(terms).sum(axis=1)
        cut = missed > tolerance * scale[path] + noise * size
        while cut.sum() > MOST_PARTS * len(steps):
            noise *= 10
            cut = missed > tolerance * scale[path] + noise * size
        if depth == DEEPEST:
            cut[:] = False
        np.add.at(gradient, path[~cut], pieces[~cut])
        if not cut.any():
            break
        width /= 2
        path, low = path[cut].repeat(2), low[cut].repeat(2)
        low[1::2] += width
    return _without_rounding(gradient, steps, scores[1] - scores[0], scale, tolerance)


def _without_rounding(
    gradient: Values, steps: Values, differences: Values, scale: Values, tolerance: float
) -> tuple[Values, Values]:
    """Spread a rest that is rounding over the columns, so that contributions add up to the end."""
    terms = gradient * steps
    rest = differences - terms.sum(axis=1)
    size = np.abs(terms).sum(axis=1)
    small = np.abs(rest) <= np.maximum(ROUNDING, 100 * tolerance) * scale
    spread = np.divide(rest, size, out=np.zeros_like(rest), where=small & (size > 0))
    # Terms on the side of the rest grow and the others shrink, all by the same share.
    gradient = gradient * (1 + spread[:, None] * np.sign(terms))
    return gradient, np.where(small, 0.0, rest)
