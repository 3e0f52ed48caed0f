"""Claims about noise channels."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import pytest

from truebleu._seeds import Streams
from truebleu.errors import SettingError
from truebleu.simulation import Channel
from truebleu.simulation.language import kinds

WORDS = ["the", "minister", "announced", "every", "budget", ",", "and", "the", "doctor", "waited"]
SEGMENTS = 4000
PLACES = SEGMENTS * len(WORDS)


def garbled(channel: Channel) -> list[list[str]]:
    streams = Streams(7, "test of channels")
    return [channel.garble(WORDS, streams.at(index)) for index in range(SEGMENTS)]


def assert_share(count: int, probability: float) -> None:
    """Within 4 standard deviations of a binomial distribution; the seed is fixed."""
    deviation = sqrt(PLACES * probability * (1 - probability))
    assert abs(count - PLACES * probability) < 4 * deviation


def test_words_are_dropped_as_often_as_asked() -> None:
    lost = sum(len(WORDS) - len(words) for words in garbled(Channel(drop=0.1)))
    assert_share(lost, 0.1)


def test_words_are_inserted_as_often_as_asked() -> None:
    gained = sum(len(words) - len(WORDS) for words in garbled(Channel(insert=0.07)))
    assert_share(gained, 0.07)


def test_words_are_substituted_as_often_as_asked_by_others_of_their_kind() -> None:
    pairs = [
        pair
        for words in garbled(Channel(substitute=0.2))
        for pair in zip(WORDS, words, strict=True)
        if pair[0] != pair[1]
    ]
    assert_share(len(pairs), 0.2)
    assert all(kinds()[before] == kinds()[after] for before, after in pairs)


def test_words_are_swapped_as_often_as_asked() -> None:
    channel = Channel(swap=0.001)  # so rarely that hardly any segment has two swaps
    moved = [words for words in garbled(channel) if words != WORDS]
    assert_share(len(moved), 0.001)
    assert all(sorted(words) == sorted(WORDS) for words in moved)
    displaced = Counter(
        sum(before != after for before, after in zip(WORDS, words, strict=True)) for words in moved
    )
    assert displaced.most_common(1)[0][0] == 2


def test_a_mixture_makes_each_kind_of_error() -> None:
    drops_and_inserts = Channel(drop=0.3, insert=0.1)
    change = sum(len(words) - len(WORDS) for words in garbled(drops_and_inserts))
    assert change == pytest.approx(-0.2 * PLACES, rel=0.05)


def test_a_channel_without_errors_changes_nothing() -> None:
    assert all(words == WORDS for words in garbled(Channel()))


def test_a_channel_that_drops_all_leaves_nothing() -> None:
    assert all(words == [] for words in garbled(Channel(drop=1.0)))


def test_a_single_word_has_no_neighbour_to_swap_with() -> None:
    assert Channel(swap=1.0).garble(["the"], Streams(0, "").at(0)) == ["the"]


def test_a_word_swaps_with_the_next_and_the_last_with_the_one_before() -> None:
    first, last = iter([0.0, 0.9, 0.9]), iter([0.9, 0.9, 0.0])
    channel = Channel(swap=0.5)
    assert channel.garble(["a", "b", "c"], first.__next__) == ["b", "a", "c"]
    assert channel.garble(["a", "b", "c"], last.__next__) == ["a", "c", "b"]


def test_a_rate_is_divided_evenly_and_kept() -> None:
    channel = Channel.at_rate(0.1)
    assert channel == Channel(drop=0.025, swap=0.025, substitute=0.025, insert=0.025)
    assert channel.rate == 0.1


def test_rates_that_add_up_to_one_are_possible() -> None:
    assert Channel(drop=0.1, swap=0.2, substitute=0.3, insert=0.4).rate == 1.0


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan"), float("inf"), "0.1", None, True])
@pytest.mark.parametrize("name", ["drop", "swap", "substitute", "insert"])
def test_an_impossible_probability_is_refused(name: str, value: object) -> None:
    with pytest.raises(SettingError, match=name):
        Channel(**{name: value})  # type: ignore[arg-type]


def test_errors_at_more_than_all_words_are_refused() -> None:
    with pytest.raises(SettingError, match=r"drop \+ swap"):
        Channel(drop=0.6, insert=0.6)
    with pytest.raises(SettingError, match="rate"):
        Channel.at_rate(1.1)
