"""Groups of segments, which are scored and compared in addition to the whole test set.

Every group is scored from the counts of the whole test set, so that a metric counts, weighs and
tokenizes all groups alike. Results of several groups are corrected for multiplicity: p-values and
intervals of differences over the comparisons of all groups, and intervals of scores so that those
of all groups are simultaneous (Šidák 1967: groups are independent).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu import schema
from truebleu.errors import SettingError
from truebleu.resampling import Swaps
from truebleu.significance.corrections import adjust
from truebleu.significance.results import GroupHeterogeneity
from truebleu.significance.settings import require_enough_replicates, units_of
from truebleu.significance.tests import default_replicates
from truebleu.significance.unit_counts import count_units

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.corpus.outline import Outline
    from truebleu.counts.counts import Counts
    from truebleu.resampling import Values
    from truebleu.significance.settings import CompareSettings, ResamplingSettings
    from truebleu.significance.unit_counts import Pair

# Fewest units of a group that is tested; smaller groups are only scored.
FEWEST_UNITS = 10
# Most comparisons of groups; more would need too many replicates to wait for.
MOST_COMPARISONS = 2500


@dataclass(frozen=True, slots=True)
class SegmentGroup:
    """The segments with one label.

    Attributes:
        column: name of the labels that group the segments.
        label: label of the group.
        segments: indices of the segments in the test set.
        unit: unit that is resampled or swapped as a whole.
        units: number of units.
    """

    column: str
    label: str
    segments: tuple[int, ...]
    unit: schema.Unit
    units: int

    def values(self) -> dict[str, Any]:
        """Return the fields of its results."""
        return {
            "column": self.column,
            "label": self.label,
            "segments": len(self.segments),
            "unit": self.unit,
            "units": self.units,
        }

    def resampling(
        self,
        groups: Sequence[SegmentGroup],
        settings: ResamplingSettings,
        interval: schema.IntervalName | None,
    ) -> dict[str, Any]:
        """Return options that make the intervals of all groups of the column simultaneous.

        Args:
            groups: all groups that are resampled.
            settings: settings of the whole test set.
            interval: requested interval; None for the default.
        """
        siblings = sum(group.column == self.column for group in groups)
        return {
            "replicates": settings.replicates,
            "seed": settings.seed,
            "unit": self.unit,
            "block_length": settings.block_length,
            "by_domain": settings.by_domain,
            "interval": interval,
            # Šidák: all `siblings` independent intervals then hold at the level.
            "level": float(settings.level ** (1 / siblings)),
        }


def segment_groups(
    outline: Outline,
    columns: Mapping[str, Sequence[str]],
    unit: schema.Unit | None,
    settings: ResamplingSettings | None,
) -> list[SegmentGroup]:
    """Group the segments by the labels of each column, in order of appearance.

    The unit is the segment if it would be the document by default and all groups of a column lie
    within documents.

    Args:
        outline: outline of the whole test set.
        columns: labels of all segments by name.
        unit: requested unit; None for the default.
        settings: settings of the whole test set; None if nothing is resampled.
    """
    groups: list[SegmentGroup] = []
    documents = outline.documents or range(outline.segments)
    block = None if settings is None else settings.block_length
    for column, labels in columns.items():
        indices: dict[str, list[int]] = {}
        for index, label in enumerate(labels):
            indices.setdefault(label, []).append(index)
        of_column: schema.Unit = "segment" if settings is None else settings.unit
        counts = {label: len({documents[i] for i in inside}) for label, inside in indices.items()}
        if unit is None and of_column == "document" and max(counts.values()) < 2:
            of_column = "segment"
        if of_column != "document":
            length = block if of_column == "block" and block is not None else 1
            counts = {label: -(-len(inside) // length) for label, inside in indices.items()}
        groups += [
            SegmentGroup(column, label, tuple(inside), of_column, counts[label])
            for label, inside in indices.items()
        ]
    return groups


def group_replicates(
    settings: CompareSettings, tested: Sequence[SegmentGroup], pairs: int, requested: int | None
) -> int:
    """Return the number of replicates for the comparisons of all groups, or the requested number.

    Args:
        settings: settings of the whole test set.
        tested: groups with enough units to be tested.
        pairs: number of pairs in each group.
        requested: requested number of replicates, or None.
    """
    family = len(tested) * pairs
    if family > MOST_COMPARISONS:
        found = f"{len(tested)} groups with {pairs} comparisons each"
        expected = f"at most {MOST_COMPARISONS:,} comparisons; fewer groups, or a baseline"
        raise SettingError("by", found, expected)
    if not tested:
        return settings.replicates
    correction, alpha = settings.p_value_correction, settings.alpha
    if requested is None:
        return max(settings.replicates, default_replicates(correction, family, alpha))
    swaps = Swaps(replicates=requested)
    if not all(swaps.enumerates(group.units) for group in tested):
        kind = "comparisons of groups"
        require_enough_replicates(requested, correction, family, alpha, kind=kind)
    return requested


def heterogeneity_of_groups(
    counts: Counts,
    groups: Sequence[SegmentGroup],
    pairs: Sequence[Pair],
    settings: ResamplingSettings,
) -> tuple[GroupHeterogeneity, ...]:
    """Test whether the differences of pairs vary between the groups of each column.

    Args:
        counts: counts of the whole test set.
        groups: groups with enough units.
        pairs: systems of each comparison.
        settings: settings of the whole test set.
    """
    from truebleu.significance.panel import heterogeneity

    tests: list[GroupHeterogeneity] = []
    for column in dict.fromkeys(group.column for group in groups):
        of_column = [group for group in groups if group.column == column]
        if len(of_column) < 2:
            continue
        estimates = [_differences(counts, group, pairs, settings) for group in of_column]
        # Shaped (group, metric, difference, error or degrees of freedom, pair).
        for index, label in enumerate(counts.labels):
            for pair, (a, b) in enumerate(pairs):
                numbers = np.array([of_group[index][:, pair] for of_group in estimates])
                differences, errors, degrees = numbers.T
                found = asdict(heterogeneity(differences, errors, settings.level, degrees))
                del found["prediction"]
                tests.append(
                    GroupHeterogeneity(
                        metric=label,
                        column=column,
                        a=counts.outline.systems[a],
                        b=counts.outline.systems[b],
                        groups=len(of_column),
                        p_adjusted=found["p"],
                        **found,
                    )
                )
    for label in counts.labels:
        chosen = [index for index, test in enumerate(tests) if test.metric == label]
        adjusted = adjust([tests[index].p for index in chosen], "holm").tolist()
        for index, p in zip(chosen, adjusted, strict=True):
            tests[index] = replace(tests[index], p_adjusted=p)
    return tuple(tests)


def _differences(
    counts: Counts, group: SegmentGroup, pairs: Sequence[Pair], settings: ResamplingSettings
) -> list[Values]:
    """Return the differences of pairs in a group, their errors and degrees, for each metric.

    Errors of pass/fail scores are too large rather than too small, without degrees of freedom.
    """
    part = counts.subset(group.segments)
    units = units_of(part.outline, replace(settings, unit=group.unit))
    estimates = []
    for metric in count_units(part, units):
        degrees = np.inf if metric.has_exact_test else len(units) - 1
        numbers = metric.differences(pairs), metric.difference_errors(pairs)
        estimates.append(np.stack([*numbers, np.full(len(pairs), degrees)]))
    return estimates
