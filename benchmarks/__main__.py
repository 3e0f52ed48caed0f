"""``python -m benchmarks``: measure, print each row as it comes, keep the numbers as JSON."""

from __future__ import annotations

import argparse
import json
import os
import sys
from functools import cache, partial
from pathlib import Path
from traceback import print_exc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.data import Corpus
    from benchmarks.results import Memory, Speed

RESULTS = Path(__file__).parent / "results" / "latest.json"
# Environment variables for the number of threads, equal for all tools.
THREAD_VARIABLES = ("TRUEBLEU_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS")
NAMES = (
    *("bleu", "chrf", "chrf++", "ter"),
    *("bleuscore", "nltk", "nist", "fast-bleu", "fastchrf", "jiwer"),
    *("large", "cold", "ten-million", "dropin"),
    *("paired-bs", "paired-ar", "compare-bs", "compare-ar", "command-bs", "command-ar"),
    *("cold-compare", "cold-limit"),
    *("agree-kendall", "agree-permutation", "agree-many", "agree-memory"),
    *("mbr-chrf", "mbr-chrf-pairs", "mbr-bleu", "mbr-large"),
    *("mert", "mira"),
    *("limit-bs", "limit-ar", "limit-bs-large", "limit-ar-large", "limit-count"),
    *("panel", "reward", "reward-threads"),
)


def main() -> None:
    """Measure the chosen rows; exit with 1 if scores disagree or a row fails."""
    options = _parse_options()
    # Set before importing the modules that read them.
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(options.threads)))
    from benchmarks.machine import describe_machine
    from benchmarks.table import machine_lines, memory_table, speed_table

    machine = describe_machine(options.threads)
    sys.stdout.write(machine_lines(machine) + "\n")
    run = Run(options.json, {"machine": machine, "quick": options.quick})
    for name in options.only or NAMES:
        run.measure(name, partial(_measure, name, quick=options.quick))
    if run.speed:
        sys.stdout.write("\n" + speed_table(run.speed))
    if run.memory:
        sys.stdout.write("\n" + memory_table(run.memory))
    sys.exit(any(row.problem.startswith(("scores differ", "failed")) for row in run.speed))


class Run:
    """Rows of a run; each is printed and saved once it is measured."""

    def __init__(self, path: Path, about: dict[str, object]) -> None:
        """Begin a file with the description of the run."""
        self.speed: list[Speed] = []
        self.memory: list[Memory] = []
        self._path, self._about = path, about

    def measure(self, name: str, work: Callable[[], list[Speed | Memory]]) -> None:
        """Measure rows of one name; a failure is reported and does not stop the run."""
        from benchmarks.results import Speed
        from benchmarks.table import row_line

        sys.stderr.write(f"measuring {name}\n")
        try:
            rows = work()
        except Exception as error:  # other rows can still be measured
            print_exc()
            rows = [Speed(name=name, what=name, peer="", problem=f"failed ({error!r})")]
        for row in rows:
            (self.speed if isinstance(row, Speed) else self.memory).append(row)  # type: ignore[arg-type]
            sys.stdout.write(row_line(row))
            sys.stdout.flush()
        self._keep()

    def _keep(self) -> None:
        values = {
            **self._about,
            "speed": [row.to_dict() for row in self.speed],
            "memory": [row.to_dict() for row in self.memory],
        }
        text = json.dumps(values, indent=2, ensure_ascii=False) + "\n"
        _write_whole(self._path, text)


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--quick", action="store_true", help="less data: to try the benchmarks")
    parser.add_argument(
        "--threads", type=int, default=2, help="threads that every tool may use (default: 2)"
    )
    parser.add_argument(
        "--json", type=Path, default=RESULTS, metavar="PATH", help=f"default: {RESULTS}"
    )
    return parser.parse_args()


def _measure(name: str, *, quick: bool) -> list[Speed | Memory]:
    """Measure the rows of one name."""
    from benchmarks import dropin, judgments, limits, nbest, significance, ten_million, tuning
    from benchmarks.cold import measure_cold
    from benchmarks.contests import compare
    from benchmarks.large import measure_large
    from benchmarks.peers import COMPARISONS

    corpus = _corpus()
    smaller = corpus.first(3, 300) if quick else corpus
    for comparison in COMPARISONS:
        if comparison.name == name:
            return [compare(comparison, smaller)]
    if name == "cold":
        return [measure_cold(corpus)]
    if name in dropin.NAMES:
        return [*dropin.measure_dropin(smaller)]
    if name in significance.NAMES:
        return [*significance.measure_significance(smaller, (name,), quick=quick)]
    if name in limits.NAMES:
        return [*limits.measure_limits((name,), quick=quick)]
    if name in tuning.NAMES:
        return [*tuning.measure_tuning(corpus, (name,), quick=quick)]
    if name in nbest.NAMES:
        speed, memory = nbest.measure_nbest(corpus, (name,), quick=quick)
    elif name in ten_million.NAMES:
        speed, memory = ten_million.measure_ten_million(quick=quick)
    elif name in judgments.NAMES:
        speed, memory = judgments.measure_judgments((name,), quick=quick)
    else:
        speed, memory = measure_large(50_000 if quick else 1_000_000)
    return [*speed, *memory]


@cache
def _corpus() -> Corpus:
    from benchmarks.data import load_corpus

    return load_corpus()


def _write_whole(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


if __name__ == "__main__":
    main()
