"""How many threads the native code uses: changes the time, never a digit."""

from __future__ import annotations

import os

from truebleu import _core
from truebleu.errors import SettingError, shortened

VARIABLE = "TRUEBLEU_THREADS"
MAX_THREADS = 1024
# Threads that cannot run at once only wait for each other, and starting them takes time.
PER_PROCESSOR = 4
ALWAYS_ALLOWED = 16

_environment_used = False


def set_threads(threads: int) -> int:
    """Use this many threads from now on; 0 means one per processor.

    Returns:
        How many are used: many more than there are processors would only be slower.

    >>> set_threads(2)
    2
    """
    global _environment_used
    is_number = isinstance(threads, int) and not isinstance(threads, bool)
    if not (is_number and 0 <= threads <= MAX_THREADS):
        raise SettingError("threads", threads, f"a whole number from 0 to {MAX_THREADS}")
    useful = max(ALWAYS_ALLOWED, PER_PROCESSOR * (os.cpu_count() or 1))
    _core.set_threads(min(threads, useful))
    _environment_used = True
    return _core.threads()


def use_environment() -> None:
    """Use as many threads as TRUEBLEU_THREADS says, unless `set_threads` was called before.

    Metrics call this before they count: importing a module reads no environment.
    """
    global _environment_used
    if _environment_used:
        return
    text = os.environ.get(VARIABLE)
    if text:
        # Of more digits Python makes no number at all.
        if not (text.isascii() and text.isdigit() and len(text) <= 10):
            raise SettingError(VARIABLE, shortened(text), f"a whole number from 0 to {MAX_THREADS}")
        set_threads(int(text))
    _environment_used = True
