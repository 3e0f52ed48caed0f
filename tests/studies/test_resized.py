"""Outputs of other lengths are as long as asked for, and made of nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu.corpus import as_test_set
from truebleu.studies.length import Piece, by_length, pieces_between_blanks, pieces_of, resize

WORDS = st.lists(st.sampled_from(["a", "bb", "c.", "猫"]), max_size=12).map(" ".join)
TEXTS = st.lists(WORDS, min_size=1, max_size=12)
SHARES = st.floats(min_value=0.05, max_value=1.5)
PIECES: st.SearchStrategy[Piece] = st.sampled_from(["word", "character"])


@given(TEXTS, SHARES, PIECES)
def test_the_whole_text_has_the_share_asked_for(
    text: list[str], share: float, piece: Piece
) -> None:
    before = sum(len(pieces_of(segment, piece)) for segment in text)
    after = sum(len(pieces_of(segment, piece)) for segment in resize(text, share, piece))
    assert abs(after - share * before) <= 0.5 + 1e-9


@given(TEXTS, SHARES, PIECES)
def test_segments_are_cut_or_repeated_at_their_ends(
    text: list[str], share: float, piece: Piece
) -> None:
    for old, new in zip(text, resize(text, share, piece), strict=True):
        assert new is not None
        before, after = pieces_of(old, piece), pieces_of(new, piece)
        assert abs(len(after) - share * len(before)) <= 1 + 1e-9
        more = len(after) - len(before)
        assert after == (before[: len(after)] if more <= 0 else before + before[-more:])


@given(TEXTS, PIECES)
def test_the_natural_length_changes_nothing(text: list[str], piece: Piece) -> None:
    blanks = ["  two  blanks ", *text]
    assert resize(blanks, 1.0, piece) == blanks


def test_an_absent_segment_stays_absent() -> None:
    assert resize(["a b", None], 0.5, "word") == ["a", None]


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=8), PIECES)
def test_ranks_are_the_outputs_in_order_of_length(
    segments: list[tuple[str, str, str]], piece: Piece
) -> None:
    ranks = by_length(list(zip(*segments, strict=True)), piece)
    for outputs, chosen in zip(segments, zip(*ranks, strict=True), strict=True):
        assert sorted(chosen) == sorted(outputs)
        lengths = [len(pieces_of(output, piece)) for output in chosen]
        assert lengths == sorted(lengths)


def test_outputs_of_one_length_take_turns() -> None:
    ranks = by_length([["a"] * 6, ["b"] * 6, ["c"] * 6], "word")
    assert ["".join(map(str, rank)) for rank in ranks] == ["abcabc", "bcabca", "cabcab"]


@pytest.mark.parametrize(
    ("reference", "piece"),
    [
        (["The cat sat on the mat.", "Yes."], "word"),
        (["Donaudampfschifffahrtsgesellschaft heißt sie."], "word"),
        (
            [
                "猫がマットの上に座っていたので、犬は外にいた。",
                "Google の製品を使っている人は多いそうです。",
            ],
            "character",
        ),
        ([""], "word"),
    ],
)
def test_words_are_what_blanks_separate(reference: list[str], piece: Piece) -> None:
    assert pieces_between_blanks(as_test_set(reference, reference)) == piece
