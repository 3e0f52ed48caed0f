"""Minimum Bayes risk in words: what was chosen, where there was nothing to choose, and scores."""

from __future__ import annotations

from truebleu import mbr

LISTS = [["a dog sat", "the cat sat", "the cat ran"], ["yes"], ["a b", "a b", "c d"]]
REFERENCE = ["the cat sat", "yes", "a b"]


def test_sentences_count_what_was_chosen() -> None:
    first, alone, *_ = mbr(LISTS, metric="chrf").to_document().sentences
    assert first.startswith("Another candidate than the first was chosen for 1 of 3 segments")
    assert alone == "There was nothing to choose from for 1 of 3 segments."


def test_scores_of_a_choice_come_with_a_warning() -> None:
    result = mbr(LISTS, metric="chrf", references=REFERENCE)
    assert "is bound to gain chrF2" in result.to_document().sentences[-1]
    assert result.evaluations[0].metric == "chrF2"
    assert "is bound to gain" not in str(mbr(LISTS, metric="chrf"))


def test_programs_get_a_row_for_each_choice() -> None:
    rows = mbr(LISTS, metric="chrf", best=2).to_document().data.rows
    assert [(row["segment"], row["rank"]) for row in rows] == [
        (1, 1), (1, 2), (2, 1), (3, 1), (3, 2),
    ]  # fmt: skip
    assert [row["text"] for row in rows][:1] == ["the cat sat"]


def test_an_approximation_says_what_it_gives_away() -> None:
    sentences = mbr(LISTS, metric="chrf", method="aggregate", check=True).to_document().sentences
    assert any("it gives away" in sentence and "on average" in sentence for sentence in sentences)
