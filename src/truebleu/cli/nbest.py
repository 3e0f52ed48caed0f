"""``truebleu nbest``: what is in n-best lists, and how well they could be chosen from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._nbest_options import (
    ListReader,
    nbest_options,
    read_references,
    reference_option,
)
from truebleu.cli._options import (
    Show,
    format_option,
    metric_option_by,
    option_with_default,
    result_options,
)
from truebleu.cli.main import progress_bar, warn
from truebleu.metrics.registry import as_metrics
from truebleu.nbest.inspection import describe_lists, oracle_scores
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


@click.group("nbest", epilog=EPILOG)
def command() -> None:
    """Say what is in n-best lists, and how well they could be chosen from."""


@command.command("stats")
@click.argument("lists")
@nbest_options
@format_option
def stats(lists: str, reader: ListReader, show: Show) -> None:
    """Count candidates, duplicates and features of LISTS."""
    show(describe_lists(reader.read(lists)))


@command.command("check")
@click.argument("lists")
@reference_option()
@nbest_options
def check(lists: str, references: tuple[str, ...], reader: ListReader) -> None:
    """Read LISTS strictly and say what may surprise you; exit 2 if they cannot be used."""
    texts = read_references(references)
    size = None if texts is None else len(next(iter(texts.values())))
    result = describe_lists(reader.read(lists), references=size)
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
@reference_option()
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
    reader: ListReader,
    show: Show,
) -> None:
    """Score the best and the worst choice from LISTS.

    A metric may also be feature:NAME, the mean of a feature of the lists (feature:-NAME where lower
    is better).
    """
    nbest, texts = reader.read(lists), read_references(references)
    with progress_bar(0, "scoring"):
        result = oracle_scores(nbest, texts, metrics=metrics, sentence=sentence)
    show(result)
