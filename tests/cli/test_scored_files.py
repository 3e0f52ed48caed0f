"""Files of scores in place of texts, on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import run

if TYPE_CHECKING:
    from pathlib import Path

ALWAYS = ("--replicates", "200")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty items in clusters of four: new gets every other right, old every third."""
    monkeypatch.chdir(tmp_path)
    for name, every in (("old", 3), ("new", 2)):
        rows = [f"q{n},{int(n % every == 0)},p{n // 4}" for n in range(60)]
        text = "\n".join(["id,score,passage", *(rows[::-1] if name == "new" else rows)])
        (tmp_path / f"{name}.csv").write_text(text + "\n")


def test_compare_needs_no_texts() -> None:
    done = run("compare", "a=new.csv", "b=old.csv", "-m", "scores", "-f", "json", *ALWAYS)
    assert (done.code, done.err) == (0, "")
    (pair,) = json.loads(done.out)["comparisons"]
    assert (pair["a"], pair["b"], pair["metric"]) == ("a", "b", "score")
    assert pair["difference"] == pytest.approx(1 / 6)


def test_a_field_is_the_document_and_another_the_group() -> None:
    done = run(
        *("compare", "new.csv", "old.csv", "-m", "scores", "--documents", "passage"),
        *("--by", "passage", "-f", "json", *ALWAYS),
    )
    result = json.loads(done.out)
    assert result["settings"]["unit"] == "document"
    assert len(result["groups"]) == 15


def test_a_table_of_all_systems_needs_no_system(tmp_path: Path) -> None:
    (tmp_path / "all.tsv").write_text("old\tnew\n" + "0\t1\n1\t1\n" * 10)
    done = run("compare", "-m", "scores:path=all.tsv", "-f", "json", *ALWAYS)
    assert json.loads(done.out)["comparisons"][0]["difference"] == -0.5


def test_a_gate_decides_by_scores() -> None:
    assert run("gate", "new.csv", "old.csv", "-m", "scores", *ALWAYS).code == 0
    strict = run("gate", "old.csv", "new.csv", "-m", "scores", "--margin", "0.01")
    assert (strict.code, strict.err) == (1, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "new.csv", "old.csv"), "files of scores are compared by -m scores"),
        (("compare", "new.csv#id", "old.csv#id"), "references: found 'none'"),
        (("compare", "-m", "scores"), "path: found '', expected a file of scores"),
        (("compare", "new.csv", "old.csv", "-m", "scores", "--strict"), "--strict"),
        (("compare", "new.csv", "old.csv", "-m", "scores,bleu"), "which BLEU needs"),
        (("compare", "new.csv#x", "old.csv", "-m", "scores"), "new.csv: no filter 'x'"),
        (
            ("compare", "new.csv", "old.csv", "-m", "scores", "--documents", "topic"),
            "documents: found 'topic', expected a file, or a field of the items",
        ),
        (("compare", "new.csv", "old.csv", "-m", "scores", "--by", "topic"), "--by: found 'topic'"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
