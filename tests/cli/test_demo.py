"""Claims about ``truebleu demo``."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from truebleu.cli.demo import command
from truebleu.cli.main import main, truebleu

if TYPE_CHECKING:
    from pathlib import Path


def demo(*arguments: str) -> str:
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert result.stderr == ""
    return result.stdout


def table(output: str) -> list[str]:
    return [line for line in output.splitlines() if line.startswith("errors-") and "." in line]


def test_it_shows_what_was_made_the_scores_and_what_to_notice() -> None:
    output = demo("--segments", "60")
    assert "60 segments" in output
    assert len(table(output)) == 4
    assert "That difference is chance." in output
    assert "truebleu demo --save demo" in output


def test_the_same_seed_shows_the_same_numbers() -> None:
    first, again, other = (demo("--segments", "40", "--seed", seed) for seed in ("5", "5", "6"))
    assert first == again
    assert table(first) != table(other)


def test_the_next_command_compares_the_saved_files(tmp_path: Path) -> None:
    output = demo("--segments", "40", "--save", str(tmp_path / "my demo"))
    _, *arguments = shlex.split(output.splitlines()[-1])
    assert arguments[0] == "compare"
    result = CliRunner().invoke(truebleu, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    best = max(table(output), key=lambda row: float(row.split()[1]))
    assert result.stdout.splitlines()[2].split()[:2] == best.split()[:2]


def test_existing_files_are_refused_with_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["demo", "--segments", "5", "--save", str(tmp_path)]
    demo(*arguments[1:])
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert "--force" in captured.err


def test_existing_files_are_replaced_with_force(tmp_path: Path) -> None:
    for segments in ("5", "7"):
        demo("--segments", segments, "--save", str(tmp_path), "--force")
    assert len((tmp_path / "errors-05.txt").read_text().splitlines()) == 7


@pytest.mark.parametrize("arguments", [["--segments", "0"], ["--seed", "-1"]], ids=str)
def test_impossible_settings_are_usage_errors(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["demo", *arguments])
    assert exit_.value.code == 2
