"""Outputs of other lengths: cut or repeated at the end, or chosen by their length among systems."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus import TestSet

#: What lengths are counted in.
Piece = Literal["word", "character"]

PIECES: tuple[Piece, ...] = get_args(Piece)
# No language that separates its words by blanks has words of so many characters on average; in
# Japanese or Thai, what stands between blanks is a phrase or a whole segment.
LONGEST_WORDS = 15


def pieces_between_blanks(test_set: TestSet) -> Piece:
    """Words if the first reference has blanks between them, else characters.

    >>> from truebleu.corpus import as_test_set
    >>> pieces_between_blanks(as_test_set(["a cat sat"], ["the cat sat"]))
    'word'
    """
    segments = [segment for segment in test_set.references[0] if segment]
    words = [word for segment in segments for word in segment.split()]
    characters = sum(map(len, words))
    return "word" if characters <= LONGEST_WORDS * max(len(words), 1) else "character"


def pieces_of(segment: str | None, piece: Piece) -> list[str]:
    """The words of a segment, or its characters."""
    if segment is None:
        return []
    return segment.split() if piece == "word" else list(segment)


def resize(segments: Sequence[str | None], share: float, piece: Piece) -> list[str | None]:
    """The segments at this share of their lengths.

    Below 1 the last pieces are cut off; above 1, up to 1.5, the last ones are said twice, which
    needs no knowledge of the reference. What rounding takes from one segment the next one gets, so
    that the text as a whole has the share asked for, to one piece.

    >>> resize(["a b c d", "e f"], 0.5, "word"), resize(["a b c d"], 1.5, "word")
    (['a b', 'e'], ['a b c d c d'])
    """
    cut = [pieces_of(segment, piece) for segment in segments]
    ends = [int(share * end + 0.5) for end in accumulate(map(len, cut))]
    resized: list[str | None] = []
    for segment, pieces, start, end in zip(segments, cut, [0, *ends[:-1]], ends, strict=True):
        count, glue = end - start, " " if piece == "word" else ""
        if count == len(pieces):
            resized.append(segment)
        elif count < len(pieces):
            resized.append(glue.join(pieces[:count]))
        else:
            resized.append(glue.join(pieces + pieces[len(pieces) - count :]))
    return resized


def by_length(systems: Sequence[Sequence[str | None]], piece: Piece) -> list[list[str | None]]:
    """For each segment the shortest of the systems' outputs, the second shortest, and so on.

    Of outputs of one length another system's comes first in every segment, so that no rank has
    more of one system for the order in which they were given.

    >>> by_length([["a b", "c"], ["d", "e f g"]], "word")
    [['d', 'c'], ['a b', 'e f g']]
    """
    ranks: list[list[str | None]] = [[] for _ in systems]
    for index, outputs in enumerate(zip(*systems, strict=True)):
        turn = index % len(outputs)
        rotated = [*outputs[turn:], *outputs[:turn]]
        rotated.sort(key=lambda output: len(pieces_of(output, piece)))
        for rank, output in zip(ranks, rotated, strict=True):
            rank.append(output)
    return ranks
