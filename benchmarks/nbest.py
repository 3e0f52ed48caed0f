"""Minimum Bayes risk and mbrs: expected utilities of 50 candidates of each of 200 segments."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any

from benchmarks.data import load_corpus
from benchmarks.memory import peak_memory
from benchmarks.peers import installed
from benchmarks.results import Memory, Speed
from benchmarks.timing import race, time_once
from truebleu.nbest import mbr

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.data import Corpus

NAMES = ("mbr-chrf", "mbr-chrf-pairs", "mbr-bleu", "mbr-large")
CANDIDATES = 50
SEGMENTS = 200
# Number of segments for slow peers, whose time is extrapolated.
FEW = 2
# mbrs computes in single precision.
TOLERANCE = 1e-4
LARGE_CANDIDATES, LARGE_SEGMENTS = 1_000, 100
# Limit of the peak, as a multiple of the text, plus bytes.
MEMORY_BAR = 1.5, 300_000_000

Lists = list[list[str]]


def measure_nbest(
    corpus: Corpus, names: tuple[str, ...], *, quick: bool
) -> tuple[list[Speed], list[Memory]]:
    """Measure MBR by chrF and BLEU, and a large case without a peer."""
    lists = make_lists(corpus, CANDIDATES, 20 if quick else SEGMENTS)
    speed: list[Speed] = []
    memory: list[Memory] = []
    if "mbr-chrf" in names:
        speed.append(_race("mbr-chrf", lists, "chrf", _fastchrf, bar=50, few=len(lists)))
    if "mbr-chrf-pairs" in names:
        speed.append(_race("mbr-chrf-pairs", lists, "chrf", _chrf_pairs, bar=500, few=FEW))
    if "mbr-bleu" in names:
        speed.append(_race("mbr-bleu", lists, "bleu", _bleu_pairs, bar=300, few=FEW))
    if "mbr-large" in names:
        row, peak = _large(2 if quick else LARGE_SEGMENTS)
        speed.append(row)
        memory.append(peak)
    return speed, memory


def make_lists(corpus: Corpus, candidates: int, segments: int) -> Lists:
    """Make lists like samples: the systems' outputs, and mixtures of two of them."""
    draw = Random(1)  # noqa: S311  # noise, not secrets
    lists = []
    for index in range(segments):
        at = index % len(corpus.reference)
        outputs = [text[at] for text in corpus.systems.values()]
        texts = outputs[:candidates]
        while len(texts) < candidates:
            first, second = draw.choice(outputs).split(), draw.choice(outputs).split()
            cut = draw.randrange(len(first) + 1)
            texts.append(" ".join(first[:cut] + second[cut:]))
        lists.append(texts)
    return lists


def _race(
    name: str,
    lists: Lists,
    metric: str,
    peer: Callable[[], tuple[str, str, Callable[[Lists], list[list[float]]]] | None],
    *,
    bar: float,
    few: int,
) -> Speed:
    what = f"MBR by {metric}, {CANDIDATES} candidates × {len(lists)} segments"
    chosen = peer()
    if chosen is None:
        return Speed(name=name, what=what, peer="mbrs", problem="not installed")
    label, note, theirs = chosen

    def ours() -> list[tuple[float | None, ...]]:
        return [segment.utilities for segment in mbr(lists, metric=metric).segments]

    part = lists[:few]
    for mine, other in zip(ours(), theirs(part), strict=False):
        for a, b in zip(mine, other, strict=True):
            if a is None or abs(a - b) > TOLERANCE * max(1.0, abs(b)):
                return Speed(name=name, what=what, peer=label, problem=f"scores differ ({a}, {b})")
    if few == len(lists):
        times = race({"ours": ours, "peer": partial(theirs, part)})
        seconds = times["peer"]
    else:
        times = {"ours": min(time_once(ours) for _ in range(3))}
        seconds = time_once(partial(theirs, part)) * len(lists) / few
        note += f"; {few} segments, time multiplied by {len(lists) / few:g}"
    return Speed(
        name=name,
        what=what,
        peer=label,
        peer_seconds=seconds,
        seconds=times["ours"],
        bar=bar,
        note=note,
    )


def _large(segments: int) -> tuple[Speed, Memory]:
    """Measure all pairs of very long lists, in a separate process."""
    command = [sys.executable, "-m", "benchmarks.nbest", str(segments)]
    folder = Path(__file__).resolve().parents[1]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=folder)
    measured = json.loads(done.stdout)
    what = f"MBR by chrf, {LARGE_CANDIDATES:,} candidates × {segments} segments, exact"
    factor, extra = MEMORY_BAR
    speed = Speed(
        name="mbr-large",
        what=what,
        peer="-",
        seconds=measured.pop("seconds"),
        note="all pairs; no peer is given so many",
    )
    bar = round(factor * measured["text"]) + extra
    return speed, Memory(name="mbr-large", what=what, bar=bar, **measured)


def _probe(segments: int) -> dict[str, float]:
    lists = make_lists(load_corpus(), LARGE_CANDIDATES, segments)
    text = sum(len(candidate.encode()) for list_ in lists for candidate in list_)
    before = peak_memory()
    started = perf_counter()
    mbr(lists, metric="chrf")
    seconds = perf_counter() - started
    return {"text": text, "before": before, "peak": peak_memory(), "seconds": seconds}


def _decoder(metric: str, **settings: Any) -> Callable[[Lists], list[list[float]]]:
    """Return the function by which mbrs computes expected scores of a list's candidates."""
    from mbrs.metrics import get_metric

    make = get_metric(metric)
    scorer = make(make.Config(**settings))

    def run(lists: Lists) -> list[list[float]]:
        return [scorer.expected_scores(list_, list_).tolist() for list_ in lists]

    return run


def _fastchrf() -> tuple[str, str, Callable[[Lists], list[list[float]]]] | None:
    peer = installed("mbrs")
    if peer is not None:
        return peer, "mbrs with fastchrf, its quickest exact way", _decoder("chrf", fastchrf=True)
    peer = installed("fastchrf")
    if peer is None:
        return None
    from fastchrf import pairwise_chrf

    def run(lists: Lists) -> list[list[float]]:
        scores = (pairwise_chrf([list_], [list_], 6, 2.0)[0] for list_ in lists)
        return [[sum(row) / len(row) for row in matrix] for matrix in scores]

    return peer, "what mbrs calls with fastchrf=True, without mbrs itself", run


def _chrf_pairs() -> tuple[str, str, Callable[[Lists], list[list[float]]]] | None:
    return _pairs("chrf", "CHRF", {})


def _bleu_pairs() -> tuple[str, str, Callable[[Lists], list[list[float]]]] | None:
    return _pairs("bleu", "BLEU", {"effective_order": True})


def _pairs(
    metric: str, class_name: str, settings: dict[str, Any]
) -> tuple[str, str, Callable[[Lists], list[list[float]]]] | None:
    peer = installed("mbrs")
    if peer is not None:
        return peer, "mbrs on pairs of sacreBLEU, 2 workers", _decoder(metric, num_workers=2)
    peer = installed("sacrebleu")
    if peer is None:
        return None
    from sacrebleu import metrics

    scorer = getattr(metrics, class_name)(**settings)

    def run(lists: Lists) -> list[list[float]]:
        return [
            [
                sum(scorer.sentence_score(output, [other]).score for other in list_) / len(list_)
                for output in list_
            ]
            for list_ in lists
        ]

    return peer, "the calls that mbrs makes, without mbrs itself and in one process", run


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_probe(int(sys.argv[1]))))
