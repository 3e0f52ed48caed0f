"""``truebleu score``: one or more systems by one or more metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu._settings import DEFAULT_REPLICATES
from truebleu.cli._command import Option, Show, Texts, make_command, read_columns, refuse_idle
from truebleu.cli.main import progress_bar
from truebleu.significance.scores import score

if TYPE_CHECKING:
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
  truebleu score -r ref.txt system.txt --save baseline.npz

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


SAVE = Option(
    ["--save", "file"],
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
