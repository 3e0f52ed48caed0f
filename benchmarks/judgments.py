"""Agreement with human judgment, compared with the published procedures in plain NumPy.

``python -m benchmarks.judgments SYSTEMS SEGMENTS`` measures without grouping, in a process of its
own, and prints the peak memory before and after, as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import plain_agreement
from benchmarks.agreement import DisagreementError, require_agreement
from benchmarks.memory import peak_memory
from benchmarks.results import Memory, Speed
from benchmarks.timing import race, time_once

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Accuracy = Callable[[Matrix, Matrix], float]

NAMES = ("agree-kendall", "agree-permutation", "agree-many", "agree-memory")
SYSTEMS, SEGMENTS = 8, 1000
DRAWS = 1000
# Number of draws of the peer, whose time is extrapolated.
PEER_DRAWS = 4
PEER = "plain NumPy"
KENDALL_PEER = "plain NumPy and SciPy"
BAR = 100.0
# Number of segments; all pairs of their cells would take 4 GB.
MANY_SEGMENTS = 4000
MEMORY_BAR = (1.5, 300_000_000)
# Target for `agree` in seconds, with its number of segments and metrics.
MANY_BAR, MANY_SYSTEMS, MANY_JUDGED = 5.0, 20, 2000
MANY_METRICS = ("bleu", "chrf", "chrf:word_order=2", "ter", "wer", "sentence-bleu")


def measure_judgments(names: tuple[str, ...], *, quick: bool) -> tuple[list[Speed], list[Memory]]:
    """Measure times and memory of the chosen rows."""
    segments = SEGMENTS // 10 if quick else SEGMENTS
    scores = judged_scores(SYSTEMS, segments)
    speed = []
    if "agree-kendall" in names:
        speed.append(_kendall(*scores[:2]))
    if "agree-permutation" in names:
        speed.append(_permutation(*scores, draws=DRAWS // 10 if quick else DRAWS))
    if "agree-many" in names:
        speed.append(_many(200 if quick else MANY_JUDGED))
    memory = [_memory(MANY_SEGMENTS // (4 if quick else 1))] if "agree-memory" in names else []
    return speed, memory


def judged_scores(systems: int, segments: int) -> tuple[Matrix, Matrix, Matrix]:
    """Simulate human scores with half of the pairs tied, as in MQM, and two similar metrics."""
    import numpy as np

    random = np.random.default_rng(12345)
    truth = random.normal(size=(systems, segments))
    human = -np.floor(5 * np.clip(truth, 0, 2)) + 0.0
    first, second = (-truth + random.normal(size=truth.shape) for _ in range(2))
    return human, first, second


def _kendall(human: Matrix, metric: Matrix) -> Speed:
    from truebleu.agreement.coefficients import measure

    def ours() -> float:
        value = measure(human, metric, "kendall-b", grouping="item").value
        return float("nan") if value is None else value

    peers: dict[str, Accuracy] = {
        "SciPy": plain_agreement.kendall_by_segment,
        "signs": plain_agreement.kendall_by_signs,
        "at once": plain_agreement.kendall_at_once,
    }
    what = f"Kendall's tau-b by segment, {_size(human)}"
    row = Speed(name="agree-kendall", what=what, peer=KENDALL_PEER)
    try:
        for way, peer in peers.items():
            require_agreement([ours()], [peer(human, metric)], way)
    except DisagreementError as error:
        return _differing(row, error)
    runs = {way: partial(peer, human, metric) for way, peer in peers.items()}
    times = race({"ours": ours, **runs})
    seconds = times["ours"]
    signs, at_once = times["signs"], times["at once"]
    return Speed(
        name=row.name,
        what=what,
        peer=KENDALL_PEER,
        peer_seconds=times["SciPy"],
        seconds=seconds,
        bar=BAR,
        note="SciPy's Kendall of each segment, as mt-metrics-eval has it; NumPy alone would take "
        f"{signs:.3g} s by the signs of each segment's differences, ratio {signs / seconds:.3g}, "
        f"and {at_once:.3g} s by whole arrays, ratio {at_once / seconds:.3g}",
    )


def _permutation(human: Matrix, first: Matrix, second: Matrix, *, draws: int) -> Speed:
    from truebleu.agreement.coefficients import coefficient
    from truebleu.agreement.tests import permutation_test

    by = coefficient("acc-eq:calibrated", grouping="item")
    what = f"permutation test of two metrics, calibrated ties, {_size(human)}, {draws:,} draws"
    row = Speed(name="agree-permutation", what=what, peer=PEER)
    accuracies = {
        "one by one": plain_agreement.calibrated_accuracy,
        "at once": plain_agreement.calibrated_accuracy_at_once,
    }
    try:
        for accuracy in accuracies.values():
            require_agreement(
                _our_differences(human, first, second),
                _differences(human, first, second, accuracy),
                PEER,
            )
    except DisagreementError as error:
        return _differing(row, error)

    def ours() -> object:
        return permutation_test(human, first, second, by, permutations=draws)

    def time_of(accuracy: Accuracy) -> float:
        seconds = time_once(lambda: _differences(human, first, second, accuracy))
        return seconds * draws / PEER_DRAWS

    peer_times = {way: time_of(accuracy) for way, accuracy in accuracies.items()}
    seconds = race({"ours": ours})["ours"]
    at_once = peer_times["at once"]
    return Speed(
        name=row.name,
        what=what,
        peer=PEER,
        peer_seconds=peer_times["one by one"],
        seconds=seconds,
        bar=BAR,
        note=f"its time is that of {PEER_DRAWS} draws, multiplied; thresholds by whole arrays "
        f"instead of pair by pair would take it {at_once:.3g} s, ratio {at_once / seconds:.3g}",
    )


def _differences(human: Matrix, first: Matrix, second: Matrix, accuracy: Accuracy) -> list[float]:
    """Compute differences by the plain procedure: draw i swaps the systems of the bits in i."""
    import numpy as np

    z = plain_agreement.standardised(first), plain_agreement.standardised(second)
    differences = []
    for draw in range(1, PEER_DRAWS + 1):
        coins = [[draw >> system & 1 == 1] for system in range(len(human))]
        exchanged = np.broadcast_to(coins, human.shape)
        one, other = plain_agreement.hybrids(*z, exchanged)
        differences.append(accuracy(human, other) - accuracy(human, one))
    return differences


def _our_differences(human: Matrix, first: Matrix, second: Matrix) -> list[float]:
    """Compute truebleu's differences in the same draws."""
    from truebleu import _core
    from truebleu.agreement.coefficients import coefficient

    metrics = [plain_agreement.standardised(metric) for metric in (first, second)]
    native = coefficient("acc-eq:calibrated", grouping="item").native
    values = _core.Cells(human, *metrics).hybrid_values(
        native, systems=True, first=1, replicates=PEER_DRAWS, seed=None
    )
    return [float(second - first) for first, second in values[1:]]


