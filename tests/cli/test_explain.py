"""``truebleu explain`` as people call it."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING

import pytest

from tests.simulated_causes import simulate_causes
from truebleu.cli.main import main
from truebleu.simulation import save_test_set

if TYPE_CHECKING:
    from pathlib import Path

REFERENCE = ["-r", "reference-1.txt"]
QUICK = ["--replicates", "200"]


def save(folder: Path) -> None:
    save_test_set(simulate_causes(segments=150), folder)


@pytest.fixture(autouse=True)
def folder(texts_folder: Path) -> Path:
    return texts_folder


def run(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as caught:
        main(["explain", *arguments])
    code = caught.value.code
    return (code if isinstance(code, int) else 0), out.getvalue(), err.getvalue()


def test_the_answer_begins_with_whether_it_is_real() -> None:
    code, out, _ = run(*REFERENCE, *QUICK, "runaway.txt", "baseline.txt")
    assert code == 0
    assert out.startswith("runaway is worse than baseline by")
    assert " runaway outputs of runaway the difference is " in out
    assert "exploratory" in out
    assert len(out.splitlines()) <= 30
    assert "BLEU|nrefs:1" in out


def test_known_documents_are_the_default_unit() -> None:
    texts = [*REFERENCE, *QUICK, "runaway.txt", "baseline.txt", "--documents", "documents.tsv"]
    _, by_document, _ = run(*texts)
    _, by_segment, _ = run(*texts, "--unit", "segment")
    assert " documents, " in by_document
    assert "over 150 segments" in by_segment


@pytest.mark.parametrize("format_", ["json", "tsv", "latex", "markdown"])
def test_every_format_is_there(format_: str) -> None:
    code, out, _ = run(*REFERENCE, *QUICK, "runaway.txt", "baseline.txt", "-f", format_)
    assert code == 0
    assert "runaway" in out


def test_json_adds_up() -> None:
    systems = ["sys=weak-in-sport.txt", "base=baseline.txt"]
    _, out, _ = run(*REFERENCE, *QUICK, *systems, "-m", "bleu", "-m", "ter", "-f", "json")
    result = json.loads(out)
    assert result["version"] == 1
    assert [one["comparison"]["metric"] for one in result["explanations"]] == ["BLEU", "TER"]
    for one in result["explanations"]:
        whole = one["comparison"]["difference"]
        assert sum(one["segments"]) == pytest.approx(whole, abs=1e-9)
        for variable in one["variables"]:
            values = [part["contribution"] for part in variable["slices"]]
            assert sum(values) == pytest.approx(whole, abs=1e-9)


def test_all_systems_are_explained_against_the_baseline() -> None:
    systems = ["baseline.txt", "runaway.txt", "straight-quotes.txt"]
    code, out, _ = run(*REFERENCE, *QUICK, *systems, "--baseline", "baseline")
    assert code == 0
    assert "runaway − baseline by BLEU" in out
    assert "straight-quotes − baseline by BLEU" in out
    code, _, err = run(*REFERENCE, *QUICK, *systems)
    assert code == 2
    assert "baseline" in err


def test_columns_of_the_table_of_documents_make_slices(folder: Path) -> None:
    lines = (folder / "documents.tsv").read_text().splitlines()
    header, rows = lines[0], lines[1:]
    genres = [f"{row}\t{'chat' if number % 3 else 'news'}" for number, row in enumerate(rows)]
    (folder / "genres.tsv").write_text("\n".join([f"{header}\tgenre", *genres]) + "\n")
    texts = [*REFERENCE, *QUICK, "runaway.txt", "baseline.txt"]
    _, out, _ = run(*texts, "--documents", "genres.tsv", "--by", "genre", "--details")
    assert "chat" in out
    _, out, _ = run(*texts, "--by", "genres.tsv#genre", "--details")
    assert "chat" in out
    code, _, err = run(*texts, "--by", "genre")
    assert code == 2
    assert "--documents" in err
    code, _, err = run(*texts, "--documents", "genres.tsv", "--by", "style")
    assert code == 2
    assert "style" in err


def test_counts_of_words_are_read_and_checked(folder: Path) -> None:
    (folder / "counts.tsv").write_text("the\t1000\nriver\t3\n")
    texts = [*REFERENCE, *QUICK, "runaway.txt", "baseline.txt"]
    assert run(*texts, "--counts", "counts.tsv")[0] == 0
    (folder / "bad.tsv").write_text("the\t1000\nriver three\n")
    code, _, err = run(*texts, "--counts", "bad.tsv")
    assert code == 2
    assert "bad.tsv: line 2" in err


def test_hostile_outputs_stay_text(folder: Path) -> None:
    lines = (folder / "baseline.txt").read_text().splitlines()
    hostile = [f"{line} \x1b[31m</script><img onerror=x> \u202eevil" for line in lines]
    (folder / "hostile.txt").write_text("\n".join(hostile) + "\n")
    code, out, _ = run(*REFERENCE, *QUICK, "hostile.txt", "baseline.txt")
    assert code == 0
    assert "\x1b" not in out
    assert "\u202e" not in out
