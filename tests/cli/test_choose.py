"""``truebleu choose`` as people meet it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import answer, refuses, run
from tests.cli.texts import save_judged

if TYPE_CHECKING:
    from pathlib import Path

SYSTEMS = ("system-1.txt", "system-2.txt", "system-3.txt")
TEXTS = ("choose", *SYSTEMS, "-r", "reference-1.txt", "--human", "human.tsv")
GRID = ("-m", "sentbleu:smoothing=4,k=1|2|5|10")
QUICK = (*TEXTS, *GRID, "--replicates", "100", "--permutations", "50")
TEST_SYSTEMS = tuple(part for name in SYSTEMS for part in ("--test-system", name))
TEST = ("--test-reference", "reference-1.txt", "--test-human", "human.tsv")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    save_judged(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_setting_is_listed_and_the_chosen_one_is_reported_on_the_test_part() -> None:
    result = run(*QUICK)
    assert (result.code, result.err) == (0, "")
    for k in (1, 2, 5, 10):
        assert f"sentbleu:smoothing=4,k={k} " in result.out
    assert "has the largest value of 4 settings" in result.out
    assert "On the test part (3 systems, 20 judged segments) it has " in result.out
    assert "flatters" in result.out


def test_json_has_all_that_is_needed_to_repeat_it() -> None:
    answers = answer(*QUICK, "--documents", "documents.tsv", "--development", "0.4")
    assert answers["version"] == 1
    assert [one["setting"] for one in answers["candidates"]] == [1, 2, 5, 10]
    best = max(one["value"] for one in answers["candidates"])
    assert answers["on_development"] == best
    assert answers["on_test"]["low"] <= answers["on_test"]["high"]
    assert answers["default"] == "sentbleu:smoothing=4,k=5"
    assert answers["settings"]["seed"] == 12345
    assert answers["development"]["items"] + answers["test"]["items"] == 40
    assert answers["development"]["items"] == pytest.approx(16, abs=3)
    assert all("sentBLEU|nrefs:1" in signature for signature in answers["signatures"].values())


def test_every_format_has_all_rows(folder: Path) -> None:
    tsv = [line for line in run(*QUICK, "-f", "tsv").out.split("\n") if line[:1] not in ("#", "")]
    assert tsv[0].split("\t") == ["settings", "development", "test", "low", "high", "role"]
    assert len(tsv) == 5
    assert run(*QUICK, "-f", "latex").out.count(r"\\") == 5
    assert run(*QUICK, "-f", "markdown").out.count("\n| ") == 6
    assert run(*QUICK, "--chart", "choose.svg", "--force").code == 0
    picture = (folder / "choose.svg").read_bytes()
    assert all(text in picture for text in (b">k of sentbleu<", b">chosen<", b"on development<"))


@pytest.mark.slow
def test_several_grids_and_another_coefficient_can_be_given(folder: Path) -> None:
    answers = answer(*QUICK, "-m", "chrf:char_order=4|6,word_order=0|2", "-c", "kendall-b")
    assert len(answers["candidates"]) == 8
    assert answers["question"].startswith("segment|kendall-b")
    more = ("-m", "chrf:char_order=4|6", "--chart", "choose.html", "--force")
    assert run(*QUICK, *more).code == 0
    assert b"chrf:char_order=6" in (folder / "choose.html").read_bytes()


def test_another_test_set_can_be_reported_on() -> None:
    answers = answer(*QUICK, *TEST, *TEST_SYSTEMS, "--test-documents", "documents.tsv")
    assert not answers["split"]
    assert answers["test"]["items"] == answers["development"]["items"] == 40
    assert answers["on_test"]["value"] == answers["on_development"]


def test_a_test_set_that_is_the_development_set_is_told(folder: Path) -> None:
    told = "Development and test are the same outputs and judgments"
    assert any(told in one for one in answer(*QUICK, *TEST, *TEST_SYSTEMS)["sentences"])
    rows = (folder / "human.tsv").read_text("utf-8").splitlines(keepends=True)
    (folder / "fewer.tsv").write_text("".join(rows[:-1]), "utf-8")
    fewer = (*TEST[:3], "fewer.tsv")
    assert told not in run(*QUICK, *fewer, *TEST_SYSTEMS).out


def test_comparisons_of_pairs_can_be_given() -> None:
    texts = ("choose", *SYSTEMS, "-r", "reference-1.txt", "--human", "pairs.csv")
    assert answer(*texts, *GRID)["on_test"]["value"] is not None


@pytest.mark.parametrize(
    ("arguments", "claim"),
    [
        ((*TEXTS, "-m", "sentbleu"), "at least two settings"),
        ((*TEXTS, "-m", "sentbleu:smoothing=1|4,k=1|2"), "settings that go together"),
        ((*TEXTS, "-m", "nonsense:k=1|2"), "unknown metric"),
        ((*QUICK, "--development", "0"), "development: found 0.0"),
        ((*QUICK, "--development", "0.02"), "at least 2 judged segments to each part"),
        ((*QUICK, "-c", "nonsense"), "unknown coefficient"),
        ((*QUICK, *TEST), "test-system: found 'nothing'"),
        ((*QUICK, "--test-documents", "documents.tsv"), "together"),
        ((*QUICK, "--resample", "documents"), "see --documents"),
        ((*QUICK, *TEST, "--test-system", "system-1.txt"), "two"),
        ((*QUICK, *TEST, *TEST_SYSTEMS, "--development", "0.5"), "all of this one is development"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: tuple[str, ...], claim: str) -> None:
    refuses(claim, *arguments)


def test_a_grid_is_needed() -> None:
    result = run(*TEXTS)
    assert result.code == 2
    assert "Missing option '-m'" in result.err
