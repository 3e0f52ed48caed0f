"""``truebleu study coverage`` as a shell meets it."""

from __future__ import annotations

import pytest

from tests.cli.shell import answer, run
from tests.cli.texts import TWO_SYSTEMS

TEXTS = ["study", "coverage", *TWO_SYSTEMS, "--replicates", "50"]


def test_intervals_are_counted_by_metric_and_size() -> None:
    answers = answer(*TEXTS, "--sizes", "10,20", "--samples", "8", "-m", "bleu", "-m", "ter")
    assert [(row["metric"], row["size"], row["intervals"]) for row in answers["rows"]] == [
        ("BLEU", 10, 16),
        ("BLEU", 20, 16),
        ("TER", 10, 16),
        ("TER", 20, 16),
    ]
    for row in answers["rows"]:
        assert row["coverage"]["value"] + row["above"] + row["below"] == pytest.approx(1)


def test_differences_have_intervals_too() -> None:
    result = run(*TEXTS, "--sizes", "10", "--of", "differences", "--interval", "bca")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("Intervals of the level 95 % that contain the pool's difference")
    answers = answer(*TEXTS, "--sizes", "2", "--unit", "document", "--documents", "documents.tsv")
    assert answers["settings"]["pool"]["unit"] == "document"
