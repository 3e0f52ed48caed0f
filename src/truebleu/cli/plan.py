"""``truebleu plan``: how large a test set must be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from truebleu._seeds import DEFAULT_SEED
from truebleu.cli._options import (
    chart_options,
    draw_chart,
    format_option,
    metric_option,
    optional_test_set_options,
    read_texts,
    threads_option,
)
from truebleu.errors import SettingError
from truebleu.metrics.registry import as_metrics
from truebleu.metrics.score import metric_labels
from truebleu.planning.plan import (
    PLAN_UNITS,
    UNNAMED_METRIC,
    PlanSettings,
    plan_from_literature,
    plan_test_set,
)
from truebleu.reports.plan import render_plan
from truebleu.significance.p_values import ALTERNATIVES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any

    from truebleu.planning.plan import Plan

EPILOG = """\b
Examples:
  truebleu plan -r ref.txt old.txt new.txt --difference 0.5
  truebleu plan -r ref.txt old.txt new.txt -m bleu -m chrf --difference 0.5 --power 0.9
  truebleu plan -r ref.txt old.txt new.txt --documents docs.tsv --unit document --difference 1
  truebleu plan -r ref.txt sys/ --baseline ONLINE-A --difference 1 --chart power.svg
  truebleu plan --sd 12 --difference 0.5
  truebleu plan --interval 0.1 1.1 --segments 2000 --difference 0.5

\b
How to read the answer: power is how often a test finds a difference that is there. Ask for the
smallest difference that matters to you, not for the one that a pilot happened to show.
"""


@click.command("plan", epilog=EPILOG)
@click.argument("systems", metavar="[SYSTEM...]", nargs=-1)
@optional_test_set_options
@metric_option
@click.option(
    "--difference",
    "differences",
    type=float,
    multiple=True,
    metavar="D",
    help="The smallest difference that matters; repeat for one per metric.",
)
@click.option("--power", type=float, default=0.8, show_default=True, help="How often to find it.")
@click.option(
    "--level",
    type=float,
    default=0.95,
    show_default=True,
    help="Of intervals; tests decide at 1 - level.",
)
@click.option(
    "--alternative", type=click.Choice(ALTERNATIVES), default="two-sided", show_default=True
)
@click.option(
    "--comparisons",
    type=int,
    metavar="K",
    help="Correct the level for K comparisons (Bonferroni). Default: the number of pairs.",
)
@click.option(
    "--baseline",
    metavar="NAME",
    help="Compare all others with this system. Default: the first of two.",
)
@click.option(
    "--unit",
    type=click.Choice(PLAN_UNITS),
    default="segment",
    show_default=True,
    help="What the test will swap as a whole.",
)
@click.option(
    "--samples",
    type=int,
    default=10_000,
    show_default=True,
    help="Replicates for the interval of the number needed.",
)
@click.option("--seed", type=int, default=DEFAULT_SEED, show_default=True)
@click.option(
    "--sd", type=float, metavar="SD", help="Without texts: s.d. of the difference per segment."
)
@click.option(
    "--se", type=float, metavar="SE", help="Without texts: standard error of the difference."
)
@click.option(
    "--interval",
    type=(float, float),
    metavar="LOW HIGH",
    help="Without texts: a published interval of the difference.",
)
@click.option(
    "--interval-level", type=float, metavar="LEVEL", help="Of --interval. Default: --level."
)
@click.option(
    "--segments",
    type=int,
    metavar="N",
    help="Without texts: the segments that --sd, --se or --interval are from.",
)
@chart_options
@format_option
@threads_option
@click.pass_context
def command(
    context: click.Context,
    /,
    systems: tuple[str, ...],
    references: tuple[str, ...],
    source: str | None,
    documents: str | None,
    strict: bool,
    metrics: tuple[str, ...],
    differences: tuple[float, ...],
    sd: float | None,
    se: float | None,
    interval: tuple[float, float] | None,
    interval_level: float | None,
    segments: int | None,
    format_: str,
    chart: Path | None,
    force: bool,
    **options: Any,
) -> None:
    """Say how many segments or documents find a difference of D.

    A pilot tells how much scores vary: two SYSTEMs scored on a test set like the one to come, or
    more with --baseline. Without texts, --sd, --se or --interval tell it.
    """
    settings = PlanSettings(**options)
    literature = {"sd": sd, "se": se, "interval": interval, "segments": segments}
    given = [name for name, value in literature.items() if value is not None]
    if systems or references:
        _refuse(given, interval_level)
        plan = plan_test_set(
            read_texts(
                _enough(systems),
                _some(references),
                source=source,
                documents=documents,
                strict=strict,
            ),
            differences or None,
            as_metrics(metrics),
            settings,
        )
    else:
        _refuse_text_options(source, documents)
        label = _label(context, metrics)
        plan = _without_texts(differences, literature, interval_level, label, settings)
    draw_chart(plan.exhibit(), chart, force=force)
    click.echo(render_plan(plan, format_), nl=False)


def _without_texts(
    differences: Sequence[float],
    literature: dict[str, Any],
    interval_level: float | None,
    label: str,
    settings: PlanSettings,
) -> Plan:
    if all(literature[name] is None for name in ("sd", "se", "interval")):
        expected = "-r REF and two SYSTEMs, or one of --sd, --se and --interval"
        raise SettingError("pilot", "none", expected)
    if len(differences) > 1:
        raise SettingError("difference", f"{len(differences)} of them", "one where no texts are")
    difference = differences[0] if differences else None
    return plan_from_literature(
        difference, **literature, interval_level=interval_level, metric=label, settings=settings
    )


def _label(context: click.Context, metrics: Sequence[str]) -> str:
    """What the score is called: the metric's name, where somebody gave it."""
    if context.get_parameter_source("metrics") is ParameterSource.DEFAULT:
        return UNNAMED_METRIC
    if len(metrics) > 1:
        raise SettingError("metric", ", ".join(metrics), "one where no texts are")
    return metric_labels(as_metrics(metrics))[0]


def _enough(systems: Sequence[str]) -> Sequence[str]:
    if not systems:
        raise SettingError("systems", "none", "two outputs of the pilot, SYSTEM SYSTEM")
    return systems


def _some(references: Sequence[str]) -> Sequence[str]:
    if not references:
        raise SettingError("references", "none", "at least one, as in -r FILE")
    return references


def _refuse(given: Sequence[str], interval_level: float | None) -> None:
    if given or interval_level is not None:
        name = given[0] if given else "interval_level"
        raise SettingError(
            name, "texts as well", f"either texts of a pilot or --{name.replace('_', '-')}"
        )


def _refuse_text_options(source: str | None, documents: str | None) -> None:
    for name, value in (("source", source), ("documents", documents)):
        if value is not None:
            raise SettingError(name, value, "-r REF and SYSTEMs beside it")
