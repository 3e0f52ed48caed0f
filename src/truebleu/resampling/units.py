"""Units: which segments are drawn or swapped together, and within which strata.

Resampling segments one by one takes them for independent. Segments of one document are not: their
difficulty and their errors go together, and intervals that ignore it are too narrow. Drawing whole
documents, or blocks of consecutive segments where documents are unknown, keeps what goes together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from truebleu.errors import SettingError, UnpairedSegmentsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

UnitKind = Literal["segment", "document", "block"]


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The unit of each segment, counted from 0, and the ranges of units that are strata.

    Units of one stratum are numbered one after the other.
    """

    kind: UnitKind
    of_segment: NDArray[np.int64]
    strata: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        """The number of units."""
        return self.strata[-1][1]

    @classmethod
    def segments(cls, count: int, strata: Sequence[str] | None = None) -> Units:
        """Each segment by itself."""
        return _units("segment", list(range(count)), strata)

    @classmethod
    def documents(cls, documents: Sequence[str], strata: Sequence[str] | None = None) -> Units:
        """All segments of a document together, wherever they stand."""
        return _units("document", documents, strata)

    @classmethod
    def blocks(cls, count: int, length: int, strata: Sequence[str] | None = None) -> Units:
        """Blocks of so many consecutive segments; the last one may be shorter."""
        if isinstance(length, bool) or not isinstance(length, int) or not 1 <= length <= count:
            expected = f"a whole number from 1 to {count}, the number of segments"
            raise SettingError("block length", length, expected)
        return _units("block", [index // length for index in range(count)], strata)

    def add_up(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """The rows of each unit's segments added up: (segment, …) becomes (unit, …)."""
        if len(rows) != len(self.of_segment):
            raise UnpairedSegmentsError("rows", len(rows), "units", len(self.of_segment))
        order = np.argsort(self.of_segment, kind="stable")
        first_of_unit = np.searchsorted(self.of_segment[order], np.arange(len(self)))
        return np.add.reduceat(rows[order], first_of_unit, axis=0)


def _units(kind: UnitKind, labels: Sequence[object], strata: Sequence[str] | None) -> Units:
    """Number the units in order of stratum, and within it in order of appearance."""
    if strata is not None and len(strata) != len(labels):
        raise UnpairedSegmentsError("strata", len(strata), "segments", len(labels))
    stratum_of_unit: dict[object, str] = {}
    for index, label in enumerate(labels):
        stratum = "" if strata is None else strata[index]
        if stratum_of_unit.setdefault(label, stratum) != stratum:
            found = f"{label!r} in {stratum_of_unit[label]!r} and {stratum!r}"
            raise SettingError("strata", found, f"each {kind} in one stratum")
    names = list(dict.fromkeys(stratum_of_unit.values()))
    ordered = sorted(stratum_of_unit, key=lambda label: names.index(stratum_of_unit[label]))
    number = {label: index for index, label in enumerate(ordered)}
    sizes = [0] * len(names)
    for stratum in stratum_of_unit.values():
        sizes[names.index(stratum)] += 1
    ends = np.cumsum(sizes).tolist()
    return Units(
        kind,
        np.array([number[label] for label in labels], dtype=np.int64),
        tuple(zip([0, *ends[:-1]], ends, strict=True)),
    )
