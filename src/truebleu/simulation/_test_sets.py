"""Simulated test sets: documents, references, and systems whose errors are made on purpose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import islice, repeat
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING

from truebleu._core import Segments
from truebleu._seeds import DEFAULT_SEED, Streams, require_seed
from truebleu.corpus import TestSet
from truebleu.corpus._writing import files_of, write_files
from truebleu.errors import SettingError
from truebleu.simulation._language import (
    DOMAINS,
    TABLE_SIZE,
    TOPICS_PER_DOMAIN,
    Sentence,
    general_tables,
    kinds,
    make_sentence,
    paraphrase,
    spell,
    topic_tables,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu._seeds import Draw
    from truebleu.simulation._language import Tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A system of known quality: how probable each kind of error is at each word.

    Each word meets at most one error, whatever its neighbours meet. It is dropped, swapped with the
    next word (the last one with the word before it), substituted by another word of its kind, or
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
        """A channel that makes an error at this share of the words, a quarter of each kind.

        As many words are dropped as inserted, so that outputs are on average as long as references
        and systems differ in accuracy, not in length.

        >>> Channel.at_rate(0.2)
        Channel(drop=0.05, swap=0.05, substitute=0.05, insert=0.05)
        """
        require_probability("rate", rate)
        return cls(drop=rate / 4, swap=rate / 4, substitute=rate / 4, insert=rate / 4)

    @property
    def rate(self) -> float:
        """How probable an error of any kind is at each word."""
        return fsum((self.drop, self.swap, self.substitute, self.insert))

    def garble(self, words: Sequence[str], draw: Draw) -> list[str]:
        """The words with errors, drawn from one stream of random numbers."""
        rate = self.rate
        errors = [(place, number) for place in range(len(words)) if (number := draw()) < rate]
        garbled = list(words)
        # From the right, so that the places still to come do not move.
        for place, number in reversed(errors):
            self._err(garbled, place, number, draw)
        return garbled

    def _err(self, words: list[str], place: int, number: float, draw: Draw) -> None:
        """Make the error at this place that the number, below the rate, stands for."""
        if number < self.drop:
            del words[place]
        elif number < self.drop + self.swap:
            neighbour = place + 1 if place + 1 < len(words) else place - 1
            if neighbour >= 0:
                words[place], words[neighbour] = words[neighbour], words[place]
        elif number < self.drop + self.swap + self.substitute:
            words[place] = _other_word(words[place], draw)
        else:
            words.insert(place + 1, general_tables()["any"][int(draw() * TABLE_SIZE)])


def _other_word(word: str, draw: Draw) -> str:
    table = general_tables()[kinds()[word]]
    place = int(draw() * TABLE_SIZE)
    while table[place] == word:
        place = (place + 1) % TABLE_SIZE
    return table[place]


def require_probability(setting: str, value: object) -> None:
    """Raise SettingError unless the value is a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise SettingError(setting, value, "a number from 0 to 1")


def simulate(
    *,
    segments: int,
    systems: Mapping[str, Channel] | Sequence[float],
    references: int = 1,
    document_length: int = 10,
    seed: int = DEFAULT_SEED,
) -> TestSet:
    """Make a test set and systems whose true quality is known.

    Each system's output is the first reference with the errors of its channel, drawn independently
    of all other systems. So **two systems with equal channels are exchangeable**: their outputs are
    draws from one distribution, whatever difference there is between their scores is chance, and a
    test that calls it real makes an error of type I. With unequal channels the difference is real.

    The text depends on the seed and on nothing else: not on the machine or the version of Python.
    Segment i and what a system makes of it stay the same when segments, references or systems are
    added, since a system's errors come from the seed, its own name and i.

    >>> test_set = simulate(segments=2, systems={"good": Channel(), "bad": Channel.at_rate(0.5)})
    >>> test_set.references[0] == test_set.systems["good"]
    True

    Args:
        segments: how many segments to make.
        systems: channels by system name; or error rates, for ``Channel.at_rate``, of systems that
            are then called system-1, system-2 and so on.
        references: how many references; all after the first are paraphrases of it.
        document_length: segments per document on average; lengths from 1 to just under twice the
            average are equally likely, and the last document ends where the test set does.
        seed: a whole number from 0 up.
    """
    _require_whole_number("segments", segments, 1)
    _require_whole_number("references", references, 1)
    _require_whole_number("document_length", document_length, 1)
    require_seed(seed)
    channels = _as_channels(systems)
    documents = _Documents.of(segments, document_length, seed)
    sentences = _make_sentences(documents.tables, seed)
    return TestSet(
        systems={name: _translate(sentences, name, channels[name], seed) for name in channels},
        references=(
            Segments([spell(sentence.in_order()) for sentence in sentences]),
            *(_paraphrase(sentences, number, seed) for number in range(2, references + 1)),
        ),
        reference_names=tuple(f"reference-{number}" for number in range(1, references + 1)),
        documents=documents.names,
        domains=documents.domains,
    )


