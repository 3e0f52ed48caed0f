"""Progress on a terminal, and notes on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Function that returns True if nothing may be written to standard error.
is_silent: Callable[[], bool] = lambda: False  # noqa: E731
#: Seconds between two drawings, and width of the bar.
SECONDS_BETWEEN, WIDTH = 0.1, 30


@contextmanager
def progress_bar(
    total: int, action: str, *, noun: str = "", share: Callable[[], float | None] | None = None
) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on a terminal until the work ends; yield a function to advance it.

    Args:
        total: number of steps; 0 if the work has no steps to count.
        action: participle before the bar, such as "reading".
        noun: plural of the steps, to show their number, their rate and the time left.
        share: function that returns the share that is done, if steps do not tell.
    """
    if sys.stderr is None or not sys.stderr.isatty() or is_silent():
        yield lambda _more: None
        return
    began, done, last_drawing = monotonic(), 0, 0.0

    def advance(more: int) -> None:
        nonlocal done, last_drawing
        done += more
        now = monotonic()
        if now - last_drawing <= SECONDS_BETWEEN:
            return
        last_drawing = now
        part = share() if share is not None else min(1.0, done / total) if total else None
        bar = "…" if part is None else f"{'█' * round(WIDTH * part):<{WIDTH}} {100 * part:3.0f} %"
        if noun and done:
            rate = done / max(now - began, 1e-9)
            minutes, seconds = divmod(round((total - done) / rate), 60)
            bar += f" of {total:,} {noun}, {rate:.3g} per second, {minutes}:{seconds:02} left"
        sys.stderr.write(f"\r{action} {bar}\033[K")
        sys.stderr.flush()

    advance(0)
    try:
        yield advance
    finally:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


def notify(text: str) -> None:
    """Write a note to standard error, unless that is silent."""
    if sys.stderr is not None and not is_silent():
        sys.stderr.write(f"note: {text}\n")
        sys.stderr.flush()
