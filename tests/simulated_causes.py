"""Systems with known faults, to check explanations of their differences."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from truebleu import schema
from truebleu._core import Segments
from truebleu.simulation.test_sets import Channel, general_tables, simulate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import TestSet

#: Names of the systems; all of them also have errors at 15 % of the words.
BASELINE, WEAK, RUNAWAY, QUOTES = "baseline", "weak-in-sport", "runaway", "straight-quotes"
WEAK_DOMAIN = "sport"
COMMON_RATE, WEAK_RATE = 0.15, 0.5
DOCUMENT_LENGTH = 5
# Shares of segments with a runaway output, and with a quotation.
RUNAWAY_SHARE, QUOTED_SHARE = 0.04, 0.5
RUNAWAY_WORDS = 120
SAYINGS = ("we agreed", "they waited", "nobody smiled", "it vanished", "everyone laughed")


def simulate_causes(*, segments: int, seed: int = schema.DEFAULT_SEED) -> TestSet:
    """Make a test set with a baseline and systems that equal it except for one known fault.

    - ``weak-in-sport`` makes more errors in the domain sport only;
    - ``runaway`` has runaway outputs in 4 % of the segments;
    - ``straight-quotes`` has straight quotes if the reference has curly ones.

    >>> test_set = simulate_causes(segments=20)
    >>> list(test_set.systems)
    ['baseline', 'weak-in-sport', 'runaway', 'straight-quotes']

    Args:
        segments: number of segments.
        seed: seed, an integer of at least 0.
    """
    common = Channel.at_rate(COMMON_RATE)
    names = (BASELINE, WEAK, RUNAWAY, QUOTES)
    channels = {**dict.fromkeys(names, common), "weak": Channel.at_rate(WEAK_RATE)}
    test_set = simulate(
        segments=segments, systems=channels, document_length=DOCUMENT_LENGTH, seed=seed
    )
    texts = {name: [segment or "" for segment in test_set.systems[name]] for name in channels}
    domains = test_set.domains or ()
    texts[WEAK] = [
        weak if domain == WEAK_DOMAIN else normal
        for normal, weak, domain in zip(texts[WEAK], texts.pop("weak"), domains, strict=True)
    ]
    endings = _sayings(segments, seed)
    outputs = {name: _appended(text, endings) for name, text in texts.items()}
    straight = [ending.replace("“", '"').replace("”", '"') for ending in endings]
    outputs[QUOTES] = _appended(texts[QUOTES], straight)
    outputs[RUNAWAY] = _appended(outputs[RUNAWAY], _essays(segments, seed))
    return replace(
        test_set,
        systems={name: Segments(outputs[name]) for name in names},
        references=tuple(Segments(_appended(text, endings)) for text in test_set.references),
    )


def _appended(text: TextLike, endings: Sequence[str]) -> list[str]:
    return [f"{segment or ''}{ending}" for segment, ending in zip(text, endings, strict=True)]


def _sayings(segments: int, seed: int) -> list[str]:
    """Draw quotations for the ends of some segments, equal in all texts."""
    streams = schema.Streams(seed, "saying")
    endings = []
    for index in range(segments):
        draw = streams.at(index)
        saying = SAYINGS[int(draw() * len(SAYINGS))]
        endings.append(f" “{saying}”" if draw() < QUOTED_SHARE else "")
    return endings


def _essays(segments: int, seed: int) -> list[str]:
    """Draw the extra text of runaway outputs; other segments have none."""
    streams, words = schema.Streams(seed, "essay"), general_tables()["any"]
    essays = []
    for index in range(segments):
        draw = streams.at(index)
        runs_away = draw() < RUNAWAY_SHARE
        essay = [words[int(draw() * len(words))] for _ in range(RUNAWAY_WORDS * runs_away)]
        essays.append(" " + " ".join(essay) if essay else "")
    return essays
