"""M-BLEU: BLEU with the arithmetic mean of the precisions (Zhang and Vogel, 2004, section 2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from truebleu.metrics.base import Order  # noqa: TC001  # its range is checked
from truebleu.metrics.bleu import BLEUScore, PrecisionMetric
from truebleu.tokenizers import AUTO

if TYPE_CHECKING:
    from truebleu.metrics.base import CoreSettings, Signature

__all__ = ["MBLEU", "MBLEUScore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MBLEUScore(BLEUScore):
    """M-BLEU of one text; precisions are in [0, 100], 0 for orders that the output lacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MBLEU(PrecisionMetric):
    """M-BLEU, which orders without a match do not turn to 0. See docs/reference/metrics/mbleu.md.

    >>> print(MBLEU().corpus(["the cat sat on the mat"], ["the cat sat on a mat"]))
    M-BLEU = 56.67 83.3/60.0/50.0/33.3 (BP = 1.000 output = 6 reference = 6)
    """

    tokenize: str = AUTO
    max_order: Order = 4
    lowercase: bool = False

    name: ClassVar[str] = "M-BLEU"
    score_type = MBLEUScore

    def core_settings(self) -> CoreSettings:
        """BLEU's columns: output length, reference length, match_1 … N, total_1 … N."""
        return {"kind": "mbleu", **self.tokens, "max_order": self.max_order}

    @property
    def signature(self) -> Signature:
        """Case, tokenizer and the highest order."""
        return self.token_signature(n=self.max_order)
