"""``truebleu mbr``: the candidate of each segment with the highest expected utility."""

from __future__ import annotations

import sys
from functools import partial
from itertools import islice
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, NoReturn, get_args

import click
import numpy as np

from truebleu._settings import DEFAULT_SEED
from truebleu.cli._nbest_options import (
    ListReader,
    as_lines,
    nbest_options,
    read_references,
    reference_option,
)
from truebleu.cli._options import (
    STANDARD_OUTPUT,
    Show,
    executor_options,
    option_with_default,
    output_options,
    refuse_idle,
    result_options,
)
from truebleu.cli.main import progress_bar
from truebleu.corpus._writing import write_files
from truebleu.corpus.nbest.reading import ScatteredListsError
from truebleu.corpus.nbest.streams import file_lines
from truebleu.errors import MalformedFileError, SettingError, UnpairedSegmentsError
from truebleu.nbest.minimum_bayes_risk import Chooser, MBRResult, MBRSummary, MBRTally
from truebleu.nbest.utilities import MBRSettings, Method, Part, Weights
from truebleu.reports.document import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Executor
    from pathlib import Path

    from truebleu.corpus.nbest.lists import NBest
    from truebleu.corpus.nbest.streams import ListStream
    from truebleu.nbest.minimum_bayes_risk import MBREvaluation, MBRSegment

EPILOG = """\b
Examples:
  truebleu mbr samples.jsonl -o best.txt
  truebleu mbr run1.nbest -m bleu --weights probability --temperature 2 -o best.txt
  truebleu mbr samples.txt --size 100 -m chrf --method aggregate --check
  truebleu mbr samples.jsonl -m ter --best 3 --format tsv
  truebleu mbr samples.jsonl -r ref.txt -o best.txt
"""


#: Formats that have a row for each choice; others sum up, and keep no text.
FORMATS_OF_CHOICES = ("json", "tsv")
#: Options that do nothing with other methods.
ONLY_WITH = {"coarse-to-fine": ("keep", "coarse"), "prune": ("alpha", "seed")}


@click.command("mbr", epilog=EPILOG)
@click.argument("lists")
@click.option(
    "-m",
    "--metric",
    default="chrf",
    show_default=True,
    metavar="METRIC",
    help="The utility; settings follow a colon: chrf:word_order=2.",
)
@click.option(
    "--pseudo-references",
    metavar="FILE",
    help="Lists to compare candidates with, in the same format. Default: with each other.",
)
@option_with_default(
    "--weights",
    click.Choice(get_args(Weights)),
    "uniform",
    "How likely a pseudo-reference is: all alike, by the model, or by how often it was sampled.",
)
@option_with_default(
    "--temperature", float, 1.0, "With --weights probability: log-probabilities are divided by it."
)
@click.option("--without-self", is_flag=True, help="Do not compare a candidate with itself.")
@click.option(
    "--as-is",
    is_flag=True,
    help="Score pairs by the metric as it is: BLEU without effective order, for example.",
)
@option_with_default(
    "--method",
    click.Choice(get_args(Method)),
    "exact",
    "All pairs; one comparison with the mean of all; only what bootstrap samples do not rule "
    "out; only the best by --coarse.",
)
@click.option("--check", is_flag=True, help="Also report what --method misses of the exact result.")
@option_with_default("--keep", int, 16, "With coarse-to-fine: candidates to keep of each segment.")
@option_with_default(
    "--coarse", str, "chrf", "With coarse-to-fine: the metric that selects them.", metavar="METRIC"
)
@option_with_default("--alpha", float, 0.99, "With prune: the confidence.")
@option_with_default("--seed", int, DEFAULT_SEED, "With prune: random seed.")
@click.option(
    "--utilities",
    metavar="FILE",
    help="In place of a metric: JSON Lines with a matrix for each segment, a row per candidate.",
)
@option_with_default("--best", int, 1, "Candidates per segment.")
@reference_option(
    text="A real reference, to score the choice by this and another metric; repeat for several."
)
@output_options("Write the chosen texts, one line each; - for standard output, without the report.")
@nbest_options
@executor_options
@result_options
def command(
    lists: str,
    metric: str,
    pseudo_references: str | None,
    without_self: bool,
    as_is: bool,
    utilities: str | None,
    references: tuple[str, ...],
    output: Path | None,
    force: bool,
    reader: ListReader,
    show: Show,
    executor: Executor | None,
    **options: Any,
) -> None:
    """Choose the candidate of each segment in LISTS with the highest expected utility.

    Each candidate is scored against all others, which are taken for references: minimum Bayes risk.
    """
    if utilities is not None:
        idle = ["metric", "processes", "cluster"]
        refuse_idle(idle, "none with --utilities, which are scores already")
    for method, names in ONLY_WITH.items():
        if options["method"] != method:
            refuse_idle(names, f"--method {method} beside it")
    stream, texts = reader.stream(lists), read_references(references)
    settings = MBRSettings(
        include_self=not without_self, sentence_level=not as_is, replicates=500, **options
    )
    choosing = partial(
        _Choosing,
        settings,
        None if utilities is not None else metric,
        None if pseudo_references is None else partial(reader.stream, pseudo_references),
        utilities,
        texts,
        keep=show.format in FORMATS_OF_CHOICES,
        executor=executor,
    )
    try:
        result = _write(choosing(stream), output, force=force)
    except ScatteredListsError:
        if lists == "-":
            raise
        result = _write(choosing(_Whole(reader.read(lists))), output, force=force)
    if str(output) != STANDARD_OUTPUT:
        show(result)


