"""``truebleu score``: one or more systems by one or more metrics."""

from __future__ import annotations

import sys

import click

from truebleu.cli.options import format_option, metric_option, test_set_options, threads_option
from truebleu.corpus import read_test_set
from truebleu.metrics.registry import as_metrics
from truebleu.metrics.scoring import score_test_set
from truebleu.reports import render

EPILOG = """\b
A file holds one segment per line, compressed or not; - is standard input.
Other formats are known by their endings:
  table.tsv#column     also .csv, .jsonl, .parquet: a column by its name
  newstest.sgm         NIST SGML; newstest.sgm#NAME for one system or translator
  newstest.xml         WMT XML; newstest.xml#NAME likewise

\b
Examples:
  truebleu score -r ref.txt system.txt
  truebleu score -r ref1.txt -r ref2.txt old=a.txt new=b.txt -m bleu -m chrf -m ter
  truebleu score -r ref.zh system.zh -m bleu:tokenize=zh --format json
  truebleu score -r eval.tsv#reference eval.tsv#output -m chrf:word_order=2
  truebleu score -r ref.txt system.txt --segments --format tsv > segments.tsv

\b
Settings of the metrics:
  bleu   tokenize=13a|intl|zh|char|none|ja-mecab|ko-mecab|spm:PATH, smooth=exp|floor|add-k|none,
         smooth_value=, max_order=4, lowercase=no, effective_order=no
  chrf   char_order=6, word_order=0, beta=2, lowercase=no, whitespace=no, eps_smoothing=no
  ter    normalized=no, no_punct=no, asian_support=no, case_sensitive=no
"""


@click.command("score", epilog=EPILOG)
@click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True)
@test_set_options
@metric_option
@click.option("--segments", is_flag=True, help="The scores of each segment instead.")
@click.option("--details", is_flag=True, help="Also what each score is made of (text format).")
@format_option
@threads_option
def command(
    systems: tuple[str, ...],
    references: tuple[str, ...],
    source: str | None,
    documents: str | None,
    strict: bool,
    metrics: tuple[str, ...],
    segments: bool,
    details: bool,
    format_: str,
) -> None:
    """Score each SYSTEM against the references.

    A SYSTEM is a file, or NAME=FILE to give it a name other than the file's.
    """
    parsed = as_metrics(metrics)
    test_set = read_test_set(
        systems,
        references,
        source=source,
        documents=documents,
        strict=strict,
        stdin=sys.stdin.buffer,
    )
    for warning in test_set.warnings:
        click.echo(f"warning: {warning.message}", err=True)
    scores = score_test_set(test_set, parsed, segments=segments)
    click.echo(render(scores, format_, details=details), nl=False)
