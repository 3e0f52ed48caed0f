"""Shells complete commands, options, names and files."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def completions(line: str) -> list[str]:
    """What bash is told could stand in place of the last word, each with its type."""
    words = line.split(" ")
    run = subprocess.run(
        [sys.executable, "-m", "truebleu"],
        env={
            **os.environ,
            "_TRUEBLEU_COMPLETE": "bash_complete",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words) - 1),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stderr == ""
    return run.stdout.split()


@pytest.mark.slow
def test_the_script_calls_truebleu_back() -> None:
    """As the reference says: eval "$(_TRUEBLEU_COMPLETE=bash_source truebleu)"."""
    run = subprocess.run(
        [sys.executable, "-m", "truebleu"],
        env={**os.environ, "_TRUEBLEU_COMPLETE": "bash_source"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "_TRUEBLEU_COMPLETE=bash_complete" in run.stdout


@pytest.mark.slow
def test_commands_are_completed() -> None:
    assert completions("truebleu com") == ["plain,compare"]
    assert completions("truebleu study po") == ["plain,power"]


@pytest.mark.slow
def test_options_and_their_values_are_completed() -> None:
    assert "plain,--format" in completions("truebleu compare --fo")
    assert completions("truebleu compare --format js") == ["plain,json"]


def test_arguments_are_completed_by_files() -> None:
    assert completions("truebleu score -r re") == ["file,re"]
    assert completions("truebleu score sys") == ["file,sys"]


def test_an_unknown_command_completes_quietly() -> None:
    assert completions("truebleu nonsense --x") == []
