"""A journal: the results of a study so far, line by line, so that an interruption loses none.

The first line, the header, has the study, its settings and its texts. Each further line is a
finished task: its key, its record and a checksum of both, synced to the disk at once. If a study
is stopped, whole lines remain, and at most one partial line, which is dropped. A resumed study
reads the lines and runs the remaining tasks. Only this process writes the journal, with any
executor.
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
#: Plain values that JSON preserves.
Record: TypeAlias = dict[str, Any]
#: Function of the number of tasks that returns a context, in which a function gets tasks done.
Progress: TypeAlias = Callable[[int], AbstractContextManager[Callable[[int], None]]]

KIND = "truebleu study"


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a study; its unique key has all that its record depends on."""

    key: Key
    work: Callable[[], Record]


@dataclass(frozen=True, slots=True)
class Runner:
    """Runner of the tasks of a study, with a journal to resume from and a progress display.

    Attributes:
        journal: file that keeps results; if it exists, its results are reused.
        progress: progress display, or None.
        executor: any `concurrent.futures.Executor`; by default tasks run one by one in this
            process, where native code has threads. No digit depends on the executor.
    """

    journal: Path | None = None
    progress: Progress | None = None
    executor: Executor | None = None

    def run(self, settings: Mapping[str, Any], tasks: Sequence[Task]) -> dict[Key, Record]:
        """Run the tasks, and return the record of every task in their order.

        Args:
            settings: subject of the study, in plain values; raises SettingError if the journal has
                other settings.
            tasks: tasks; tasks that the journal already has are not run again.
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
        """Yield tasks with their records, as they are completed."""
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
                so_far += f" and are kept in {self.journal}: run the same command again to resume"
            where, reason, _ = error.args
            raise ExecutionError(where, reason, so_far) from error


def _hear_nothing(_done: int) -> None:
    return None


class _Journal:
    """An open journal, locked until it is closed or its process ends."""

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
        """Close and unlock the journal."""
        self.file.close()

    def _lock(self) -> None:
        try:
            import fcntl

            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            reason = "another run writes this journal; wait for it, or name another with --resume"
            raise UnreadableFileError(str(self.path), reason) from None
        except (ImportError, OSError):
            # Windows and some file systems have no locks, so a second run cannot be detected.
            return

    def _read(self, header: Mapping[str, Any]) -> dict[Key, Record]:
        """Return the records of finished tasks; compare the header, or write it if missing."""
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
        # JSON turns tuples into lists.
        before, now = _flat(stored), _flat(json.loads(json.dumps(header)))
        # Report counts last: they differ if texts do, whose names say more.
        for name in sorted(before.keys() | now.keys(), key=lambda name: ("counts" in name, name)):
            if before.get(name) != now.get(name):
                expected = f"{now.get(name)!r}; resume with the old settings, or use another file"
                raise SettingError(f"{self.path}: {name}", before.get(name), expected)

    def write(self, values: Mapping[str, Any]) -> None:
        """Append a whole line, or nothing."""
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
        expected = "a finished task; delete the line, and the task is run again"
        if number == 1:
            expected = "the first line of a study's journal; give --resume another file"
        return MalformedFileError(str(self.path), number, "something else", expected)

    @contextmanager
    def _errors(self, participle: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = f"cannot be {participle}: {error.strerror}"
            raise UnreadableFileError(str(self.path), reason) from error


def _entry(key: Sequence[object], record: Record) -> dict[str, Any]:
    """Return a finished task as a journal keeps it, with a checksum against damage."""
    return {"key": key, "record": record, "checksum": crc32(_line([key, record]))}


def _line(values: object) -> bytes:
    return json.dumps(values, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _flat(header: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Flatten a header to values under names such as pool.systems."""
    values: dict[str, Any] = {}
    for name, value in header.items():
        inner = _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else None
        values |= {f"{prefix}{name}": value} if inner is None else inner
    return values
