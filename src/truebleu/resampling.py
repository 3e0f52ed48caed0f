"""Step 4, resample: rows of counts become the sums of many replicates, for any metric.

Resampling of segments assumes that they are independent. Segments of one document are not: their
difficulties and their errors are correlated, and intervals that ignore the correlation are too
narrow. Resampling whole documents, or blocks of consecutive segments if documents are unknown,
preserves the correlation.

Floating-point sums depend on the order of addition, and so on threads and machines. Sums of whole
numbers below 2**53 do not. So columns with fractions (TER's mean reference lengths, NIST's
information) are rounded to a grid that is so fine that scores change by less than a billionth, and
so coarse that no replicate's sum needs rounding.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truebleu import _core, schema
from truebleu.errors import SettingError, UnpairedSegmentsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


__all__ = ["Bootstrap", "Swaps", "Units", "on_exact_grid"]

Values: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]


# Units: segments that are resampled or swapped together, within strata.


@dataclass(frozen=True, slots=True, eq=False)
class Units(schema.ComparedByValue):
    """Unit of each segment, counted from 0, and strata as ranges of units.

    Units of one stratum are numbered consecutively.
    """

    kind: schema.Unit
    of_segment: NDArray[np.int64]
    strata: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        """Return the number of units."""
        return self.strata[-1][1]

    @classmethod
    def segments(cls, count: int, strata: Sequence[str] | None = None) -> Units:
        """Make a unit of each segment."""
        _require_segments(count)
        return _units("segment", np.arange(count), strata)

    @classmethod
    def documents(cls, documents: Sequence[str], strata: Sequence[str] | None = None) -> Units:
        """Make a unit of each document, whose segments need not be consecutive."""
        numbers, names = _numbered(documents)
        return _units("document", numbers, strata, names)

    @classmethod
    def blocks(cls, count: int, length: int, strata: Sequence[str] | None = None) -> Units:
        """Make units of `length` consecutive segments.

        The last block may be shorter, and so may the last block before the stratum changes.
        """
        _require_segments(count)
        if isinstance(length, bool) or not isinstance(length, int) or not 1 <= length <= count:
            expected = f"a whole number from 1 to {count}, the number of segments"
            raise SettingError("block length", length, expected)
        indices = np.arange(count)
        if strata is not None:
            _require_paired(strata, count)
            numbers, _ = _numbered(strata)
            new = np.diff(numbers, prepend=-1) != 0
            indices -= np.maximum.accumulate(np.where(new, indices, 0))
        return _units("block", np.cumsum(indices % length == 0) - 1, strata)

    def sort(self, names: Sequence[str]) -> Units:
        """Sort units within strata, and strata, by the first of their segments' names.

        Replicates then depend on names, and not on the order of segments.
        """
        first: dict[int, str] = {}
        for unit, name in zip(self.of_segment.tolist(), names, strict=True):
            first[unit] = min(first.get(unit, name), name)
        order, ends = [], [0]
        for units in sorted(sorted((first[u], u) for u in range(*span)) for span in self.strata):
            order += [unit for _, unit in units]
            ends.append(len(order))
        number = np.empty(len(order), np.int64)
        number[order] = np.arange(len(order))
        return Units(self.kind, number[self.of_segment], tuple(itertools.pairwise(ends)))

    def merge_equal(self, rows: Sequence[int]) -> Units:
        """Make units of one stratum that have equal segments, in any order, a single unit.

        Args:
            rows: a number for each segment, which equal segments share.
        """
        segments: list[list[int]] = [[] for _ in range(len(self))]
        for unit, row in zip(self.of_segment.tolist(), rows, strict=True):
            segments[unit].append(row)
        number: dict[tuple[int, tuple[int, ...]], int] = {}
        of_unit, ends = [], [0]
        for stratum, (start, end) in enumerate(self.strata):
            keys = ((stratum, tuple(sorted(unit))) for unit in segments[start:end])
            of_unit += [number.setdefault(key, len(number)) for key in keys]
            ends.append(len(number))
        strata = tuple(itertools.pairwise(ends))
        return Units(self.kind, np.array(of_unit, np.int64)[self.of_segment], strata)

    def add_up(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the rows of each unit's segments: (segment, …) becomes (unit, …)."""
        if len(rows) != len(self.of_segment):
            raise UnpairedSegmentsError("rows", len(rows), "units", len(self.of_segment))
        if (np.diff(self.of_segment) == 1).all():
            return rows
        flat = _core.Rows(rows.reshape(len(rows), -1))
        return flat.add_up(self.of_segment, len(self)).reshape(len(self), *rows.shape[1:])


