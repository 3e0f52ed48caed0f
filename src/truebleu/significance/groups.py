"""Groups of segments, which are scored and compared beside the whole test set.

Every group is scored from the counts of the whole test set, so that a metric counts, weighs and
tokenizes all groups alike. Statements about several groups are corrected for all of them:
p-values over the comparisons of all groups, and intervals so that those of all groups hold
together (Sidak 1967: groups are independent).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truebleu import schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import CountedMetric
    from truebleu.significance.settings import ResamplingSettings

# A group with fewer units is scored, and not tested.
FEWEST_UNITS = 10


@dataclass(frozen=True, slots=True)
class SegmentGroup:
    """The segments with one label.

    Attributes:
        column: what the segments are grouped by.
        label: of the group.
        places: of its segments in the test set.
        unit: what is drawn or swapped as a whole.
        units: how many.
    """

    column: str
    label: str
    places: tuple[int, ...]
    unit: schema.Unit
    units: int

    def values(self) -> dict[str, Any]:
        """What results say of a group."""
        return {
            "column": self.column,
            "label": self.label,
            "segments": len(self.places),
            "unit": self.unit,
            "units": self.units,
        }

    def part(
        self, test_set: TestSet, metrics: Sequence[CountedMetric]
    ) -> tuple[TestSet, list[CountedMetric]]:
        """The group as a test set of its own, and metrics that have counted it."""
        return test_set.part(self.places), [metric.part(self.places) for metric in metrics]

    def resampling(
        self,
        groups: Sequence[SegmentGroup],
        settings: ResamplingSettings,
        interval: schema.IntervalName | None,
    ) -> dict[str, Any]:
        """How it is resampled, so that the intervals of all groups of its column hold together.

        Args:
            groups: all that are resampled.
            settings: of the whole test set.
            interval: what was asked for; None leaves the choice.
        """
        siblings = sum(group.column == self.column for group in groups)
        return {
            "replicates": settings.replicates,
            "seed": settings.seed,
            "unit": self.unit,
            "block_length": settings.block_length,
            "by_domain": settings.by_domain,
            "interval": interval,
            # Each of so many independent intervals, so that all hold at the level.
            "level": float(settings.level ** (1 / siblings)),
        }


def segment_groups(
    test_set: TestSet,
    columns: Mapping[str, Sequence[str]],
    unit: schema.Unit | None,
    settings: ResamplingSettings | None,
) -> list[SegmentGroup]:
    """The groups of all columns, in order of appearance.

    Where documents would be the unit by default and all groups of a column lie within documents,
    segments are.

    Args:
        test_set: the whole one.
        columns: labels of all segments by name.
        unit: what was asked for; None leaves the choice.
        settings: of the whole test set; None where nothing is resampled.
    """
    groups: list[SegmentGroup] = []
    documents = test_set.documents or range(len(test_set))
    block = None if settings is None else settings.block_length
    for column, labels in columns.items():
        places: dict[str, list[int]] = {}
        for place, label in enumerate(labels):
            places.setdefault(label, []).append(place)
        of_column: schema.Unit = "segment" if settings is None else settings.unit
        counts = {label: len({documents[i] for i in inside}) for label, inside in places.items()}
        if unit is None and of_column == "document" and max(counts.values()) < 2:
            of_column = "segment"
        if of_column != "document":
            length = block if of_column == "block" and block is not None else 1
            counts = {label: -(-len(inside) // length) for label, inside in places.items()}
        groups += [
            SegmentGroup(column, label, tuple(inside), of_column, counts[label])
            for label, inside in places.items()
        ]
    return groups
