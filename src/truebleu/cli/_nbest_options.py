"""The options by which commands read n-best lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from truebleu.cli._options import (
    add_options,
    option_with_default,
    repeatable_option,
)
from truebleu.cli.main import progress_bar, warn
from truebleu.corpus._reading import read_test_set
from truebleu.corpus.nbest.lists import ScoreScale
from truebleu.corpus.nbest.reading import NBEST_FORMATS, JsonKeys, read_nbest
from truebleu.corpus.nbest.streams import ListStream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from truebleu.corpus.nbest.lists import NBest
    from truebleu.corpus.test_set import TestSet

Command = TypeVar("Command", bound="Callable[..., object]")

_KEYS = (
    ("--candidates-key", "candidates_key", "the list of a segment's candidates"),
    ("--text-key", "text_key", "a candidate's text"),
    ("--id-key", "id_key", "the segment of a candidate"),
    ("--source-key", "source_key", "a segment's source"),
    ("--score-key", "score_key", "the model's score"),
    ("--logprob-key", "log_probability_key", "a natural log-probability, not normalised"),
    ("--count-key", "count_key", "how often a candidate was sampled"),
)


def nbest_options(command: Command) -> Command:
    """How lists are read; the command gets what `read_lists` takes."""
    return add_options(
        command,
        click.option(
            "--input-format",
            "input_format",
            type=click.Choice(NBEST_FORMATS),
            help="The format of the lists. Default: guessed from the first line.",
        ),
        click.option("--size", type=int, metavar="N", help="Plain text: lines of each segment."),
        click.option("--scores", metavar="FILE", help="Plain text: the score of each line."),
        option_with_default(
            "--first-id", click.IntRange(0, 1), 0, "The number of the first segment."
        ),
        click.option(
            "--log-base", type=float, metavar="B", help="Scores are logarithms to this base."
        ),
        click.option(
            "--normalized/--not-normalized",
            "length_normalized",
            default=None,
            help="Whether scores were divided by a power of the length.",
        ),
        *(
            click.option(option, name, metavar="KEY", help=f"JSON Lines: {what}.")
            for option, name, what in _KEYS
        ),
        repeatable_option(
            "--feature",
            "features",
            metavar="KEY",
            text="JSON Lines: a feature; repeat for several. Default: every other number.",
        ),
    )


def read_lists(path: str, options: dict[str, Any], **others: Any) -> NBest:
    """The lists of a command's argument; takes what is about reading out of its options."""
    with progress_bar(0, "reading"):
        return read_nbest(path, **_reading(options), **others)


def stream_lists(path: str, options: dict[str, Any]) -> ListStream:
    """The same, to be read part by part."""
    settings = _reading(options)
    keys = {name.removesuffix("_key"): settings.pop(name) for _, name, _ in _KEYS}
    features = settings.pop("features")
    scale = ScoreScale(settings.pop("log_base"), settings.pop("length_normalized"))
    keys["features"] = None if features is None else tuple(features)
    return ListStream(path, scale=scale, keys=JsonKeys(**keys), **settings)


def _reading(options: dict[str, Any]) -> dict[str, Any]:
    """What is about reading, which is taken out of a command's options."""
    names = ("size", "scores", "first_id", "log_base", "length_normalized")
    settings = {name: options.pop(name) for name in (*names, *(name for _, name, _ in _KEYS))}
    settings["features"] = options.pop("features") or None
    return {"format": options.pop("input_format"), **settings}


def as_lines(texts: Iterable[str]) -> str:
    """One line for each text: a line break inside one becomes a blank."""
    return "".join(" ".join(text.split("\n")).rstrip("\r") + "\n" for text in texts)


def read_references(references: Sequence[str]) -> TestSet | None:
    """The references of a command, or None where there are none."""
    if not references:
        return None
    test_set = read_test_set([], references)
    for warning in test_set.warnings:
        warn(warning.message)
    return test_set
