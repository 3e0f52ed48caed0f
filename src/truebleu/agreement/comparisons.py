"""Agreement with comparisons: people say which of two outputs is better, as in WMT's rankings.

A judgment says of two systems on one segment that the left is better, worse or tied. The metric's
scores of both are compared alike, and the pair falls into one of the five classes of `PairCounts`.
Two judgments of the same pair, by two people, are two pairs.

Counts of classes add up over segments. So a replicate of a coefficient is a sum of rows, one per
segment, like that of any other metric, and a permutation swaps rows of two metrics.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from truebleu import _core
from truebleu._results import ComparedByValue
from truebleu.agreement.bootstrap import (
    BootstrapOptions,
    Replicates,
    Resample,
    SegmentStatistics,
    bootstrap_system_agreement,
    require_resample,
    units_of_segments,
)
from truebleu.agreement.coefficients import (
    PAIR_COEFFICIENTS,
    Coefficient,
    PairCounts,
    as_array,
    coefficient,
    from_classes,
    require_tie_threshold,
    value_of_counts,
)
from truebleu.agreement.tests import hybrid_test
from truebleu.errors import SettingError
from truebleu.resampling import Bootstrap, Swaps, as_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from truebleu._settings import Alternative
    from truebleu.agreement.tests import MetricTest
    from truebleu.resampling import Values

CLASSES = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judgments(ComparedByValue):
    """Judgments as arrays, one element each.

    Attributes:
        left: the left system's row in the matrix of metric scores.
        right: the right system's row.
        item: the column.
        verdict: 1 where the left is better, -1 where it is worse, 0 where both are tied.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    item: NDArray[np.int64]
    verdict: NDArray[np.int64]

    def __post_init__(self) -> None:
        for name in ("left", "right", "item", "verdict"):
            array = np.asarray(getattr(self, name))
            if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
                given = f"{array.dtype} of shape {array.shape}"
                raise SettingError(name, given, "one whole number for each judgment")
            object.__setattr__(self, name, array.astype(np.int64))
        sizes = {len(self.left), len(self.right), len(self.item), len(self.verdict)}
        if len(sizes) > 1:
            expected = "left, right, item and verdict of the same length"
            raise SettingError("judgments", f"{sorted(sizes)} of them", expected)
        strange = self.verdict[np.abs(self.verdict) > 1]
        if strange.size:
            raise SettingError("verdict", int(strange[0]), "1 (left is better), 0 (tied) or -1")
        if (self.left == self.right).any():
            first = int(np.argmax(self.left == self.right)) + 1
            given = f"judgment {first} of a system and itself"
            raise SettingError("judgments", given, "two systems in each")

    def __len__(self) -> int:
        return len(self.verdict)


def count_judgments_by_item(
    metric: ArrayLike, judgments: Judgments, *, epsilon: float = 0.0
) -> NDArray[np.int64]:
    """The five classes of the judgments of each item, shaped (item, class) as C, D, Th, Tm, Thm.

    Args:
        metric: scores shaped (system, item), higher for better.
        judgments: systems and items by their place in the matrix.
        epsilon: the metric ties a pair whose scores differ by no more than this.
    """
    scores = as_values("metric", as_array("metric", metric))
    if scores.ndim != 2:
        raise SettingError("metric", scores.shape, "shape (system, item)")
    for name, bound in (("left", 0), ("right", 0), ("item", 1)):
        indices = getattr(judgments, name)
        outside = indices[(indices < 0) | (indices >= scores.shape[bound])]
        if outside.size:
            what = ("systems", "items")[bound]
            expected = f"a number from 0 to {scores.shape[bound] - 1}: there are "
            raise SettingError(name, int(outside[0]), f"{expected}{scores.shape[bound]} {what}")
    counts = _core.judgment_counts(
        scores,
        left=judgments.left,
        right=judgments.right,
        item=judgments.item,
        verdict=judgments.verdict,
        epsilon=require_tie_threshold(epsilon),
    )
    return counts.astype(np.int64)


def count_judgments(metric: ArrayLike, judgments: Judgments, *, epsilon: float = 0.0) -> PairCounts:
    """The five classes of all judgments put together; see `count_judgments_by_item`.

    >>> arrays = {"left": [0, 0, 1], "right": [1, 2, 2], "item": [0, 0, 0], "verdict": [1, 0, -1]}
    >>> count_judgments([[3.0], [2.0], [2.0]], Judgments(**arrays)).classes
    (1, 0, 1, 1, 0)
    """
    return from_classes(count_judgments_by_item(metric, judgments, epsilon=epsilon).sum(axis=0))


