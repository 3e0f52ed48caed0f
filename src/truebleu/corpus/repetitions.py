"""Repeated segments: rows of texts, or items, that are equal to earlier ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu import _core
from truebleu.corpus.text_warnings import TextWarning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus._files import NamedText

#: Share of repeated segments above which equal segments are one unit; real sets have up to 1 %.
MOST_REPEATED = 0.05
#: Least number of repeated segments, because short lines recur, and of different segments, because
#: texts with fewer are placeholders.
FEWEST_REPEATED, FEWEST_DIFFERENT = 20, 10


class Repetitions:
    """Equal rows of texts that are added part by part.

    Rows are equal if the source and all references are, or without a source all references and
    outputs.
    """

    def __init__(self) -> None:
        self._rows = _core.Repetitions()
        self._segments = 0
        self._label = self._texts = ""

    def add(
        self,
        references: Sequence[NamedText],
        systems: Sequence[NamedText],
        source: NamedText | None,
    ) -> None:
        """Add a part of all texts."""
        others = systems if source is None else [source]
        self._texts = "outputs" if source is None else "source"
        texts = [*references, *others]
        self._label = texts[0].label
        self._segments += len(texts[0].segments)
        self._rows.add([text.segments for text in texts])

    def results(self) -> tuple[tuple[int, ...] | None, tuple[TextWarning, ...]]:
        """Return the first equal row of each row, and a warning; None if few rows are repeated."""
        count = self._rows.count()
        if not are_many(count, self._segments):
            return None, ()
        rows = tuple(self._rows.first_equal())
        return rows, (repetition_warning(self._label, rows, f"reference and {self._texts}"),)


def are_many(repeated: int, rows: int) -> bool:
    """Return whether enough rows are repeated to make equal rows one unit."""
    are_enough = repeated >= FEWEST_REPEATED and rows - repeated >= FEWEST_DIFFERENT
    return are_enough and repeated > MOST_REPEATED * rows


def repetition_warning(
    label: str, rows: Sequence[int], contents: str, noun: str = "segments"
) -> TextWarning:
    """Return the warning about repeated rows; `contents` is what equal rows have in common."""
    repeated = [index for index, first in enumerate(rows) if first != index]
    message = (
        f"{label}: {len(repeated):,} of {len(rows):,} {noun} repeat the {contents} of an earlier "
        f"one, first {noun[:-1]} {repeated[0] + 1}; equal {noun} are one unit of resampling"
    )
    return TextWarning("repeated", label, len(repeated), repeated[0] + 1, message)
