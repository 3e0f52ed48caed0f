"""Options that take several numbers, with commas between them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from truebleu._seeds import DEFAULT_SEED
from truebleu._threads import MAX_THREADS, set_threads
from truebleu.corpus import read_test_set
from truebleu.errors import SettingError
from truebleu.reports import FORMATS
from truebleu.reports.charts import ENDINGS, require_chart_file, save_chart
from truebleu.significance._names import INTERVALS, UNITS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
    from collections.abc import Callable

    from truebleu.corpus import TestSet
    from truebleu.exhibits import Exhibit


def shares_option(usual: Sequence[float]) -> Decorator:
    """Parts of the test set in percent; without it, the usual ones."""
    listed = ",".join(f"{100 * share:g}" for share in usual)
    return click.option(
        "--shares",
        metavar="P,P,...",
        callback=percents,
        help=f"Percents of the test set to use. Default: {listed}.",
    )


def numbers_option(name: str, metavar: str, help_: str) -> Decorator:
    """Whole numbers; None without the option."""
    return click.option(name, metavar=metavar, callback=whole_numbers, help=help_)


def percents(
    _context: click.Context, option: click.Parameter, value: str | None
) -> tuple[float, ...] | None:
    """Shares, of percents: what an option's callback makes of its text."""
    if value is None:
        return None
    try:
        return tuple(float(part) / 100 for part in value.split(","))
    except ValueError:
        expected = "percents with commas between them, such as 10,50,100"
        raise SettingError(str(option.name), value, expected) from None


def whole_numbers(
    _context: click.Context, option: click.Parameter, value: str | None
) -> tuple[int, ...] | None:
    """The numbers: what an option's callback makes of its text."""
    if value is None:
        return None
    try:
        return tuple(int(part) for part in value.split(","))
    except ValueError:
        expected = "whole numbers with commas between them, such as 100,1000"
        raise SettingError(str(option.name), value, expected) from None


# The options of commands that draw a chart: ``--chart FILE`` and ``--force``.


Command = TypeVar("Command", bound="Callable[..., object]")


def _require_file(
    context: click.Context, _option: click.Parameter, chart: Path | None
) -> Path | None:
    # Before the work begins: what cannot be written should be said at once.
    if chart is not None:
        require_chart_file(chart, overwrite=context.params["force"])
    return chart


def chart_options(command: Command) -> Command:
    """Where a chart goes. The command gets `chart`, a path or None, and `force`.

    Before the command runs, the file's ending, its place and the packages have been checked.
    """
    for option in (
        # Read before --chart, wherever it stands.
        click.option("--force", is_flag=True, is_eager=True, help="Overwrite files that exist."),
        click.option(
            "--chart",
            metavar="FILE",
            type=click.Path(path_type=Path),
            callback=_require_file,
            help=f"Also draw a chart; FILE ends in {', '.join(ENDINGS)} (Vega-Lite). "
            "Needs truebleu[charts].",
        ),
    ):
        command = option(command)
    return command


def draw_chart(exhibit: Exhibit, chart: Path | None, *, force: bool) -> None:
    """Write the chart of an exhibit where ``--chart`` says, if it says anything."""
    if chart is not None:
        save_chart(exhibit, chart, overwrite=force)


# Options that commands share, with the help texts that say the same everywhere.


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
            "--replicates", type=int, default=10_000, show_default=True, help="How many replicates."
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


# Reads the texts that commands are given, and says on standard error what is suspicious.


def read_texts(
    systems: Sequence[str],
    references: Sequence[str],
    *,
    source: str | None,
    documents: str | None,
    strict: bool,
) -> TestSet:
    """The test set of a command's arguments; warnings go to standard error."""
    test_set = read_test_set(systems, references, source=source, documents=documents, strict=strict)
    for warning in test_set.warnings:
        click.echo(f"warning: {warning.message}", err=True)
    return test_set
