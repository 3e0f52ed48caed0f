"""``truebleu panel`` from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli import shell
from tests.cli.texts import save_channels
from truebleu.reports.document import FORMATS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("de", "fr", "cs"):
        save_channels(tmp_path / "sets" / name, 40, {"new": 0.1, "old": 0.25})
    monkeypatch.chdir(tmp_path)


def test_a_panel_says_in_how_many_sets_a_system_is_better() -> None:
    options = ("--baseline", "old", "--replicates", "500", "-q")
    result = shell.run("panel", "sets", "--unit", "segment", *options)
    assert result.code == 0
    told = " ".join(result.out.split())
    assert told.startswith("new is better than old on average by ")
    assert "better in 3, worse in 0, undecided in 0 of 3 test sets." in told
    assert [line.split()[-1] for line in result.out.splitlines()[5:9]] == ["better"] * 4


def test_sets_with_too_few_units_for_a_verdict_are_told() -> None:
    result = shell.run("panel", "sets", "--replicates", "500", "-q")
    assert "undecided in 3 of 3 test sets." in " ".join(result.out.split())
    assert "In 3 of 3 test sets there are fewer than 6 units: none can be called" in result.out


def test_the_question_is_told() -> None:
    fixed = shell.answer("panel", "sets", "--replicates", "500", "-f", "json", "-q")
    drawn = shell.answer(
        "panel", "sets", "--replicates", "500", "--languages", "drawn", "-f", "json", "-q"
    )
    (one,), (other,) = fixed["comparisons"], drawn["comparisons"]
    assert (one["fixed"], one["drawn"]) == (other["fixed"], other["drawn"])
    assert one["p"] != other["p"]
    assert "on average over further test sets like these" in drawn["sentences"][0]
    assert "further test sets" not in fixed["sentences"][0]


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_shows_it(format_: str) -> None:
    result = shell.run("panel", "sets", "--replicates", "200", "-f", format_, "-q")
    assert result.code == 0
    assert "new" in result.out


def test_the_forest_plot_has_every_set(tmp_path: Path) -> None:
    result = shell.run("panel", "sets", "--replicates", "200", "--chart", "forest.json", "-q")
    assert result.code == 0, result.err
    drawn = (tmp_path / "forest.json").read_text()
    assert all(f'"{name}"' in drawn for name in ("de", "fr", "cs", "mean"))


def test_bad_input_is_refused() -> None:
    result = shell.run("panel", "sets/de/new.txt")
    assert (result.code, result.out) == (2, "")
    assert "something else; expected a folder of test sets" in result.err
