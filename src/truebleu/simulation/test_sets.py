"""Simulated test sets: references from a small grammar, systems with known error rates.

The right result of a significance test is unknown for real systems, but known for simulated ones:
systems with equal channels are equal, all other pairs differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from itertools import count, islice, repeat
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias, TypedDict

from truebleu import schema
from truebleu._core import Segments
from truebleu.corpus._files import write_files
from truebleu.corpus._reading import files_of
from truebleu.corpus.test_set import TestSet
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from typing_extensions import Unpack


__all__ = ["Channel", "save_test_set", "simulate"]

# The language: words with kinds and synonyms, a grammar, and paraphrases.


Tables: TypeAlias = "Mapping[str, tuple[str, ...]]"


def _read_words() -> dict[str, dict[str, str]]:
    """Read the words of each domain by kind; all domains use the words of the domain "general".

    Words of a kind and their synonyms are sorted by frequency. A slash joins synonyms, which a
    paraphrase may exchange. Every word is listed once, so that it determines its kind.
    """
    words: dict[str, dict[str, str]] = {}
    for line in (files("truebleu.simulation") / "words.tsv").read_text("utf-8").splitlines():
        domain, kind, of_kind = line.split("\t")
        words.setdefault(domain, {})[kind] = of_kind
    return words


DOMAINS = _read_words()
GENERAL = DOMAINS.pop("general")

# Topics of a domain differ in which of its words are the most frequent.
TOPICS_PER_DOMAIN = 8

# Size of tables that contain words in proportion to their frequency: one look-up draws a word.
TABLE_SIZE = 2048

# Number of words of each kind that can be inserted.
COMMON_WORDS = 20


@cache
def topic_tables(domain: str, topic: int) -> Tables:
    """Return a table of each kind; the topic's words are the most frequent of their kind."""
    tables = {}
    for kind, text in GENERAL.items():
        domain_words = DOMAINS[domain].get(kind, "").split()
        start = topic * len(domain_words) // TOPICS_PER_DOMAIN
        groups = domain_words[start:] + domain_words[:start] + text.split()
        tables[kind] = _zipf_table(_words(groups))
        if kind == "noun":
            tables["nouns"] = _zipf_table([plural(word) for word in _words(groups)])
    return tables


@cache
def general_tables() -> Tables:
    """Return a table of all words of each kind; under "any", of common words of all kinds."""
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
    """Return the kind of every word."""
    return {word: kind for kind, groups in _groups() for group in groups for word in group}


@cache
def synonyms() -> Mapping[str, tuple[str, ...]]:
    """Return the synonyms of every word with synonyms, including the word itself."""
    return {
        word: group
        for _, groups in _groups()
        for group in groups
        if len(group) > 1
        for word in group
    }


def plural(noun: str) -> str:
    """Return the plural of a regular noun.

    >>> [plural(noun) for noun in ("river", "story", "beach")]
    ['rivers', 'stories', 'beaches']
    """
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _groups() -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Yield each kind with its words in groups of synonyms, the general words first."""
    for kind, text in GENERAL.items():
        texts = [text, *(domain.get(kind, "") for domain in DOMAINS.values())]
        groups = [tuple(group.split("/")) for text in texts for group in text.split()]
        yield kind, groups
        if kind == "noun":
            yield "nouns", [tuple(map(plural, group)) for group in groups]


def _words(groups: Sequence[str]) -> list[str]:
    return [word for group in groups for word in group.split("/")]


def _zipf_table(words: Sequence[str]) -> tuple[str, ...]:
    """Make a table in which the word of rank r has a share proportional to 1 / (r + 2).

    The 2 is Mandelbrot's correction of Zipf's law; without it the first word is far too frequent.
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

# Expansions of each symbol, equally likely; repetition makes one more likely. A symbol without a
# rule is a kind of word. Sentences have 3 to 38 words, not counting pauses.
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
    """A sentence, with an adverbial that comes first or last."""

    words: Sequence[str]
    adverbial: Sequence[str]
    adverbial_first: bool

    def in_order(self) -> list[str]:
        """Return all words in order; a comma follows an adverbial that comes first."""
        if not self.adverbial:
            return [*self.words]
        if self.adverbial_first:
            return [*self.adverbial, ",", *self.words]
        return [*self.words, *self.adverbial]


def make_sentence(draw: schema.Draw, tables: Tables) -> Sentence:
    """Draw a sentence with the words of `tables`."""
    words: list[str] = []
    _grow("sentence", draw, tables, words)
    adverbial: list[str] = []
    _grow("adverbial", draw, tables, adverbial)
    return Sentence(words, adverbial, draw() < 0.5)


def _grow(symbol: str, draw: schema.Draw, tables: Tables, words: list[str]) -> None:
    rules = RULES.get(symbol)
    if rules is None:
        words.append(tables[symbol][int(draw() * TABLE_SIZE)])
        return
    for part in rules[int(draw() * len(rules))]:
        _grow(part, draw, tables, words)


