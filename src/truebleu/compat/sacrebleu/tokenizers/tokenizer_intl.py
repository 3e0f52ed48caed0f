"""The tokenizer of mteval-v14: punctuation and symbols of every script apart."""

from __future__ import annotations

from truebleu.compat.sacrebleu.tokenizers import NativeTokenizer


class TokenizerV14International(NativeTokenizer):
    """The tokenizer of mteval-v14: punctuation and symbols of every script apart."""

    def __init__(self) -> None:
        super().__init__("intl")
