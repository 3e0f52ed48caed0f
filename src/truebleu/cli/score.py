"""``truebleu score``: scores of systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from truebleu.cli._command import ResultWriter, Texts, make_command, reject_unused
from truebleu.schema import Setting
from truebleu.significance.scores import score

if TYPE_CHECKING:
    from truebleu.metrics.base import Requested

#: Settings of confidence intervals.
RESAMPLING = ("level", "replicates", "seed", "unit", "block_length", "by_domain", "interval")


@make_command("score", score, "systems texts metrics by details format output")
def score_command(
    texts: Texts,
    metrics: list[Requested] | None,
    show: ResultWriter,
    file: Annotated[
        str | None, Setting(flags=("--save",), metavar="FILE.npz", group="Output", rare=True)
    ],
    **settings: Any,
) -> None:
    """Score each SYSTEM against the references.

    A SYSTEM is a file, NAME=FILE, a folder of files, or a pattern such as 'sys/*.txt'.

    Args:
        file: also save the counts of segments, which other commands take in place of texts.

    Examples:
      truebleu score -r ref.txt system.txt
      truebleu score -r ref1.txt -r ref2.txt old=a.txt new=b.txt -m bleu chrf ter
      truebleu score -r ref.txt sys/ --confidence --documents docs.tsv
      truebleu score -r ref.txt system.txt --per-segment -f tsv -o segments.tsv

    table.tsv#column names a column; also of .csv, .jsonl and .parquet. - is standard input.
    """
    if not settings["confidence"]:
        reject_unused(RESAMPLING, "requires --confidence: without it nothing is resampled")
    if settings["per_segment"]:
        reject_unused(("columns", "confidence", "details"), "excludes --per-segment")
    counts = texts.count(metrics, fingerprints=file is not None)
    if file is not None:
        # Save before scoring, so that a file that cannot be written is reported at once.
        from truebleu.counts.saved import save_counts

        save_counts(counts, file, overwrite=show.force)
    show(texts.run(score, counts, settings, int(settings["confidence"]), "scoring"))
