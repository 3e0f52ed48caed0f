"""``truebleu plan`` and ``sample``: the size of a test set, and test sets drawn from a pool."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import click

from truebleu.cli._command import ResultWriter, Texts, make_command
from truebleu.errors import RefusedError
from truebleu.planning.plan import plan
from truebleu.planning.sample import sample
from truebleu.schema import Setting
from truebleu.schema.progress import progress_bar

if TYPE_CHECKING:
    from truebleu.metrics.base import Requested


@make_command("plan", plan, "[systems] texts metrics chart format output")
def plan_command(
    texts: Texts, metrics: list[Requested] | None, show: ResultWriter, **settings: Any
) -> None:
    """Estimate the test set size needed to detect a difference, from a pilot of 2 or more SYSTEMs.

    Examples:
      truebleu plan -r ref.txt old.txt new.txt --difference 0.5
      truebleu plan -r ref.txt old.txt new.txt --documents docs.tsv --difference 1 --power 0.9
      truebleu plan -r ref.txt old.txt new.txt --margin 0.5
    """
    if not texts.systems:
        raise click.UsageError(
            "Name two outputs of a pilot: truebleu plan -r ref.txt old.txt new.txt"
        )
    counts = texts.count(metrics, keep_texts=True)
    with progress_bar(0, "planning"):
        result = plan(counts, **settings)
    show(result)


@make_command("sample", sample, "[systems] texts format")
def sample_command(
    texts: Texts,
    folder: Annotated[str, Setting(flags=("-o", "--output"), metavar="FOLDER", group="Output")],
    show: ResultWriter,
    **settings: Any,
) -> None:
    """Draw a test set from a pool, and measure how representative it is.

    SYSTEMs are outputs for the whole pool: files, NAME=FILE, folders or patterns. They are
    optional; if given, their segments are drawn too. A pool of source texts alone needs no
    reference.

    Args:
        folder: folder to write the texts into.

    Examples:
      truebleu sample -r ref.txt -s src.txt --size 500 -o small
      truebleu sample -r ref.txt --documents docs.tsv --size 500 --draw stratified -o small
      truebleu sample -s src.txt --size 500 -o to-translate

    The folder gets each text under its name, documents.tsv if documents or domains are known, and
    segments.txt: the numbers of the segments in the pool, from 1.
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
