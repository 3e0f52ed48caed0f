"""``truebleu sample``: draw a test set from a pool."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._command import Option, Show, Texts, make_command
from truebleu.cli.main import progress_bar
from truebleu.errors import SettingError
from truebleu.planning.sample import sample

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

EPILOG = """\b
Examples:
  truebleu sample -r ref.txt -s src.txt --size 500 -o small
  truebleu sample -r ref.txt sys/ --documents docs.tsv --size 500 --draw document -o small
  truebleu sample -r ref.txt --documents docs.tsv --size 500 --draw stratified -o small
  truebleu sample -s src.txt --size 500 --draw stratified --length-groups 4 -o to-translate

\b
The folder gets each text under its name, documents.tsv where documents or domains are known, and
segments.txt: the numbers of the segments in the pool, from 1.
"""


FOLDER = Option(
    ["-o", "--output", "folder"],
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    required=True,
    help="Where to write the texts.",
)


@make_command(
    "sample",
    sample,
    systems="optional",
    chart=False,
    details=False,
    output=False,
    options=[FOLDER],
    epilog=EPILOG,
)
def command(texts: Texts, folder: Path, metrics: list[Metric], show: Show, **settings: Any) -> None:
    """Draw a test set from a pool, and say how representative it is.

    SYSTEMs are outputs for the whole pool: files, NAME=FILE, folders or patterns. They are
    optional; if given, their segments are drawn too, and scored. The reference may be left out
    where there is only a source.
    """
    if not texts.references:
        texts = _only_source(texts)
    pool = texts.read(metrics)
    with progress_bar(0, "sampling"):
        result = sample(pool, metrics=metrics, **settings)
        result.save(folder, overwrite=show.force)
    show(result)


def _only_source(texts: Texts) -> Texts:
    """A pool of source segments that are yet to be translated, which is read as any text."""
    if texts.source is None or texts.systems:
        expected = "-r FILE; only a source without systems may do without"
        raise SettingError("references", "none", expected)
    return replace(texts, references=(texts.source,), source=None)
