"""N-grams of a text, for code that wants to see them; the scores are counted natively."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def extract_word_ngrams(tokens: Sequence[str], n: int) -> Counter[str]:
    """How often each run of n tokens occurs, as text with a space between tokens.

    >>> extract_word_ngrams(["a", "b", "a"], 1)
    Counter({'a': 2, 'b': 1})
    """
    return Counter(" ".join(run) for run in zip(*(tokens[i:] for i in range(n)), strict=False))


def extract_char_ngrams(line: str, n: int, include_whitespace: bool = False) -> Counter[str]:
    """How often each run of n characters occurs, by default across what white space separates.

    >>> extract_char_ngrams("a ba", 2)
    Counter({'ab': 1, 'ba': 1})
    """
    characters = line if include_whitespace else "".join(line.split())
    return Counter(characters[start : start + n] for start in range(len(characters) - n + 1))
