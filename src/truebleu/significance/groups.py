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

    from truebleu.corpus.outline import Outline
    from truebleu.significance.settings import ResamplingSettings

# A group with fewer units is scored, and not tested.
FEWEST_UNITS = 10


@dataclass(frozen=True, slots=True)
class SegmentGroup:
    """The segments with one label.

    Attributes:
        column: what the segments are grouped by.
        label: of the group.
        segments: indices of its segments in the test set.
        unit: what is resampled or swapped as a whole.
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
    outline: Outline,
    columns: Mapping[str, Sequence[str]],
    unit: schema.Unit | None,
    settings: ResamplingSettings | None,
) -> list[SegmentGroup]:
    """Group the segments by all columns, in order of appearance.

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
