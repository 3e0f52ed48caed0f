"""The tokenizer of tercom, which TER uses."""

from __future__ import annotations

from dataclasses import dataclass

from truebleu import _core
from truebleu.compat.sacrebleu.tokenizers import BaseTokenizer


@dataclass(eq=False)
class TercomTokenizer(BaseTokenizer):
    """tercom's tokenizer; the settings are those of TER.

    >>> TercomTokenizer(normalized=True)("The dog's (old) bone.")
    "the dog 's ( old ) bone ."
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    def signature(self) -> str:
        """The tokenizer's name."""
        return "tercom"

    def __call__(self, line: str) -> str:
        """The tokens of a line with a space between them."""
        return _core.tokenize_ter(line, **vars(self))
