"""Intervals of differences on public sets: ``python -m evidence.intervals [DRAWN [PAIRS]]``.

Coverage: two systems of a WMT set are a pool, whose difference is the truth; test sets are drawn
from it with replacement, by segments or by documents, and the interval that `compare` prints is the
one that inverts its test. Contradictions: random pairs and families of systems on random parts of
random sets; an interval contradicts its test where one finds a difference and the other does not,
and a sentence where it tells systems apart and the interval that it prints contains 0, or the other
way round.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from evidence.data import read_set
from evidence.rates import ALPHA, like
from truebleu.counts.counting import count_texts
from truebleu.reports.compare import document
from truebleu.resampling import Units
from truebleu.significance.compare import compare
from truebleu.significance.pairs import all_pair_tests
from truebleu.significance.settings import CompareSettings
from truebleu.significance.unit_counts import count_units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truebleu.counts import Counts
    from truebleu.significance.compare import Comparison, PairResult
    from truebleu.significance.unit_counts import UnitCounts

SETS = ("wmt21-en-de", "wmt23-en-cs", "wmt23-en-ja", "wmt23-he-en", "wmt23-zh-en", "wmt24-en-es")
METRICS = ("bleu", "chrf", "ter", "sentbleu:weight=equal")
# The pairs are neighbours and opposites among the systems of a pool, sorted by score.
POOLS = ("wmt23-zh-en", "wmt24-en-es")
PLACES = ((0, 1), (0, 4), (2, 6), (5, 7))
DRAWN, PAIRS = 1000, 2000
SIZES = (("segments", 300), ("segments", 1000), ("documents", 50), ("documents", 100))
REPLICATES = 999


@cache
def counts_of_set(name: str, metric: str, documents: bool = False) -> Counts:
    """Count a set by a metric."""
    return count_texts(read_set(name, documents=documents), metric)


@cache
def pool(name: str, metric: str, kind: str) -> UnitCounts:
    """Count a set by segment or document, with its systems from best to worst."""
    counts = counts_of_set(name, metric, documents=kind == "documents")
    units = Units.segments(len(counts))
    if kind == "documents":
        units = Units.documents(counts.outline.documents or ())
    (whole,) = count_units(counts, units)
    order = np.argsort(-whole.sign * whole.scores)[: 1 + max(max(places) for places in PLACES)]
    return like(whole, whole.rows[:, order])


def covered(whole: UnitCounts, count: int, drawn: int) -> tuple[list[float], int]:
    """Count how often pairs' intervals cover the pool's difference, and contradict their tests."""
    left, right = np.array(PLACES).T
    truth = whole.scores[left] - whole.scores[right]
    holds, contradictions = np.zeros(len(PLACES)), 0
    for number in range(drawn):
        generator = np.random.default_rng([number, count])
        sample = like(whole, whole.rows[generator.integers(0, whole.units, count)])
        settings = CompareSettings(
            test="scaled", replicates=REPLICATES, seed=number, correction="none"
        )
        (tests,) = all_pair_tests([sample], [], PLACES, settings, lambda _first, _count: [])
        bounds = tests.intervals()
        low, high = (
            np.array([np.inf * side if end is None else end for end in ends])
            for side, ends in zip((-1, 1), zip(*bounds, strict=True), strict=True)
        )
        holds += (low <= truth) & (truth <= high)
        contradictions += int((((low > 0) | (high < 0)) != (tests.p <= ALPHA)).sum())
    return (holds / drawn).tolist(), contradictions


def coverages(drawn: int) -> Iterator[tuple[str, str, str, int, list[float], int]]:
    """Measure coverage and contradictions of all pools, metrics and sizes."""
    for name in POOLS:
        for metric in METRICS:
            for kind, count in SIZES:
                if kind == "documents" and name != "wmt24-en-es":
                    continue
                yield name, metric, kind, count, *covered(pool(name, metric, kind), count, drawn)


def contradicts(pair: PairResult) -> bool:
    """Return whether the interval and the uncorrected p disagree about a difference."""
    low, high = pair.interval
    leaves_out = (low is not None and low > 0) or (high is not None and high < 0)
    return leaves_out != (pair.p <= ALPHA) or (pair.significant and not leaves_out)


def sentences(comparison: Comparison) -> tuple[int, int]:
    """Count the sentences of a comparison with an interval, and those that contradict it."""
    printed, wrong = 0, 0
    for sentence in document(comparison).sentences:
        for low, high in re.findall(r"\[([-\d.]+|−∞), ([-\d.]+|∞)\]", sentence):
            bounds = float(low.replace("−∞", "-inf")), float(high.replace("∞", "inf"))
            # Sentences say if a difference is undecided only because of the correction.
            apart = "can't be told" not in sentence or "not significant among" in sentence
            printed += 1
            wrong += apart == (bounds[0] <= 0 <= bounds[1])
    return printed, wrong


def random_comparison(number: int, systems: int) -> Comparison:
    """Compare `systems` random systems on a random part of a random set by a random metric."""
    generator = np.random.default_rng([number, systems])
    name, metric = str(generator.choice(SETS)), str(generator.choice(METRICS))
    counts = counts_of_set(name, metric)
    names = generator.choice(counts.outline.systems, size=systems, replace=False).tolist()
    segments = generator.choice(len(counts), size=generator.integers(30, 301), replace=False)
    return compare(
        counts.select(names).subset(segments.tolist()),
        unit="segment",
        seed=number,
        replicates=REPLICATES if systems == 2 else 2000,
        people=None,
        # Sentences about families have intervals where there is a baseline.
        baseline=names[0] if systems > 2 and number % 2 else None,
    )


def main(drawn: int, pairs: int) -> None:
    """Print the measurements."""
    kinds = ("pairs", pairs, 2, 1), ("families of 3 to 12 systems", pairs // 10, 3, 10)
    for what, comparisons, least, sizes in kinds:
        among, found, printed, wrong = 0, 0, 0, 0
        for number in range(comparisons):
            comparison = random_comparison(number, least + number // 2 % sizes)
            among += len(comparison.comparisons)
            found += sum(map(contradicts, comparison.comparisons))
            printed, wrong = np.add((printed, wrong), sentences(comparison))
        print(
            f"{comparisons:,} random {what}: {among:,} intervals, {found} contradictions; "
            f"{printed:,} sentences with an interval, {wrong} contradictions",
            flush=True,
        )
    every: list[float] = []
    for name, metric, kind, count, rates, against in coverages(drawn):
        every += rates
        each = " ".join(f"{rate:.3f}" for rate in rates)
        size = f"{count} {kind}"
        print(f"{name:12} {metric:22} {size:14} {each}  contradictions {against}", flush=True)
    print(f"mean {np.mean(every):.4f}, from {min(every):.3f} to {max(every):.3f}")


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    main(*(numbers + [DRAWN, PAIRS][len(numbers) :]))
