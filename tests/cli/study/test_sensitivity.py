"""``truebleu study sensitivity`` as people meet it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import answer, run

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ("study", "sensitivity", "system-1.txt", "system-2.txt", "-r", "reference-1.txt")
QUICK = (*TEXTS, "-m", "bleu", "-m", "ter", "--replicates", "200")


def test_the_answer_names_the_metrics_in_order() -> None:
    result = run(*QUICK)
    assert (result.code, result.err) == (0, "")
    assert (
        "of 1 pairs these differ significantly by approximate randomization, corrected (holm): "
        in result.out
    )


def test_json_has_both_tests_with_and_without_correction() -> None:
    answers = answer(*QUICK, "--sizes", "20,40", "--samples", "3", "--correction", "bh")
    kinds = [(row["test"], row["correction"]) for row in answers["rows"][:4]]
    assert kinds == [
        ("interval", "none"),
        ("interval", "bh"),
        ("ar", "none"),
        ("ar", "bh"),
    ]
    assert [row["size"] for row in answers["rows"]] == [20] * 8 + [40] * 8


def test_without_metrics_those_of_the_papers_are_compared() -> None:
    answers = answer(*TEXTS, "--replicates", "200")
    metrics = list(dict.fromkeys(row["metric"] for row in answers["rows"]))
    assert metrics == ["BLEU", "NIST", "M-BLEU", "chrF2", "TER"]


def test_systems_can_be_listed_with_their_intervals() -> None:
    answers = answer(*QUICK, "--by-system")
    assert [row["system"] for row in answers["systems"]] == ["system-1", "system-2"] * 2
    assert all(row["low"] < 0 < row["high"] for row in answers["systems"])


@pytest.mark.parametrize("more", [[], ["--by-system"], ["--sizes", "20,40"]])
def test_a_chart_is_drawn(folder: Path, more: list[str]) -> None:
    assert run(*QUICK, *more, "--chart", "sensitivity.json", "--force").code == 0
    assert b"TER" in (folder / "sensitivity.json").read_bytes()


def test_one_system_is_refused() -> None:
    result = run("study", "sensitivity", "system-1.txt", "-r", "reference-1.txt")
    assert result.code == 2
    assert "systems: found 1, expected at least 2 to compare" in result.err
