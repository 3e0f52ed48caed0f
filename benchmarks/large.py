"""A million segments of BLEU: time and peak memory, each time in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.agreement import DisagreementError, require_agreement
from benchmarks.data import write_large_text
from benchmarks.peers import installed
from benchmarks.results import Memory, Speed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROUNDS = 3
# Limit of the peak, as a multiple of the text, plus bytes.
MEMORY_BAR = (1.5, 300_000_000)
# SacreBLEU gets a tenth of the segments; its time is proportional to their number.
PEER_SHARE = 10
NAME = "large"


@dataclass(frozen=True, slots=True)
class _Probe:
    """Report of a job: the shortest time and the largest memory of all runs."""

    seconds: float
    before: int
    peak: int
    score: float


def measure_large(segments: int) -> tuple[list[Speed], list[Memory]]:
    """Measure times and memory of truebleu from lists and from files, and of sacreBLEU."""
    fewer = segments // PEER_SHARE
    jobs = {"lists": ("lists", segments), "files": ("files", segments)}
    if installed("sacrebleu"):
        jobs |= {"sacrebleu": ("sacrebleu", fewer), "fewer": ("lists", fewer)}
    with TemporaryDirectory() as folder:
        files = write_large_text(Path(folder), segments)
        size = sum(path.stat().st_size for path in files)
        probes = _probe_in_turns(jobs, files)
    require_agreement([probes["lists"].score], [probes["files"].score], "its command line")
    speed = [
        _beside_sacrebleu(segments, probes),
        _from_files(segments, probes["files"]),
    ]
    memory = [
        _memory(f"BLEU, {segments:,} segments, {way}", probe, size)
        for way, probe in (
            ("from lists", probes["lists"]),
            ("from files, command line", probes["files"]),
        )
    ]
    return speed, memory


def _beside_sacrebleu(segments: int, found: Mapping[str, _Probe]) -> Speed:
    peer = installed("sacrebleu")
    row = Speed(
        name=NAME,
        what=f"BLEU, {segments:,} segments, from lists",
        peer=peer or "sacrebleu",
        seconds=found["lists"].seconds,
    )
    if peer is None:
        return replace(row, problem="not installed")
    theirs = found["sacrebleu"]
    try:
        require_agreement([found["fewer"].score], [theirs.score], peer)
    except DisagreementError as error:
        return replace(row, seconds=None, problem=f"scores differ ({error})")
    note = (
        f"sacrebleu measured on {segments // PEER_SHARE:,} segments ({theirs.seconds:.3g} s, peak "
        f"memory {theirs.peak / 1e6:,.0f} MB), its time multiplied by {PEER_SHARE}"
    )
    return replace(row, peer_seconds=theirs.seconds * PEER_SHARE, note=note)


def _from_files(segments: int, found: _Probe) -> Speed:
    return Speed(
        name=NAME,
        what=f"BLEU, {segments:,} segments, command line, from files",
        peer="-",
        seconds=found.seconds,
        note="loading the program included, starting Python not",
    )


def _memory(what: str, found: _Probe, size: int) -> Memory:
    factor, extra = MEMORY_BAR
    return Memory(
        name=NAME,
        what=what,
        text=size,
        before=found.before,
        peak=found.peak,
        bar=round(factor * size) + extra,
    )


def _probe_in_turns(
    jobs: Mapping[str, tuple[str, int]], files: tuple[Path, Path]
) -> dict[str, _Probe]:
    """Run jobs in turns; return the shortest time and the largest memory of each."""
    runs: dict[str, list[_Probe]] = {name: [] for name in jobs}
    for _ in range(ROUNDS):
        for name, (job, segments) in jobs.items():
            runs[name].append(_probe(job, files, segments))
    return {name: _best(of_job) for name, of_job in runs.items()}


def _probe(job: str, files: tuple[Path, Path], segments: int) -> _Probe:
    command = [sys.executable, "-m", "benchmarks.probe", job, *map(str, files), str(segments)]
    folder = Path(__file__).resolve().parents[1]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=folder)
    return _Probe(**json.loads(done.stdout))


def _best(runs: Sequence[_Probe]) -> _Probe:
    return _Probe(
        seconds=min(run.seconds for run in runs),
        before=max(run.before for run in runs),
        peak=max(run.peak for run in runs),
        score=runs[0].score,
    )
