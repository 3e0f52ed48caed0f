"""``truebleu panel``: systems compared over many test sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._command import Option, Show, make_command, refuse_idle
from truebleu.cli.main import progress_bar, warn
from truebleu.schema import DEFAULT_REPLICATES
from truebleu.scores.given import GivenScores
from truebleu.scores.scored_test_set import read_benchmarks
from truebleu.significance.panel import panel, read_panel

if TYPE_CHECKING:
    from collections.abc import Mapping
    from concurrent.futures import Executor

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import Metric

EPILOG = """\b
A PANEL is a folder with a folder for each test set (ref*, src*, doc*, outputs in sys/),
statistics of one test set, or a table: test_set, system, output, reference[, segment, …].
With -m scores: a file of scores, or a folder of such.

\b
Examples:
  truebleu panel wmt24/ -m bleu chrf
  truebleu panel harness-output/ -m scores:column=acc/exact_match,name=accuracy
"""


PANELS = click.Argument(["panels"], metavar="PANEL...", nargs=-1, required=True)
FIELD = Option(
    ["--documents"],
    group="Texts",
    metavar="FIELD",
    help="With -m scores: the field that says which items belong together.",
)


@make_command(
    "panel",
    panel,
    systems="none",
    texts=False,
    executor=True,
    options=[PANELS, FIELD],
    epilog=EPILOG,
)
def command(
    panels: tuple[str, ...],
    metrics: list[Metric],
    documents: str | None,
    executor: Executor | None,
    show: Show,
    **settings: Any,
) -> None:
    """Test which systems differ over many test sets, and in how many of them.

    A system may be missing in some test sets.
    """
    given = [metric for metric in metrics if isinstance(metric, GivenScores)]
    test_sets: Mapping[str, TestSet]
    with progress_bar(0, "reading"):
        if given:
            answers = next((metric.answers for metric in given if metric.answers is not None), None)
            test_sets = read_benchmarks(panels, documents=documents, answers=answers)
        else:
            refuse_idle(["documents"], "requires -m scores")
            test_sets = read_panel(panels)
    for name, test_set in test_sets.items():
        for warning in test_set.warnings:
            warn(f"{name}: {warning.message}")
    steps = len(test_sets) * (settings["replicates"] or DEFAULT_REPLICATES)
    with progress_bar(steps, "comparing") as progress:
        result = panel(test_sets, metrics, progress=progress, executor=executor, **settings)
    show(result)
