"""``truebleu rerank``: choose from n-best lists by weights, quality scores or a trained model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truebleu.cli._command import Option, Show, make_command, refuse_idle
from truebleu.cli._nbest_options import (
    as_lines,
    list_options,
    list_reader,
    read_references,
    reference_option,
)
from truebleu.cli.main import progress_bar
from truebleu.nbest.choices import read_weights
from truebleu.nbest.problem import list_metrics
from truebleu.nbest.reranking import rerank

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

EPILOG = """\b
Examples:
  truebleu rerank test.nbest --weights weights.ini -o best.txt -r test.ref
  truebleu rerank samples.jsonl --quality kiwi -o best.txt
  truebleu rerank test.nbest -r ref --train-lists dev.nbest --train-reference dev.ref
  truebleu rerank lists.jsonl -r ref --ngrams 3 -m nist bleu
"""
OPTIONS = [
    *list_options(),
    reference_option(text="A reference, to measure the gain by; repeat for several."),
    Option(
        ["--weights"],
        group="Metrics",
        metavar="FILE",
        help="Choose by these weights of features: TSV, JSON or a Moses ini.",
    ),
    Option(
        ["--train-lists"],
        group="Texts",
        metavar="LISTS",
        help="Lists to train on. Default: folds of LISTS themselves.",
    ),
    reference_option("train"),
]
#: What is about training.
TRAINING = ("train_lists", "folds", "gamma", "ngrams", "word_pairs")


@make_command(
    "rerank",
    rerank,
    systems="none",
    texts=False,
    metrics=list_metrics,
    chart=False,
    options=OPTIONS,
    output="Write the chosen texts, one line each.",
    epilog=EPILOG,
)
def command(
    lists: str,
    references: tuple[str, ...],
    metrics: list[Metric],
    weights: str | None,
    train_lists: str | None,
    train_references: tuple[str, ...],
    show: Show,
    **options: Any,
) -> None:
    """Choose the candidate of each segment in LISTS that scores best.

    By --weights, by columns of --quality scores, or, without either, by a model that is trained to
    prefer what the references say is best.
    """
    if weights is not None or options["quality"]:
        refuse_idle(TRAINING, "has no effect with --weights or --quality")
    if train_lists is None:
        refuse_idle(["train_references"], "requires --train-lists LISTS")
    else:
        refuse_idle(["folds"], "excludes --train-lists")
    read = list_reader(options)
    with progress_bar(options["folds"], "training") as progress:
        result = rerank(
            read(lists),
            read_references(references),
            weights=None if weights is None else read_weights(weights),
            train_lists=None if train_lists is None else read(train_lists),
            train_references=read_references(train_references),
            metrics=metrics,
            progress=progress,
            **options,
        )
    show.write([as_lines(result.texts)])
    replace(show, output=None)(result)
