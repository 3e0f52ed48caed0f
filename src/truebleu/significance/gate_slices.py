"""Slices of a gate: is the new system worse on a part of the test set?

A new system may be as good overall and worse in one subject or domain. Each slice has the one-sided
test of a gate without a margin, and p-values are adjusted over all slices by Holm's method. So
equal systems fail by slices in at most 1 - level of all cases, in addition to the overall test. A
test that could hardly find a loss shows nothing: slices whose power to find a loss of the margin is
below one half, by a normal approximation, are not tested.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu import _core
from truebleu.significance.corrections import adjust
from truebleu.significance.groups import FEWEST_UNITS, segment_groups
from truebleu.significance.settings import units_of
from truebleu.significance.unit_counts import count_units

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from truebleu import schema
    from truebleu.counts.counts import Counts
    from truebleu.significance.groups import SegmentGroup
    from truebleu.significance.pairs import DifferenceBounds
    from truebleu.significance.unit_counts import UnitCounts

__all__ = ["GateSlice"]

# Indices of the new system and the old one.
PAIR = ((0, 1),)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSlice:
    """The new system on one slice by one metric.

    Attributes:
        metric: label of the metric.
        column: name of the labels that slice the test set.
        label: label of the slice.
        segments: number of segments or items.
        units: number of units.
        new_score: score of the new system.
        old_score: score of the old system.
        difference: new score minus old score.
        interval: interval of the difference, at the level of the gate's; None if not tested.
        p: p-value of the hypothesis that the new system is not worse; None if not tested.
        p_adjusted: p after Holm's correction over all tested slices and metrics.
        passed: False if the new system is significantly worse; None if the slice is not tested.
    """

    metric: str
    column: str
    label: str
    segments: int
    units: int
    new_score: float
    old_score: float
    difference: float
    interval: DifferenceBounds | None = None
    p: float | None = None
    p_adjusted: float | None = None
    passed: bool | None = None


def check_slices(
    counts: Counts,
    columns: Mapping[str, Sequence[str]],
    unit: schema.Unit | None,
    settings: Any,
    alpha: float,
    check: Callable[..., Sequence[Any]],
) -> tuple[GateSlice, ...]:
    """Check the new system, which is the first of two, on each slice.

    Args:
        counts: counts of both systems.
        columns: labels of all segments by name.
        unit: requested unit; None for the default.
        settings: settings of the gate.
        alpha: significance level.
        check: function that tests metrics without a margin; see `gate.check_metrics`.
    """
    groups = segment_groups(counts.outline, columns, unit, settings)
    needed = math.ceil(2 * len(groups) * len(counts.metrics) / alpha)
    replicates = max(settings.replicates, needed)
    slices: list[GateSlice] = []
    for group in groups:
        part = counts.subset(group.segments)
        of_group = replace(settings, unit=group.unit, margin=None, replicates=replicates)
        if group.units < FEWEST_UNITS:
            scores = [metric.scorer.score(metric.rows.floats().sum(0)) for metric in part.metrics]
            pairs = zip(counts.labels, scores, strict=True)
            slices += [_slice(group, label, *of_metric) for label, of_metric in pairs]
            continue
        for metric in count_units(part, units_of(part.outline, of_group)):
            scored = _slice(group, metric.label, *metric.scores)
            if settings.margin and not _has_power(metric, settings.margin, alpha):
                slices.append(scored)
                continue
            (tested,) = check([metric], of_group, alpha)
            slices.append(replace(scored, p=tested.p, interval=tested.interval))
    p = [of_slice.p for of_slice in slices if of_slice.p is not None]
    adjusted = iter(adjust(np.array(p), "holm").tolist() if p else ())
    return tuple(
        of_slice if of_slice.p is None else _decide(of_slice, next(adjusted), alpha)
        for of_slice in slices
    )


def _slice(group: SegmentGroup, metric: str, new: float, old: float) -> GateSlice:
    return GateSlice(
        metric=metric,
        column=group.column,
        label=group.label,
        segments=len(group.segments),
        units=group.units,
        new_score=float(new),
        old_score=float(old),
        difference=float(new - old),
    )


def _decide(of_slice: GateSlice, p_adjusted: float, alpha: float) -> GateSlice:
    return replace(of_slice, p_adjusted=p_adjusted, passed=p_adjusted > alpha)


def _has_power(statistics: UnitCounts, margin: float, alpha: float) -> bool:
    """Return whether a loss of the margin is significant with a power of one half or more."""
    (error,) = statistics.errors_of_pairs(PAIR).tolist()
    return bool(margin >= -_core.normal_quantile(alpha) * error)
