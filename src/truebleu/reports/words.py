"""Words for the rows of a result: segments of systems, or items of models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truebleu.corpus.outline import RowKind


@dataclass(frozen=True, slots=True)
class Words:
    """Words for rows of counts, and for the systems or models scored on them.

    Attributes:
        row: word for a row, "segment" or "item".
        system: word for a column, "system" or "model".
        whole: word for all rows together, as in a share of them: "text" or "items".
    """

    row: str = "segment"
    system: str = "system"
    whole: str = "text"

    @property
    def rows(self) -> str:
        """Word for several rows."""
        return f"{self.row}s"

    @property
    def systems(self) -> str:
        """Word for several systems or models."""
        return f"{self.system}s"

    def unit(self, unit: str) -> str:
        """Return the word for a unit that is resampled, removed or judged.

        >>> [words_of("items").unit(unit) for unit in ("segment", "document")]
        ['item', 'document']
        """
        return self.row if unit == "segment" else unit

    def units(self, unit: str) -> str:
        """Return the word for several such units."""
        return f"{self.unit(unit)}s"


WORDS = {"segments": Words(), "items": Words("item", "model", "items")}


def words_of(rows: RowKind) -> Words:
    """Return the words for the rows of a test set.

    >>> words_of("items").systems
    'models'
    """
    return WORDS[rows]
