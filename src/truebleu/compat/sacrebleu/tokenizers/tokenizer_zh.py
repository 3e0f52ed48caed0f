"""Chinese characters one by one, the rest like mteval-v13a."""

from __future__ import annotations

from truebleu.compat.sacrebleu.tokenizers import NativeTokenizer


class TokenizerZh(NativeTokenizer):
    """Chinese characters one by one, the rest like mteval-v13a."""

    def __init__(self) -> None:
        super().__init__("zh")
