"""Progress bars on a terminal."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

from truebleu.schema import progress

if TYPE_CHECKING:
    import pytest


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_shows_how_far_the_work_has_come_and_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN", -1.0)
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress.progress_bar(4, "comparing") as advance:
        advance(2)
    half = f"\rcomparing {'█' * 15:<30}  50 %\033[K"
    assert stream.getvalue().endswith(f"{half}\r\033[K")


def test_a_bar_of_counted_steps_says_their_rate_and_the_time_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN", -1.0)
    times = iter([0.0, 0.0, 2.0, 150.0])
    monkeypatch.setattr(progress, "monotonic", lambda: next(times))
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress.progress_bar(400, "COMET", noun="texts") as advance:
        advance(100)
        advance(100)
    bars = [part.removesuffix("\033[K") for part in stream.getvalue().split("\r")]
    assert bars[2].endswith("25 % of 400 texts, 50 per second, 0:06 left")
    assert bars[3].endswith("50 % of 400 texts, 1.33 per second, 2:30 left")
