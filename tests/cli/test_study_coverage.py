"""``truebleu study coverage`` as a shell meets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.study_texts import answer, save_texts, study

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["coverage", "-r", "reference-1.txt", "system-1.txt", "system-2.txt", "--replicates", "50"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    save_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_intervals_are_counted_by_metric_and_size() -> None:
    found = answer(*TEXTS, "--sizes", "10,20", "--samples", "8", "-m", "bleu", "-m", "ter")
    assert [(row["metric"], row["size"], row["intervals"]) for row in found["rows"]] == [
        ("BLEU", 10, 16),
        ("BLEU", 20, 16),
        ("TER", 10, 16),
        ("TER", 20, 16),
    ]
    for row in found["rows"]:
        assert row["coverage"]["value"] + row["above"] + row["below"] == pytest.approx(1)


def test_differences_have_intervals_too() -> None:
    result = study(*TEXTS, "--sizes", "10", "--of", "differences", "--interval", "bca")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("Intervals of the level 95 % that contain the pool's difference")
    found = answer(*TEXTS, "--sizes", "2", "--unit", "document", "--documents", "documents.tsv")
    assert found["settings"]["pool"]["unit"] == "document"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sizes", "81"], "error: size: found 81, expected no more than the pool has: 80"),
        (
            ["--sizes", "40", "--sampling", "systematic"],
            "expected at most 16 for 5 systematic samples",
        ),
        (["--samples", "1"], "error: samples: found 1, expected at least 5"),
        (["--replicates", "20"], "error: replicates: found 20, expected at least 40"),
        (["--level", "2"], "error: level: found 2.0"),
        (["--unit", "document"], "error: unit: found 'document'"),
        (["--interval", "student"], "expected a metric that is a mean over segments"),
    ],
)
def test_bad_input_is_said_and_exits_with_2(options: list[str], said: str) -> None:
    result = study(*TEXTS, *options)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert "Traceback" not in result.err
