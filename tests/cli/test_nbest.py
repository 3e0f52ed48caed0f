"""``truebleu nbest`` as people call it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.n_best_lists import run, write_short_lists


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_short_lists()


def test_stats_count_and_describe_features() -> None:
    result = run("nbest", "stats", "lists")
    assert "4 candidates for 2 segments, 1 to 3 each; 4 of them are different." in result.stdout
    assert "LM0" in result.stdout
    values = json.loads(run("nbest", "stats", "lists", "-f", "json").stdout)
    assert values["features"][0]["constant_lists"] == 1


def test_stats_warn_and_refuse_other_references() -> None:
    result = run("nbest", "stats", "lists", "-r", "ref")
    assert "1 list has only one candidate" in result.stdout
    Path("ref").write_text("one\n")
    failed = run("nbest", "stats", "lists", "-r", "ref")
    assert "2 segments, but reference has 1" in str(failed.exception)


def test_oracle_scores_best_and_worst() -> None:
    values = json.loads(
        run("nbest", "oracle", "lists", "-r", "ref", "-m", "chrf", "-f", "json").stdout
    )
    (metric,) = values["metrics"]
    assert metric["best"] == 100.0
    assert metric["best_indices"] == [1, 0]
    assert metric["worst"] <= metric["first"] < metric["best"]
