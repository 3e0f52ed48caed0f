"""``truebleu mbr``: the candidate of each segment with the highest expected utility."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, get_args

import click

from truebleu._settings import DEFAULT_SEED
from truebleu.cli._nbest_options import as_lines, nbest_options, read_lists, read_references
from truebleu.cli._options import (
    STANDARD_OUTPUT,
    option_with_default,
    output_options,
    progress_bar,
    refuse_idle,
    repeatable_option,
    result_options,
)
from truebleu.corpus._writing import write_files
from truebleu.errors import MalformedFileError, SettingError
from truebleu.nbest.minimum_bayes_risk import Method, Weights, mbr
from truebleu.reports.document import one_line, render

if TYPE_CHECKING:
    from pathlib import Path

EPILOG = """\b
Examples:
  truebleu mbr samples.jsonl -o best.txt
  truebleu mbr run1.nbest -m bleu --weights probability --temperature 2 -o best.txt
  truebleu mbr samples.txt --size 100 -m chrf --method aggregate --check
  truebleu mbr samples.jsonl -m ter --best 3 --format tsv
  truebleu mbr samples.jsonl -r ref.txt -o best.txt
"""


#: Options that do nothing with other methods.
ONLY_WITH = {"coarse-to-fine": ("keep", "coarse"), "prune": ("alpha", "seed")}


@click.command("mbr", epilog=EPILOG)
@click.argument("lists")
@click.option(
    "-m",
    "--metric",
    default="chrf",
    show_default=True,
    metavar="METRIC",
    help="The utility; settings follow a colon: chrf:word_order=2.",
)
@click.option(
    "--pseudo-references",
    metavar="FILE",
    help="Lists to compare candidates with, in the same format. Default: with each other.",
)
@option_with_default(
    "--weights",
    click.Choice(get_args(Weights)),
    "uniform",
    "How likely a pseudo-reference is: all alike, by the model, or as often as sampled.",
)
@option_with_default(
    "--temperature", float, 1.0, "With --weights probability: log-probabilities are divided by it."
)
@click.option("--without-self", is_flag=True, help="Do not compare a candidate with itself.")
@click.option(
    "--as-is",
    is_flag=True,
    help="Score pairs by the metric as it is: BLEU without effective order, for example.",
)
@option_with_default(
    "--method",
    click.Choice(get_args(Method)),
    "exact",
    "All pairs; one comparison with the mean of all; only what bootstrap samples do not rule "
    "out; only the best by --coarse.",
)
@click.option("--check", is_flag=True, help="Also say what --method misses of the exact result.")
@option_with_default("--keep", int, 16, "With coarse-to-fine: candidates kept of each segment.")
@click.option(
    "--coarse",
    default="chrf",
    show_default=True,
    metavar="METRIC",
    help="With coarse-to-fine: the metric that keeps them.",
)
@option_with_default("--alpha", float, 0.99, "With prune: the confidence.")
@option_with_default("--seed", int, DEFAULT_SEED, "With prune.")
@click.option(
    "--utilities",
    metavar="FILE",
    help="In place of a metric: JSON Lines with a matrix for each segment, a row per candidate.",
)
@option_with_default("--best", int, 1, "Candidates per segment.")
@repeatable_option(
    "-r",
    "--reference",
    "references",
    metavar="FILE",
    text="A real reference, to score the choice by this and another metric; repeat for several.",
)
@output_options("Write the chosen texts, one line each; - for standard output, without the report.")
@nbest_options
@result_options
def command(
    lists: str,
    metric: str,
    pseudo_references: str | None,
    without_self: bool,
    as_is: bool,
    utilities: str | None,
    references: tuple[str, ...],
    output: Path | None,
    force: bool,
    format_: str,
    **options: Any,
) -> None:
    """Choose the candidate of each segment in LISTS with the highest expected utility.

    Each candidate is scored against all others, which are taken for references: minimum Bayes risk.
    """
    if utilities is not None:
        refuse_idle(["metric"], "none with --utilities, which are scores already")
    for method, names in ONLY_WITH.items():
        if options["method"] != method:
            refuse_idle(names, f"--method {method} beside it")
    reading = dict(options)
    nbest = read_lists(lists, options)
    others = None if pseudo_references is None else read_lists(pseudo_references, reading)
    test_set = read_references(references)
    with progress_bar(len(nbest), "choosing") as progress:
        result = mbr(
            nbest,
            metric=metric,
            pseudo_references=others,
            include_self=not without_self,
            sentence_level=not as_is,
            utilities=None if utilities is None else _matrices(utilities),
            references=None if test_set is None else test_set.references,
            progress=progress,
            **options,
        )
    text = as_lines(choice.text for segment in result.segments for choice in segment.chosen)
    if output == STANDARD_OUTPUT:
        # A terminal must not obey what a model wrote.
        lines = map(one_line, text.split("\n")) if sys.stdout.isatty() else text.split("\n")
        click.echo("\n".join(lines), nl=False)
        return
    if output is not None:
        write_files(output.parent, {output.name: [text.encode()]}, overwrite=force)
    click.echo(render(result, format_), nl=False)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _matrices(path: str) -> list[Any]:
    from truebleu.corpus._files import Files, decode
    from truebleu.corpus._tables import parse_json

    matrices = []
    for line, text in enumerate(decode(path, Files().contents(path)).rstrip("\n").split("\n"), 1):
        try:
            matrix = parse_json(text)
        except ValueError as error:
            found = f"no valid JSON ({error})"
            raise MalformedFileError(path, line, found, "a list of lists of numbers") from None
        rows = matrix if isinstance(matrix, list) else []
        widths = {len(row) if isinstance(row, list) else None for row in rows}
        numbers = (value for row in rows if isinstance(row, list) for value in row)
        if None in widths or len(widths) != 1 or not all(map(_is_number, numbers)):
            expected = "a list of lists of numbers, all of one length"
            raise MalformedFileError(path, line, "something else", expected)
        matrices.append(matrix)
    if not matrices:
        raise SettingError("utilities", path, "a matrix for each segment")
    return matrices