class _Whole:
    """Lists in memory, as one part."""

    share_read = None

    def __init__(self, lists: NBest) -> None:
        self.name, self.read = lists.name, len(lists)
        self._lists: NBest | None = lists

    def take(self) -> NBest | None:
        lists, self._lists = self._lists, None
        return lists

    def count_rest(self) -> int:
        return 0


class _Choosing:
    """Chooses from lists part by part; the chosen lines come first, and the result at last."""

    def __init__(
        self,
        settings: MBRSettings,
        metric: str | None,
        others: Callable[[], ListStream] | None,
        utilities: str | None,
        references: Any,
        stream: ListStream | _Whole,
        *,
        keep: bool,
        executor: Executor | None,
    ) -> None:
        self._stream, self._references, self._keep = stream, references, keep
        self._others = None if others is None else others()
        self._matrices = None if utilities is None else _matrices(utilities)
        self._utilities = utilities
        self._chooser = Chooser(settings, metric, executor=executor)
        self._tally = MBRTally()
        self._firsts: list[str] = []
        self._segments: list[MBRSegment] = []
        self._evaluations: tuple[MBREvaluation, ...] = ()

    def lines(self) -> Iterator[bytes]:
        """The chosen texts, one line each: a line break inside one becomes a blank."""
        chosen: list[str] = []
        share = partial(getattr, self._stream, "share_read")
        with progress_bar(0, "choosing", share=share) as advance:
            for segment in self._chooser.choose(self._parts(), advance):
                self._tally.add(segment)
                if self._keep:
                    self._segments.append(segment)
                if self._references is not None:
                    chosen.append(segment.best.text)
                yield as_lines(choice.text for choice in segment.chosen).encode()
        self._refuse_more()
        if self._references is not None:
            self._evaluations = self._chooser.evaluate(self._firsts, chosen, self._references)

    def _parts(self) -> Iterator[Part]:
        while (part := self._next_part()) is not None:
            yield part
            del part  # before the next one is read

    def _next_part(self) -> Part | None:
        lists = self._stream.take()
        if lists is None:
            return None
        others, matrices = self._beside(len(lists))
        if self._references is not None:
            self._firsts += lists.choose(np.zeros(len(lists), dtype=np.int64))
        return Part(lists, others, utilities=matrices)

    def result(self) -> MBRResult | MBRSummary:
        """After the lines."""
        common: dict[str, Any] = {
            "name": self._stream.name,
            "settings": self._chooser.settings,
            "evaluations": self._evaluations,
            **self._chooser.utility(),
        }
        if self._keep:
            return MBRResult(segments=tuple(self._segments), **common)
        return MBRSummary(tally=self._tally, **common)

    def _beside(self, count: int) -> tuple[NBest | None, list[Any] | None]:
        """The pseudo-references and the utilities of as many lists."""
        others = None if self._others is None else self._others.take(count)
        if self._others is not None and (others is None or len(others) < count):
            self._refuse_more()
        matrices = None if self._matrices is None else list(islice(self._matrices, count))
        if matrices is not None and len(matrices) < count:
            found = self._stream.read - count + len(matrices)
            self._refuse_matrices(found)
        return others, matrices

    def _refuse_more(self) -> None:
        """Refuse lists without pseudo-references or utilities, and these without lists."""
        if self._others is not None:
            counts = [stream.read + stream.count_rest() for stream in (self._others, self._stream)]
            if counts[0] != counts[1]:
                raise UnpairedSegmentsError(
                    self._others.name, counts[0], self._stream.name, counts[1]
                )
        if self._matrices is not None and (more := sum(1 for _ in self._matrices)):
            self._refuse_matrices(self._stream.read + more)

    def _refuse_matrices(self, found: int) -> NoReturn:
        expected = f"{self._stream.read + self._stream.count_rest()}, as {self._stream.name}"
        raise SettingError(f"utilities of {self._utilities}", f"{found} matrices", expected)


def _write(choosing: _Choosing, output: Path | None, *, force: bool) -> MBRResult | MBRSummary:
    """Write the chosen lines, all of them or none."""
    if output is None:
        for _ in choosing.lines():
            pass
    elif str(output) == STANDARD_OUTPUT:
        with TemporaryFile() as file:
            file.writelines(choosing.lines())
            file.seek(0)
            # A terminal must not obey what a model wrote.
            terminal = sys.stdout.isatty()
            for line in file:
                text = line.decode()
                click.echo(one_line(text.removesuffix("\n")) if terminal else text, nl=terminal)
    else:
        write_files(output.parent, {output.name: choosing.lines()}, overwrite=force)
    return choosing.result()


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _matrices(path: str) -> Iterator[Any]:
    from truebleu.corpus.tables import json_in

    for line, text in file_lines(path):
        matrix = json_in(path, line, text, "a list of lists of numbers")
        rows = matrix if isinstance(matrix, list) else []
        widths = {len(row) if isinstance(row, list) else None for row in rows}
        numbers = (value for row in rows if isinstance(row, list) for value in row)
        if None in widths or len(widths) != 1 or not all(map(_is_number, numbers)):
            expected = "a list of lists of numbers, all of one length"
            raise MalformedFileError(path, line, "something else", expected)
        yield matrix
