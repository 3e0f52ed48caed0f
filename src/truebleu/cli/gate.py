"""``truebleu gate``: may a new system take the place of the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._command import Option, Show, Texts, make_command, refuse_idle
from truebleu.cli.main import progress_bar
from truebleu.schema import DEFAULT_REPLICATES
from truebleu.significance.gate import gate

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

EPILOG = """\b
Exit codes: 0 NEW passes, 1 NEW fails, 2 bad usage or bad input.

\b
Examples:
  truebleu gate new.txt --baseline old.txt -r ref.txt --margin 0.5
  truebleu gate new.txt --baseline old.txt -r ref.txt -m bleu chrf ter
  truebleu gate new.txt --baseline old.txt -r ref.txt --ledger looks.jsonl
"""
BASELINE = Option(
    ["--baseline"],
    group="Texts",
    metavar="FILE",
    help="The old system's output, or statistics that score --save made of it.",
)


@make_command(
    "gate",
    gate,
    people=True,
    chart=False,
    details=False,
    checks=True,
    options=[BASELINE],
    epilog=EPILOG,
)
@click.pass_context
def command(
    context: click.Context,
    /,
    texts: Texts,
    metrics: list[Metric],
    baseline: str | None,
    show: Show,
    **settings: Any,
) -> None:
    """Let a new SYSTEM pass unless it is significantly worse than the baseline.

    With --margin, fail unless it is shown to be good enough. By several metrics, it must pass by
    all.
    """
    if baseline is None or len(texts.systems) != 1:
        raise click.UsageError(
            "Name the old system: truebleu gate new.txt --baseline old.txt -r ref.txt"
        )
    if settings["margin"] is not None:
        refuse_idle(["replicates", "seed"], "has no effect with --margin")
    if settings["ledger"] is None:
        refuse_idle(["looks"], "requires --ledger FILE")
    both, name = texts.with_baseline(baseline)
    test_set = both.count(metrics, fingerprints=settings["ledger"] is not None)
    steps = 0 if settings["margin"] is not None else settings["replicates"] or DEFAULT_REPLICATES
    with progress_bar(steps, "comparing") as progress:
        result = gate(test_set, metrics=metrics, baseline=name, progress=progress, **settings)
    show(result)
    context.exit(0 if result.passed else 1)
