"""No tokenizer: tokens are what white space separates."""

from truebleu.compat.sacrebleu.tokenizers import NativeTokenizer


class NoneTokenizer(NativeTokenizer):
    """sacreBLEU's class for ``none``."""

    NAME = "none"
