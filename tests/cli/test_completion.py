"""Shells complete commands, options, names and files."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from truebleu.cli.main import SHELLS, truebleu


def completions(line: str) -> list[str]:
    """What bash is told could stand in place of the last word, each with its type."""
    words = line.split(" ")
    run = subprocess.run(
        [sys.executable, "-m", "truebleu"],
        env={
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


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_calls_truebleu_back(shell: str) -> None:
    result = CliRunner().invoke(truebleu, ["completion", shell])
    assert result.exit_code == 0
    assert f"_TRUEBLEU_COMPLETE={shell}_complete" in result.output


# Not every machine has every shell.
@pytest.mark.parametrize("shell", [shell for shell in SHELLS if shutil.which(shell)])
def test_the_script_is_valid(shell: str) -> None:
    script = CliRunner().invoke(truebleu, ["completion", shell]).output
    subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_an_unknown_shell_is_refused() -> None:
    assert CliRunner().invoke(truebleu, ["completion", "tcsh"]).exit_code == 2


@pytest.mark.slow
def test_commands_are_completed() -> None:
    assert completions("truebleu com") == ["plain,compare", "plain,completion"]
    assert completions("truebleu study po") == ["plain,power"]


@pytest.mark.slow
def test_options_and_their_values_are_completed() -> None:
    assert "plain,--format" in completions("truebleu compare --fo")
    assert completions("truebleu compare --format js") == ["plain,json"]


def test_files_are_completed_where_nothing_else_is_known() -> None:
    assert completions("truebleu score -r re") == ["file,re"]
    assert completions("truebleu score sys") == ["file,sys"]


def test_an_unknown_command_completes_quietly() -> None:
    assert completions("truebleu nonsense --x") == []
