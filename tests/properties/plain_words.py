"""WER, PER, GTM and the length ratio written plainly and slowly, on white-space words."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Words = Sequence[str]


def distance(reference: Words, output: Words) -> int:
    """Levenshtein's distance, row by row."""
    row = list(range(len(output) + 1))
    for number, word in enumerate(reference, start=1):
        above, row = row, [number]
        for column, other in enumerate(output):
            row.append(min(above[column] + (word != other), above[column + 1] + 1, row[column] + 1))
    return row[-1]


def bag_errors(reference: Words, output: Words) -> int:
    """Tillmann's: words of the longer side that the other side has no equal for."""
    common = sum(min(output.count(word), reference.count(word)) for word in set(output))
    return max(len(output), len(reference)) - common


def lowest_rate(candidates: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Errors and reference length at the lowest rate; at equal rates those of the fewest errors."""

    def rate(candidate: tuple[int, int]) -> tuple[float | Fraction, int]:
        errors, length = candidate
        if length == 0:
            return (float("inf") if errors else 0.0), errors
        return Fraction(errors, length), errors

    return min(candidates, key=rate)


def wer_row(output: str, references: Sequence[str]) -> tuple[int, int]:
    """Edits and reference length."""
    words = [reference.split() for reference in references]
    return lowest_rate(
        [(distance(reference, output.split()), len(reference)) for reference in words]
    )


def per_row(output: str, references: Sequence[str]) -> tuple[int, int]:
    """Errors and reference length."""
    words = [reference.split() for reference in references]
    return lowest_rate(
        [(bag_errors(reference, output.split()), len(reference)) for reference in words]
    )


def length_row(output: str, references: Sequence[str]) -> tuple[int, int]:
    """Output length and the closest reference length, the shorter of two."""
    length = len(output.split())
    lengths = sorted(len(reference.split()) for reference in references)
    return length, min(lengths, key=lambda candidate: abs(candidate - length))


def greedy_runs(output: Words, reference: Words) -> list[int]:
    """The longest run of words that are left on both sides, again and again."""
    ours: list[str | None] = list(output)
    theirs: list[str | None] = list(reference)
    lengths: list[int] = []
    while True:
        length, start, place = max(
            (
                (_run(ours, i, theirs, j), -i, -j)
                for i in range(len(ours))
                for j in range(len(theirs))
            ),
            default=(0, 0, 0),
        )
        if length == 0:
            return lengths
        lengths.append(length)
        ours[-start : -start + length] = [None] * length
        theirs[-place : -place + length] = [None] * length


def _run(ours: Sequence[str | None], i: int, theirs: Sequence[str | None], j: int) -> int:
    length = 0
    while (
        i + length < len(ours)
        and j + length < len(theirs)
        and ours[i + length] is not None
        and ours[i + length] == theirs[j + length]
    ):
        length += 1
    return length


def size(lengths: Sequence[int], exponent: float) -> float:
    """What a matching of runs of these lengths is worth."""
    return float(sum(length**exponent for length in lengths) ** (1 / exponent))


def largest_size(output: Words, reference: Words, exponent: float) -> float:
    """The size of the best matching there is, of all that there are."""
    matchings = _matchings(list(enumerate(output)), reference, frozenset())
    return max(size(_run_lengths(matching), exponent) for matching in matchings)


def _matchings(
    output: Sequence[tuple[int, str]], reference: Words, taken: frozenset[int]
) -> Iterator[dict[int, int]]:
    if not output:
        yield {}
        return
    (position, word), *rest = output
    yield from _matchings(rest, reference, taken)
    for place, other in enumerate(reference):
        if other == word and place not in taken:
            for matching in _matchings(rest, reference, taken | {place}):
                yield {position: place, **matching}


def _run_lengths(matching: dict[int, int]) -> list[int]:
    # Within a run, output and reference advance together, so all its pairs have one offset.
    starts = [
        position for position in matching if matching.get(position - 1) != matching[position] - 1
    ]
    lengths: Counter[int] = Counter()
    for start in starts:
        position = start
        while matching.get(position) == matching[start] + position - start:
            lengths[start] += 1
            position += 1
    return list(lengths.values())
