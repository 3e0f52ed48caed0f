"""Ten million segments of two systems in documents, compared from compressed files.

``python -m benchmarks.ten_million 10000000`` makes the files in a temporary folder, runs ``truebleu
compare`` on them in a process of its own, and prints time, rate and peak memory as JSON.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TypedDict

from benchmarks.results import Memory, Speed

NAME = "ten-million"
NAMES = (NAME,)
SEGMENTS = 10_000_000
# Number of different segments, which are repeated: a gzip file may have many members, so each
# block is compressed once.
BLOCK = 40_000
SEGMENTS_OF_A_DOCUMENT = 25
MEMORY_BAR = 1_500_000_000
# Runs the command line, then prints its peak memory.
PROGRAM = """
import sys
from benchmarks.memory import peak_memory
from truebleu.cli.main import main
try:
    main(sys.argv[1:])
finally:
    sys.stderr.write(str(peak_memory()))
"""


class Run(TypedDict):
    """Result of a run."""

    segments: int
    text: int
    compressed: int
    seconds: float
    peak: int
    scores: dict[str, float]
    p: float


def measure_ten_million(*, quick: bool) -> tuple[list[Speed], list[Memory]]:
    """Measure time and memory of one run."""
    result = run(SEGMENTS // 50 if quick else SEGMENTS)
    what = f"compare of 2 systems × {result['segments']:,} segments, gzip files"
    rate = result["segments"] / result["seconds"]
    note = (
        f"{rate:,.0f} segments/s from {result['compressed'] / 1e6:,.0f} MB of files to p, 10,000 "
        "swaps and as many bootstrap replicates of documents"
    )
    speed = Speed(name=NAME, what=what, peer="-", seconds=result["seconds"], note=note)
    memory = Memory(
        name=NAME, what=what, text=result["text"], before=0, peak=result["peak"], bar=MEMORY_BAR
    )
    return [speed], [memory]


def run(segments: int) -> Run:
    """Make the files and compare the systems; return time and memory."""
    with TemporaryDirectory() as folder:
        paths, text = write_files(Path(folder), segments)
        reference, *systems = map(str, paths)
        command = [sys.executable, "-c", PROGRAM, "compare", "-r", reference, *systems]
        documents = Path(folder, "documents")
        with documents.open("w") as file:
            for first in range(0, segments, SEGMENTS_OF_A_DOCUMENT):
                count = min(SEGMENTS_OF_A_DOCUMENT, segments - first)
                file.write(f"document {first}\n" * count)
        command += ["--documents", str(documents), "--format", "json", "--quiet"]
        started = perf_counter()
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = perf_counter() - started
        compressed = sum(path.stat().st_size for path in paths)
    if process.returncode:
        raise RuntimeError(f"truebleu compare ended with {process.returncode}: {process.stderr}")
    result = json.loads(process.stdout)
    return {
        "segments": result["test_set"]["segments"],
        "text": text,
        "compressed": compressed,
        "seconds": seconds,
        "peak": int(process.stderr),
        "scores": {s["name"]: s["scores"]["BLEU"]["score"] for s in result["systems"]},
        "p": result["comparisons"][0]["p"],
    }


def write_files(folder: Path, segments: int) -> tuple[list[Path], int]:
    """Write a reference and two systems as gzip files; return the size of the texts."""
    from truebleu.simulation import Channel, simulate

    made = simulate(
        segments=min(BLOCK, segments),
        systems={"old": Channel.at_rate(0.2), "new": Channel.at_rate(0.19)},
        seed=1,
    )
    texts = {"reference": made.references[0], **made.systems}
    whole, rest = divmod(segments, len(made))
    paths, size = [], 0
    for name, text in texts.items():
        lines = [f"{segment}\n" for segment in text]
        block, tail = "".join(lines).encode(), "".join(lines[:rest]).encode()
        packed = gzip.compress(block, 6)
        paths.append(folder / f"{name}.gz")
        with paths[-1].open("wb") as file:
            for _ in range(whole):
                file.write(packed)
            file.write(gzip.compress(tail, 6))
        size += whole * len(block) + len(tail)
    return paths, size


def main() -> None:
    """Run once with the number of segments in the argument."""
    segments = int(sys.argv[1]) if len(sys.argv) > 1 else SEGMENTS
    sys.stdout.write(json.dumps(run(segments), indent=1) + "\n")


if __name__ == "__main__":
    main()
