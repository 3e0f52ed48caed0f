"""The oldest Python that the package promises gives the same digits as this one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEEDED = ("click", "defusedxml", "numpy", "scipy")
TEXTS = ["-r", "reference-1.txt", "errors-15a.txt", "weak-in-sport.txt"]
COMMANDS = (
    ["score", *TEXTS, "-m", "bleu", "chrf", "ter", "--confidence", "-f", "json"],
    ["compare", *TEXTS, "-m", "bleu", "chrf", "--documents", "documents.tsv"],
    ["explain", *TEXTS, "--replicates", "500"],
    ["gate", "errors-05.txt", "--baseline", "errors-30.txt", "-r", "reference-1.txt"],
)
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"}


def oldest() -> str | None:
    """Python 3.10 where it is installed, by itself or by pyenv."""
    versions = sorted(Path.home().glob(".pyenv/versions/3.10.*/bin/python3.10"))
    found = str(versions[-1]) if versions else shutil.which("python3.10")
    if found is None or subprocess.run([found, "--version"], check=False).returncode:
        return None
    return found


def environment(folder: Path) -> str:
    """Python 3.10 with what the package needs, in a folder."""
    interpreter = oldest()
    if interpreter is None:
        pytest.skip("Python 3.10 is not installed")
    subprocess.run([interpreter, "-m", "venv", str(folder)], check=True)
    executable = str(folder / "bin" / "python")
    install = [executable, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *NEEDED]
    if subprocess.run(install, check=False).returncode:
        assert not os.environ.get("CI"), "what the package needs can't be installed"
        pytest.skip("no package registry answers")
    return executable


def run(python: str, folder: Path, *arguments: str) -> str:
    command = [python, "-m", "truebleu", *arguments]
    result = subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the paths of an environment differ there")
def test_the_oldest_python_prints_the_same_and_writes_a_report(tmp_path: Path) -> None:
    python = environment(tmp_path / "oldest")
    run(sys.executable, tmp_path, "demo", "--save", ".", "--segments", "120", "--force")
    for command in COMMANDS:
        here = run(sys.executable, tmp_path, *command)
        assert run(python, tmp_path, *command) == here
        assert "json" not in command or json.loads(here)["systems"]
    run(python, tmp_path, "report", *TEXTS, "-o", "page.html")
    assert "</html>" in (tmp_path / "page.html").read_text(encoding="utf-8")
