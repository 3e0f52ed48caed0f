"""Where a study's tasks run: other processes, a cluster, or jobs that each do a share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import refuses, run
from tests.cli.texts import TWO_SYSTEMS

if TYPE_CHECKING:
    from pathlib import Path

POWER = [
    *("study", "power", *TWO_SYSTEMS),
    *("--sizes", "10,20", "--samples", "6", "--replicates", "50"),
]


def test_the_shares_of_an_array_of_jobs_are_merged(folder: Path) -> None:
    whole = run(*POWER)
    (folder / "shares").mkdir()
    for number in (1, 2):
        journal = f"shares/{number}.jsonl"
        share = run(*POWER, "--tasks", f"{number}/2", "--resume", journal)
        told = f"share {number}/2: 6 of 12 tasks are done and kept in {journal}\n"
        assert (share.code, share.out, share.err) == (0, "", told)
        assert run(*POWER, "--tasks", f"{number}/2", "--resume", journal, "-q").err == ""
    for files in (["shares"], ["shares/*.jsonl"], ["shares/1.jsonl", "shares/2.jsonl"]):
        merged = run(*POWER, *(word for file in files for word in ("--merge", file)))
        assert (merged.code, merged.out, merged.err) == (0, whole.out, "")
    refuses("merge: found '6 of 12 tasks', expected all of", *POWER, "--merge", "shares/2.jsonl")
    rest = run(*POWER, "--merge", "shares/2.jsonl", "--resume", "whole.jsonl")
    assert (rest.code, rest.out) == (0, whole.out)


@pytest.mark.slow
@pytest.mark.parametrize("where", [["--processes", "2"], ["--cluster", "local:2"]])
def test_other_processes_say_the_same(where: list[str], folder: Path) -> None:
    whole = run(*POWER)
    spread = run(*POWER, *where, "--resume", "journal")
    assert (spread.code, spread.out, spread.err) == (0, whole.out, "")
    assert (folder / "journal").read_bytes().count(b"\n") == 13


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--tasks", "3/2", "--resume", "j"], "tasks: found '3/2', expected a share such as 3/64"),
        (["--tasks", "1/2"], "tasks: found '1/2', expected a journal beside it (--resume FILE)"),
        (["--tasks", "1/2", "--resume", "j", "--merge", "k"], "expected no --merge beside it"),
        (["--tasks", "1/2", "--resume", "j", "--chart", "c.svg"], "a share has no result to draw"),
        (["--cluster", "local:x"], "cluster: found 'local:x', expected local, local:N, or a sched"),
        (["--cluster", "local", "--processes", "2"], "expected no --processes beside it"),
        (["--merge", "nowhere"], "nowhere: cannot be read: No such file or directory"),
    ],
)
def test_what_cannot_be_done_is_refused(options: list[str], said: str, folder: Path) -> None:
    refuses(said, *POWER, *options)
    assert not (folder / "j").exists()


def test_a_journal_is_not_overwritten_by_a_chart(folder: Path) -> None:
    run(*POWER, "--tasks", "1/1", "--resume", "share.svg")
    before = (folder / "share.svg").read_bytes()
    refuses("share.svg", *POWER, "--merge", "share.svg", "--chart", "share.svg", "--force")
    assert (folder / "share.svg").read_bytes() == before
