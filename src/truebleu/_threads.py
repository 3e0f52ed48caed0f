"""How many threads the native code uses: changes the time, never a digit."""

from __future__ import annotations

import os

from truebleu import _core
from truebleu.errors import SettingError

VARIABLE = "TRUEBLEU_THREADS"
# Far more than helps anywhere; starting many thousands would take minutes.
MAX_THREADS = 1024


def set_threads(threads: int) -> None:
    """Use this many threads from now on; 0 means one per processor.

    >>> set_threads(2)
    """
    if not 0 <= threads <= MAX_THREADS:
        raise SettingError("threads", threads, f"a whole number from 0 to {MAX_THREADS}")
    _core.set_threads(threads)


def set_threads_from_environment() -> None:
    """Use as many threads as the environment variable TRUEBLEU_THREADS says, if it does."""
    text = os.environ.get(VARIABLE)
    if not text:
        return
    if not (text.isascii() and text.isdigit()):
        raise SettingError(VARIABLE, text, "a whole number from 0 up")
    set_threads(int(text))
