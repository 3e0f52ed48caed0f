"""``truebleu explain``: where a difference between systems comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu._settings import DEFAULT_REPLICATES
from truebleu.cli._options import (
    Show,
    Texts,
    charted_result_options,
    explanation_options,
    metric_option,
    optional_test_set_options,
    people_option,
    read_columns,
    refuse_idle,
)
from truebleu.cli.main import progress_bar, warn
from truebleu.explanation.explain import explain

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

#: The charts of an explanation, in the order of its document.
CHARTS = ("slices", "segments")

EPILOG = """\b
Examples:
  truebleu explain -r ref.txt new.txt old.txt
  truebleu explain -r ref.txt -s src.txt --documents docs.tsv new.txt old.txt
  truebleu explain -r ref.txt sys/ --baseline ONLINE-A -m bleu -m chrf
  truebleu explain -r ref.txt a.txt b.txt --documents docs.tsv --by genre --chart slices.svg

\b
How to read the answer: contributions are in points of the metric and add up to the difference. The
first sentences say whether it is real, whether people would notice, where it comes from, and how
few segments carry it.
"""


@click.command("explain", epilog=EPILOG)
@optional_test_set_options
@metric_option
@explanation_options
@people_option
@click.option(
    "--chart-of",
    type=click.Choice(CHARTS),
    help="What --chart draws: slices, or segments added up one by one. Default: slices.",
)
@charted_result_options
def command(
    texts: Texts,
    metrics: list[Metric],
    columns: tuple[str, ...],
    chart_of: str | None,
    show: Show,
    **options: Any,
) -> None:
    """Say where the difference between the first and the second SYSTEM comes from.

    A SYSTEM is a file, NAME=FILE, a folder of files, or a pattern such as 'sys/*.txt'.
    """
    if show.chart is None:
        refuse_idle(["chart_of"], "--chart FILE beside it")
    test_set = texts.read(metrics)
    if test_set.is_counted:
        warn(
            "there are no texts: without n-grams, typography, degenerate outputs and "
            "slices by what the text is like"
        )
    with progress_bar(2 * (options["replicates"] or DEFAULT_REPLICATES), "comparing") as progress:
        explanation = explain(
            test_set,
            metrics=metrics,
            by=read_columns(columns, texts.documents, test_set),
            progress=progress,
            **options,
        )
    if show.chart is not None:
        show.draw(explanation.to_document().charts[CHARTS.index(chart_of or "slices")])
    show.print(explanation)
