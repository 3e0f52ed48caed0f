"""``truebleu plan`` and ``sample``: the size of a test set, and test sets drawn from a pool."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._command import FilePath, Option, ResultWriter, Texts, make_command
from truebleu.errors import RefusedError
from truebleu.planning.plan import plan
from truebleu.planning.sample import sample
from truebleu.schema.progress import progress_bar

if TYPE_CHECKING:
    from truebleu.metrics.base import Requested

PLAN_EPILOG = """\b
Examples:
  truebleu plan -r ref.txt old.txt new.txt --difference 0.5
  truebleu plan -r ref.txt old.txt new.txt --documents docs.tsv --difference 1 --power 0.9
  truebleu plan -r ref.txt old.txt new.txt --margin 0.5
"""


@make_command("plan", plan, "[systems] texts metrics chart format output", epilog=PLAN_EPILOG)
def plan_command(
    texts: Texts, metrics: list[Requested] | None, show: ResultWriter, **settings: Any
) -> None:
    """Estimate the test set size needed to detect a difference, from a pilot of two SYSTEMs."""
    if not texts.systems:
        raise click.UsageError(
            "Name two outputs of a pilot: truebleu plan -r ref.txt old.txt new.txt"
        )
    counts = texts.count(metrics, keep_texts=True)
    with progress_bar(0, "planning"):
        result = plan(counts, **settings)
    show(result)


SAMPLE_EPILOG = """\b
Examples:
  truebleu sample -r ref.txt -s src.txt --size 500 -o small
  truebleu sample -r ref.txt --documents docs.tsv --size 500 --draw stratified -o small
  truebleu sample -s src.txt --size 500 -o to-translate

\b
The folder gets each text under its name, documents.tsv if documents or domains are known, and
segments.txt: the numbers of the segments in the pool, from 1.
"""
FOLDER = Option(
    "-o --output folder",
    "Folder to write the texts into.",
    "FOLDER",
    type=FilePath(path_type=Path),
    required=True,
)


@make_command("sample", sample, "[systems] texts format", options=[FOLDER], epilog=SAMPLE_EPILOG)
def sample_command(texts: Texts, folder: Path, show: ResultWriter, **settings: Any) -> None:
    """Draw a test set from a pool, and measure how representative it is.

    SYSTEMs are outputs for the whole pool: files, NAME=FILE, folders or patterns. They are
    optional; if given, their segments are drawn too. A pool of source texts alone needs no
    reference.
    """
    if not texts.references:
        if texts.source is None or texts.systems:
            raise RefusedError(
                "no reference given: name one with -r FILE; only a pool of source texts needs none"
            )
        # A pool without translations is read as if the source were the reference.
        texts = replace(texts, references=(texts.source,), source=None)
    pool = texts.read()
    with progress_bar(0, "sampling"):
        result = sample(pool, **settings)
        result.save(folder, overwrite=show.force)
    show(result)
