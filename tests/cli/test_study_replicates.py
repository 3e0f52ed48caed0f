"""``truebleu study replicates`` as people meet it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.study_texts import answer, save_texts, study

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ("replicates", "system-1.txt", "system-2.txt", "-r", "reference-1.txt")
QUICK = (*TEXTS, "--replicates", "100,200", "--repetitions", "5")


@pytest.fixture(scope="module")
def saved_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replicates")
    save_texts(folder)
    return folder


@pytest.fixture(autouse=True)
def folder(saved_once: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(saved_once)
    return saved_once


def test_the_answer_says_how_many_are_enough() -> None:
    result = study(*QUICK, "--enough", "0.2")
    assert (result.code, result.err) == (0, "")
    assert "BLEU: 100 replicates are enough" in result.out


def test_json_has_every_number_of_every_system() -> None:
    found = answer(*QUICK, "-m", "ter", "-m", "bleu")
    assert [row["replicates"] for row in found["rows"]] == [100, 200] * 4
    assert [row["runs"] for row in found["rows"]] == [10, 5] * 4


def test_a_study_goes_on_where_it_stopped(folder: Path) -> None:
    first = study(*QUICK, "--resume", "journal.jsonl")
    journal = folder / "journal.jsonl"
    written = journal.read_bytes()
    assert study(*QUICK, "--resume", "journal.jsonl") == first
    assert journal.read_bytes() == written


def test_a_half_written_line_is_cut_off_and_its_work_done_again(folder: Path) -> None:
    journal = folder / "half.jsonl"
    whole = study(*QUICK, "--resume", "half.jsonl")
    content = journal.read_bytes()
    journal.write_bytes(content[:-20])
    resumed = study(*QUICK, "--resume", "half.jsonl")
    assert (resumed.code, resumed.out) == (0, whole.out)
    assert "half.jsonl" in resumed.err
    assert journal.read_bytes() == content


def test_a_damaged_journal_is_refused_and_left_alone(folder: Path) -> None:
    journal = folder / "damaged.jsonl"
    study(*QUICK, "--resume", "damaged.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2][:-20] + b"\n"
    journal.write_bytes(b"".join(lines))
    result = study(*QUICK, "--resume", "damaged.jsonl")
    assert (result.code, result.out) == (2, "")
    assert "damaged.jsonl: line 3: found" in result.err
    assert journal.read_bytes() == b"".join(lines)


def test_a_chart_is_drawn(folder: Path) -> None:
    assert study(*QUICK, "--chart", "replicates.svg").code == 0
    assert b"theory" in (folder / "replicates.svg").read_bytes()


@pytest.mark.parametrize(
    ("options", "claim"),
    [
        (["--replicates", "10,100"], "replicates: found 10, expected at least 40"),
        (["--replicates", "many"], "replicates: found 'many', expected whole numbers"),
        (["--replicates", "100", "--level", "0.999"], "at least 2000"),
        (["--repetitions", "2"], "repetitions: found 2"),
        (["--enough", "2"], "enough: found 2.0"),
    ],
)
def test_what_can_say_nothing_is_refused(options: list[str], claim: str) -> None:
    result = study(*QUICK, *options)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: ")
    assert claim in result.err
