"""The simulated language: its words with kinds and synonyms, its grammar, and paraphrases."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import fsum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu._seeds import Draw

Tables: TypeAlias = "Mapping[str, tuple[str, ...]]"

# A kind's words and their synonyms begin with the commonest. A slash joins synonyms, which a
# paraphrase may exchange. No word is listed twice, so that a word alone tells its kind.
GENERAL: Mapping[str, str] = {
    "determiner": "the/this every/each our/their that another one",
    "determiners": "these/those many/numerous some several/various few all",
    "noun": """
        house/home street/road question/issue idea/notion friend/companion room/chamber
        picture/image letter/note answer/reply story/tale river/stream garden/yard window
        door table corner visitor machine/device book/volume neighbour stone lamp voice/tone
        market/bazaar bridge tree""",
    "adjective": """
        new/recent old/aged big/large small/little good/fine quiet/silent strange/odd
        quick/fast clear/plain dark/dim famous/renowned bright/vivid heavy narrow
        gentle/mild useful/handy broken/damaged expensive/costly cheap early simple/easy red
        green""",
    "verb": """
        saw/noticed found/discovered made/produced took bought/purchased showed/displayed
        liked/enjoyed changed/altered chose/selected described/depicted forgot kept/retained
        needed/required watched/observed carried mentioned moved/shifted repaired/fixed
        avoided""",
    "verb_alone": """
        waited/lingered slept/dozed laughed/chuckled arrived appeared/emerged
        vanished/disappeared talked/chatted wandered/roamed worked/laboured hesitated/paused
        returned/reappeared smiled stumbled/tripped agreed fell""",
    "adverb": """
        often/frequently quickly/rapidly never always/constantly suddenly/abruptly
        carefully/cautiously quietly/silently almost/nearly gladly/happily barely/hardly
        secretly openly""",
    "preposition": "in/inside with near/beside behind under/beneath for/towards beyond without",
    "conjunction": "and but/yet because/since while/whereas although/though so",
    "pause": ", ;",
    "time": """
        yesterday today recently/lately finally/eventually meanwhile afterwards/later
        tonight sometimes/occasionally nowadays""",
    "moment": "after/following before/until during throughout",
    "event": """
        meeting/gathering dinner/supper summer holiday/vacation visit/stay storm/gale
        journey/trip celebration/party winter wedding interview evening""",
    "name": """
        Mara Anton Lisbon Teresa Oslo Viktor Nadia Turin Emil Kyoto Salma Bergen Ruben Quito
        Ingrid Malaga Tomas Amara Riga Felix""",
}

DOMAINS: Mapping[str, Mapping[str, str]] = {
    "news": {
        "noun": """
            minister/secretary government/cabinet election/ballot parliament/assembly budget
            law/statute journalist/reporter protest/demonstration treaty/pact
            border/frontier newspaper economy spokesperson/delegate tax/levy campaign union
            strike/walkout mayor province/region court""",
        "adjective": """
            political economic foreign/overseas national public official/formal
            controversial/disputed regional/local annual/yearly urgent""",
        "verb": """
            announced/declared criticised/condemned approved/endorsed rejected/dismissed
            supported/backed postponed/delayed signed investigated/probed denied defended""",
    },
    "health": {
        "noun": """
            doctor/physician patient hospital/clinic nurse treatment/therapy medicine/drug
            disease/illness symptom operation/surgery heart fever dose/dosage vaccine
            trial/experiment wound/injury remedy/cure pharmacist infection surgeon ward""",
        "adjective": """
            chronic/lasting medical/clinical painful/sore effective/successful rare/uncommon
            healthy/fit infected severe/serious harmless/safe elderly""",
        "verb": """
            treated/healed examined/inspected prescribed diagnosed/identified
            prevented/averted tested/tried reduced/lowered weakened injected
            monitored/tracked""",
    },
    "travel": {
        "noun": """
            hotel/inn train passenger/traveller beach/shore airport guide/escort
            museum/gallery ticket/pass island/isle suitcase/bag tourist/sightseer
            harbour/port cathedral valley/glen ferry/boat map restaurant/eatery
            mountain/peak platform souvenir""",
        "adjective": """
            sunny distant/remote crowded/packed comfortable/cosy historic/ancient
            scenic/picturesque coastal/seaside winding late/overdue exotic""",
        "verb": """
            visited/toured booked/reserved left crossed/traversed photographed
            recommended/praised reached missed explored/surveyed boarded""",
    },
    "sport": {
        "noun": """
            team/squad coach/trainer player match/game goal referee/umpire stadium/arena
            season record champion/winner rival/opponent fan/supporter trophy/cup medal
            defender league/division striker/forward keeper race/contest tournament""",
        "adjective": """
            unbeaten victorious/triumphant tired/weary talented/gifted final/last tactical
            aggressive/fierce young/youthful fair/sporting injured""",
        "verb": """
            won/clinched lost/conceded scored defeated/beat trained/drilled recruited/hired
            celebrated/cheered challenged/contested fouled dominated/controlled""",
    },
}

# A document's topic is its domain and which of the domain's words it uses most.
TOPICS_PER_DOMAIN = 8

# Words are drawn from a table that holds each as often as it should come up: one look-up per word.
TABLE_SIZE = 2048

# How many words of each kind an inserted word may be.
COMMON_WORDS = 20


@cache
def topic_tables(domain: str, topic: int) -> Tables:
    """For each kind, a table to draw from; the topic's words are the commonest of their kind."""
    tables = {}
    for kind, text in GENERAL.items():
        own = DOMAINS[domain].get(kind, "").split()
        start = topic * len(own) // TOPICS_PER_DOMAIN
        groups = own[start:] + own[:start] + text.split()
        tables[kind] = _zipf_table(_words(groups))
        if kind == "noun":
            tables["nouns"] = _zipf_table([plural(word) for word in _words(groups)])
    return tables


