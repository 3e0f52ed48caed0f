"""What all studies have in common on the command line: their texts, their journal, their result."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from truebleu._seeds import DEFAULT_SEED
from truebleu.cli._options import (
    chart_options,
    draw_chart,
    format_option,
    metric_option,
    optional_test_set_options,
    read_texts,
    test_set_options,
    threads_option,
    whole_numbers,
)
from truebleu.cli._progress import progress_bar
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner
from truebleu.reports.exhibit import render_exhibit
from truebleu.studies._pool import DRAWS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from truebleu.corpus import TestSet
    from truebleu.exhibits import Exhibit

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

# Error rates of the simulated systems: near enough to be told apart on large samples only.
RATES = (0.20, 0.21, 0.23, 0.26, 0.30)
SIMULATED_REFERENCES = 4


@dataclass(frozen=True, slots=True)
class Studied:
    """What a study is made of: the pool, the metrics, and what runs the tasks."""

    test_set: TestSet
    metrics: tuple[str, ...]
    runner: Runner


def study_options(study: Callable[..., Exhibit]) -> Callable[..., None]:
    """Give a command the options of all studies.

    The command gets a `Studied` and its own options, and returns an exhibit, which is shown.
    """
    return _with_options(
        study,
        metric_option,
        click.option(
            "--simulate",
            "simulated",
            type=click.IntRange(min=1),
            metavar="N",
            help="Study a simulated test set of N segments instead of texts.",
        ),
        optional_test_set_options,
        click.argument("systems", metavar="[SYSTEM]...", nargs=-1),
    )


def set_usual_metrics(command: click.Command, metrics: Sequence[str]) -> None:
    """Let a study that compares metrics have several without ``-m``."""
    for parameter in command.params:
        if parameter.name == "metrics":
            parameter.default = tuple(metrics)


def judged_study_options(study: Callable[..., Exhibit]) -> Callable[..., None]:
    """The same for a study of human judgments: it has metrics of its own, and needs real texts."""
    return _with_options(
        study,
        test_set_options,
        click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True),
    )


def _with_options(
    study: Callable[..., Exhibit], *what: Callable[[Any], Any]
) -> Callable[..., None]:
    """A command with the options that say what is studied, and those that all studies have."""

    @wraps(study)
    def command(
        systems: tuple[str, ...],
        references: tuple[str, ...],
        resume: str | None,
        format_: str,
        chart: Path | None,
        force: bool,
        metrics: tuple[str, ...] = (),
        simulated: int | None = None,
        **options: Any,
    ) -> None:
        of_texts = {name: options.pop(name) for name in ("source", "documents", "strict")}
        test_set = _pool(systems, references, simulated, options["seed"], **of_texts)
        journal = None if resume is None else Path(resume)
        runner = Runner(journal, lambda tasks: progress_bar(tasks, "studying"))
        exhibit = study(study=Studied(test_set, metrics, runner), **options)
        draw_chart(exhibit, chart, force=force)
        click.echo(render_exhibit(exhibit, format_), nl=False)

    decorated: Callable[..., None] = command
    for option in (
        threads_option,
        format_option,
        chart_options,
        click.option(
            "--resume",
            metavar="FILE",
            help="Keep results in FILE as they come; where it exists, go on from it.",
        ),
        click.option("--seed", type=int, default=DEFAULT_SEED, show_default=True),
        *what,
    ):
        decorated = option(decorated)
    return decorated


def _pool(
    systems: Sequence[str],
    references: Sequence[str],
    simulated: int | None,
    seed: int,
    **of_texts: Any,
) -> TestSet:
    if simulated is not None:
        if systems or references or any(of_texts.values()):
            expected = (
                "no texts beside it, nor what is said about texts (-s, --documents, --strict)"
            )
            raise SettingError("simulate", simulated, expected)
        from truebleu.simulation import simulate

        return simulate(
            segments=simulated, systems=RATES, references=SIMULATED_REFERENCES, seed=seed
        )
    if not systems:
        raise SettingError("SYSTEM", "none", "at least one output, or --simulate N")
    if not references:
        raise SettingError("reference", "none", "a reference (-r FILE), or --simulate N")
    return read_texts(systems, references, **of_texts)


def sizes_option(usual: Sequence[int]) -> Decorator:
    """Sizes of samples; without it, those of the usual ones that fit into the pool twice."""
    return click.option(
        "--sizes",
        metavar="N,N,...",
        callback=whole_numbers,
        help=f"Units in a sample. Default: {', '.join(map(str, usual))} as far as two fit in.",
    )


def repetitions_option(default: int, help_: str = "Samples of each size.") -> Decorator:
    """How often everything is done."""
    return click.option(
        "--repetitions", type=int, default=default, show_default=True, metavar="N", help=help_
    )


def draw_option(default: str) -> Decorator:
    """How samples are taken of the pool."""
    return click.option(
        "--draw",
        type=click.Choice(DRAWS),
        default=default,
        show_default=True,
        help="Every k-th unit, consecutive ones, or at random without or with replacement.",
    )


def samples_option(default: int) -> Decorator:
    """How many replicates each interval or test is made of."""
    return click.option(
        "--samples", type=int, default=default, show_default=True, help="Replicates of each test."
    )


level_option = click.option(
    "--level", type=float, default=0.95, show_default=True, help="Confidence level."
)
unit_option = click.option(
    "--unit",
    type=click.Choice(["segment", "document"]),
    default="segment",
    show_default=True,
    help="What samples and replicates are made of.",
)
