"""Contributions of segments to a difference between two systems, which add up to it exactly.

Let S be a system's summed statistics and f the score. On the straight path from the second
system's sums to the first system's, the difference is the integral of the gradient of f:

    f(S_a) - f(S_b) = g · (S_a - S_b),  g = mean gradient along the path

So segment i, whose rows differ by d_i, contributes g · d_i: the Aumann-Shapley value of replacing
one system's output by the other's, segment by segment. Any grouping of segments adds up as well,
and so does any grouping of columns.

Fragility counts the segments or documents that a difference depends on. Removing a segment changes
the difference by about its influence, the gradient of each score times its row. So the segments
with the largest influence are removed one by one, and the difference is recomputed after each
(Broderick, Giordano & Meager 2020). The count is an upper bound on the smallest such set. It shows
how fragile a result is, but does not justify removing anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import erfc, sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np

from truebleu import _core
from truebleu.errors import SettingError
from truebleu.schema import ComparedByValue

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from truebleu.metrics.base import Metric, Scorer
    from truebleu.resampling import Units, Values

    Test = Callable[[NDArray[np.bool_]], float]
    from collections.abc import Mapping, Sequence

    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import TestSet

__all__ = ["Contributions", "Fragility", "mean_gradient", "split_difference"]


@dataclass(frozen=True, slots=True, eq=False)
class Contributions(ComparedByValue):
    """Contributions of segments to a difference.

    Attributes:
        difference: score of the first system minus score of the second.
        by_segment: contribution of each segment, in the metric's points.
        gradient: mean gradient along the path, by column.
        rows: the first system's statistics minus the second's, shaped (segment, column).
        unattributed: remainder of the difference; 0 unless the score is discontinuous along the
            path.
    """

    difference: float
    by_segment: Values
    gradient: Values
    rows: Values
    unattributed: float

    def by_column(self) -> Values:
        """Compute the contribution of each column."""
        return np.asarray(self.gradient * self.rows.sum(axis=0))


def _require_same_shape(name: str, first: Values, second: Values) -> None:
    if first.ndim != 2 or first.shape != second.shape:
        expected = f"a matrix with the shape of the other system's matrix, {first.shape}"
        raise SettingError(name, second.shape, expected)


def split_difference(metric: Scorer, first: Values, second: Values) -> Contributions:
    """Split the difference between two systems' scores into contributions of segments.

    Args:
        metric: scorer whose scores differ.
        first: counts of the first system, shaped (segment, column).
        second: counts of the second system, with the same shape.
    """
    _require_same_shape("second", first, second)
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
    metric: Scorer, start: Values, end: Values, *, tolerance: float = 1e-13
) -> tuple[Values, Values]:
    """Compute mean gradients on straight paths between sums, and the unattributed differences.

    A path is halved if its integral misses the difference of the scores at both ends, until the
    pieces around a kink (equal lengths under a brevity penalty, say) are too short to matter.

    Args:
        metric: scorer whose gradient is averaged.
        start: sums where each path begins, shaped (path, column).
        end: sums where each path ends.
        tolerance: largest error of a piece's integral, relative to the scores.

    Returns:
        Gradients shaped (path, column), and the unattributed difference of each path.
    """
    _require_same_shape("end", start, end)
    if not 0 < tolerance < 1:
        raise SettingError("tolerance", tolerance, "a number between 0 and 1")
    # The core takes only arrays of floats.
    starts, ends = start.astype(np.float64), end.astype(np.float64)
    return _core.mean_gradients(metric.native() or metric, starts, ends, tolerance)


# Fragility: the segments or documents that a difference depends on.


# Largest distance between the threshold by the test and by the approximation.
FARTHEST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragility:
    """Number of segments or documents that a difference depends on.

    Attributes:
        removed: kind of units that are removed.
        total: number of these units.
        until_sign_turns: number of removals that reverse the sign; None if removing nine tenths
            does not.
        until_not_significant: number of removals that end significance; None if the difference was
            not significant anyway, or stays significant until the sign reverses.
    """

    removed: Literal["segment", "document"]
    total: int
    until_sign_turns: int | None
    until_not_significant: int | None


def fragility(
    metric: Scorer,
    rows: Values,
    groups: Units,
    units: Units,
    *,
    significant: bool,
    alpha: float,
    test: Test,
) -> Fragility:
    """Count the removals of segments or documents that reverse a difference or its significance.

    Args:
        metric: scorer whose scores differ.
        rows: statistics of the two systems, shaped (segment, 2, column).
        groups: units to remove.
        units: units that the test swaps.
        significant: True if the difference is significant with all segments.
        alpha: significance level.
        test: function from a mask of segments to the p-value on these segments.
    """
    by_group = groups.add_up(rows)
    order, differences = _removals(metric, by_group)
    reversals = np.flatnonzero(differences * differences[0] <= 0)
    until_sign = int(reversals[0]) if len(reversals) and differences[0] else None
    ends = None
    if significant:
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))

        def remaining(count: int) -> NDArray[np.bool_]:
            return rank[groups.of_segment] >= count

        maximum = until_sign if until_sign is not None else len(differences) - 1
        ends = _threshold(metric, rows, units, remaining, maximum, alpha, test)
    return Fragility(
        removed="document" if groups.kind == "document" else "segment",
        total=len(groups),
        until_sign_turns=until_sign,
        until_not_significant=ends,
    )


def _removals(metric: Scorer, rows: Values) -> tuple[NDArray[np.int64], Values]:
    """Order rows by their influence; return the order and the difference after 0, 1, 2, … removals.

    A tenth of the rows always stays, to have scores.
    """
    sums = rows.sum(axis=0)
    scores, gradients = metric.score(sums), metric.gradient(sums)
    influence = rows[:, 0] @ gradients[0] - rows[:, 1] @ gradients[1]
    sign = 1.0 if scores[0] >= scores[1] else -1.0
    order = np.argsort(-sign * influence, kind="stable")
    maximum = len(rows) - max(1, len(rows) // 10)
    removed = np.concatenate([np.zeros_like(rows[:1]), rows[order[:maximum]].cumsum(axis=0)])
    remaining = metric.score(sums - removed)
    return order, remaining[:, 0] - remaining[:, 1]


def _threshold(
    metric: Scorer,
    rows: Values,
    units: Units,
    remaining: Callable[[int], NDArray[np.bool_]],
    maximum: int,
    alpha: float,
    test: Test,
) -> int | None:
    """Return the smallest number of removals after which the test does not reject.

    A normal approximation of the swaps gives the region to search; the test itself decides.
    """
    low, high = 0, maximum
    while high - low > 1:
        middle = (low + high) // 2
        if _approximate_p(metric, rows, units, remaining(middle)) > alpha:
            high = middle
        else:
            low = middle
    count = max(1, high)
    if test(remaining(count)) > alpha:
        for fewer in range(count - 1, max(0, count - FARTHEST), -1):
            if test(remaining(fewer)) <= alpha:
                return fewer + 1
        return max(1, count - FARTHEST + 1)
    for more in range(count + 1, min(maximum, count + FARTHEST) + 1):
        if test(remaining(more)) > alpha:
            return more
    return None


def _approximate_p(metric: Scorer, rows: Values, units: Units, mask: NDArray[np.bool_]) -> float:
    """Approximate p: swaps change signs of units' contributions, so their sum is about normal."""
    contributions = split_difference(metric, rows[mask, 0], rows[mask, 1])
    by_unit = np.bincount(
        units.of_segment[mask], weights=contributions.by_segment, minlength=len(units)
    )
    spread = sqrt(float(np.square(by_unit).sum()))
    return erfc(abs(contributions.difference) / (sqrt(2) * spread)) if spread else 1.0


