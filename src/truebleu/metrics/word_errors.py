"""Word error rates: WER by edit distance, PER ignoring word order (Tillmann et al., 1997)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from truebleu.metrics.base import Score, WordMetric

__all__ = ["PER", "WER", "PERScore", "WERScore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordErrorRate(WordMetric):
    """Errors per hundred reference words; without reference words 100, or 0 without errors."""

    higher_is_better: ClassVar[bool] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WERScore(Score):
    """WER of one text, with edits as the sum of the three kinds of edits."""

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
class WER(WordErrorRate):
    """WER; 0 is best. See docs/reference/metrics/wer.md.

    Columns: edits, reference length, and each kind of edits.

    >>> print(WER().corpus(["the cat sat on the mat"], ["the cat sat on a mat"]))
    WER = 16.67 (substitutions = 1 deletions = 0 insertions = 0 reference = 6)
    """

    name: ClassVar[str] = "WER"
    kind = "wer"
    score_type = WERScore
    part_names = ("edits", "reference length", "edits", "edits", "edits")


@dataclass(frozen=True, slots=True, kw_only=True)
class PERScore(Score):
    """PER of one text."""

    errors: int
    reference_length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PER(WordErrorRate):
    """PER, position-independent error rate; 0 is best. See docs/reference/metrics/per.md.

    Columns: errors, reference length.

    >>> print(PER().corpus(["on the mat the cat sat"], ["the cat sat on a mat"]))
    PER = 16.67
    """

    name: ClassVar[str] = "PER"
    kind = "per"
    score_type = PERScore
    part_names = ("errors", "reference length")
