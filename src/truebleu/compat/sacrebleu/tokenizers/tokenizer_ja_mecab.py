"""Japanese words by MeCab with the IPA dictionary."""

from __future__ import annotations

from truebleu.compat.sacrebleu.tokenizers import PackageTokenizer


class TokenizerJaMecab(PackageTokenizer):
    """Japanese words by MeCab with the IPA dictionary."""

    def __init__(self) -> None:
        super().__init__("ja-mecab")
