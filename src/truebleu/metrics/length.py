"""The length ratio: output words per reference word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from truebleu.metrics.base import Score, WordMetric

__all__ = ["LengthRatio", "LengthRatioScore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthRatioScore(Score):
    """Length ratio of one text."""

    output_length: int
    reference_length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthRatio(WordMetric):
    """Output words per hundred reference words. See docs/reference/metrics/length.md.

    Columns: output length, and the closest reference length.

    >>> print(LengthRatio().corpus(["the cat sat on the mat"], ["the cat sat on a red mat"]))
    Length = 85.71
    """

    name: ClassVar[str] = "Length"
    kind = "length"
    score_type = LengthRatioScore
    part_names = ("output length", "reference length")
    # A length ratio is descriptive: neither short nor long output is better.
    higher_is_better: ClassVar[None] = None
