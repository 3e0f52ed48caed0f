"""The options that ``agree`` and ``choose`` share: human judgments, and how sure answers are."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from truebleu._seeds import DEFAULT_SEED
from truebleu.agreement.bootstrap import RESAMPLE
from truebleu.human import FORMATS as HUMAN_FORMATS
from truebleu.human import read_human

if TYPE_CHECKING:
    from collections.abc import Callable

    from truebleu.corpus import TestSet
    from truebleu.human import HumanScores, PairwiseJudgments


Command = TypeVar("Command", bound="Callable[..., object]")

# What the options are called in Python; `human_options` puts them into one argument.
NAMES = (
    "human_file",
    "human_format",
    "human_column",
    "raters",
    "weights",
    "match",
    "first_segment",
    "language_pair",
    "ignore_unknown_systems",
)


def agreement_options(command: Command) -> Command:
    """What intervals resample, how often, and what metrics score."""
    for option in (
        click.option(
            "--human-lower-is-better",
            is_flag=True,
            help="Lower human scores are better, such as penalties: negate them.",
        ),
        click.option("--seed", type=int, default=DEFAULT_SEED, show_default=True),
        click.option(
            "--level", type=float, default=0.95, show_default=True, help="Confidence level."
        ),
        click.option(
            "--system-scores",
            type=click.Choice(["all", "rated"]),
            default="all",
            show_default=True,
            help="Score systems on all segments, or on those that people rated.",
        ),
        click.option(
            "--permutations",
            type=int,
            default=1000,
            show_default=True,
            help="In each permutation test; all there are of up to 14 systems.",
        ),
        click.option(
            "--replicates",
            type=int,
            default=1000,
            show_default=True,
            help="Replicates of the intervals.",
        ),
        click.option(
            "--resample",
            type=click.Choice(RESAMPLE),
            default="segments",
            show_default=True,
            help="What the intervals resample.",
        ),
    ):
        command = option(command)
    return command


def human_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which judgments are read, and how; the command gets them all as `human`."""

    @wraps(command)
    def with_human(**options: Any) -> Any:
        return command(human={name: options.pop(name) for name in NAMES}, **options)

    decorated: Callable[..., Any] = with_human
    for option in (
        click.option(
            "--ignore-unknown-systems",
            is_flag=True,
            help="Leave out judgments of systems that are not given.",
        ),
        click.option("--language-pair", metavar="PAIR", help="Of a file with several."),
        click.option(
            "--first-segment",
            type=click.IntRange(0, 1),
            help="The number of the first segment in the file. Default: found out.",
        ),
        click.option(
            "--match",
            type=click.Choice(["documents", "numbers", "order"]),
            help="How segments of the file find those of the texts. Default: what fits.",
        ),
        click.option(
            "--weights",
            metavar="WEIGHTS",
            help="What errors weigh in MQM: standard, wmt24, 'Major=5,Minor=1', or a file.",
        ),
        click.option(
            "--raters",
            type=click.Choice(["mean", "z"]),
            default="mean",
            show_default=True,
            help="Average raters as they are, or z-normalise each one first.",
        ),
        click.option("--human-column", metavar="NAME", help="The column of scores."),
        click.option(
            "--human-format",
            type=click.Choice(HUMAN_FORMATS),
            help="Default: found out by the columns.",
        ),
        click.option(
            "--human",
            "human_file",
            metavar="FILE",
            required=True,
            help="Human scores, MQM annotations, ESA or DA scores, or rankings.",
        ),
    ):
        decorated = option(decorated)
    return decorated


def read_judgments(test_set: TestSet, human: dict[str, Any]) -> HumanScores | PairwiseJudgments:
    """The judgments of a test set's systems, as the options of `human_options` say."""
    return read_human(
        human["human_file"],
        systems=test_set.systems,
        segments=len(test_set),
        documents=test_set.documents,
        format=human["human_format"],
        column=human["human_column"],
        raters=human["raters"],
        weights=human["weights"],
        others="ignore" if human["ignore_unknown_systems"] else "refuse",
        match=human["match"],
        first_segment=human["first_segment"],
        language_pair=human["language_pair"],
    )
