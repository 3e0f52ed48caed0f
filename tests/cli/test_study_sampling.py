"""``truebleu study sampling`` as a shell meets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.study_texts import answer, save_texts, study

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [
    "sampling",
    "-r",
    "reference-1.txt",
    "system-1.txt",
    "system-2.txt",
    "--independent",
    "100",
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    save_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_table_has_scores_and_differences() -> None:
    found = answer(*TEXTS, "--sizes", "8,16")
    names = [(row["system"], row["other"]) for row in found["rows"] if row["size"] == 16]
    assert names == [("system-1", None), ("system-2", None), ("system-1", "system-2")]
    assert [mean["of"] for mean in found["means"]] == ["score", "difference"] * 2
    text = study(*TEXTS, "--sizes", "8,16").out
    for name in ("system-1 against system-2", "mean of scores"):
        assert name in text
    assert "mean of differences" not in text
    assert found["settings"]["sizes"] == [8, 16]
    assert {row["samples"] for row in found["rows"]} == {5, 10}


def test_the_text_says_what_a_block_is_worth() -> None:
    result = study(*TEXTS, "--sizes", "8", "-m", "ter")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(
        "Scores and differences on consecutive blocks and on systematic samples"
    )
    assert "TER on 8 segments: scores have a standard deviation of " in result.out


def test_documents_may_be_the_units(folder: Path) -> None:
    found = answer(*TEXTS, "--documents", "documents.tsv", "--unit", "document", "--sizes", "2")
    assert found["settings"]["pool"]["unit"] == "document"
    assert study(*TEXTS, "--sizes", "8", "--chart", "spread.svg").code == 0
    assert "systematic samples of 8" in (folder / "spread.svg").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sizes", "81"], "error: size: found 81, expected no more than the pool has: 80"),
        (["--sizes", "20"], "error: size: found 20, expected at most 16 for 5 block samples"),
        (["--sizes", "many"], "error: sizes: found 'many'"),
        (["--samples", "2"], "error: samples: found 2, expected at least 5"),
        (["--independent", "7"], "error: independent: found 7, expected at least 100"),
        (["--unit", "document"], "error: unit: found 'document', expected a test set with"),
        (["--pair", "system-1", "x"], "error: unknown system 'x'"),
        (["--pair", "system-1", "x", "--pairs", "all"], "no --pairs all beside it"),
        (["--baseline", "system-1", "--pairs", "all"], "no other choice of pairs beside it"),
    ],
)
def test_bad_input_is_said_and_exits_with_2(options: list[str], said: str) -> None:
    result = study(*TEXTS, *options)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert "Traceback" not in result.err
