"""``truebleu report``: a page about the systems of a test set."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._command import Option, ResultWriter, Texts, make_command
from truebleu.cli.agree import HUMAN_OPTIONS, HumanFile
from truebleu.cli.explain import COUNTS
from truebleu.cli.main import print_unless_quiet, warn
from truebleu.errors import RefusedError
from truebleu.explanation.report import report
from truebleu.schema import DEFAULT_REPLICATES
from truebleu.schema.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.corpus.test_set import TestSet
    from truebleu.counts.counts import Counts
    from truebleu.human.mqm import ErrorSpan
    from truebleu.metrics.base import Requested

REPORT_EPILOG = """\b
Examples:
  truebleu report -r ref.txt old.txt new.txt -o report.html
  truebleu report -r ref.txt sys/ --documents docs.tsv --baseline ONLINE-A -o report.html

\b
The file is self-contained and loads nothing: send it, or keep it with a build.
"""
SPANS = Option(
    "--spans",
    "Errors marked in the outputs: MQM annotations with <v>…</v>, or xCOMET's in the JSON of "
    "comet-score.",
    "FILE",
    group="Texts",
    rare=True,
)


@make_command(
    "report",
    report,
    "[systems] texts metrics by output",
    options=[*HUMAN_OPTIONS, SPANS, COUNTS],
    epilog=REPORT_EPILOG,
)
def report_command(
    texts: Texts,
    metrics: list[Requested] | None,
    spans: str | None,
    show: ResultWriter,
    **values: Any,
) -> None:
    """Write a comparison of SYSTEMs and their segments into one HTML file.

    A SYSTEM is a file, NAME=FILE, a folder of files, or a pattern such as 'sys/*.txt'. All of them
    may be counts that `truebleu score --save` saved; then no texts are needed.
    """
    if show.output is None:
        raise click.UsageError("Name the page to write: -o report.html")
    human = HumanFile.or_none(values)
    counts = texts.count(metrics, keep_texts=True)
    if counts.texts is None and spans is not None:
        raise RefusedError("--spans needs texts, in which errors are marked")
    if human is not None:
        values |= _people(counts, human, values)
    if spans is not None:
        values["spans"] = _marked(spans, counts.require_texts())
    steps = 2 * (values["replicates"] or DEFAULT_REPLICATES)
    with progress_bar(steps, "comparing") as progress:
        labels = texts.labels(counts.outline)
        page = report(counts, by=labels, progress=progress, **values)
    page.save(show.output, command=join(["truebleu", *sys.argv[1:]]), overwrite=show.force)
    print_unless_quiet(f"wrote {show.output}")


def _marked(path: str, test_set: TestSet) -> Mapping[str, Sequence[Sequence[ErrorSpan]]]:
    """Read the error spans of a file; warn if it marks errors in other texts."""
    from truebleu.human.mqm import read_spans

    spans = read_spans(path, test_set.systems)
    if spans.unmatched:
        warn(f"{path}: {spans.unmatched:,} errors are marked in texts that are not the outputs")
    return spans.spans


def _people(counts: Counts, human: HumanFile, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the report's human scores, if they are by segment, and the metrics' agreement."""
    from truebleu.agreement.agree import agree
    from truebleu.human.judgments import HumanScores

    judgments = human.read(counts)
    given = {name: settings[name] for name in ("seed", "level")}
    parts: dict[str, Any] = {"agreement": agree(counts, judgments, **given)}
    if isinstance(judgments, HumanScores) and judgments.level == "segment":
        parts["human"] = {Path(judgments.label).name: judgments.scores}
    return parts
