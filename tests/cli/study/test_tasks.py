"""Where a study's tasks run: other processes, or a cluster."""

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


@pytest.mark.slow
def test_other_processes_say_the_same(folder: Path) -> None:
    whole = run(*POWER)
    spread = run(*POWER, "--processes", "2", "--resume", "journal")
    assert (spread.code, spread.out, spread.err) == (0, whole.out, "")
    assert (folder / "journal").read_bytes().count(b"\n") == 13


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--cluster", "local"], "cluster: found 'local', expected a scheduler's address such as"),
        (["--cluster", "10.0.0.1:80", "--processes", "2"], "expected no --processes beside it"),
    ],
)
def test_what_cannot_be_done_is_refused(options: list[str], said: str, folder: Path) -> None:
    refuses(said, *POWER, *options, "--resume", "j")
    assert not (folder / "j").exists()


def test_a_journal_is_not_overwritten_by_a_chart(folder: Path) -> None:
    run(*POWER, "--resume", "share.svg")
    before = (folder / "share.svg").read_bytes()
    refuses("share.svg", *POWER, "--resume", "share.svg", "--chart", "share.svg", "--force")
    assert (folder / "share.svg").read_bytes() == before
