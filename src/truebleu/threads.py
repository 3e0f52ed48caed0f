"""How many threads the native code uses: changes the time, never a digit."""

from __future__ import annotations

import os

from truebleu import _core
from truebleu.errors import SettingError

VARIABLE = "TRUEBLEU_THREADS"


def set_threads(threads: int) -> None:
    """Use this many threads from now on; 0 means one per processor.

    >>> set_threads(2)
    """
    if threads < 0:
        raise SettingError("threads", threads, "a whole number from 0 up")
    _core.set_threads(threads)


def set_threads_from_environment() -> None:
    """Use as many threads as the environment variable TRUEBLEU_THREADS says, if it does."""
    text = os.environ.get(VARIABLE)
    if not text:
        return
    if not (text.isascii() and text.isdigit()):
        raise SettingError(VARIABLE, text, "a whole number from 0 up")
    set_threads(int(text))
