"""``truebleu study sampling``: consecutive blocks against broad samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._options import numbers_option
from truebleu.cli._study_options import study_options, unit_option
from truebleu.cli.studies.pairs import pair_options
from truebleu.studies.sampling import SHOWN, USUAL_SIZES, study_sampling

if TYPE_CHECKING:
    from truebleu.cli._study_options import Studied
    from truebleu.exhibits import Exhibit

EPILOG = """\b
Examples:
  truebleu study sampling -r ref.txt sys/ --sizes 100,300
  truebleu study sampling -r ref.txt a.txt b.txt --show differences --chart figure4.svg
  truebleu study sampling -r ref.txt sys/ --documents docs.tsv --unit document --sizes 10,20
  truebleu study sampling --simulate 3000

\b
How to read it: the design effect is the variance over samples, against that of as many independent
segments. With an effect of 5 a block of 300 tells as much as 60 segments drawn at random.
"""


@click.command("sampling", epilog=EPILOG)
@study_options
@numbers_option(
    "--sizes",
    "N,N,...",
    f"Units in a sample. Default: {', '.join(map(str, USUAL_SIZES))} as far as five fit in.",
)
@click.option(
    "--repetitions", type=int, metavar="N", help="Samples of each kind. Default: all that fit."
)
@unit_option
@pair_options("neighbours")
@click.option(
    "--samples",
    type=int,
    default=1000,
    show_default=True,
    help="Samples of independent units to compare with.",
)
@click.option(
    "--show",
    "shown",
    type=click.Choice(SHOWN),
    default="scores",
    show_default=True,
    help="What the chart shows: the best system's scores, or the differences of the first pair.",
)
def command(study: Studied, **options: Any) -> Exhibit:
    """How far do scores spread on consecutive blocks, and how far on broad samples?

    Koehn (2004, Figs. 2-4): BLEU ran from 21 to 37 on blocks of 300 consecutive sentences, and
    from 27 to 31 on broad samples, of every hundredth sentence.
    """
    return study_sampling(study.test_set, study.metrics, runner=study.runner, **options)
