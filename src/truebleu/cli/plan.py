"""``truebleu plan``: how large a test set must be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from truebleu.cli._options import (
    Show,
    Texts,
    alternative_option,
    charted_result_options,
    metric_option,
    option_with_default,
    optional_test_set_options,
    seed_option,
)
from truebleu.cli.main import progress_bar
from truebleu.errors import SettingError
from truebleu.planning.plan import PLAN_UNITS, plan

if TYPE_CHECKING:
    from typing import Any

    from truebleu.metrics.base import Metric

EPILOG = """\b
Examples:
  truebleu plan -r ref.txt old.txt new.txt --difference 0.5
  truebleu plan -r ref.txt old.txt new.txt -m bleu -m chrf --difference 0.5 --power 0.9
  truebleu plan -r ref.txt old.txt new.txt --documents docs.tsv --unit document --difference 1
  truebleu plan -r ref.txt sys/ --baseline ONLINE-A --difference 1 --chart power.svg
  truebleu plan -r ref.txt old.txt new.txt --margin 0.5

\b
How to read the answer: power is how often a test finds a difference that is there. Ask for the
smallest difference that matters to you, not for the one that a pilot happened to show.
"""


@click.command("plan", epilog=EPILOG)
@optional_test_set_options
@metric_option
@click.option(
    "--difference",
    "differences",
    type=float,
    multiple=True,
    metavar="D",
    help="The smallest difference that matters; repeat for one per metric.",
)
@click.option(
    "--margin",
    "margins",
    type=float,
    multiple=True,
    metavar="D",
    help="Also: when an equal system passes a gate with this margin; repeat for one per metric.",
)
@option_with_default("--power", float, 0.8, "How often the test should find it.")
@option_with_default("--level", float, 0.95, "Level of intervals; tests decide at 1 - level.")
@alternative_option
@click.option(
    "--comparisons",
    type=int,
    metavar="K",
    help="Correct the level for K comparisons (Bonferroni). Default: the number of pairs.",
)
@click.option(
    "--baseline",
    metavar="NAME",
    help="Compare all others with this system. Default: the first of two.",
)
@option_with_default(
    "--unit", click.Choice(PLAN_UNITS), "segment", "What the test will swap as a whole."
)
@option_with_default(
    "--replicates", int, 10_000, "Replicates for the interval of the number needed."
)
@seed_option
@charted_result_options
def command(
    texts: Texts,
    metrics: list[Metric],
    differences: tuple[float, ...],
    margins: tuple[float, ...],
    show: Show,
    **options: Any,
) -> None:
    """Say how many segments or documents find a difference of D.

    A pilot shows how much scores vary: two SYSTEMs scored on a test set like the one you plan, or
    more with --baseline.
    """
    if not texts.systems:
        raise SettingError("systems", "none", "two outputs of the pilot, SYSTEM SYSTEM")
    test_set = texts.read(metrics)
    with progress_bar(0, "planning"):
        result = plan(
            test_set,
            difference=differences or None,
            margin=margins or None,
            metrics=metrics,
            **options,
        )
    show(result)
