"""``truebleu sacrebleu`` hands its arguments to the drop-in as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ref").write_text("the cat sat on the mat\n")
    (tmp_path / "out").write_text("the cat sat on a mat\n")
    monkeypatch.chdir(tmp_path)


def test_options_are_those_of_sacrebleu() -> None:
    result = run("sacrebleu", "ref", "-i", "out", "-b", "-w", "2")
    assert (result.code, result.out) == (0, "53.73\n")


def test_help_is_that_of_sacrebleu() -> None:
    result = run("sacrebleu", "--help")
    assert result.code == 0
    assert "--short" in result.out


def test_errors_end_with_a_code_that_is_not_0() -> None:
    assert run("sacrebleu", "missing", "-i", "out").code != 0
