"""``truebleu score``: one or more systems by one or more metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import click

from truebleu.cli._options import (
    Show,
    Texts,
    by_option,
    charted_result_and_file_options,
    executor_options,
    metric_option,
    read_columns,
    refuse_idle,
    resampling_options,
    share_read,
    stream_options,
    test_set_options,
    warn_of,
)
from truebleu.cli.main import progress_bar
from truebleu.significance.scores import score

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import Metric

EPILOG = """\b
A file holds one segment per line, compressed or not; - is standard input.
Other formats are known by their endings:
  table.tsv#column     also .csv, .jsonl, .parquet: a column by its name
  newstest.sgm         NIST SGML; newstest.sgm#NAME for one system or translator
  newstest.xml         WMT XML; newstest.xml#NAME likewise

\b
Examples:
  truebleu score -r ref.txt system.txt
  truebleu score -r ref1.txt -r ref2.txt old=a.txt new=b.txt -m bleu,chrf,ter
  truebleu score -r ref.ja system.ja -m bleu:tokenize=ja-mecab --format json
  truebleu score -r eval.tsv#reference eval.tsv#output -m chrf:word_order=2
  truebleu score -r ref.txt system.txt --confidence --level 0.99
  truebleu score -r ref.txt system.txt --documents docs.tsv --by domain --confidence
  truebleu score -r ref.txt sys/ --confidence --chart scores.pdf
  truebleu score -r ref.txt system.txt --per-segment --format tsv > segments.tsv
  truebleu score -r ref.txt system.txt --save baseline.json.gz

\b
Settings of the metrics:
  bleu   tokenize=auto|13a|intl|zh|char|none|mteval|mteval-intl|ja-mecab|ko-mecab|spm:PATH,
         smooth=exp|floor|add-k|none|mteval, smooth_value=, max_order=4, lowercase=no,
         effective_order=no, reference_length=closest|shortest|average
  chrf   char_order=6, word_order=0, beta=2, lowercase=no, whitespace=no, eps_smoothing=no
  depf   parses=FOLDER|spacy=MODEL, labelled=yes, word=form|lemma, direction=yes, lowercase=no,
         root=yes, check_text=yes, parser=
  gtm    exponent=1, tokenize=none, lowercase=no
  length tokenize=none, lowercase=no
  mbleu  tokenize=auto, max_order=4, lowercase=no
  nist   tokenize=mteval, lowercase=no, max_order=5, zero_history=yes
  per    tokenize=none, lowercase=no
  scores path=FILE, name=, column=, rater=, higher_is_better=, low=, high=, first_segment=1,
         missing=error|omit|common
  sentbleu
         smoothing=none|epsilon|add-one|halving|length-scaled|average|interpolate|scaled-average
         (or 0 to 7), epsilon=0.1, k=5, alpha=5, smooth_next_order=no, weight=length|equal,
         tokenize=auto, max_order=4, lowercase=no
  ter    normalized=no, no_punct=no, asian_support=no, case_sensitive=no
  wer    tokenize=none, lowercase=no
"""


@click.command("score", epilog=EPILOG)
@test_set_options
@metric_option
@by_option
@click.option(
    "--per-segment", "segments", is_flag=True, help="Print the scores of each segment instead."
)
@click.option(
    "--confidence", is_flag=True, help="Add a bootstrap confidence interval to each score."
)
@resampling_options
@stream_options
@executor_options
@click.option(
    "--details", is_flag=True, help="Also show what each score is made of; JSON always does."
)
@click.option(
    "--save",
    "file",
    metavar="FILE",
    help="Also save segment statistics, which other commands take in place of texts: as "
    "FILE.parquet (needs truebleu[parquet]) or, for one system, as JSON; gzipped if FILE ends in "
    ".gz.",
)
@charted_result_and_file_options
def command(
    texts: Texts,
    metrics: list[Metric],
    columns: tuple[str, ...],
    segments: bool,
    confidence: bool,
    chunk: int | None,
    executor: Executor | None,
    details: bool,
    file: str | None,
    show: Show,
    **options: Any,
) -> None:
    """Score each SYSTEM against the references.

    A SYSTEM is a file, NAME=FILE to give it another name, a folder of files, or a pattern such as
    'sys/*.txt'.
    """
    if not confidence:
        refuse_idle(options, "--confidence beside it; without it nothing is resampled")
    if file is None and show.chart is None:
        refuse_idle(["force"], "--save FILE or --chart FILE beside it")
    if segments:
        refuse_idle(["chart"], "scores of systems, without --per-segment")
    if segments and (confidence or details):
        raise click.UsageError("--per-segment excludes --confidence and --details.")
    if segments and columns:
        raise click.UsageError("--per-segment excludes --by.")
    needs = {"--per-segment": segments, "--by": columns}
    stream = None
    if texts.in_parts(chunk):
        from truebleu.cli._streams import saved, stream_of

        stream = stream_of(texts, chunk, metrics, options, needs)
        if stream is not None and file is not None:
            stream = saved(stream, metrics, file, force=show.force)
    test_set = texts.read(metrics) if stream is None else None
    if file is not None and test_set is not None:
        # Before the scores: what cannot be saved should be said at once.
        _save(test_set, metrics, file, force=show.force)
    # Only resampling has steps to count.
    steps = options["replicates"] if confidence else 0
    what = "resampling" if confidence and stream is None else "scoring"
    with progress_bar(steps, what, share=share_read(stream)) as progress:
        scores = score(
            stream or cast("TestSet", test_set),
            metrics=metrics,
            segments=segments,
            confidence=confidence,
            by=read_columns(columns, texts.documents, test_set) if test_set else None,
            progress=progress,
            executor=executor,
            **options,
        )
    if stream is not None:
        warn_of(scores.warnings)
    show(scores, details=details)


def _save(test_set: TestSet, metrics: Sequence[Metric], file: str, *, force: bool) -> None:
    from truebleu.metrics.statistics_files import SavedStatistics, require_new_file, save_statistics

    require_new_file(file, overwrite=force)
    save_statistics(SavedStatistics.of_systems(test_set, metrics), file, overwrite=force)
