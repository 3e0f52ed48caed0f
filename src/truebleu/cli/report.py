"""``truebleu report``: a comparison, its explanation and the segments as one HTML file."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._command import Option, Show, Texts, make_command, read_columns, refuse_idle
from truebleu.cli.agree import HUMAN_OPTIONS, HumanFile
from truebleu.cli.explain import COUNTS
from truebleu.cli.main import progress_bar, tell, warn
from truebleu.errors import RefusedError
from truebleu.explanation.report import Report, report
from truebleu.schema import DEFAULT_REPLICATES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.corpus.test_set import TestSet
    from truebleu.human.mqm import ErrorSpan
    from truebleu.metrics.base import Metric

EPILOG = """\b
Examples:
  truebleu report -r ref.txt old.txt new.txt -o report.html
  truebleu report -r ref.txt sys/ --documents docs.tsv --baseline ONLINE-A -o report.html

\b
The file is self-contained and loads nothing: send it, or keep it with a build.
"""


SPANS = Option(
    ["--spans"],
    group="Texts",
    rare=True,
    metavar="FILE",
    help="Errors marked in the outputs: MQM annotations with <v>…</v>, or xCOMET's in the JSON of "
    "comet-score.",
)


@make_command(
    "report",
    report,
    systems="optional",
    by=True,
    chart=False,
    details=False,
    options=[*HUMAN_OPTIONS, SPANS, COUNTS],
    epilog=EPILOG,
)
def command(texts: Texts, metrics: list[Metric], show: Show, **values: Any) -> None:
    """Write what is known about SYSTEMs into one HTML file.

    A SYSTEM is a file, NAME=FILE, a folder of files, or a pattern such as 'sys/*.txt'. All of them
    may be statistics that `truebleu score --save` saved; then no texts are needed.
    """
    if show.output is None:
        raise click.UsageError("Name the page to write: -o report.html")
    refuse_idle(["format"], "has no effect: a report is a page")
    page = _report(texts, metrics, HumanFile.or_none(values), **values)
    page.save(show.output, command=join(["truebleu", *sys.argv[1:]]), overwrite=show.force)
    tell(f"wrote {show.output}")


def _report(
    texts: Texts,
    metrics: list[Metric],
    human: HumanFile | None,
    *,
    spans: str | None,
    columns: tuple[str, ...],
    **settings: Any,
) -> Report:
    """The report of what the options name."""
    if not texts.systems:
        raise click.UsageError("Name the outputs of two or more systems.")
    steps = 2 * (settings["replicates"] or DEFAULT_REPLICATES)
    with progress_bar(steps, "comparing") as progress:
        test_set = texts.read(metrics)
        if test_set.is_counted and spans is not None:
            raise RefusedError("--spans needs texts, in which errors are marked")
        return report(
            test_set,
            metrics=metrics,
            by=read_columns(columns, texts.documents, test_set),
            **_people(test_set, metrics, human, settings),
            spans=None if spans is None else _marked(spans, test_set),
            progress=progress,
            **settings,
        )


def _marked(path: str, test_set: TestSet) -> Mapping[str, Sequence[Sequence[ErrorSpan]]]:
    """The errors that a file marks; those in other texts are counted."""
    from truebleu.human.mqm import read_spans

    spans = read_spans(path, test_set.systems)
    if spans.unmatched:
        warn(f"{path}: {spans.unmatched:,} errors are marked in texts that are not the outputs")
    return spans.spans


def _people(
    test_set: TestSet, metrics: list[Metric], human: HumanFile | None, settings: dict[str, Any]
) -> dict[str, Any]:
    """What people said of the segments, and how the metrics agree with it."""
    if human is None:
        return {}
    from truebleu.agreement.agree import agree
    from truebleu.human.judgments import HumanScores

    judgments = human.read(test_set)
    given = {name: settings[name] for name in ("seed", "level")}
    parts: dict[str, Any] = {"agreement": agree(test_set, judgments, metrics, **given)}
    if isinstance(judgments, HumanScores) and judgments.level == "segment":
        parts["human"] = {Path(judgments.label).name: judgments.scores}
    return parts
