"""Claims about ``truebleu demo``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from truebleu.cli.demo import demo_command as command
from truebleu.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


def demo(*arguments: str) -> str:
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert result.stderr == ""
    return result.stdout


@pytest.mark.slow
def test_chance_and_a_real_difference_with_its_cause_fit_one_screen() -> None:
    screen = demo()
    lines = screen.splitlines()
    assert len(lines) < 35
    assert max(map(len, lines)) <= 100
    output = " ".join(screen.split())
    chance, real = output.index("their difference is chance"), output.index("in sport only")
    assert "errors-15b and errors-15a can't be told apart" in output[chance:real]
    assert "weak-in-sport is worse than errors-15a by" in output[real:]
    assert "The difference varies by domain" in output[real:]
    assert ": sport is" in output[real:]


@pytest.mark.slow
def test_a_seed_repeats_the_demo() -> None:
    first, again, other = (demo("--segments", "40", "--seed", seed) for seed in ("5", "5", "6"))
    assert first == again
    assert first != other


def test_texts_and_report_are_written(tmp_path: Path) -> None:
    folder = tmp_path / "my demo"
    output = demo("--segments", "40", "--save", str(folder))
    assert f"open {folder / 'report.html'} in a browser" in " ".join(output.split())
    assert "<html" in (folder / "report.html").read_text(encoding="utf-8")
    assert len((folder / "weak-in-sport.txt").read_text(encoding="utf-8").splitlines()) == 40


def test_existing_files_are_refused_with_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["demo", "--segments", "20", "--save", str(tmp_path)]
    demo(*arguments[1:])
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "--force" in captured.err


def test_existing_files_are_replaced_with_force(tmp_path: Path) -> None:
    for segments in ("20", "27"):
        demo("--segments", segments, "--save", str(tmp_path), "--force")
    assert len((tmp_path / "errors-05.txt").read_text().splitlines()) == 27


@pytest.mark.parametrize("arguments", [["--segments", "0"], ["--seed", "-1"]], ids=str)
def test_impossible_settings_are_usage_errors(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["demo", *arguments])
    assert exit_.value.code == 2
