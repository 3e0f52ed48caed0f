"""Outputs: whole or absent, and never in the place of an input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from truebleu.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

STUDY = ("study", "coverage", "-r", "ref.txt", "good.txt", "--sizes", "10")


@pytest.mark.parametrize(
    "arguments",
    [
        ("sample", "good.txt", "-r", "ref.txt", "--size", "5", "-o", ".", "--force"),
        ("score", "-r", "ref.txt", "good.txt", "--save", "link.npz", "--force"),
        (*STUDY, "--samples", "5", "--resume", "j.json", "--chart", "j.json", "--force"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_no_output_takes_the_place_of_an_input(
    arguments: tuple[str, ...],
    own_texts: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(own_texts)
    (own_texts / "link.npz").hardlink_to(own_texts / "ref.txt")
    before = {path.name: path.read_bytes() for path in own_texts.iterdir()}
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    message = capsys.readouterr().err
    assert "expected an output that is not an input" in message or "pip install altair" in message
    assert {name: (own_texts / name).read_bytes() for name in before} == before
