"""WER: word edit distance per reference word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from truebleu import _core
from truebleu.metrics.metric import Score, rows_of
from truebleu.metrics.word_metric import WordMetric

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from truebleu._core import Statistics
    from truebleu.corpus import TestSet


@dataclass(frozen=True, slots=True, kw_only=True)
class WERScore(Score):
    """WER of one text, with the edits by kind: their sum is the edits."""

    edits: int
    reference_length: int
    substitutions: int
    deletions: int
    insertions: int

    def __str__(self) -> str:
        return (
            f"{self.name} = {self.score:.2f} (substitutions = {self.substitutions} "
            f"deletions = {self.deletions} insertions = {self.insertions} "
            f"reference = {self.reference_length})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WER(WordMetric):
    """WER; 0 is best. See docs/reference/metrics/wer.md.

    >>> print(WER().corpus(["the cat sat on the mat"], ["the cat sat on a mat"]))
    WER = 16.67 (substitutions = 1 deletions = 0 insertions = 0 reference = 6)
    """

    name: ClassVar[str] = "WER"
    higher_is_better: ClassVar[bool] = False

    def count(self, test_set: TestSet) -> Statistics:
        """Columns: edits, reference length, substitutions, deletions, insertions."""
        return self._count_words(test_set, _core.count_wer)

    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """Edits per hundred reference words of summed rows, over any leading axes."""
        rows, shape = rows_of(sums, 5)
        return _core.error_rates(rows).reshape(shape)

    def describe(self, sums: Sequence[float], references: int | None) -> WERScore:
        """The score of one row of sums, with the edits by kind."""
        edits, reference_length, substitutions, deletions, insertions = map(int, sums)
        return WERScore(
            score=_core.error_rate(sums),
            signature=self.signature.with_references(references),
            edits=edits,
            reference_length=reference_length,
            substitutions=substitutions,
            deletions=deletions,
            insertions=insertions,
        )
