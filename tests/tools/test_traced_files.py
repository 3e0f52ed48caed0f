"""The files that a command runs through are listed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_command_is_traced_through_the_files_that_it_runs(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("the cat sat on the mat\n" * 20)
    traced = subprocess.run(
        [sys.executable, "-m", "tools.traced_files", "--", "score", "-r", str(text), str(text)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    _, *files = traced.stdout.splitlines()
    followed = [line for line in files if "while importing" not in line]
    assert any("significance/scores.py" in line for line in followed)
    assert not any("significance/compare.py" in line for line in followed)
