"""``truebleu study sensitivity``: which metric tells most pairs of systems apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._options import numbers_option
from truebleu.cli._study_options import (
    level_option,
    samples_option,
    set_usual_metrics,
    study_options,
    unit_option,
)
from truebleu.significance.corrections import P_VALUE_CORRECTIONS
from truebleu.studies._pool import DRAWS
from truebleu.studies.sensitivity import USUAL_METRICS, study_sensitivity

if TYPE_CHECKING:
    from truebleu.cli._study_options import Studied
    from truebleu.exhibits import Exhibit

EPILOG = """\b
Examples:
  truebleu study sensitivity -r ref.txt sys/
  truebleu study sensitivity -r ref.txt sys/ -m bleu -m nist -m mbleu
  truebleu study sensitivity -r ref.txt sys/ -m bleu -m chrf -m ter --sizes 100,300,600
  truebleu study sensitivity -r ref.txt sys/ -m bleu -m nist --by-system
  truebleu study sensitivity --simulate 500 -m bleu -m nist --chart sensitivity.svg
"""


@click.command("sensitivity", epilog=EPILOG)
@study_options
@numbers_option("--sizes", "N,N,...", "Units in a sample. Default: the whole test set, once.")
@click.option(
    "--repetitions", type=int, metavar="N", help="With --sizes: samples of each. Default: 20."
)
@click.option(
    "--draw", type=click.Choice(DRAWS), help="With --sizes: how samples are taken. Default: random."
)
@unit_option
@samples_option(10_000)
@level_option
@click.option(
    "--correction", type=click.Choice(P_VALUE_CORRECTIONS), default="holm", show_default=True
)
@click.option("--by-system", is_flag=True, help="List every system's relative interval.")
def command(study: Studied, **options: Any) -> Exhibit:
    """Which metric tells most pairs of systems apart?

    Zhang & Vogel (2004, Table 1, Fig. 3) and Riezler & Maxwell (2005, Table 1) found NIST more
    sensitive than BLEU. Pairs are told apart by the bootstrap's interval of the difference and by
    approximate randomization, with and without a correction.
    """
    return study_sensitivity(study.test_set, study.metrics, runner=study.runner, **options)


set_usual_metrics(command, USUAL_METRICS)
