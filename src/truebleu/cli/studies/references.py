"""``truebleu study references``: what a further reference is worth in test data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._options import shares_option
from truebleu.cli._study_options import (
    level_option,
    repetitions_option,
    samples_option,
    study_options,
    unit_option,
)
from truebleu.studies.references import USUAL_SHARES, study_references

if TYPE_CHECKING:
    from truebleu.cli._study_options import Studied
    from truebleu.exhibits import Exhibit

EPILOG = """\b
Examples:
  truebleu study references -r refA.txt -r refB.txt -r refC.txt system.txt -m bleu -m nist
  truebleu study references -r refA.txt -r refB.txt sys/ --shares 25,50,75,100
  truebleu study references --simulate 1000 --chart references.svg
"""


@click.command("references", epilog=EPILOG)
@study_options
@shares_option(USUAL_SHARES)
@repetitions_option(20, "Random growths to average over.")
@click.option(
    "--subsets",
    type=int,
    default=20,
    show_default=True,
    metavar="N",
    help="Sets of references of each size, at most; chosen at random where there are more.",
)
@unit_option
@samples_option(1000)
@level_option
def command(study: Studied, **options: Any) -> Exhibit:
    """What is a further reference worth in test data?

    Zhang & Vogel (2004, Fig. 8, Tables 3 and 4): intervals narrow with every reference, but no more
    than by 10 to 15 % more test data. Here all sets of references of each size are averaged.
    """
    return study_references(study.test_set, study.metrics, runner=study.runner, **options)
