"""Claims about WER and PER."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, strategies as st

from tests.properties import plain_words
from tests.properties.texts import REFERENCES, SEGMENT, WORDS, row_of
from truebleu.metrics import PER, WER

if TYPE_CHECKING:
    from truebleu.metrics.base import WordMetric


# Longer than the 64 words that the native code takes at a time, and than the 256 that it keeps.
LONG = st.lists(WORDS, min_size=50, max_size=320).map(" ".join)


@given(SEGMENT, REFERENCES)
def test_wer_counts_what_its_definition_says(output: str, references: list[str]) -> None:
    edits, length, *kinds = row_of(WER(), output, references)
    assert (edits, length) == plain_words.wer_row(output, references)
    assert sum(kinds) == edits


@pytest.mark.slow
@given(LONG, LONG)
def test_long_segments_have_the_edit_distance_of_the_definition(
    output: str, reference: str
) -> None:
    edits, length, substitutions, deletions, insertions = row_of(WER(), output, [reference])
    assert edits == plain_words.distance(reference.split(), output.split())
    assert substitutions + deletions + insertions == edits
    assert length - deletions + insertions == len(output.split())
    assert substitutions + deletions <= length


@pytest.mark.parametrize("metric", [WER(), PER()], ids=["WER", "PER"])
@given(output=SEGMENT, references=REFERENCES)
def test_another_reference_never_raises_a_segments_error_rate(
    metric: WordMetric, output: str, references: list[str]
) -> None:
    fewer = metric.sentence(output, references[:1]).score
    more = metric.sentence(output, references).score
    # Errors against an empty reference alone are a rate of 100 by convention, not by counting.
    assert more <= fewer or not references[0]


# Of jiwer 4.0.0 with rapidfuzz 3.14.6, by jiwer.process_words(reference, output):
# reference, output, 100 × wer, substitutions, deletions, insertions.
JIWER = [
    ("the cat sat on the mat", "the cat sat on a mat", 100 / 6, 1, 0, 0),
    ("the cat sat on the mat", "on the mat the cat sat", 100.0, 0, 3, 3),
    ("a b c d e f", "f a b c d e", 200 / 6, 0, 1, 1),
    ("to be or not to be", "not to be or to be", 100.0 / 3, 0, 1, 1),
    ("yes", "well yes I think so", 400.0, 0, 0, 4),
    ("never say never again", "", 100.0, 0, 4, 0),
    ("a a b a b b", "b a a b b a b", 50.0, 0, 1, 2),
]


@pytest.mark.parametrize(
    ("reference", "output", "rate", "substituted", "deleted", "inserted"), JIWER
)
def test_wer_and_its_kinds_of_edits_agree_with_jiwer(
    reference: str, output: str, rate: float, substituted: int, deleted: int, inserted: int
) -> None:
    found = WER().sentence(output, reference)
    assert found.score == pytest.approx(rate, rel=1e-12)
    kinds: dict[str, Any] = found.to_dict()
    assert kinds["substitutions"] == substituted
    assert kinds["deletions"] == deleted
    assert kinds["insertions"] == inserted


@pytest.mark.parametrize("metric", [WER(), PER()], ids=["WER", "PER"])
def test_words_against_an_empty_reference_are_errors_of_a_text_with_other_references(
    metric: WER | PER,
) -> None:
    assert metric.corpus(["a b", "c d e f"], ["", "c d e f"]).score == 50.0
    assert metric.corpus(["a b"], [""]).score == 100.0
    assert metric.corpus([""], [""]).score == 0.0
    assert metric.corpus([""], ["a b"]).score == 100.0


@given(SEGMENT, REFERENCES)
def test_per_counts_what_its_definition_says(output: str, references: list[str]) -> None:
    assert tuple(row_of(PER(), output, references)) == plain_words.per_row(output, references)


@given(SEGMENT, SEGMENT)
def test_forgetting_the_order_never_adds_errors(output: str, reference: str) -> None:
    assert PER().sentence(output, reference).score <= WER().sentence(output, reference).score
