"""The ratio of lengths."""

from __future__ import annotations

import json

from hypothesis import given

from tests.properties import plain_words
from tests.properties.texts import REFERENCES, SEGMENT, row_of
from truebleu import score
from truebleu.metrics import LengthRatio
from truebleu.reports import render


@given(SEGMENT, REFERENCES)
def test_the_length_ratio_counts_what_its_definition_says(
    output: str, references: list[str]
) -> None:
    row = tuple(row_of(LengthRatio(), output, references))
    assert row == plain_words.length_row(output, references)


def test_a_length_is_neither_better_nor_worse() -> None:
    scores = score({"a": ["x y"]}, ["x y z"], ["length", "wer", "gtm"])
    result = json.loads(render(scores, "json"))
    assert [metric["higher_is_better"] for metric in result["metrics"]] == [None, False, True]
    notes = [line for line in render(scores, "text").splitlines() if "|case:" in line]
    assert ["(lower is better)" in note for note in notes] == [False, True, False]
