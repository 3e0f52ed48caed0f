"""``--resume``: what an interrupted study leaves, and what is refused as such."""

from __future__ import annotations

import io
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import run
from tests.cli.texts import save_texts
from truebleu.schema import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from truebleu.execution.journal import Record

TEXTS = ["-r", "reference-1.txt", "system-1.txt", "system-2.txt"]
STUDIES = {
    "sampling": ["--sizes", "8,16", "--independent", "100"],
    "coverage": ["--sizes", "10,20", "--samples", "6", "--replicates", "50"],
    "power": ["--sizes", "10,20", "--samples", "6", "--replicates", "50"],
    "accuracy": ["--sizes", "10,20", "--samples", "6", "--replicates", "50"],
}
POWER = ["study", "power", *TEXTS, *STUDIES["power"], "--format", "json"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    save_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def interrupt_after(done: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Press Ctrl-C when so many tasks are done: the next one fails half way."""
    from truebleu.execution.journal import Runner, Task

    finished = Runner._finished

    def interrupted(self: Runner, tasks: Sequence[Task]) -> Iterator[tuple[Task, Record]]:
        yield from finished(self, tasks[:done])
        tasks[done].work()
        raise KeyboardInterrupt

    monkeypatch.setattr(Runner, "_finished", interrupted)


@pytest.mark.parametrize("name", STUDIES)
def test_an_interrupted_study_goes_on_and_says_the_same(name: str, folder: Path) -> None:
    arguments = ["study", name, *TEXTS, *STUDIES[name], "--format", "json"]
    whole = run(*arguments)
    assert (whole.code, whole.err) == (0, "")
    with pytest.MonkeyPatch.context() as patched:
        interrupt_after(3, patched)
        stopped = run(*arguments, "--resume", "journal")
    assert (stopped.code, stopped.out) == (130, "")
    left = (folder / "journal").read_bytes()
    assert left.count(b"\n") == 4
    with pytest.MonkeyPatch.context() as patched:
        interrupt_after(2, patched)
        assert run(*arguments, "--resume", "journal").code == 130
    assert (folder / "journal").read_bytes().count(b"\n") == 6
    finished = run(*arguments, "--resume", "journal")
    assert (finished.code, finished.out) == (0, whole.out)
    assert (folder / "journal").read_bytes().startswith(left)


@pytest.mark.parametrize("name", STUDIES)
def test_a_finished_study_repeats_no_work(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["study", name, *TEXTS, *STUDIES[name], "--format", "json", "--resume", "journal"]
    first = run(*arguments)
    before = (folder / "journal").read_bytes()
    monkeypatch.setattr("truebleu.studies._study.Pool.take", pytest.fail)
    again = run(*arguments)
    assert (again.code, again.out, again.err) == (0, first.out, "")
    assert (folder / "journal").read_bytes() == before


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda data: data + b"1,2\n", "line 14: something else; expected a finished task"),
        (lambda _: b"Once upon a time\n", "line 1: something else; expected the first line"),
        (lambda _: b'{"version": 1}\n', "line 1: something else"),
    ],
)
def test_a_damaged_journal_is_refused_and_left_as_it_is(
    damage: Callable[[bytes], bytes], said: str, folder: Path
) -> None:
    journal = folder / "journal"
    assert run(*POWER, "--resume", "journal").code == 0
    damaged = damage(journal.read_bytes())
    journal.write_bytes(damaged)
    result = run(*POWER, "--resume", "journal")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: journal: ")
    assert said in result.err
    assert journal.read_bytes() == damaged


@pytest.mark.parametrize("lost", [1, 9, 50])
def test_half_a_line_is_cut_off_and_its_task_done_again(lost: int, folder: Path) -> None:
    journal = folder / "journal"
    whole = run(*POWER, "--resume", "journal")
    lines = journal.read_bytes()
    journal.write_bytes(lines[:-lost])
    result = run(*POWER, "--resume", "journal")
    assert (result.code, result.out, result.err) == (0, whole.out, "")
    assert journal.read_bytes() == lines


def test_a_journal_of_other_documents_is_refused(folder: Path) -> None:
    segments = (folder / "reference-1.txt").read_text("utf-8").count("\n")
    for name, documents in (("a", 8), ("b", 10)):
        labels = "".join(f"d{i % documents}\n" for i in range(segments))
        (folder / name).write_text(labels, "utf-8")
    options = ["--unit", "document", "--sizes", "4", "--samples", "6", "--replicates", "50"]
    coverage = ["study", "coverage", *TEXTS, *options, "--resume", "journal", "--documents"]
    result = run(*coverage, "a")
    assert result.code == 0, result.err
    before = (folder / "journal").read_bytes()
    result = run(*coverage, "b")
    assert (result.code, result.out) == (2, "")
    assert "error: journal: pool.documents: 8; expected 10;" in result.err
    (folder / "b").write_text((folder / "a").read_text("utf-8").replace("d0", "d9"), "utf-8")
    result = run(*coverage, "b")
    assert "error: journal: pool.documents_fingerprint: " in result.err
    assert (folder / "journal").read_bytes() == before


def test_a_journal_of_other_scores_is_refused(folder: Path) -> None:
    segments = (folder / "reference-1.txt").read_text("utf-8").count("\n")
    rows = ["system\tsegment\tscore"]
    rows += [f"system-{s}\t{i}\t{i % 7 + s}" for s in (1, 2) for i in range(1, segments + 1)]
    options = ["-m", "scores:path=scores.tsv", *STUDIES["power"], "--resume", "journal"]
    (folder / "scores.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    result = run("study", "power", *TEXTS, *options)
    assert result.code == 0, result.err
    (folder / "scores.tsv").write_text("\n".join(rows) + "5\n", "utf-8")
    result = run("study", "power", *TEXTS, *options)
    assert (result.code, result.out) == (2, "")
    assert "error: journal: pool.metrics: " in result.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([*POWER, "--seed", "7"], "journal: seed: 12345; expected 7;"),
        ([*POWER, "--tests", "ar"], "journal: tests: ['ar', 'wins']; expected ['ar'];"),
        (["study", "accuracy", *POWER[2:]], "journal: "),
        ([*POWER, "-m", "ter"], "journal: pool.metrics: [{'label': 'BLEU'"),
    ],
)
def test_a_journal_of_other_settings_is_refused(
    arguments: list[str], said: str, folder: Path
) -> None:
    assert run(*POWER, "--resume", "journal").code == 0
    before = (folder / "journal").read_bytes()
    result = run(*arguments, "--resume", "journal")
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert "resume with the old settings, or use another file" in result.err
    assert (folder / "journal").read_bytes() == before


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ("system-2.txt", "pool.outputs_fingerprint"),
        ("reference-1.txt", "pool.references_fingerprint"),
    ],
)
def test_a_journal_of_other_texts_is_refused(changed: str, name: str, folder: Path) -> None:
    assert run(*POWER, "--resume", "journal").code == 0
    before = (folder / "journal").read_bytes()
    text = (folder / changed).read_text("utf-8")
    (folder / changed).write_text("another" + text, "utf-8")
    result = run(*POWER, "--resume", "journal")
    assert (result.code, result.out) == (2, "")
    assert f"error: journal: {name}: " in result.err
    assert (folder / "journal").read_bytes() == before


def test_a_journal_that_cannot_be_opened_is_rejected(folder: Path) -> None:
    (folder / "directory").mkdir()
    result = run(*POWER, "--resume", "directory")
    assert (result.code, result.out) == (2, "")
    assert "directory: cannot be opened: Is a directory" in result.err
    result = run(*POWER, "--resume", "nowhere/journal")
    assert (result.code, result.out) == (2, "")
    assert "nowhere/journal: cannot be opened: No such file or directory" in result.err
    assert not (folder / "nowhere").exists()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextmanager
def _standard_error(stream: io.StringIO) -> Iterator[io.StringIO]:
    before, sys.stderr = sys.stderr, stream
    try:
        yield stream
    finally:
        sys.stderr = before


def test_progress_is_shown_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN", -1.0)
    from truebleu.cli.main import main

    shown = {}
    for kind in (io.StringIO, Terminal):
        with _standard_error(kind()) as stream, pytest.raises(SystemExit) as caught:
            main(POWER)
        assert caught.value.code in (0, None)
        shown[kind] = stream.getvalue()
    assert shown[io.StringIO] == ""
    assert " 50 %" in shown[Terminal]
    # The bar goes when the work is done.
    assert shown[Terminal].endswith("\r\033[K")
