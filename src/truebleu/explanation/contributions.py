"""Contributions of segments to a difference between two systems, which add up to it exactly.

Let S be a system's summed statistics and f the score. On the straight path from the sums of the
second system to those of the first, the difference is the integral of the gradient of f:

    f(S_a) - f(S_b) = g · (S_a - S_b),  g = mean gradient along the path

So segment i, whose rows differ by d_i, contributes g · d_i: the Aumann-Shapley value of replacing
one system's output by the other's, segment by segment. Any grouping of segments adds up as well,
and so does any grouping of columns.

How few segments or documents carry a difference: removing a segment moves it by about its
influence, the gradient of each score times its row. So the segments with the largest influence are
removed one by one, and the difference is computed anew after each (Broderick, Giordano & Meager
2020). The count is an upper limit of the smallest set. It says how fragile a result is, and is no
licence to remove anything.
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
    """The contribution of each segment to a difference.

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


def _require_alike(name: str, first: Values, second: Values) -> None:
    if first.ndim != 2 or first.shape != second.shape:
        expected = f"a matrix of the same shape as the other's, {first.shape}"
        raise SettingError(name, second.shape, expected)


def split_difference(metric: Scorer, first: Values, second: Values) -> Contributions:
    """Split the difference between two systems' scores into contributions of segments.

    Args:
        metric: scorer whose scores differ.
        first: counts of the first system, shaped (segment, column).
        second: counts of the second system, shaped alike.
    """
    _require_alike("second", first, second)
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

    A path is halved wherever the integral misses the difference of the scores at both ends, until
    the pieces around a kink (equal lengths under a brevity penalty, say) are too short to matter.

    Args:
        metric: scorer whose gradient is averaged.
        start: sums where each path begins, shaped (path, column).
        end: sums where each path ends.
        tolerance: by how much a piece may miss, relative to the scores.

    Returns:
        Gradients shaped (path, column), and the unattributed rest of each path.
    """
    _require_alike("end", start, end)
    if not 0 < tolerance < 1:
        raise SettingError("tolerance", tolerance, "a number between 0 and 1")
    # An array of whole numbers is no argument of the core.
    starts, ends = start.astype(np.float64), end.astype(np.float64)
    return _core.mean_gradients(metric.native() or metric, starts, ends, tolerance)


# How few segments or documents a difference depends on.


# How far from where the approximation puts it the test may find its own threshold.
FARTHEST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragility:
    """How few segments or documents a difference depends on.

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


def _removals(metric: Scorer, rows: Values) -> tuple[NDArray[np.int64], Values]:
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
    metric: Scorer,
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


def _approximate_p(metric: Scorer, rows: Values, units: Units, kept: NDArray[np.bool_]) -> float:
    """Swaps turn the signs of units' contributions, whose sum is then about normal."""
    contributions = split_difference(metric, rows[kept, 0], rows[kept, 1])
    by_unit = np.bincount(
        units.of_segment[kept], weights=contributions.by_segment, minlength=len(units)
    )
    spread = sqrt(float(np.square(by_unit).sum()))
    return erfc(abs(contributions.difference) / (sqrt(2) * spread)) if spread else 1.0


# N-grams and typography: which words a difference comes from. A column of matches is a sum over
# n-grams, so its contribution is the sum of theirs. Typography is measured otherwise, and for every
# native metric: quotes, dashes, case or spacing of all texts are made alike, and the difference is
# computed again.


# N-grams that are tested: those that vary most, whichever system they favour.
TESTED = 200
# An n-gram of fewer units can hardly be significant.
FEWEST_UNITS = 6

QUOTES = "\"'`´‘’‚‛“”„‟«»‹›「」『』＂＇"
DASHES = "-‐‑‒–—―−"


@dataclass(frozen=True, slots=True, eq=False)
class NgramEffects:
    """Contributions of n-grams to a difference.

    Attributes:
        ngrams: the tokens of each, with single spaces between them.
        contributions: of each, in the metric's points.
        segments: in how many segments the systems match it differently often.
        examples: for each the numbers of the segments with the largest effect, counted from 0.
        tested: the numbers of the n-grams that are tested.
        by_unit: their contributions, shaped (unit, tested n-gram).
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
    """What each n-gram contributes; None where the metric does not match n-grams.

    Args:
        metric: whose scores differ.
        test_set: the texts.
        pair: the names of the two systems.
        contributions: to the difference.
        units: what the test swaps as a whole.
    """
    matches = metric.ngram_matches(test_set, *pair)
    if matches is None or not len(matches.ngram):
        return None
    count = len(matches.ngrams)
    effects = contributions.gradient[matches.columns][matches.ngram] * matches.difference
    # The effects by n-gram and unit.
    keys, which = np.unique(
        matches.ngram * len(units) + units.of_segment[matches.segment], return_inverse=True
    )
    by_place = _added_up(which, effects, len(keys))
    ngram, unit = keys // len(units), keys % len(units)
    # Chosen by what swaps leave as it is, so that the choice favours neither system.
    spread = _added_up(ngram, by_place**2, count)
    spread[np.bincount(ngram, minlength=count) < FEWEST_UNITS] = 0.0
    tested = np.sort(np.argsort(-spread, kind="stable")[:TESTED])
    tested = tested[spread[tested] > 0]
    column = np.full(count, -1)
    column[tested] = np.arange(len(tested))
    chosen = column[ngram] >= 0
    by_unit = np.zeros((len(units), len(tested)))
    by_unit[unit[chosen], column[ngram[chosen]]] = by_place[chosen]

    def examples(number: int) -> tuple[int, ...]:
        here = np.flatnonzero(matches.ngram == number)
        first = here[np.argsort(-np.abs(effects[here]), kind="stable")]
        return tuple(matches.segment[first][:5].tolist())

    return NgramEffects(
        ngrams=matches.ngrams,
        contributions=_added_up(matches.ngram, effects, count),
        segments=np.bincount(matches.ngram, minlength=count),
        examples=examples,
        tested=tested,
        by_unit=by_unit,
    )


def _added_up(places: NDArray[np.int64], values: Values, count: int) -> Values:
    return np.asarray(np.bincount(places, weights=values, minlength=count), dtype=np.float64)


# What makes texts alike in one respect; each is applied to outputs and references.
_QUOTE = re.compile(f"[{re.escape(QUOTES)}]+")
_DASH = re.compile(f"[{re.escape(DASHES)}]+")
_SPACE = re.compile(r"[\s\u200b\u2060\ufeff]+")
TYPOGRAPHY: Mapping[str, Callable[[str], str]] = {
    "quotes": lambda text: _QUOTE.sub('"', text),
    "dashes": lambda text: _DASH.sub("-", text),
    "case": str.lower,
    "spacing": lambda text: _SPACE.sub(" ", text).strip(),
}


def alike(test_set: TestSet, pair: Sequence[str], kind: str) -> TestSet | None:
    """Two systems and the references, made alike in one respect; None where that changes none."""
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
