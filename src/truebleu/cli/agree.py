"""``truebleu agree``: how well metrics agree with people; the options that ``choose`` shares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from truebleu.agreement.agree import agree, default_coefficients
from truebleu.agreement.answers import ALTERNATIVES, CORRECT_OVER, TESTS
from truebleu.agreement.bootstrap import RESAMPLE
from truebleu.agreement.tests import PERMUTE
from truebleu.cli._options import (
    Show,
    Texts,
    add_options,
    charted_result_options,
    level_option,
    metric_option,
    option_with_default,
    optional_test_set_options,
    refuse_idle,
    repeatable_option,
    seed_option,
)
from truebleu.cli.main import progress_bar
from truebleu.errors import SettingError
from truebleu.human.judgments import FORMATS as HUMAN_FORMATS
from truebleu.human.reading import read_human
from truebleu.scores.given import textless_test_set
from truebleu.significance.corrections import P_VALUE_CORRECTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from truebleu.corpus.test_set import TestSet
    from truebleu.human.judgments import HumanScores, PairwiseJudgments
    from truebleu.metrics.base import Metric


Command = TypeVar("Command", bound="Callable[..., object]")

_SETTINGS = (
    *("human_format", "human_column", "raters", "weights", "match", "first_segment"),
    *("language_pair", "ignore_unknown_systems"),
)


@dataclass(frozen=True, slots=True)
class HumanFile:
    """A file of human judgments, and how it is read."""

    path: str
    settings: Mapping[str, Any]

    def read(self, test_set: TestSet) -> HumanScores | PairwiseJudgments:
        """The judgments of a test set's systems."""
        with progress_bar(0, "reading"):
            return read_human(self.path, test_set, **self.settings)


def agreement_options(command: Command) -> Command:
    """What intervals resample, how often, and what metrics score."""
    return add_options(
        command,
        option_with_default(
            "--resample", click.Choice(RESAMPLE), "segments", "What the intervals resample."
        ),
        option_with_default("--replicates", int, 1000, "Replicates of the intervals."),
        option_with_default(
            "--permutations",
            int,
            1000,
            "Permutations in each test; all of them for up to 14 systems.",
        ),
        option_with_default(
            "--system-scores",
            click.Choice(["all", "rated"]),
            "all",
            "Score systems on all segments, or on those that people rated.",
        ),
        level_option,
        seed_option,
        click.option(
            "--human-lower-is-better",
            is_flag=True,
            help="Lower human scores are better, such as penalties: negate them.",
        ),
    )


def human_options(command: Callable[..., Any], *, required: bool = True) -> Callable[..., Any]:
    """Which judgments are read, and how: the command gets `human`, None where there are none."""

    @wraps(command)
    def with_human(human_file: str | None, **options: Any) -> Any:
        given = {name: options.pop(name) for name in _SETTINGS}
        if human_file is None:
            refuse_idle(_SETTINGS, "--human FILE beside it")
            return command(human=None, **options)
        others = "ignore" if given.pop("ignore_unknown_systems") else "refuse"
        settings = {name.removeprefix("human_"): value for name, value in given.items()}
        human = HumanFile(human_file, {"others": others, **settings})
        return command(human=human, **options)

    return add_options(
        with_human,
        click.option(
            "--human",
            "human_file",
            metavar="FILE",
            required=required,
            help="Human scores, MQM annotations, ESA or DA scores, or rankings.",
        ),
        click.option(
            "--human-format",
            type=click.Choice(HUMAN_FORMATS),
            help="Format of the human scores. Default: recognised by the columns.",
        ),
        click.option("--human-column", metavar="NAME", help="The column of scores."),
        option_with_default(
            "--raters",
            click.Choice(["mean", "z"]),
            "mean",
            "Average scores of raters as they are, or z-normalise each rater first.",
        ),
        click.option(
            "--weights",
            metavar="WEIGHTS",
            help="What errors weigh in MQM: standard, wmt24, 'Major=5,Minor=1', or a file.",
        ),
        click.option(
            "--match",
            type=click.Choice(["names", "documents", "numbers", "order"]),
            help="How segments of the file are matched to those of the texts. Default: whatever "
            "fits.",
        ),
        click.option(
            "--first-segment",
            type=click.IntRange(0, 1),
            help="Number of the first segment in the file. Default: detected.",
        ),
        click.option(
            "--language-pair",
            metavar="PAIR",
            help="The language pair to take from a file with several.",
        ),
        click.option(
            "--ignore-unknown-systems",
            is_flag=True,
            help="Ignore judgments of systems that are not given.",
        ),
    )


# Options of agree that its curves take, and those that they do not.
OF_CURVES = ("replicates", "seed", "level", "human_lower_is_better", "system_scores")
NOT_OF_CURVES = (
    "coefficients",
    "test",
    "permute",
    "alternative",
    "correction",
    "correct_over",
    "permutations",
    "resample",
)

