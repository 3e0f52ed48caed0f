"""``truebleu compare``: which differences between systems are real."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import click

from truebleu._settings import ABOUTS, DEFAULT_REPLICATES, RUN_SWAPS
from truebleu.cli._options import (
    Show,
    Texts,
    alternative_option,
    baseline_option,
    by_option,
    charted_result_options,
    comparison_options,
    executor_options,
    given,
    metric_option,
    option_with_default,
    optional_test_set_options,
    people_option,
    read_columns,
    refuse_idle,
    share_read,
    stream_options,
    warn_of,
)
from truebleu.cli.main import progress_bar
from truebleu.reports.compare import COLUMNS, require_columns
from truebleu.significance.compare import compare
from truebleu.significance.corrections import CORRECTIONS
from truebleu.significance.settings import CompareSettings, default_interval, default_test
from truebleu.significance.tests import TESTS

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import Metric

EPILOG = """\b
Examples:
  truebleu compare -r ref.txt old.txt new.txt
  truebleu compare -r ref.txt sys/ --baseline ONLINE-A -m bleu -m chrf
  truebleu compare -r ref.txt 'sys/*.txt' --documents docs.tsv --by domain
  truebleu compare -r ref.txt a.txt b.txt --margin 0.5 --format json
  truebleu compare -r ref.txt sys/ --chart forest.pdf
  truebleu compare -r ref.txt sys/ --runs '{system}.opt{run}'
  truebleu compare -r ref.txt sys/ --baseline ONLINE-A -m bleu,chrf -f latex > table.tex

\b
How to read the answer: the interval is a confidence interval of the score that all segments like
these would have; p is how often two equal systems would differ by at least this much; the adjusted
p accounts for the number of comparisons, and * marks those at or below 1 - level. Ranks are those
the tests leave.
"""


@click.command("compare", epilog=EPILOG)
@optional_test_set_options
@metric_option
@baseline_option
@by_option
@click.option(
    "--test",
    type=click.Choice(tuple(TESTS)),
    help="The test of significance. Default: ar; two-way about further runs.",
)
@click.option(
    "--correction",
    type=click.Choice(tuple(CORRECTIONS)),
    help="Correction for the number of comparisons by a metric. Default: holm; westfall-young "
    "from 1001 comparisons on.",
)
@alternative_option
@click.option(
    "--margin", type=float, metavar="D", help="Also test equivalence within a difference of D."
)
@click.option("--adaptive", is_flag=True, help="Make as many replicates as clear decisions need.")
@click.option(
    "--runs",
    metavar="PATTERN",
    help="Systems have several runs, named after this pattern: '{system}.opt{run}'.",
)
@click.option(
    "--about",
    type=click.Choice(ABOUTS),
    help="With --runs: what the verdict is about. Default: further runs, if there are two or more.",
)
@option_with_default(
    "--swap-runs",
    click.Choice(RUN_SWAPS),
    "together",
    "About these runs: swap all runs of a unit together, or each separately as MultEval does.",
)
@comparison_options
@stream_options
@executor_options
@click.option(
    "--columns",
    "shown",
    metavar="NAME,NAME,...",
    help=f"What tables of systems show: {', '.join(COLUMNS)}. Default: all; in LaTeX and Markdown "
    "score.",
)
@people_option
@charted_result_options
def command(
    texts: Texts,
    metrics: list[Metric],
    columns: tuple[str, ...],
    chunk: int | None,
    executor: Executor | None,
    shown: str | None,
    show: Show,
    **options: Any,
) -> None:
    """Test which SYSTEMs differ, and say how sure that is.

    A SYSTEM is a file, NAME=FILE, a folder of files, or a pattern such as 'sys/*.txt'.
    """
    if options["runs"] is None:
        refuse_idle(["swap_runs", "about"], "--runs PATTERN beside it")
    if show.format in ("json", "tsv"):
        refuse_idle(["shown"], f"another format: {show.format} has all numbers")
    chosen = None if shown is None else require_columns(shown.split(","))
    _check(options)  # before the texts are read
    stream = None
    if texts.in_parts(chunk):
        from truebleu.cli._streams import stream_of

        stream = stream_of(texts, chunk, metrics, options, {"--by": columns})
    test_set = texts.read(metrics) if stream is None else None
    passes = 2 if TESTS[options["test"] or "ar"].source == "swaps" else 1
    replicates = options["replicates"] or DEFAULT_REPLICATES
    with progress_bar(passes * replicates, "comparing", share=share_read(stream)) as progress:
        comparison = compare(
            stream or cast("TestSet", test_set),
            metrics=metrics,
            by=read_columns(columns, texts.documents, test_set) if test_set else None,
            progress=progress,
            executor=executor,
            **options,
        )
    if stream is not None:
        warn_of(comparison.warnings)
    show(comparison, columns=chosen)


def _check(options: dict[str, Any]) -> None:
    settings = given(options)
    for name in ("runs", "curves"):
        settings.pop(name, None)
    about = options["about"]
    if about is None and options["test"] == "two-way":
        about = "further-runs"
    chosen = {"test": default_test(about), "interval": default_interval(about)}
    CompareSettings(**{**chosen, **settings, "about": about})
