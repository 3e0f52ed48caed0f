"""Paired tests beside sacreBLEU's: statistics given, then the command line cold."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from benchmarks.cold import race_paired_tests
from benchmarks.peers import installed
from benchmarks.results import Speed
from benchmarks.timing import race

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.data import Corpus
    from truebleu.resampling import Units
    from truebleu.significance.statistics import MetricStatistics

NAMES = ("paired-bs", "paired-ar", "compare-bs", "compare-ar", "cold-compare", "cold-limit")
BOOTSTRAP_REPLICATES = 1000
SWAPS = 10_000
# Two p-values of so many random trials may differ by this many standard errors.
STANDARD_ERRORS = 5.0


def measure_significance(corpus: Corpus, names: tuple[str, ...], *, quick: bool) -> list[Speed]:
    """The paired tests of all systems; ours of all pairs, sacreBLEU's with its baseline only."""
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
        speed.append(_whole_bootstrap(corpus, peer))
    if "compare-ar" in names:
        speed.append(_whole_randomization(corpus, peer, swaps))
    if "cold-compare" in names:
        speed.append(_cold(corpus, peer))
    if "cold-limit" in names:
        speed.append(_cold_limit(corpus))
    return speed


def _bootstrap(corpus: Corpus, peer: str) -> Speed:
    from truebleu.resampling import Bootstrap
    from truebleu.significance.statistics import bootstrap_scores

    counted, units = _counted(corpus)
    bootstrap = Bootstrap(replicates=BOOTSTRAP_REPLICATES)
    theirs = _sacrebleu_test(corpus, "bs", BOOTSTRAP_REPLICATES)

    def ours() -> object:
        return bootstrap_scores([counted], units, bootstrap)

    ours()
    times = race({"ours": ours, "peer": theirs})
    return Speed(
        name="paired-bs",
        what=f"paired bootstrap of BLEU, {corpus.size}, B = {BOOTSTRAP_REPLICATES:,}",
        peer=peer,
        peer_seconds=times["peer"],
        seconds=times["ours"],
        bar=150,
        note="statistics given to both; ours are the scores of all systems on shared replicates",
    )


def _randomization(corpus: Corpus, peer: str, swaps: int) -> Speed:
    from itertools import combinations

    from truebleu.resampling import Swaps
    from truebleu.significance.statistics import swap_differences
    from truebleu.significance.tests import randomization_p

    counted, _ = _counted(corpus)
    pairs = list(combinations(range(counted.systems), 2))
    scores = counted.scores
    observed = [scores[a] - scores[b] for a, b in pairs]

    def ours() -> list[float]:
        (differences,) = swap_differences([counted], pairs, Swaps(replicates=swaps))
        return [float(p) for p in randomization_p(observed, differences)]

    theirs = _sacrebleu_test(corpus, "ar", swaps)
    what = f"approximate randomization of BLEU, {corpus.size}, R = {swaps:,}"
    problem = _disagreement(ours(), pairs, theirs(), swaps)
    if problem:
        return Speed(name="paired-ar", what=what, peer=peer, problem=problem)
    times = race({"ours": ours, "peer": theirs})
    return Speed(
        name="paired-ar",
        what=what,
        peer=peer,
        peer_seconds=times["peer"],
        seconds=times["ours"],
        bar=300,
        note=f"statistics given to both; ours tests all {len(pairs)} pairs, sacrebleu the "
        f"{counted.systems - 1} with the baseline",
    )


def _disagreement(
    ours: list[float], pairs: list[tuple[int, int]], theirs: list[float], swaps: int
) -> str:
    """Empty, or which p-values differ by more than chance; sacreBLEU's baseline is system 0."""
    with_baseline = [p for p, (first, _) in zip(ours, pairs, strict=True) if first == 0]
    for our_p, their_p in zip(with_baseline, theirs, strict=True):
        error = (2 * our_p * (1 - our_p) / swaps) ** 0.5 + 1 / swaps
        if abs(our_p - their_p) > STANDARD_ERRORS * error:
            return f"scores differ (p = {our_p:.4f} and {their_p:.4f})"
    return ""


def _counted(corpus: Corpus) -> tuple[MetricStatistics, Units]:
    from truebleu.corpus import as_test_set
    from truebleu.metrics.registry import as_metrics
    from truebleu.resampling import Units
    from truebleu.significance.statistics import metric_statistics

    test_set = as_test_set(corpus.systems, [corpus.reference])
    units = Units.segments(len(test_set))
    return metric_statistics(test_set, as_metrics(["bleu"]), units)[0], units


def _sacrebleu_test(corpus: Corpus, kind: str, samples: int) -> Callable[[], list[float]]:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.significance import PairedTest

    os.environ.setdefault("SACREBLEU_SEED", "12345")
    metrics = {"BLEU": BLEU(references=[corpus.reference])}
    test = PairedTest(
        list(corpus.systems.items()), metrics, None, test_type=kind, n_samples=samples
    )

    def run() -> list[float]:
        _, scores = test()
        results: list[Any] = scores["BLEU"][1:]
        return [float(result.p_value) for result in results]

    return run


def _whole_randomization(corpus: Corpus, peer: str, swaps: int) -> Speed:
    count = str(swaps)
    times = race_paired_tests(
        corpus, ("--replicates", count), ("--paired-ar", "--paired-ar-n", count)
    )
    return _whole("compare-ar", f"{peer} --paired-ar", f"R = {swaps:,}", corpus, times)


def _whole_bootstrap(corpus: Corpus, peer: str) -> Speed:
    # The test that sacreBLEU makes of the bootstrap.
    count = str(BOOTSTRAP_REPLICATES)
    ours = ("--test", "bootstrap-absolute", "--correction", "none", "--replicates", count)
    times = race_paired_tests(corpus, ours, ("--paired-bs", "--paired-bs-n", count))
    return _whole("compare-bs", f"{peer} --paired-bs", f"B = {count}", corpus, times)


def _whole(name: str, peer: str, count: str, corpus: Corpus, times: dict[str, float]) -> Speed:
    return Speed(
        name=name,
        what=f"compare from files to text, BLEU, all systems with one, {corpus.size}, {count}",
        peer=peer,
        peer_seconds=times["peer"],
        seconds=times["baseline"],
        bar=100,
        note="whole processes; ours also makes intervals. All pairs and ranks instead: "
        f"{times['all pairs']:.3f} s, ratio {times['peer'] / times['all pairs']:.0f}",
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
    return Speed(
        name="cold-compare",
        what=f"paired test of BLEU, command line, 2 × {len(corpus.reference):,} segments",
        peer=peer,
        peer_seconds=times["peer"],
        seconds=times["all pairs"],
        bar=6,
        note="whole processes; ours also makes intervals and ranks",
    )
