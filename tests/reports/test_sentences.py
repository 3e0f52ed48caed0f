"""What was resampled and what a reader must know of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from truebleu.reports.sentences import (
    ENOUGH_DOCUMENTS,
    listed,
    p_cell,
    p_equals,
    people_limits,
    people_sentence,
    people_sentences,
    percent,
    resampled,
    unit_sentences as sentences,
)
from truebleu.significance.people import KOCMI, PeopleAgreement
from truebleu.significance.settings import ResamplingSettings
from truebleu.simulation import simulate

if TYPE_CHECKING:
    from truebleu.corpus import TestSetOutline


SEGMENTS = ResamplingSettings()
DOCUMENTS = ResamplingSettings(unit="document")


def outline(*, documents: bool) -> TestSetOutline:
    texts = simulate(segments=40, systems=[0.1], document_length=4, seed=2)
    if documents:
        return texts.outline
    from dataclasses import replace

    return replace(texts, documents=None).outline


@pytest.mark.parametrize(
    ("p", "cell", "equals"),
    [
        (0.0499, "0.0499", "p = 0.0499"),
        (1.0, "1.0000", "p = 1.0000"),
        (0.0001, "0.0001", "p = 0.0001"),
        (0.00005, "< 0.0001", "p < 0.0001"),
    ],
)
def test_p_is_never_0(p: float, cell: str, equals: str) -> None:
    assert (p_cell(p), p_equals("p", p)) == (cell, equals)


def test_the_unit_is_named_with_its_number() -> None:
    assert resampled(SEGMENTS, 2000) == "2,000 segments"
    blocks = ResamplingSettings(unit="block", block_length=5, by_domain=True)
    assert resampled(blocks, 8) == "8 blocks of 5 segments within domains"


def test_unknown_documents_are_asked_for() -> None:
    (sentence,) = sentences(outline(documents=False), SEGMENTS, 40)
    assert "give --documents if they" in sentence


def test_known_documents_that_are_not_the_unit_are_warned_of_with_the_design_effect() -> None:
    (sentence,) = sentences(outline(documents=True), SEGMENTS, 40, {"BLEU": [1.5, 2.5, None]})
    assert "by documents the variance is 2.00 times as large" in sentence


@pytest.mark.parametrize(("units", "warned"), [(ENOUGH_DOCUMENTS - 1, 1), (ENOUGH_DOCUMENTS, 0)])
def test_few_documents_are_warned_of(units: int, warned: int) -> None:
    first, *others = sentences(
        outline(documents=True), DOCUMENTS, units, {"BLEU": [1.5], "TER": [2.0]}
    )
    assert first == (
        f"Resampled by document, {units} documents (design effect 1.50 by BLEU and 2.00 by TER)."
    )
    assert len(others) == warned


SURE = PeopleAgreement(
    curve="BLEU",
    accuracy=88.4,
    with_sampling=85.6,
    coin=0.4,
    better_than_coin=True,
    source=KOCMI,
    pairs=3344,
    beyond=False,
)
COIN = replace(SURE, accuracy=50.0, with_sampling=50.0, better_than_coin=False)


def test_a_difference_has_its_share_with_and_without_sampling() -> None:
    assert people_sentence(-2.5, SURE, "BLEU", 2) == (
        "People agree in 88 % of pairs of systems that differ by 2.50 BLEU, or in 86 % with the "
        "uncertainty of this difference."
    )


def test_a_difference_that_is_too_small_is_no_better_than_a_coin() -> None:
    sentence = people_sentence(0.1, COIN, "BLEU", 2)
    assert sentence.startswith("For people, 0.10 BLEU is no better than a coin")
    assert "more than 0.40" in sentence


def test_many_differences_are_summed_up_and_unknown_ones_left_out() -> None:
    summary, limits = people_sentences([(2.5, SURE), (0.1, COIN), (1.0, None)], "BLEU", 2)
    assert summary == (
        "1 of 2 differences are so large that people agree in at least 80 % of such pairs of "
        "systems; 1 so small (up to 0.40 BLEU) that people agree no more often than by chance."
    )
    assert "chance" not in next(people_sentences([(2.5, SURE), (2.5, SURE)], "BLEU", 2))
    assert limits == people_limits([SURE])
    assert list(people_sentences([(1.0, None)], "BLEU", 2)) == []


def test_the_limits_name_the_curve_and_where_it_ends() -> None:
    assert "Kocmi et al. (2024) over 3,344 pairs" in people_limits([SURE])
    own = replace(SURE, source="ours.tsv", pairs=40)
    assert "the curve of ours.tsv, fitted to 40 pairs of systems; a share" in people_limits([own])
    assert "all of which differ by less" in people_limits([own, replace(own, beyond=True)])


@pytest.mark.parametrize(
    ("parts", "words"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_words_are_listed(parts: list[str], words: str) -> None:
    assert listed(parts) == words
    assert percent(0.12345, 2) == "12.35 %"