# Rows converted to floats at a time, so that a million rows need no second copy.
BLOCK = 1 << 16


def blocks(rows: NDArray[Any]) -> Iterator[Values]:
    """Yield rows as floats: all at once, or block by block if they are stored in fewer bits."""
    if rows.dtype == np.float64:
        yield rows
        return
    for start in range(0, len(rows), BLOCK):
        yield rows[start : start + BLOCK].astype(np.float64)


def _require_segments(count: int) -> None:
    schema.require_memory_for(
        "count", schema.require_whole_number("count", count, 0), schema.BYTES_PER_REPLICATE
    )


def _units(
    kind: schema.Unit,
    of_segment: NDArray[np.int64],
    strata: Sequence[str] | None,
    names: Sequence[str] | None = None,
) -> Units:
    """Make units, renumbered by stratum if there are strata.

    `of_segment` numbers units in order of appearance; `names` are for messages.
    """
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
    """Enumerate labels in order of appearance; return their numbers, and labels by number."""
    numbers: dict[str, int] = {}
    each = (numbers.setdefault(label, len(numbers)) for label in labels)
    return np.fromiter(each, dtype=np.int64, count=len(labels)), list(numbers)


def _require_paired(strata: Sequence[str], segments: int) -> None:
    if len(strata) != segments:
        raise UnpairedSegmentsError("strata", len(strata), "segments", segments)


# Replicates: sums of units drawn with replacement, and of units chosen by a coin.


