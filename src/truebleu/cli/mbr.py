"""``truebleu mbr``: the candidate of each segment with the highest expected utility."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, get_args

import click

from truebleu.cli._command import Option, Show, make_command, refuse_idle
from truebleu.cli._nbest_options import (
    ListReader,
    as_lines,
    list_options,
    read_references,
    reference_option,
)
from truebleu.cli.main import progress_bar
from truebleu.corpus.nbest_files import ScatteredListsError, file_lines
from truebleu.corpus.tables import json_in
from truebleu.errors import MalformedFileError, SettingError, UnpairedSegmentsError
from truebleu.nbest.minimum_bayes_risk import (
    METHODS,
    Chooser,
    MBRSettings,
    Part,
    Weights,
    as_method,
    mbr,
)
from truebleu.reports.document import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from concurrent.futures import Executor

    from truebleu.corpus.nbest_files import ListStream
    from truebleu.corpus.test_set import TextLike
    from truebleu.nbest.minimum_bayes_risk import MBRResult, MBRSegment

EPILOG = """\b
Examples:
  truebleu mbr samples.jsonl -o best.txt
  truebleu mbr run1.nbest -m bleu --weigh-by probability --temperature 2 -o best.txt
  truebleu mbr samples.txt --list-size 100 -m chrf --method aggregate --check
  truebleu mbr samples.jsonl -r ref.txt -o best.txt
