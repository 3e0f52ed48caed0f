"""``truebleu score``: one or more systems by one or more metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu.cli._command import Option, Show, Texts, make_command, read_columns, refuse_idle
from truebleu.cli.main import progress_bar
from truebleu.schema import DEFAULT_REPLICATES
from truebleu.significance.scores import score

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

EPILOG = """\b
table.tsv#column names a column; also of .csv, .jsonl and .parquet. - is standard input.

\b
Examples:
  truebleu score -r ref.txt system.txt
  truebleu score -r ref1.txt -r ref2.txt old=a.txt new=b.txt -m bleu chrf ter
  truebleu score -r ref.ja system.ja -m bleu:tokenize=ja-mecab -f json
  truebleu score -r ref.txt sys/ --confidence --documents docs.tsv
  truebleu score -r ref.txt system.txt --per-segment -f tsv -o segments.tsv
"""


SAVE = Option(
    ["--save", "file"],
    rare=True,
    metavar="FILE.npz",
    help="Also save segment statistics, which other commands take in place of texts.",
)
#: What is about the intervals.
RESAMPLING = ("level", "replicates", "seed", "unit", "block_length", "by_domain", "interval")


@make_command("score", score, by=True, options=[SAVE], epilog=EPILOG)
def command(
    texts: Texts,
    metrics: list[Metric],
    columns: tuple[str, ...],
    file: str | None,
    show: Show,
    **settings: Any,
) -> None:
    """Score each SYSTEM against the references.

    A SYSTEM is a file, NAME=FILE, a folder of files, or a pattern such as 'sys/*.txt'.
    """
    confidence, per_segment = settings["confidence"], settings["per_segment"]
    if not confidence:
        refuse_idle(RESAMPLING, "requires --confidence: without it nothing is resampled")
    if per_segment:
        refuse_idle(["chart", "columns", "confidence", "details"], "excludes --per-segment")
    test_set = texts.count(metrics, fingerprints=file is not None)
    if file is not None:
        # Before the scores: what cannot be saved should be said at once.
        from truebleu.metrics.statistics_files import SavedStatistics, save_statistics

        save_statistics(SavedStatistics.of_systems(test_set, metrics), file, overwrite=show.force)
    # Only resampling has steps to count.
    steps = settings["replicates"] or DEFAULT_REPLICATES
    with progress_bar(steps if confidence else 0, "scoring") as progress:
        scores = score(
            test_set,
            metrics=metrics,
            by=read_columns(columns, texts.documents, test_set),
            progress=progress,
            **settings,
        )
    show(scores)
