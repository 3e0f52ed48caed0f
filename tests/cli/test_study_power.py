"""``truebleu study power`` as a shell meets it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.cli.study_texts import answer, save_texts, study

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["power", "-r", "reference-1.txt", "system-1.txt", "system-2.txt", "--replicates", "50"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    save_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_cells_are_for_people_and_numbers_for_programs() -> None:
    options = ["--sizes", "10,40", "--samples", "20", "--test", "wins"]
    found = answer(*TEXTS, *options)
    small, large = found["rows"]
    assert (small["better"], small["worse"]) == ("system-1", "system-2")
    assert (small["test"], small["size"], large["size"]) == ("wins", 10, 40)
    text = study(*TEXTS, *options).out
    assert "10 (×20)" in text
    assert f"{100 * large['right']['value']:.0f} %" in text


def test_tests_metrics_and_pairs_may_be_chosen(folder: Path) -> None:
    options = ["--sizes", "10", "--samples", "5", "--test", "ar", "--test", "interval"]
    found = answer(*TEXTS, *options, "-m", "bleu", "-m", "ter", "--pair", "system-2", "system-1")
    assert [(row["metric"], row["test"]) for row in found["rows"]] == [
        (metric, test) for metric in ("BLEU", "TER") for test in ("ar", "interval")
    ]
    assert answer(*TEXTS, *options, "--baseline", "system-2")["settings"]["pairs"] == [
        ["system-1", "system-2"]
    ]
    assert study(*TEXTS, *options, "--chart", "power.svg").code == 0
    assert "10 segments" in (folder / "power.svg").read_text("utf-8")


@pytest.mark.parametrize("beside", [("--documents", "d"), ("-s", "source"), ("--strict",)])
def test_what_is_said_about_texts_is_refused_beside_a_simulated_pool(
    beside: tuple[str, ...],
) -> None:
    result = study("power", "--simulate", "60", *beside)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: simulate: found 60, expected no texts beside it, nor")


def test_a_simulated_pool_serves() -> None:
    found = answer("power", "--simulate", "60", "--sizes", "20", "--samples", "5")
    assert len(found["settings"]["pairs"]) == 7


def test_threads_change_no_digit() -> None:
    options = [*TEXTS, "--sizes", "10,40", "--samples", "5", "--format", "json"]
    assert study(*options, "--threads", "1").out == study(*options, "--threads", "2").out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sizes", "81"], "error: size: found 81, expected no more than the pool has: 80"),
        (["--sizes", "40", "--sampling", "block"], "expected at most 16 for 5 block samples"),
        (["--samples", "4"], "error: samples: found 4, expected at least 5"),
        (["--replicates", "10"], "error: (samples|replicates): found 10, expected at least 40"),
        (["--level", "0.999"], "error: (samples|replicates): found 50, expected at least 2000"),
        (["--baseline", "system-3"], "error: unknown baseline 'system-3'; did you mean 'system-"),
        (["--unit", "document"], "error: unit: found 'document'"),
        (["--seed", "-1"], "error: seed: found -1"),
    ],
)
def test_bad_input_is_said_and_exits_with_2(options: list[str], said: str) -> None:
    result = study(*TEXTS, *options)
    assert (result.code, result.out) == (2, "")
    assert re.search(said, result.err)
    assert "Traceback" not in result.err


def test_one_system_is_too_few() -> None:
    result = study("power", "-r", "reference-1.txt", "system-1.txt")
    assert (result.code, result.err) == (
        2,
        "error: systems: found 1, expected at least 2 to compare\n",
    )
