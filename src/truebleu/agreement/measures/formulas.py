"""Coefficients made of the counts of pairs, one small function each.

C and D are the concordant and the discordant pairs, Th, Tm and Thm those tied by people only, by
the metric only and by both. A function returns None where its denominator is 0: undefined is not 0.
Values above 0 mean agreement, and 1 is the most there is.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from truebleu.agreement.measures.pairs import PairCounts


def tau_a(counts: PairCounts) -> float | None:
    """Kendall's tau-a: (C - D) / all pairs (Kendall 1938). Any tie counts against the metric."""
    return _ratio(counts.concordant - counts.discordant, counts.total)


def tau_b(counts: PairCounts) -> float | None:
    """Kendall's tau-b: (C - D) / sqrt((C + D + Th)(C + D + Tm)) (Kendall 1945).

    The usual correction for ties, and the one of WMT 2022. Undefined where people or the metric tie
    every pair.
    """
    ordered = counts.concordant + counts.discordant
    by_people, by_metric = ordered + counts.metric_ties, ordered + counts.human_ties
    return _ratio(counts.concordant - counts.discordant, sqrt(by_people) * sqrt(by_metric))


def tau_10(counts: PairCounts) -> float | None:
    """The tau of WMT 2010: (C - D - Tm) / (C + D + Tm).

    Pairs that people tie are left out; a pair that only the metric ties counts as discordant.
    """
    ordered = counts.concordant + counts.discordant + counts.metric_ties
    return _ratio(counts.concordant - counts.discordant - counts.metric_ties, ordered)


def tau_13(counts: PairCounts) -> float | None:
    """The tau of WMT 2013: (C - D) / (C + D), which is Goodman and Kruskal's gamma (1954).

    All ties are left out, so that a metric gains by tying the pairs that it is not sure of.
    """
    return _ratio(counts.concordant - counts.discordant, counts.concordant + counts.discordant)


def tau_14(counts: PairCounts) -> float | None:
    """The tau of WMT 2014: (C - D) / (C + D + Tm).

    Pairs that people tie are left out; a pair that only the metric ties is neither for nor against
    it. Of counts put together over segments this is Chen & Cherry (2014, eq. 12), whose pairs tied
    by the metric add one half to both sides.
    """
    ordered = counts.concordant + counts.discordant + counts.metric_ties
    return _ratio(counts.concordant - counts.discordant, ordered)


def acc_eq(counts: PairCounts) -> float | None:
    """Pairwise accuracy with ties: (C + Thm) / all pairs (Deutsch et al. 2023, WMT 2023 to 2025).

    A metric must say which outputs are equally good to have them right. Of system scores, this is
    the pairwise accuracy of Kocmi et al. (2021): the sign of 0 is 0.
    """
    return _ratio(counts.right, counts.total)


def tau_eq(counts: PairCounts) -> float | None:
    """The tau of `acc_eq`: (C + Thm - D - Th - Tm) / all pairs (Deutsch et al. 2023)."""
    return _ratio(2 * counts.right - counts.total, counts.total)


def _ratio(numerator: float, denominator: float) -> float | None:
    return max(-1.0, min(1.0, numerator / denominator)) if denominator > 0 else None


#: The formula of each coefficient that is made of the counts of pairs.
FORMULAS: dict[str, Callable[[PairCounts], float | None]] = {
    "kendall-a": tau_a,
    "kendall-b": tau_b,
    "tau-10": tau_10,
    "tau-13": tau_13,
    "tau-14": tau_14,
    "tau-eq": tau_eq,
    "acc-eq": acc_eq,
    "chen-cherry": tau_14,
    "pairwise-accuracy": acc_eq,
}
