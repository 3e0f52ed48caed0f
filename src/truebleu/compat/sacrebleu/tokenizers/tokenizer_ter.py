"""The tokenizer of tercom, which TER uses."""

from truebleu.compat.sacrebleu.tokenizers import TercomTokenizer

__all__ = ["TercomTokenizer"]
