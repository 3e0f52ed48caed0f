"""``truebleu sacrebleu`` prints what ``sacrebleu`` prints, byte for byte."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "the old cat sat on the mat and looked at a small bird in the tree"


def write(path: Path, every: int, empty: bool = False) -> None:
    """Forty lines of which every so-many-th word is another one."""
    words = TEXT.split()
    lines = [
        " ".join("oh" if i * j % every == 1 else word for j, word in enumerate(words[: 5 + i % 9]))
        for i in range(40)
    ]
    if empty:
        lines[3] = ""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "ref1", 11)
    write(tmp_path / "ref2", 13)
    write(tmp_path / "a", 5, empty=True)
    write(tmp_path / "b", 7)
    return tmp_path


PLAIN = ["-c", "import sys, sacrebleu.sacrebleu as s; sys.argv[0] = 'sacrebleu'; s.main()"]
OURS = ["-m", "truebleu", "sacrebleu"]


def run(folder: Path, program: list[str], arguments: str, text: str = "") -> tuple[int, str, str]:
    result = subprocess.run(
        [sys.executable, *program, *arguments.split()],
        cwd=folder,
        input=text,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return result.returncode, result.stdout, result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        "ref1 -i a -m bleu chrf ter -w 6",
        "ref1 ref2 -i a b -m bleu chrf ter -f text",
        "ref1 -i a -m chrf --chrf-word-order 2 -lc -b",
        "ref1 -i a --sentence-level",
        "ref1 ref2 -i a --confidence -f text",
        "ref1 -i a b --paired-ar --paired-ar-n 500 -m bleu chrf",
        "ref1 ref2 -i a b --paired-bs --paired-bs-n 300 -m bleu -f latex",
        "ref1",
        "--version",
        "--help",
        "-t nothing -l en-de -i a",
    ],
)
def test_output_messages_and_status_are_sacrebleus(arguments: str, folder: Path) -> None:
    text = (folder / "b").read_text(encoding="utf-8")
    plain = run(folder, PLAIN, arguments, text)
    assert run(folder, OURS, arguments, text) == plain
    assert plain[1] or plain[0]


def test_the_bootstrap_of_chrf_is_written_as_json(folder: Path) -> None:
    """sacreBLEU itself can't with NumPy 2."""
    arguments = "ref1 -i a b --paired-bs --paired-bs-n 99 -m chrf -f json -q"
    status, output, _ = run(folder, OURS, arguments)
    assert status == 0
    assert '"p_value"' in output or "(p = " in output  # version 2.0 writes a table anyway


def test_a_missing_file_is_named_without_a_traceback(folder: Path) -> None:
    status, output, message = run(folder, OURS, "nothing -i a")
    assert (status, output) == (2, "")
    assert "nothing" in message
    assert "Traceback" not in message
