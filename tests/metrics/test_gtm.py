"""GTM: the largest matching, and longer runs."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from tests.properties import plain_words
from tests.properties.texts import REFERENCES, SEGMENT, WORDS, row_of
from truebleu.errors import SettingError
from truebleu.metrics import GTM, parse_metric


@given(st.lists(WORDS, max_size=6), st.lists(WORDS, max_size=6))
def test_gtm_with_exponent_one_has_the_largest_matching(
    output: list[str], reference: list[str]
) -> None:
    row = row_of(GTM(), " ".join(output), [" ".join(reference)])
    largest = plain_words.largest_size(output, reference, 1)
    assert row == [pytest.approx(largest), len(output), len(reference)]


@given(
    st.lists(WORDS, max_size=12),
    st.lists(WORDS, max_size=12),
    st.sampled_from([1.0, 1.2, 2.0, 3.0, 10.0]),
)
def test_gtm_takes_the_longest_runs_first(
    output: list[str], reference: list[str], exponent: float
) -> None:
    size, *lengths = row_of(GTM(exponent=exponent), " ".join(output), [" ".join(reference)])
    runs = plain_words.greedy_runs(output, reference)
    assert size == pytest.approx(plain_words.size(runs, exponent), rel=1e-12)
    assert lengths == [len(output), len(reference)]


@given(st.lists(WORDS, max_size=6), st.lists(WORDS, max_size=6), st.floats(1, 4))
def test_no_matching_is_larger_than_the_largest(
    output: list[str], reference: list[str], exponent: float
) -> None:
    size = row_of(GTM(exponent=exponent), " ".join(output), [" ".join(reference)])[0]
    assert size <= plain_words.largest_size(output, reference, exponent) * (1 + 1e-12)


@given(SEGMENT, SEGMENT, st.floats(1, 20), st.floats(1, 20))
def test_a_greater_exponent_never_raises_gtm(
    output: str, reference: str, exponent: float, other: float
) -> None:
    small, great = sorted((exponent, other))
    lower = GTM(exponent=great).sentence(output, reference).score
    assert lower <= GTM(exponent=small).sentence(output, reference).score * (1 + 1e-12)


@given(SEGMENT, REFERENCES)
def test_gtm_counts_against_the_reference_with_the_best_score(
    output: str, references: list[str]
) -> None:
    metric = GTM(exponent=2)
    best = max(metric.sentence(output, reference).score for reference in references)
    assert metric.sentence(output, references).score == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("text", ["0.5", "nan", "inf", "-1", "x", ""])
def test_an_exponent_below_one_is_refused(text: str) -> None:
    with pytest.raises(SettingError, match="exponent"):
        parse_metric(f"gtm:exponent={text}")
