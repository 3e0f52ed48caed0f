"""Levels and coverages of every default: comparisons here, and what other modules add.

A design is a function that gives some; add yours to `DESIGNS`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evidence import agreement, gates
from evidence.data import read_set
from evidence.rates import (
    ALPHA,
    ONE_UNIT,
    PAIRS,
    Design,
    Question,
    Rates,
    document_pool,
    like,
    measured,
    p_values,
    pool,
    rejected,
)
from evidence.unlike import Unlike
from truebleu.reports.document import LARGEST_SHARE
from truebleu.significance.pairs import all_pair_tests
from truebleu.significance.settings import CompareSettings
from truebleu.significance.statistics import LEAST_RATIO, largest_units, swap_ratios

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from truebleu.significance.statistics import MetricStatistics, Pair

    Answers = tuple[Sequence[float], ...]

METRICS = ("bleu", "ter", "chrf")
# Trials of families of so many systems.
FAMILIES = {2: 2000, 5: 1000, 10: 500, 20: 300, 40: 80}
# Kept until the page is written, so that what was measured before an interruption is not lost.
JOURNAL = Path(__file__).parent / "journal" / "defaults.jsonl"


def two_systems() -> Iterator[Design]:
    """The level of a comparison of two systems, segments or documents exchanged by a fair coin."""
    for metric in ("bleu", "ter"):
        by_segment, by_document = pool(metric)[0], document_pool(metric)
        designs = [("segments", by_segment, 500)]
        designs += [("documents", by_document, count) for count in (20, 60, 170)]
        for kind, whole, count in designs:
            question = Question(
                default=f"compare, level ({whole.label})",
                design=f"{count} {kind} exchanged",
            )
            yield Design(
                questions=(question,), trials=1000, trial=partial(_exchanged, metric, whole, count)
            )


def _exchanged(metric: str, whole: MetricStatistics, count: int, trial: int) -> Answers:
    generator = np.random.default_rng([trial, count])
    chosen = generator.choice(len(whole.rows), size=count, replace=False)
    places, names = pool(metric)[2], PAIRS[trial % len(PAIRS)]
    both = whole.rows[chosen][:, [places[name] for name in names]]
    coins = generator.random(count) < 0.5
    both[coins] = both[coins][:, ::-1]
    return rejected(like(whole, both), [(0, 1)], trial, 1999).tolist(), [False]


def families() -> Iterator[Design]:
    """The chance of any false alarm among many systems, none or half of which differ."""
    for systems, trials in FAMILIES.items():
        for truth in ("full", "partial") if systems > 2 else ("full",):
            question = Question(
                default="compare, any false alarm (BLEU)",
                design=f"{systems} systems, {truth} null, 100 segments",
            )
            yield Design(
                questions=(question,), trials=trials, trial=partial(_family, systems, truth)
            )


def _family(systems: int, truth: str, trial: int) -> Answers:
    by_segment = pool("bleu")[0]
    order, half = np.argsort(-by_segment.scores), systems // 2
    generator = np.random.default_rng([trial, systems, len(truth)])
    segments = generator.choice(len(by_segment.rows), size=100, replace=False)
    groups = [order] * systems
    if truth == "partial":  # the first half of the systems draws from better ones
        groups = [order[:8]] * half + [order[8:]] * (systems - half)
    drawn = np.stack([generator.choice(group, size=100) for group in groups], axis=1)
    pairs = list(combinations(range(systems), 2))
    alarms = rejected(like(by_segment, by_segment.rows[segments[:, None], drawn]), pairs, trial)
    equal = [truth == "full" or (a < half) == (b < half) for a, b in pairs]
    return [bool(alarms[equal].any())], [False]


# Two systems of each set that are of unlike length, and two that are not; then all of a set.
UNLIKE = (
    ("wmt24-en-es",),
    ("wmt23-he-en", "NLLB_MBR_BLEU", "ONLINE-B"),
    ("wmt23-he-en", "ONLINE-A", "ZengHuiMT"),
    ("wmt23-en-cs", "ONLINE-Y", "ONLINE-W"),
    ("wmt23-en-cs", "CUNI-Transformer", "ZengHuiMT"),
    ("wmt24-en-es", "Dubformer", "Gemini-1.5-Pro"),
    ("wmt24-en-es", "Phi-3-Medium", "Gemini-1.5-Pro"),
    ("wmt23-zh-en", "ONLINE-G", "ZengHuiMT"),
    ("wmt23-zh-en", "ONLINE-M", "ZengHuiMT"),
)
UNLIKE_TESTS = {"scaled": "compare, level", "ar": "compare --test ar, level"}
UNLIKE_LENGTHS = "outputs differ in length"


def lengths() -> Iterator[Design]:
    """The level where systems have one score on the pool, and one may be short, the other long."""
    for name, *systems in UNLIKE:
        questions = tuple(
            Question(
                default=f"{default}, equal scores but not exchangeable (BLEU)",
                design=f"{name}, {' and '.join(systems) or 'any two'}, the better one cut short",
                sometimes=UNLIKE_LENGTHS if test == "ar" else "",
            )
            for test, default in UNLIKE_TESTS.items()
        )
        trial = partial(_unlike, name, *systems)
        yield Design(questions=questions, trials=1000, trial=trial)


def _unlike(*name_and_trial: Any) -> Answers:
    *name, trial = name_and_trial
    ((sample,),) = _sampled(*name).sets(trial, 1)
    (ratio,) = swap_ratios(sample, [(0, 1)])
    alarms = [p_values(sample, [(0, 1)], trial, 999, test)[0] <= ALPHA for test in UNLIKE_TESTS]
    return alarms, [False, alarms[1] and ratio < LEAST_RATIO]


@cache
def _sampled(name: str, *systems: str) -> Unlike:
    test_set = read_set(name)
    chosen = {system: test_set.systems[system] for system in systems or test_set.systems}
    return Unlike.of(replace(test_set, systems=chosen), ["bleu"], "segment", 7)


def coverage() -> Iterator[Design]:
    """How often the intervals of differences that `compare` prints hold the pool's difference."""
    for metric in METRICS:
        by_segment = pool(metric)[0]
        designs = [("segments", by_segment, 300)]
        designs += [("documents", document_pool(metric), count) for count in (20, 60, 150)]
        for kind, whole, count in designs:
            questions = tuple(
                Question(
                    default=f"compare, interval of a difference ({whole.label})",
                    design=f"{count} {kind} drawn, {pairs}",
                    expected=1 - ALPHA,
                    sometimes=ONE_UNIT,
                )
                for pairs in (" against ".join(PAIRS[0]), "three other pairs")
            )
            yield Design(
                questions=questions, trials=500, trial=partial(_covered, metric, whole, count)
            )