"""
#: Formats that have a row for each choice; others sum up, and keep no text.
FORMATS_OF_CHOICES = ("json", "tsv")
#: A file of this name is what the command prints.
STANDARD_OUTPUT = "-"
OPTIONS = [
    *list_options(),
    reference_option(text="A real reference, to score the choice by; repeat for several."),
    Option(
        ["--pseudo-references"],
        group="Texts",
        metavar="FILE",
        help="Lists to compare candidates with, in the same format. Default: with each other.",
    ),
    Option(
        ["-m", "--metric"],
        group="Metrics",
        default="chrf",
        show_default=True,
        metavar="METRIC",
        help="The utility; settings follow a colon: chrf:word_order=2.",
    ),
    Option(
        ["--utilities"],
        group="Metrics",
        rare=True,
        metavar="FILE",
        help="In place of a metric: JSON Lines, a matrix per segment with a row per candidate.",
    ),
    Option(
        ["--weigh-by"],
        group="Statistics",
        type=click.Choice(get_args(Weights)),
        default="uniform",
        show_default=True,
        help="How likely a pseudo-reference is: all alike, by the model, or by how often it was "
        "sampled.",
    ),
    Option(
        ["--method"],
        group="Statistics",
        default="exact",
        show_default=True,
        help=f"How, with settings after a colon: {', '.join(METHODS)}.",
    ),
]


def _refuse_workers() -> None:
    if click.get_current_context().params["utilities"] is not None:
        refuse_idle(["metric", "processes", "cluster"], "excludes --utilities, which are scores")


@make_command(
    "mbr",
    mbr,
    systems="none",
    texts=False,
    metrics=False,
    chart=False,
    executor=True,
    options=OPTIONS,
    output="Write the chosen texts, one line each; - for standard output, without the report.",
    require=_refuse_workers,
    epilog=EPILOG,
)
def command(
    lists: str,
    references: tuple[str, ...],
    metric: str,
    pseudo_references: str | None,
    utilities: str | None,
    method: str,
    show: Show,
    executor: Executor | None,
    **options: Any,
) -> None:
    """Choose the candidate of each segment in LISTS with the highest expected utility.

    Each candidate is scored against all others, which are taken for references: minimum Bayes risk.
    """
    reader = ListReader.of(options)
    settings = MBRSettings(method=as_method(method), **options)
    texts = read_references(references)

    def choose(*, whole: bool) -> MBRResult:
        others = None if pseudo_references is None else reader.stream(pseudo_references)
        chooser = Chooser(settings, None if utilities is not None else metric, executor=executor)
        choosing = _Choosing(chooser, reader.stream(lists, whole=whole), others, utilities)
        choosing.keeps_texts = texts is not None
        choosing.keeps_segments = show.format in FORMATS_OF_CHOICES
        _write(choosing.lines(), show)
        return choosing.result(texts)

    try:
        result = choose(whole=False)
    except ScatteredListsError:
        if lists == "-":
            raise
        result = choose(whole=True)
    if str(show.output) != STANDARD_OUTPUT:
        replace(show, output=None)(result)


@dataclass(slots=True)
class _Choosing:
    """Chooses from lists part by part; the chosen lines come first, and the result at last."""

    chooser: Chooser
    stream: ListStream
    others: ListStream | None
    utilities: str | None
    keeps_texts: bool = False
    keeps_segments: bool = False
    firsts: list[str] = field(default_factory=list)
    chosen: list[str] = field(default_factory=list)
    segments: list[MBRSegment] = field(default_factory=list)

    def lines(self) -> Iterator[bytes]:
        """The chosen texts, one line each."""
        share = partial(getattr, self.stream, "share_read")
        with progress_bar(0, "choosing", share=share) as advance:
            for segment in self.chooser.choose(self._parts(), advance):
                if self.keeps_segments:
                    self.segments.append(segment)
                if self.keeps_texts:
                    self.chosen.append(segment.best.text)
                yield as_lines(choice.text for choice in segment.chosen)

    def result(self, references: Mapping[str, TextLike] | None) -> MBRResult:
        """After the lines."""
        own = (self.segments, self.firsts, self.chosen)
        return self.chooser.result(self.stream.name, *own, references)

    def _parts(self) -> Iterator[Part]:
        """Lists with what stands beside them, as long as there are as many of each."""
        matrices = None if self.utilities is None else _matrices(self.utilities)
        while (lists := self.stream.next_part()) is not None:
            count = len(lists)
            others = None if self.others is None else self.others.next_part(count)
            values = None if matrices is None else list(islice(matrices, count))
            if self.others is not None and (others is None or len(others) < count):
                break
            if values is not None and len(values) < count:
                self._refuse_matrices(self.stream.read - count + len(values))
            if self.keeps_texts:
                self.firsts += lists.first()
            part = Part(lists, others, utilities=values)
            del lists  # before the next one is read
            yield part
            del part
        if self.others is not None:
            own, other = (s.read + s.count_rest() for s in (self.stream, self.others))
            if own != other:
                raise UnpairedSegmentsError(self.others.name, other, self.stream.name, own)
        if matrices is not None and (more := sum(1 for _ in matrices)):
            self._refuse_matrices(self.stream.read + more)

    def _refuse_matrices(self, found: int) -> None:
        expected = f"{self.stream.read + self.stream.count_rest()}, as {self.stream.name}"
        raise SettingError(f"utilities of {self.utilities}", f"{found} matrices", expected)


def _write(lines: Iterator[bytes], show: Show) -> None:
    """Write the chosen lines, all of them or none."""
    if show.output is None:
        for _ in lines:
            pass
    elif str(show.output) == STANDARD_OUTPUT:
        with TemporaryFile() as file:
            file.writelines(lines)
            file.seek(0)
            # A terminal must not obey what a model wrote.
            terminal = sys.stdout.isatty()
            for line in file:
                text = line.decode()
                click.echo(one_line(text.removesuffix("\n")) if terminal else text, nl=terminal)
    else:
        show.write(lines)


def _matrices(path: str) -> Iterator[Any]:
    for line, text in file_lines(path):
        matrix = json_in(path, line, text, "a list of lists of numbers")
        rows = matrix if isinstance(matrix, list) else []
        widths = {len(row) if isinstance(row, list) else None for row in rows}
        numbers = (value for row in rows if isinstance(row, list) for value in row)
        kinds = {type(value) for value in numbers}
        if None in widths or len(widths) != 1 or not kinds <= {int, float}:
            expected = "a list of lists of numbers, all of one length"
            raise MalformedFileError(path, line, "something else", expected)
        yield matrix
