"""``truebleu study smoothing``: which smoothing of sentence BLEU agrees best with people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._agree_options import human_options, read_judgments
from truebleu.cli._study_options import judged_study_options, level_option, unit_option
from truebleu.metrics.sentence_bleu import DEFAULT_VALUES
from truebleu.studies.smoothing import study_smoothing

if TYPE_CHECKING:
    from truebleu.cli._study_options import Studied
    from truebleu.exhibits import Exhibit

EPILOG = """\b
Examples:
  truebleu study smoothing -r ref.txt sys/ --human mqm.tsv
  truebleu study smoothing -r ref.txt sys/ --human rankings.csv --chart smoothing.svg
  truebleu study smoothing -r ref.txt sys/ --human mqm.tsv --documents docs.tsv --unit document
  truebleu study smoothing -r ref.zh.txt sys/ --human mqm.tsv --tokenize zh --k 10
"""


@click.command("smoothing", epilog=EPILOG)
@judged_study_options
@human_options
@click.option(
    "--epsilon",
    type=float,
    default=DEFAULT_VALUES["epsilon"],
    show_default=True,
    help="ε of smoothing 1.",
)
@click.option(
    "--k", type=float, default=DEFAULT_VALUES["k"], show_default=True, help="K of 4 and 7."
)
@click.option(
    "--alpha", type=float, default=DEFAULT_VALUES["alpha"], show_default=True, help="α of 6."
)
@click.option("--tokenize", default="13a", show_default=True, help="The tokenizer of all rows.")
@click.option("--lowercase", is_flag=True, help="Ignore case in all rows.")
@click.option(
    "--system-scores",
    type=click.Choice(["all", "rated"]),
    default="all",
    show_default=True,
    help="Score systems on all segments, or on those that people rated.",
)
@unit_option
@click.option(
    "--samples", type=int, default=1000, show_default=True, help="Replicates of the intervals."
)
@click.option(
    "--draws", type=int, default=10_000, show_default=True, help="Exchanges in each test."
)
@level_option
def command(study: Studied, human: dict[str, Any], **options: Any) -> Exhibit:
    """Which smoothing of sentence BLEU agrees best with people?

    Chen & Cherry (2014, Tables 2 and 3): smoothings 0 to 7 by the τ of pairs of outputs of one
    segment (eq. 12), and with corpus BLEU (crp) by Pearson's γ and Spearman's ρ of systems, scored
    by the mean of sentence BLEU weighted by reference length (eq. 13). The defaults of ε, K and α
    are the paper's; truebleu choose finds others.

    A SYSTEM is a file, NAME=FILE, a folder of files, or a pattern such as 'sys/*.txt'.
    """
    judgments = read_judgments(study.test_set, human)
    return study_smoothing(study.test_set, judgments, runner=study.runner, **options)
