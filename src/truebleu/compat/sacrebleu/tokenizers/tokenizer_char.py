"""Characters one by one."""

from __future__ import annotations

from truebleu.compat.sacrebleu.tokenizers import NativeTokenizer


class TokenizerChar(NativeTokenizer):
    """Characters one by one."""

    def __init__(self) -> None:
        super().__init__("char")
