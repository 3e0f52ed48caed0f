"""``truebleu explain``: where a difference between systems comes from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from truebleu._settings import DEFAULT_REPLICATES, UNITS
from truebleu.cli._options import (
    Texts,
    add_options,
    by_option,
    charted_result_options,
    level_option,
    metric_option,
    optional_test_set_options,
    people_option,
    read_columns,
    replicates_option,
    seed_option,
)
from truebleu.cli.main import progress_bar, warn
from truebleu.corpus._files import Files, decode
from truebleu.errors import MalformedFileError, SettingError, shortened
from truebleu.explanation.explain import explain
from truebleu.reports.charts import save_chart
from truebleu.reports.document import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from truebleu.corpus.test_set import TestSet
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


def explanation_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which differences are explained, by which slices, and how they are tested."""
    return add_options(
        command,
        click.option(
            "--baseline", metavar="NAME", help="Explain every other system's difference to it."
        ),
        by_option,
        click.option(
            "--counts",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="Words and their counts in the training data, separated by a tab; tells rare "
            "words.",
        ),
        replicates_option(None),
        seed_option,
        level_option,
        click.option(
            "--unit",
            type=click.Choice([unit for unit in UNITS if unit != "block"]),
            help="What is resampled or swapped as a whole. Default: documents where they are "
            "known, else segments.",
        ),
    )


def read_slices(
    columns: tuple[str, ...], counts: Path | None, documents: str | None, test_set: TestSet
) -> dict[str, Any]:
    """What ``--by`` and ``--counts`` name, as the verbs take it."""
    return {
        "by": read_columns(columns, documents, test_set),
        "counts": None if counts is None else _read_counts(counts),
    }


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
    counts: Path | None,
    chart: Path | None,
    force: bool,
    chart_of: str | None,
    format_: str,
    **options: Any,
) -> None:
    """Say where the difference between the first and the second SYSTEM comes from.

    A SYSTEM is a file, NAME=FILE, a folder of files, or a pattern such as 'sys/*.txt'.
    """
    if chart_of is not None and chart is None:
        raise SettingError("--chart-of", chart_of, "--chart FILE beside it")
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
            **read_slices(columns, counts, texts.documents, test_set),
            progress=progress,
            **options,
        )
    click.echo(render(explanation, format_), nl=False)
    if chart is not None:
        drawn = explanation.to_document().charts
        save_chart(drawn[CHARTS.index(chart_of or "slices")], chart, overwrite=force)


def _read_counts(path: Path) -> dict[str, int]:
    counts: dict[str, int] = {}
    text = decode(str(path), Files().contents(str(path)))
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        word, tab, count = line.rstrip("\r").partition("\t")
        if not tab or not count.strip().isdecimal() or len(count.strip()) > 18:
            raise MalformedFileError(str(path), number, repr(shortened(line)), "WORD<tab>COUNT")
        counts[word.lower()] = counts.get(word.lower(), 0) + int(count)
    return counts
