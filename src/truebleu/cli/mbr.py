"""``truebleu mbr``: the candidate of each segment with the highest expected utility."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import click

from truebleu.cli._command import Option, Show, make_command, refuse_idle
from truebleu.cli._nbest_options import (
    as_lines,
    list_options,
    list_reader,
    read_references,
    reference_option,
)
from truebleu.cli.main import progress_bar
from truebleu.corpus._files import Files, decode
from truebleu.corpus.tables import json_in
from truebleu.errors import MalformedFileError
from truebleu.nbest.minimum_bayes_risk import METHODS, Weights, mbr
from truebleu.reports.document import one_line

if TYPE_CHECKING:
    from concurrent.futures import Executor

EPILOG = """\b
Examples:
  truebleu mbr samples.jsonl -o best.txt
  truebleu mbr run1.nbest -m bleu --weigh-by probability --temperature 2 -o best.txt
  truebleu mbr samples.txt --list-size 100 -m chrf --method aggregate --check
  truebleu mbr samples.jsonl -r ref.txt -o best.txt
"""
#: A file of this name is what the command prints.
STANDARD_OUTPUT = "-"
OPTIONS = [
    *list_options(),
    reference_option(text="A real reference, to score the choice by; repeat for several."),
    Option(
        ["--pseudo-references"],
        group="Texts",
        metavar="FILE",
        help="Lists to compare candidates with, in the same format. Default: with each other.",
    ),
    Option(
        ["-m", "--metric"],
        group="Metrics",
        default="chrf",
        show_default=True,
        metavar="METRIC",
        help="The utility; settings follow a colon: chrf:word_order=2.",
    ),
    Option(
        ["--utilities"],
        group="Metrics",
        rare=True,
        metavar="FILE",
        help="In place of a metric: JSON Lines, a matrix per segment with a row per candidate.",
    ),
    Option(
        ["--weigh-by"],
        group="Statistics",
        type=click.Choice(get_args(Weights)),
        default="uniform",
        show_default=True,
        help="How likely a pseudo-reference is: all alike, by the model, or by how often it was "
        "sampled.",
    ),
    Option(
        ["--method"],
        group="Statistics",
        default="exact",
        show_default=True,
        help=f"How, with settings after a colon: {', '.join(METHODS)}.",
    ),
]


def _refuse_workers() -> None:
    if click.get_current_context().params["utilities"] is not None:
        refuse_idle(["metric", "processes", "cluster"], "excludes --utilities, which are scores")


@make_command(
    "mbr",
    mbr,
    systems="none",
    texts=False,
    metrics=False,
    chart=False,
    executor=True,
    options=OPTIONS,
    output="Write the chosen texts, one line each; - for standard output, without the report.",
    require=_refuse_workers,
    epilog=EPILOG,
)
def command(
    lists: str,
    references: tuple[str, ...],
    metric: str,
    pseudo_references: str | None,
    utilities: str | None,
    show: Show,
    executor: Executor | None,
    **options: Any,
) -> None:
    """Choose the candidate of each segment in LISTS with the highest expected utility.

    Each candidate is scored against all others, which are taken for references: minimum Bayes risk.
    """
    read = list_reader(options)
    candidates = read(lists)
    with progress_bar(len(candidates), "choosing") as progress:
        result = mbr(
            candidates,
            metric=metric,
            pseudo_references=None if pseudo_references is None else read(pseudo_references),
            utilities=None if utilities is None else _matrices(utilities),
            references=read_references(references),
            progress=progress,
            executor=executor,
            **options,
        )
    lines = as_lines(choice.text for segment in result.segments for choice in segment.chosen)
    if str(show.output) != STANDARD_OUTPUT:
        show.write([lines])
        replace(show, output=None)(result)
    elif sys.stdout.isatty():
        # A terminal must not obey what a model wrote.
        for line in lines.decode().splitlines():
            click.echo(one_line(line))
    else:
        click.echo(lines, nl=False)


def _matrices(path: str) -> list[Any]:
    """A matrix of numbers from each line."""
    matrices = []
    text = decode(path, Files().contents(path))
    for line, written in enumerate(text.removesuffix("\n").split("\n"), 1):
        matrix = json_in(path, line, written, "a list of lists of numbers")
        rows = matrix if isinstance(matrix, list) else []
        widths = {len(row) if isinstance(row, list) else None for row in rows}
        numbers = (value for row in rows if isinstance(row, list) for value in row)
        kinds = {type(value) for value in numbers}
        if None in widths or len(widths) != 1 or not kinds <= {int, float}:
            expected = "a list of lists of numbers, all of one length"
            raise MalformedFileError(path, line, "something else", expected)
        matrices.append(matrix)
    return matrices