EPILOG = """\b
Examples:
  truebleu agree -r ref.txt sys/ --human mqm.tsv -m bleu -m chrf -m ter
  truebleu agree -r ref.txt sys/ --human human.tsv -m bleu -m scores:path=comet.tsv,name=COMET
  truebleu agree --human mqm.tsv -m scores:path=comet.tsv -m scores:path=metricx.tsv
  truebleu agree -r ref.txt sys/ --human mqm.tsv -c kendall-b:grouping=none -c acc-eq
  truebleu agree -r ref.txt sys/ --human rankings.csv -c chen-cherry --chart agree.svg
  truebleu agree -r ref.txt sys/ --human mqm.tsv --documents docs.tsv --resample documents
  truebleu agree -r ref.txt sys/ --human mqm.tsv -m bleu,chrf --curve -f json > curve.json

\b
Coefficients, each with its usual level:
  of systems               pearson, spearman, pairwise-accuracy, soft-pairwise-accuracy (spa)
  of segments, by item     acc-eq and tau-eq (ties calibrated), kendall-a, kendall-b, kendall-c,
                           tau-10, tau-13, tau-14, chen-cherry, kendall-like:THRESHOLD,
                           pairwise-difference-pearson
Settings follow a colon, with commas between them: level=system|segment,
grouping=none|item|system, average=macro|micro, undefined=leave-out|zero,
epsilon=NUMBER|calibrated.

\b
How to read the answer: 1 is full agreement. The interval says where the value on ever more segments
(or documents, or systems) like these would lie; ranks differ where a test tells metrics apart.
"""


@click.command("agree", epilog=EPILOG)
@optional_test_set_options
@human_options
@metric_option
@repeatable_option(
    "-c",
    "--coefficient",
    "coefficients",
    metavar="NAME",
    text="A coefficient; settings follow a colon. Repeat for several. Default: those of WMT that "
    "the human scores allow.",
)
@option_with_default(
    "--test",
    click.Choice(TESTS),
    "permutation",
    "Test of two metrics; Williams' is for pearson of systems, or of segments with grouping=none.",
)
@option_with_default(
    "--permute",
    click.Choice(PERMUTE),
    "scores",
    "What tests permute: scores, which takes the systems as given; whole systems, to say "
    "something about other systems too; or, for calibrated ties, outcomes of pairs as in WMT, "
    "which rejects too often.",
)
@option_with_default(
    "--alternative",
    click.Choice(ALTERNATIVES),
    "two-sided",
    "greater: fixed beforehand, each metric agrees better than those named after it; "
    "observed: one-sided in the direction that the data show, as in WMT, which doubles the false "
    "alarms.",
)
@option_with_default(
    "--correction",
    click.Choice(P_VALUE_CORRECTIONS),
    "holm",
    "Correction for the number of pairs of metrics.",
)
@option_with_default(
    "--correct-over",
    click.Choice(CORRECT_OVER),
    "pairs",
    "Correct for the pairs of metrics of each question, or of all questions together.",
)
@click.option(
    "--curve",
    is_flag=True,
    help="Instead, show how often people agree with a difference of a given size. With -f json, "
    "the output is a file for --people of compare, explain and gate.",
)
@click.option(
    "--pool",
    metavar="FILE",
    multiple=True,
    help="With --curve: also count the pairs of an earlier curve, such as of another language.",
)
@agreement_options
@charted_result_options
def command(
    texts: Texts,
    human: HumanFile,
    metrics: list[Metric],
    coefficients: tuple[str, ...],
    curve: bool,
    pool: tuple[str, ...],
    show: Show,
    **options: Any,
) -> None:
    """How well do metrics agree with people, and which agrees better?

    A SYSTEM is a file, NAME=FILE, a folder of files, or a pattern such as 'sys/*.txt'. Where all
    metrics are scores from elsewhere, no texts are needed: with -m scores, each SYSTEM is a file of
    scores.
    """
    if curve:
        refuse_idle(NOT_OF_CURVES, "none beside --curve")
    else:
        refuse_idle(["pool"], "--curve beside it")
    test_set = _texts_or_scores(texts, metrics)
    judgments = human.read(test_set)
    if curve:
        from truebleu.agreement.curve import fit_curves

        shared = {name: options[name] for name in OF_CURVES}
        fit = fit_curves(test_set, judgments, metrics, pool=pool, **shared)
        show(fit)
        return
    chosen = coefficients or default_coefficients(judgments)
    with progress_bar(len(chosen), "agreeing") as progress:
        agreement = agree(
            test_set, judgments, metrics, coefficients=chosen, progress=progress, **options
        )
    show(agreement)


def _texts_or_scores(texts: Texts, metrics: Sequence[Metric]) -> TestSet:
    """The texts; without any, the systems and segments that given scores are about."""
    if not texts.systems and not texts.references:
        if texts.source is not None or texts.strict:
            raise SettingError("SYSTEM", "none", "outputs beside --source or --strict")
        return textless_test_set(metrics, texts.documents)
    if not texts.systems:
        raise SettingError("SYSTEM", "none", "the outputs of the systems beside -r")
    return texts.read(metrics)