# N-grams and typography. A column of matches is a sum over n-grams, so its contribution is the sum
# of the n-grams' contributions. Typography is measured in another way, for every native metric: the
# difference is recomputed after unifying quotes, dashes, case or spacing in all texts.


# Number of n-grams to test: the most variable ones, whichever system they favour.
TESTED = 200
# Fewest units in which an n-gram can be significant.
FEWEST_UNITS = 6

QUOTES = "\"'`´‘’‚‛“”„‟«»‹›「」『』＂＇"
DASHES = "-‐‑‒–—―−"


@dataclass(frozen=True, slots=True, eq=False)
class NgramEffects:
    """Contributions of n-grams to a difference.

    Attributes:
        ngrams: tokens of each n-gram, separated by single spaces.
        contributions: contribution of each n-gram, in the metric's points.
        segments: number of segments in which the two systems' match counts of each n-gram differ.
        examples: function from the index of an n-gram to the indices of the segments with its
            largest effects.
        tested: indices of the n-grams to test.
        by_unit: contributions of these n-grams, shaped (unit, tested n-gram).
    """

    ngrams: Sequence[str]
    contributions: Values
    segments: NDArray[np.int64]
    examples: Callable[[int], tuple[int, ...]]
    tested: NDArray[np.int64]
    by_unit: Values


