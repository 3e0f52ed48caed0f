"""``truebleu study length``: each metric against the length of the output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._options import percents
from truebleu.cli._study_options import set_usual_metrics, study_options
from truebleu.studies.length import PIECES, USUAL_LENGTHS, WAYS, study_length

if TYPE_CHECKING:
    from truebleu.cli._study_options import Studied
    from truebleu.exhibits import Exhibit

# The two of Koehn's figure.
USUAL_METRICS = ("bleu", "gtm")
EPILOG = """\b
Examples:
  truebleu study length -r ref.txt system.txt
  truebleu study length -r ref.txt sys/ -m bleu -m gtm -m chrf -m ter --lengths 60,80,100,120
  truebleu study length -r ref.txt sys/ --by choice --chart length.svg
  truebleu study length -r ref.ja.txt system.ja.txt -m bleu:tokenize=char -m chrf
"""


@click.command("length", epilog=EPILOG)
@study_options
@click.option(
    "--by",
    "way",
    type=click.Choice(WAYS),
    default="cut",
    show_default=True,
    help="Cut words off the end of every segment, or repeat the last ones; or choose for each "
    "segment the shortest of the systems' outputs, the second shortest, and so on.",
)
@click.option(
    "--lengths",
    metavar="P,P,...",
    callback=percents,
    help="With --by cut: percents of the natural length, up to 150. Default: "
    f"{','.join(f'{100 * length:g}' for length in USUAL_LENGTHS)}.",
)
@click.option(
    "--piece",
    type=click.Choice(PIECES),
    help="What is cut and counted. Default: words, or characters where texts have no blanks "
    "between words.",
)
def command(study: Studied, **options: Any) -> Exhibit:
    """How does each metric depend on the length of the output?

    Koehn (2004, Fig. 1): BLEU drops dramatically when the output is shorter than the reference, GTM
    does not. Scores are given relative to that of the natural output, so that metrics compare.
    """
    # It draws nothing: the seed is for --simulate alone.
    del options["seed"]
    return study_length(study.test_set, study.metrics, runner=study.runner, **options)


set_usual_metrics(command, USUAL_METRICS)
