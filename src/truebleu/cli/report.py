"""``truebleu report``: a page about the systems of a test set."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._command import ResultWriter, Texts, make_command
from truebleu.cli.agree import HUMAN_OPTIONS, HumanFile
from truebleu.cli.explain import WordCounts, read_word_counts
from truebleu.cli.main import print_unless_quiet
from truebleu.explanation.report import report

if TYPE_CHECKING:
    from truebleu.counts.counts import Counts
    from truebleu.metrics.base import Requested


@make_command(
    "report",
    report,
    "[systems] texts sets metrics by output",
    options=HUMAN_OPTIONS,
)
def report_command(
    texts: Texts,
    metrics: list[Requested] | None,
    counts: WordCounts,
    show: ResultWriter,
    **values: Any,
) -> None:
    """Write a comparison of SYSTEMs and their segments into one HTML file.

    A SYSTEM is a file, NAME=FILE, a folder of files, or a pattern such as 'sys/*.txt'. All of them
    may be counts that `truebleu score --save` saved; then no texts are needed.

    Examples:
      truebleu report -r ref.txt old.txt new.txt -o report.html
      truebleu report -r ref.txt sys/ --documents docs.tsv --baseline ONLINE-A -o report.html

    The file is self-contained and loads nothing: send it, or keep it with a build.
    """
    if show.output is None:
        raise click.UsageError("Name the page to write: -o report.html")
    values["counts"] = read_word_counts(counts)
    human = HumanFile.or_none(values)
    counted = texts.count(metrics, keep_texts=True)
    if human is not None:
        values |= _people(counted, human, values)
    page = texts.run(report, counted, values, passes=2)
    page.save(show.output, command=join(["truebleu", *sys.argv[1:]]), overwrite=show.force)
    print_unless_quiet(f"wrote {show.output}")


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
