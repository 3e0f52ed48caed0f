"""``truebleu gate``: may a new system take the place of an old one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._options import (
    Show,
    Texts,
    check_format_option,
    chunk_option,
    execution_options,
    executor_options,
    given,
    metric_option,
    people_option,
    reference_options,
    refuse_idle,
    replicate_options,
    share_read,
    warn_of,
)
from truebleu.cli.main import progress_bar
from truebleu.corpus._files import locate
from truebleu.errors import SettingError
from truebleu.metrics.statistics_files import find_statistics
from truebleu.significance.gate import GateSettings, gate

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from truebleu.metrics.base import Metric
    from truebleu.metrics.statistics_files import SavedStatistics

EPILOG = """\b
Exit codes: 0 NEW passes, 1 NEW fails, 2 bad usage or bad input.

\b
Examples:
  truebleu gate new.txt old.txt -r ref.txt
  truebleu gate new.txt old.txt -r ref.txt --margin 0.5
  truebleu gate new.txt old.txt -r ref.txt -m bleu -m chrf -m ter --level 0.99
  truebleu gate new.txt old.txt -r ref.txt --ledger looks.jsonl
  truebleu score old.txt -r ref.txt --save baseline.json.gz
  truebleu gate new.txt baseline.json.gz -r ref.txt
"""


@click.command("gate", epilog=EPILOG)
@click.argument("new")
@click.argument("old")
@reference_options
@metric_option
@click.option(
    "--margin",
    type=float,
    metavar="D",
    help="NEW must be shown to be worse by less than D; with 0, to be better.",
)
@click.option(
    "--ledger",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Record this look at the test set, so that all looks together keep the level.",
)
@click.option(
    "--looks",
    type=int,
    metavar="N",
    help="With --ledger: share the level among N looks. Default: any number, each look stricter "
    "than the last.",
)
@people_option
@replicate_options
@chunk_option
@executor_options
@check_format_option
@execution_options
@click.pass_context
def command(
    context: click.Context,
    /,
    new: str,
    old: str,
    texts: Texts,
    metrics: list[Metric],
    chunk: int | None,
    executor: Executor | None,
    show: Show,
    **options: Any,
) -> None:
    """Fail when NEW is significantly worse than OLD.

    With --margin, fail unless NEW is shown to be good enough. OLD is a text, or a file that
    `truebleu score --save` made of one. By several metrics, NEW must pass by all.
    """
    if options["margin"] is not None:
        expected = "none with --margin, whose test needs no replicates"
        refuse_idle(["replicates", "seed"], expected)
    if options["ledger"] is None:
        refuse_idle(["looks"], "--ledger FILE beside it")
    others = ("ledger", "curves")
    settings = {name: value for name, value in given(options).items() if name not in others}
    GateSettings(**settings)  # refuses what is not possible before the texts are read
    both, stream = replace(texts, systems=[new, old]), None
    if both.in_parts(chunk):
        from truebleu.cli._streams import stream_of

        needs = {"--ledger": options["ledger"]}
        stream = stream_of(both, chunk, metrics, options, needs)
    replicates = options["replicates"] if options["margin"] is None else 0
    if stream is not None:
        with progress_bar(replicates, "comparing", share=share_read(stream)) as progress:
            result = gate(stream, metrics=metrics, progress=progress, executor=executor, **options)
        warn_of(result.warnings)
    else:
        # Statistics of both systems are a test set by themselves.
        saved = None if _saved(new) is not None else _saved(old)
        test_set = both if saved is None else replace(texts, systems=[new])
        read = test_set.read(metrics)
        with progress_bar(replicates, "comparing") as progress:
            result = gate(read, saved, metrics=metrics, progress=progress, **options)
    show(result)
    context.exit(0 if result.passed else 1)


def _saved(written: str) -> SavedStatistics | None:
    """The saved statistics that were meant, under the name that they were given."""
    location = locate(written)
    saved = None if location.column is not None else find_statistics(location.path)
    if saved is None:
        return None
    if len(saved) != 1:
        raise SettingError("old", f"{len(saved)} systems in {location.path}", "one")
    return saved[0] if location.name is None else saved[0].named(location.name)
