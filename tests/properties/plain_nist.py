"""NIST written plainly and slowly, to check the native code against."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from math import exp, log, log2
from typing import TYPE_CHECKING

from tests.properties.plain import ngrams

if TYPE_CHECKING:
    from collections.abc import Sequence

    Ngram = tuple[str, ...]


def information(
    references: Sequence[Sequence[str | None]], max_order: int, *, zero_history: bool
) -> dict[Ngram, float]:
    """The bits of each n-gram, from all references; a history of the word 0 may count as none."""
    counts: Counter[Ngram] = Counter()
    words = 0
    for reference in filter(None, chain(*references)):
        tokens = reference.split()
        words += len(tokens)
        for order in range(1, max_order + 1):
            counts.update(ngrams(tokens, order))
    bits = {}
    for ngram, count in counts.items():
        history = ngram[:-1]
        no_history = not history or (zero_history and history == ("0",))
        bits[ngram] = log2((words if no_history else counts[history]) / count)
    return bits


def row(
    output: str, references: Sequence[str | None], bits: dict[Ngram, float], max_order: int
) -> list[float]:
    """Output length, mean reference length, information of the matches, totals."""
    tokens = output.split()
    present = [reference.split() for reference in references if reference is not None]
    matched, totals = [], []
    for order in range(1, max_order + 1):
        found = ngrams(tokens, order)
        limits: Counter[Ngram] = Counter()
        for reference in present:
            limits |= ngrams(reference, order)
        matches = found & limits
        matched.append(sum(bits[ngram] * count for ngram, count in matches.items()))
        totals.append(float(found.total()))
    mean_length = sum(len(reference) for reference in present) / len(present)
    return [float(len(tokens)), mean_length, *matched, *totals]


def score(sums: Sequence[float]) -> float:
    """The penalty is 1/2 where the output has two thirds of the references' words."""
    output, reference, *rest = sums
    orders = len(rest) // 2
    bits = sum(rest[n] / max(rest[orders + n], 1) for n in range(orders))
    if output == 0 or bits == 0:
        return 0.0
    ratio = min(output / reference, 1.0)
    return exp(-log(2) / log(1.5) ** 2 * log(ratio) ** 2) * bits
