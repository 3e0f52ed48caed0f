"""``truebleu compare``: which differences between systems are real."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu.cli._command import Option, Show, Texts, make_command, read_columns, refuse_idle
from truebleu.cli.main import progress_bar
from truebleu.schema import DEFAULT_REPLICATES
from truebleu.significance.compare import compare
from truebleu.significance.tests import TESTS

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

EPILOG = """\b
Examples:
  truebleu compare -r ref.txt old.txt new.txt
  truebleu compare -r ref.txt sys/ --baseline ONLINE-A -m bleu chrf
  truebleu compare -r ref.txt 'sys/*.txt' --documents docs.tsv --by domain
  truebleu compare -r ref.txt sys/ -f latex -o table.tex
  truebleu compare a.jsonl b.jsonl -m scores
"""

RUNS = Option(
    ["--runs"],
    group="Statistics",
    rare=True,
    metavar="PATTERN",
    help="Systems have several runs, named after this pattern: '{system}.opt{run}'.",
)


@make_command(
    "compare",
    compare,
    systems="optional",
    by=True,
    people=True,
    options=[RUNS],
    epilog=EPILOG,
)
def command(
    texts: Texts,
    metrics: list[Metric],
    columns: tuple[str, ...],
    show: Show,
    **settings: Any,
) -> None:
    """Test which SYSTEMs differ: files, NAME=FILE, folders, or patterns such as 'sys/*.txt'."""
    if settings["runs"] is None:
        refuse_idle(["swap_runs", "about"], "requires --runs PATTERN")
    test_set = texts.count(metrics)
    passes = 2 if TESTS[settings["test"] or "ar"].source == "swaps" else 1
    replicates = settings["replicates"] or DEFAULT_REPLICATES
    with progress_bar(passes * replicates, "comparing") as progress:
        comparison = compare(
            test_set,
            metrics=metrics,
            by=read_columns(columns, texts.documents, test_set),
            progress=progress,
            **settings,
        )
    show(comparison)
