"""Full disks and closed streams: output is whole or an error, and 1 is only ever a gate's no."""

from __future__ import annotations

import os
import resource
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.robustness.running import COMMAND, PATIENCE, run
from truebleu.counts import read_counts

if TYPE_CHECKING:
    from pathlib import Path

SCORE = ("score", "-r", "ref.txt", "good.txt")
COMPARE = ("compare", "-r", "ref.txt", "good.txt", "bad.txt", "--replicates", "1000")
PASSING = ("gate", "good.txt", "--baseline", "bad.txt", "-r", "ref.txt")
FAILING = ("gate", "bad.txt", "--baseline", "good.txt", "-r", "ref.txt")
REFUSED = ("gate", "nowhere.txt", "--baseline", "good.txt", "-r", "ref.txt")

needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
either = pytest.mark.parametrize("unbuffered", [False, True], ids=["buffered", "unbuffered"])


@needs_full
@either
@pytest.mark.parametrize(
    "arguments", [SCORE, FAILING, ("--help",), ("--version",)], ids=lambda a: a[0]
)
def test_a_full_disk_is_an_error(arguments: tuple[str, ...], unbuffered: bool, texts: Path) -> None:
    with open("/dev/full", "wb") as full:
        result = run(*arguments, folder=texts, unbuffered=unbuffered, stdout=full)
    assert (result.returncode, result.stderr) == (
        2,
        b"error: standard output: No space left on device\n",
    )


@either
def test_a_disk_that_fills_up_half_way_is_an_error(unbuffered: bool, own_texts: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    with (own_texts / "out.json").open("wb") as file:
        result = run(
            *SCORE, "--per-segment", "-f", "json", folder=own_texts, unbuffered=unbuffered,
            stdout=file, preexec_fn=limit,
        )  # fmt: skip
    assert (own_texts / "out.json").stat().st_size == 1000
    assert (result.returncode, result.stderr) == (2, b"error: standard output: File too large\n")


@needs_full
@either
@pytest.mark.parametrize(
    ("arguments", "status"), [(PASSING, 0), (FAILING, 1), (REFUSED, 2), (("gate", "--no"), 2)]
)
def test_a_full_disk_for_messages_never_looks_like_a_no(
    arguments: tuple[str, ...], status: int, unbuffered: bool, texts: Path
) -> None:
    with open("/dev/full", "wb") as full:
        result = run(*arguments, folder=texts, unbuffered=unbuffered, stderr=full)
    assert result.returncode == status


def run_in_shell(texts: Path, arguments: tuple[str, ...], redirection: str) -> tuple[int, bytes]:
    """Exit status and output with some stream closed, as only a shell can close it."""
    command = f'exec "$@" {redirection}'
    result = subprocess.run(
        ["sh", "-c", command, "sh", *COMMAND, *arguments],
        cwd=texts,
        env=dict(os.environ),  # and not what readline has put beside it
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    return result.returncode, result.stdout


@pytest.mark.parametrize("arguments", [SCORE, PASSING, FAILING, ("--help",)], ids=lambda a: a[0])
def test_a_closed_output_is_an_error(arguments: tuple[str, ...], texts: Path) -> None:
    assert run_in_shell(texts, arguments, ">&-")[0] == 2
    assert run_in_shell(texts, arguments, ">&- 2>&-")[0] == 2


@pytest.mark.parametrize(
    ("arguments", "status"), [(SCORE, 0), (COMPARE, 0), (PASSING, 0), (FAILING, 1), (REFUSED, 2)]
)
def test_closed_messages_change_neither_the_output_nor_the_status(
    arguments: tuple[str, ...], status: int, texts: Path
) -> None:
    expected = run(*arguments, folder=texts)
    assert expected.returncode == status
    assert run_in_shell(texts, arguments, "2>&-") == (status, expected.stdout)


def test_a_file_that_is_written_does_not_become_a_closed_stream(own_texts: Path) -> None:
    """With standard input and errors closed, the next files opened would get their numbers."""
    arguments = (*SCORE, "--save", "saved.npz")
    status, _ = run_in_shell(own_texts, arguments, "<&- 2>&-")
    assert status == 0
    assert read_counts(own_texts / "saved.npz").outline.segments > 0


@either
@pytest.mark.parametrize("arguments", [(*SCORE, "--per-segment"), ("--help",)], ids=lambda a: a[0])
def test_a_closed_pipe_is_quiet(arguments: tuple[str, ...], unbuffered: bool, texts: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        result = run(*arguments, folder=texts, unbuffered=unbuffered, stdout=writer)
    finally:
        os.close(writer)
    assert (result.returncode, result.stderr) == (141, b"")


def test_a_closed_input_is_said(texts: Path) -> None:
    status, _ = run_in_shell(texts, ("score", "-r", "ref.txt", "-"), "<&-")
    assert status == 2


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("yes |", b"-: more than 10,000,000 bytes; expected at most 10,000,000 bytes; "),
        ("exec < /dev/zero;", b"-: an endless device; expected a file"),
    ],
)
def test_an_input_without_end_is_refused(source: str, message: bytes, texts: Path) -> None:
    """In 4 GB of memory at most: more would be a fault."""
    command = f'ulimit -v 4000000; {source} "$@"'
    result = subprocess.run(
        ["sh", "-c", command, "sh", *COMMAND, "score", "-r", "ref.txt", "-"],
        cwd=texts,
        env={**os.environ, "TRUEBLEU_MAX_BYTES": "10000000"},
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (result.returncode, result.stdout) == (2, b"")
    assert message in result.stderr
