"""More segments or more references: what each number of references is worth (Zhang & Vogel 2004).

Zhang & Vogel (§4.2) compare relative intervals, since more references raise all scores. So does
this plan: a difference to detect is the same share of the scores with any number of references,
and the units that detect it are proportional to the variance of the difference over the squared
scores.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truebleu.counts.counting import count_texts
from truebleu.metrics.base import Metric
from truebleu.planning.power import influences
from truebleu.significance.unit_counts import UnitCounts, count_units

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.corpus.test_set import TestSet
    from truebleu.counts.counts import MetricCounts
    from truebleu.resampling import Units
    from truebleu.significance.unit_counts import Pair

__all__ = ["ReferencePlan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePlan:
    """A plan with a number of references.

    Attributes:
        references: number of references of each segment.
        ratio: units needed with these references over units needed with all of the pilot's, for a
            difference that is the same share of the scores.
        units_needed: number of units needed; None without a plan for the pilot's references.
        segments_needed: approximate number of segments in units_needed.
        translations: number of references of all these segments.
    """

    references: int
    ratio: float
    units_needed: int | None
    segments_needed: int | None
    translations: int | None

    @classmethod
    def of(
        cls, references: int, ratio: float, needed: int | None, segments_per_unit: float
    ) -> ReferencePlan:
        """Make the plan from the units that the pilot's number of references needs."""
        units = None if needed is None else math.ceil(round(needed * ratio, 6))
        segments = None if units is None else round(units * segments_per_unit)
        return cls(
            references=references,
            ratio=ratio,
            units_needed=units,
            segments_needed=segments,
            translations=None if segments is None else segments * references,
        )


def counts_by_references(
    texts: TestSet | None, metric: MetricCounts, units: Units
) -> Mapping[int, Sequence[UnitCounts]]:
    """Count texts with 1, 2, … of their references, and with all of them.

    Of each number the sets of successive references are taken, so that each reference is in
    equally many. Empty with one reference, and if texts are not in memory, have segments without
    some reference, or are scored by a metric that is not native.
    """
    scorer = metric.scorer
    count = 0 if texts is None else texts.references_per_segment or 0
    if texts is None or count < 2 or not isinstance(scorer, Metric) or scorer.native() is None:
        return {}
    return {
        size: [
            count_units(count_texts(texts.with_references(chosen), [scorer]), units)[0]
            for first in range(count if size < count else 1)
            for chosen in [[(first + index) % count for index in range(size)]]
        ]
        for size in range(1, count + 1)
    }


def reference_ratios(counts: Mapping[int, Sequence[UnitCounts]], pair: Pair) -> dict[int, float]:
    """Return the units needed with each number of references over those with all references.

    Empty if a system has a score of 0 with some of the references.
    """
    variances = {}
    for size, sets in counts.items():
        scales = [float(np.abs(statistics.scores[list(pair)]).mean()) for statistics in sets]
        if min(scales) <= 0:
            return {}
        relative = [
            influences(statistics, *pair).var() / scale**2
            for statistics, scale in zip(sets, scales, strict=True)
        ]
        variances[size] = float(np.mean(relative))
    return {size: variance / variances[max(variances)] for size, variance in variances.items()}
