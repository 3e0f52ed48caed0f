"""Sentences of the simulated language, and paraphrases of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from truebleu.simulation.lexicon import TABLE_SIZE, synonyms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.simulation.lexicon import Tables
    from truebleu.streams import Draw

# What each symbol may become, one alternative as likely as the other; repeated where it should be
# likelier. A symbol without a rule is a kind of word. All alternatives together make sentences of 3
# to 38 words, not counting pauses.
RULES: Mapping[str, Sequence[Sequence[str]]] = {
    "sentence": (
        ("clause",),
        ("clause",),
        ("clause",),
        ("clause", "pause", "conjunction", "clause"),
        ("clause", "pause", "conjunction", "clause"),
        ("clause", "pause", "conjunction", "clause", "pause", "conjunction", "clause"),
    ),
    "clause": (
        ("thing", "verb_alone"),
        ("subject", "verb_alone", "place"),
        ("subject", "verb", "subject"),
        ("subject", "adverb", "verb", "subject"),
        ("subject", "verb", "subject", "place"),
        ("subject", "verb", "thing", "place"),
    ),
    "subject": (("name",), ("thing",), ("thing",), ("thing",)),
    "thing": (
        ("determiner", "noun"),
        ("determiner", "noun"),
        ("determiners", "nouns"),
        ("determiner", "adjective", "noun"),
        ("determiners", "adjective", "nouns"),
    ),
    "place": (("preposition", "subject"),),
    "adverbial": ((), (), (), ("time",), ("time",), ("moment", "determiner", "event")),
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of a sentence and of its adverbial, which may come first or last."""

    words: Sequence[str]
    adverbial: Sequence[str]
    adverbial_first: bool

    def in_order(self) -> list[str]:
        """All words as they follow each other; a pause sets off an adverbial that comes first."""
        if not self.adverbial:
            return [*self.words]
        if self.adverbial_first:
            return [*self.adverbial, ",", *self.words]
        return [*self.words, *self.adverbial]


def make_sentence(draw: Draw, tables: Tables) -> Sentence:
    """A sentence in the vocabulary of these tables."""
    words: list[str] = []
    _grow("sentence", draw, tables, words)
    adverbial: list[str] = []
    _grow("adverbial", draw, tables, adverbial)
    return Sentence(words, adverbial, draw() < 0.5)


def _grow(symbol: str, draw: Draw, tables: Tables, words: list[str]) -> None:
    rules = RULES.get(symbol)
    if rules is None:
        words.append(tables[symbol][int(draw() * TABLE_SIZE)])
        return
    for part in rules[int(draw() * len(rules))]:
        _grow(part, draw, tables, words)


def paraphrase(sentence: Sentence, draw: Draw) -> Sentence:
    """The same in other words: each word by one of its synonyms, the adverbial anywhere."""
    groups = synonyms()

    def reword(words: Sequence[str]) -> list[str]:
        return [
            groups[word][int(draw() * len(groups[word]))] if word in groups else word
            for word in words
        ]

    return Sentence(reword(sentence.words), reword(sentence.adverbial), draw() < 0.5)


def spell(words: Sequence[str]) -> str:
    """The words as text, with a capital and a full stop; nothing where there are no words.

    >>> spell(["today", ",", "the", "minister", "waited"])
    'Today, the minister waited.'
    """
    if not words:
        return ""
    text = " ".join(words).replace(" ,", ",").replace(" ;", ";")
    return f"{text[0].upper()}{text[1:]}."
