"""Claims about the simulated language."""

from __future__ import annotations

from collections import Counter

from truebleu._seeds import Streams
from truebleu.simulation._language import (
    DOMAINS,
    RULES,
    TABLE_SIZE,
    TOPICS_PER_DOMAIN,
    _groups,
    general_tables,
    kinds,
    make_sentence,
    paraphrase,
    spell,
    synonyms,
    topic_tables,
)


def test_every_word_has_one_kind() -> None:
    words = Counter(word for _, groups in _groups() for group in groups for word in group)
    assert [word for word, count in words.items() if count > 1] == []


def test_every_word_can_come_up() -> None:
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
