"""Comparisons of pairs resampled: intervals of a coefficient, and tests between metrics.

What a coefficient of comparisons is made of are counts of five classes, which add up over segments.
So a replicate is a sum of rows, one per segment, like that of any other metric.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from truebleu.agreement.certainty.bootstrap import Over, Replicates, require_over, units_of_segments
from truebleu.agreement.certainty.system_bootstrap import (
    SegmentStatistics,
    bootstrap_system_agreement,
)
from truebleu.agreement.measures.formulas import FORMULAS
from truebleu.agreement.measures.judgments import Judgments, count_judgments_by_item, judged_value
from truebleu.agreement.measures.pairs import from_classes
from truebleu.errors import SettingError
from truebleu.inference.p_values import randomization_p
from truebleu.resampling import Bootstrap, Swaps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.agreement.measures.coefficients import Coefficient
    from truebleu.inference.arguments import Values

CLASSES = 5


def bootstrap_judgments(
    metrics: Mapping[str, Values],
    judgments: Judgments,
    by: Coefficient,
    *,
    over: Over,
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
        over: "segments" or "documents".
        documents: the document of each segment, with "documents".
        replicates: how many.
        seed: of the draws.
    """
    require_over(over, replicates, seed)
    if over.endswith("systems"):
        expected = "'segments' or 'documents' where people compared pairs"
        raise SettingError("over", over, expected)
    rows = _rows(metrics, judgments, by)
    judged = np.unique(judgments.item)
    labels = None if documents is None else [documents[segment] for segment in judged]
    units = units_of_segments(over, len(judged), labels)
    assert units is not None  # noqa: S101  # only where systems alone are drawn
    by_unit = np.ascontiguousarray(units.add_up(rows[judged]))
    sums = Bootstrap(replicates=replicates, seed=seed).sums(by_unit, units, 0, replicates)
    values = [[_value(by, one) for one in row.reshape(len(metrics), CLASSES)] for row in sums]
    observed = {name: judged_value(one, judgments, by)[0] for name, one in metrics.items()}
    return Replicates(observed, np.array(values, dtype=np.float64), over, seed)


def bootstrap_shares_of_wins(
    metrics: Mapping[str, SegmentStatistics],
    judgments: Judgments,
    by: Coefficient,
    *,
    over: Over,
    documents: Sequence[str] | None,
    replicates: int,
    seed: int,
) -> Replicates:
    """Metrics' system scores against shares of wins, on bootstrap replicates.

    A segment is drawn with all its comparisons. A share of wins is the mean of 1 for each win and 0
    for each loss, so that these are human scores of as many rows, beside those of the metrics.

    Args:
        metrics: what each metric counts, by name.
        judgments: the comparisons.
        by: the coefficient of the system scores.
        over: what is drawn.
        documents: the document of each segment, where documents are drawn.
        replicates: how many.
        seed: of the draws.
    """
    segments, systems = next(iter(metrics.values())).rows.shape[:2]
    decided = np.flatnonzero(judgments.verdict)
    human = np.full((systems, segments + len(decided)), np.nan)
    columns = segments + np.arange(len(decided))
    human[judgments.left[decided], columns] = judgments.verdict[decided] > 0
    human[judgments.right[decided], columns] = judgments.verdict[decided] < 0
    padded = {
        name: SegmentStatistics(
            np.concatenate([one.rows, np.zeros((len(decided), *one.rows.shape[1:]))]), one.score
        )
        for name, one in metrics.items()
    }
    labels: list[str] | None = None
    if over != "systems":
        labels = list(map(str, range(segments))) if documents is None else list(documents)
        labels += [labels[segment] for segment in judgments.item[decided]]
    found = bootstrap_system_agreement(
        human,
        padded,
        by,
        # The rows of one segment belong together like those of a document.
        over=cast("Over", over.replace("segments", "documents")),
        documents=labels,
        replicates=replicates,
        seed=seed,
    )
    return replace(found, over=over)


def judgment_test(
    worse: Values,
    better: Values,
    judgments: Judgments,
    by: Coefficient,
    *,
    draws: int,
    seed: int,
) -> tuple[float, bool, int]:
    """Whether the better metric is truly better, by exchanging the metrics on segments.

    Assumes that, were the metrics equally good, either's answers about a segment might as well be
    the other's, independently of other segments.

    Returns:
        The one-sided p-value, whether it is of all exchanges that there are, and of how many.
    """
    everything = _rows({"worse": worse, "better": better}, judgments, by)
    # Where both give the same answers, an exchange changes nothing.
    differing = (everything[:, :CLASSES] != everything[:, CLASSES:]).any(axis=1)
    rows = np.ascontiguousarray(everything[differing])
    swaps = Swaps(replicates=draws, seed=seed)
    exact = swaps.enumerates(len(rows))
    count = 2 ** len(rows) if exact else draws
    if len(rows):
        taken = swaps.sums(rows, 0, count, enumerated=exact)
    else:
        taken = np.zeros((1, 2 * CLASSES))
    sums = everything.sum(axis=0)
    differences = np.array([_difference(by, sums, one) for one in taken], dtype=np.float64)
    observed = _difference(by, sums, np.zeros_like(sums))
    # A hybrid without a value counts as if it differed as much as the metrics do.
    differences = np.where(np.isnan(differences), observed, differences)
    p = randomization_p(observed, differences, "greater", exact=exact, scale=1.0)
    return float(p), exact, count


def _rows(metrics: Mapping[str, Values], judgments: Judgments, by: Coefficient) -> Values:
    """The five classes of every metric side by side, one row per segment."""
    if by.name not in FORMULAS or by.calibrated:
        known = ", ".join(FORMULAS)
        raise SettingError("coefficient", by.label, f"one for comparisons of pairs: {known}")
    counts = [
        count_judgments_by_item(one, judgments, epsilon=by.parameter) for one in metrics.values()
    ]
    return np.concatenate(counts, axis=1).astype(np.float64)


def _value(by: Coefficient, classes: Values) -> float:
    """The coefficient of summed counts; NaN where it is undefined."""
    value = FORMULAS[by.name](from_classes(classes))
    return np.nan if value is None else value


def _difference(by: Coefficient, sums: Values, taken: Values) -> float:
    """Better less worse, after the segments that were taken changed sides."""
    (worse, better), (from_worse, from_better) = sums.reshape(2, -1), taken.reshape(2, -1)
    moved = from_better - from_worse
    return _value(by, better - moved) - _value(by, worse + moved)
