"""``truebleu rerank``: choose from n-best lists by weights, quality scores or a trained model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import click

from truebleu.cli._nbest_options import (
    ListReader,
    as_lines,
    nbest_options,
    read_references,
    reference_option,
)
from truebleu.cli._options import (
    Show,
    metric_option,
    option_with_default,
    output_options,
    repeatable_option,
    replicates_option,
    result_options,
    seed_option,
)
from truebleu.cli.main import progress_bar
from truebleu.corpus._writing import write_files
from truebleu.errors import SettingError
from truebleu.nbest.reranking import Model, rerank
from truebleu.nbest.weights import read_weights

if TYPE_CHECKING:
    from pathlib import Path

EPILOG = """\b
Examples:
  truebleu rerank test.nbest --weights weights.ini -o best.txt -r test.ref
  truebleu rerank samples.jsonl --model quality --by kiwi -o best.txt
  truebleu rerank test.nbest -r ref --model log-linear --train dev.nbest --train-reference dev.ref
  truebleu rerank lists.jsonl -r ref --model log-linear --ngrams 3 -m nist -m bleu
  truebleu rerank lists.jsonl -r ref --model noisy-channel --by channel --by direct --by lm
"""


@click.command("rerank", epilog=EPILOG)
@click.argument("lists")
@reference_option(text="A reference, to measure the gain by; repeat for several.")
@metric_option
@option_with_default(
    "--model", click.Choice(get_args(Model)), "weights", "How candidates are scored."
)
@click.option("--weights", metavar="FILE", help="Weights of features: TSV, JSON or a Moses ini.")
@repeatable_option(
    "--by",
    "columns",
    metavar="NAME",
    text="quality, noisy-channel: a column of scores; -NAME where lower is better.",
)
@click.option(
    "--length-penalty", type=float, help="noisy-channel with --weights: the power. Default: 1."
)
@click.option(
    "--normalize",
    is_flag=True,
    help="noisy-channel: divide the first score by the source's length and the second by the "
    "candidate's, as fairseq does.",
)
@click.option(
    "--ngrams", type=int, default=0, help="log-linear: also use n-grams of up to N words."
)
@click.option("--pairs", is_flag=True, help="log-linear: also use pairs with words of the source.")
@click.option("--gamma", type=float, help="log-linear: the penalty. Default: chosen along a path.")
@click.option(
    "--train", metavar="LISTS", help="Lists to train on. Default: folds of LISTS themselves."
)
@reference_option("train", "A reference of the training lists; repeat for several.")
@click.option("--folds", type=int, help="Without --train: how many parts. Default: 5.")
@seed_option
@replicates_option()
@output_options("Write the chosen texts, one line each.")
@nbest_options
@result_options
def command(
    lists: str,
    references: tuple[str, ...],
    metrics: tuple[str, ...],
    model: Any,
    weights: str | None,
    columns: tuple[str, ...],
    train: str | None,
    train_references: tuple[str, ...],
    folds: int | None,
    output: Path | None,
    force: bool,
    reader: ListReader,
    show: Show,
    **settings: Any,
) -> None:
    """Choose the candidate of each segment in LISTS that scores best."""
    if (train is None) != (not train_references):
        raise SettingError("--train", train, "LISTS and their --train-reference together")
    trains = model in ("log-linear", "noisy-channel") and weights is None
    if not trains and (train is not None or folds is not None):
        raise SettingError("--train or --folds", train or folds, "a model that is trained")
    if train is not None and folds is not None:
        raise SettingError("--folds", folds, "no --train LISTS beside it")
    nbest = reader.read(lists)
    others = None if train is None else reader.read(train)
    texts = read_references(references)
    parts = 5 if folds is None else folds
    with progress_bar(parts if trains and train is None else 1, "training") as progress:
        result = rerank(
            nbest,
            texts,
            model=model,
            weights=None if weights is None else read_weights(weights),
            features=columns,
            train=others,
            train_references=read_references(train_references),
            metrics=metrics,
            folds=parts,
            progress=progress,
            **settings,
        )
    if output is not None:
        text = as_lines(result.texts)
        write_files(output.parent, {output.name: [text.encode()]}, overwrite=force)
    show(result)
