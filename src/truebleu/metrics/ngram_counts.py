"""The texts that BLEU and its relatives count n-grams of, and the tokenizer that cuts them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from truebleu.tokenizers import external_tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus import TestSet, TextLike


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
