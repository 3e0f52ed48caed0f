"""Chinese characters one by one, the rest like mteval-v13a."""

from truebleu.compat.sacrebleu.tokenizers import NativeTokenizer


class TokenizerZh(NativeTokenizer):
    """sacreBLEU's class for ``zh``."""

    NAME = "zh"
