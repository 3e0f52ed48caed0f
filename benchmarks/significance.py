"""Paired tests and sacreBLEU's: from statistics, from texts, and on the command line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from benchmarks.agreement import DisagreementError, require_agreement
from benchmarks.cold import race_paired_tests
from benchmarks.peers import installed
from benchmarks.results import Speed
from benchmarks.timing import race

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.data import Corpus
    from truebleu.resampling import Units
    from truebleu.significance import Comparison
    from truebleu.significance.unit_counts import UnitCounts

NAMES = (
    *("paired-bs", "paired-ar", "compare-bs", "compare-ar", "command-bs", "command-ar"),
    *("cold-compare", "cold-limit"),
)
BOOTSTRAP_REPLICATES = 1000
SWAPS = 10_000
# Largest difference of two Monte-Carlo p-values, in standard errors.
STANDARD_ERRORS = 5.0


def measure_significance(corpus: Corpus, names: tuple[str, ...], *, quick: bool) -> list[Speed]:
    """Measure paired tests: ours of all pairs, sacreBLEU's with its baseline only."""
    peer = installed("sacrebleu")
    if peer is None:
        return [
            Speed(name=name, what=name, peer="sacrebleu", problem="not installed")
            for name in NAMES
            if name in names
        ]
    swaps = SWAPS // 10 if quick else SWAPS
    speed = []
    if "paired-bs" in names:
        speed.append(_bootstrap(corpus, peer))
    if "paired-ar" in names:
        speed.append(_randomization(corpus, peer, swaps))
    if "compare-bs" in names:
        speed.append(_compared(corpus, peer, "bs", BOOTSTRAP_REPLICATES))
    if "compare-ar" in names:
        speed.append(_compared(corpus, peer, "ar", swaps))
    if "command-bs" in names:
        speed.append(_command(corpus, peer, "bs", BOOTSTRAP_REPLICATES))
    if "command-ar" in names:
        speed.append(_command(corpus, peer, "ar", swaps))
    if "cold-compare" in names:
        speed.append(_cold(corpus, peer))
    if "cold-limit" in names:
        speed.append(_cold_limit(corpus))
    return speed


def _bootstrap(corpus: Corpus, peer: str) -> Speed:
    from truebleu.resampling import Bootstrap
    from truebleu.significance.replicates import bootstrap_scores

    counted, units = _counted(corpus)
    bootstrap = Bootstrap(replicates=BOOTSTRAP_REPLICATES)
    theirs = _sacrebleu_test(corpus, "bs", BOOTSTRAP_REPLICATES)

    def ours() -> object:
        return bootstrap_scores([counted], units, bootstrap)

    ours()
    times = race({"ours": ours, "peer": theirs})
    return Speed.raced(
        times,
        name="paired-bs",
        what=f"paired bootstrap of BLEU, {corpus.size}, B = {BOOTSTRAP_REPLICATES:,}",
        peer=peer,
        bar=150,
        note="statistics given to both; ours are the scores of all systems on shared replicates",
    )


def _randomization(corpus: Corpus, peer: str, swaps: int) -> Speed:
    from itertools import combinations

    from truebleu.schema import DEFAULT_SEED
    from truebleu.significance.tests import REPLICATE_TESTS, randomization_p

    counted, _ = _counted(corpus)
    pairs = list(combinations(range(counted.systems), 2))
    scores = counted.scores
    observed = [scores[a] - scores[b] for a, b in pairs]

    def ours() -> list[float]:
        differences, _ = REPLICATE_TESTS["ar"].differences(
            counted, pairs, replicates=swaps, seed=DEFAULT_SEED
        )
        return [float(p) for p in randomization_p(observed, differences)]

    theirs = _sacrebleu_test(corpus, "ar", swaps)
    what = f"approximate randomization of BLEU, {corpus.size}, R = {swaps:,}"
    problem = _disagreement(ours(), pairs, theirs(), swaps)
    if problem:
        return Speed(name="paired-ar", what=what, peer=peer, problem=problem)
    times = race({"ours": ours, "peer": theirs})
    return Speed.raced(
        times,
        name="paired-ar",
        what=what,
        peer=peer,
        bar=300,
        note=f"statistics given to both; ours tests all {len(pairs)} pairs, sacrebleu the "
        f"{counted.systems - 1} with the baseline",
    )


def _disagreement(
    ours: list[float], pairs: list[tuple[int, int]], theirs: list[float], swaps: int
) -> str:
    """Name the p-values that differ by more than chance, or return ""; the baseline is system 0."""
    with_baseline = [p for p, (first, _) in zip(ours, pairs, strict=True) if first == 0]
    for our_p, their_p in zip(with_baseline, theirs, strict=True):
        error = (2 * our_p * (1 - our_p) / swaps) ** 0.5 + 1 / swaps
        if abs(our_p - their_p) > STANDARD_ERRORS * error:
            return f"scores differ (p = {our_p:.4f} and {their_p:.4f})"
    return ""


def _counted(corpus: Corpus) -> tuple[UnitCounts, Units]:
    from truebleu.corpus import as_test_set
    from truebleu.counts.counting import count_texts
    from truebleu.resampling import Units
    from truebleu.significance.unit_counts import count_units

    test_set = as_test_set(corpus.systems, [corpus.reference])
    units = Units.segments(len(test_set))
    return count_units(count_texts(test_set), units)[0], units


