"""``truebleu tune``: weights of features from development lists."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._command import Option, Show, make_command, refuse_idle, verb_options
from truebleu.cli._nbest_options import (
    list_options,
    list_reader,
    read_references,
    reference_option,
)
from truebleu.cli.main import progress_bar
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner
from truebleu.nbest.choices import format_weights, read_weights, weights_format
from truebleu.nbest.outer_loop import OuterLoop
from truebleu.nbest.problem import list_metrics
from truebleu.nbest.tuning import TUNERS, as_tuner, tune

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor

    from truebleu.metrics.base import Metric

EPILOG = """\b
Examples:
  truebleu tune dev.nbest -r dev.ref -o weights.ini
  truebleu tune dev.nbest -r dev.ref --method mira:epochs=30 -m chrf --runs 5 --processes 4
  truebleu tune samples.jsonl -m feature:comet --fix logprob=1
  truebleu tune --decoder 'decode.sh {weights} {nbest}' --start w.tsv -r dev.ref --resume rounds
"""
OPTIONS = [
    *list_options(required=False),
    reference_option(),
    Option(
        ["--method"],
        group="Metrics",
        default="mert",
        show_default=True,
        metavar="METHOD",
        help=f"{', '.join(TUNERS)}. Settings follow a colon; truebleu list tuners lists them.",
    ),
    Option(["--test-lists"], group="Texts", metavar="LISTS", help="Measure the gain on these."),
    reference_option("test"),
    Option(
        ["--start"],
        group="Metrics",
        metavar="FILE",
        help="Weights to start from: TSV, JSON or a Moses ini.",
    ),
    Option(
        ["--resume"],
        metavar="PATH",
        type=click.Path(path_type=Path),
        help="Save results as they come, and continue from them: a file; with --decoder, a folder.",
    ),
    *(
        Option([flag, name], group="Metrics", rare=True, metavar=metavar, multiple=True, help=text)
        for flag, name, metavar, text in (
            ("--fix", "fixed", "NAME=WEIGHT", "Fix a weight; repeat for several."),
            ("--bound", "bounds", "NAME=LOW:HIGH", "Keep a weight between two numbers."),
            ("--tie", "tied", "NAME=NAME", "Give features the same weight."),
        )
    ),
    Option(
        ["--decoder"],
        group="Texts",
        metavar="COMMAND",
        help="Instead of LISTS: tune on what COMMAND writes into {nbest} with the weights in "
        "{weights} (TSV), {weights.json} or {weights.ini}, round after round.",
    ),
    *verb_options(OuterLoop, without=["decoder", "folder", "read"]),
]


@make_command(
    "tune",
    tune,
    systems="none",
    texts=False,
    metrics=list_metrics,
    chart=False,
    executor=True,
    options=OPTIONS,
    output="Write the weights; the name's ending says as what: .tsv, .json or .ini (Moses).",
    epilog=EPILOG,
)
def command(
    lists: str | None,
    references: tuple[str, ...],
    metrics: list[Metric],
    method: str,
    test_lists: str | None,
    test_references: tuple[str, ...],
    decoder: str | None,
    resume: Path | None,
    start: str | None,
    executor: Executor | None,
    show: Show,
    **options: Any,
) -> None:
    """Tune the weights of the features in LISTS, and measure what they gain on other segments.

    A metric may also be feature:NAME, the mean of a feature of the lists.
    """
    kind = None if show.output is None else weights_format(show.output)
    if test_lists is None:
        refuse_idle(["test_references"], "requires --test-lists LISTS")
    else:
        refuse_idle(["folds"], "excludes --test-lists, which measure the gain")
        options["folds"] = 0
    if (lists is None) == (decoder is None):
        raise SettingError("LISTS", lists or "none", "either LISTS or --decoder COMMAND")
    read, tuner = list_reader(options), as_tuner(method)
    loop = {name: options.pop(name) for name in ("rounds", "timeout")}
    if lists is not None:
        refuse_idle(loop, "requires --decoder COMMAND")
        development: Any = read(lists)
        bar = (tuner.steps * options["runs"] * (1 + options["folds"]), "tuning")
    elif start is None or resume is None:
        raise SettingError("--decoder", decoder, "--start FILE and --resume FOLDER beside it")
    else:
        development = OuterLoop(decoder=decoder or "", folder=resume, read=read, **loop)
        bar = (development.rounds, "decoding")
    limits: dict[str, Any] = {
        "start": None if start is None else read_weights(start),
        "fixed": dict(_pair("--fix", text) for text in options.pop("fixed")),
        "bounds": dict(_bound(text) for text in options.pop("bounds")),
        "tied": [text.split("=") for text in options.pop("tied")],
    }
    runner = Runner(
        # A decoder's rounds have a journal of their own.
        journal=resume if decoder is None else None,
        progress=None if executor is None else partial(progress_bar, what="tuning"),
        executor=executor,
    )
    with nullcontext() if executor is not None else progress_bar(*bar) as progress:
        result = tune(
            development,
            read_references(references),
            method=tuner,
            metrics=metrics,
            test_lists=None if test_lists is None else read(test_lists),
            test_references=read_references(test_references),
            progress=progress,
            runner=runner,
            **limits,
            **options,
        )
    if kind is not None:
        sparse = getattr(development, "sparse", None)
        names = frozenset(() if sparse is None else sparse.names)
        show.write([format_weights(result.by_feature, kind, sparse=names).encode()])
    replace(show, output=None)(result)


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
    low, high = (
        _number("--bound", end or limit) for end, limit in zip(ends, ("-inf", "inf"), strict=True)
    )
    return name, (low, high)
