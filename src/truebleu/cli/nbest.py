"""``truebleu nbest``: what is in n-best lists, and how well they could be chosen from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._nbest_options import nbest_options, read_lists, read_references
from truebleu.cli._options import (
    format_option,
    metric_option_by,
    option_with_default,
    repeatable_option,
    result_options,
)
from truebleu.cli.main import progress_bar, warn
from truebleu.metrics.registry import as_metrics
from truebleu.nbest.inspection import describe_lists
from truebleu.nbest.oracle import oracle_scores
from truebleu.reports.document import render
from truebleu.reports.nbest import warnings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.metrics.base import Metric

EPILOG = """\b
Formats, guessed from the first line or set by --input-format:
  moses cdec joshua travatar zmert marian   id ||| text ||| features ||| score
  fairseq                                   the log of fairseq-generate
  sockeye jsonl                             JSON Lines, one per segment or per candidate
  flat                                      --size N lines of plain text for each segment

\b
Examples:
  truebleu nbest stats run1.nbest
  truebleu nbest check samples.jsonl -r ref.txt
  truebleu nbest oracle run1.nbest -r ref.txt -m bleu -m chrf
"""

_references = repeatable_option(
    "-r", "--reference", "references", metavar="FILE", text="A reference; repeat for several."
)


@click.group("nbest", epilog=EPILOG)
def command() -> None:
    """Say what is in n-best lists, and how well they could be chosen from."""


@command.command("stats")
@click.argument("lists")
@nbest_options
@format_option
def stats(lists: str, format_: str, **options: Any) -> None:
    """Count candidates, duplicates and features of LISTS."""
    click.echo(render(describe_lists(read_lists(lists, options)), format_), nl=False)


@command.command("check")
@click.argument("lists")
@_references
@nbest_options
def check(lists: str, references: tuple[str, ...], **options: Any) -> None:
    """Read LISTS strictly and say what may surprise you; exit 2 if they cannot be used."""
    nbest = read_lists(lists, options)
    test_set = read_references(references)
    result = describe_lists(nbest, references=None if test_set is None else len(test_set))
    for warning in warnings(result):
        warn(warning)
    click.echo(
        f"ok: {result.name} ({result.format}), {result.segments:,} segments, "
        f"{result.candidates:,} candidates"
    )


def _list_metrics(written: Sequence[str]) -> list[Metric]:
    from truebleu.nbest.statistics import FEATURE, as_list_metric

    metrics: list[Metric] = []
    for text in written:
        metrics += [as_list_metric(text)] if text.startswith(FEATURE) else as_metrics([text])
    return metrics


@command.command("oracle")
@click.argument("lists")
@_references
@metric_option_by(_list_metrics)
@option_with_default(
    "--sentence",
    click.Choice(("metric", "plus-one")),
    "metric",
    "How candidates are scored by themselves: as the metric scores segments, or, for BLEU, "
    "with 1 added to matches and totals of every order.",
)
@nbest_options
@result_options
def oracle(
    lists: str,
    references: tuple[str, ...],
    metrics: list[Metric],
    sentence: Any,
    format_: str,
    **options: Any,
) -> None:
    """Score the best and the worst choice from LISTS.

    A metric may also be feature:NAME, the mean of a feature of the lists (feature:-NAME where lower
    is better).
    """
    nbest = read_lists(lists, options)
    test_set = read_references(references)
    given = None if test_set is None else test_set.references
    with progress_bar(0, "scoring"):
        result = oracle_scores(nbest, given, metrics=metrics, sentence=sentence)
    click.echo(render(result, format_), nl=False)
