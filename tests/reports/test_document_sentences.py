"""What was resampled and what a reader must know of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from truebleu.reports.document import (
    few_documents,
    join_names,
    p_cell,
    p_equals,
    people_sentence,
    people_source,
    percent,
    resampled,
)
from truebleu.significance.human_curves import KOCMI, PeopleAgreement
from truebleu.significance.settings import ResamplingSettings
from truebleu.simulation import simulate

if TYPE_CHECKING:
    from truebleu.corpus import Sizes


SEGMENTS = ResamplingSettings()
DOCUMENTS = ResamplingSettings(unit="document")


def sizes(*, documents: bool) -> Sizes:
    texts = simulate(segments=40, systems=[0.1], document_length=4, seed=2)
    return (texts if documents else replace(texts, documents=None)).outline.sizes


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


def test_resampled_segments_name_the_number_of_documents() -> None:
    unknown, known = sizes(documents=False), sizes(documents=True)
    assert resampled(SEGMENTS, 40, unknown) == "40 segments (no documents given)"
    documents = f"though of {known.documents} documents"
    assert resampled(SEGMENTS, 40, known) == f"40 segments (taken as independent, {documents})"
    assert resampled(DOCUMENTS, 10, known) == "10 documents"


@pytest.mark.parametrize(("units", "warned"), [(99, 1), (100, 0)])
def test_few_documents_are_warned_of(units: int, warned: int) -> None:
    assert len(few_documents(DOCUMENTS, units)) == warned
    assert few_documents(SEGMENTS, units) == []


SURE = PeopleAgreement(
    curve="BLEU",
    accuracy=88.4,
    coin=0.4,
    better_than_coin=True,
    source=KOCMI,
    pairs=3344,
)
COIN = replace(SURE, accuracy=50.0, better_than_coin=False)


def test_people_agree_or_toss_a_coin() -> None:
    assert people_sentence(-2.5, SURE, "BLEU", 2) == (
        "For gaps of 2.50 BLEU, human raters prefer the same system about 88 % of the time."
    )
    sentence = people_sentence(0.1, COIN, "BLEU", 2)
    assert sentence.startswith("A gap below 0.40 BLEU is too small for human raters")


def test_the_source_of_the_curve_is_named() -> None:
    assert people_source(SURE) == "human raters: Kocmi et al. (2024), 3,344 pairs of systems"


@pytest.mark.parametrize(
    ("parts", "words"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_words_are_listed(parts: list[str], words: str) -> None:
    assert join_names(parts) == words
    assert percent(0.12345, 2) == "12.35 %"
