"""Tokenizers as sacreBLEU's code calls them: an object that turns a line into a line of tokens."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from truebleu import _core
from truebleu.compat.sacrebleu.utils import warn
from truebleu.errors import UnknownNameError
from truebleu.tokenizers import MODEL_PATH, MODELS, external_tokenizer

# In sacreBLEU's order, which its help and its users know.
NAMES = (
    "none",
    "zh",
    "13a",
    "intl",
    "char",
    "ja-mecab",
    "ko-mecab",
    "spm",
    "flores101",
    "flores200",
    "spBLEU-1K",
)


class BaseTokenizer:
    """What every tokenizer owes: a name for signatures, and a line for a line."""

    #: The tokenizer of a class that is for one only, as sacreBLEU's are.
    NAME: ClassVar[str] = "none"

    def signature(self) -> str:
        """What signatures say after ``tok:``."""
        raise NotImplementedError

    def __call__(self, line: str) -> str:
        """The tokens of a line with a space between them."""
        raise NotImplementedError


class NativeTokenizer(BaseTokenizer):
    """A tokenizer that runs inside the counting; this object shows what it does there.

    >>> NativeTokenizer("13a")("Hello, world!")
    'Hello , world !'
    """

    def __init__(self, name: str | None = None) -> None:
        self.name = name or self.NAME

    def signature(self) -> str:
        """The tokenizer's name."""
        return self.name

    def __call__(self, line: str) -> str:
        """The tokens of a line with a space between them."""
        if self.name == "none":
            return line
        if self.name == "char":
            # White space is a character too here; BLEU drops it when it splits the line.
            return " ".join(line)
        return " ".join(_core.tokenize(line, tokenizer=self.name, lowercase=False))


class PackageTokenizer(BaseTokenizer):
    """A tokenizer of an optional package: MeCab, or SentencePiece with a model that is on disk."""

    def __init__(self, name: str | None = None) -> None:
        name = name or self.NAME
        if name == "spm":
            warn("the tokenizer 'spm' is now called 'flores101'")
        external = external_tokenizer(name)
        assert external is not None, name  # noqa: S101  # only native ones are None
        self._external = external
        # sacreBLEU says the name of a published model and not which file it is.
        self._signature = external.signature if name not in MODELS else name
        if name == "spm":
            self._signature = "flores101"

    def signature(self) -> str:
        """The tokenizer's name, with its version where that matters."""
        return self._signature

    def __call__(self, line: str) -> str:
        """The tokens of a line with a space between them."""
        return self._external.tokenize(line)


@dataclass(eq=False)
class TercomTokenizer(BaseTokenizer):
    """tercom's tokenizer, which TER uses; the settings are those of TER.

    >>> TercomTokenizer(normalized=True)("The dog's (old) bone.")
    "the dog 's ( old ) bone ."
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    def signature(self) -> str:
        """The tokenizer's name."""
        return "tercom"

    def __call__(self, line: str) -> str:
        """The tokens of a line with a space between them."""
        return _core.tokenize_ter(line, **vars(self))


@lru_cache(maxsize=16)
def tokenizer(name: str) -> BaseTokenizer:
    """The tokenizer of a name that ``BLEU(tokenize=…)`` takes."""
    if name in _core.tokenizers():
        return NativeTokenizer(name)
    if name not in NAMES and not name.startswith(MODEL_PATH):
        raise UnknownNameError("tokenizer", name, NAMES)
    return PackageTokenizer(name)
