"""Number of threads of the native code, which changes the time but no digit."""

from __future__ import annotations

import os

from truebleu import _core
from truebleu.errors import SettingError, shortened
from truebleu.schema import require_whole_number

THREADS_VARIABLE = "TRUEBLEU_THREADS"
MAX_THREADS = 1024
# Most threads per processor; threads that cannot run at once only cost time.
PER_PROCESSOR = 4
ALWAYS_ALLOWED = 16

_environment_used = False


def set_threads(threads: int) -> int:
    """Use `threads` threads from now on; 0 means one per processor.

    Returns:
        The number of threads that are used; it is limited, since too many would only be slower.

    >>> set_threads(2)
    2
    """
    global _environment_used
    require_whole_number("threads", threads, 0, MAX_THREADS)
    useful = max(ALWAYS_ALLOWED, PER_PROCESSOR * (os.cpu_count() or 1))
    _core.set_threads(min(threads, useful))
    _environment_used = True
    return _core.threads()


def use_environment() -> None:
    """Set the threads from TRUEBLEU_THREADS, unless `set_threads` was called before.

    Metrics call this before they count; importing a module does not read the environment.
    """
    global _environment_used
    if _environment_used:
        return
    text = os.environ.get(THREADS_VARIABLE)
    if text:
        # Python refuses to parse much longer integers.
        if not (text.isascii() and text.isdigit() and len(text) <= 10):
            raise SettingError(
                THREADS_VARIABLE, shortened(text), f"a whole number from 0 to {MAX_THREADS}"
            )
        set_threads(int(text))
    _environment_used = True
