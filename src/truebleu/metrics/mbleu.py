"""M-BLEU: BLEU with the arithmetic mean of the precisions (Zhang and Vogel, 2004, section 2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from truebleu import _core
from truebleu.metrics._native import NativeMetric, texts_to_count, tokenizer_signature
from truebleu.metrics.base import Signature, require_whole_number
from truebleu.metrics.bleu import BLEUScore
from truebleu.tokenizers import check_tokenizer, external_tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu._core import PairScorer, Scorer, Statistics
    from truebleu.corpus import TestSet


@dataclass(frozen=True, slots=True, kw_only=True)
class MBLEUScore(BLEUScore):
    """M-BLEU of one text; precisions are in [0, 100], 0 for orders that the output lacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MBLEU(NativeMetric):
    """M-BLEU, which orders without a match do not turn to 0. See docs/reference/metrics/mbleu.md.

    >>> print(MBLEU().corpus(["the cat sat on the mat"], ["the cat sat on a mat"]))
    M-BLEU = 56.67 83.3/60.0/50.0/33.3 (BP = 1.000 output = 6 reference = 6)
    """

    tokenize: str = "13a"
    max_order: int = 4
    lowercase: bool = False

    name: ClassVar[str] = "M-BLEU"

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenize)
        require_whole_number("max_order", self.max_order, 1, 100)

    def count(self, test_set: TestSet) -> Statistics:
        """BLEU's columns: output length, reference length, match_1 … N, total_1 … N."""
        texts = texts_to_count(test_set, self.tokenize, lowercase=self.lowercase)
        return _core.count_bleu(
            texts.systems,
            texts.references,
            tokenizer=texts.tokenizer,
            lowercase=texts.lowercase,
            max_order=self.max_order,
        )

    @property
    def width(self) -> int:
        """As BLEU's."""
        return 2 + 2 * self.max_order

    def scorer(self) -> Scorer:
        """Scores M-BLEU."""
        return _core.mbleu_scorer()

    def pair_scorer(self) -> PairScorer | None:
        """Scores pairs by M-BLEU, unless a tokenizer of another package cuts the texts."""
        if external_tokenizer(self.tokenize) is not None:
            return None
        return _core.PairScorer.bleu(
            self.scorer(),
            tokenizer=self.tokenize,
            lowercase=self.lowercase,
            max_order=self.max_order,
        )

    def describe(self, sums: Sequence[float], references: int | None) -> MBLEUScore:
        """M-BLEU of one row of sums, with precisions, brevity penalty and counts."""
        score, brevity_penalty, precisions = _core.mbleu_details(sums)
        output_length, reference_length, *counts = sums
        return MBLEUScore(
            score=score,
            signature=self.signature.with_references(references),
            precisions=tuple(precisions),
            brevity_penalty=brevity_penalty,
            output_length=int(output_length),
            reference_length=int(reference_length),
            matches=tuple(counts[: self.max_order]),
            totals=tuple(counts[self.max_order :]),
        )

    @property
    def signature(self) -> Signature:
        """Case, tokenizer and the highest order."""
        return Signature.of(
            self.name,
            case="lc" if self.lowercase else "mixed",
            tok=tokenizer_signature(self.tokenize),
            n=self.max_order,
        )
