"""TER: edits and shifts of blocks, counted by hand."""

from __future__ import annotations

import pytest

from truebleu import TER
from truebleu.metrics import WER


def edits(output: str, *references: str) -> tuple[float, float]:
    """Edits, and the average length of the references."""
    (row,) = TER().statistics([output], [[reference] for reference in references]).tolist()
    return row[0], row[1]


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        ("a b c d", "a b c d", 0),
        ("a b c", "a b c d", 1),  # one inserted
        ("a b x d", "a b c d", 1),  # one substituted
        ("c d a b", "a b c d", 1),  # one block moved, which WER counts as four words
        ("d a b c", "a b c d", 1),
        ("", "a b c d", 4),
    ],
)
def test_edits_are_the_minimum(output: str, reference: str, expected: int) -> None:
    assert edits(output, reference) == (expected, 4)
    assert TER().sentence(output, reference).score == pytest.approx(100 * expected / 4)


def test_a_shift_costs_one_edit_where_wer_counts_its_words() -> None:
    shifted, reference = "d e f a b c", "a b c d e f"
    assert edits(shifted, reference)[0] == 1
    assert WER().sentence(shifted, reference).score == 100


def test_the_closest_reference_gives_the_edits_and_all_of_them_the_length() -> None:
    assert edits("a b c", "a b c d e", "a b x") == (1, 4)


def test_an_empty_reference_makes_every_word_an_error() -> None:
    assert edits("a b", "") == (2, 0)
    assert TER().sentence("a b", "").score == 100
    assert TER().sentence("", "").score == 0


@pytest.mark.parametrize(
    ("metric", "score"),
    [
        (TER(), 0.0),
        (TER(case_sensitive=True), 50.0),
        (TER(case_sensitive=True, no_punct=True), 100 / 1),
    ],
)
def test_settings_change_what_counts_as_the_same_word(metric: TER, score: float) -> None:
    assert metric.sentence("Yes .", "yes .").score == pytest.approx(score)


def test_lower_is_better_and_the_signature_says_the_settings() -> None:
    assert TER().higher_is_better is False
    assert "|case:lc|tok:tercom|norm:no|punct:yes|asian:no|" in str(TER().signature)
