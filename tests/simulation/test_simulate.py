"""Claims about simulated test sets."""

from __future__ import annotations

from hashlib import sha256
from math import sqrt
from typing import Any

import pytest

from truebleu.errors import SettingError
from truebleu.metrics.score import score_test_set
from truebleu.simulation import Channel, simulate

CHANNELS = {"good": Channel.at_rate(0.05), "bad": Channel(drop=0.1, substitute=0.2)}

# Of the text that was made when this was written; it may change only together with the language.
DIGEST = "7ed066ed2d0c781690e1a7bb3491dea992d257d4f69ae5ec9e52ee06d85b0a8e"


def test_the_same_seed_makes_the_same_test_set() -> None:
    made = [simulate(segments=50, systems=CHANNELS, references=2, seed=9) for _ in range(2)]
    assert made[0] == made[1]


def test_the_text_is_the_same_on_every_machine_and_version() -> None:
    test_set = simulate(segments=300, systems=CHANNELS, references=2)
    texts = (*test_set.references, *test_set.systems.values())
    lines = [*(str(segment) for text in texts for segment in text), *(test_set.documents or ())]
    assert sha256("\n".join(lines).encode()).hexdigest() == DIGEST


def test_another_seed_makes_another_test_set() -> None:
    left, right = (simulate(segments=50, systems=CHANNELS, seed=seed) for seed in (0, 1))
    assert left.references != right.references
    assert left.systems != right.systems


def test_more_segments_leave_the_first_ones_as_they_were() -> None:
    short, long = (simulate(segments=n, systems=CHANNELS, references=2) for n in (100, 200))
    texts = [*short.references, *short.systems.values()]
    longer = [*long.references, *long.systems.values()]
    assert [list(text) for text in texts] == [list(text)[:100] for text in longer]
    assert short.documents == (long.documents or ())[:100]
    assert short.domains == (long.domains or ())[:100]


def test_another_system_leaves_the_others_as_they_were() -> None:
    fewer = simulate(segments=50, systems=CHANNELS)
    more = simulate(segments=50, systems={"new": Channel.at_rate(0.3), **CHANNELS})
    assert {name: more.systems[name] for name in CHANNELS} == fewer.systems
    assert more.references == fewer.references


def test_another_reference_leaves_the_first_as_it_was() -> None:
    one, three = (simulate(segments=50, systems=CHANNELS, references=n) for n in (1, 3))
    assert one.references == three.references[:1]
    assert one.systems == three.systems
    assert len(set(map(tuple, three.references))) == 3


def test_every_segment_belongs_to_a_document_of_one_domain() -> None:
    test_set = simulate(segments=1000, systems=[0.1], document_length=5)
    assert test_set.documents is not None
    assert test_set.domains is not None
    assert len(set(zip(test_set.documents, test_set.domains, strict=True))) == len(
        set(test_set.documents)
    )
    assert len(set(test_set.domains)) == 4
    assert 150 < len(set(test_set.documents)) < 250


def test_documents_of_one_segment_are_possible() -> None:
    documents = simulate(segments=20, systems=[0.1], document_length=1).documents
    assert documents is not None
    assert len(set(documents)) == 20


def test_more_errors_make_lower_scores() -> None:
    scores = score_test_set(simulate(segments=400, systems=[0.0, 0.02, 0.05, 0.1, 0.2, 0.4]))
    bleu = [system.scores["BLEU"].score for system in scores.systems]
    assert bleu == sorted(bleu, reverse=True)
    assert bleu[0] == pytest.approx(100)


def test_rates_name_systems_by_their_position() -> None:
    by_rate = simulate(segments=20, systems=[0.1, 0.3])
    by_name = simulate(
        segments=20, systems={"system-1": Channel.at_rate(0.1), "system-2": Channel.at_rate(0.3)}
    )
    assert by_rate == by_name


def test_systems_of_equal_channels_are_exchangeable() -> None:
    """Their outputs differ, but neither is ahead more often than a fair coin would have it."""
    twins = {"left": Channel.at_rate(0.2), "right": Channel.at_rate(0.2)}
    seeds = 200
    ahead = 0
    for seed in range(seeds):
        test_set = simulate(segments=20, systems=twins, seed=seed)
        assert test_set.systems["left"] != test_set.systems["right"]
        scores = score_test_set(test_set)
        ahead += scores["left"]["BLEU"].score > scores["right"]["BLEU"].score
    assert abs(ahead - seeds / 2) < 3 * sqrt(seeds / 4)


@pytest.mark.parametrize(
    "settings",
    [
        {"segments": 0},
        {"segments": 1.5},
        {"references": 0},
        {"document_length": 0},
        {"document_length": True},
        {"seed": -1},
        {"seed": 2**64},
        {"seed": None},
        {"systems": {}},
        {"systems": []},
        {"systems": [0.1, 2]},
        {"systems": {"a": 0.1}},
    ],
    ids=str,
)
def test_impossible_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        simulate(**{"segments": 5, "systems": [0.1], **settings})