def _covered(metric: str, whole: MetricStatistics, count: int, trial: int) -> Answers:
    places = pool(metric)[2]
    pairs: list[Pair] = [(places[a], places[b]) for a, b in PAIRS]
    truth = np.array([whole.scores[a] - whole.scores[b] for a, b in pairs])
    generator = np.random.default_rng([trial, count])
    sample = like(whole, whole.rows[generator.integers(0, len(whole.rows), count)])
    settings = CompareSettings(replicates=999, seed=trial, correction="none")
    (tests,) = all_pair_tests([sample], [], pairs, settings, lambda _first, _count: [])
    low, high = np.array([tests.interval(pair) for pair in range(len(pairs))], dtype=float).T
    # An open end, which is no number, holds whatever there is.
    covers = ~((low > truth) | (truth > high))
    shares = np.array([unit.share or 0.0 for unit in largest_units(sample, pairs)])
    large = shares > LARGEST_SHARE
    return tuple([values[0], values[1:].mean()] for values in (covers, large, ~covers & large))


#: What the page measures, in this order.
DESIGNS: tuple[Callable[[], Iterator[Design]], ...] = (
    two_systems,
    families,
    lengths,
    coverage,
    *gates.DESIGNS,
    *agreement.DESIGNS,
)


def page() -> Rates:
    """Run all designs, or those that an interrupted run has left."""
    JOURNAL.parent.mkdir(exist_ok=True)
    designs = [design for designs in DESIGNS for design in designs()]
    return Rates(measured(designs, JOURNAL), JOURNAL)
