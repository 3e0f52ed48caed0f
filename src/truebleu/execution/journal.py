"""A journal: the results of a study so far, kept line by line so that none is ever lost.

The first line, the header, says what is studied: the study, its settings, its texts. Each further
line is a finished task, its key and its record. A line is written by one call and forced to the
disk, so an interruption leaves whole lines; what a crash leaves of one is cut off. A study that is
resumed reads them and does the rest.

Wherever tasks run, this process alone writes the journal, and it locks the file meanwhile. Machines
that know nothing of each other each do a share of the tasks with a journal of their own; such
journals are merged.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from errno import EACCES, EAGAIN, ENOSPC
from threading import get_ident
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from zlib import crc32

from truebleu._core import VERSION
from truebleu.errors import (
    ExecutionError,
    MalformedFileError,
    SettingError,
    UnreadableFileError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Executor
    from pathlib import Path

Key: TypeAlias = tuple[str | int | float, ...]
#: Plain values only: what JSON gives back as it was.
Record: TypeAlias = dict[str, Any]
#: Makes, for a number of tasks, something that hears of each task that is done.
Progress: TypeAlias = Callable[[int], AbstractContextManager[Callable[[int], None]]]

KIND = "truebleu study"


class Settings(Protocol):
    """What tells one study from another: the settings that its results depend on."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, with the study's name."""


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of work: its key is unique in its study, and tells all that its record depends on."""

    key: Key
    work: Callable[[], Record]


@dataclass(frozen=True, slots=True)
class Share:
    """Every n-th task, for one job of an array: 3/64 has the tasks 3, 67, 131 and so on."""

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise SettingError("tasks", str(self), "a share such as 3/64, from 1/64 to 64/64")

    @classmethod
    def parse(cls, text: str) -> Share:
        """The share that a text such as 3/64 names."""
        match = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text, re.ASCII)
        if not match:
            raise SettingError("tasks", text, "a share such as 3/64, from 1/64 to 64/64")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


class ShareFinished(Exception):  # noqa: N818  # nothing went wrong
    """Raised when a share is done and others are not, so that there is no result yet."""

    def __init__(self, share: Share, tasks: int, of: int, journal: Path) -> None:
        super().__init__(share, tasks, of, journal)

    def __str__(self) -> str:
        share, tasks, of, journal = self.args
        return f"share {share}: {tasks} of {of} tasks are done and kept in {journal}"


def _warn(message: str) -> None:
    from warnings import warn

    warn(message, stacklevel=2)


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs the tasks of a study, with a journal to resume from and progress for people.

    Attributes:
        journal: the file that results are appended to, and read back from if it exists.
        progress: shows how far the work is; None for silence.
        tell: gets what people should know about the journal; by default it is a warning.
        executor: where tasks run, any `concurrent.futures.Executor`; by default one after another
            in this process, where native code has threads. No digit depends on it.
        share: the part of the tasks that is done here; needs a journal. `ShareFinished` is raised
            when it is done, unless that was all that was missing.
        merged: journals of shares, whose results are taken over. What is missing in all of them is
            done if there is a journal to keep it in, and otherwise refused.
    """

    journal: Path | None = None
    progress: Progress | None = None
    tell: Callable[[str], None] = _warn
    executor: Executor | None = None
    share: Share | None = None
    merged: Sequence[Path] = ()

    def __post_init__(self) -> None:
        if self.share is not None and self.journal is None:
            expected = "a journal beside it (--resume FILE), which keeps what the share finds"
            raise SettingError("tasks", str(self.share), expected)
        if self.share is not None and self.merged:
            raise SettingError("tasks", str(self.share), "no --merge beside it")

    def run(
        self, settings: Settings | Mapping[str, Any], tasks: Sequence[Task]
    ) -> dict[Key, Record]:
        """The record of every task, in the order of the tasks.

        Args:
            settings: what is studied; a journal of other settings is refused.
            tasks: the work; what the journal has already is not done again.
        """
        with self._known(_header(settings), {task.key for task in tasks}) as known:
            share = self.share or Share(1, 1)
            chosen = tasks[share.number - 1 :: share.of]
            missing = [task for task in chosen if task.key not in known]
            if missing and self.merged and self.journal is None:
                found = f"{len(tasks) - len(missing)} of {len(tasks)} tasks"
                expected = "all of them; run the missing shares, or give --resume FILE to go on"
                raise SettingError("merge", found, expected)
            bar = self.progress(len(chosen)) if self.progress else nullcontext(_hear_nothing)
            with bar as advance:
                for _ in range(len(chosen) - len(missing)):
                    advance(1)
                for task, record in self._done(missing):
                    known[task.key] = record
                    advance(1)
            if self.journal is not None and not all(task.key in known for task in tasks):
                raise ShareFinished(share, len(chosen), len(tasks), self.journal)
            return {task.key: known[task.key] for task in tasks}

    @contextmanager
    def _known(self, header: Mapping[str, Any], keys: set[Key]) -> Iterator[dict[Key, Record]]:
        """What is known already, while nobody else writes the journal."""
        journal: AbstractContextManager[dict[Key, Record]] = nullcontext({})
        if self.journal is not None:
            journal = _opened(self.journal, header, self.tell)
        with journal as known:
            before = set(known)
            for path in self.merged:
                _read(path, header, self.tell, known)
            if self.journal is not None:
                news = [(key, known[key]) for key in known if key not in before and key in keys]
                _append(self.journal, [_line(key, record) for key, record in news])
            yield known

    def _done(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, Record]]:
        if self.executor is None:
            for task in tasks:
                yield task, self._do(task)
            return
        from truebleu.execution.executors import completed

        done = 0
        try:
            for index, record in completed(self.executor, [task.work for task in tasks]):
                self._keep(tasks[index], record)
                done += 1
                yield tasks[index], record
        except ExecutionError as error:
            so_far = f"{done} of {len(tasks)} tasks were done"
            if self.journal is not None:
                so_far += f" and are kept in {self.journal}: run the same again to go on"
            where, reason, _ = error.args
            raise ExecutionError(where, reason, so_far) from error

    def _do(self, task: Task) -> Record:
        record = task.work()
        self._keep(task, record)
        return record

    def _keep(self, task: Task, record: Record) -> None:
        if self.journal is not None:
            _append(self.journal, [_line(task.key, record)])


