"""Step 2, tokenize: names → native tokenizers, and the optional ones of other packages.

The native tokenizers (13a, char, intl, mteval, none, zh …) run inside the counting kernels. The
others are Python packages: a text goes through them once, and the kernel then splits at white
space.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from truebleu import _core
from truebleu.errors import SettingError, UnknownNameError

if TYPE_CHECKING:
    from truebleu.tokenizers._external import ExternalTokenizer

__all__ = ["check_tokenizer", "tokenize", "tokenizer_names"]

NATIVE = tuple(_core.tokenizers())
MECAB = ("ja-mecab", "ko-mecab")
MODELS = ("spm", "flores101", "flores200", "spBLEU-1K")
MODEL_PATH = "spm:"


def tokenizer_names() -> list[str]:
    """Every name that ``BLEU(tokenize=…)`` takes, besides ``spm:PATH``."""
    return [*NATIVE, *MECAB, *MODELS]


def check_tokenizer(name: str) -> None:
    """Raise UnknownNameError unless a tokenizer has that name; its package may still be missing."""
    if not isinstance(name, str):
        raise SettingError("tokenizer", name, "a name, such as '13a'")
    if name not in NATIVE + MECAB + MODELS and not name.startswith(MODEL_PATH):
        raise UnknownNameError("tokenizer", name, [*tokenizer_names(), "spm:PATH"])


def tokenize(line: str, name: str = "13a", *, lowercase: bool = False) -> list[str]:
    """The tokens of a line as BLEU and NIST see them.

    >>> tokenize("It's 2,000.5 km.")
    ["It's", '2,000.5', 'km', '.']
    """
    check_tokenizer(name)
    external = external_tokenizer(name)
    if external is None:
        return _core.tokenize(line, tokenizer=name, lowercase=lowercase)
    return external.tokenize_line(line, lowercase=lowercase).split()


def external_tokenizer(name: str) -> ExternalTokenizer | None:
    """The tokenizer of another package, or None where the name is a native one."""
    return None if name in NATIVE else _load(name)


@lru_cache(maxsize=8)
def _load(name: str) -> ExternalTokenizer:
    """Load once: a dictionary or a model takes longer than the text it is for."""
    if name in MECAB:
        from truebleu.tokenizers._external import japanese, korean

        return japanese() if name == "ja-mecab" else korean()
    from truebleu.tokenizers._external import from_known_model, from_path

    if name.startswith(MODEL_PATH):
        return from_path(name.removeprefix(MODEL_PATH))
    return from_known_model(name)
