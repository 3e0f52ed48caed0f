"""``truebleu study replicates``: how many replicates the bootstrap needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._options import numbers_option
from truebleu.cli._study_options import level_option, repetitions_option, study_options, unit_option
from truebleu.studies.replicates import USUAL_REPLICATES, study_replicates

if TYPE_CHECKING:
    from truebleu.cli._study_options import Studied
    from truebleu.exhibits import Exhibit

EPILOG = """\b
Examples:
  truebleu study replicates -r ref.txt system.txt -m bleu -m nist -m mbleu
  truebleu study replicates -r ref.txt system.txt --replicates 100,1000,10000,100000
  truebleu study replicates -r ref.txt sys/ --repetitions 100 --enough 0.05
  truebleu study replicates --simulate 1000 --chart replicates.svg
"""


@click.command("replicates", epilog=EPILOG)
@study_options
@numbers_option(
    "--replicates",
    "B,B,...",
    f"Numbers of replicates. Default: {','.join(map(str, USUAL_REPLICATES))}.",
)
@repetitions_option(20, "Runs of the largest B; smaller ones cut the same replicates into more.")
@unit_option
@click.option(
    "--enough",
    type=float,
    default=0.02,
    show_default=True,
    metavar="SHARE",
    help="B is enough when the bounds' standard deviation is this share of the width or less.",
)
@level_option
def command(study: Studied, **options: Any) -> Exhibit:
    """How many replicates does the bootstrap need?

    Zhang & Vogel (2004, Tables 5 and 6): the relative interval and the standard deviation of its
    bounds for B = 100 to 100,000; beyond 2,000 replicates there are only small changes.
    """
    return study_replicates(study.test_set, study.metrics, runner=study.runner, **options)
