"""``truebleu nbest``: what is in n-best lists, and how well they could be chosen from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._command import Show, make_command
from truebleu.cli._nbest_options import (
    list_options,
    list_reader,
    read_references,
    reference_option,
)
from truebleu.cli.main import progress_bar
from truebleu.nbest.inspection import describe_lists, oracle_scores
from truebleu.nbest.problem import list_metrics

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

EPILOG = """\b
Formats, guessed from the first line or set by --input-format:
  moses cdec joshua travatar zmert marian   id ||| text ||| features ||| score
  fairseq                                   the log of fairseq-generate
  sockeye jsonl                             JSON Lines, one per segment or per candidate
  flat                                      --list-size N lines of plain text for each segment

\b
Examples:
  truebleu nbest stats run1.nbest
  truebleu nbest stats samples.jsonl -r ref.txt
  truebleu nbest oracle run1.nbest -r ref.txt -m bleu chrf
"""


@click.group("nbest", epilog=EPILOG)
def command() -> None:
    """Say what is in n-best lists, and how well they could be chosen from."""


COMMON: dict[str, Any] = {"systems": "none", "texts": False, "chart": False, "details": False}


REFERENCES = reference_option()


@make_command("stats", metrics=False, options=[*list_options(), REFERENCES], **COMMON)
def stats(lists: str, references: tuple[str, ...], show: Show, **options: Any) -> None:
    """Count candidates, duplicates and features of LISTS, and say what may surprise you."""
    texts = read_references(references)
    size = None if texts is None else len(next(iter(texts.values())))
    show(describe_lists(list_reader(options)(lists), references=size))


@make_command(
    "oracle",
    oracle_scores,
    metrics=list_metrics,
    options=[*list_options(), REFERENCES],
    **COMMON,
)
def oracle(
    lists: str,
    references: tuple[str, ...],
    metrics: list[Metric],
    sentence: Any,
    show: Show,
    **options: Any,
) -> None:
    """Score the best and the worst choice from LISTS.

    A metric may also be feature:NAME, the mean of a feature of the lists (feature:-NAME where lower
    is better).
    """
    nbest, texts = list_reader(options)(lists), read_references(references)
    with progress_bar(0, "scoring"):
        result = oracle_scores(nbest, texts, metrics=metrics, sentence=sentence)
    show(result)


for _command in (stats, oracle):
    command.add_command(_command)
