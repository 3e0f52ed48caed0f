"""No tokenizer: tokens are what white space separates."""

from __future__ import annotations

from truebleu.compat.sacrebleu.tokenizers import NativeTokenizer


class NoneTokenizer(NativeTokenizer):
    """No tokenizer: tokens are what white space separates."""

    def __init__(self) -> None:
        super().__init__("none")
