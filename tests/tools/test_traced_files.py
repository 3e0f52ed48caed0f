"""What a reader of a command has to open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("command", "most"), [("score", 12), ("compare", 20)])
def test_a_command_on_plain_text_runs_through_few_files(
    tmp_path: Path, command: str, most: int
) -> None:
    reference, output = tmp_path / "reference", tmp_path / "output"
    reference.write_text("the cat sat on the mat\n" * 20)
    output.write_text("a cat is on the mat\n" * 20)
    systems = [str(reference), str(output)][-1 if command == "score" else 0 :]
    traced = subprocess.run(
        [sys.executable, "-m", "tools.traced_files", "--", command, "-r", str(reference), *systems],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    _, *files = traced.stdout.splitlines()
    followed = [line for line in files if line.strip() and "while importing" not in line]
    assert 0 < len(followed) <= most, traced.stdout
