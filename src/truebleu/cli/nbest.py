"""``truebleu tune``, ``rerank``, ``mbr`` and ``nbest``: commands for n-best lists."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, get_args

import click

from truebleu.cli._command import (
    FilePath,
    References,
    ResultWriter,
    make_command,
    reject_unused,
    setting_options,
)
from truebleu.cli.main import LazyGroup, warn
from truebleu.corpus._reading import read_test_set
from truebleu.corpus.nbest_files import ListFormat, read_lists
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner
from truebleu.nbest.choices import format_weights, read_weights, weights_format
from truebleu.nbest.minimum_bayes_risk import METHODS, Weights, mbr
from truebleu.nbest.oracle import describe_lists, oracle_scores
from truebleu.nbest.outer_loop import OuterLoop
from truebleu.nbest.problem import list_metrics
from truebleu.nbest.reranking import rerank
from truebleu.nbest.tuning import TUNERS, as_tuner, tune
from truebleu.reports.document import one_line
from truebleu.schema import Setting, declared_by, fields_of
from truebleu.schema.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Executor

    from truebleu.corpus.nbest import NBest
    from truebleu.corpus.sequences import TextLike

# Reading lists and their references, and writing the choices.

FILE = Setting(metavar="FILE", group="Texts")


def list_reader(options: dict[str, Any]) -> Callable[[str | None], Any]:
    """Return a reader of lists in the format of the options, which it removes from `options`.

    References in `options` are read.
    """
    form = ListFormat(**{field.name: options.pop(field.name) for field in fields(ListFormat)})
    for name in options.keys() & {"references", "test_references", "train_references"}:
        options[name] = read_references(options[name])

    def read(path: str | None) -> NBest | None:
        with progress_bar(0, "reading"):
            return None if path is None else read_lists(path, form)

    return read


def read_references(paths: Sequence[str]) -> dict[str, TextLike] | None:
    """Read the references of a command, named as in messages; return None without `paths`."""
    if not paths:
        return None
    test_set = read_test_set([], paths)
    for warning in test_set.warnings:
        warn(warning.message)
    texts = test_set.references
    # Several references in one file have names of their own.
    names = paths if len(set(paths)) == len(texts) else test_set.reference_names
    return dict(zip(names, texts, strict=True))


class ListOptions(TypedDict, total=False):
    """Option of lists.

    Attributes:
        references: a reference; repeat for several.
    """

    references: References


#: Options for reading lists, which `list_reader` takes, and their references.
LIST_OPTIONS = [
    *setting_options(fields_of(ListFormat)),
    *setting_options(declared_by(ListOptions)),
]
LISTS = click.Argument(["lists"], type=FilePath())


def as_lines(texts: Iterable[str]) -> bytes:
    """Encode texts as one line each; a line break inside a text becomes a blank."""
    lines = (" ".join(text.split("\n")).rstrip("\r") + "\n" for text in texts)
    return "".join(lines).encode()


# Weights of features from development lists.


def _by_feature(
    option: str, texts: Iterable[str], form: str, parse: Callable[[str], Any]
) -> dict[str, Any]:
    """Parse arguments NAME=VALUE of an option; raises SettingError for another form."""
    values = {}
    for text in texts:
        name, separator, value = text.rpartition("=")
        try:
            values[name] = parse(value)
        except ValueError:
            separator = ""
        if not separator:
            raise SettingError(option, text, form)
    return values


def _bounds(text: str) -> tuple[float, float]:
    low, high = text.split(":")
    return float(low or "-inf"), float(high or "inf")


class TuneFiles(TypedDict, total=False):
    """Options of `tune` that name files or need parsing.

    Attributes:
        test_lists: lists to measure the gain on.
        test_references: a reference of the test lists; repeat for several.
        start: weights to start from: TSV, JSON or a Moses ini.
        fixed: fix a weight; repeat for several.
        bounds: keep a weight between two numbers.
        resume: save results as they come, and continue from them: a file; with --decoder, a folder.
        decoder: instead of LISTS: tune on what COMMAND writes into {nbest} with the weights in
            {weights} (TSV), {weights.json} or {weights.ini}, round after round.
    """

    method: Annotated[
        str,
        Setting(
            help=f"Method: {', '.join(TUNERS)}. Settings follow a colon, see truebleu list tuners.",
            metavar="METHOD",
            group="Metrics",
            default="mert",
        ),
    ]
    test_lists: Annotated[str | None, Setting(metavar="LISTS", group="Texts")]
    test_references: Annotated[Sequence[str] | None, replace(FILE, flags=("--test-reference",))]
    start: Annotated[str | None, Setting(metavar="FILE", group="Metrics")]
    fixed: Annotated[
        Sequence[str] | None,
        Setting(flags=("--fix",), metavar="NAME=WEIGHT", group="Metrics", rare=True),
    ]
    bounds: Annotated[
        Sequence[str] | None,
        Setting(flags=("--bound",), metavar="NAME=LOW:HIGH", group="Metrics", rare=True),
    ]
    resume: Annotated[str | None, Setting(metavar="PATH", group="Output")]
    decoder: Annotated[str | None, Setting(metavar="COMMAND", group="Texts")]


@make_command(
    "tune",
    tune,
    "metrics executor details format output",
    options=[
        click.Argument(["lists"], required=False, type=FilePath()),
        *LIST_OPTIONS,
        *setting_options(declared_by(TuneFiles)),
        *setting_options(fields_of(OuterLoop)),
    ],
    metrics=list_metrics,
    output="Write the weights in the format of FILE's ending: .tsv, .json or .ini (Moses).",
)
def tune_command(
    lists: str | None,
    test_lists: str | None,
    start: str | None,
    decoder: str | None,
    resume: str | None,
    executor: Executor | None,
    show: ResultWriter,
    **options: Any,
) -> None:
    """Tune the weights of the features in LISTS, and measure the gain on other segments.

    A metric may also be feature:NAME, the mean of a feature of the lists.

    Examples:
      truebleu tune dev.nbest -r dev.ref -o weights.ini
      truebleu tune dev.nbest -r dev.ref --method mira:epochs=30 -m chrf --repeats 5 --processes 4
      truebleu tune samples.jsonl -m feature:comet --fix logprob=1
      truebleu tune --decoder 'decode.sh {weights} {nbest}' --start w.tsv -r dev.ref --resume rounds
    """
    kind = None if show.output is None else weights_format(show.output)
    if test_lists is None:
        reject_unused(["test_references"], "requires --test-lists LISTS")
    else:
        reject_unused(["folds"], "excludes --test-lists, which measure the gain")
        options["folds"] = 0
    if (lists is None) == (decoder is None):
        raise SettingError("LISTS", lists or "none", "either LISTS or --decoder COMMAND")
    options["method"] = as_tuner(options["method"])
    options["start"] = None if start is None else read_weights(start)
    options["fixed"] = _by_feature("--fix", options["fixed"], "NAME=WEIGHT", float)
    form = "NAME=LOW:HIGH, NAME=LOW: or NAME=:HIGH"
    options["bounds"] = _by_feature("--bound", options["bounds"], form, _bounds)
    read = list_reader(options)
    loop = {name: options.pop(name) for name in ("rounds", "timeout")}
    if lists is not None:
        reject_unused(loop, "requires --decoder COMMAND")
        development: Any = read(lists)
        bar = (options["method"].steps * options["repeats"] * (1 + options["folds"]), "tuning")
    elif start is None or resume is None:
        raise SettingError("--decoder", decoder, "--start FILE and --resume FOLDER with --decoder")
    else:
        development = OuterLoop(decoder=decoder or "", folder=Path(resume), read=read, **loop)
        bar = (development.rounds, "decoding")
    runner = Runner(
        # A decoder's rounds keep their own journal.
        journal=Path(resume) if resume is not None and decoder is None else None,
        progress=None if executor is None else partial(progress_bar, action="tuning"),
        executor=executor,
    )
    options |= {"test_lists": read(test_lists), "runner": runner}
    with nullcontext() if executor is not None else progress_bar(*bar) as progress:
        result = tune(development, progress=progress, **options)
    if kind is not None:
        sparse = getattr(development, "sparse", None)
        names = frozenset(() if sparse is None else sparse.names)
        show.write([format_weights(result.by_feature, kind, sparse=names).encode()])
    replace(show, output=None)(result)


# Choosing by weights, quality scores or a trained model.


class RerankFiles(TypedDict, total=False):
    """Options of `rerank` that name files.

    Attributes:
        weights: choose by these weights of features: TSV, JSON or a Moses ini.
        train_lists: lists to train on. Default: folds of LISTS.
        train_references: a reference of the train lists; repeat for several.
    """

    weights: Annotated[str | None, Setting(metavar="FILE", group="Metrics")]
    train_lists: Annotated[str | None, Setting(metavar="LISTS", group="Texts")]
    train_references: Annotated[Sequence[str] | None, replace(FILE, flags=("--train-reference",))]


#: Options of training.
TRAINING = ("train_lists", "folds", "gamma", "ngrams")


@make_command(
    "rerank",
    rerank,
    "metrics details format output",
    options=[LISTS, *LIST_OPTIONS, *setting_options(declared_by(RerankFiles))],
    metrics=list_metrics,
    output="Write the chosen texts, one line each.",
)
def rerank_command(lists: str, train_lists: str | None, show: ResultWriter, **options: Any) -> None:
    """Choose the best-scoring candidate for each segment in LISTS.

    Candidates are scored by --weights, by columns of --quality scores, or by a model that is
    trained on the references to prefer the best candidates.

    Examples:
      truebleu rerank test.nbest --weights weights.ini -o best.txt -r test.ref
      truebleu rerank samples.jsonl --quality kiwi -o best.txt
      truebleu rerank test.nbest -r ref --train-lists dev.nbest --train-reference dev.ref
      truebleu rerank lists.jsonl -r ref --ngrams 3 -m nist bleu
    """
    if options["weights"] is not None or options["quality"]:
        reject_unused(TRAINING, "has no effect with --weights or --quality")
    if train_lists is None:
        reject_unused(["train_references"], "requires --train-lists LISTS")
    else:
        reject_unused(["folds"], "excludes --train-lists")
    if options["weights"] is not None:
        options["weights"] = read_weights(options["weights"])
    read = list_reader(options)
    options["train_lists"] = read(train_lists)
    with progress_bar(options["folds"], "training") as progress:
        result = rerank(read(lists), progress=progress, **options)
    replace(show, output=None)(result)
    show.write_choice([as_lines(result.texts)])


# The candidate with the highest expected utility.


#: Name of standard output as a file.
STANDARD_OUTPUT = "-"


class MbrChoices(TypedDict, total=False):
    """Options of `mbr` that name files or methods.

    Attributes:
        pseudo_references: lists to compare candidates with, in the same format. Default: with each
            other.
        source: the source text, for a utility that reads it.
        metric: the utility; settings follow a colon: chrf:word_order=2.
        weigh_by: weights of pseudo-references: all equal, by the model's probability, or by the
            number of samples.
    """

    pseudo_references: Annotated[str | None, FILE]
    source: Annotated[str | None, replace(FILE, flags=("-s", "--source"))]
    metric: Annotated[
        str,
        Setting(flags=("-m", "--metric"), metavar="METRIC", group="Metrics", default="chrf"),
    ]
    weigh_by: Annotated[str, Setting(choices=get_args(Weights), default="uniform")]
    method: Annotated[
        str,
        Setting(
            help=f"Method, with settings after a colon: {', '.join(METHODS)}.",
            metavar="TEXT",
            default="exact",
        ),
    ]


@make_command(
    "mbr",
    mbr,
    "executor details format output",
    options=[LISTS, *LIST_OPTIONS, *setting_options(declared_by(MbrChoices))],
    output="Write the chosen texts, one line each; - for standard output, without the report.",
)
def mbr_command(
    lists: str,
    pseudo_references: str | None,
    source: str | None,
    show: ResultWriter,
    **options: Any,
) -> None:
    """Choose the candidate with the highest expected utility for each segment in LISTS.

    Each candidate is scored against all others as references: minimum Bayes risk.

    Examples:
      truebleu mbr samples.jsonl -o best.txt
      truebleu mbr run1.nbest -m bleu --weigh-by probability --temperature 2 -o best.txt
      truebleu mbr samples.jsonl -r ref.txt -o best.txt
    """
    read = list_reader(options)
    candidates = read(lists)
    options["pseudo_references"] = read(pseudo_references)
    if source is not None:
        (sources,) = (read_references([source]) or {}).values()
        candidates = replace(candidates, sources=tuple(map(str, sources)))
    with progress_bar(len(candidates), "choosing") as progress:
        result = mbr(candidates, progress=progress, **options)
    lines = as_lines(choice.text for segment in result.segments for choice in segment.chosen)
    if str(show.output) != STANDARD_OUTPUT:
        replace(show, output=None)(result)
        show.write_choice([lines])
    elif sys.stdout.isatty():
        # A terminal must not obey what a model wrote.
        for line in lines.decode().splitlines():
            click.echo(one_line(line))
    else:
        click.echo(lines, nl=False)


# Descriptions of lists, and their oracle scores.


@click.group(
    "nbest",
    cls=LazyGroup,
    table={
        "stats": ("truebleu.cli.nbest:stats", "Count candidates, duplicates and features."),
        "oracle": ("truebleu.cli.nbest:oracle", "Score the best and the worst choice."),
    },
)
def nbest_command() -> None:
    """Describe n-best lists and their oracle score.

    Examples:
      truebleu nbest stats run1.nbest
      truebleu nbest oracle run1.nbest -r ref.txt -m bleu chrf

    Formats, guessed from the first line or set by --input-format:
      moses cdec joshua marian   id ||| text ||| features ||| score
      fairseq                    the log of fairseq-generate
      sockeye jsonl              JSON Lines, one per segment or per candidate
      flat                       --list-size N lines of plain text for each segment
    """


@make_command("stats", options=[LISTS, *LIST_OPTIONS])
def stats(lists: str, show: ResultWriter, **options: Any) -> None:
    """Count candidates, duplicates and features of LISTS, and warn of problems."""
    read = list_reader(options)
    size = len(next(iter((options["references"] or {"": ()}).values()))) or None
    show(describe_lists(read(lists), references=size))


@make_command(
    "oracle",
    oracle_scores,
    "metrics format output",
    options=[LISTS, *LIST_OPTIONS],
    metrics=list_metrics,
)
def oracle(lists: str, show: ResultWriter, **options: Any) -> None:
    """Score the best and the worst choice from LISTS.

    A metric may also be feature:NAME, the mean of a feature of the lists (feature:-NAME if lower
    is better).
    """
    read = list_reader(options)
    with progress_bar(0, "scoring"):
        result = oracle_scores(read(lists), **options)
    show(result)