@dataclass(frozen=True, slots=True)
class _Documents:
    """For each segment the name of its document, its domain, and the words of its topic."""

    names: tuple[str, ...]
    domains: tuple[str, ...]
    tables: tuple[Tables, ...]

    @classmethod
    def of(cls, segments: int, mean_length: int, seed: int) -> _Documents:
        rows = list(islice(_document_rows(mean_length, seed), segments))
        return cls(
            names=tuple(name for name, _, _ in rows),
            domains=tuple(domain for _, domain, _ in rows),
            tables=tuple(tables for _, _, tables in rows),
        )


def _document_rows(mean_length: int, seed: int) -> Iterator[tuple[str, str, Tables]]:
    streams = Streams(seed, "document")
    domains = list(DOMAINS)
    document = 0
    while True:
        draw = streams.at(document)
        document += 1
        domain = domains[int(draw() * len(domains))]
        tables = topic_tables(domain, int(draw() * TOPICS_PER_DOMAIN))
        row = (f"document-{document}", domain, tables)
        yield from repeat(row, 1 + int(draw() * (2 * mean_length - 1)))


def _make_sentences(tables: Sequence[Tables], seed: int) -> list[Sentence]:
    streams = Streams(seed, "sentence")
    return [make_sentence(streams.at(index), words) for index, words in enumerate(tables)]


def _paraphrase(sentences: Sequence[Sentence], number: int, seed: int) -> Segments:
    streams = Streams(seed, f"reference {number}")
    return Segments(
        [
            spell(paraphrase(sentence, streams.at(index)).in_order())
            for index, sentence in enumerate(sentences)
        ]
    )


def _translate(sentences: Sequence[Sentence], name: str, channel: Channel, seed: int) -> Segments:
    streams = Streams(seed, f"system {name}")
    return Segments(
        [
            spell(channel.garble(sentence.in_order(), streams.at(index)))
            for index, sentence in enumerate(sentences)
        ]
    )


def _as_channels(systems: Mapping[str, Channel] | Sequence[float]) -> Mapping[str, Channel]:
    if not systems:
        raise SettingError("systems", systems, "at least one")
    if isinstance(systems, Mapping):
        for name, channel in systems.items():
            if not isinstance(channel, Channel):
                raise SettingError(f"systems: {name}", channel, "a Channel")
        return systems
    return {
        f"system-{number}": Channel.at_rate(rate) for number, rate in enumerate(systems, start=1)
    }


def _require_whole_number(setting: str, value: object, least: int) -> None:
    # A stream's key has 64 bits for each of its parts.
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**64:
        raise SettingError(setting, value, f"a whole number from {least} up, below 2**64")


def save_test_set(test_set: TestSet, folder: Path, *, overwrite: bool = False) -> list[Path]:
    """Write a simulated test set into a folder, which is made if need be: all files or none.

    Args:
        test_set: what ``simulate`` returned.
        folder: where to put ``reference-1.txt`` and so on, a file per system, ``documents.tsv``.
        overwrite: whether files that exist may be replaced.

    Returns:
        The files, in the order above.
    """
    for name in test_set.systems:
        if Path(name).name != name:
            raise SettingError("systems", name, "a name that can be a file's")
    return write_files(folder, files_of(test_set), overwrite=overwrite)
