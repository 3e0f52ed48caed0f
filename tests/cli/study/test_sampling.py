"""``truebleu study sampling`` as a shell meets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.shell import answer, run
from tests.cli.texts import TWO_SYSTEMS

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["study", "sampling", *TWO_SYSTEMS, "--independent", "100"]


def test_the_table_has_scores_and_differences() -> None:
    answers = answer(*TEXTS, "--sizes", "8,16")
    names = [(row["system"], row["other"]) for row in answers["rows"] if row["size"] == 16]
    assert names == [("system-1", None), ("system-2", None), ("system-1", "system-2")]
    assert [mean["of"] for mean in answers["means"]] == ["score", "difference"] * 2
    text = run(*TEXTS, "--sizes", "8,16").out
    for name in ("system-1 against system-2", "mean of scores"):
        assert name in text
    assert "mean of differences" not in text
    assert answers["settings"]["sizes"] == [8, 16]
    assert {row["samples"] for row in answers["rows"]} == {5, 10}


def test_the_text_says_what_a_block_is_worth() -> None:
    result = run(*TEXTS, "--sizes", "8", "-m", "ter")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(
        "Scores and differences on consecutive blocks and on systematic samples"
    )
    assert "TER on 8 segments: scores have a standard deviation of " in result.out


def test_documents_may_be_the_units(folder: Path) -> None:
    answers = answer(*TEXTS, "--documents", "documents.tsv", "--unit", "document", "--sizes", "2")
    assert answers["settings"]["pool"]["unit"] == "document"
    assert run(*TEXTS, "--sizes", "8", "--chart", "spread.json").code == 0
    assert "systematic samples of 8" in (folder / "spread.json").read_text("utf-8")