def paraphrase(sentence: Sentence, draw: schema.Draw) -> Sentence:
    """Paraphrase a sentence: draw a synonym for each word, and the place of the adverbial."""
    groups = synonyms()

    def reword(words: Sequence[str]) -> list[str]:
        return [
            groups[word][int(draw() * len(groups[word]))] if word in groups else word
            for word in words
        ]

    return Sentence(reword(sentence.words), reword(sentence.adverbial), draw() < 0.5)


def spell(words: Sequence[str]) -> str:
    """Join words to a text with a capital and a full stop, or to "" without words.

    >>> spell(["today", ",", "the", "minister", "waited"])
    'Today, the minister waited.'
    """
    if not words:
        return ""
    text = " ".join(words).replace(" ,", ",").replace(" ;", ";")
    return f"{text[0].upper()}{text[1:]}."


# Systems: noisy channels, and test sets of their outputs.


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A system of known quality, given by the probability of each kind of error at each word.

    Each word has at most one error, independently of other words. It is dropped, swapped with the
    next word (the last word with the one before it), substituted by another word of its kind, or
    followed by an extra word.

    >>> Channel(drop=0.25, substitute=0.5).rate
    0.75
    """

    drop: float = 0.0
    swap: float = 0.0
    substitute: float = 0.0
    insert: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            require_probability(field.name, getattr(self, field.name))
        require_probability("drop + swap + substitute + insert", self.rate)

    @classmethod
    def at_rate(cls, rate: float) -> Channel:
        """Make a channel with errors at this share of the words, a quarter of each kind.

        Drops and insertions are equally likely, so that outputs are on average as long as
        references, and systems differ in accuracy, not in length.

        >>> Channel.at_rate(0.2)
        Channel(drop=0.05, swap=0.05, substitute=0.05, insert=0.05)
        """
        require_probability("rate", rate)
        return cls(drop=rate / 4, swap=rate / 4, substitute=rate / 4, insert=rate / 4)

    @property
    def rate(self) -> float:
        """Probability of an error of any kind at each word."""
        return fsum((self.drop, self.swap, self.substitute, self.insert))

    def harder(self, factor: float) -> Channel:
        """Multiply the probabilities of errors by `factor`; the sum stays below 1."""
        if factor * self.rate > 1:
            factor = (1 - 1e-12) / self.rate
        rates = {field.name: factor * getattr(self, field.name) for field in fields(self)}
        return self if factor == 1 else Channel(**rates)

    def garble(self, words: Sequence[str], draw: schema.Draw) -> list[str]:
        """Return the words with errors, drawn from one stream of random numbers."""
        rate = self.rate
        errors = [(position, number) for position in range(len(words)) if (number := draw()) < rate]
        garbled = list(words)
        # Making errors from right to left keeps insertions and drops from shifting the others.
        for position, number in reversed(errors):
            self._err(garbled, position, number, draw)
        return garbled

    def _err(self, words: list[str], position: int, number: float, draw: schema.Draw) -> None:
        """Apply the error that `number`, below the rate, selects."""
        if number < self.drop:
            del words[position]
        elif number < self.drop + self.swap:
            neighbour = position + 1 if position + 1 < len(words) else position - 1
            if neighbour >= 0:
                words[position], words[neighbour] = words[neighbour], words[position]
        elif number < self.drop + self.swap + self.substitute:
            words[position] = _other_word(words[position], draw)
        else:
            words.insert(position + 1, general_tables()["any"][int(draw() * TABLE_SIZE)])


def _other_word(word: str, draw: schema.Draw) -> str:
    table = general_tables()[kinds()[word]]
    index = int(draw() * TABLE_SIZE)
    while table[index] == word:
        index = (index + 1) % TABLE_SIZE
    return table[index]


def require_probability(setting: str, value: object) -> None:
    """Raise SettingError unless the value is a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise SettingError(setting, value, "a number from 0 to 1")


Count = Annotated[int, schema.Setting(minimum=1)]


class _Size(TypedDict):
    segments: Count


class SimulateOptions(_Size, total=False):
    """Options of `simulate`.

    Attributes:
        segments: number of segments.
        references: number of references; all after the first are paraphrases of it.
        document_length: mean number of segments in a document; lengths from 1 to just under twice
            the mean are equally likely, and the last document ends where the test set does.
        topic_length: mean number of segments in a topic, with the distribution of documents'
            lengths; a topic multiplies the error rates of all systems by 1/2 to 2, so that
            difficult segments stand together. None for no topics.
    """

    references: Annotated[Count, schema.Setting(default=1)]
    document_length: Annotated[Count, schema.Setting(default=10)]
    topic_length: Annotated[int | None, schema.Setting(minimum=1)]
    seed: schema.Seed