def ngram_effects(
    metric: Metric,
    test_set: TestSet,
    pair: tuple[str, str],
    contributions: Contributions,
    units: Units,
) -> NgramEffects | None:
    """Compute the contribution of each n-gram, or return None if the metric matches none.

    Args:
        metric: metric whose scores differ.
        test_set: texts of the systems and references.
        pair: names of the two systems.
        contributions: contributions of segments to the difference.
        units: units that the test swaps.
    """
    matches = metric.ngram_matches(test_set, *pair)
    if matches is None or not len(matches.ngram):
        return None
    count = len(matches.ngrams)
    effects = contributions.gradient[matches.columns][matches.ngram] * matches.difference
    # Sum effects by n-gram and unit.
    keys, which = np.unique(
        matches.ngram * len(units) + units.of_segment[matches.segment], return_inverse=True
    )
    by_place = _sum_by(which, effects, len(keys))
    ngram, unit = keys // len(units), keys % len(units)
    # Swaps do not change squared effects, so that this choice favours neither system.
    spread = _sum_by(ngram, by_place**2, count)
    spread[np.bincount(ngram, minlength=count) < FEWEST_UNITS] = 0.0
    tested = np.sort(np.argsort(-spread, kind="stable")[:TESTED])
    tested = tested[spread[tested] > 0]
    column = np.full(count, -1)
    column[tested] = np.arange(len(tested))
    chosen = column[ngram] >= 0
    by_unit = np.zeros((len(units), len(tested)))
    by_unit[unit[chosen], column[ngram[chosen]]] = by_place[chosen]

    def examples(number: int) -> tuple[int, ...]:
        matching = np.flatnonzero(matches.ngram == number)
        first = matching[np.argsort(-np.abs(effects[matching]), kind="stable")]
        return tuple(matches.segment[first][:5].tolist())

    return NgramEffects(
        ngrams=matches.ngrams,
        contributions=_sum_by(matches.ngram, effects, count),
        segments=np.bincount(matches.ngram, minlength=count),
        examples=examples,
        tested=tested,
        by_unit=by_unit,
    )


def _sum_by(indices: NDArray[np.int64], values: Values, count: int) -> Values:
    return np.asarray(np.bincount(indices, weights=values, minlength=count), dtype=np.float64)


# Normalization of each kind of typography, for outputs and references.
_QUOTE = re.compile(f"[{re.escape(QUOTES)}]+")
_DASH = re.compile(f"[{re.escape(DASHES)}]+")
_SPACE = re.compile(r"[\s\u200b\u2060\ufeff]+")
TYPOGRAPHY: Mapping[str, Callable[[str], str]] = {
    "quotes": lambda text: _QUOTE.sub('"', text),
    "dashes": lambda text: _DASH.sub("-", text),
    "case": str.lower,
    "spacing": lambda text: _SPACE.sub(" ", text).strip(),
}


def normalize_typography(test_set: TestSet, pair: Sequence[str], kind: str) -> TestSet | None:
    """Unify one kind of typography in two systems and the references; None if nothing changes."""
    change = TYPOGRAPHY[kind]
    changed = False

    def text(segments: TextLike) -> list[str | None]:
        nonlocal changed
        before = list(segments)
        after = [None if segment is None else change(segment) for segment in before]
        changed = changed or after != before
        return after

    systems = {name: text(test_set.systems[name]) for name in pair}
    references = tuple(text(reference) for reference in test_set.references)
    if not changed:
        return None
    return replace(test_set, systems=systems, references=references, warnings=())
