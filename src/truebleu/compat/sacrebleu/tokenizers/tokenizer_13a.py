"""The tokenizer of mteval-v13a: ASCII punctuation apart, except inside numbers."""

from truebleu.compat.sacrebleu.tokenizers import NativeTokenizer


class Tokenizer13a(NativeTokenizer):
    """sacreBLEU's class for ``13a``."""

    NAME = "13a"
