"""``truebleu study test-size`` as people meet it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import answer, run

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ("study", "test-size", "system-1.txt", "system-2.txt", "-r", "reference-1.txt")
QUICK = (*TEXTS, "--samples", "3", "--replicates", "100", "--shares", "25,50,100")


def test_the_answer_is_a_table_with_sentences_below() -> None:
    result = run(*QUICK)
    assert (result.code, result.err) == (0, "")
    assert "25 %" in result.out
    assert "BLEU: doubling the data narrows the interval by " in result.out


def test_json_has_every_system_and_share() -> None:
    answers = answer(*QUICK, "-m", "ter", "-m", "nist", "--recount")
    assert answers["study"] == "test-size"
    assert answers["settings"]["sizes"] == [20, 40, 80]
    assert [row["share"] for row in answers["rows"]] == [0.25, 0.5, 1.0] * 4
    assert {row["system"] for row in answers["rows"]} == {"system-1", "system-2"}


def test_documents_grow_as_wholes() -> None:
    documents = ("--documents", "documents.tsv", "--unit", "document")
    answers = answer(*QUICK, *documents)
    whole = answers["settings"]["pool"]["documents"]
    assert answers["settings"]["sizes"][-1] == whole < 80


def test_given_scores_can_be_studied(folder: Path) -> None:
    lines = ["system\tsegment\tscore"]
    for system in ("system-1", "system-2"):
        lines += [f"{system}\t{number}\t{50 + number % 7}" for number in range(1, 81)]
    (folder / "human.tsv").write_text("\n".join(lines) + "\n")
    answers = answer(*QUICK, "-m", "scores:path=human.tsv")
    assert answers["rows"][0]["metric"] == "human"
    assert answers["rows"][-1]["score"] == pytest.approx(
        sum(50 + number % 7 for number in range(1, 81)) / 80
    )


def test_a_chart_is_drawn(folder: Path) -> None:
    assert run(*QUICK, "--chart", "size.svg").code == 0
    assert b"<svg" in (folder / "size.svg").read_bytes()
