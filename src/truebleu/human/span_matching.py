"""Counts of how well predicted error spans match the spans that people marked in one text.

Every measure counts four numbers: a numerator and a denominator of precision and of recall. Spans
are half-open, in characters, in the source or in the output; spans on different sides never match.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np

from truebleu.errors import SettingError


class Span(NamedTuple):
    """A marked error.

    Attributes:
        start: index of its first character, from 0.
        end: index of the character after its last character.
        is_major: True for major and critical errors, False for minor errors.
        in_source: True if the source is marked, False if the output is.
    """

    start: int
    end: int
    is_major: bool = False
    in_source: bool = False

    @property
    def length(self) -> int:
        """Number of characters."""
        return self.end - self.start


Spans: TypeAlias = Sequence[Span]
#: Numerator and denominator of precision, numerator and denominator of recall.
Ratio: TypeAlias = tuple[float, float, float, float]

#: Largest number of states of one group of overlapping spans: more would take minutes.
MOST_STATES = 100_000


def overlap(first: Span, second: Span) -> int:
    """Count the characters that two spans share; 0 if they are on different sides."""
    if first.in_source != second.in_source:
        return 0
    return max(0, min(first.end, second.end) - max(first.start, second.start))


# Characters.


def credit_characters(gold: Spans, predicted: Spans, length: int | None, partial: float) -> Ratio:
    """Count characters as WMT23 does: each with its set of severities, on the output only.

    Args:
        gold: spans that people marked.
        predicted: predicted spans.
        length: number of characters of the output, at which spans are cut off; None if unknown.
        partial: credit of a character whose severities differ.
    """
    # A span without length marks the character at its start.
    marked, guessed = (_severities(spans, length, minimum=1) for spans in (gold, predicted))
    credit = 0.0
    for index in marked.keys() & guessed.keys():
        shared = marked[index].keys() & guessed[index].keys()
        credit += 1.0 if shared or len(marked[index]) > 1 else partial
    return credit, len(guessed), credit, len(marked)


def count_characters(gold: Spans, predicted: Spans, length: int | None, partial: float) -> Ratio:
    """Count characters as WMT25 does: as often as spans cover them, on the output only."""
    marked, guessed = (_severities(spans, length) for spans in (gold, predicted))
    credit = 0.0
    for index in marked.keys() & guessed.keys():
        same = (marked[index] & guessed[index]).total()
        rest = min(marked[index].total(), guessed[index].total()) - same
        credit += same + partial * rest
    totals = [sum(of.total() for of in sides.values()) for sides in (guessed, marked)]
    return credit, totals[0], credit, totals[1]


def _severities(spans: Spans, length: int | None, minimum: int = 0) -> dict[int, Counter[bool]]:
    """Count the severities that cover each character of the output, `minimum` for each span."""
    covered: dict[int, Counter[bool]] = defaultdict(Counter)
    for span in spans:
        if not span.in_source:
            end = span.end if length is None else min(span.end, length)
            for index in range(span.start, max(end, span.start + minimum)):
                covered[index][span.is_major] += 1
    return covered


# One-to-one matchings of spans. A pair of spans adds a credit to precision and one to recall.


class Pair(NamedTuple):
    """A predicted and a gold span that may match, with their credits."""

    predicted: int
    gold: int
    precision: float
    recall: float


def best_sum(pairs: Sequence[Pair], weights: Sequence[float]) -> list[Pair]:
    """Return the matching with the largest sum of weights."""
    from scipy.optimize import linear_sum_assignment

    matched: list[Pair] = []
    weight_of = {pair[:2]: weight for pair, weight in zip(pairs, weights, strict=True)}
    for group in _groups(pairs):
        if len(group) == 1:
            matched += group
            continue
        rows = sorted({pair.predicted for pair in group})
        columns = sorted({pair.gold for pair in group})
        by_cell = {(rows.index(p.predicted), columns.index(p.gold)): p for p in group}
        matrix = np.zeros((len(rows), len(columns)))
        for cell, pair in by_cell.items():
            matrix[cell] = weight_of[pair[:2]]
        cells = zip(*linear_sum_assignment(matrix, maximize=True), strict=True)
        matched += [by_cell[cell] for cell in cells if cell in by_cell]
    return matched


def greedy(pairs: Sequence[Pair], weights: Sequence[float]) -> list[Pair]:
    """Match the pair with the largest weight, then the largest of the other spans, and so on."""
    used: set[tuple[str, int]] = set()
    matched = []
    order = sorted(range(len(pairs)), key=lambda index: -weights[index])
    for index in order:
        keys = {("predicted", pairs[index].predicted), ("gold", pairs[index].gold)}
        if used.isdisjoint(keys):
            used |= keys
            matched.append(pairs[index])
    return matched


def best_f1(pairs: Sequence[Pair], predicted: float, gold: float) -> tuple[float, float]:
    """Return the sums of credits of the matching with the largest F1 of the text.

    It is exact: groups of overlapping spans keep all sums that no other sum exceeds in both
    precision and recall. Of equal F1, the larger P + R counts, then P, then R.

    Args:
        pairs: spans that may match.
        predicted: denominator of precision.
        gold: denominator of recall.
    """
    front = [(0.0, 0.0)]
    for group in _groups(pairs):
        sums = _sums_of_matchings(group)
        front = _undominated((a + c, b + d) for (a, b), (c, d) in product(front, sums))

    def rank(sums: tuple[float, float]) -> tuple[float, ...]:
        precision, recall = sums[0] / predicted, sums[1] / gold
        total = precision + recall
        f1 = 2 * precision * recall / total if total else 0.0
        return round(f1, 12), round(total, 12), precision, recall

    return max(front, key=rank)


def _groups(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Divide pairs into groups that share no span."""
    group_of: dict[tuple[str, int], list[Pair]] = {}
    for pair in pairs:
        keys = (("predicted", pair.predicted), ("gold", pair.gold))
        known = [group_of[key] for key in keys if key in group_of]
        merged = known[0] if known else []
        if len(known) == 2 and known[0] is not known[1]:
            merged += known[1]
            for other in known[1]:
                group_of["predicted", other.predicted] = merged
                group_of["gold", other.gold] = merged
        merged.append(pair)
        for key in keys:
            group_of[key] = merged
    return list({id(group): group for group in group_of.values()}.values())