def measure_judgments(
    metric: ArrayLike, judgments: Judgments, by: str | Coefficient
) -> tuple[float | None, str | None]:
    """A coefficient of all judgments put together, or None and the reason why.

    Args:
        metric: scores shaped (system, item), higher for better.
        judgments: systems and items by their place in the matrix.
        by: a coefficient that is made of the counts of pairs, with a number as epsilon.
    """
    chosen = coefficient(by) if isinstance(by, str) else by
    _require_countable(chosen)
    counts = count_judgments(metric, judgments, epsilon=chosen.parameter)
    value = value_of_counts(chosen.name, counts)
    return value, _reason(counts, chosen) if value is None else None


def _reason(counts: PairCounts, chosen: Coefficient) -> str:
    if not counts.total:
        return "there are no judgments"
    ordered = counts.concordant + counts.discordant + counts.metric_ties
    if not ordered:
        return "people tie every pair"
    if chosen.name == "tau-13":
        return "no pair is ordered by people and by the metric"
    return "the metric ties every pair"


def shares_of_wins(judgments: Judgments, systems: int) -> Values:
    """How often each system was preferred among its judgments that are no ties.

    Bojar et al. (2011), the ranking of WMT 2012. NaN for a system whose judgments are all ties.
    """
    wins, losses = np.zeros(systems), np.zeros(systems)
    for better in (1, -1):
        decisive = judgments.verdict == better
        winner, loser = (judgments.left, judgments.right)[::better]
        np.add.at(wins, winner[decisive], 1)
        np.add.at(losses, loser[decisive], 1)
    decided = wins + losses
    return np.where(decided > 0, wins / np.maximum(decided, 1), np.nan)


# --------------------------------------------------------------------------------------------------
# Intervals and tests.


def bootstrap_judgments(
    metrics: Mapping[str, Values],
    judgments: Judgments,
    by: Coefficient,
    *,
    resample: Resample,
    documents: Sequence[str] | None,
    replicates: int,
    seed: int,
) -> Replicates:
    """A coefficient of comparisons on bootstrap replicates of segments or documents.

    Only segments with a judgment are drawn, or documents with one: others tell nothing here.

    Args:
        metrics: scores shaped (system, segment) by name, higher for better.
        judgments: the comparisons.
        by: a coefficient made of counts of pairs.
        resample: "segments" or "documents".
        documents: the document of each segment, with "documents".
        replicates: how many.
        seed: of the draws.
    """
    require_resample(resample, replicates, seed)
    if resample.endswith("systems"):
        expected = "'segments' or 'documents' where people compared pairs"
        raise SettingError("resample", resample, expected)
    rows = _rows(metrics, judgments, by)
    judged = np.unique(judgments.item)
    # Refuses documents that do not fit.
    units_of_segments(resample, len(rows), documents)
    labels = None if documents is None else [documents[segment] for segment in judged]
    units = units_of_segments(resample, len(judged), labels)
    assert units is not None  # noqa: S101  # only where systems alone are drawn
    by_unit = np.ascontiguousarray(units.add_up(rows[judged]))
    sums = Bootstrap(replicates=replicates, seed=seed).sums(by_unit, units, 0, replicates)
    values = [
        [_value(by, classes) for classes in row.reshape(len(metrics), CLASSES)] for row in sums
    ]
    observed = {
        name: measure_judgments(scores, judgments, by)[0] for name, scores in metrics.items()
    }
    return Replicates(observed, np.array(values, dtype=np.float64), resample, seed)


