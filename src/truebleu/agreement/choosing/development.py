"""Development and test: judged systems in two parts, one to choose on and one to report on.

Segments of one document go to the same part where documents are known: they resemble each other,
and a setting that fits half a document fits its other half better than it fits other text. Parts
are broad: taken in turn, over the whole test set. What people judged and what nobody judged are
split apart, so that each part has its share of both.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from truebleu.agreement.certainty.system_bootstrap import SegmentStatistics
from truebleu.agreement.human_items import shares_of_wins
from truebleu.agreement.measures.judgments import Judgments
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truebleu.agreement.human_items import People
    from truebleu.agreement.judged import Judged, JudgedMetric
    from truebleu.inference.arguments import Values

#: With fewer in a part nothing can be said of it.
FEWEST_UNITS = 2


def split_items(judged: Judged, share: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The items of the development part, and those of the test part.

    Args:
        judged: what people judged.
        share: of what was judged that should be development, above 0 and below 1.

    Raises:
        SettingError: when there is nothing to split, or too little.
    """
    is_number = isinstance(share, int | float) and not isinstance(share, bool)
    if not (is_number and 0 < share < 1):
        raise SettingError("development", share, "a share above 0 and below 1, such as 0.5")
    if judged.people.item == "system":
        expected = "human scores of segments to split, or a test set of its own to report on"
        raise SettingError("development", "human scores of whole systems", expected)
    units, what = _units(judged)
    judged_items = judged.people.judged_cells.any(axis=0)
    sizes = np.bincount(units, weights=judged_items)
    chosen = np.zeros(len(sizes), dtype=np.bool_)
    # Units with judgments by how much was judged in them; the others by their size.
    for some, weights in ((sizes > 0, sizes), (sizes == 0, np.bincount(units))):
        places = np.flatnonzero(some)
        chosen[places] = _in_turn(weights[places].tolist(), share)
    for part in (chosen, ~chosen):
        if (part & (sizes > 0)).sum() < FEWEST_UNITS:
            expected = (
                f"a share that leaves at least {FEWEST_UNITS} judged {what}s to each part, of the "
                f"{int((sizes > 0).sum())} that there are"
            )
            raise SettingError("development", share, expected)
    return np.flatnonzero(chosen[units]), np.flatnonzero(~chosen[units])


def part_of(judged: Judged, items: NDArray[np.int64]) -> Judged:
    """The same systems judged by some of the items only.

    Statistics that depend on the whole text, such as NIST's information, stay those of the whole.
    """
    documents = judged.documents
    if documents is not None:
        documents = tuple(documents[item] for item in items) if judged.by_segment else None
    return replace(
        judged,
        people=_people(judged.people, items),
        metrics={label: _metric(one, items) for label, one in judged.metrics.items()},
        documents=documents,
    )


def _units(judged: Judged) -> tuple[NDArray[np.int64], str]:
    """What each item is taken together with, as a number, and what that is called."""
    if judged.by_segment and judged.documents is not None:
        numbers = {name: n for n, name in enumerate(dict.fromkeys(judged.documents))}
        return np.array([numbers[name] for name in judged.documents]), "document"
    return np.arange(judged.people.size), judged.people.item


def _in_turn(weights: Sequence[float], share: float) -> list[bool]:
    """Which units are development: at each one the share so far stays as near as it can."""
    chosen, taken, total = [], 0.0, 0.0
    for weight in weights:
        total += weight
        takes = abs(taken + weight - share * total) <= abs(taken - share * total)
        taken += weight if takes else 0.0
        chosen.append(takes)
    return chosen


def _metric(one: JudgedMetric, items: NDArray[np.int64]) -> JudgedMetric:
    rows = np.ascontiguousarray(one.statistics.rows[items])
    statistics = SegmentStatistics(rows, one.statistics.score)
    return replace(
        one,
        items=None if one.items is None else np.ascontiguousarray(one.items[:, items]),
        systems=statistics.score(rows.sum(axis=0)),
        statistics=statistics,
    )


def _people(people: People, items: NDArray[np.int64]) -> People:
    names = None if people.names is None else tuple(people.names[item] for item in items)
    if people.judgments is not None:
        judgments = _judgments(people.judgments, items)
        means = shares_of_wins(judgments, len(people.systems))
        return replace(people, means=means, judgments=judgments, names=names, size=len(items))
    assert people.scores is not None  # noqa: S101  # whole systems are not split
    scores = np.ascontiguousarray(people.scores[:, items])
    # The documents of segments are of no use here: metrics have scored them already.
    return replace(
        people, means=_means(scores), scores=scores, labels=None, names=names, size=len(items)
    )


def _means(scores: Values) -> Values:
    """Each system's mean over what was judged of it; NaN where nothing was."""
    judged = ~np.isnan(scores)
    counts = judged.sum(axis=1)
    sums = np.where(judged, scores, 0.0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _judgments(judgments: Judgments, items: NDArray[np.int64]) -> Judgments:
    """The comparisons within some segments, with the segments numbered anew."""
    kept = np.isin(judgments.item, items)
    return Judgments(
        left=judgments.left[kept],
        right=judgments.right[kept],
        item=np.searchsorted(items, judgments.item[kept]),
        verdict=judgments.verdict[kept],
    )
