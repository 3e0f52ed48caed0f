"""``truebleu study type-one`` as a shell meets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from tests.cli.shell import answer, refuses, run, says
from tests.cli.texts import save_three_systems as save  # noqa: F401  # for conftest

if TYPE_CHECKING:
    from pathlib import Path

QUICK = ["--repetitions", "50", "--replicates", "199"]
TEXTS = [
    "study",
    "type-one",
    "-r",
    "reference-1.txt",
    "system-1.txt",
    "system-2.txt",
    "system-3.txt",
]
DOCUMENTS = ["--documents", "documents.tsv"]


def test_the_table_has_every_test_at_every_level() -> None:
    result = answer(*TEXTS, *QUICK)
    assert result["study"] == "type-one"
    assert [row["alpha"] for row in result["rows"]] == [0.01, 0.05, 0.1] * 5
    assert result["settings"]["null"] == "segment"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            [*TEXTS, *QUICK, *DOCUMENTS, "--null", "document"],
            "swapped by document, tested by seg",
        ),
        (
            [*TEXTS, *QUICK, *DOCUMENTS, "--null", "document", "--unit", "document"],
            "tested by document",
        ),
        (
            ["study", "type-one", "--simulate", "20", *QUICK, "--null", "simulated"],
            "simulated systems with equal",
        ),
        ([*TEXTS, "--null", "given", "-m", "nist"], "system-1 : system-3"),
        (["study", "type-one", "--simulate", "20", *QUICK, "--together", "2,3"], "Westfall-Young"),
        (
            [
                "study",
                "type-one",
                "--simulate",
                "20",
                *QUICK,
                "--together",
                "3",
                "--correction",
                "holm",
            ],
            "Holm: a false alarm in",
        ),
        ([*TEXTS, *QUICK, "--test", "ar", "--alpha", "0.2"], "at the level 20 %"),
    ],
)
def test_every_design_answers(options: list[str], said: str) -> None:
    says(said, *options)


def test_a_journal_is_gone_on_with(tmp_path: Path) -> None:
    journal = tmp_path / "type-one.jsonl"
    arguments = [*TEXTS, *QUICK, "--test", "ar", "--resume", str(journal)]
    first = run(*arguments)
    content = journal.read_bytes()
    assert run(*arguments) == first
    assert journal.read_bytes() == content
    journal.write_bytes(content[:-5])
    resumed = run(*arguments)
    assert (resumed.code, resumed.out) == (first.code, first.out)
    assert journal.read_bytes() == content


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([*TEXTS, "--null", "document"], "error: null: found 'document', expected a test set with"),
        ([*TEXTS, "--repetitions", "9"], "error: repetitions: found 9, expected at least 50"),
        ([*TEXTS, "--replicates", "9"], "error: replicates: found 9, expected at least 99"),
        ([*TEXTS, "--alpha", "nan"], "error: alpha: found nan"),
        ([*TEXTS, "--test", "student"], "error: test student: found 'BLEU'"),
        ([*TEXTS, "--together", "2,9"], "error: systems to compare: found 9"),
        ([*TEXTS, "--together", "two"], "error: together: found 'two'"),
        ([*TEXTS, "--together", "2", "--test", "wins"], "error: unknown test 'wins'"),
        ([*TEXTS, "--together", "2", "--test", "ar", "--test", "bootstrap"], "error: test: found"),
        ([*TEXTS, "--correction", "holm"], "error: --correction: found ('holm',)"),
        ([*TEXTS, "--null", "given", "--repetitions", "50"], "error: --repetitions: found 50"),
        ([*TEXTS, "--null", "given", "--together", "2"], "error: --together: found (2,)"),
        (TEXTS[:5], "error: systems: found 1, expected at least 2"),
        (
            ["study", "type-one", "--simulate", "5"],
            "error: test set: found '5 segments', expected at least 8",
        ),
        (["study", "type-one"], "error: SYSTEM: found 'none'"),
    ],
)
def test_what_cannot_be_studied_is_refused_in_words(options: list[str], said: str) -> None:
    refuses(said, *options)


def test_the_help_has_examples_and_says_what_the_nulls_are() -> None:
    from truebleu.cli.study import type_one as command

    out = CliRunner().invoke(command, ["--help"]).output
    assert "truebleu study type-one -r ref.txt a.txt b.txt" in out
    assert "simulated: two systems of the simulator with equal channels" in " ".join(out.split())
