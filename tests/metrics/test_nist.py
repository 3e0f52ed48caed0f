"""NIST against its plain definition, and the laws that its weights obey."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.properties import plain_nist
from truebleu import NIST, set_threads
from truebleu.corpus import as_test_set
from truebleu.errors import SettingError, UnknownNameError
from truebleu.metrics import parse_metric

if TYPE_CHECKING:
    from random import Random

# Few words, so that n-grams repeat; the word 0 is special as a history, 00 is not.
WORDS = st.sampled_from(["0", "00", "a", "b", "c", "é"])
SEGMENT = st.lists(WORDS, max_size=10).map(" ".join)
ORDERS = st.integers(1, 6)

Texts = tuple[list[str], list[list[str | None]]]


@st.composite
def aligned_texts(draw: st.DrawFn) -> Texts:
    """Outputs and one to three references, the second and third of which may be absent."""
    size = draw(st.integers(1, 6))
    outputs = draw(st.lists(SEGMENT, min_size=size, max_size=size))
    first: list[str | None] = draw(st.lists(SEGMENT, min_size=size, max_size=size))
    absent = st.lists(st.none() | SEGMENT, min_size=size, max_size=size)
    return outputs, [first, *draw(st.lists(absent, max_size=2))]


@given(aligned_texts(), ORDERS, st.booleans())
def test_nist_counts_what_its_definition_says(
    texts: Texts, max_order: int, zero_history: bool
) -> None:
    outputs, references = texts
    metric = NIST(tokenize="none", max_order=max_order, zero_history=zero_history)
    bits = plain_nist.information(references, max_order, zero_history=zero_history)
    expected = [
        plain_nist.row(output, by_translator, bits, max_order)
        for output, by_translator in zip(outputs, zip(*references, strict=True), strict=True)
    ]
    rows = metric.statistics(outputs, references)
    np.testing.assert_allclose(rows, expected, rtol=1e-12, atol=1e-12)
    sums = rows.sum(axis=0)
    assert metric.score(sums) == pytest.approx(plain_nist.score(sums.tolist()), rel=1e-12)
    assert metric.corpus(outputs, references).score == pytest.approx(metric.score(sums))
    segments = [plain_nist.score(row) for row in rows.tolist()]
    assert metric.score(rows).tolist() == pytest.approx(segments, rel=1e-12)


@given(aligned_texts())
def test_scores_are_finite_and_not_negative(texts: Texts) -> None:
    rows = NIST().statistics(*texts)
    scores = NIST().score(np.stack([rows, 2 * rows]))
    assert scores.shape == (2, len(rows))
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()


@given(aligned_texts())
def test_systems_counted_together_are_counted_as_if_alone(texts: Texts) -> None:
    outputs, references = texts
    systems = {"first": outputs, "second": outputs[::-1]}
    together = NIST().count(as_test_set(systems, references)).array()
    for index, system in enumerate(systems.values()):
        np.testing.assert_array_equal(together[:, index], NIST().statistics(system, references))


@given(aligned_texts(), st.randoms(use_true_random=False))
def test_the_order_of_segments_does_not_matter_to_a_row(texts: Texts, shuffler: Random) -> None:
    outputs, references = texts
    order = list(range(len(outputs)))
    shuffler.shuffle(order)
    shuffled = [[reference[at] for at in order] for reference in references]
    rows = NIST().statistics([outputs[at] for at in order], shuffled)
    np.testing.assert_array_equal(rows, NIST().statistics(outputs, references)[order])


def test_threads_change_no_digit() -> None:
    # More segments than one thread takes at a time, with words that come back.
    references = [f"{n % 7} {n % 11} b {n % 13} {n % 17} c {n % 5}" for n in range(2000)]
    outputs = [f"{n % 7} {n % 11} b {n % 3} {n % 17} c" for n in range(2000)]
    rows = []
    try:
        for threads in (1, 2, 3):
            set_threads(threads)
            rows.append(NIST().statistics(outputs, references))
    finally:
        set_threads(0)
    np.testing.assert_array_equal(rows[0], rows[1])
    np.testing.assert_array_equal(rows[0], rows[2])


@pytest.mark.parametrize(
    ("outputs", "references"),
    [
        ([""], [""]),
        (["a b"], [""]),
        ([""], ["a b"]),
        (["a b"], ["c d"]),
        (["", ""], ["", ""]),
    ],
)
def test_inputs_that_crash_mteval_score_0(outputs: list[str], references: list[str]) -> None:
    assert NIST().corpus(outputs, references).score == 0.0


def test_a_history_of_the_word_0_counts_as_none_unless_asked_otherwise() -> None:
    texts = (["0 x y", "0 x z"], ["0 x y", "0 x z"])
    # Bits of `0 x`: log2(6/2) with all 6 words for a history, log2(2/2) with the two zeros.
    with_quirk, textbook = (NIST(zero_history=quirk).statistics(*texts) for quirk in (True, False))
    assert with_quirk[:, 3] - textbook[:, 3] == pytest.approx([np.log2(3)] * 2)


def test_segments_of_a_test_set_share_its_weights() -> None:
    outputs, references = ["a b", "c"], ["a b", "c c"]
    first = NIST().score(NIST().statistics(outputs, references))[0]
    # Four words in all, so that one seen once has log2(4) bits; in its own segment it has 1.
    assert first == pytest.approx(2)
    assert NIST().sentence("a b", "a b").score == pytest.approx(1)


def test_nist_is_written_as_a_name_and_settings() -> None:
    text = "nist:tokenize=mteval-intl,lowercase,max_order=4,zero_history=no"
    expected = NIST(tokenize="mteval-intl", lowercase=True, max_order=4, zero_history=False)
    assert parse_metric(text) == expected
    assert str(expected.signature.with_references(2)).startswith(
        "NIST|nrefs:2|case:lc|tok:mteval-intl|n:4|zero:no|version:truebleu-"
    )


def test_nist_rejects_impossible_settings() -> None:
    with pytest.raises(SettingError, match="max_order: 0"):
        NIST(max_order=0)
    with pytest.raises(UnknownNameError, match="did you mean 'mteval'"):
        NIST(tokenize="mtevl")
