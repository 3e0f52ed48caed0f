"""What was resampled and what a reader must know of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from truebleu.reports.resampling import (
    ENOUGH_DOCUMENTS,
    p_cell,
    p_equals,
    resampled,
    unit_sentences as sentences,
)
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
