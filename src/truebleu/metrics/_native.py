"""Metrics that are counted and scored by the native code."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from truebleu.metrics.base import Metric, Signature, rows_of
from truebleu.tokenizers import check_tokenizer, external_tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from truebleu._core import Scorer, Statistics
    from truebleu.corpus import TestSet, TextLike


class NativeMetric(Metric):
    """A metric that says how many columns it counts, and which native code scores their sums."""

    __slots__ = ()

    @property
    @abstractmethod
    def width(self) -> int:
        """The number of columns."""

    @abstractmethod
    def scorer(self) -> Scorer:
        """The native code that scores rows of sums."""

    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """The scores of summed rows, over any leading axes: one call, all replicates."""
        rows, shape = rows_of(sums, self.width)
        return self.scorer().scores(rows).reshape(shape)


# The texts that BLEU and its relatives count n-grams of, and the tokenizer that cuts them.


@dataclass(frozen=True, slots=True)
class TextsToCount:
    """Texts as the native code takes them, and what it is still to do about case and tokens."""

    systems: Sequence[TextLike]
    references: Sequence[TextLike]
    tokenizer: str
    lowercase: bool


def texts_to_count(test_set: TestSet, tokenize: str, *, lowercase: bool) -> TextsToCount:
    """The texts of a test set; an external tokenizer has already cut them, a native one has not."""
    systems = list(test_set.systems.values())
    external = external_tokenizer(tokenize)
    if external is None:
        return TextsToCount(systems, test_set.references, tokenize, lowercase)
    return TextsToCount(
        [external.tokenize_text(text, lowercase=lowercase) for text in systems],
        [external.tokenize_text(text, lowercase=lowercase) for text in test_set.references],
        "none",
        lowercase=False,
    )


def tokenizer_signature(tokenize: str) -> str:
    """What a signature says about a tokenizer: its name, and the version of an external one."""
    external = external_tokenizer(tokenize)
    return tokenize if external is None else external.signature


# What the metrics share that compare an output's words with those of one reference at a time.


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
