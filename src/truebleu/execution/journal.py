"""A journal: the results of a study so far, kept line by line so that none is ever lost.

The first line, the header, says what is studied: the study, its settings, its texts. Each further
line is a finished task, its key and its record, forced to the disk as it comes. Whatever stops a
study leaves whole lines and perhaps a part of one, which is dropped. A study that is resumed reads
them and does the rest. Wherever tasks run, this process alone writes the journal.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from errno import ENOSPC
from typing import TYPE_CHECKING, Any, TypeAlias

from truebleu._core import VERSION
from truebleu.errors import (
    ExecutionError,
    MalformedFileError,
    SettingError,
    UnreadableFileError,
)

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
        journal = None
        if self.journal is not None:
            journal = _Journal(self.journal, {"kind": KIND, "truebleu": VERSION, **settings})
        with nullcontext() if journal is None else closing(journal):
            records = {} if journal is None else journal.records()
            missing = [task for task in tasks if task.key not in records]
            bar = nullcontext(_hear_nothing) if self.progress is None else self.progress(len(tasks))
            with bar as advance:
                advance(len(tasks) - len(missing))
                for task, record in self._finished(missing):
                    if journal is not None:
                        journal.add(task.key, record)
                    records[task.key] = record
                    advance(1)
        return {task.key: records[task.key] for task in tasks}

    def _finished(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, Record]]:
        """Tasks with their records, as they come."""
        if self.executor is None:
            for task in tasks:
                yield task, task.work()
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
            with self._errors("read"):
                self.file.seek(0)
                lines = self.file.read().split(b"\n")
            half = lines.pop()
            self.lines = lines
            if half and not self.lines:
                raise self._malformed(1)
            if self.lines:
                self._require(header)
            with self._errors("written"):
                self.file.truncate(self.file.tell() - len(half))
            if not self.lines:
                self._write(header)
        except BaseException:
            self.close()
            raise

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

    def _require(self, header: Mapping[str, Any]) -> None:
        stored = self._parsed(1)
        if stored.get("kind") != KIND:
            raise self._malformed(1)
        # Through JSON, since a tuple comes back as a list.
        before, now = _flat(stored), _flat(json.loads(json.dumps(header)))
        # Counts differ where texts do: what they were made of says more.
        for name in sorted(before.keys() | now.keys(), key=lambda name: ("counts" in name, name)):
            if before.get(name) != now.get(name):
                expected = f"{now.get(name)!r} as now; finish it as it was begun, or begin another"
                raise SettingError(f"{self.path}: {name}", before.get(name), expected)

    def records(self) -> dict[Key, Record]:
        """What the finished tasks found."""
        records = {}
        for number in range(2, len(self.lines) + 1):
            entry = self._parsed(number)
            if entry.keys() != {"key", "record"} or not isinstance(entry["key"], list):
                raise self._malformed(number)
            records[tuple(entry["key"])] = entry["record"]
        return records

    def add(self, key: Key, record: Record) -> None:
        """Keep the record of a finished task."""
        self._write({"key": key, "record": record})

    def close(self) -> None:
        """Let others write it."""
        self.file.close()

    def _write(self, values: Mapping[str, Any]) -> None:
        line = json.dumps(values, ensure_ascii=False, allow_nan=False).encode() + b"\n"
        with self._errors("written"):
            size = self.file.seek(0, os.SEEK_END)
            try:
                if self.file.write(line) < len(line):
                    raise OSError(ENOSPC, "is the disk full?")
                os.fsync(self.file)
            except OSError:
                self.file.truncate(size)
                raise

    def _parsed(self, number: int) -> dict[str, Any]:
        try:
            values = json.loads(self.lines[number - 1])
        except (ValueError, RecursionError):
            raise self._malformed(number) from None
        if not isinstance(values, dict):
            raise self._malformed(number)
        return values

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


def _flat(header: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The values of a header under names such as pool.systems."""
    values: dict[str, Any] = {}
    for name, value in header.items():
        if isinstance(value, dict):
            values |= _flat(value, f"{prefix}{name}.")
        else:
            values[f"{prefix}{name}"] = value
    return values
