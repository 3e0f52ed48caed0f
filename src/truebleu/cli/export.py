"""``truebleu export``: scores as records that other programs collect."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._options import (
    Texts,
    execution_options,
    metric_option,
    option_with_default,
    resampling_options,
    test_set_options,
)
from truebleu.cli.main import progress_bar, tell
from truebleu.reports.every_eval_ever import RELATIONSHIPS, UNKNOWN, save_evaluations
from truebleu.significance.scores import score

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

EPILOG = """\b
Examples:
  truebleu export -r ref.txt lab/model=system.txt -m bleu,chrf --benchmark wmt24-en-de -o records
  truebleu export logs/*.eval -m scores:column=match --benchmark quiz --organization 'Our lab' -o .

\b
A system is called DEVELOPER/MODEL there. Segments are written with their texts: export what may be
published.
"""


@click.command("export", epilog=EPILOG)
@test_set_options
@metric_option
@click.option("--benchmark", metavar="NAME", required=True, help="What the test set is called.")
@click.option(
    "--organization", metavar="NAME", default=UNKNOWN, show_default=True, help="Who evaluated."
)
@option_with_default(
    "--relationship",
    click.Choice(RELATIONSHIPS),
    "other",
    "How the organization is related to those who made the systems.",
)
@resampling_options
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Where to write the records, in a folder called data.",
)
@click.option("--force", is_flag=True, help="Overwrite records.")
@execution_options
def command(
    texts: Texts,
    metrics: list[Metric],
    benchmark: str,
    organization: str,
    relationship: Any,
    output: Path,
    force: bool,
    **options: Any,
) -> None:
    """Write the scores of each SYSTEM as records of Every Eval Ever.

    Results have intervals and signatures, and come with all segments. A SYSTEM is a file,
    NAME=FILE, a folder of files, or a pattern such as 'sys/*.txt'.
    """
    test_set = texts.read(metrics)
    with progress_bar(options["replicates"], "resampling") as progress:
        scores = score(
            test_set,
            metrics=metrics,
            per_segment=True,
            confidence=True,
            progress=progress,
            **options,
        )
    written = save_evaluations(
        scores,
        test_set,
        output,
        benchmark=benchmark,
        organization=organization,
        relationship=relationship,
        overwrite=force,
    )
    for path in written:
        tell(f"wrote {path}")
