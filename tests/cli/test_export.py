"""``truebleu export``: records of Every Eval Ever from the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cli.shell import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_texts_become_records_that_can_be_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ref.txt").write_text("the cat sat\nthe dog barked\n" * 10)
    (tmp_path / "a.txt").write_text("the cat sat\na dog barked\n" * 10)
    (tmp_path / "b.txt").write_text("the cat sat\nthe dog barks\n" * 10)
    systems = ("lab/a=a.txt", "b.txt", "-r", "ref.txt", "-m", "chrf")
    options = ("--benchmark", "tiny", "-o", "records", "--replicates", "50")
    done = run("export", *systems, *options, "--organization", "Lab")
    assert done.code == 0
    files = sorted(str(path) for path in (tmp_path / "records").rglob("*.json"))
    assert [line.removeprefix("wrote ") for line in done.err.splitlines()] == [
        file.removeprefix(f"{tmp_path}/") for file in files
    ]
    record = json.loads((tmp_path / files[0]).read_text())
    assert record["source_metadata"]["source_organization_name"] == "Lab"
    compared = run("compare", *files, "-m", "scores", "-f", "json", "--replicates", "200")
    assert json.loads(compared.out)["comparisons"][0]["difference"] != 0
    panel = run("panel", "records", "-m", "scores", "-f", "json", "--replicates", "200")
    assert [load["name"] for load in json.loads(panel.out)["test_sets"]] == ["tiny"]


def test_a_benchmark_and_a_folder_are_needed() -> None:
    assert "--benchmark" in run("export", "a.txt", "-r", "b.txt", "-o", "x").err
    assert "--output" in run("export", "a.txt", "-r", "b.txt", "--benchmark", "x").err
