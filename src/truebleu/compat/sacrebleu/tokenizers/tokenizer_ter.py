"""The tokenizer of tercom, which TER uses."""

from __future__ import annotations

from truebleu import _core
from truebleu.compat.sacrebleu.tokenizers import BaseTokenizer


class TercomTokenizer(BaseTokenizer):
    """tercom's tokenizer; the settings are those of TER.

    >>> TercomTokenizer(normalized=True)("The dog's (old) bone.")
    "the dog 's ( old ) bone ."
    """

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        self.normalized = normalized
        self.no_punct = no_punct
        self.asian_support = asian_support
        self.case_sensitive = case_sensitive

    def signature(self) -> str:
        """The tokenizer's name."""
        return "tercom"

    def __call__(self, line: str) -> str:
        """The tokens of a line with a space between them."""
        return _core.tokenize_ter(
            line,
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )
