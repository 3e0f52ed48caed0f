"""``truebleu tune``, ``rerank``, ``mbr`` and ``nbest``: commands for n-best lists."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from truebleu.cli._command import (
    FilePath,
    Option,
    ResultWriter,
    make_command,
    reference_option,
    reject_unused,
    setting_options,
)
from truebleu.cli.main import warn
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
from truebleu.schema import fields_of
from truebleu.schema.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Executor

    from truebleu.corpus.nbest import NBest
    from truebleu.corpus.sequences import TextLike

# Reading lists and their references, and writing the choices.


def list_reader(options: dict[str, Any]) -> Callable[[str | None], Any]:
    """Return a reader of lists in the format of the options, which it removes from `options`."""
    form = ListFormat(**{field.name: options.pop(field.name) for field in fields(ListFormat)})

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


def list_options(
    text: str = "A reference; repeat for several.", *, required: bool = True
) -> list[click.Parameter]:
    """Return LISTS, the options for reading them, which `list_reader` takes, and references."""
    lists = click.Argument(["lists"], required=required, type=FilePath())
    return [
        lists,
        *setting_options(fields_of(ListFormat)),
        reference_option("", text, read=read_references),
    ]


def further_lists(of: str, text: str) -> list[Option]:
    """Return the options for lists of another kind, such as "test", and their references."""
    references = f"A reference of the {of} lists; repeat for several."
    lists = Option(f"--{of}-lists", text, "LISTS", group="Texts")
    return [lists, reference_option(of, references, read=read_references)]


def as_lines(texts: Iterable[str]) -> bytes:
    """Encode texts as one line each; a line break inside a text becomes a blank."""
    lines = (" ".join(text.split("\n")).rstrip("\r") + "\n" for text in texts)
    return "".join(lines).encode()


# Weights of features from development lists.


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SettingError(option, text, "a number") from None


def _fixed(texts: Iterable[str]) -> dict[str, float]:
    weights = {}
    for text in texts:
        name, separator, value = text.rpartition("=")
        if not separator:
            raise SettingError("--fix", text, "NAME=WEIGHT")
        weights[name] = _number("--fix", value)
    return weights


def _bounds(texts: Iterable[str]) -> dict[str, tuple[float, float]]:
    bounds = {}
    for text in texts:
        name, separator, value = text.rpartition("=")
        low, colon, high = value.partition(":")
        if not separator or not colon or ":" in high:
            raise SettingError("--bound", text, "NAME=LOW:HIGH, NAME=LOW: or NAME=:HIGH")
        bounds[name] = (_number("--bound", low or "-inf"), _number("--bound", high or "inf"))
    return bounds


TUNE_EPILOG = """\b
Examples:
  truebleu tune dev.nbest -r dev.ref -o weights.ini
  truebleu tune dev.nbest -r dev.ref --method mira:epochs=30 -m chrf --repeats 5 --processes 4
  truebleu tune samples.jsonl -m feature:comet --fix logprob=1
  truebleu tune --decoder 'decode.sh {weights} {nbest}' --start w.tsv -r dev.ref --resume rounds
"""
TUNE_OPTIONS = [
    *list_options(required=False),
    Option(
        "--method",
        f"{', '.join(TUNERS)}. Settings follow a colon; truebleu list tuners lists them.",
        "METHOD",
        group="Metrics",
        default="mert",
        show_default=True,
        read=as_tuner,
    ),
    *further_lists("test", "Lists to measure the gain on."),
    Option(
        "--start",
        "Weights to start from: TSV, JSON or a Moses ini.",
        "FILE",
        group="Metrics",
        read=read_weights,
    ),
    Option(
        "--resume",
        "Save results as they come, and continue from them: a file; with --decoder, a folder.",
        "PATH",
        type=FilePath(path_type=Path),
    ),
    *(
        Option(flags, text, takes, group="Metrics", rare=True, multiple=True, read=read)
        for flags, takes, text, read in (
            ("--fix fixed", "NAME=WEIGHT", "Fix a weight; repeat for several.", _fixed),
            ("--bound bounds", "NAME=LOW:HIGH", "Keep a weight between two numbers.", _bounds),
        )
    ),
    Option(
        "--decoder",
        "Instead of LISTS: tune on what COMMAND writes into {nbest} with the weights in {weights} "
        "(TSV), {weights.json} or {weights.ini}, round after round.",
        "COMMAND",
        group="Texts",
    ),
    *setting_options(fields_of(OuterLoop)),
]


@make_command(
    "tune",
    tune,
    "metrics executor details format output",
    options=TUNE_OPTIONS,
    metrics=list_metrics,
    output="Write the weights in the format of FILE's ending: .tsv, .json or .ini (Moses).",
    epilog=TUNE_EPILOG,
)
def tune_command(
    lists: str | None,
    test_lists: str | None,
    decoder: str | None,
    resume: Path | None,
    executor: Executor | None,
    show: ResultWriter,
    **options: Any,
) -> None:
    """Tune the weights of the features in LISTS, and measure the gain on other segments.

    A metric may also be feature:NAME, the mean of a feature of the lists.
    """
    kind = None if show.output is None else weights_format(show.output)
    if test_lists is None:
        reject_unused(["test_references"], "requires --test-lists LISTS")
    else:
        reject_unused(["folds"], "excludes --test-lists, which measure the gain")
        options["folds"] = 0
    if (lists is None) == (decoder is None):
        raise SettingError("LISTS", lists or "none", "either LISTS or --decoder COMMAND")
    read = list_reader(options)
    loop = {name: options.pop(name) for name in ("rounds", "timeout")}
    if lists is not None:
        reject_unused(loop, "requires --decoder COMMAND")
        development: Any = read(lists)
        bar = (options["method"].steps * options["repeats"] * (1 + options["folds"]), "tuning")
    elif options["start"] is None or resume is None:
        raise SettingError("--decoder", decoder, "--start FILE and --resume FOLDER with --decoder")
    else:
        development = OuterLoop(decoder=decoder or "", folder=resume, read=read, **loop)
        bar = (development.rounds, "decoding")
    runner = Runner(
        # A decoder's rounds keep their own journal.
        journal=resume if decoder is None else None,
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

RERANK_EPILOG = """\b
Examples:
  truebleu rerank test.nbest --weights weights.ini -o best.txt -r test.ref
  truebleu rerank samples.jsonl --quality kiwi -o best.txt
  truebleu rerank test.nbest -r ref --train-lists dev.nbest --train-reference dev.ref
  truebleu rerank lists.jsonl -r ref --ngrams 3 -m nist bleu