def _sums_of_matchings(group: Sequence[Pair]) -> list[tuple[float, float]]:
    """Return the Pareto-optimal (precision, recall) credit sums over all matchings of `group`."""
    by_predicted: dict[int, list[Pair]] = defaultdict(list)
    for pair in group:
        by_predicted[pair.predicted].append(pair)
    last = {
        pair.gold: number for number, pairs in enumerate(by_predicted.values()) for pair in pairs
    }
    # Sums by the matched gold spans that later predictions could still match.
    states: dict[frozenset[int], list[tuple[float, float]]] = {frozenset(): [(0.0, 0.0)]}
    for number, pairs in enumerate(by_predicted.values()):
        following: dict[frozenset[int], list[tuple[float, float]]] = defaultdict(list)
        for used, sums in states.items():
            following[_still_open(used, last, number)] += sums
            for pair in pairs:
                if pair.gold not in used:
                    key = _still_open(used | {pair.gold}, last, number)
                    following[key] += [(a + pair.precision, b + pair.recall) for a, b in sums]
        states = {used: _undominated(sums) for used, sums in following.items()}
        if len(states) > MOST_STATES:
            found = f"more than {len(by_predicted)} spans that overlap each other"
            raise SettingError(
                "matching", found, "matching=pairs or matching=greedy for such spans"
            )
    return _undominated(sums for many in states.values() for sums in many)


def _still_open(used: frozenset[int], last: dict[int, int], number: int) -> frozenset[int]:
    """Return the gold spans of `used` that a prediction after `number` overlaps."""
    return frozenset(gold for gold in used if last[gold] > number)


def _undominated(sums: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the sums that no other sum reaches in both numbers."""
    front: list[tuple[float, float]] = []
    for precision, recall in sorted(set(sums), reverse=True):
        if not front or recall > front[-1][1]:
            front.append((precision, recall))
    return front


# Many-to-many: every character shares its mass among the spans that cover it.


def shared_credits(
    gold: Spans, predicted: Spans, same: float, other: float
) -> tuple[list[float], list[float]]:
    """Return the mean credit over the characters of each predicted and of each gold span.

    Args:
        gold: spans that people marked.
        predicted: predicted spans.
        same: credit of a character whose spans have one severity.
        other: credit of a character whose spans differ in severity.
    """
    covering: tuple[Counter[tuple[bool, int, bool]], ...] = (Counter(), Counter())
    for counts, spans in zip(covering, (predicted, gold), strict=True):
        for span in spans:
            for index in range(span.start, span.end):
                counts[span.in_source, index, span.is_major] += 1

    def mean_credits(spans: Spans, mine: Counter[tuple[bool, int, bool]]) -> Iterator[float]:
        theirs = covering[1] if mine is covering[0] else covering[0]
        for span in spans:
            total = 0.0
            for index in range(span.start, span.end):
                key = (span.in_source, index, span.is_major)
                opposite = (span.in_source, index, not span.is_major)
                matched = min(mine[key], theirs[key])
                crossed = min(
                    mine[key] - matched,
                    theirs[opposite] - min(mine[opposite], theirs[opposite]),
                )
                total += (same * matched + other * crossed) / mine[key]
            yield total / span.length

    return list(mean_credits(predicted, covering[0])), list(mean_credits(gold, covering[1]))
