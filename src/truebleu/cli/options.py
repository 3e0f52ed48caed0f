"""Options that commands share, with the help texts that say the same everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

from truebleu.inference.names import INTERVALS, UNITS
from truebleu.reports import FORMATS
from truebleu.seeds import DEFAULT_SEED
from truebleu.threads import MAX_THREADS, set_threads

if TYPE_CHECKING:
    from collections.abc import Callable

Command = TypeVar("Command", bound="Callable[..., object]")


def _use_threads(_context: click.Context, _option: click.Parameter, threads: int | None) -> None:
    if threads is not None:
        set_threads(threads)


def test_set_options(command: Command) -> Command:
    """What is read: references, source, documents, and how strictly."""
    return _test_set_options(command, required=True)


def optional_test_set_options(command: Command) -> Command:
    """The same for commands that can do without texts."""
    return _test_set_options(command, required=False)


def _test_set_options(command: Command, *, required: bool) -> Command:
    for option in (
        click.option(
            "--strict", is_flag=True, help="Refuse texts that would only be warned about."
        ),
        click.option(
            "--documents",
            metavar="FILE",
            help="Each segment's document: one label per line, or TSV with columns doc and domain.",
        ),
        click.option("-s", "--source", metavar="FILE", help="The source text."),
        click.option(
            "-r",
            "--reference",
            "references",
            metavar="FILE",
            multiple=True,
            required=required,
            help="A reference; repeat for several.",
        ),
    ):
        command = option(command)
    return command


def resampling_options(command: Command) -> Command:
    """How test sets are resampled, and how intervals are made of that."""
    interval = click.option(
        "--interval",
        type=click.Choice(INTERVALS),
        default="percentile",
        show_default=True,
        help="How intervals are made of replicates.",
    )
    return replicate_options(interval(command))


def replicate_options(command: Command) -> Command:
    """How test sets are resampled, and how sure an answer must be."""
    for option in (
        click.option("--by-domain", is_flag=True, help="Draw within each domain."),
        click.option("--block-length", type=int, metavar="N", help="Segments in a block."),
        click.option(
            "--unit",
            type=click.Choice(UNITS),
            default="segment",
            show_default=True,
            help="What is drawn or swapped as a whole.",
        ),
        click.option(
            "--level", type=float, default=0.95, show_default=True, help="Confidence level."
        ),
        click.option("--seed", type=int, default=DEFAULT_SEED, show_default=True),
        click.option(
            "--samples", type=int, default=10_000, show_default=True, help="How many replicates."
        ),
    ):
        command = option(command)
    return command


def metric_option(command: Command) -> Command:
    """The metrics, with their settings."""
    return click.option(
        "-m",
        "--metric",
        "metrics",
        metavar="METRIC",
        multiple=True,
        default=["bleu"],
        show_default=True,
        help="A metric; settings follow a colon: chrf:word_order=2. Repeat for several. "
        "truebleu score --help lists all metrics and settings.",
    )(command)


def format_option(command: Command) -> Command:
    """How results are written."""
    return click.option(
        "-f",
        "--format",
        "format_",
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="How the result is written.",
    )(command)


def threads_option(command: Command) -> Command:
    """How many threads, which changes the time and nothing else."""
    return click.option(
        "--threads",
        type=click.IntRange(min=0, max=MAX_THREADS),
        expose_value=False,
        callback=_use_threads,
        help="Threads to use; 0 for one per processor. Default: TRUEBLEU_THREADS, or 0.",
    )(command)
