"""What the metrics share that compare an output's words with those of one reference at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from truebleu.metrics.native import NativeMetric
from truebleu.metrics.ngram_counts import texts_to_count, tokenizer_signature
from truebleu.metrics.signature import Signature
from truebleu.tokenizers import check_tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

    from truebleu._core import Statistics
    from truebleu.corpus import TestSet


@dataclass(frozen=True, slots=True, kw_only=True)
class WordMetric(NativeMetric):
    """A metric of words: by default what white space separates, case kept.

    With several references, a segment counts against the one that is best for its output.
    """

    tokenize: str = "none"
    lowercase: bool = False

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenize)

    def _count_words(
        self, test_set: TestSet, count: Callable[..., Statistics], **settings: float
    ) -> Statistics:
        texts = texts_to_count(test_set, self.tokenize, lowercase=self.lowercase)
        return count(
            texts.systems,
            texts.references,
            tokenizer=texts.tokenizer,
            lowercase=texts.lowercase,
            **settings,
        )

    def _signature(self, **fields: str) -> Signature:
        return Signature.of(
            self.name,
            case="lc" if self.lowercase else "mixed",
            tok=tokenizer_signature(self.tokenize),
            **fields,
        )

    @property
    def signature(self) -> Signature:
        """Case and tokenizer."""
        return self._signature()
