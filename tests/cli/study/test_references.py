"""``truebleu study references`` as people meet it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.shell import answer, run

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = (
    "study",
    "references",
    "system-1.txt",
    "system-2.txt",
    "-r",
    "reference-1.txt",
    "-r",
    "reference-2.txt",
)
QUICK = (*TEXTS, "--samples", "2", "--replicates", "100")


def test_the_answer_says_what_a_reference_is_worth() -> None:
    result = run(*QUICK, "-r", "reference-3.txt", "-m", "bleu")
    assert (result.code, result.err) == (0, "")
    assert "BLEU: all of the data with 1 reference give as narrow an interval as " in result.out
    assert "7 sets were taken of 3 references" in result.out


def test_json_has_every_number_of_references_and_share() -> None:
    answers = answer(*QUICK, "--shares", "50,75,100")
    assert [row["references"] for row in answers["rows"]] == [1, 1, 1, 2, 2, 2]
    assert [row["sets"] for row in answers["rows"]] == [2, 2, 2, 1, 1, 1]


def test_a_chart_is_drawn(folder: Path) -> None:
    assert run(*QUICK, "--chart", "references.json").code == 0
    assert b"2 references" in (folder / "references.json").read_bytes()


def test_one_reference_is_refused_before_any_work() -> None:
    single = [argument for argument in QUICK if argument != "reference-2.txt"]
    single.reverse()
    single.remove("-r")
    result = run(*reversed(single), "--resume", "never.jsonl")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "error: references: found 1, expected at least 2: a further one is what is studied\n"
    )


def test_no_journal_is_begun_by_what_is_refused(folder: Path) -> None:
    assert run(*QUICK, "--samples", "1", "--resume", "never.jsonl").code == 2
    assert not (folder / "never.jsonl").exists()
