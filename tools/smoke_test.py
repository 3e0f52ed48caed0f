"""Try an installed truebleu: first steps of a user, from the command line and from Python.

    python tools/smoke_test.py

The script needs only the package; it prints its steps and fails with the error. Run it outside
the source tree's `src`, so that it tries the installed package.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*arguments: str, folder: Path) -> str:
    """Return the output of a command; raises SystemExit with its error if it failed."""
    command = [sys.executable, "-m", "truebleu", *arguments]
    result = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if result.returncode != 0:
        raise SystemExit(
            f"truebleu {' '.join(arguments)}: exit {result.returncode}\n{result.stderr}"
        )
    print("ok: truebleu", *arguments)
    return result.stdout


def main() -> None:
    """Simulate, score, compare, gate; then score from Python and compare the numbers."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run("--version", folder=folder)
        run("demo", "--segments", "200", "--save", "d", folder=folder)
        systems = sorted(path.name for path in (folder / "d").glob("errors-*.txt"))
        texts = [f"d/{system}" for system in systems]
        scored = run("score", *texts, "-r", "d/reference-1.txt", "-f", "json", folder=folder)
        run("compare", *texts, "-r", "d/reference-1.txt", "--replicates", "1000", folder=folder)
        run("gate", texts[0], "--baseline", texts[-1], "-r", "d/reference-1.txt", folder=folder)
        from truebleu import BLEU

        reference = (folder / "d/reference-1.txt").read_text(encoding="utf-8").splitlines()
        output = (folder / texts[0]).read_text(encoding="utf-8").splitlines()
        by_python = float(BLEU().corpus(output, [reference]))
        by_command = json.loads(scored)["systems"][0]["scores"]["BLEU"]["score"]
        if by_python != by_command:
            raise SystemExit(f"Python says {by_python}, the command {by_command}")
        print(f"ok: BLEU {by_python:.2f} by both")


if __name__ == "__main__":
    main()
