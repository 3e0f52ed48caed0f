"""The options of commands that read human judgments, and their reading."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from truebleu.corpus.human import FORMATS, read_human

if TYPE_CHECKING:
    from collections.abc import Callable

    from truebleu.corpus import TestSet
    from truebleu.corpus.human import HumanScores, PairwiseJudgments

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
            "--human-format", type=click.Choice(FORMATS), help="Default: found out by the columns."
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
