"""The tokenizer of mteval-v14: punctuation and symbols of every script apart."""

from truebleu.compat.sacrebleu.tokenizers import NativeTokenizer


class TokenizerV14International(NativeTokenizer):
    """sacreBLEU's class for ``intl``."""

    NAME = "intl"
