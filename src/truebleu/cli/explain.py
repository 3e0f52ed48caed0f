"""``truebleu explain``: where a difference between systems comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._command import (
    Option,
    Show,
    Texts,
    make_command,
    read_columns,
    read_word_counts,
    refuse_idle,
)
from truebleu.cli.main import progress_bar, warn
from truebleu.explanation.explain import explain
from truebleu.schema import DEFAULT_REPLICATES

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

#: The charts of an explanation, in the order of its document.
CHARTS = ("slices", "segments")

EPILOG = """\b
Examples:
  truebleu explain -r ref.txt new.txt old.txt
  truebleu explain -r ref.txt -s src.txt --documents docs.tsv new.txt old.txt
  truebleu explain -r ref.txt sys/ --baseline ONLINE-A -m bleu chrf
"""
COUNTS = Option(
    ["--counts"],
    group="Texts",
    rare=True,
    metavar="FILE",
    callback=read_word_counts,
    help="Words and their counts in the training data, separated by a tab; shows which words are "
    "rare.",
)
CHART_OF = Option(
    ["--chart-of"],
    rare=True,
    type=click.Choice(CHARTS),
    help="What --chart draws: slices, or segments added up one by one. Default: slices.",
)


@make_command(
    "explain",
    explain,
    systems="optional",
    by=True,
    people=True,
    options=[COUNTS, CHART_OF],
    epilog=EPILOG,
)
def command(
    texts: Texts,
    metrics: list[Metric],
    columns: tuple[str, ...],
    chart_of: str | None,
    show: Show,
    **settings: Any,
) -> None:
    """Say where the difference between the first and the second SYSTEM comes from.

    A SYSTEM is a file, NAME=FILE, a folder of files, or a pattern such as 'sys/*.txt'.
    """
    if show.chart is None:
        refuse_idle(["chart_of"], "requires --chart FILE")
    test_set = texts.read(metrics)
    if test_set.is_counted:
        warn(
            "there are no texts: without n-grams, typography, degenerate outputs and "
            "slices by what the text is like"
        )
    steps = 2 * (settings["replicates"] or DEFAULT_REPLICATES)
    with progress_bar(steps, "comparing") as progress:
        explanation = explain(
            test_set,
            metrics=metrics,
            by=read_columns(columns, texts.documents, test_set),
            progress=progress,
            **settings,
        )
    if show.chart is not None:
        show.draw(explanation.to_document().charts[CHARTS.index(chart_of or "slices")])
    show.print(explanation)
