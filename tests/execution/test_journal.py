"""Journals: nothing that was found is lost or done twice, and nothing else is taken for one."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from truebleu.errors import CorpusError, SettingError, TruebleuError
from truebleu.execution.journal import Runner, Share, ShareFinished, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
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


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
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


def test_progress_hears_of_every_task(tmp_path: Path) -> None:
    path, heard = tmp_path / "journal.jsonl", []

    @contextmanager
    def progress(total: int) -> Iterator[Callable[[int], None]]:
        heard.append(total)
        yield heard.append

    Runner(path, progress).run(SUBJECT, Work().tasks()[:4])
    Runner(path, progress).run(SUBJECT, Work().tasks())
    assert heard == [4, 1, 1, 1, 1, 10, *[1] * 10]


def _digit(data: bytes) -> bytes:
    changed = data.replace(b"0.6666666666666666", b"0.6666666666666665")
    assert changed != data
    return changed


def _key(data: bytes) -> bytes:
    return data.replace(b'["task", 3]', b'["task", 33]', 1)


def _check_number(data: bytes) -> bytes:
    *lines, last = data.splitlines()
    entry = json.loads(last)
    entry["check"] ^= 1
    return b"\n".join([*lines, json.dumps(entry).encode(), b""])


def _not_a_number(data: bytes) -> bytes:
    return data.replace(b"0.6666666666666666", b"NaN")


def _second_record(data: bytes) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "other.jsonl"
        Runner(path).run(SUBJECT, [Task(("task", 0), lambda: {"value": 5})])
        return data + path.read_bytes().splitlines(keepends=True)[1]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (_digit, "line 4: found something else, or a line that was changed, expected a finished"),
        (_key, "line 5: found something else, or a line that was changed"),
        (_check_number, "line 11: found something else, or a line that was changed"),
        (_not_a_number, "line 4: found no JSON"),
        (_second_record, r"line 12: found a second record of \('task', 0\), expected one of each"),
        (lambda data: data[data.index(b"\n") + 1 :], "line 1: found something else"),
        (lambda data: data.replace(b"\n", b"\n\n", 3), "line 2: found no JSON: ''"),
        (lambda data: data.replace(b'"key"', b"\xff", 1), "line 2: found no JSON"),
        (lambda data: data + b'{"key": ["x"]}\n', "line 12: found something else"),
        (lambda data: data + b"[" * 100_000 + b"\n", "line 12: found no JSON"),
        (lambda _: b"", "found nothing, expected a study's journal"),
        (lambda _: b"hello\n", "line 1: found no JSON: 'hello', expected the first line of a"),
        (lambda _: b"[1, 2]\n", "line 1: found something else, expected a study's journal"),
        (lambda _: b"\x00\x01\x02", "line 1: found no JSON"),
        # No journal is told to delete its last line and go on.
        (lambda _: b"a text\nof two lines", "line 1: found no JSON: 'a text', expected the first"),
        (lambda data: data[: data.index(b"\n")], "line 1: found the beginning of a line only"),
    ],
)
def test_a_damaged_journal_is_refused_and_left_as_it_is(
    tmp_path: Path, damage: Callable[[bytes], bytes], said: str
) -> None:
    path = tmp_path / "journal.jsonl"
    finished(path)
    damaged = damage(path.read_bytes())
    path.write_bytes(damaged)
    work = Work()
    with pytest.raises(CorpusError, match=said):
        Runner(path).run(SUBJECT, work.tasks())
    assert path.read_bytes() == damaged
    assert work.done == []


@pytest.mark.parametrize("lost", [1, 9])
def test_half_a_line_is_cut_off_and_its_task_done_again(tmp_path: Path, lost: int) -> None:
    path = tmp_path / "journal.jsonl"
    records, before = finished(path), path.read_bytes()
    path.write_bytes(before[:-lost])
    work = Work()
    told: list[str] = []
    assert Runner(path, tell=told.append).run(SUBJECT, work.tasks()) == records
    assert work.done == [9]
    assert told == [f"{path}: the last line was cut off and is dropped; its task is done again"]
    assert path.read_bytes() == before


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.jsonl"
    finished(path)
    before, write = path.read_bytes(), os.write
    monkeypatch.setattr("os.write", lambda file, data: write(file, data[:5]))
    with pytest.raises(TruebleuError, match="cannot be written: is the disk full"):
        Runner(path).run(SUBJECT, [Task(("another", 1), dict)])
    assert path.read_bytes() == before


def test_a_line_may_stand_there_twice_if_it_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    records = finished(path)
    path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[3])
    assert Runner(path).run(SUBJECT, Work(interrupted=0).tasks()) == records


def test_runs_that_begin_at_once_have_one_first_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.jsonl"
    records, before = finished(path), path.read_bytes()
    # As the later run saw it, before the other one had begun.
    monkeypatch.setattr(Path, "exists", lambda _path: False)
    assert Runner(path).run(SUBJECT, Work(interrupted=0).tasks()) == records
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_system_without_links_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_paths: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", no_links)
    path = tmp_path / "journal.jsonl"
    assert finished(path) == Runner(path).run(SUBJECT, Work(interrupted=0).tasks())
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"seed": 8}, "seed: found 7, expected 8 as now"),
        ({"sizes": (1, 2, 3)}, r"sizes: found \[1, 2\], expected \[1, 2, 3\] as now"),
        ({"study": "other"}, "study: found 'example', expected 'other' as now"),
        ({"further": 1}, "further: found None, expected 1 as now"),
    ],
)
def test_a_journal_of_something_else_is_refused(
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


def test_what_cannot_be_a_journal_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TruebleuError, match="not a regular file, expected a study's journal"):
        finished(tmp_path)
    with pytest.raises(TruebleuError, match="cannot be written: No such file or directory"):
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


def test_a_file_system_without_locks_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(_descriptor: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("truebleu.execution.journal._lock", no_locks)
    told: list[str] = []
    path = tmp_path / "journal.jsonl"
    assert len(Runner(path, tell=told.append).run(SUBJECT, Work().tasks())) == 10
    assert told == [f"{path}: cannot be locked (No locks available); let no other run write it"]


def shares(folder: Path, of: int) -> list[Path]:
    """The journals of all shares; together they do each task once."""
    work, paths = Work(), []
    for number in range(1, of + 1):
        path = folder / f"share-{number}.jsonl"
        with pytest.raises(ShareFinished, match=f"share {number}/{of}: .* kept in {path}"):
            Runner(path, share=Share(number, of)).run(SUBJECT, work.tasks())
        paths.append(path)
    assert sorted(work.done) == list(range(10))
    return paths


@pytest.mark.parametrize("of", [2, 3, 20])
def test_shares_that_are_merged_are_the_whole(tmp_path: Path, of: int) -> None:
    paths, idle = shares(tmp_path, of), Work(interrupted=0)
    whole = finished(tmp_path / "whole.jsonl")
    before = [path.read_bytes() for path in paths]
    assert Runner(merged=paths).run(SUBJECT, idle.tasks()) == whole
    journal = tmp_path / "merged.jsonl"
    assert Runner(journal, merged=paths).run(SUBJECT, idle.tasks()) == whole
    assert Runner(journal).run(SUBJECT, idle.tasks()) == whole
    assert [path.read_bytes() for path in paths] == before
    assert idle.done == []


def test_a_missing_share_is_refused_or_done(tmp_path: Path) -> None:
    paths, work = shares(tmp_path, 3)[:2], Work()
    with pytest.raises(SettingError, match="merge: found '7 of 10 tasks', expected all of them"):
        Runner(merged=paths).run(SUBJECT, work.tasks())
    assert work.done == []
    journal = tmp_path / "merged.jsonl"
    assert len(Runner(journal, merged=paths).run(SUBJECT, work.tasks())) == 10
    assert work.done == [2, 5, 8]


def test_journals_that_do_not_fit_are_not_merged(tmp_path: Path) -> None:
    paths = shares(tmp_path, 2)
    other = tmp_path / "other.jsonl"
    Runner(other).run({**SUBJECT, "seed": 8}, Work().tasks())
    with pytest.raises(SettingError, match=r"other\.jsonl: seed: found 8, expected 7 as now"):
        Runner(merged=[*paths, other]).run(SUBJECT, Work().tasks())
    contrary = tmp_path / "contrary.jsonl"
    Runner(contrary).run(SUBJECT, [Task(("task", 0), lambda: {"value": 5})])
    with pytest.raises(CorpusError, match=r"contrary\.jsonl: line 2: found a second record of"):
        Runner(merged=[*paths, contrary]).run(SUBJECT, Work().tasks())
    with pytest.raises(TruebleuError, match=r"nothing\.jsonl: cannot be read: No such file"):
        Runner(merged=[tmp_path / "nothing.jsonl"]).run(SUBJECT, Work().tasks())


def test_a_share_with_nothing_left_to_do_elsewhere_gives_the_result(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    assert len(Runner(path, share=Share(1, 1)).run(SUBJECT, Work().tasks())) == 10
    idle = Work(interrupted=0).tasks()
    assert len(Runner(path, share=Share(2, 3)).run(SUBJECT, idle)) == 10


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "1/0", "-1/3", "a/b", "1/3/5", "¹/3", ""])
def test_shares_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(SettingError, match="expected a share such as 3/64, from 1/64 to 64/64"):
        Share.parse(text)


def test_a_share_needs_a_journal_and_nothing_to_merge(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="tasks: found '1/2', expected a journal beside it"):
        Runner(share=Share(1, 2))
    with pytest.raises(SettingError, match="tasks: found '1/2', expected no --merge beside it"):
        Runner(tmp_path / "journal", share=Share(1, 2), merged=[tmp_path])
