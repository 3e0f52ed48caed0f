"""The script of a text, as far as it decides how words can be cut.

Chinese, Japanese, Thai, Lao, Khmer, Myanmar and Tibetan are written without spaces between words.
A text is in one of them when more than a quarter of its letters are: one of their letters carries
about as much text as three of the Latin alphabet (wmt23-zh-en has 3.6 English letters per Chinese
character), so that names and terms in Latin letters do not hide the script, and a few quoted
characters in an English text do not change it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.test_set import TextLike

__all__ = ["unspaced_script"]

# Of all letters, the share from which on a text is in a script without spaces.
UNSPACED_SHARE = 1 / 4
# Of Chinese characters and kana, the share of kana from which on they are Japanese. It is 72 % in
# wmt23-en-ja; a Chinese text has a few at most, in names and quotations.
KANA_SHARE = 1 / 10

NAMES = {
    "thai": "Thai",
    "lao": "Lao",
    "khmer": "Khmer",
    "myanmar": "Myanmar",
    "tibetan": "Tibetan",
}


def unspaced_script(texts: Sequence[TextLike]) -> str | None:
    """The script of texts that put no spaces between words; None where words are spaced.

    >>> unspaced_script([["他用 Python 写代码。"]]), unspaced_script([["今日はいい天気ですね。"]])
    ('Chinese', 'Japanese')
    >>> unspaced_script([["The Chinese say 你好."]]) is None
    True
    """
    letters = _core.letters(texts)
    spaced = letters.pop("spaced")
    unspaced = sum(letters.values())
    if unspaced <= UNSPACED_SHARE * (unspaced + spaced):
        return None
    han, kana = letters.pop("han"), letters.pop("kana")
    counts = {NAMES[name]: count for name, count in letters.items()}
    counts["Japanese" if kana > KANA_SHARE * (han + kana) else "Chinese"] = han + kana
    return max(counts, key=counts.__getitem__)
