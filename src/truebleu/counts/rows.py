"""Rows: counts by segment, system and column, stored in as few bits as possible.

Whole numbers take 16 bits, or 32 if necessary: BLEU's counts of ten million segments of two systems
take 400 MB. Arithmetic uses floats.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from truebleu._core import Statistics
from truebleu.errors import EmptyTextError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from truebleu.metrics.base import CountedRows

# Rows added up at a time.
BLOCK = 1 << 16


class ArrayRows:
    """Rows that are in memory as an array."""

    __slots__ = ("_rows",)

    def __init__(self, rows: NDArray[Any]) -> None:
        self._rows = rows

    def array(self) -> NDArray[Any]:
        """Return the array."""
        return self._rows

    def sums(self) -> list[list[float]]:
        """Return the sums of each system's rows, added from the first segment to the last."""
        import numpy as np

        sums = np.zeros((1, *self._rows.shape[1:]))
        for start in range(0, len(self._rows), BLOCK):
            block = np.concatenate([sums, self._rows[start : start + BLOCK]])
            sums = np.array([Statistics(block).sums()])
        return list(sums[0].tolist())


class Rows:
    """Counts shaped (segment, system, column), counted on first use or added part by part.

    Args:
        count: function that counts all segments, of `systems` if given; None if parts are added.
        systems: names of the systems to pass to `count`; None if it takes no argument.
    """

    def __init__(
        self, count: Callable[..., CountedRows] | None = None, systems: Sequence[str] | None = None
    ) -> None:
        self._count, self._systems = count, systems
        # Rows in one piece, so that counts of the core are added up without NumPy.
        self._piece: CountedRows | None = None
        self._space: NDArray[Any] | None = None
        self._filled = 0

    @classmethod
    def of(cls, rows: CountedRows) -> Rows:
        """Make rows of existing counts."""
        counted = cls()
        counted._piece = rows
        return counted

    def add(self, part: CountedRows) -> None:
        """Add the counts of further segments."""
        if self._piece is None and self._space is None:
            self._piece = part
            return
        if self._piece is not None:
            self._append(self._piece)
            self._piece = None
        self._append(part)

    def _append(self, part: CountedRows) -> None:
        """Append a part, with whole numbers downcast to 16 or 32 bits if they fit."""
        import numpy as np

        rows = downcast_integers(part.array())
        space, end = self._space, self._filled + len(rows)
        if space is None:
            space = rows
        else:
            kind = np.result_type(space, rows)
            if end > len(space) or kind != space.dtype:
                # Double the space; the system gives unused space no memory.
                larger = np.empty((2 * end, *rows.shape[1:]), kind)
                larger[: self._filled] = space[: self._filled]
                space = larger
            space[self._filled : end] = rows
        self._space, self._filled = space, end

    def _whole(self) -> CountedRows:
        """Return all rows, counting them on first use."""
        count = self._count
        if self._piece is None and count is not None:
            self._piece = count() if self._systems is None else count(self._systems)
            if self._systems is None:
                # The texts that were counted need not stay.
                self._count = None
        if self._piece is not None:
            return self._piece
        if self._space is None:
            raise EmptyTextError("counts")
        return ArrayRows(self._space[: self._filled])

    def stored(self) -> NDArray[Any]:
        """Return the stored rows: floats, or whole numbers in fewer bits."""
        return self._whole().array()

    def floats(self) -> NDArray[np.float64]:
        """Return the rows as floats; the array may share memory with the rows."""
        rows: NDArray[np.float64] = self.stored().astype("float64", copy=False)
        return rows

    def sums(self) -> list[list[float]]:
        """Return the sums of each system's rows, added from the first segment to the last."""
        return self._whole().sums()

    def select(self, indices: Sequence[int]) -> Rows:
        """Return the rows of the systems at `indices`; other systems need not be counted."""
        # Also after counting: which scores are common depends on the systems.
        if self._systems is not None:
            return Rows(self._count, [self._systems[index] for index in indices])
        return Rows(partial(_select, self, (slice(None), list(indices))))

    def subset(self, segments: Sequence[int]) -> Rows:
        """Return the rows of the segments at these indices."""
        return Rows(partial(_select, self, (list(segments),)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rows):
            return NotImplemented
        import numpy as np

        return np.array_equal(self.stored(), other.stored())

    def __hash__(self) -> int:
        return hash(Rows)

    def __reduce__(self) -> tuple[Any, ...]:
        # The core's counts cannot be pickled, so uncounted rows are counted in the other process.
        if self._count is not None:
            return Rows, (self._count, self._systems)
        return _restore, (self.stored(),)


def _select(rows: Rows, key: tuple[Any, ...]) -> CountedRows:
    return ArrayRows(rows.stored()[key])


def _restore(rows: NDArray[Any]) -> Rows:
    return Rows.of(ArrayRows(rows))


def downcast_integers(
    rows: NDArray[Any], kinds: Sequence[str] = ("int16", "int32")
) -> NDArray[Any]:
    """Convert whole numbers to the first type of `kinds` that holds them; keep other numbers."""
    import numpy as np

    # -0.0 would lose its sign.
    if rows.dtype.kind == "i" or not rows.size or np.signbit(rows).any():
        return rows
    kind = next((kind for kind in kinds if rows.max() <= np.iinfo(kind).max), rows.dtype)
    narrow = rows.astype(kind)
    return narrow if (narrow == rows).all() else rows
