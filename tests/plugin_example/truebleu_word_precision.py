"""Word precision: how many of the output's words the reference has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from truebleu._core import Statistics
from truebleu.metrics import Metric, Score, Signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu import TestSet


@dataclass(frozen=True, kw_only=True)
class WordPrecision(Metric):
    """Per cent of the output's words that stand in a reference of their segment."""

    lowercase: bool = False

    name: ClassVar[str] = "WordPrec"

    def count(self, test_set: TestSet) -> Statistics:
        """Columns: words that a reference has, and all words."""
        rows = np.zeros((len(test_set), len(test_set.systems), 2))
        for segment, references in enumerate(zip(*test_set.references, strict=True)):
            known = {word for text in references for word in self._words(text)}
            for system, outputs in enumerate(test_set.systems.values()):
                words = self._words(outputs[segment])
                rows[segment, system] = sum(word in known for word in words), len(words)
        return Statistics(rows)

    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """The score of every row of sums; 0 where there are no words."""
        rows = np.asarray(sums, dtype=np.float64)
        known, words = rows[..., 0], rows[..., 1]
        return np.asarray(100 * known / np.where(words > 0, words, 1))

    def describe(self, sums: Sequence[float], references: int | None) -> Score:
        """The score of one row of sums."""
        signature = self.signature.with_references(references)
        return Score(score=float(self.score(sums)), signature=signature)

    @property
    def signature(self) -> Signature:
        """All settings that change a score."""
        return Signature.of(self.name, case="lc" if self.lowercase else "mixed")

    def _words(self, text: str | None) -> list[str]:
        text = text or ""
        return (text.lower() if self.lowercase else text).split()