# Largest array of whole numbers that is converted to floats; larger ones keep their type.
MOST_FLOATS = 1 << 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampler:
    """Number of replicates, and their seed."""

    replicates: int = 1000
    seed: int = schema.DEFAULT_SEED

    def __post_init__(self) -> None:
        schema.require_replicates("replicates", self.replicates)
        schema.require_seed(self.seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap(Resampler):
    """Resampling of units with replacement within each stratum (Koehn 2004, §5).

    Replicate i depends on (seed, i) alone.
    Assumes that units are independent draws from the population that the test set represents.
    """

    def sums(
        self, rows: NDArray[np.float64], units: Units, first: int, count: int
    ) -> NDArray[np.float64]:
        """Sum the rows of `count` replicates from `first` on, shaped (replicate, column)."""
        return _core.Rows(rows).bootstrap_sums(
            strata=units.strata, first=first, replicates=count, seed=self.seed
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Swaps(Resampler):
    """Random swaps: each unit is chosen by a fair coin (Riezler & Maxwell 2005, Fig. 1).

    Replicate i depends on (seed, i) alone.
    Assumes that the two outputs of each unit are exchangeable under the null hypothesis, and
    nothing about the distribution of scores.
    """

    replicates: int = 10_000

    def enumerates(self, units: int) -> bool:
        """Return whether all 2**units swaps are at most as many as the replicates."""
        return units < 63 and 2**units <= self.replicates

    def sums(
        self,
        rows: NDArray[np.float64],
        first: int,
        count: int,
        *,
        enumerated: bool,
    ) -> NDArray[np.float64]:
        """Sum the rows of the units that each replicate swaps, shaped (replicate, column).

        Args:
            rows: rows of all units.
            first: index of the first replicate.
            count: number of replicates.
            enumerated: True if the replicates are all possible swaps.
        """
        seed = None if enumerated else self.seed
        sums: Values | None = None
        start = 0
        for block in blocks(rows):
            of_block = _core.Rows(block).swapped_sums(
                first=first, replicates=count, seed=seed, first_row=start
            )
            sums = of_block if sums is None else sums + of_block
            start += len(block)
        return np.zeros((count, rows.shape[1])) if sums is None else sums


def on_exact_grid(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round fractional columns to multiples of a power of two; whole numbers stay unchanged."""
    if rows.dtype.kind == "i":
        few = rows.size <= MOST_FLOATS
        return np.ascontiguousarray(rows, dtype=np.float64 if few else None)
    return np.ascontiguousarray(_core.on_exact_grid(rows))


# Checks of numbers, so that no NaN gets in or out, and ties up to rounding.


# Largest difference of two numbers that tie, as a share of their scale.
TIE_TOLERANCE = _core.TIE_TOLERANCE


def as_values(name: str, values: ArrayLike) -> Values:
    """Convert values to float64; raises SettingError unless all are finite."""
    array = np.asarray(values, dtype=np.float64)
    if not np.isfinite(array).all():
        value = array[~np.isfinite(array)].flat[0]
        raise SettingError(name, float(value), "finite numbers only")
    if array.size and np.abs(array).max() > schema.LARGEST:
        raise SettingError(name, float(np.abs(array).max()), f"numbers up to {schema.LARGEST:g}")
    return array


def as_probabilities(name: str, values: ArrayLike) -> Values:
    """Convert values to float64; raises SettingError unless all are from 0 to 1."""
    array = as_values(name, values)
    if array.size and not (array.min() >= 0 and array.max() <= 1):
        outside = array[(array < 0) | (array > 1)].flat[0]
        raise SettingError(name, float(outside), "numbers from 0 to 1")
    return array


def as_replicates(name: str, values: ArrayLike) -> Values:
    """Convert values to a finite array with at least one replicate; raises SettingError."""
    array = as_values(name, values)
    if array.ndim == 0 or len(array) == 0:
        raise SettingError(name, array.shape, "one number per replicate, at least one replicate")
    return array


def as_matrix(name: str, values: ArrayLike, rows: str, columns: str) -> Values:
    """Convert values to a finite matrix, at least 2 × 2; raises SettingError."""
    array = as_values(name, values)
    if array.ndim != 2 or min(array.shape) < 2:
        expected = f"a matrix ({rows}, {columns}) of at least two {rows}s and two {columns}s"
        raise SettingError(name, array.shape, expected)
    return array


def as_observed(observed: ArrayLike, replicates: Values, name: str = "observed") -> Values:
    """Convert observed values to an array shaped like one replicate; raises SettingError."""
    array = as_values(name, observed)
    if array.shape != replicates.shape[1:]:
        raise SettingError(name, array.shape, f"the shape {replicates.shape[1:]} of one replicate")
    return array


def tie_margin(observed: ArrayLike, replicates: Values, scale: ArrayLike = 0.0) -> Values:
    """Return the largest difference at which two values of a column tie.

    Args:
        observed: value of each column on the test set itself.
        replicates: values of the replicates, shaped (replicate, ...).
        scale: size of the scores whose differences the values are, if known: one for all columns
            or one each. Rounding is relative to scores, not to their differences.
    """
    largest = np.maximum(np.abs(replicates).max(axis=0), np.abs(observed))
    return np.asarray(TIE_TOLERANCE * np.maximum(largest, as_scale(scale, largest)))


def as_scale(scale: ArrayLike, columns: Values) -> Values:
    """Check the size of the scores: one for all columns, or one each; raises SettingError."""
    sizes = np.abs(as_values("scale", scale))
    if sizes.shape not in ((), np.shape(columns)):
        raise SettingError("scale", sizes.shape, f"a number, or the shape {np.shape(columns)}")
    return sizes


def jackknife_values(jackknife: ArrayLike) -> Values:
    """Check estimates without one unit each; raises SettingError for fewer than two units."""
    left_out = as_replicates("jackknife", as_values("jackknife", jackknife))
    if len(left_out) < 2:
        expected = "at least 2 units: one does not show how units vary"
        raise SettingError("units", len(left_out), expected)
    return left_out


def jackknife_error(jackknife: ArrayLike) -> Values:
    """Compute the standard error of estimates by the jackknife over units (Tukey 1958)."""
    left_out = jackknife_values(jackknife)
    errors = _core.jackknife_errors(left_out.reshape(len(left_out), -1))
    return errors.reshape(left_out.shape[1:])
