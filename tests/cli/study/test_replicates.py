"""``truebleu study replicates`` as people meet it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.shell import answer, run

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ("study", "replicates", "system-1.txt", "system-2.txt", "-r", "reference-1.txt")
QUICK = (*TEXTS, "--replicates", "100,200", "--repetitions", "5")


def test_the_answer_says_how_many_are_enough() -> None:
    result = run(*QUICK, "--enough", "0.2")
    assert (result.code, result.err) == (0, "")
    assert "BLEU: 100 replicates are enough" in result.out


def test_json_has_every_number_of_every_system() -> None:
    answers = answer(*QUICK, "-m", "ter", "-m", "bleu")
    assert [row["replicates"] for row in answers["rows"]] == [100, 200] * 4
    assert [row["runs"] for row in answers["rows"]] == [10, 5] * 4


def test_a_study_goes_on_where_it_stopped(folder: Path) -> None:
    first = run(*QUICK, "--resume", "journal.jsonl")
    journal = folder / "journal.jsonl"
    written = journal.read_bytes()
    assert run(*QUICK, "--resume", "journal.jsonl") == first
    assert journal.read_bytes() == written


def test_a_half_written_line_is_cut_off_and_its_work_done_again(folder: Path) -> None:
    journal = folder / "half.jsonl"
    whole = run(*QUICK, "--resume", "half.jsonl")
    content = journal.read_bytes()
    journal.write_bytes(content[:-20])
    resumed = run(*QUICK, "--resume", "half.jsonl")
    assert (resumed.code, resumed.out) == (0, whole.out)
    assert journal.read_bytes() == content


def test_a_damaged_journal_is_refused_and_left_alone(folder: Path) -> None:
    journal = folder / "damaged.jsonl"
    run(*QUICK, "--resume", "damaged.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2][:-20] + b"\n"
    journal.write_bytes(b"".join(lines))
    result = run(*QUICK, "--resume", "damaged.jsonl")
    assert (result.code, result.out) == (2, "")
    assert "damaged.jsonl: line 3: found" in result.err
    assert journal.read_bytes() == b"".join(lines)


def test_a_chart_is_drawn(folder: Path) -> None:
    assert run(*QUICK, "--chart", "replicates.json").code == 0
    assert b"theory" in (folder / "replicates.json").read_bytes()
