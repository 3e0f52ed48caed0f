"""A progress bar for work that takes more than a second, on a terminal only."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATIENCE_SECONDS = 1.0
WIDTH = 30


@contextmanager
def progress_bar(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with how much more is done; the bar goes when the work is over."""
    started, done, shown = monotonic(), 0, False

    def advance(more: int) -> None:
        nonlocal done, shown
        done += more
        if sys.stderr.isatty() and monotonic() - started > PATIENCE_SECONDS:
            share = min(1.0, done / max(total, 1))
            bar = "█" * round(WIDTH * share)
            sys.stderr.write(f"\r{what} {bar:<{WIDTH}} {100 * share:3.0f} %")
            sys.stderr.flush()
            shown = True

    try:
        yield advance
    finally:
        if shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
