"""A journal: the results of a study so far, kept line by line so that none is ever lost.

The first line, the header, says what is studied: the study, its settings, its texts. Each further
line is a finished task, its key, its record and a checksum of both, forced to the disk as it comes.
Whatever stops a study leaves whole lines and perhaps a part of one, which is dropped. A study that
is resumed reads them and does the rest. Wherever tasks run, this process alone writes the journal.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass
from errno import ENOSPC
from typing import TYPE_CHECKING, Any, TypeAlias
from zlib import crc32

from truebleu._core import VERSION
from truebleu.errors import ExecutionError, MalformedFileError, SettingError, UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Executor
    from pathlib import Path

__all__ = ["Runner", "Task"]

Key: TypeAlias = tuple[str | int | float, ...]
#: Plain values only: what JSON gives back as it was.
Record: TypeAlias = dict[str, Any]
#: Makes, for a number of tasks, something that hears of each task that is done.
Progress: TypeAlias = Callable[[int], AbstractContextManager[Callable[[int], None]]]

KIND = "truebleu study"


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of work: its key is unique in its study, and tells all that its record depends on."""

    key: Key
    work: Callable[[], Record]


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs the tasks of a study, with a journal to resume from and progress for people.

    Attributes:
        journal: the file that keeps results; if it exists, they are read back from it.
        progress: shows how far the work is; None for silence.
        executor: where tasks run, any `concurrent.futures.Executor`; by default one after another
            in this process, where native code has threads. No digit depends on it.
    """

    journal: Path | None = None
    progress: Progress | None = None
    executor: Executor | None = None

    def run(self, settings: Mapping[str, Any], tasks: Sequence[Task]) -> dict[Key, Record]:
        """The record of every task, in the order of the tasks.

        Args:
            settings: what is studied, in plain values; a journal of other settings is refused.
            tasks: the work; what the journal has already is not done again.
        """
        with ExitStack() as stack:
            journal = None
            if self.journal is not None:
                header = {"kind": KIND, "truebleu": VERSION, **settings}
                journal = stack.enter_context(closing(_Journal(self.journal, header)))
            records = {} if journal is None else journal.records
            missing = [task for task in tasks if task.key not in records]
            bar = nullcontext(_hear_nothing) if self.progress is None else self.progress(len(tasks))
            advance = stack.enter_context(bar)
            advance(len(tasks) - len(missing))
            for task, record in self._finished(missing):
                if journal is not None:
                    journal.write(_entry(task.key, record))
                records[task.key] = record
                advance(1)
        return {task.key: records[task.key] for task in tasks}

    def _finished(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, Record]]:
        """Tasks with their records, as they come."""
        if self.executor is None:
            yield from ((task, task.work()) for task in tasks)
            return
        from truebleu.execution.executors import completed

        done = 0
        try:
            for index, record in completed(self.executor, [task.work for task in tasks]):
                yield tasks[index], record
                done += 1
        except ExecutionError as error:
            so_far = f"{done} of {len(tasks)} tasks were done"
            if self.journal is not None:
                so_far += f" and are kept in {self.journal}: run the same again to go on"
            where, reason, _ = error.args
            raise ExecutionError(where, reason, so_far) from error


def _hear_nothing(_done: int) -> None:
    return None


class _Journal:
    """A journal that is open, and locked until it is closed or its process ends."""

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self.path = path
        with self._errors("opened"):
            self.file = path.open("a+b", buffering=0)
        try:
            self._lock()
            self.records = self._read(header)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let others write it."""
        self.file.close()

    def _lock(self) -> None:
        try:
            import fcntl

            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            reason = "another run writes this journal; wait for it, or give each run its own"
            raise UnreadableFileError(str(self.path), reason) from None
        except (ImportError, OSError):
            # Windows, or a file system without locks: nothing keeps a second run away.
            return

    def _read(self, header: Mapping[str, Any]) -> dict[Key, Record]:
        """What the finished tasks found; the header is compared, or written into an empty file."""
        with self._errors("read"):
            self.file.seek(0)
            *lines, half = self.file.read().split(b"\n")
        if half and not lines:
            raise self._malformed(1)
        entries = [self._parsed(number, line) for number, line in enumerate(lines, 1)]
        if entries:
            self._require(header, entries[0])
        with self._errors("written"):
            self.file.truncate(self.file.tell() - len(half))
        if not entries:
            self.write(header)
        return {tuple(entry["key"]): entry["record"] for entry in entries[1:]}

    def _parsed(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            values = json.loads(line)
            if number == 1 and values["kind"] == KIND:
                return dict(values)
            if number > 1 and values == _entry(values["key"], dict(values["record"])):
                hash(tuple(values["key"]))
                return dict(values)
        except (ValueError, TypeError, KeyError, RecursionError):
            pass
        raise self._malformed(number)

    def _require(self, header: Mapping[str, Any], stored: Mapping[str, Any]) -> None:
        # Through JSON, since a tuple comes back as a list.
        before, now = _flat(stored), _flat(json.loads(json.dumps(header)))
        # Counts differ where texts do: what they were made of says more.
        for name in sorted(before.keys() | now.keys(), key=lambda name: ("counts" in name, name)):
            if before.get(name) != now.get(name):
                expected = f"{now.get(name)!r} as now; finish it as it was begun, or begin another"
                raise SettingError(f"{self.path}: {name}", before.get(name), expected)

    def write(self, values: Mapping[str, Any]) -> None:
        """Keep a line, or nothing of it."""
        line = _line(values)
        with self._errors("written"):
            size = self.file.seek(0, os.SEEK_END)
            try:
                if self.file.write(line) < len(line):
                    raise OSError(ENOSPC, "is the disk full?")
                os.fsync(self.file)
            except OSError:
                self.file.truncate(size)
                raise

    def _malformed(self, number: int) -> MalformedFileError:
        expected = "a finished task; delete the line, and the task is done again"
        if number == 1:
            expected = "the first line of a study's journal; give --resume another file"
        return MalformedFileError(str(self.path), number, "something else", expected)

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = f"cannot be {what}: {error.strerror}"
            raise UnreadableFileError(str(self.path), reason) from error


def _entry(key: Sequence[object], record: Record) -> dict[str, Any]:
    """A finished task as a journal keeps it: a digit that flips is noticed."""
    return {"key": key, "record": record, "checksum": crc32(_line([key, record]))}


def _line(values: object) -> bytes:
    return json.dumps(values, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _flat(header: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The values of a header under names such as pool.systems."""
    values: dict[str, Any] = {}
    for name, value in header.items():
        inner = _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else None
        values |= {f"{prefix}{name}": value} if inner is None else inner
    return values
