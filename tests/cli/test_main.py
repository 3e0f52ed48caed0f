"""The command ``truebleu`` itself: help, unknown commands, and what happens on a crash."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from tests.cli.shell import run
from truebleu.cli import main as cli
from truebleu.errors import SettingError


def test_help_lists_every_command() -> None:
    result = CliRunner().invoke(cli.truebleu, ["--help"])
    assert result.exit_code == 0
    for name in cli.COMMANDS:
        assert f"  {name} " in result.stdout


def test_every_command_has_help_of_its_own() -> None:
    for name in cli.COMMANDS:
        result = CliRunner().invoke(cli.truebleu, [name, "--help"])
        assert result.exit_code == 0, name


@pytest.mark.parametrize("group", [[], ["study"], ["nbest"]])
def test_a_group_without_a_command_shows_its_help(group: list[str]) -> None:
    result = run(*group)
    helped = run(*group, "--help")
    assert helped.code == 0
    assert (result.out or result.err).rstrip() == helped.out.rstrip()


def test_an_unknown_command_gets_the_nearest_one() -> None:
    result = CliRunner().invoke(cli.truebleu, ["compair"])
    assert result.exit_code == 2
    assert "Did you mean 'compare'?" in result.stderr


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (SettingError("x", 1, "2"), 2, "error: x: 1; expected 2"),
        (OSError(28, "No space left on device", "out.json"), 2, "error: out.json: No space left"),
        (RuntimeError("oops"), 70, "please report it"),
    ],
)
def test_errors_become_exit_codes(
    error: Exception,
    status: int,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(click.Group, "invoke", fail)
    with pytest.raises(SystemExit) as stopped:
        cli.main(["list"])
    assert stopped.value.code == status
    assert message in capsys.readouterr().err


def test_an_interruption_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(click.Group, "invoke", interrupt)
    with pytest.raises(SystemExit) as stopped:
        cli.main(["gate"])
    assert stopped.value.code == 130
