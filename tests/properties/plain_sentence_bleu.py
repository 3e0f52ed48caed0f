"""Sentence BLEU with the smoothings of Chen and Cherry (2014), written plainly and slowly."""

from __future__ import annotations

from math import exp, inf, log, prod
from typing import TYPE_CHECKING

from tests.properties.plain import bleu_row

if TYPE_CHECKING:
    from collections.abc import Sequence

EPSILON, K, ALPHA = 0.1, 5.0, 5.0


def sentence_bleu(
    output: str,
    references: Sequence[str],
    smoothing: int,
    max_order: int = 4,
    *,
    smooth_next_order: bool = False,
) -> float:
    """In [0, 1], on white-space tokens; the paper's numbers name the smoothings."""
    length, reference_length, *counts = bleu_row(output, references, max_order + 1)
    if length == 0:
        return 0.0
    m = dict(enumerate(map(float, counts[: max_order + 1]), start=1))
    l = dict(enumerate(map(float, counts[max_order + 1 :]), start=1))  # noqa: E741
    if smoothing == 1:
        m = {n: EPSILON if m[n] == 0 else m[n] for n in m}
    if smoothing == 2:
        m = {n: m[n] + 1 if n >= 2 else m[n] for n in m}
        l = {n: l[n] + 1 if n >= 2 else l[n] for n in l}  # noqa: E741
    if smoothing == 3:
        m = geometric(m, 2, last=min(length, max_order))
    if smoothing in (4, 7):
        scale = inf if length == 1 else K / log(length)
        m = geometric(m, scale, last=min(length, max_order) + smooth_next_order)
    if smoothing in (5, 7):
        averaged = {0: m[1] + 1}
        for n in range(1, max_order + 1):
            averaged[n] = (averaged[n - 1] + m[n] + m[n + 1]) / 3
        m = averaged
    p: list[float] = []
    for n in range(1, max_order + 1):
        if smoothing == 6 and n > 2:
            prior = p[-1] * p[-1] / p[-2] if p[-2] > 0 else 0.0
            p.append((m[n] + ALPHA * prior) / (l[n] + ALPHA))
        elif l[n] == 0:
            break  # an order without n-grams has no precision
        else:
            p.append(m[n] / l[n])
    penalty = min(1.0, exp(1 - reference_length / length))
    return prod(p) ** (1 / len(p)) * penalty


def geometric(m: dict[int, float], scale: float, last: int) -> dict[int, float]:
    """The loop of Smoothing 3 up to the order `last`."""
    smoothed, invcnt = dict(m), 1.0
    for n in range(1, last + 1):
        if m[n] == 0:
            invcnt *= scale
            smoothed[n] = 1 / invcnt
    return smoothed
