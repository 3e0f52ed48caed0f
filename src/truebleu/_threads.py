"""How many threads the native code uses: changes the time, never a digit."""

from __future__ import annotations

import os

from truebleu import _core
from truebleu.errors import SettingError

VARIABLE = "TRUEBLEU_THREADS"
# Far more than helps anywhere; starting many thousands would take minutes.
MAX_THREADS = 1024

_environment_used = False


def set_threads(threads: int) -> None:
    """Use this many threads from now on; 0 means one per processor.

    >>> set_threads(2)
    """
    global _environment_used
    is_number = isinstance(threads, int) and not isinstance(threads, bool)
    if not (is_number and 0 <= threads <= MAX_THREADS):
        raise SettingError("threads", threads, f"a whole number from 0 to {MAX_THREADS}")
    _core.set_threads(threads)
    _environment_used = True


def use_environment() -> None:
    """Use as many threads as TRUEBLEU_THREADS says, unless `set_threads` was called before.

    Metrics call this before they count: importing a module reads no environment.
    """
    global _environment_used
    if _environment_used:
        return
    text = os.environ.get(VARIABLE)
    if text:
        if not (text.isascii() and text.isdigit()):
            raise SettingError(VARIABLE, text, "a whole number from 0 up")
        set_threads(int(text))
    _environment_used = True
