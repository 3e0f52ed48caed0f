"""Faults at fixed moments: what is stopped or killed leaves whole lines, and goes on from them."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from tests.robustness.running import COMMAND, PATIENCE, run

STUDY = (
    *("study", "coverage", "-r", "ref.txt", "good.txt", "--sizes", "5,10,15,20"),
    *("--samples", "40", "--replicates", "100", "--seed", "3"),
)
JOURNAL = ("--resume", "journal.jsonl")
STOPPED = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]


def begun(folder: Path, *more: str) -> subprocess.Popen[bytes]:
    """The study with a journal, running."""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}

    def heed() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)

    command = [*COMMAND, *STUDY, *JOURNAL, *more]
    return subprocess.Popen(command, cwd=folder, preexec_fn=heed, **pipes)


def wait_for_lines(journal: Path, lines: int, process: subprocess.Popen[bytes]) -> None:
    """Until the journal has so many lines, or the study is over."""
    while process.poll() is None:
        if journal.exists() and journal.read_bytes().count(b"\n") >= lines:
            return
        sleep(0.005)


@pytest.fixture(scope="module")
def expected(texts: Path) -> bytes:
    """What the study says without a journal and without a fault."""
    result = run(*STUDY, "-f", "json", folder=texts)
    assert result.returncode == 0
    return result.stdout


@pytest.mark.parametrize("lines", [1, 3])
@pytest.mark.parametrize("number", STOPPED, ids=lambda number: number.name)
def test_a_stopped_study_goes_on_to_the_same_bytes(
    number: signal.Signals, lines: int, own_texts: Path, expected: bytes
) -> None:
    journal = own_texts / "journal.jsonl"
    with begun(own_texts) as process:
        wait_for_lines(journal, lines, process)
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    # The last line may have been written before the signal came.
    if process.returncode != 0:
        assert process.returncode in (128 + number, -number)
        assert (out, err) == (b"", b"")
    assert all(json.loads(line) for line in journal.read_bytes().splitlines())
    assert not [path for path in own_texts.iterdir() if path.name.startswith(".")]
    resumed = run(*STUDY, *JOURNAL, "-f", "json", folder=own_texts)
    assert (resumed.returncode, resumed.stdout, resumed.stderr) == (0, expected, b"")


@pytest.mark.slow
def test_a_killed_worker_changes_nothing(own_texts: Path, expected: bytes) -> None:
    """One of the two processes is killed after the first line of the journal."""
    with begun(own_texts, "--processes", "2", "-f", "json") as process:
        wait_for_lines(own_texts / "journal.jsonl", 2, process)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for child in children[-1:]:
            os.kill(int(child), signal.SIGKILL)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (0, expected, b"")


@pytest.mark.parametrize("size", [1, 500, 1500, 2500])
def test_a_journal_on_a_full_disk_has_whole_lines_and_goes_on(
    size: int, own_texts: Path, expected: bytes
) -> None:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    result = run(*STUDY, *JOURNAL, folder=own_texts, preexec_fn=limit)
    journal = own_texts / "journal.jsonl"
    lines = journal.read_bytes() if journal.exists() else b""
    if result.returncode == 0:
        assert size >= len(lines)
    else:
        assert (result.returncode, result.stdout) == (2, b"")
        assert b"journal.jsonl: cannot be written: " in result.stderr
        assert b"Traceback" not in result.stderr
    assert lines == b"" or lines.endswith(b"\n")
    if lines == b"":
        journal.unlink(missing_ok=True)
    resumed = run(*STUDY, *JOURNAL, "-f", "json", folder=own_texts)
    assert (resumed.returncode, resumed.stdout) == (0, expected)


@pytest.mark.parametrize(
    "command",
    [
        ("score", "-r", "ref.txt", "good.txt", "--save", "out/saved.npz"),
        ("sample", "-r", "ref.txt", "good.txt", "--size", "30", "-o", "out"),
        ("report", "-r", "ref.txt", "good.txt", "bad.txt", "-o", "out/page.html"),
    ],
    ids=lambda command: command[0],
)
def test_files_on_a_full_disk_are_absent(command: tuple[str, ...], own_texts: Path) -> None:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))

    (own_texts / "out").mkdir()
    result = run(*command, folder=own_texts, preexec_fn=limit)
    assert (result.returncode, result.stdout) == (2, b"")
    assert f"error: {command[-1]}: cannot be written: File too large" in result.stderr.decode()
    assert list((own_texts / "out").iterdir()) == []
