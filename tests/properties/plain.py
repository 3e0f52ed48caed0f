"""The metrics' definitions written plainly and slowly, to check the native code against."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def ngrams(symbols: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(symbols[i : i + order]) for i in range(len(symbols) - order + 1))


def bleu_row(output: str, references: Sequence[str], max_order: int) -> list[int]:
    """Output length, closest reference length, matches and totals, on white-space tokens."""
    tokens, reference_tokens = output.split(), [reference.split() for reference in references]
    lengths = sorted(len(reference) for reference in reference_tokens)
    closest = min(lengths, key=lambda length: abs(length - len(tokens)))
    matches, totals = [], []
    for order in range(1, max_order + 1):
        found = ngrams(tokens, order)
        limits: Counter[tuple[str, ...]] = Counter()
        for reference in reference_tokens:
            limits |= ngrams(reference, order)
        matches.append((found & limits).total())
        totals.append(found.total())
    return [len(tokens), closest, *matches, *totals]


def chrf_row(output: str, reference: str, char_order: int) -> list[int]:
    """Output, reference and common n-grams of the characters that are not white space."""
    ours, theirs = "".join(output.split()), "".join(reference.split())
    row: list[int] = []
    for order in range(1, char_order + 1):
        found, limits = ngrams(ours, order), ngrams(theirs, order)
        in_output = found.total() if limits else 0
        row += [in_output, limits.total(), (found & limits).total()]
    return row
