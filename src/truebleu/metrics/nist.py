"""NIST: n-gram matches weighted by their information (Doddington, 2002), as mteval computes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from truebleu.metrics.base import Order, Score, TokenMetric, ngram_parts

if TYPE_CHECKING:
    from truebleu.metrics.base import CoreSettings, Signature

__all__ = ["NIST", "NISTScore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NISTScore(Score):
    """NIST of one text, in bits.

    `information` is the information of the matches per n-gram of the output, for order 1, 2, …;
    the reference length is the mean over references, summed over segments.
    """

    information: tuple[float, ...]
    length_penalty: float
    output_length: int
    reference_length: float

    def __str__(self) -> str:
        information = "/".join(f"{bits:.2f}" for bits in self.information)
        return (
            f"{self.name} = {self.score:.4f} {information} (penalty = {self.length_penalty:.3f} "
            f"output = {self.output_length} reference = {self.reference_length:g})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NIST(TokenMetric):
    """NIST-5; the defaults score like mteval-v13a -c. See docs/reference/metrics/nist.md.

    The less the beginning of an n-gram predicts it in the references, the larger its weight. The
    weights come from all references of the counted test set. So scores of different test sets are
    not comparable, and ``sentence`` has only the references of one sentence: to score the segments
    of a test set, score the rows of its ``statistics``.

    >>> print(NIST().corpus(["the cat sat on the mat"], ["the cat sat on a mat"]))
    NIST = 2.1541 2.15/0.00/0.00/0.00/0.00 (penalty = 1.000 output = 6 reference = 6)
    """

    tokenize: str = "mteval"
    lowercase: bool = False
    max_order: Order = 5
    zero_history: bool = True

    name: ClassVar[str] = "NIST"
    score_type = NISTScore
    counts_whole_text: ClassVar[bool] = True

    def core_settings(self) -> CoreSettings:
        """Return the settings of the core.

        Columns: output length, mean reference length, information_1 … N, total_1 … N.
        """
        return {
            "kind": "nist",
            **self.tokens,
            "max_order": self.max_order,
            "zero_history": self.zero_history,
        }

    def column_parts(self, width: int) -> tuple[str, ...]:  # noqa: ARG002
        """Name the parts: length penalty, information of each order, and n-gram totals."""
        return ngram_parts(self.max_order, "information", "length penalty")

    @property
    def signature(self) -> Signature:
        """Case, tokenizer, highest order, and mteval's treatment of the word 0."""
        return self.token_signature(n=self.max_order, zero=self.zero_history)