def bootstrap_shares_of_wins(
    metrics: Mapping[str, SegmentStatistics],
    judgments: Judgments,
    by: Coefficient,
    **options: Unpack[BootstrapOptions],
) -> Replicates:
    """Metrics' system scores against shares of wins, on bootstrap replicates.

    A segment is drawn with all its comparisons. A share of wins is the mean of 1 for each win and 0
    for each loss, so that these are human scores of as many rows, beside those of the metrics.

    Args:
        metrics: what each metric counts, by name.
        judgments: the comparisons.
        by: the coefficient of the system scores.
        options: how replicates are drawn.
    """
    segments, systems = next(iter(metrics.values())).rows.shape[:2]
    decided = np.flatnonzero(judgments.verdict)
    human = np.full((systems, segments + len(decided)), np.nan)
    columns = segments + np.arange(len(decided))
    human[judgments.left[decided], columns] = judgments.verdict[decided] > 0
    human[judgments.right[decided], columns] = judgments.verdict[decided] < 0
    padded = {
        name: SegmentStatistics(
            np.concatenate([counted.rows, np.zeros((len(decided), *counted.rows.shape[1:]))]),
            counted.score,
        )
        for name, counted in metrics.items()
    }
    resample, documents = options["resample"], options["documents"]
    if resample != "systems":
        # The rows of one segment belong together like those of a document.
        labels = list(map(str, range(segments))) if documents is None else list(documents)
        options["documents"] = [*labels, *(labels[segment] for segment in judgments.item[decided])]
        options["resample"] = cast("Resample", resample.replace("segments", "documents"))
    return replace(bootstrap_system_agreement(human, padded, by, **options), resample=resample)


def judgment_permutation_test(
    metric1: ArrayLike,
    metric2: ArrayLike,
    judgments: Judgments,
    by: Coefficient,
    *,
    alternative: Alternative = "two-sided",
    permutations: int,
    seed: int,
) -> MetricTest:
    """Test whether two metrics agree differently well, by swapping the metrics on segments.

    Assumes that, were the metrics equally good, either's answers about a segment might as well be
    the other's, independently of other segments.

    Args:
        metric1: scores shaped (system, item), higher for better.
        metric2: the second metric's.
        judgments: the comparisons.
        by: a coefficient made of counts of pairs.
        alternative: "two-sided"; or, fixed beforehand, "greater" for metric 2 being better, "less"
            for metric 1.
        permutations: how many; all of them are made where they are no more than these.
        seed: of the permutations.
    """
    everything = _rows({"metric 1": metric1, "metric 2": metric2}, judgments, by)
    # Where both give the same answers, swapping changes nothing.
    differing = (everything[:, :CLASSES] != everything[:, CLASSES:]).any(axis=1)
    rows = np.ascontiguousarray(everything[differing])
    swaps = Swaps(replicates=permutations, seed=seed)
    exact = swaps.enumerates(len(rows))
    count = 2 ** len(rows) if exact else permutations
    if len(rows):
        swapped = swaps.sums(rows, 0, count, enumerated=exact)
    else:
        swapped = np.zeros((1, 2 * CLASSES))
    sums = everything.sum(axis=0)
    observed = _hybrid_values(by, sums, np.zeros_like(sums))
    return hybrid_test(
        [None if np.isnan(value) else value for value in observed],
        np.array(observed),
        np.array([_hybrid_values(by, sums, moved) for moved in swapped]),
        method="segments",
        alternative=alternative,
        exact=exact,
        seed=seed,
    )


def _rows(metrics: Mapping[str, ArrayLike], judgments: Judgments, by: Coefficient) -> Values:
    """The five classes of every metric side by side, one row per segment."""
    _require_countable(by)
    if not metrics:
        raise SettingError("metrics", {}, "the scores of at least one")
    counts = [
        count_judgments_by_item(scores, judgments, epsilon=by.parameter)
        for scores in metrics.values()
    ]
    return np.concatenate(counts, axis=1).astype(np.float64)


def _require_countable(by: Coefficient) -> None:
    """Refuse a coefficient that is not made of counts of pairs."""
    if by.name not in PAIR_COEFFICIENTS or by.calibrated:
        expected = f"one for comparisons of pairs: {', '.join(PAIR_COEFFICIENTS)}"
        raise SettingError("coefficient", by.label, expected)


def _value(by: Coefficient, classes: Values) -> float:
    """The coefficient of summed counts; NaN where it is undefined."""
    value = value_of_counts(by.name, from_classes(classes))
    return np.nan if value is None else value


def _hybrid_values(by: Coefficient, sums: Values, swapped: Values) -> list[float]:
    """Of both metrics, after the segments that were swapped changed sides."""
    (first, second), (from_first, from_second) = sums.reshape(2, -1), swapped.reshape(2, -1)
    moved = from_second - from_first
    return [_value(by, first + moved), _value(by, second - moved)]
