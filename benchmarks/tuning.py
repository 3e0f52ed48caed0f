"""Tuning 8 weights on 1,000 lists of 100 candidates, with measured times of Moses."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.nbest import make_lists
from benchmarks.results import Speed
from truebleu import _core
from truebleu.nbest import NBest, count_candidates
from truebleu.nbest.mert import Mert
from truebleu.nbest.mira import Mira
from truebleu.nbest.problem import Search, make_problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.data import Corpus
    from truebleu.nbest.problem import Problem

NAMES = ("mert", "mira")
SEGMENTS, CANDIDATES = 1_000, 100
ROUNDS = 3
#: Weight of a candidate's quality in each feature, and the feature's noise.
FEATURES = ((0.1, 5), (0.05, 3), (0.03, 4), (0.02, 2), (0.01, 3), (0.005, 1))
#: Processor seconds of Moses (revision 34452895, one thread) on lists of this size, written down on
#: two shared processors at a load of 6 to 10. Moses is not run here: this is no race.
MOSES = {"mert": 21.2, "mira": 2.1}


def measure_tuning(corpus: Corpus, names: tuple[str, ...], *, quick: bool) -> list[Speed]:
    """Measure processor seconds of truebleu's tuners on one thread."""
    chosen = [name for name in NAMES if name in names]
    if not chosen:
        return []
    problem = make_tuning_problem(corpus, 50 if quick else SEGMENTS)
    threads = _core.threads()
    _core.set_threads(1)
    try:
        return [_measure(name, problem) for name in chosen]
    finally:
        _core.set_threads(threads)


def make_tuning_problem(corpus: Corpus, segments: int) -> Problem:
    """Make lists like samples, with features that correlate with quality to various degrees."""
    lists = make_lists(corpus, CANDIDATES, segments)
    references = [corpus.reference[index % len(corpus.reference)] for index in range(segments)]
    quality = count_candidates(lists, references, "chrf").sentence_scores()
    draw = np.random.default_rng(1)
    level = np.repeat(draw.normal(0, 20, segments), CANDIDATES)
    columns = [
        level + quality * share + draw.normal(0, noise, len(quality)) for share, noise in FEATURES
    ]
    columns.append(np.array([len(text.split()) for list_ in lists for text in list_], dtype=float))
    columns.append(draw.normal(0, 1, len(quality)))
    features = {
        f"feature-{number}": column.reshape(segments, CANDIDATES).tolist()
        for number, column in enumerate(columns, 1)
    }
    return make_problem(NBest.of(lists, features=features), references, ["bleu"])


def _measure(name: str, problem: Problem) -> Speed:
    count = len(problem.names)
    start = np.full(count, 1 / count)
    runs: dict[str, tuple[str, Callable[[], object]]] = {
        "mert": (
            "MERT, 21 starts",
            lambda: Mert().weights(problem, Search.of(start, seed=1)),
        ),
        "mira": (
            "k-best MIRA, 60 epochs",
            lambda: Mira().weights(problem, Search.of(start, seed=1)),
        ),
    }
    what, run = runs[name]
    run()
    size = f"{len(problem):,} × {CANDIDATES} candidates × {count} features"
    return Speed(
        name=name,
        what=f"{what}, {size}",
        peer="-",
        seconds=min(_processor_seconds(run) for _ in range(ROUNDS)),
        note=f"processor seconds on one thread; Moses took {MOSES[name]} s on 1,000 × 100 × 8 when "
        "it was last built, at a load of 6 to 10: written down, not run here",
    )


def _processor_seconds(run: Callable[[], object]) -> float:
    started = process_time()
    run()
    return process_time() - started
