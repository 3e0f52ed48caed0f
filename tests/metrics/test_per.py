"""PER: words without their order."""

from __future__ import annotations

from hypothesis import given

from tests.properties import plain_words
from tests.properties.texts import REFERENCES, SEGMENT, row_of
from truebleu.metrics import PER, WER


@given(SEGMENT, REFERENCES)
def test_per_counts_what_its_definition_says(output: str, references: list[str]) -> None:
    assert tuple(row_of(PER(), output, references)) == plain_words.per_row(output, references)


@given(SEGMENT, SEGMENT)
def test_forgetting_the_order_never_adds_errors(output: str, reference: str) -> None:
    assert PER().sentence(output, reference).score <= WER().sentence(output, reference).score
