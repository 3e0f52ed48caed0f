"""Claims about the options of commands that draw a chart."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from truebleu.cli._command import ResultWriter, make_command
from truebleu.errors import MissingExtraError, SettingError
from truebleu.reports.document import Chart, Column, Plot, Table

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = (Column("x", "X"), Column("y", "Y"))
LINES = Chart(
    title="A chart",
    table=Table(COLUMNS, ({"x": 1, "y": 2}, {"x": 2, "y": 3})),
    plot=Plot("line", "x", "y"),
)


@make_command("draw", None, "chart format output")
def command(show: ResultWriter) -> None:
    click.echo("working")
    show.draw(LINES)


def refused(*arguments: str) -> tuple[BaseException | None, str]:
    result = CliRunner().invoke(command, arguments)
    return result.exception, result.output


def test_a_chart_is_drawn_where_the_option_says(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["--chart", str(tmp_path / "new" / "a.svg")])
    assert (result.exit_code, result.output) == (0, "working\n")
    assert b"A chart" in (tmp_path / "new" / "a.svg").read_bytes()


def test_no_chart_is_drawn_by_default() -> None:
    result = CliRunner().invoke(command, [])
    assert (result.exit_code, result.output) == (0, "working\n")


def test_an_ending_that_cannot_be_drawn_is_refused_before_the_work() -> None:
    error, output = refused("--chart", "a.eps")
    assert isinstance(error, SettingError)
    assert output == ""


def test_packages_that_are_missing_are_missed_before_the_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    error, output = refused("--chart", "a.svg")
    assert isinstance(error, MissingExtraError)
    assert output == ""


@pytest.mark.parametrize("order", [1, -1])
def test_a_file_that_exists_is_replaced_by_force_only(tmp_path: Path, order: int) -> None:
    file = tmp_path / "a.svg"
    file.write_text("mine")
    error, output = refused("--chart", str(file))
    assert isinstance(error, SettingError)
    assert (output, file.read_text()) == ("", "mine")
    words = [["--chart", str(file)], ["--force"]][::order]
    result = CliRunner().invoke(command, [word for part in words for word in part])
    assert result.exit_code == 0
    assert file.read_text() != "mine"
