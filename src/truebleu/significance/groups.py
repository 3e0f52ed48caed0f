"""Groups of segments: scores and comparisons by domain, by document, by any column of labels.

Every group is scored from the counts of the whole test set, so that a metric counts, weighs and
tokenizes all groups alike. What is said of many groups at once is corrected for all of them:
p-values over the comparisons of all groups, and intervals so that those of all groups hold together
(Sidak 1967: groups are independent).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu._settings import checked
from truebleu.errors import SettingError
from truebleu.resampling import Swaps
from truebleu.significance.corrections import CORRECTIONS, adjust, smallest_factor
from truebleu.significance.tests import default_replicates, replicates_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu._settings import IntervalName, Unit
    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import CountedMetric
    from truebleu.significance.compare import Comparison, PairResult
    from truebleu.significance.scores import Scores, SystemScores
    from truebleu.significance.settings import CompareSettings, ResamplingSettings

__all__ = ["GroupComparison", "GroupScores"]

# A group with fewer units is scored, and not tested.
FEWEST_UNITS = 10
# More comparisons than this would need more replicates than anybody waits for.
MOST_COMPARISONS = 2500


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupScores:
    """The scores of a group of segments.

    Attributes:
        column: what the segments are grouped by.
        label: of the group.
        segments: how many there are.
        unit: what was drawn as a whole; None without intervals.
        units: how many were drawn; None without intervals.
        systems: their scores; the intervals of all groups of the column hold together.
    """

    column: str
    label: str
    segments: int
    unit: Unit | None
    units: int | None
    systems: tuple[SystemScores, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        values = _plain(self)
        if self.unit is None:
            del values["unit"], values["units"]
        return {**values, "systems": [system.to_dict() for system in self.systems]}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupComparison:
    """The comparisons of systems on a group of segments.

    Attributes:
        column: what the segments are grouped by.
        label: of the group.
        segments: how many there are.
        unit: what was drawn or swapped as a whole.
        units: how many.
        systems: the scores by name and metric's label.
        comparisons: every pair by every metric, adjusted for those of all groups; the simultaneous
            intervals of all groups of the column hold together. None at all where there are too
            few units to test.
    """

    column: str
    label: str
    segments: int
    unit: Unit
    units: int
    systems: Mapping[str, Mapping[str, float]]
    comparisons: tuple[PairResult, ...]

    @checked
    def of(self, metric: str) -> tuple[PairResult, ...]:
        """The comparisons by one metric."""
        return tuple(pair for pair in self.comparisons if pair.metric == metric)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            **_plain(self),
            "systems": [
                {"name": name, "scores": dict(scores)} for name, scores in self.systems.items()
            ],
            "comparisons": [pair.to_dict() for pair in self.comparisons],
        }


def _plain(group: GroupScores | GroupComparison) -> dict[str, Any]:
    names = ("column", "label", "segments", "unit", "units")
    return {name: getattr(group, name) for name in names}


@dataclass(frozen=True, slots=True)
class _Group:
    column: str
    label: str
    places: tuple[int, ...]
    unit: Unit
    units: int


def _groups(
    test_set: TestSet, columns: Mapping[str, Sequence[str]], unit: Unit | None, chosen: Unit
) -> list[_Group]:
    """The groups of all columns, in order of appearance.

    Where documents would be the unit by default and all groups of a column lie within documents,
    segments are.
    """
    found: list[_Group] = []
    for column, labels in columns.items():
        places: dict[str, list[int]] = {}
        for place, label in enumerate(labels):
            places.setdefault(label, []).append(place)
        documents = test_set.documents
        counts = {
            label: len(inside) if documents is None else len({documents[place] for place in inside})
            for label, inside in places.items()
        }
        of_column = chosen
        if unit is None and chosen == "document" and max(counts.values()) < 2:
            of_column = "segment"
        found += [
            _Group(
                column,
                label,
                tuple(inside),
                of_column,
                counts[label] if of_column == "document" else len(inside),
            )
            for label, inside in places.items()
        ]
    return found


def _level(level: float, groups: int) -> float:
    """The level of each of so many independent intervals that hold together at a level."""
    return float(level ** (1 / max(groups, 1)))


def score_groups(
    test_set: TestSet,
    metrics: Sequence[CountedMetric],
    columns: Mapping[str, Sequence[str]],
    *,
    unit: Unit | None,
    settings: ResamplingSettings | None,
    interval: IntervalName | None,
) -> tuple[GroupScores, ...]:
    """The scores of all groups; with settings, intervals that hold together in each column.

    Args:
        test_set: the whole one.
        metrics: which have counted it.
        columns: labels of all segments by name.
        unit: what was asked for; None leaves the choice.
        settings: of the whole test set's intervals; None for no intervals.
        interval: what was asked for; None leaves the choice.
    """
    chosen = "segment" if settings is None else settings.unit
    groups = _groups(test_set, columns, unit, chosen)
    results = []
    for group in groups:
        options: dict[str, Any] = {}
        if settings is not None and _blocks(group, settings) > 1:
            siblings = [other for other in groups if other.column == group.column]
            options = {
                **_resampling(group, settings, interval),
                "confidence": True,
                "level": _level(settings.level, len(siblings)),
            }
        scores = _score(test_set, metrics, group, options)
        results.append(
            GroupScores(
                column=group.column,
                label=group.label,
                segments=len(group.places),
                unit=None if settings is None else group.unit,
                units=None if settings is None else _blocks(group, settings),
                systems=scores.systems,
            )
        )
    return tuple(results)


def _score(
    test_set: TestSet,
    metrics: Sequence[CountedMetric],
    group: _Group,
    options: Mapping[str, Any],
) -> Scores:
    from truebleu.significance.scores import score

    parts = [metric.part(group.places) for metric in metrics]
    return score(test_set.part(group.places), metrics=parts, **options)


def _resampling(
    group: _Group, settings: ResamplingSettings, interval: IntervalName | None
) -> dict[str, Any]:
    return {
        "replicates": settings.replicates,
        "seed": settings.seed,
        "unit": group.unit,
        "block_length": settings.block_length,
        "by_domain": settings.by_domain,
        "interval": interval,
    }


def _blocks(group: _Group, settings: ResamplingSettings) -> int:
    """How many units a group has."""
    if settings.block_length is None or group.unit != "block":
        return group.units
    return -(-len(group.places) // settings.block_length)


def compare_groups(
    test_set: TestSet,
    metrics: Sequence[CountedMetric],
    columns: Mapping[str, Sequence[str]],
    settings: CompareSettings,
    pairs: int,
    *,
    unit: Unit | None,
    replicates: int | None,
    interval: IntervalName | None,
) -> tuple[GroupComparison, ...]:
    """The comparisons of all groups, adjusted for all of them.

    Args:
        test_set: the whole one.
        metrics: which have counted it.
        columns: labels of all segments by name.
        settings: of the whole test set's comparison.
        pairs: how many are compared.
        unit: what was asked for; None leaves the choice.
        replicates: what was asked for; None for as many as the comparisons need.
        interval: what was asked for; None leaves the choice.
    """
    groups = _groups(test_set, columns, unit, settings.unit)
    tested = [group for group in groups if _blocks(group, settings) >= FEWEST_UNITS]
    family = len(tested) * pairs
    if family > MOST_COMPARISONS:
        found = f"{len(tested)} groups with {pairs} comparisons each"
        expected = f"at most {MOST_COMPARISONS:,} comparisons; fewer groups, or a baseline"
        raise SettingError("by", found, expected)
    correction = settings.p_value_correction
    settings = replace(
        settings, replicates=_enough(settings, correction, family, tested, replicates)
    )
    results = []
    for group in groups:
        compared = None
        if group in tested:
            columns_of = [other.column for other in tested]
            level = _level(settings.level, columns_of.count(group.column))
            compared = _compare(test_set, metrics, group, settings, interval, level)
            scores = {
                name: {label: result.score for label, result in by.items()}
                for name, by in compared.systems.items()
            }
        else:
            scored = _score(test_set, metrics, group, {})
            scores = {
                name: {label: score.score for label, score in by.items()}
                for name, by in scored.items()
            }
        results.append(
            GroupComparison(
                column=group.column,
                label=group.label,
                segments=len(group.places),
                unit=group.unit,
                units=_blocks(group, settings),
                systems=scores,
                comparisons=() if compared is None else compared.comparisons,
            )
        )
    return _adjusted(results, correction, settings.alpha)


def _enough(
    settings: CompareSettings,
    correction: str,
    family: int,
    tested: Sequence[_Group],
    replicates: int | None,
) -> int:
    """As many replicates as the comparisons of all groups need, or those that were asked for."""
    if replicates is None:
        return max(settings.replicates, default_replicates(correction, family, settings.alpha))
    factor = smallest_factor(correction, max(family, 1), alone=False)
    least = replicates_for(settings.alpha / factor)
    exact = all(
        Swaps(replicates=replicates).enumerates(_blocks(group, settings)) for group in tested
    )
    if replicates < least and not exact:
        title = CORRECTIONS[correction].short_title
        expected = f"at least {least:,} for {family:,} comparisons of groups corrected by {title}"
        raise SettingError("replicates", replicates, expected)
    return replicates


def _compare(
    test_set: TestSet,
    metrics: Sequence[CountedMetric],
    group: _Group,
    settings: CompareSettings,
    interval: IntervalName | None,
    level: float,
) -> Comparison:
    from truebleu.significance.compare import compare

    return compare(
        test_set.part(group.places),
        metrics=[metric.part(group.places) for metric in metrics],
        **_resampling(group, settings, interval),
        test=settings.test,
        level=level,
        correction="none",
        alternative=settings.alternative,
        baseline=settings.baseline,
    )


def _adjusted(
    groups: Sequence[GroupComparison], correction: str, alpha: float
) -> tuple[GroupComparison, ...]:
    """The groups with p-values adjusted over all of them, metric by metric."""
    labels = {pair.metric for group in groups for pair in group.comparisons}
    by_label: dict[str, Iterator[float]] = {}
    for label in labels:
        p = [pair.p for group in groups for pair in group.of(label)]
        by_label[label] = iter(adjust(np.array(p), correction).tolist())
    results = []
    for group in groups:
        comparisons = []
        for pair in group.comparisons:
            p_adjusted = next(by_label[pair.metric])
            comparisons.append(
                replace(
                    pair,
                    p_adjusted=p_adjusted,
                    significant=p_adjusted <= alpha,
                    simultaneous_interval=pair.simultaneous_interval or pair.interval,
                )
            )
        results.append(replace(group, comparisons=tuple(comparisons)))
    return tuple(results)
