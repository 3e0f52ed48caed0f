"""``truebleu tune``: weights of features from development lists."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from truebleu.cli._nbest_options import (
    ListReader,
    nbest_options,
    read_references,
    reference_option,
)
from truebleu.cli._options import (
    Show,
    executor_options,
    given,
    metric_option,
    option_with_default,
    output_options,
    refuse_idle,
    repeatable_option,
    replicates_option,
    result_options,
    seed_option,
)
from truebleu.cli.main import progress_bar
from truebleu.corpus._writing import write_files
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner
from truebleu.nbest.mert import Window
from truebleu.nbest.mira import Background
from truebleu.nbest.outer_loop import OuterLoop
from truebleu.nbest.tuning import TUNERS, steps_of_tune, tune
from truebleu.nbest.weights import format_weights, read_weights, weights_format

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor

    from truebleu.corpus.nbest.lists import NBest

EPILOG = """\b
Examples:
  truebleu tune dev.nbest -r dev.ref -o weights.ini
  truebleu tune dev.nbest -r dev.ref --test test.nbest --test-reference test.ref --runs 5
  truebleu tune dev.nbest -r dev.ref --method mira -m chrf --runs 5 --processes 4
  truebleu tune samples.jsonl -m feature:comet --fix logprob=1
  truebleu tune --decoder 'decode.sh {weights} {nbest}' --start w.tsv -r dev.ref --resume rounds
