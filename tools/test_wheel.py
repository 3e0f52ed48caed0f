"""Install a wheel as a user would, without a compiler, and test the installation.

    python tools/test_wheel.py dist

The wheel of a folder that fits this Python goes into an environment of its own, with ready-made
wheels of what it needs; there the smoke test runs, and those of the project's tests that need no
data and no other program. Every other Python from 3.10 on that is installed runs the main commands,
and must print the same digits. `make dist-check` and the workflow that builds wheels both call it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Tests of kernels against plain definitions, and of modules that every number passes through.
TESTS = ("tests/properties", "tests/test_resampling.py", "tests/simulation")
NEEDED = ("pytest", "hypothesis")


#: Main commands, on the files of `truebleu demo`.
TEXTS = ("-r", "reference-1.txt", "errors-15a.txt", "errors-30.txt")
COMMANDS = (
    ("score", *TEXTS, "-m", "bleu", "chrf", "ter", "--confidence"),
    ("compare", *TEXTS, "-m", "bleu", "chrf", "--documents", "documents.tsv", "-f", "json"),
    ("explain", *TEXTS, "--replicates", "500"),
    ("gate", "errors-05.txt", "--baseline", "errors-30.txt", "-r", "reference-1.txt"),
    ("plan", *TEXTS, "--difference", "1"),
)


def main(wheels: str) -> None:
    """Install, try, test."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scripts = installed(sys.executable, folder / "empty", wheels, NEEDED)
        call(str(scripts / "python"), str(ROOT / "tools" / "smoke_test.py"), folder=folder)
        call(str(scripts / "truebleu"), "demo", "--save", "demo", folder=folder)
        printed = answers(scripts, folder / "demo")
        for python in other_pythons():
            others = installed(python, folder / Path(python).name, wheels)
            if answers(others, folder / "demo") != printed:
                raise SystemExit(f"{python} prints other digits than {sys.executable}")
        pytest = ("-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider")
        call(str(scripts / "python"), *pytest, *TESTS)


def installed(python: str, folder: Path, wheels: str, needed: tuple[str, ...] = ()) -> Path:
    """Create an environment with the wheel, without compiling; return the folder of its scripts."""
    call(python, "-m", "venv", str(folder))
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    install: tuple[str, ...] = (str(scripts / "python"), "-m", "pip", "install", "--quiet")
    install += ("--disable-pip-version-check", "--find-links", wheels)
    call(*install, "--no-index", "--no-deps", "truebleu")
    call(*install, "--only-binary", ":all:", "truebleu", *needed)
    return scripts


def other_pythons() -> list[str]:
    """List the other installed Pythons from 3.10 on."""
    pythons = []
    for minor in range(10, 20):
        kept = sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python3.{minor}"))
        python = str(kept[-1]) if kept else shutil.which(f"python3.{minor}")
        if python is None or minor == sys.version_info.minor:
            continue
        if subprocess.run([python, "--version"], check=False).returncode == 0:
            pythons.append(python)
    return pythons


def answers(scripts: Path, folder: Path) -> list[str]:
    """Return the output of the main commands."""
    printed = []
    for command in COMMANDS:
        line = [str(scripts / "truebleu"), *command]
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(line)}: {done.stderr}")
        printed.append(done.stdout)
    return printed


def call(*command: str, folder: Path = ROOT) -> None:
    """Run a command, and end with its status where it fails."""
    print("$", *command, flush=True)
    status = subprocess.run(command, cwd=folder, check=False).returncode
    if status != 0:
        raise SystemExit(status)


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()))