"""
RERANK_OPTIONS = [
    *list_options("A reference, to measure the gain by; repeat for several."),
    Option(
        "--weights",
        "Choose by these weights of features: TSV, JSON or a Moses ini.",
        "FILE",
        group="Metrics",
        read=read_weights,
    ),
    *further_lists("train", "Lists to train on. Default: folds of LISTS."),
]
#: Options of training.
TRAINING = ("train_lists", "folds", "gamma", "ngrams")


@make_command(
    "rerank",
    rerank,
    "metrics details format output",
    options=RERANK_OPTIONS,
    metrics=list_metrics,
    output="Write the chosen texts, one line each.",
    epilog=RERANK_EPILOG,
)
def rerank_command(lists: str, train_lists: str | None, show: ResultWriter, **options: Any) -> None:
    """Choose the best-scoring candidate for each segment in LISTS.

    Candidates are scored by --weights, by columns of --quality scores, or by a model that is
    trained on the references to prefer the best candidates.
    """
    if options["weights"] is not None or options["quality"]:
        reject_unused(TRAINING, "has no effect with --weights or --quality")
    if train_lists is None:
        reject_unused(["train_references"], "requires --train-lists LISTS")
    else:
        reject_unused(["folds"], "excludes --train-lists")
    read = list_reader(options)
    options["train_lists"] = read(train_lists)
    with progress_bar(options["folds"], "training") as progress:
        result = rerank(read(lists), progress=progress, **options)
    replace(show, output=None)(result)
    show.write_choice([as_lines(result.texts)])


# The candidate with the highest expected utility.

MBR_EPILOG = """\b
Examples:
  truebleu mbr samples.jsonl -o best.txt
  truebleu mbr run1.nbest -m bleu --weigh-by probability --temperature 2 -o best.txt
  truebleu mbr samples.jsonl -r ref.txt -o best.txt
"""


#: Name of standard output as a file.
STANDARD_OUTPUT = "-"
MBR_OPTIONS = [
    *list_options("A real reference, to score the choice by; repeat for several."),
    Option(
        "--pseudo-references",
        "Lists to compare candidates with, in the same format. Default: with each other.",
        "FILE",
        group="Texts",
    ),
    Option("-s --source", "The source text, for a utility that reads it.", "FILE", group="Texts"),
    Option(
        "-m --metric",
        "The utility; settings follow a colon: chrf:word_order=2.",
        "METRIC",
        group="Metrics",
        default="chrf",
        show_default=True,
    ),
    Option(
        "--weigh-by",
        "Weights of pseudo-references: all equal, by the model's probability, or by the number of "
        "samples.",
        group="Statistics",
        type=click.Choice(get_args(Weights)),
        default="uniform",
        show_default=True,
    ),
    Option(
        "--method",
        f"Method, with settings after a colon: {', '.join(METHODS)}.",
        group="Statistics",
        default="exact",
        show_default=True,
    ),
]


@make_command(
    "mbr",
    mbr,
    "executor details format output",
    options=MBR_OPTIONS,
    output="Write the chosen texts, one line each; - for standard output, without the report.",
    epilog=MBR_EPILOG,
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

NBEST_EPILOG = """\b
Formats, guessed from the first line or set by --input-format:
  moses cdec joshua marian   id ||| text ||| features ||| score
  fairseq                    the log of fairseq-generate
  sockeye jsonl              JSON Lines, one per segment or per candidate
  flat                       --list-size N lines of plain text for each segment

\b
Examples:
  truebleu nbest stats run1.nbest
  truebleu nbest oracle run1.nbest -r ref.txt -m bleu chrf
"""


@click.group("nbest", epilog=NBEST_EPILOG)
def nbest_command() -> None:
    """Describe n-best lists and their oracle score."""


@make_command("stats", options=list_options())
def stats(
    lists: str, references: dict[str, TextLike] | None, show: ResultWriter, **options: Any
) -> None:
    """Count candidates, duplicates and features of LISTS, and warn of problems."""
    size = None if references is None else len(next(iter(references.values())))
    show(describe_lists(list_reader(options)(lists), references=size))


@make_command(
    "oracle", oracle_scores, "metrics format output", options=list_options(), metrics=list_metrics
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


for _command in (stats, oracle):
    nbest_command.add_command(_command)