@schema.takes(SimulateOptions)
def simulate(
    *, systems: Mapping[str, Channel] | Sequence[float], **options: Unpack[SimulateOptions]
) -> TestSet:
    """Make a test set and systems whose true quality is known.

    Each system's output is the first reference with the errors of its channel, drawn independently
    of other systems, given the topics' difficulty. So **two systems with equal channels are
    exchangeable**: their outputs are draws from one distribution, any difference between their
    scores is chance, and a significant difference is a Type I error. With unequal channels the
    difference is real.

    For fixed options, the text depends only on the seed, not on the machine or the version of
    Python. Segment i and its outputs stay the same when segments, references or systems are added,
    since a system's errors depend on the seed, its name and i.

    >>> test_set = simulate(segments=2, systems={"good": Channel(), "bad": Channel.at_rate(0.5)})
    >>> test_set.references[0] == test_set.systems["good"]
    True

    Args:
        systems: channels by system name; or error rates for ``Channel.at_rate``, for systems with
            the names system-1, system-2 and so on.
    """
    segments, references, seed = options["segments"], options["references"], options["seed"]
    for name, size in {"segments": segments, "references": references}.items():
        schema.require_memory_for(name, size, BYTES_PER_SEGMENT)
    channels = _as_channels(systems)
    rows = islice(_document_rows(options["document_length"], seed), segments)
    documents, domains, tables = zip(*rows, strict=True)
    streams = schema.Streams(seed, "sentence")
    sentences = [make_sentence(streams.at(i), words) for i, words in enumerate(tables)]

    difficulties = list(islice(_difficulties(options["topic_length"], seed), segments))

    def changed(purpose: str, channel: Channel | None) -> Segments:
        """Return the sentences with a channel's errors, or paraphrased without a channel."""
        error_streams, words = schema.Streams(seed, purpose), []
        for i, (sentence, difficulty) in enumerate(zip(sentences, difficulties, strict=True)):
            draw = error_streams.at(i)
            words.append(
                paraphrase(sentence, draw).in_order()
                if channel is None
                else channel.harder(difficulty).garble(sentence.in_order(), draw)
            )
        return Segments([spell(of_sentence) for of_sentence in words])

    return TestSet(
        systems={name: changed(f"system {name}", channel) for name, channel in channels.items()},
        references=(
            Segments([spell(sentence.in_order()) for sentence in sentences]),
            *(changed(f"reference {number}", None) for number in range(2, references + 1)),
        ),
        reference_names=tuple(f"reference-{number}" for number in range(1, references + 1)),
        documents=documents,
        domains=domains,
    )


def _document_rows(mean_length: int, seed: int) -> Iterator[tuple[str, str, Tables]]:
    """Yield each segment's document, domain and table of words."""
    streams = schema.Streams(seed, "document")
    domains = list(DOMAINS)
    document = 0
    while True:
        draw = streams.at(document)
        document += 1
        domain = domains[int(draw() * len(domains))]
        tables = topic_tables(domain, int(draw() * TOPICS_PER_DOMAIN))
        row = (f"document-{document}", domain, tables)
        yield from repeat(row, 1 + int(draw() * (2 * mean_length - 1)))


def _difficulties(mean_length: int | None, seed: int) -> Iterator[float]:
    """Yield the factor of each segment's topic, log-uniform from 1/2 to 2."""
    if mean_length is None:
        yield from repeat(1.0)
        return
    streams = schema.Streams(seed, "topic")
    for topic in count():
        draw = streams.at(topic)
        factor = 4 ** (draw() - 0.5)
        yield from repeat(factor, 1 + int(draw() * (2 * mean_length - 1)))


def _as_channels(systems: Mapping[str, Channel] | Sequence[float]) -> Mapping[str, Channel]:
    if not systems:
        raise SettingError("systems", systems, "at least one system")
    schema.require_type("systems", systems, Iterable, "channels by name, or error rates")
    if isinstance(systems, Mapping):
        for name, channel in systems.items():
            if not isinstance(channel, Channel):
                raise SettingError(f"systems: {name}", channel, "a Channel")
        return systems
    return {
        f"system-{number}": Channel.at_rate(rate) for number, rate in enumerate(systems, start=1)
    }


# Memory for a text, a copy of it, and Python's overhead.
BYTES_PER_SEGMENT = 400


def save_test_set(
    test_set: TestSet, folder: str | PathLike[str], *, overwrite: bool = False
) -> list[Path]:
    """Write a simulated test set to a folder, created if missing: all files or none.

    Args:
        test_set: result of ``simulate``.
        folder: folder for ``reference-1.txt`` and so on, a file per system, ``documents.tsv``.
        overwrite: True to replace existing files.

    Returns:
        Paths of the files, in the order above.
    """
    for name in test_set.systems:
        if Path(name).name != name:
            raise SettingError("systems", name, "a name that can be a file's")
    return write_files(Path(folder), files_of(test_set), overwrite=overwrite)
