"""Limits of the machine for resampling, and other work without a peer.

The limits are measured by ``crates/core/examples/limits.rs`` on one thread: draws alone,
multiply-adds in registers, rows of tables added from the fastest cache, memory read. A kernel
cannot be faster than its parts. Times are processor seconds on one thread; other processes on
the machine still change them by half, so limits are measured before and after each kernel.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.results import Speed
from benchmarks.timing import race
from truebleu import _core

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

NAMES = (
    *("limit-bs", "limit-ar", "limit-bs-large", "limit-ar-large", "limit-count"),
    *("panel", "reward", "reward-threads"),
)
ROOT = Path(__file__).resolve().parents[1]
# A kernel should be within twice the limit, and counting within three times.
BAR, COUNTING_BAR = 0.5, 0.33
# Blocks of the kernels, as in the core: 13 tables have the subsets of 64 units.
PANEL_COLUMNS, TABLE_COLUMNS, LOOKUPS, SHARED = 16, 32, 13 / 64, 32
# Number of concurrent threads, and of batches in each.
CALLERS, BATCHES = 2, 200
SYSTEMS, SEGMENTS, COLUMNS = 11, 1826, 10
MANY = 1_000_000


def measure_limits(names: tuple[str, ...], *, quick: bool) -> list[Speed]:
    """Measure the rows with the chosen names."""
    work: dict[str, Callable[[], Speed]] = {
        "limit-bs": lambda: _bootstrap("limit-bs", SEGMENTS, SYSTEMS, 1_000 if quick else 10_000),
        "limit-ar": lambda: _swaps("limit-ar", SEGMENTS, SYSTEMS, 1_000 if quick else 10_000),
        "limit-bs-large": lambda: _bootstrap("limit-bs-large", MANY, 2, 20 if quick else 200),
        "limit-ar-large": lambda: _swaps("limit-ar-large", MANY, 2, 200 if quick else 4_000),
        "limit-count": lambda: _counting(3 if quick else 15),
        "panel": lambda: _panel(4 if quick else 55),
        "reward": _reward,
        "reward-threads": _reward_threads,
    }
    threads = _core.threads()
    _core.set_threads(1)
    try:
        return [work[name]() for name in NAMES if name in names]
    finally:
        _core.set_threads(threads)


def _limits() -> dict[str, float]:
    """Measure seconds of each step by the core's example, compiled if necessary."""
    command = ["cargo", "run", "--release", "-q", "-p", "truebleu-core", "--example", "limits"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(run.stdout.replace("NaN", "null"))
    return found


def _counts(segments: int, systems: int) -> NDArray[np.float64]:
    """Draw small integers like BLEU's counts."""
    draw = np.random.default_rng(1)
    return draw.integers(0, 40, (segments, systems * COLUMNS)).astype(np.float64)


def _bootstrap(name: str, segments: int, systems: int, replicates: int) -> Speed:
    rows = _counts(segments, systems)
    width = -(-rows.shape[1] // PANEL_COLUMNS) * PANEL_COLUMNS
    parts = {
        "draws": ("few_draws" if segments < 1 << 16 else "many_draws", segments * replicates),
        "multiply-adds": ("multiply_add", segments * replicates * width),
    }
    if segments == MANY:
        parts["memory"] = ("byte", rows.size * replicates // SHARED)

    def run() -> object:
        return _core.Rows(rows).bootstrap_sums(
            strata=[(0, segments)], first=0, replicates=replicates, seed=1
        )

    return _row(
        name,
        f"bootstrap sums, {systems} × {segments:,} segments × {COLUMNS} counts, B = {replicates:,}",
        run,
        parts,
    )


def _swaps(name: str, segments: int, systems: int, replicates: int) -> Speed:
    rows = _counts(segments, systems)
    # A last table of half the columns or fewer is half as wide.
    tables = -(-2 * rows.shape[1] // TABLE_COLUMNS) / 2

    def run() -> object:
        return _core.Rows(rows).swapped_sums(first=0, replicates=replicates, seed=1)

    return _row(
        name,
        f"swapped sums, {systems} × {segments:,} segments × {COLUMNS} counts, R = {replicates:,}",
        run,
        {
            # An upper bound: a word of the cipher is 32 coins, and the draw counts it too.
            "coins": ("few_draws", segments * replicates / 32),
            "rows of tables": ("lookup", segments * LOOKUPS * replicates * tables),
        },
    )


def _counting(systems: int) -> Speed:
    """Time counting for BLEU against its limit: each letter is read, each n-gram looked up once."""
    from benchmarks.data import load_corpus
    from truebleu import BLEU

    corpus = load_corpus().first(systems, 2_000)
    outputs = list(corpus.systems.values())
    rows = np.stack([BLEU().statistics(text, corpus.reference) for text in outputs])
    # Totals of n-grams are last; the reference's n-grams are looked up once for all systems.
    ngrams = float(rows[:, :, -4:].sum()) * (1 + 1 / len(outputs))
    size = sum(len(line.encode()) for text in [*outputs, corpus.reference] for line in text)
    texts = [_core.Segments(text) for text in outputs]
    references = [_core.Segments(corpus.reference)]
    native = BLEU().native()
    assert native is not None

    def run() -> object:
        return native.count(texts, references)

    return _row(
        "limit-count",
        f"counting BLEU, {corpus.size}",
        run,
        {"words": ("letter", size), "n-grams": ("ngram", ngrams)},
        bar=COUNTING_BAR,
    )


def _row(
    name: str,
    what: str,
    run: Callable[[], object],
    parts: Mapping[str, tuple[str, float]],
    bar: float = BAR,
) -> Speed:
    """Compare a kernel with its parts, given as steps of the limits and their numbers."""
    before = _limits()
    seconds = _processor_seconds(run)
    after = _limits()
    limits = {part: min(before[step], after[step]) * count for part, (step, count) in parts.items()}
    note = ", ".join(f"{part} {1e3 * limit:.3g} ms" for part, limit in limits.items())
    return Speed(
        name=name,
        what=what,
        peer="the machine's limit",
        peer_seconds=sum(limits.values()),
        seconds=seconds,
        bar=bar,
        note=f"one thread; the limit is made of {note}",
    )


def _panel(sets: int) -> Speed:
    from truebleu import panel
    from truebleu.simulation import Channel, simulate

    systems = {f"system-{number}": Channel.at_rate(0.15 + 0.005 * number) for number in range(10)}
    test_sets = {
        f"set-{seed}": simulate(segments=1_000, systems=systems, seed=seed) for seed in range(sets)
    }
    seconds = _processor_seconds(lambda: panel(test_sets, ["bleu", "chrf", "ter"]), rounds=1)
    return Speed(
        name="panel",
        what=f"panel of {sets} test sets × 10 systems × 1,000 segments by BLEU, chrF and TER",
        peer="-",
        seconds=seconds,
        note="one thread, texts in memory; all 45 pairs, 10,000 swaps of each set",
    )


def _small_batch(*, keeps_references: bool = True) -> Callable[[], object]:
    """Return a function that scores 64 segments by chrF, as a training step does."""
    from truebleu.integrations import Reward
    from truebleu.integrations.batches import CACHE_BYTES
    from truebleu.simulation import simulate

    texts = simulate(segments=64, systems=[0.2], seed=1)
    outputs = [str(line) for line in next(iter(texts.systems.values()))]
    references = [str(line) for line in texts.references[0]]
    reward = Reward("chrf", cache_bytes=CACHE_BYTES if keeps_references else 0)

    def run() -> object:
        return reward(outputs, references)

    run()
    return run


def _reward() -> Speed:
    """Measure the latency of a small batch inside a training step."""
    return Speed(
        name="reward",
        what="chrF of 64 segments, a score for each, references kept ready",
        peer="references counted anew",
        peer_seconds=_processor_seconds(_small_batch(keeps_references=False), rounds=50),
        seconds=_processor_seconds(_small_batch(), rounds=50),
        note="one thread; such a batch stays on the calling thread",
    )


def _reward_threads() -> Speed:
    """Measure the throughput of small batches on several threads, compared with one."""
    from concurrent.futures import ThreadPoolExecutor

    run = _small_batch()

    def batches(_: int) -> list[object]:
        return [run() for _ in range(BATCHES)]

    with ThreadPoolExecutor(CALLERS) as threads:
        list(threads.map(batches, range(CALLERS)))  # all threads have started
        times = race(
            {
                "one after the other": lambda: [batches(caller) for caller in range(CALLERS)],
                "at once": lambda: list(threads.map(batches, range(CALLERS))),
            }
        )
    return Speed(
        name="reward-threads",
        what=f"chrF of 64 segments, {CALLERS} × {BATCHES} batches by {CALLERS} threads at once",
        peer="one thread",
        peer_seconds=times["one after the other"],
        seconds=times["at once"],
        note=f"{CALLERS * BATCHES / times['at once']:,.0f} batches a second; "
        "Python's lock is let go while segments are counted",
    )


def _processor_seconds(run: Callable[[], object], rounds: int = 9) -> float:
    best = float("inf")
    for _ in range(rounds):
        started = process_time()
        run()
        best = min(best, process_time() - started)
    return best
