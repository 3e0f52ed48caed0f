"""One job in a separate process: ``python -m benchmarks.probe JOB REFERENCE SYSTEM SEGMENTS``.

Prints the seconds that scoring took, the peak memory before and after it, and the score, as JSON.
"""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.memory import peak_memory

if TYPE_CHECKING:
    from collections.abc import Callable


def from_files(reference: Path, system: Path, _segments: int) -> Callable[[], float]:
    """Run the command ``truebleu score``, from its import to its last line."""

    def run() -> float:
        from truebleu.cli.main import truebleu

        arguments = ["score", "-r", str(reference), str(system), "--format", "json"]
        # A few simulated segments have lost all their words, which the command warns about.
        with redirect_stdout(StringIO()) as printed, redirect_stderr(StringIO()):
            truebleu(arguments, standalone_mode=False)
        (scored,) = json.loads(printed.getvalue())["systems"]
        return float(scored["scores"]["BLEU"]["score"])

    return run


def from_lists(reference: Path, system: Path, segments: int) -> Callable[[], float]:
    """Run ``truebleu.score`` on lists of str."""
    import truebleu
    from benchmarks.data import read_lines

    references, outputs = (read_lines(path, segments) for path in (reference, system))
    return lambda: truebleu.score(outputs, references)["system"]["BLEU"].score


def sacrebleu_from_lists(reference: Path, system: Path, segments: int) -> Callable[[], float]:
    """Run sacreBLEU's metric object on lists of str."""
    from sacrebleu.metrics.bleu import BLEU

    from benchmarks.data import read_lines

    references, outputs = (read_lines(path, segments) for path in (reference, system))
    return lambda: float(BLEU().corpus_score(outputs, [references]).score)


JOBS = {"files": from_files, "lists": from_lists, "sacrebleu": sacrebleu_from_lists}


def main() -> None:
    """Prepare, score, report."""
    job, reference, system, segments = sys.argv[1:]
    run = JOBS[job](Path(reference), Path(system), int(segments))
    before = peak_memory()
    started = perf_counter()
    score = run()
    seconds = perf_counter() - started
    found = {"seconds": seconds, "before": before, "peak": peak_memory(), "score": score}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
