"""``truebleu study accuracy`` as a shell meets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.shell import answer, run
from tests.cli.texts import TWO_SYSTEMS

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["study", "accuracy", *TWO_SYSTEMS, "--replicates", "50"]


def test_every_conclusion_is_in_one_band() -> None:
    answers = answer(*TEXTS, "--sizes", "5,10", "--samples", "20", "--test", "ar")
    assert sum(band["conclusions"] for row in answers["rows"] for band in row["bands"]) == 40
    assert answers["settings"]["bands"] == [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999]


def test_bands_may_be_chosen(folder: Path) -> None:
    options = ["--sizes", "5", "--samples", "20", "--test", "wins", "--bands", "50,97.5"]
    answers = answer(*TEXTS, *options)
    assert {band["least"] for band in answers["rows"][0]["bands"]} <= {0.975, 0.5}
    assert run(*TEXTS, *options, "--chart", "accuracy.json").code == 0
    assert "bootstrap wins" in (folder / "accuracy.json").read_text("utf-8")
