"""Characters one by one."""

from truebleu.compat.sacrebleu.tokenizers import NativeTokenizer


class TokenizerChar(NativeTokenizer):
    """sacreBLEU's class for ``char``."""

    NAME = "char"