def _many(segments: int) -> Speed:
    """Time all of ``agree`` with its defaults, on partly judged segments."""
    import numpy as np

    import truebleu
    from truebleu.simulation import Channel, simulate

    systems = {f"system-{i}": Channel.at_rate(0.05 + i / 100) for i in range(MANY_SYSTEMS)}
    test_set = simulate(segments=segments, systems=systems, seed=1)
    scores = truebleu.score(test_set, metrics=["chrf"], per_segment=True)
    draw = np.random.default_rng(1)
    human: dict[str, list[float | None]] = {}
    for system in scores.systems:
        (chrf,) = (system.segments or {}).values()
        quality = (np.array(chrf, dtype=np.float64) - 50) / 10 + draw.normal(0, 2, segments)
        given, judged = np.round(quality).clip(-25, 0), draw.random(segments) > 0.3
        human[system.name] = [
            float(score) if there else None for score, there in zip(given, judged, strict=True)
        ]
    seconds = time_once(lambda: truebleu.agree(test_set, human, MANY_METRICS))
    return Speed(
        name="agree-many",
        what=f"agree, {MANY_SYSTEMS} × {segments:,} segments, 7 in 10 judged, "
        f"{len(MANY_METRICS)} metrics",
        peer="what it may take",
        peer_seconds=MANY_BAR,
        seconds=seconds,
        bar=1,
        note="coefficients, intervals and tests of all pairs of metrics, texts in memory",
    )


def _memory(segments: int) -> Memory:
    command = [sys.executable, "-m", "benchmarks.judgments", str(SYSTEMS), str(segments)]
    folder = Path(__file__).resolve().parents[1]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=folder)
    factor, extra = MEMORY_BAR
    size = 2 * 8 * SYSTEMS * segments
    return Memory(
        name="agree-memory",
        what=f"Kendall and calibrated ties of all {SYSTEMS * segments:,} cells together",
        text=size,
        bar=round(factor * size) + extra,
        **json.loads(done.stdout),
    )


def _probe(systems: int, segments: int) -> dict[str, int]:
    from truebleu.agreement.coefficients import measure

    human, metric, _ = judged_scores(systems, segments)
    before = peak_memory()
    for coefficient in ("kendall-b", "acc-eq:calibrated"):
        measure(human, metric, coefficient)
    return {"before": before, "peak": peak_memory()}


def _differing(row: Speed, error: DisagreementError) -> Speed:
    return Speed(name=row.name, what=row.what, peer=row.peer, problem=f"scores differ ({error})")


def _size(human: Matrix) -> str:
    return f"{human.shape[0]} × {human.shape[1]:,} segments"


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_probe(int(sys.argv[1]), int(sys.argv[2]))))
