"""Japanese words by MeCab with the IPA dictionary."""

from truebleu.compat.sacrebleu.tokenizers import PackageTokenizer


class TokenizerJaMecab(PackageTokenizer):
    """sacreBLEU's class for ``ja-mecab``."""

    NAME = "ja-mecab"