def _hear_nothing(_done: int) -> None:
    return None


def _line(key: Key, record: Record) -> dict[str, Any]:
    return {"key": list(key), "record": record, "check": _check(list(key), record)}


def _append(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    try:
        _write(path, lines)
    except OSError as error:
        raise UnreadableFileError(str(path), f"cannot be written: {error.strerror}") from error


def _write(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    data = b"".join(
        (json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n").encode() for line in lines
    )
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        before = os.fstat(descriptor).st_size
        written = os.write(descriptor, data)
        if written != len(data):
            # Half a line would be in the way of the next one; unless another run has gone on.
            if os.fstat(descriptor).st_size == before + written:
                os.ftruncate(descriptor, before)
            raise OSError(ENOSPC, "is the disk full?")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _begin(path: Path, header: Mapping[str, Any]) -> None:
    """Write the first line of a new journal, unless another run has begun it meanwhile.

    The line is put in place whole, so that of runs which begin at once there is one first line.
    """
    beside = path.with_name(f".truebleu-{os.getpid()}-{get_ident()}")
    try:
        _write(beside, [header])
        os.link(beside, path)
    except FileExistsError:
        return
    except OSError:
        # A file system without links; or none can be written, and then this says so.
        _append(path, [header])
    finally:
        with suppress(OSError):
            beside.unlink()


def _header(settings: Settings | Mapping[str, Any]) -> dict[str, Any]:
    values = settings if isinstance(settings, Mapping) else settings.to_dict()
    # Through JSON and back, since a tuple comes back as a list.
    header: dict[str, Any] = json.loads(json.dumps({"kind": KIND, "truebleu": VERSION, **values}))
    return header


@contextmanager
def _opened(
    path: Path, header: Mapping[str, Any], tell: Callable[[str], None]
) -> Iterator[dict[Key, Record]]:
    """What a journal holds, locked for others; a new one is begun with its header."""
    if not path.exists():
        _begin(path, header)
    if not path.is_file():
        raise UnreadableFileError(str(path), "not a regular file, expected a study's journal")
    with _locked(path, tell):
        known: dict[Key, Record] = {}
        if size := _read(path, header, tell, known):
            _cut_back(path, size)
        yield known


@contextmanager
def _locked(path: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Refuse a journal that another run writes; the system unlocks it when a run ends or dies."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        # It cannot be written; reading it comes next.
        yield
        return
    try:
        _lock(descriptor)
    except OSError as error:
        if error.errno in (EACCES, EAGAIN):
            os.close(descriptor)
            reason = "another run writes this journal; wait for it, or give each run its own"
            raise UnreadableFileError(str(path), reason) from None
        tell(f"{path}: cannot be locked ({error.strerror}); let no other run write it")
    try:
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:
        import msvcrt

        # A byte that no journal reaches: on Windows others could not even read a locked one.
        os.lseek(descriptor, 2**40, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _read(
    path: Path,
    header: Mapping[str, Any],
    tell: Callable[[str], None],
    known: dict[Key, Record],
) -> int | None:
    """Add what a journal holds; the size of its whole lines, if half a one follows them."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableFileError(str(path), f"cannot be read: {error.strerror}") from error
    if not data:
        raise MalformedFileError(str(path), None, "nothing", "a study's journal; delete the file")
    lines = data.split(b"\n")
    # First, since what is no journal should not be told how to mend one.
    _require_header(path, _parse(path, 1, lines[0]), header)
    half = lines.pop()
    if half and not lines:
        expected = "a whole line, with its end; begin another file"
        raise MalformedFileError(str(path), 1, "the beginning of a line only", expected)
    if half:
        tell(f"{path}: the last line was cut off and is dropped; its task is done again")
    for number, line in enumerate(lines[1:], 2):
        key, record = _entry(path, number, line)
        # Two runs at once may both have done a task, and then they found the same.
        if known.get(key, record) != record:
            expected = "one of each; delete the line that you trust less"
            raise MalformedFileError(str(path), number, f"a second record of {key}", expected)
        known[key] = record
    return len(data) - len(half) if half else None


def _cut_back(path: Path, size: int) -> None:
    """Drop a last line that a full disk or a crash cut off."""
    try:
        os.truncate(path, size)
    except OSError as error:
        raise UnreadableFileError(str(path), f"cannot be written: {error.strerror}") from error


def _parse(path: Path, number: int, line: bytes) -> Any:
    try:
        return json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        found = f"no JSON: {line[:40].decode('utf-8', 'replace')!r}"
        expected = "a line of a study's journal; delete the line, and its task is done again"
        if number == 1:
            expected = "the first line of a study's journal; begin another file"
        raise MalformedFileError(str(path), number, found, expected) from None


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _entry(path: Path, number: int, line: bytes) -> tuple[Key, Record]:
    entry = _parse(path, number, line)
    if isinstance(entry, dict) and entry.keys() == {"key", "record", "check"}:
        key, record = entry["key"], entry["record"]
        if _is_key(key) and isinstance(record, dict) and entry["check"] == _check(key, record):
            return tuple(key), record
    found = "something else, or a line that was changed"
    expected = "a finished task as it was written; delete the line, and the task is done again"
    raise MalformedFileError(str(path), number, found, expected)


def _is_key(key: object) -> bool:
    return isinstance(key, list) and all(isinstance(part, str | int | float) for part in key)


def _check(key: object, record: object) -> int:
    """A number that a change of one digit anywhere in the line gives away."""
    return crc32(json.dumps([key, record], sort_keys=True).encode())


def _require_header(path: Path, found: Any, header: Mapping[str, Any]) -> None:
    if not isinstance(found, dict) or found.get("kind") != KIND:
        expected = "a study's journal to --resume from; give another file"
        raise MalformedFileError(str(path), 1, "something else", expected)
    before, now = _flat(found), _flat(header)
    # Counts differ where texts do: what they were made of says more.
    names = sorted(before.keys() | now.keys(), key=lambda name: ("counts" in name, name))
    for name in names:
        if before.get(name) != now.get(name):
            expected = f"{now.get(name)!r} as now; finish it as it was begun, or begin another"
            raise SettingError(f"{path}: {name}", before.get(name), expected)


def _flat(header: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The values of a header under names such as pool.systems."""
    values: dict[str, Any] = {}
    for name, value in header.items():
        if isinstance(value, dict):
            values |= _flat(value, f"{prefix}{name}.")
        else:
            values[f"{prefix}{name}"] = value
    return values
