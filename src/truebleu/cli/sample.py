"""``truebleu sample``: draw a test set from a pool."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from truebleu._core import tokenizers
from truebleu.cli._options import (
    Show,
    Texts,
    metric_option,
    option_with_default,
    optional_test_set_options,
    result_options,
    seed_option,
)
from truebleu.cli.main import progress_bar
from truebleu.errors import SettingError
from truebleu.planning.sample import DRAWS, sample

if TYPE_CHECKING:
    from typing import Any

    from truebleu.metrics.base import Metric

EPILOG = """\b
Examples:
  truebleu sample -r ref.txt -s src.txt --size 500 --out small
  truebleu sample -r ref.txt sys/ --documents docs.tsv --size 500 --draw document --out small
  truebleu sample -r ref.txt --documents docs.tsv --size 500 --draw stratified --out small
  truebleu sample -s src.txt --size 500 --draw stratified --length-groups 4 --out to-translate

\b
The folder gets each text under its name, documents.tsv where documents or domains are known, and
segments.txt: the numbers of the segments in the pool, from 1.
"""


@click.command("sample", epilog=EPILOG)
@optional_test_set_options
@click.option("--size", type=int, required=True, metavar="N", help="Segments to draw.")
@option_with_default(
    "--draw",
    click.Choice(DRAWS),
    "systematic",
    "Every k-th segment, any segments, each domain in its share, or whole documents.",
)
@option_with_default(
    "--length-groups",
    int,
    1,
    "With stratified: also keep the share of each of N groups by length.",
    metavar="N",
)
@option_with_default(
    "--tokenizer",
    click.Choice(tokenizers()),
    "13a",
    "Tokenizer that defines words, for lengths and the vocabulary.",
)
@seed_option
@click.option(
    "--out",
    "folder",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    required=True,
    help="Where to write the texts.",
)
@click.option("--force", is_flag=True, help="Overwrite what FOLDER has already.")
@metric_option
@result_options
def command(
    texts: Texts,
    folder: Path,
    force: bool,
    metrics: list[Metric],
    show: Show,
    **options: Any,
) -> None:
    """Draw a test set from a pool, and say how representative it is.

    SYSTEMs are outputs for the whole pool: files, NAME=FILE, folders or patterns. They are
    optional; if given, their segments are drawn too, and scored. The reference may be left out
    where there is only a source.
    """
    if not texts.references:
        texts = _only_source(texts)
    pool = texts.read(metrics)
    with progress_bar(0, "sampling"):
        result = sample(pool, metrics=metrics, **options)
        result.save(folder, overwrite=force)
    show(result)


def _only_source(texts: Texts) -> Texts:
    """A pool of source segments that are yet to be translated, which is read as any text."""
    if texts.source is None or texts.systems:
        expected = "-r FILE; only a source without systems may do without"
        raise SettingError("references", "none", expected)
    return replace(texts, references=(texts.source,), source=None)
