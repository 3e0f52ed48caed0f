"""Standard streams: nothing that should be written is lost in silence, nothing foreign gets out.

A full disk is an error, and so is an output that was closed before the program began. A reader
that has enough closes its pipe, and that is no error of ours.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from truebleu.errors import UnreadableFileError
from truebleu.reports.document import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


class Stopped(BaseException):
    """The program was told to end; raised where it stands, so that it tidies up."""

    def __init__(self, number: int) -> None:
        super().__init__(number)


def say(line: str) -> None:
    """Write one line to standard error, with control characters as escapes that can be read."""
    if sys.stderr is not None:
        sys.stderr.write(one_line(line) + "\n")
        sys.stderr.flush()


def prepare() -> None:
    """Make the streams fit for use; raises UnreadableFileError where there is no output."""
    has_output = sys.stdout is not None
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _fill_descriptors()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if not has_output:
        raise UnreadableFileError("standard output", "cannot be written: it is closed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        # The escapes of file names that are not UTF-8 look like JSON's own, so JSON stays valid.
        encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
        if isinstance(sys.stdout.buffer, io.RawIOBase):
            sys.stdout = _buffered(sys.stdout, encoding)
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")


def _fill_descriptors() -> None:
    """Open the null device in place of streams that were closed.

    Otherwise the next file that is opened would become standard output or standard error.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)


def _buffered(stream: io.TextIOWrapper, encoding: str) -> io.TextIOWrapper:
    """The stream through a buffer: without one, Python drops what a write leaves over."""
    raw = io.FileIO(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, write_through=False)


def flush() -> None:
    """Write what is still held back; raises OSError where that fails."""
    if sys.stdout is not None:
        sys.stdout.flush()


def discard(stream: TextIO | None) -> None:
    """Send what is left of a stream nowhere: Python must not fail again when it closes it."""
    with suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())  # type: ignore[union-attr]
        os.close(null)


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Raise Stopped at SIGTERM and SIGHUP; one that is ignored, as by nohup, stays ignored."""
    before = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Only the main thread may set handlers.
        with suppress(ValueError):
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, _stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, _frame: FrameType | None) -> None:
    raise Stopped(number)
