"""The tokenizer of mteval-v13a: ASCII punctuation apart, except inside numbers."""

from __future__ import annotations

from truebleu.compat.sacrebleu.tokenizers import NativeTokenizer


class Tokenizer13a(NativeTokenizer):
    """The tokenizer of mteval-v13a: ASCII punctuation apart, except inside numbers."""

    def __init__(self) -> None:
        super().__init__("13a")