@cache
def general_tables() -> Tables:
    """For each kind, a table of all its words; under "any", one of the common words of all."""
    words = {kind: [word for group in groups for word in group] for kind, groups in _groups()}
    tables = {kind: _zipf_table(of_kind) for kind, of_kind in words.items()}
    ranked = sorted(
        (rank, word)
        for of_kind in words.values()
        for rank, word in enumerate(of_kind[:COMMON_WORDS])
    )
    return {**tables, "any": _zipf_table([word for _, word in ranked])}


@cache
def kinds() -> Mapping[str, str]:
    """The kind of every word."""
    return {word: kind for kind, groups in _groups() for group in groups for word in group}


@cache
def synonyms() -> Mapping[str, tuple[str, ...]]:
    """The synonyms of every word that has any, itself included."""
    return {
        word: group
        for _, groups in _groups()
        for group in groups
        if len(group) > 1
        for word in group
    }


def plural(noun: str) -> str:
    """The plural of a regular noun.

    >>> [plural(noun) for noun in ("river", "story", "beach")]
    ['rivers', 'stories', 'beaches']
    """
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _groups() -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Each kind with its words in groups of synonyms, the general words first."""
    for kind, text in GENERAL.items():
        texts = [text, *(domain.get(kind, "") for domain in DOMAINS.values())]
        groups = [tuple(group.split("/")) for text in texts for group in text.split()]
        yield kind, groups
        if kind == "noun":
            yield "nouns", [tuple(map(plural, group)) for group in groups]


def _words(groups: Sequence[str]) -> list[str]:
    return [word for group in groups for word in group.split("/")]


def _zipf_table(words: Sequence[str]) -> tuple[str, ...]:
    """The words, the one of rank r in a share of the table proportional to 1 / (r + 2).

    The 2 is Mandelbrot's correction of Zipf's law: without it a kind's first word is everywhere.
    """
    weights = [1 / (rank + 2) for rank in range(1, len(words) + 1)]
    total = fsum(weights)  # exact, where sum() is not the same in every version of Python
    table: list[str] = []
    share = 0.0
    for word, weight in zip(words, weights, strict=True):
        share += weight / total
        table.extend([word] * (round(share * TABLE_SIZE) - len(table)))
    return tuple(table)


# Sentences.

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
