"""A journal: the results of a study so far, kept line by line so that none is ever lost.

The first line, the header, says what is studied: the study, its settings, its texts. Each further
line is a finished task, its key and its record. A line is written by one call and forced to the
disk, so an interruption leaves whole lines; what a crash leaves of one is cut off. A study that is
resumed reads them and does the rest.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from errno import ENOSPC
from threading import get_ident
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from zlib import crc32

from truebleu._core import VERSION
from truebleu.errors import MalformedFileError, SettingError, UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Sequence
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


def _warn(message: str) -> None:
    from warnings import warn

    warn(message, stacklevel=2)


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs the tasks of a study, with a journal to go on from and progress for people.

    Attributes:
        journal: the file that results are appended to, and read back from if it exists.
        progress: shows how far the work is; None for silence.
        tell: gets what people should know about the journal; by default it is a warning.
    """

    journal: Path | None = None
    progress: Progress | None = None
    tell: Callable[[str], None] = _warn

    def run(
        self, settings: Settings | Mapping[str, Any], tasks: Sequence[Task]
    ) -> dict[Key, Record]:
        """The record of every task, in the order of the tasks.

        Args:
            settings: what is studied; a journal of other settings is refused.
            tasks: the work; what the journal has already is not done again.
        """
        known = {} if self.journal is None else _read(self.journal, _header(settings), self.tell)
        bar = self.progress(len(tasks)) if self.progress else nullcontext(_hear_nothing)
        with bar as advance:
            for task in tasks:
                if task.key not in known:
                    known[task.key] = self._do(task)
                advance(1)
        return {task.key: known[task.key] for task in tasks}

    def _do(self, task: Task) -> Record:
        record = task.work()
        if self.journal is not None:
            key = list(task.key)
            _append(self.journal, {"key": key, "record": record, "check": _check(key, record)})
        return record


def _hear_nothing(_done: int) -> None:
    return None


def _append(path: Path, line: Mapping[str, Any]) -> None:
    try:
        _write(path, line)
    except OSError as error:
        raise UnreadableFileError(str(path), f"cannot be written: {error.strerror}") from error


def _write(path: Path, line: Mapping[str, Any]) -> None:
    data = (json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n").encode()
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
        _write(beside, header)
        os.link(beside, path)
    except FileExistsError:
        return
    except OSError:
        # A file system without links; or none can be written, and then this says so.
        _append(path, header)
    finally:
        with suppress(OSError):
            beside.unlink()


def _header(settings: Settings | Mapping[str, Any]) -> dict[str, Any]:
    values = settings if isinstance(settings, Mapping) else settings.to_dict()
    # Through JSON and back, since a tuple comes back as a list.
    header: dict[str, Any] = json.loads(json.dumps({"kind": KIND, "truebleu": VERSION, **values}))
    return header


def _read(path: Path, header: Mapping[str, Any], tell: Callable[[str], None]) -> dict[Key, Record]:
    """What a journal holds; a new one is begun with its header."""
    if not path.exists():
        _begin(path, header)
    if not path.is_file():
        raise UnreadableFileError(str(path), "not a regular file, expected a study's journal")
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
        _cut_back(path, len(data) - len(half))
        tell(f"{path}: the last line was cut off and is dropped; its task is done again")
    known: dict[Key, Record] = {}
    for number, line in enumerate(lines[1:], 2):
        key, record = _entry(path, number, line)
        # Two runs at once may both have done a task, and then they found the same.
        if known.get(key, record) != record:
            expected = "one of each; delete the line that you trust less"
            raise MalformedFileError(str(path), number, f"a second record of {key}", expected)
        known[key] = record
    return known


def _cut_back(path: Path, size: int) -> None:
    """Drop the last line, of which a full disk or a crash left the beginning only."""
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
        expected = "a study's journal, which --resume goes on with; give another file"
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
