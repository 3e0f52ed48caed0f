"""Installs a wheel as a user would, without a compiler, and tests what was installed.

    python tools/test_wheel.py dist

The wheel of a folder that fits this Python goes into an environment of its own, with ready-made
wheels of what it needs; there the smoke test runs, and those of the project's tests that need no
data and no other program. `make dist-check` and the workflow that builds wheels both call it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Kernels against plain definitions, and what every number goes through.
TESTS = ("tests/properties", "tests/test_resampling.py", "tests/simulation")
NEEDED = ("pytest", "hypothesis")


def main(wheels: str) -> None:
    """Install, try, test."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        call(sys.executable, "-m", "venv", str(folder / "empty"))
        scripts = folder / "empty" / ("Scripts" if os.name == "nt" else "bin")
        python = str(scripts / "python")
        install = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        call(*install, "--no-index", "--no-deps", "--find-links", wheels, "truebleu")
        # What it depends on, and nothing that would have to be compiled.
        call(*install, "--only-binary", ":all:", "--find-links", wheels, "truebleu", *NEEDED)
        call(python, str(ROOT / "tools" / "smoke_test.py"), folder=folder)
        call(str(scripts / "truebleu"), "demo", folder=folder)
        call(python, "-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider", *TESTS)


def call(*command: str, folder: Path = ROOT) -> None:
    """Run a command, and end with its status where it fails."""
    print("$", *command, flush=True)
    status = subprocess.run(command, cwd=folder, check=False).returncode
    if status != 0:
        raise SystemExit(status)


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()))
