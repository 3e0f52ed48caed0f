"""The options of commands that draw a chart: ``--chart FILE`` and ``--force``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from truebleu.reports.charts import ENDINGS, require_chart_file, save_chart

if TYPE_CHECKING:
    from collections.abc import Callable

    from truebleu.exhibits import Exhibit

Command = TypeVar("Command", bound="Callable[..., object]")


def _require_file(
    context: click.Context, _option: click.Parameter, chart: Path | None
) -> Path | None:
    # Before the work begins: what cannot be written should be said at once.
    if chart is not None:
        require_chart_file(chart, overwrite=context.params["force"])
    return chart


def chart_options(command: Command) -> Command:
    """Where a chart goes. The command gets `chart`, a path or None, and `force`.

    Before the command runs, the file's ending, its place and the packages have been checked.
    """
    for option in (
        # Read before --chart, wherever it stands.
        click.option("--force", is_flag=True, is_eager=True, help="Overwrite files that exist."),
        click.option(
            "--chart",
            metavar="FILE",
            type=click.Path(path_type=Path),
            callback=_require_file,
            help=f"Also draw a chart; FILE ends in {', '.join(ENDINGS)} (Vega-Lite). "
            "Needs truebleu[charts].",
        ),
    ):
        command = option(command)
    return command


def draw_chart(exhibit: Exhibit, chart: Path | None, *, force: bool) -> None:
    """Write the chart of an exhibit where ``--chart`` says, if it says anything."""
    if chart is not None:
        save_chart(exhibit, chart, overwrite=force)
