"""``truebleu study coverage``: how often intervals hold the score of the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._study_options import (
    draw_option,
    level_option,
    repetitions_option,
    samples_option,
    sizes_option,
    study_options,
    unit_option,
)
from truebleu.significance._names import INTERVALS
from truebleu.studies.coverage import COVERED, USUAL_SIZES, study_coverage

if TYPE_CHECKING:
    from truebleu.cli._study_options import Studied
    from truebleu.exhibits import Exhibit

EPILOG = """\b
Examples:
  truebleu study coverage -r ref.txt sys/ -m bleu -m chrf
  truebleu study coverage -r ref.txt system.txt --sizes 300 --draw broad
  truebleu study coverage -r ref.txt sys/ --documents docs.tsv --unit document --sizes 20,50
  truebleu study coverage -r ref.txt sys/ -m ter --of differences --interval bca
  truebleu study coverage --simulate 3000 --chart coverage.html
"""


@click.command("coverage", epilog=EPILOG)
@study_options
@sizes_option(USUAL_SIZES)
@repetitions_option(100)
@draw_option("independent")
@unit_option
@samples_option(1000)
@level_option
@click.option(
    "--of",
    type=click.Choice(COVERED),
    default="scores",
    show_default=True,
    help="Intervals of the systems' scores, or of the differences of all pairs.",
)
@click.option("--interval", type=click.Choice(INTERVALS), default="percentile", show_default=True)
def command(study: Studied, **options: Any) -> Exhibit:
    """How often does the interval of a small sample hold the score of the whole pool?

    Koehn (2004, Fig. 6): of 100 intervals of the level 95 % from samples of 300 segments, 97 held
    the score of the 30,000 segments that the samples were taken of.
    """
    return study_coverage(study.test_set, study.metrics, runner=study.runner, **options)
