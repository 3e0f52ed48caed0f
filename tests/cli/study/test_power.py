"""``truebleu study power`` as a shell meets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import answer, run
from tests.cli.texts import TWO_SYSTEMS

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["study", "power", *TWO_SYSTEMS, "--replicates", "50"]


def test_cells_are_for_people_and_numbers_for_programs() -> None:
    options = ["--sizes", "10,40", "--samples", "20", "--test", "wins"]
    answers = answer(*TEXTS, *options)
    small, large = answers["rows"]
    assert (small["better"], small["worse"]) == ("system-1", "system-2")
    assert (small["test"], small["size"], large["size"]) == ("wins", 10, 40)
    text = run(*TEXTS, *options).out
    assert "10 (×20)" in text
    assert f"{100 * large['right']['value']:.0f} %" in text


def test_tests_metrics_and_pairs_may_be_chosen(folder: Path) -> None:
    options = ["--sizes", "10", "--samples", "5", "--test", "ar", "--test", "interval"]
    answers = answer(*TEXTS, *options, "-m", "bleu", "-m", "ter", "--pair", "system-2", "system-1")
    assert [(row["metric"], row["test"]) for row in answers["rows"]] == [
        (metric, test) for metric in ("BLEU", "TER") for test in ("ar", "interval")
    ]
    assert answer(*TEXTS, *options, "--baseline", "system-2")["settings"]["pairs"] == [
        ["system-1", "system-2"]
    ]
    assert run(*TEXTS, *options, "--chart", "power.json").code == 0
    assert "10 segments" in (folder / "power.json").read_text("utf-8")


@pytest.mark.parametrize("beside", [("--documents", "d"), ("-s", "source"), ("--strict",)])
def test_what_is_said_about_texts_is_refused_beside_a_simulated_pool(
    beside: tuple[str, ...],
) -> None:
    result = run("study", "power", "--simulate", "60", *beside)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: simulate: found 60, expected no texts beside it, nor")


def test_a_simulated_pool_serves() -> None:
    answers = answer("study", "power", "--simulate", "60", "--sizes", "20", "--samples", "5")
    assert len(answers["settings"]["pairs"]) == 7


def test_threads_change_no_digit() -> None:
    options = [*TEXTS, "--sizes", "10,40", "--samples", "5", "--format", "json"]
    assert run(*options, "--threads", "1").out == run(*options, "--threads", "2").out


def test_one_system_is_too_few() -> None:
    result = run("study", "power", "-r", "reference-1.txt", "system-1.txt")
    assert (result.code, result.err) == (
        2,
        "error: systems: found 1, expected at least 2 to compare\n",
    )