def _sacrebleu_test(corpus: Corpus, kind: str, samples: int) -> Callable[[], list[float]]:
    """Compute sacreBLEU's p-values of all systems but the first, from cached statistics."""
    test = _paired_test(corpus, kind, samples)

    def run() -> list[float]:
        return [p for _, p in _results(test)[1:]]

    return run


def _paired_test(corpus: Corpus, kind: str, samples: int) -> Any:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.significance import PairedTest

    os.environ.setdefault("SACREBLEU_SEED", "12345")
    # New objects, because they cache tokenized lines.
    metrics = {"BLEU": BLEU(references=[corpus.reference])}
    return PairedTest(
        list(corpus.systems.items()), metrics, None, test_type=kind, n_samples=samples
    )


def _results(test: Any) -> list[tuple[float, float]]:
    """Return score and p-value of each system; the baseline, the first, has no p-value."""
    _, scores = test()
    return [(float(result.score), float(result.p_value or 0)) for result in scores["BLEU"]]


# SacreBLEU's bootstrap test is the absolute one here.
OPTIONS: dict[str, dict[str, str]] = {
    "ar": {},
    "bs": {"test": "bootstrap-absolute", "correction": "none"},
}


def _compared(corpus: Corpus, peer: str, kind: str, samples: int) -> Speed:
    """Measure scores, intervals and p-values from texts in memory, in this process."""
    from truebleu import compare

    baseline = next(iter(corpus.systems))

    def ours(against: str | None = baseline) -> Comparison:
        return compare(
            corpus.systems,
            corpus.reference,
            baseline=against,
            replicates=samples,
            **OPTIONS[kind],  # type: ignore[arg-type]
        )

    def theirs() -> list[tuple[float, float]]:
        return _results(_paired_test(corpus, kind, samples))

    name, what = f"compare-{kind}", _what("compare from texts to results", corpus, kind, samples)
    problem = _difference(ours(), theirs(), samples)
    if problem:
        return Speed(name=name, what=what, peer=peer, problem=problem)
    times = race({"ours": ours, "all pairs": lambda: ours(None), "peer": theirs})
    return Speed.raced(
        times,
        name=name,
        what=what,
        peer=peer,
        bar=100,
        note=_note("texts given to both; ours looks for strange texts and makes intervals", times),
    )


def _difference(ours: Comparison, theirs: list[tuple[float, float]], samples: int) -> str:
    """Name the scores or p-values that differ by more than chance, or return ""."""
    scores = [by["BLEU"].score for by in ours.systems.values()]
    try:
        require_agreement(scores, [score for score, _ in theirs], "sacrebleu")
    except DisagreementError as error:
        return f"scores differ ({error})"
    pairs = [(0, place) for place in range(1, len(scores))]
    p = [pair.p for pair in ours.comparisons]
    return _disagreement(p, pairs, [p for _, p in theirs[1:]], samples)


def _what(work: str, corpus: Corpus, kind: str, samples: int) -> str:
    count = f"{'R' if kind == 'ar' else 'B'} = {samples:,}"
    return f"{work}, BLEU, all systems with one, {corpus.size}, {count}"


def _note(same: str, times: dict[str, float]) -> str:
    every = times["all pairs"]
    return f"{same}. All pairs and ranks instead: {every:.3f} s, ratio {times['peer'] / every:.0f}"


def _command(corpus: Corpus, peer: str, kind: str, samples: int) -> Speed:
    """Measure the whole command line, from files to text."""
    count = str(samples)
    chosen = [word for name, value in OPTIONS[kind].items() for word in (f"--{name}", value)]
    times = race_paired_tests(
        corpus,
        ("--replicates", count, *chosen),
        (f"--paired-{kind}", f"--paired-{kind}-n", count),
    )
    least = times["imports"]
    return Speed.raced(
        times,
        "baseline",
        name=f"command-{kind}",
        what=_what("compare from files to text", corpus, kind, samples),
        peer=f"{peer} --paired-{kind}",
        bar=100 if kind == "ar" else None,
        note=_note("whole processes; ours also makes intervals", times)
        + f". Python with click and NumPy alone takes {1e3 * least:.0f} ms: no command could reach "
        f"{times['peer'] / least:.0f}",
    )


def _cold_limit(corpus: Corpus) -> Speed:
    times = race_paired_tests(corpus.first(2, len(corpus.reference)))
    return Speed(
        name="cold-limit",
        what=f"compare, command line, 2 × {len(corpus.reference):,} segments",
        peer="Python with click and NumPy, doing nothing",
        peer_seconds=times["imports"],
        seconds=times["all pairs"],
        note=f"whole processes; Python alone takes {1e3 * times['Python']:.0f} ms",
    )


def _cold(corpus: Corpus, peer: str) -> Speed:
    times = race_paired_tests(corpus.first(2, len(corpus.reference)))
    return Speed.raced(
        times,
        "all pairs",
        name="cold-compare",
        what=f"paired test of BLEU, command line, 2 × {len(corpus.reference):,} segments",
        peer=peer,
        bar=6,
        note="whole processes; ours also makes intervals and ranks",
    )
