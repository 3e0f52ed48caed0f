"""``truebleu study accuracy``: how many conclusions are right, by their confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._options import percents
from truebleu.cli._study_options import (
    draw_option,
    repetitions_option,
    samples_option,
    sizes_option,
    study_options,
    unit_option,
)
from truebleu.cli.studies.pairs import pair_options, tests_option
from truebleu.studies._trials import USUAL_SIZES, USUAL_TESTS
from truebleu.studies.accuracy import USUAL_BANDS, study_accuracy

if TYPE_CHECKING:
    from truebleu.cli._study_options import Studied
    from truebleu.exhibits import Exhibit

BANDS = ",".join(f"{100 * band:g}" for band in USUAL_BANDS)
EPILOG = """\b
Examples:
  truebleu study accuracy -r ref.txt sys/ --sizes 100,300,600
  truebleu study accuracy -r ref.txt sys/ --test wins --draw broad --chart accuracy.svg
  truebleu study accuracy -r ref.txt sys/ -m ter --bands 80,90,95,99
  truebleu study accuracy --simulate 3000

\b
How to read it: a test that claims 90 to 95 % should be right about that often. It is right more
often where the systems differ much, and p-values of two-sided tests claim less than they could.
"""


@click.command("accuracy", epilog=EPILOG)
@study_options
@sizes_option(USUAL_SIZES)
@repetitions_option(100)
@draw_option("independent")
@unit_option
@pair_options("near")
@tests_option(USUAL_TESTS)
@samples_option(1000)
@click.option(
    "--bands",
    metavar="P,P,...",
    default=BANDS,
    show_default=True,
    callback=percents,
    help="Percents at which bands of confidence begin.",
)
def command(study: Studied, **options: Any) -> Exhibit:
    """How many conclusions are right, by how sure the test was of them?

    Koehn (2004, Table 4): of 363 conclusions with a confidence of 90 to 95 %, 95 % were right.
    """
    return study_accuracy(study.test_set, study.metrics, runner=study.runner, **options)
