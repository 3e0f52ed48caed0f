"""Command line from a cold start: one system, as users run it."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.agreement import DisagreementError, require_agreement
from benchmarks.peers import installed
from benchmarks.results import Speed
from benchmarks.timing import race

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.data import Corpus

NAME = "cold"
# Both have to start Python, which bounds the ratio.
BAR = 4.0


def measure_cold(corpus: Corpus) -> Speed:
    """Measure ``truebleu score`` and ``sacrebleu``, each in a new process."""
    what = f"BLEU, command line, {corpus.first(1, len(corpus.reference)).size}"
    tools = Path(sys.executable).parent
    peer = installed("sacrebleu")
    if peer is None:
        return Speed(name=NAME, what=what, peer="sacrebleu", problem="not installed")
    with TemporaryDirectory() as folder:
        reference, (system,) = _write(corpus.first(1, len(corpus.reference)), Path(folder))
        ours = [str(tools / "truebleu"), "score", "-r", reference, system]
        theirs = [str(tools / "sacrebleu"), reference, "-i", system]
        try:
            _check(ours, theirs)
        except DisagreementError as error:
            return Speed(name=NAME, what=what, peer=peer, problem=f"scores differ ({error})")
        times = race({"ours": lambda: _output(ours), "peer": lambda: _output(theirs)}, rounds=10)
    return Speed.raced(
        times,
        name=NAME,
        what=what,
        peer=peer,
        bar=BAR,
        note="whole processes: starting Python, importing, reading, scoring, printing",
    )


def race_paired_tests(
    corpus: Corpus, ours: Sequence[str] = (), theirs: Sequence[str] = ("--paired-ar",)
) -> dict[str, float]:
    """Time processes: ``truebleu compare``, ``sacrebleu``, and processes that set limits.

    Args:
        corpus: corpus with the systems to compare; the first is sacreBLEU's baseline.
        ours: options of truebleu; "baseline" are its times with the same baseline, "all pairs"
            those of all pairs of systems.
        theirs: options of sacreBLEU.
    """
    tools = Path(sys.executable).parent
    with TemporaryDirectory() as folder:
        reference, systems = _write(corpus, Path(folder))
        compare = [str(tools / "truebleu"), "compare", "-r", reference, *systems, *ours]
        commands = {
            "baseline": [*compare, "--baseline", Path(systems[0]).name],
            "all pairs": compare,
            "peer": [str(tools / "sacrebleu"), reference, "-i", *systems, "-m", "bleu", *theirs],
            "imports": [sys.executable, "-c", "import click, numpy"],
            "Python": [sys.executable, "-c", "pass"],
        }
        return race({name: partial(_output, each) for name, each in commands.items()}, rounds=3)


def _write(corpus: Corpus, folder: Path) -> tuple[str, list[str]]:
    texts = [corpus.reference, *corpus.systems.values()]
    paths = [folder / f"text-{number}" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes("".join(f"{line}\n" for line in text).encode())
    reference, *systems = map(str, paths)
    return reference, systems


def _check(ours: Sequence[str], theirs: Sequence[str]) -> None:
    # More digits than either tool prints by default, for the same work.
    (system,) = json.loads(_output([*ours, "--format", "json"]))["systems"]
    score = json.loads(_output([*theirs, "-w", "12"]))["score"]
    require_agreement([round(system["scores"]["BLEU"]["score"], 12)], [score], "sacrebleu")


def _output(command: Sequence[str]) -> bytes:
    return subprocess.run(command, check=True, capture_output=True).stdout
