"""``truebleu study test-size`` as people meet it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.study_texts import answer, save_texts, study

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ("test-size", "system-1.txt", "system-2.txt", "-r", "reference-1.txt")
QUICK = (*TEXTS, "--samples", "3", "--replicates", "100", "--shares", "25,50,100")


@pytest.fixture(scope="module")
def saved_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("test-size")
    save_texts(folder)
    return folder


@pytest.fixture(autouse=True)
def folder(saved_once: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(saved_once)
    return saved_once


def test_the_answer_is_a_table_with_sentences_below() -> None:
    result = study(*QUICK)
    assert (result.code, result.err) == (0, "")
    assert "25 %" in result.out
    assert "BLEU: doubling the data narrows the interval by " in result.out


def test_json_has_every_system_and_share() -> None:
    found = answer(*QUICK, "-m", "ter", "-m", "nist", "--recount")
    assert found["study"] == "test-size"
    assert found["settings"]["sizes"] == [20, 40, 80]
    assert [row["share"] for row in found["rows"]] == [0.25, 0.5, 1.0] * 4
    assert {row["system"] for row in found["rows"]} == {"system-1", "system-2"}


def test_documents_grow_as_wholes() -> None:
    documents = ("--documents", "documents.tsv", "--unit", "document")
    found = answer(*QUICK, *documents)
    whole = found["settings"]["pool"]["documents"]
    assert found["settings"]["sizes"][-1] == whole < 80


def test_given_scores_can_be_studied(folder: Path) -> None:
    lines = ["system\tsegment\tscore"]
    for system in ("system-1", "system-2"):
        lines += [f"{system}\t{number}\t{50 + number % 7}" for number in range(1, 81)]
    (folder / "human.tsv").write_text("\n".join(lines) + "\n")
    found = answer(*QUICK, "-m", "scores:path=human.tsv")
    assert found["rows"][0]["metric"] == "human"
    assert found["rows"][-1]["score"] == pytest.approx(
        sum(50 + number % 7 for number in range(1, 81)) / 80
    )


def test_a_chart_is_drawn(folder: Path) -> None:
    assert study(*QUICK, "--chart", "size.svg").code == 0
    assert b"<svg" in (folder / "size.svg").read_bytes()


@pytest.mark.parametrize(
    ("options", "claim"),
    [
        (["--shares", "10,x"], "shares: found '10,x', expected percent"),
        (["--shares", "1,50,100"], "at least 5 segments in a part"),
        (["--shares", "50,100"], "expected at least 3"),
        (
            ["--shares", "50,100,200"],
            "share: found '200 %', expected more than 0 and at most 100 %",
        ),
        (["--samples", "1"], "samples: found 1"),
        (["--replicates", "5"], "replicates: found 5"),
        (["--unit", "document"], "a test set with documents"),
        (["-m", "nosuch"], "unknown metric 'nosuch'"),
    ],
)
def test_what_can_say_nothing_is_refused(options: list[str], claim: str) -> None:
    result = study(*QUICK, *options)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: ")
    assert claim in result.err
