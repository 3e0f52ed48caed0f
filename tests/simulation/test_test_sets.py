"""Claims about simulated test sets: their language, their errors, and what is planted in them."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.simulated_causes import simulate_causes
from truebleu.corpus import TestSet, read_test_set
from truebleu.counts.counting import count_texts
from truebleu.errors import SettingError, UnreadableFileError
from truebleu.resampling import Units
from truebleu.schema import Streams
from truebleu.significance.scores import score
from truebleu.significance.unit_counts import count_units
from truebleu.simulation.test_sets import (
    DOMAINS,
    RULES,
    TABLE_SIZE,
    TOPICS_PER_DOMAIN,
    Channel,
    _groups,
    general_tables,
    kinds,
    make_sentence,
    paraphrase,
    save_test_set,
    simulate,
    spell,
    synonyms,
    topic_tables,
)

if TYPE_CHECKING:
    from pathlib import Path


# Whole test sets.


CHANNELS = {"good": Channel.at_rate(0.05), "bad": Channel(drop=0.1, substitute=0.2)}

# Of the text that was made when this was written; it may change only together with the language.
DIGEST = "7ed066ed2d0c781690e1a7bb3491dea992d257d4f69ae5ec9e52ee06d85b0a8e"


def test_test_sets_depend_only_on_the_seed() -> None:
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
    scores = score(simulate(segments=400, systems=[0.0, 0.02, 0.05, 0.1, 0.2, 0.4]))
    bleu = [system.scores["BLEU"].score for system in scores.systems]
    assert bleu == sorted(bleu, reverse=True)
    assert bleu[0] == pytest.approx(100)


def test_topics_differ_in_difficulty_and_leave_equal_systems_exchangeable() -> None:
    """Koehn (2004), Figs. 2 and 3: what is hard stands together."""
    plain, topics = (
        simulate(segments=1200, systems=[0.2, 0.2], topic_length=length) for length in (None, 100)
    )
    assert plain.references == topics.references

    def spreads(test_set: TestSet) -> list[float]:
        counted = count_units(count_texts(test_set, "ter"), Units.segments(1200))[0]
        blocks = [counted.rows[start : start + 100].sum(axis=0) for start in range(0, 1200, 100)]
        rates = np.stack([counted.metric.score(sums) for sums in blocks])
        return [float(np.std(rates[:, 0])), float(np.std(rates[:, 0] - rates[:, 1]))]

    # Of scores much more, of differences of systems that share the topics hardly.
    (score, difference), (with_topics, between) = spreads(plain), spreads(topics)
    assert with_topics > 3 * score
    assert between < 2 * difference


def test_a_harder_text_makes_each_error_more_probable_up_to_all_words() -> None:
    assert Channel(drop=0.1, insert=0.2).harder(2) == Channel(drop=0.2, insert=0.4)
    assert Channel.at_rate(0.8).harder(2).rate == pytest.approx(1)
    assert Channel().harder(2) == Channel()


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
        scores = score(test_set)
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


# Channels.


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


def test_words_are_dropped_at_the_given_rate() -> None:
    lost = sum(len(WORDS) - len(words) for words in garbled(Channel(drop=0.1)))
    assert_share(lost, 0.1)


def test_words_are_inserted_at_the_given_rate() -> None:
    gained = sum(len(words) - len(WORDS) for words in garbled(Channel(insert=0.07)))
    assert_share(gained, 0.07)


def test_words_are_substituted_by_their_kind_at_the_given_rate() -> None:
    pairs = [
        pair
        for words in garbled(Channel(substitute=0.2))
        for pair in zip(WORDS, words, strict=True)
        if pair[0] != pair[1]
    ]
    assert_share(len(pairs), 0.2)
    assert all(kinds()[before] == kinds()[after] for before, after in pairs)


def test_words_are_swapped_at_the_given_rate() -> None:
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


# Files.


def make(system: str = "good") -> TestSet:
    return simulate(segments=30, systems={system: Channel.at_rate(0.1)}, references=2)


def test_a_written_test_set_reads_back_unchanged(tmp_path: Path) -> None:
    made = make()
    first, second, system, documents = map(str, save_test_set(made, tmp_path / "new" / "folder"))
    read = read_test_set([system], [first, second], documents=documents)
    assert list(read.systems["good"]) == list(made.systems["good"])
    assert [list(text) for text in read.references] == [list(text) for text in made.references]
    assert (read.documents, read.domains) == (made.documents, made.domains)


def test_an_existing_file_prevents_all_writing(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("mine")
    with pytest.raises(SettingError, match=r"good\.txt.*--force"):
        save_test_set(make(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["good.txt"]
    assert (tmp_path / "good.txt").read_text() == "mine"


def test_a_file_that_exists_is_replaced_on_request(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("mine")
    files = save_test_set(make(), tmp_path, overwrite=True)
    assert sorted(tmp_path.iterdir()) == sorted(files)
    assert len((tmp_path / "good.txt").read_text().splitlines()) == 30


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnreadableFileError, match="file: cannot be written"):
        save_test_set(make(), tmp_path / "file")


@pytest.mark.parametrize("name", ["reference-1", "../escape", "a/b"])
def test_a_system_whose_name_cannot_be_a_file_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="systems"):
        save_test_set(make(name), tmp_path)
    assert list(tmp_path.iterdir()) == []


# The language.


def test_every_word_has_one_kind() -> None:
    words = Counter(word for _, groups in _groups() for group in groups for word in group)
    assert [word for word, count in words.items() if count > 1] == []


def test_every_word_can_be_drawn() -> None:
    tables = general_tables()
    assert all(word in tables[kind] for word, kind in kinds().items())


def test_tables_are_full_and_their_first_word_is_the_commonest() -> None:
    for domain in DOMAINS:
        for topic in range(TOPICS_PER_DOMAIN):
            for table in topic_tables(domain, topic).values():
                assert len(table) == TABLE_SIZE
                assert Counter(table).most_common(1)[0][0] == table[0]


def test_topics_differ_in_their_commonest_nouns() -> None:
    commonest = {
        topic_tables(domain, topic)["noun"][0]
        for domain in DOMAINS
        for topic in range(TOPICS_PER_DOMAIN)
    }
    assert len(commonest) == len(DOMAINS) * TOPICS_PER_DOMAIN


def test_every_symbol_is_a_rule_or_a_kind() -> None:
    known = {*RULES, *general_tables()}
    assert {part for rules in RULES.values() for rule in rules for part in rule} <= known


def test_no_sentence_can_be_shorter_than_3_words_or_longer_than_40() -> None:
    def lengths(symbol: str) -> tuple[int, int]:
        if symbol not in RULES:
            return (0, 0) if symbol == "pause" else (1, 1)
        alternatives = [[lengths(part) for part in rule] for rule in RULES[symbol]]
        return (
            min(sum(least for least, _ in parts) for parts in alternatives),
            max(sum(most for _, most in parts) for parts in alternatives),
        )

    least, most = map(sum, zip(lengths("sentence"), lengths("adverbial"), strict=True))
    assert (least, most) == (3, 38)


def test_a_paraphrase_says_the_same_in_other_words() -> None:
    sentences, rewordings = Streams(3, "sentence"), Streams(3, "paraphrase")
    changed = 0
    for index in range(200):
        sentence = make_sentence(sentences.at(index), topic_tables("travel", 0))
        other = paraphrase(sentence, rewordings.at(index))
        changed += other != sentence
        for before, after in zip(sentence.words, other.words, strict=True):
            assert after == before or after in synonyms()[before]
    assert changed > 150


def test_spelling_sets_a_capital_a_full_stop_and_no_space_before_a_pause() -> None:
    assert spell(["our", "team", "won", ";", "so", "what"]) == "Our team won; so what."
    assert spell([]) == ""


def test_systems_with_a_planted_cause_differ_from_the_baseline_there_only() -> None:
    test_set = simulate_causes(segments=200)
    longer = simulate_causes(segments=230)
    texts = {name: list(outputs) for name, outputs in test_set.systems.items()}
    assert list(longer.systems["runaway"])[:200] == texts["runaway"]
    reference = list(test_set.references[0])
    runaway = [len(text or "") > 3 * len(reference[i] or "") for i, text in enumerate(texts["runaway"])]  # fmt: skip  # noqa: E501
    assert 2 <= sum(runaway) <= 16
    assert not any('"' in (text or "") for name in texts if name != "straight-quotes" for text in texts[name])  # fmt: skip  # noqa: E501
    assert any('"' in (text or "") for text in texts["straight-quotes"])
    assert any("“" in (text or "") for text in reference)
    assert not any("“" in (text or "") for text in texts["straight-quotes"])

    def right(name: str, domain: str, *, equal: bool) -> float:
        places = [i for i, one in enumerate(test_set.domains or ()) if (one == domain) is equal]
        return sum(texts[name][i] == reference[i] for i in places) / len(places)

    assert right("weak-in-sport", "sport", equal=True) < right("baseline", "sport", equal=True)
    assert right("weak-in-sport", "sport", equal=False) > 0.5 * right("baseline", "sport", equal=False)  # fmt: skip  # noqa: E501
