"""``truebleu study smoothing`` as people meet it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import answer, refuses, run
from tests.cli.texts import save_judged as save  # noqa: F401  # for conftest

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = (
    "study",
    "smoothing",
    "system-1.txt",
    "system-2.txt",
    "system-3.txt",
    "-r",
    "reference-1.txt",
)
QUICK = (*TEXTS, "--human", "human.tsv", "--replicates", "100", "--permutations", "50")


def test_the_table_has_the_papers_rows_and_says_who_is_best() -> None:
    result = run(*QUICK)
    assert (result.code, result.err) == (0, "")
    labels = [line.split()[0] for line in result.out.split("\n")[4:13]]
    assert labels == ["crp", "0", "1", "2", "3", "4", "5", "6", "7"]
    assert "By segment τ smoothing" in result.out
    assert "ties of theirs are left out" in result.out


def test_every_format_has_all_rows(folder: Path) -> None:
    answers = answer(*QUICK)
    assert [row["smoothing"] for row in answers["rows"]] == ["crp", *map(str, range(8))]
    assert answers["settings"]["k"] == 5
    tsv = run(*QUICK, "--format", "tsv").out.rstrip("\n").split("\n")
    assert len([line for line in tsv if not line.startswith("#")]) == 10
    assert run(*QUICK, "--format", "latex").out.count(r"\\") == 10
    assert run(*QUICK, "--format", "markdown").out.count("\n| ") == 11
    assert run(*QUICK, "--chart", "smoothing.json", "--force").code == 0
    assert b"system" in (folder / "smoothing.json").read_bytes()


def test_comparisons_of_pairs_can_be_given() -> None:
    answers = answer(*TEXTS, "--human", "pairs.csv", "--replicates", "100", "--permutations", "50")
    rows = {row["smoothing"]: row for row in answers["rows"]}
    assert rows["crp"]["tau"]["value"] is None
    assert rows["0"]["tau"]["low"] < rows["0"]["tau"]["high"]


def test_options_reach_the_study_and_a_journal_is_gone_on_with(tmp_path: Path) -> None:
    journal = str(tmp_path / "smoothing.jsonl")
    options = ("--epsilon", "0.5", "--k", "2", "--alpha", "1", "--tokenize", "none", "--lowercase")
    documents = ("--documents", "documents.tsv", "--unit", "document", "--system-scores", "rated")
    first = answer(*QUICK, *options, *documents, "--resume", journal)
    pool = first["settings"]["pool"]
    signatures = [metric["signature"] for metric in pool["metrics"]]
    assert "epsilon=0.5" in str(signatures)
    assert all("|case:lc|" in line and "|tok:none|" in line for line in signatures)
    assert pool["unit"] == "document"
    assert answer(*QUICK, *options, *documents, "--resume", journal) == first
    other = run(*QUICK, "--resume", journal)
    assert (other.code, other.out) == (2, "")


@pytest.mark.parametrize("option", [("-m", "bleu"), ("--simulate", "100")])
def test_options_that_would_do_nothing_are_not_offered(option: tuple[str, str]) -> None:
    result = run(*QUICK, *option)
    assert result.code == 2
    assert "No such option" in result.err


@pytest.mark.parametrize(
    ("arguments", "claim"),
    [
        ((*TEXTS, "--human", "missing.tsv"), "missing.tsv"),
        (
            ("study", "smoothing", "system-1.txt", "-r", "reference-1.txt", "--human", "human.tsv"),
            "two",
        ),
        ((*QUICK, "--unit", "document"), "see --documents"),
        ((*QUICK, "--epsilon", "0"), "epsilon: found 0.0"),
        ((*QUICK, "--tokenize", "nonsense"), "tokenizer"),
        ((*TEXTS, "--human", "human.tsv", "--replicates", "5"), "replicates: found 5"),
        ((*TEXTS, "--human", "reference-1.txt"), "reference-1.txt"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: tuple[str, ...], claim: str) -> None:
    refuses(claim, *arguments)
