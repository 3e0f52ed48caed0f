"""The options by which commands read n-best lists and their references."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from truebleu.cli._options import (
    add_options,
    option_with_default,
    refuse_idle,
    repeatable_option,
    warn_of,
)
from truebleu.cli.main import progress_bar
from truebleu.corpus._reading import read_test_set
from truebleu.corpus.nbest.lists import ScoreScale
from truebleu.corpus.nbest.reading import NBEST_FORMATS, JsonKeys, ListFormat, read_lists
from truebleu.corpus.nbest.streams import ListStream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from truebleu.cli._options import Decorator
    from truebleu.corpus.nbest.lists import NBest
    from truebleu.corpus.test_set import TextLike

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


_SETTINGS = (
    *("size", "scores", "first_id", "log_base", "length_normalized", "features"),
    *(name for _, name, _ in _KEYS),
)


@dataclass(frozen=True, slots=True)
class ListReader:
    """Reads n-best lists, all of them in the way that a command's options say."""

    how: ListFormat

    def read(self, path: str) -> NBest:
        """The lists of a file."""
        with progress_bar(0, "reading"):
            return read_lists(path, self.how)

    def stream(self, path: str) -> ListStream:
        """The same, to be read part by part."""
        return ListStream(path, self.how)

    def refuse(self, expected: str) -> None:
        """Refuse options about reading where no lists are read."""
        refuse_idle(["input_format", *_SETTINGS], expected)


def nbest_options(command: Command) -> Command:
    """How lists are read: the command gets `reader`."""

    @wraps(command)
    def with_reader(*arguments: Any, input_format: str | None, **options: Any) -> Any:
        scale = ScoreScale(options.pop("log_base"), options.pop("length_normalized"))
        keys = {name.removesuffix("_key"): options.pop(name) for _, name, _ in _KEYS}
        how = ListFormat(
            format=input_format,
            scale=scale,
            keys=JsonKeys(features=options.pop("features") or None, **keys),
            **{name: options.pop(name) for name in ("size", "scores", "first_id")},
        )
        return command(*arguments, reader=ListReader(how), **options)

    return add_options(
        cast("Command", with_reader),
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


def as_lines(texts: Iterable[str]) -> str:
    """One line for each text: a line break inside one becomes a blank."""
    return "".join(" ".join(text.split("\n")).rstrip("\r") + "\n" for text in texts)


def reference_option(of: str = "", text: str = "") -> Decorator:
    """References of lists: `references`, by ``-r``; or those of other lists, such as of "test"."""
    flags = (f"--{of}-reference", f"{of}_references") if of else ("-r", "--reference", "references")
    usual = f"A reference of the {of} lists; repeat for several."
    usual = usual if of else "A reference; repeat for several."
    return repeatable_option(*flags, metavar="FILE", text=text or usual)


def read_references(written: Sequence[str]) -> dict[str, TextLike] | None:
    """The references of a command by what messages call them, or None where there are none."""
    if not written:
        return None
    test_set = read_test_set([], written)
    warn_of(test_set.warnings)
    texts = test_set.references
    # A file may hold several references, which then have names of their own.
    names = written if len(set(written)) == len(texts) else test_set.reference_names
    return dict(zip(names, texts, strict=True))
