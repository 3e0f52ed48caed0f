"""``truebleu study type-one`` as a shell meets it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from truebleu.cli.main import main
from truebleu.simulation import save_test_set, simulate

if TYPE_CHECKING:
    from pathlib import Path

QUICK = ["--repetitions", "50", "--replicates", "199"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("type-one")
    save_test_set(simulate(segments=40, systems=[0.1, 0.2, 0.3], document_length=3), folder)
    return folder


@pytest.fixture(autouse=True)
def folder(saved: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(saved)
    return saved


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["study", "type-one", *arguments])
    out, err = capsys.readouterr()
    return int(caught.value.code or 0), out, err


TEXTS = ["-r", "reference-1.txt", "system-1.txt", "system-2.txt", "system-3.txt"]
DOCUMENTS = ["--documents", "documents.tsv"]


def test_the_table_has_every_test_at_every_level(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *TEXTS, *QUICK, "--format", "json")
    assert (code, err) == (0, "")
    result = json.loads(out)
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
        (["--simulate", "20", *QUICK, "--null", "simulated"], "simulated systems with equal"),
        ([*TEXTS, "--null", "given", "-m", "nist"], "system-1 : system-3"),
        (["--simulate", "20", *QUICK, "--together", "2,3"], "Westfall-Young"),
        (
            ["--simulate", "20", *QUICK, "--together", "3", "--correction", "holm"],
            "Holm: a false alarm in",
        ),
        ([*TEXTS, *QUICK, "--test", "ar", "--alpha", "0.2"], "at the level 20 %"),
    ],
)
def test_every_design_answers(
    capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    code, out, err = run(capsys, *options)
    assert (code, err) == (0, "")
    assert said in out


def test_a_journal_is_gone_on_with(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    journal = tmp_path / "type-one.jsonl"
    arguments = [*TEXTS, *QUICK, "--test", "ar", "--resume", str(journal)]
    first = run(capsys, *arguments)
    content = journal.read_bytes()
    assert run(capsys, *arguments) == first
    assert journal.read_bytes() == content
    journal.write_bytes(content[:-5])
    code, out, err = run(capsys, *arguments)
    assert (code, out) == first[:2]
    assert str(journal) in err
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
        ([*TEXTS, "--correction", "holm"], "error: corrections: found ('holm',)"),
        ([*TEXTS, "--null", "given", "--repetitions", "50"], "error: repetitions: found 50"),
        ([*TEXTS, "--null", "given", "--together", "2"], "error: together: found (2,)"),
        (TEXTS[:3], "error: systems: found 1, expected at least 2"),
        (["--simulate", "5"], "error: test set: found '5 segments', expected at least 8"),
        ([], "error: SYSTEM: found 'none'"),
    ],
)
def test_what_cannot_be_studied_is_refused_in_words(
    capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    code, out, err = run(capsys, *options)
    assert (code, out) == (2, "")
    assert err.startswith(said)


def test_the_help_has_examples_and_says_what_the_nulls_are() -> None:
    from truebleu.cli.study import type_one as command

    out = CliRunner().invoke(command, ["--help"]).output
    assert "truebleu study type-one -r ref.txt a.txt b.txt" in out
    assert "simulated: two systems of the simulator with equal channels" in " ".join(out.split())
