"""Journals: nothing that was found is lost or done twice, and nothing else is taken for one."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import pytest

from truebleu.errors import CorpusError, SettingError, TruebleuError
from truebleu.execution.journal import Runner, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
SUBJECT = {"study": "example", "sizes": [1, 2], "seed": 7, "level": 0.95}


class Work:
    """Ten tasks that count how often they are done; one may be interrupted."""

    def __init__(self, interrupted: int | None = None) -> None:
        self.done: list[int] = []
        self.interrupted = interrupted

    def tasks(self) -> list[Task]:
        return [Task(("task", number), partial(self.do, number)) for number in range(10)]

    def do(self, number: int) -> dict[str, object]:
        if number == self.interrupted:
            raise KeyboardInterrupt
        self.done.append(number)
        return {"value": number / 3, "of": ["ä", None, True]}


def finished(path: Path) -> dict[tuple[str | int | float, ...], dict[str, object]]:
    return Runner(path).run(SUBJECT, Work().tasks())


def test_an_interrupted_run_resumes(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    first = Work(interrupted=6)
    with pytest.raises(KeyboardInterrupt):
        Runner(path).run(SUBJECT, first.tasks())
    before = path.read_bytes()
    second = Work()
    records = Runner(path).run(SUBJECT, second.tasks())
    assert (first.done, second.done) == ([0, 1, 2, 3, 4, 5], [6, 7, 8, 9])
    assert records == Runner().run(SUBJECT, Work().tasks())
    assert path.read_bytes().startswith(before)


def test_a_finished_journal_is_read_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    records = finished(path)
    before, again = path.read_bytes(), Work(interrupted=0)
    assert Runner(path).run(SUBJECT, again.tasks()) == records
    assert again.done == []
    assert path.read_bytes() == before


def test_progress_counts_every_task(tmp_path: Path) -> None:
    path, heard = tmp_path / "journal.jsonl", []

    @contextmanager
    def progress(total: int) -> Iterator[Callable[[int], None]]:
        heard.append(total)
        yield heard.append

    Runner(path, progress).run(SUBJECT, Work().tasks()[:4])
    Runner(path, progress).run(SUBJECT, Work().tasks())
    assert heard == [4, 0, 1, 1, 1, 1, 10, 4, *[1] * 6]


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (lambda data: data.replace(b"0.6666666666666666", b"0.666,"), 4),
        (lambda data: data.replace(b'"key"', b'"keys"', 1), 2),
        (lambda data: data.replace(b'["task", 3]', b"3", 1), 5),
        (lambda data: data[data.index(b"\n") + 1 :], 1),
        (lambda data: data.replace(b"\n", b"\n\n", 3), 2),
        (lambda data: data.replace(b'"key"', b"\xff", 1), 2),
        (lambda data: data + b'{"key": ["x"]}\n', 12),
        # A digit that flipped.
        (lambda data: data.replace(b"0.6666666666666666", b"0.6666666666666667"), 4),
        (lambda data: data + b"[" * 100_000 + b"\n", 12),
        (lambda _: b"hello\n", 1),
        (lambda _: b"[1, 2]\n", 1),
        (lambda _: b"\x00\x01\x02", 1),
        # What is no journal does not lose its last line.
        (lambda _: b"a text\nof two lines", 1),
        (lambda data: data[: data.index(b"\n")], 1),
    ],
)
def test_a_damaged_journal_is_refused_and_left_as_it_is(
    tmp_path: Path, damage: Callable[[bytes], bytes], line: int
) -> None:
    path = tmp_path / "journal.jsonl"
    finished(path)
    damaged = damage(path.read_bytes())
    path.write_bytes(damaged)
    work = Work()
    with pytest.raises(CorpusError, match=f"line {line}: something else; expected"):
        Runner(path).run(SUBJECT, work.tasks())
    assert path.read_bytes() == damaged
    assert work.done == []


@pytest.mark.parametrize("lost", [1, 9])
def test_a_partial_line_is_dropped_and_its_task_run_again(tmp_path: Path, lost: int) -> None:
    path = tmp_path / "journal.jsonl"
    records, before = finished(path), path.read_bytes()
    path.write_bytes(before[:-lost])
    work = Work()
    assert Runner(path).run(SUBJECT, work.tasks()) == records
    assert work.done == [9]
    assert path.read_bytes() == before


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.jsonl"
    finished(path)
    before = path.read_bytes()

    def full(_file: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(TruebleuError, match="cannot be written: No space left on device"):
        Runner(path).run(SUBJECT, [Task(("another", 1), dict)])
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"seed": 8}, "seed: 7; expected 8; resume"),
        ({"sizes": (1, 2, 3)}, r"sizes: \[1, 2\]; expected \[1, 2, 3\]; resume"),
        ({"study": "other"}, "study: 'example'; expected 'other'; resume"),
        ({"further": 1}, "further: None; expected 1; resume"),
    ],
)
def test_a_journal_of_other_settings_is_rejected(
    tmp_path: Path, changed: dict[str, object], said: str
) -> None:
    path = tmp_path / "journal.jsonl"
    finished(path)
    before = path.read_bytes()
    with pytest.raises(SettingError, match=said):
        Runner(path).run({**SUBJECT, **changed}, Work().tasks())
    assert path.read_bytes() == before


def test_a_tuple_and_a_list_are_the_same_subject(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    finished(path)
    Runner(path).run({**SUBJECT, "sizes": (1, 2)}, Work(interrupted=0).tasks())


def test_a_file_that_is_not_a_journal_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(TruebleuError, match="cannot be opened: Is a directory"):
        finished(tmp_path)
    with pytest.raises(TruebleuError, match="cannot be opened: No such file or directory"):
        finished(tmp_path / "nowhere" / "journal.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_a_journal_that_another_run_writes_is_refused(tmp_path: Path) -> None:
    path, work = tmp_path / "journal.jsonl", Work()

    def second() -> dict[str, object]:
        with pytest.raises(TruebleuError, match="another run writes this journal; wait for it"):
            Runner(path).run(SUBJECT, work.tasks())
        return {"value": 1}

    Runner(path).run(SUBJECT, [Task(("task", 10), second)])
    assert work.done == []
    # It is free again, and was not changed.
    assert len(finished(path)) == 10
    assert path.read_bytes().count(b"\n") == 12
