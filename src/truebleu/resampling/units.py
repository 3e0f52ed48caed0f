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
        return _units("segment", np.arange(count), strata)

    @classmethod
    def documents(cls, documents: Sequence[str], strata: Sequence[str] | None = None) -> Units:
        """All segments of a document together, wherever they stand."""
        numbers, names = _numbered(documents)
        return _units("document", numbers, strata, names)

    @classmethod
    def blocks(cls, count: int, length: int, strata: Sequence[str] | None = None) -> Units:
        """Blocks of so many consecutive segments.

        The last one may be shorter, and so may the last one before the stratum changes.
        """
        if isinstance(length, bool) or not isinstance(length, int) or not 1 <= length <= count:
            expected = f"a whole number from 1 to {count}, the number of segments"
            raise SettingError("block length", length, expected)
        places = np.arange(count)
        if strata is not None:
            _require_paired(strata, count)
            numbers, _ = _numbered(strata)
            new = np.diff(numbers, prepend=-1) != 0
            places -= np.maximum.accumulate(np.where(new, places, 0))
        return _units("block", np.cumsum(places % length == 0) - 1, strata)

    def add_up(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """The rows of each unit's segments added up: (segment, …) becomes (unit, …)."""
        if len(rows) != len(self.of_segment):
            raise UnpairedSegmentsError("rows", len(rows), "units", len(self.of_segment))
        steps = np.diff(self.of_segment)
        if (steps == 1).all():
            return rows
        of_segment = self.of_segment
        if (steps < 0).any():
            order = np.argsort(of_segment, kind="stable")
            of_segment, rows = of_segment[order], rows[order]
        first_of_unit = np.searchsorted(of_segment, np.arange(len(self)))
        return np.add.reduceat(rows, first_of_unit, axis=0)


def _units(
    kind: UnitKind,
    of_segment: NDArray[np.int64],
    strata: Sequence[str] | None,
    names: Sequence[str] | None = None,
) -> Units:
    """Units numbered as they appear, numbered anew in order of stratum where there are strata."""
    if strata is None:
        return Units(kind, of_segment, ((0, int(of_segment.max(initial=-1)) + 1),))
    _require_paired(strata, len(of_segment))
    stratum_of_segment, stratum_names = _numbered(strata)
    _, first = np.unique(of_segment, return_index=True)
    stratum_of_unit = stratum_of_segment[first]
    astray = np.flatnonzero(stratum_of_unit[of_segment] != stratum_of_segment)
    if len(astray):
        unit = int(of_segment[astray[0]])
        two = stratum_of_unit[unit], stratum_of_segment[astray[0]]
        found = " and ".join(repr(stratum_names[stratum]) for stratum in two)
        label = unit if names is None else names[unit]
        raise SettingError("strata", f"{label!r} in {found}", f"each {kind} in one stratum")
    number = np.empty_like(first)
    number[np.argsort(stratum_of_unit, kind="stable")] = np.arange(len(first))
    ends = np.cumsum(np.bincount(stratum_of_unit)).tolist()
    return Units(kind, number[of_segment], tuple(zip([0, *ends[:-1]], ends, strict=True)))


def _numbered(labels: Sequence[str]) -> tuple[NDArray[np.int64], list[str]]:
    """The number of each label, in order of appearance, and the labels by number."""
    numbers: dict[str, int] = {}
    each = (numbers.setdefault(label, len(numbers)) for label in labels)
    return np.fromiter(each, dtype=np.int64, count=len(labels)), list(numbers)


def _require_paired(strata: Sequence[str], segments: int) -> None:
    if len(strata) != segments:
        raise UnpairedSegmentsError("strata", len(strata), "segments", segments)
