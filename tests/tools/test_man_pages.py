"""Manual pages: one for each command, with what its help says, and no request from a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.man_pages import main, roff

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_every_command_has_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(tmp_path)
    pages = {path.name for path in tmp_path.iterdir()}
    assert {"truebleu.1", "truebleu-score.1", "truebleu-study.1", "truebleu-study-power.1"} <= pages
    assert len(capsys.readouterr().out.splitlines()) == len(pages)
    gate = (tmp_path / "truebleu-gate.1").read_text(encoding="utf-8")
    assert "\n.TP\n.B \\-\\-margin D\n" in gate
    assert "Exit codes: 0 NEW passes, 1 NEW fails, 2 bad usage or bad input." in gate


def test_texts_never_become_requests() -> None:
    assert roff(".so /etc/passwd") == "\\&.so /etc/passwd"
    assert roff("a\\fBb") == "a\\efBb"