"""

# The settings of methods: option, name, type and help. An option of another method is refused.
SETTINGS: tuple[tuple[str, str, Any, str], ...] = (
    ("--restarts", "restarts", int, "mert: searches from random weights. Default: 20."),
    ("--directions", "directions", int, "mert: random directions of a search. Default: 5."),
    ("--window", "window", int, "mert: neighbours that smooth an interval's score. Default: 0."),
    ("--window-kind", "window_kind", click.Choice(get_args(Window)), "mert: how they smooth it."),
    ("--step", "step", float, "mira: the largest step, C. expected-bleu: AdaGrad's step."),
    ("--decay", "decay", float, "mira: decay of the background. Default: 0.999."),
    ("--epochs", "epochs", int, "mira, expected-bleu: passes over all segments."),
    (
        "--background",
        "background",
        click.Choice(get_args(Background)),
        "mira: whose statistics make the background.",
    ),
    ("--draws", "draws", int, "pro: pairs drawn from each list. Default: 5000."),
    ("--pairs", "pairs", int, "pro: pairs kept of each list. Default: 50."),
    ("--l2", "l2", float, "pro, expected-bleu, risk, expected-corpus-bleu: the penalty."),
)


def _settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option, name, kind, help_ in reversed(SETTINGS):
        command = click.option(option, name, type=kind, default=None, help=help_)(command)
    return command


@click.command("tune", epilog=EPILOG)
@click.argument("lists", required=False)
@reference_option()
@metric_option
@option_with_default("--method", click.Choice(list(TUNERS)), "mert", "The tuner.")
@click.option("--test", metavar="LISTS", help="Other lists, to measure the gain on.")
@reference_option("test")
@click.option(
    "--folds",
    type=int,
    help="Without --test: cut the segments into this many parts, and choose from each by weights "
    "tuned on the others. 0 measures no gain. Default: 5.",
)
@option_with_default("--runs", int, 1, "How often to tune, each time with another seed.")
@click.option(
    "--decoder",
    metavar="COMMAND",
    help="Instead of LISTS: run COMMAND, which reads {weights} (TSV; or {weights.json}, "
    "{weights.ini}) and writes {nbest}, and tune on the lists of all rounds.",
)
@click.option("--rounds", type=int, help="With --decoder: rounds at most. Default: 15.")
@click.option(
    "--decoder-timeout",
    type=float,
    metavar="SECONDS",
    help="With --decoder: stop it after this long.",
)
@click.option(
    "--resume",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Save results as they come, and continue from them: a file of the runs' weights; with "
    "--decoder, a folder of its rounds.",
)
@click.option("--start", metavar="FILE", help="Weights to start from: TSV, JSON or a Moses ini.")
@repeatable_option(
    "--fix", "fixed", metavar="NAME=WEIGHT", text="Fix a weight; repeat for several."
)
@repeatable_option(
    "--bound",
    "bounds",
    metavar="NAME=LOW:HIGH",
    text="Keep a weight between two numbers, either of which may be left out; repeat for several.",
)
@repeatable_option("--tie", "tied", metavar="NAME=NAME", text="Give features the same weight.")
@click.option("--no-scale", is_flag=True, help="Tune with features as they are in the lists.")
@_settings_options
@executor_options
@seed_option
@replicates_option()
@output_options("Write the weights; the name's ending says as what: .tsv, .json or .ini (Moses).")
@nbest_options
@result_options
def command(
    lists: str | None,
    references: tuple[str, ...],
    method: str,
    decoder: str | None,
    rounds: int | None,
    decoder_timeout: float | None,
    resume: Path | None,
    test: str | None,
    test_references: tuple[str, ...],
    folds: int | None,
    runs: int,
    start: str | None,
    fixed: tuple[str, ...],
    bounds: tuple[str, ...],
    tied: tuple[str, ...],
    no_scale: bool,
    output: Path | None,
    force: bool,
    executor: Executor | None,
    reader: ListReader,
    show: Show,
    **options: Any,
) -> None:
    """Tune the weights of the features in LISTS, and measure what they gain on other segments.

    A metric may also be feature:NAME, the mean of a feature of the lists.
    """
    settings = given({name: options.pop(name) for _, name, _, _ in SETTINGS})
    kind = None if output is None else weights_format(output)
    if test is None:
        refuse_idle(["test_references"], "--test LISTS beside it")
    else:
        refuse_idle(["folds"], "no --test LISTS beside it: they measure the gain")
    if (lists is None) == (decoder is None):
        raise SettingError("LISTS", lists or "none", "either LISTS or --decoder COMMAND")
    if decoder is None:
        refuse_idle(["rounds", "decoder_timeout"], "--decoder COMMAND beside it")
    elif start is None or resume is None:
        raise SettingError("--decoder", decoder, "--start FILE and --resume FOLDER beside it")
    parts = 0 if test is not None else 5 if folds is None else folds
    development: NBest | OuterLoop
    sparse: frozenset[str] = frozenset()
    if lists is not None:
        development = reader.read(lists)
        if development.sparse is not None:
            sparse = frozenset(development.sparse.names)
        bar = (steps_of_tune(method, settings, folds=parts, runs=runs), "tuning")
    else:
        development = OuterLoop(
            command=decoder or "",
            folder=resume or Path(),
            read=reader.read,
            most_rounds=15 if rounds is None else rounds,
            timeout=decoder_timeout,
        )
        bar = (development.most_rounds, "decoding")
    others = None if test is None else reader.read(test)
    texts, test_texts = read_references(references), read_references(test_references)
    runner = Runner(
        # A decoder's rounds have a journal of their own.
        journal=resume if decoder is None else None,
        progress=None if executor is None else partial(progress_bar, what="tuning"),
        executor=executor,
    )
    first = None if start is None else read_weights(start)
    with nullcontext() if executor is not None else progress_bar(*bar) as progress:
        result = tune(
            development,
            texts,
            method=method,
            settings=settings,
            test=others,
            test_references=test_texts,
            folds=parts,
            runs=runs,
            start=first,
            fixed=dict(_pair("--fix", text) for text in fixed),
            bounds=dict(_bound(text) for text in bounds),
            tied=[text.split("=") for text in tied],
            scale=not no_scale,
            progress=progress,
            runner=runner,
            **options,
        )
    if output is not None and kind is not None:
        text = format_weights(result.by_feature, kind, sparse=sparse)
        write_files(output.parent, {output.name: [text.encode()]}, overwrite=force)
    show(result)


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SettingError(option, text, "a number") from None


def _pair(option: str, text: str) -> tuple[str, float]:
    name, separator, value = text.rpartition("=")
    if not separator:
        raise SettingError(option, text, "NAME=WEIGHT")
    return name, _number(option, value)


def _bound(text: str) -> tuple[str, tuple[float, float]]:
    name, separator, value = text.rpartition("=")
    ends: Sequence[str] = value.split(":")
    if not separator or len(ends) != 2:
        raise SettingError("--bound", text, "NAME=LOW:HIGH, NAME=LOW: or NAME=:HIGH")
    low = _number("--bound", ends[0]) if ends[0] else float("-inf")
    high = _number("--bound", ends[1]) if ends[1] else float("inf")
    return name, (low, high)
