"""Whole test sets: documents, references and the outputs of systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice, repeat
from typing import TYPE_CHECKING

from truebleu._core import Segments
from truebleu.corpus import TestSet
from truebleu.errors import SettingError
from truebleu.seeds import DEFAULT_SEED, require_seed
from truebleu.simulation.channels import Channel
from truebleu.simulation.grammar import Sentence, make_sentence, paraphrase, spell
from truebleu.simulation.lexicon import DOMAINS, TOPICS_PER_DOMAIN, topic_tables
from truebleu.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.simulation.lexicon import Tables


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
