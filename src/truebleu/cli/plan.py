"""``truebleu plan``: how large a test set must be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._command import Show, Texts, make_command
from truebleu.cli.main import progress_bar
from truebleu.planning.plan import plan

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

EPILOG = """\b
Examples:
  truebleu plan -r ref.txt old.txt new.txt --difference 0.5
  truebleu plan -r ref.txt old.txt new.txt --documents docs.tsv --difference 1 --power 0.9
  truebleu plan -r ref.txt old.txt new.txt --margin 0.5
"""


@make_command("plan", plan, systems="optional", details=False, epilog=EPILOG)
def command(texts: Texts, metrics: list[Metric], show: Show, **settings: Any) -> None:
    """Say how many segments or documents detect a difference of D, by a pilot of two SYSTEMs."""
    if not texts.systems:
        raise click.UsageError(
            "Name two outputs of a pilot: truebleu plan -r ref.txt old.txt new.txt"
        )
    for name in ("difference", "margin"):
        settings[name] = settings[name] or None
    test_set = texts.read(metrics)
    with progress_bar(0, "planning"):
        result = plan(test_set, metrics=metrics, **settings)
    show(result)
