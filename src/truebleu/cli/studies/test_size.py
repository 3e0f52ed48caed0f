"""``truebleu study test-size``: scores and intervals against the share of the test set used."""

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
from truebleu.studies.test_size import USUAL_SHARES, study_test_size

if TYPE_CHECKING:
    from truebleu.cli._study_options import Studied
    from truebleu.exhibits import Exhibit

EPILOG = """\b
Examples:
  truebleu study test-size -r ref.txt system.txt -m bleu -m nist -m mbleu
  truebleu study test-size -r ref.txt sys/ --documents docs.tsv --unit document
  truebleu study test-size -r ref.txt sys/ -m nist --recount
  truebleu study test-size -r ref.txt sys/ -m scores:path=human.tsv,missing=common
  truebleu study test-size --simulate 2000 --shares 10,20,50,100 --chart size.svg
"""


@click.command("test-size", epilog=EPILOG)
@study_options
@shares_option(USUAL_SHARES)
@repetitions_option(100, "Random growths to average over.")
@unit_option
@click.option(
    "--recount",
    is_flag=True,
    help="Count every part anew, so that NIST's weights are those of the part.",
)
@samples_option(1000)
@level_option
def command(study: Studied, **options: Any) -> Exhibit:
    """How do scores and intervals depend on how much of the test set is used?

    Zhang & Vogel (2004, Figs. 4 to 7, Table 2): random units are added to a test set until it is
    complete; doubling the data narrows the relative interval by about 30 %.
    """
    return study_test_size(study.test_set, study.metrics, runner=study.runner, **options)
