"""``python -m benchmarks``: measure, print tables, keep the numbers as JSON."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.results import Memory, Speed

RESULTS = Path(__file__).parent / "results" / "latest.json"
# Each of these tools asks one of them; all get the same number of threads.
THREAD_VARIABLES = ("TRUEBLEU_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS")
NAMES = (
    *("bleu", "chrf", "chrf++", "ter"),
    *("bleuscore", "nltk", "nist", "fast-bleu", "fastchrf", "jiwer"),
    *("large", "cold"),
    *("paired-bs", "paired-ar", "cold-compare"),
    *("agree-kendall", "agree-permutation", "agree-memory"),
    *("mbr-chrf", "mbr-chrf-pairs", "mbr-bleu", "mbr-large"),
)


def main() -> None:
    """Measure what was asked for; exit with 1 where scores disagree."""
    options = _parse_options()
    # Before anything is imported that reads them.
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(options.threads)))
    from benchmarks.machine import describe_machine
    from benchmarks.table import machine_lines, memory_table, speed_table

    machine = describe_machine(options.threads)
    speed, memory = _measure(options.only or NAMES, quick=options.quick)
    sys.stdout.write(machine_lines(machine) + "\n" + speed_table(speed))
    if memory:
        sys.stdout.write("\n" + memory_table(memory))
    found = {
        "machine": machine,
        "quick": options.quick,
        "speed": [row.to_dict() for row in speed],
        "memory": [row.to_dict() for row in memory],
    }
    _write_whole(options.json, json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    sys.exit(any(row.problem.startswith("scores differ") for row in speed))


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


def _measure(names: tuple[str, ...], *, quick: bool) -> tuple[list[Speed], list[Memory]]:
    from benchmarks.cold import measure_cold
    from benchmarks.contests import compare
    from benchmarks.data import load_corpus
    from benchmarks.judgments import measure_judgments
    from benchmarks.large import measure_large
    from benchmarks.nbest import measure_nbest
    from benchmarks.peers import COMPARISONS
    from benchmarks.significance import measure_significance

    corpus = load_corpus()
    smaller = corpus.first(3, 300) if quick else corpus
    speed: list[Speed] = []
    memory: list[Memory] = []
    for comparison in COMPARISONS:
        if comparison.name in names:
            _say(comparison.name)
            speed.append(compare(comparison, smaller))
    if "large" in names:
        _say("large")
        rows, memory = measure_large(50_000 if quick else 1_000_000)
        speed += rows
    if "cold" in names:
        _say("cold")
        speed.append(measure_cold(corpus))
    _say("paired tests")
    speed += measure_significance(smaller, names, quick=quick)
    _say("agreement with people")
    rows, more = measure_judgments(names, quick=quick)
    speed += rows
    _say("minimum Bayes risk")
    rows = measure_nbest(corpus, names, quick=quick)
    return speed + rows, memory + more


def _say(name: str) -> None:
    sys.stderr.write(f"measuring {name}\n")


def _write_whole(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


if __name__ == "__main__":
    main()
