"""``truebleu compare``, ``gate`` and ``panel``: tests of systems."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import click

from truebleu.cli._command import (
    FilePath,
    ResultWriter,
    Texts,
    make_command,
    reject_unused,
    warn_of_texts,
)
from truebleu.schema import DEFAULT_REPLICATES, Setting
from truebleu.schema.progress import progress_bar
from truebleu.significance.compare import compare
from truebleu.significance.gate import gate
from truebleu.significance.optimizer_runs import are_runs_compared
from truebleu.significance.panel import panel, panel_warnings
from truebleu.significance.panel_files import read_panel
from truebleu.significance.tests import TESTS

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from truebleu.metrics.base import Requested


@make_command("compare", compare, "[systems] texts sets metrics by chart details format output")
def compare_command(
    texts: Texts,
    metrics: list[Requested] | None,
    show: ResultWriter,
    runs: Annotated[str | None, Setting(metavar="PATTERN", rare=True)],
    **settings: Any,
) -> None:
    """Test which SYSTEMs differ: files, NAME=FILE, folders, or patterns such as 'sys/*.txt'.

    Args:
        runs: systems have several runs, named after this pattern: '{system}.opt{run}'.

    Examples:
      truebleu compare -r ref.txt old.txt new.txt
      truebleu compare -r ref.txt sys/ --baseline ONLINE-A -m bleu chrf
      truebleu compare -r ref.txt 'sys/*.txt' --documents docs.tsv --by domain
      truebleu compare a.jsonl b.jsonl -m scores
      truebleu compare wmt23/ --lp en-de
    """
    if runs is None:
        reject_unused(("swap_runs", "about"), "requires --runs PATTERN")
    settings["runs"] = runs
    by_runs = are_runs_compared({**settings, "by": texts.columns})
    counts = texts.count(metrics, by_runs=by_runs)
    passes = 2 if TESTS[settings["test"] or "ar"].source == "swaps" else 1
    show(texts.run(compare, counts, settings, passes))


@make_command("gate", gate, "systems texts metrics by format output checks")
def gate_command(
    texts: Texts,
    metrics: list[Requested] | None,
    baseline: Annotated[str | None, Setting(metavar="FILE", group="Texts")],
    show: ResultWriter,
    **settings: Any,
) -> None:
    """Let a new SYSTEM pass unless it is significantly worse than the baseline.

    With --margin, fail unless it is shown to be good enough. If you name several metrics, the
    system must pass on each of them.

    Args:
        baseline: the old system's output, or counts that score --save made of it.

    Examples:
      truebleu gate new.txt --baseline old.txt -r ref.txt --margin 0.5
      truebleu gate new.txt --baseline old.txt -r ref.txt -m bleu chrf ter
      truebleu gate new.jsonl --baseline old.jsonl --by subject --margin 0.02

    Exit codes: 0 NEW passes, 1 NEW fails, 2 bad usage or bad input.
    """
    if baseline is None or len(texts.systems) != 1:
        raise click.UsageError(
            "Name the old system: truebleu gate new.txt --baseline old.txt -r ref.txt"
        )
    if settings["margin"] is not None:
        reject_unused(["replicates", "seed"], "has no effect with --margin")
    both, name = texts.with_baseline(baseline)
    counts = both.count(
        metrics,
        fingerprints=settings["ledger"] is not None,
        refuses_serious=not settings["accept_inputs"],
    )
    passes = 0 if settings["margin"] is not None else 1
    result = both.run(partial(gate, baseline=name), counts, settings, passes)
    show(result)
    click.get_current_context().exit(0 if result.passed else 1)


PANELS = click.Argument(["panels"], metavar="PANEL...", nargs=-1, required=True, type=FilePath())


@make_command(
    "panel", panel, "metrics direction executor chart details format output", options=[PANELS]
)
def panel_command(
    panels: tuple[str, ...],
    metrics: list[Requested] | None,
    documents: Annotated[str | None, Setting(metavar="FIELD", group="Texts")],
    executor: Executor | None,
    show: ResultWriter,
    **settings: Any,
) -> None:
    """Test which systems differ over many test sets, and in how many of them.

    A system may be missing in some test sets.

    Args:
        documents: for item scores: the field with each item's document.

    Examples:
      truebleu panel wmt24/ -m bleu chrf
      truebleu panel harness-output/

    A PANEL is a folder with a folder for each test set (ref*, src*, doc*, outputs in sys/), or
    saved counts of one test set; or files of item scores, such as the output folder of
    lm-evaluation-harness.
    """
    with progress_bar(0, "reading"):
        counts = read_panel(panels, metrics, documents)
    warn_of_texts(panel_warnings(counts))
    steps = len(counts) * (settings["replicates"] or DEFAULT_REPLICATES)
    with progress_bar(steps, "comparing") as progress:
        result = panel(counts, progress=progress, executor=executor, **settings)
    show(result)
