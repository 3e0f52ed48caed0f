"""``truebleu study accuracy`` as a shell meets it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.cli.study_texts import answer, save_texts, study

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["accuracy", "-r", "reference-1.txt", "system-1.txt", "system-2.txt", "--replicates", "50"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    save_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_conclusion_is_in_one_band() -> None:
    found = answer(*TEXTS, "--sizes", "5,10", "--samples", "20", "--test", "ar")
    assert sum(band["conclusions"] for row in found["rows"] for band in row["bands"]) == 40
    assert found["settings"]["bands"] == [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999]


def test_bands_may_be_chosen(folder: Path) -> None:
    options = ["--sizes", "5", "--samples", "20", "--test", "wins", "--bands", "50,97.5"]
    found = answer(*TEXTS, *options)
    assert {band["least"] for band in found["rows"][0]["bands"]} <= {0.975, 0.5}
    assert study(*TEXTS, *options, "--chart", "accuracy.svg").code == 0
    assert "bootstrap wins" in (folder / "accuracy.svg").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--bands", "a"], "error: bands: found 'a', expected percentages separated by commas"),
        (["--bands", "90,100"], "error: bands: found 1.0, expected confidences between 0 and 1"),
        (["--bands", "nan"], "error: bands: found nan"),
        (["--sizes", "81"], "error: size: found 81"),
        (["--replicates", "10"], "error: (samples|replicates): found 10"),
        (["--samples", "0"], "error: samples: found 0"),
    ],
)
def test_bad_input_is_said_and_exits_with_2(options: list[str], said: str) -> None:
    result = study(*TEXTS, *options)
    assert (result.code, result.out) == (2, "")
    assert re.search(said, result.err)
    assert "Traceback" not in result.err
