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

__all__ = [
    "check_tokenizer",
    "tokenize",
    "tokenizer_for_language",
    "tokenizer_for_script",
    "tokenizer_names",
]

NATIVE = tuple(_core.tokenizers())
MECAB = ("ja-mecab", "ko-mecab")
MODELS = ("spm", "flores101", "flores200", "spBLEU-1K")
MODEL_PATH = "spm:"

#: Stands for a tokenizer that is chosen by the script of the references.
AUTO = "auto"
DEFAULT = "13a"
# Native ones only: the same texts must get the same score wherever they are scored.
BY_SCRIPT = {"Chinese": "zh"}
OF_OTHER_UNSPACED_SCRIPTS = "char"
# sacreBLEU's choice by target language. It knows the two-letter codes only.
BY_LANGUAGE = {
    "zh": "zh",
    "zho": "zh",
    "cmn": "zh",
    "yue": "zh",
    "ja": "ja-mecab",
    "jpn": "ja-mecab",
    "ko": "ko-mecab",
    "kor": "ko-mecab",
}
# Tokenizers that cut words where a script without spaces has them, or cut every character.
OF_UNSPACED_WORDS: dict[str, tuple[str, ...]] = {
    "char": ("Chinese", "Japanese", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"),
    "zh": ("Chinese",),
    "ja-mecab": ("Japanese",),
}


def tokenizer_for_script(script: str | None) -> str:
    """The tokenizer that `auto` stands for, by the script that `unspaced_script` finds.

    >>> tokenizer_for_script("Chinese"), tokenizer_for_script("Thai"), tokenizer_for_script(None)
    ('zh', 'char', '13a')
    """
    return DEFAULT if script is None else BY_SCRIPT.get(script, OF_OTHER_UNSPACED_SCRIPTS)


def tokenizer_for_language(language: str) -> str:
    """The tokenizer that sacreBLEU uses for a target language, given alone or as a pair.

    >>> [tokenizer_for_language(text) for text in ("en-zh", "zh-TW", "ja", "en-de")]
    ['zh', 'zh', 'ja-mecab', '13a']
    """
    parts = language.replace("_", "-").split("-") if isinstance(language, str) else []
    # A region or a script belongs to the language before it: zh-CN, zh-Hant, pt-BR, es-419.
    codes = [part for i, part in enumerate(parts) if i == 0 or not _is_subtag(part)]
    valid = all(code.isascii() and code.isalpha() and 2 <= len(code) <= 3 for code in codes)
    if not valid or not 1 <= len(codes) <= 2:
        raise SettingError("language", language, "a pair such as en-zh, or a target such as zh")
    return BY_LANGUAGE.get(codes[-1].lower(), DEFAULT)


def _is_subtag(part: str) -> bool:
    return (len(part) == 2 and part.isupper()) or part.isdigit() or len(part) == 4


def cuts_words_of(tokenizer: str, script: str) -> bool:
    """Whether a tokenizer cuts words, or characters, in a script without spaces."""
    if tokenizer in MODELS or tokenizer.startswith(MODEL_PATH):
        return True
    return script in OF_UNSPACED_WORDS.get(tokenizer, ())


def tokenizer_names() -> list[str]:
    """Every name that ``BLEU(tokenize=…)`` takes, besides ``spm:PATH``."""
    return [AUTO, *NATIVE, *MECAB, *MODELS]


def check_tokenizer(name: str) -> None:
    """Raise UnknownNameError unless a tokenizer has that name; its package may still be missing."""
    if not isinstance(name, str):
        raise SettingError("tokenizer", name, "a name, such as '13a'")
    if name not in (AUTO, *NATIVE, *MECAB, *MODELS) and not name.startswith(MODEL_PATH):
        raise UnknownNameError("tokenizer", name, [*tokenizer_names(), "spm:PATH"])


def tokenize(line: str, name: str = AUTO, *, lowercase: bool = False) -> list[str]:
    """The tokens of a line as BLEU and NIST see them; `auto` goes by the script of the line.

    >>> tokenize("It's 2,000.5 km.")
    ["It's", '2,000.5', 'km', '.']
    """
    check_tokenizer(name)
    if name == AUTO:
        from truebleu.corpus.scripts import unspaced_script

        name = tokenizer_for_script(unspaced_script([[line]]))
    external = external_tokenizer(name)
    if external is None:
        return _core.tokenize(line, tokenizer=name, lowercase=lowercase)
    return external.tokenize_line(line, lowercase=lowercase).split()


def external_tokenizer(name: str) -> ExternalTokenizer | None:
    """The tokenizer of another package, or None where the name is a native one."""
    return None if name in NATIVE or name == AUTO else _load(name)


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
