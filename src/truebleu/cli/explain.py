"""``truebleu explain`` and ``check``: causes of differences and of high scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from truebleu.cli._command import ResultWriter, Texts, make_command
from truebleu.cli.main import warn
from truebleu.corpus._files import Files, decode
from truebleu.errors import MalformedFileError, shortened
from truebleu.explanation.explain import explain
from truebleu.explanation.training import check
from truebleu.schema import Setting
from truebleu.schema.progress import progress_bar

if TYPE_CHECKING:
    from truebleu.metrics.base import Requested


def read_word_counts(path: str | None) -> dict[str, int] | None:
    """Read a file of WORD<tab>COUNT lines; return the counts of lowercase words, or None."""
    if path is None:
        return None
    counts: dict[str, int] = {}
    text = decode(path, Files().contents(path))
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        word, tab, count = line.rstrip("\r").partition("\t")
        if not tab or not count.strip().isdecimal() or len(count.strip()) > 18:
            raise MalformedFileError(path, number, repr(shortened(line)), "WORD<tab>COUNT")
        counts[word.lower()] = counts.get(word.lower(), 0) + int(count)
    return counts


#: File of words and their counts.
WordCounts: TypeAlias = Annotated[
    str | None,
    Setting(
        help="Words and their counts in the training data, separated by a tab; shows which words "
        "are rare.",
        metavar="FILE",
        group="Texts",
        rare=True,
    ),
]


@make_command("explain", explain, "[systems] texts sets metrics by details format output")
def explain_command(
    texts: Texts,
    metrics: list[Requested] | None,
    counts: WordCounts,
    show: ResultWriter,
    **settings: Any,
) -> None:
    """Break the difference between the first and the second SYSTEM down into contributions.

    A SYSTEM is a file, NAME=FILE, a folder of files, or a pattern such as 'sys/*.txt'.

    Examples:
      truebleu explain -r ref.txt new.txt old.txt
      truebleu explain -r ref.txt sys/ --baseline ONLINE-A -m bleu chrf
    """
    settings["counts"] = read_word_counts(counts)
    counted = texts.count(metrics, keep_texts=True)
    if counted.texts is None and counted.outline.rows == "segments":
        warn(
            "no texts were given: n-grams, typography, degenerate outputs and slices by properties "
            "of the texts are left out"
        )
    show(texts.run(explain, counted, settings, passes=2))


@make_command("check", check, "[systems] texts metrics format output")
def check_command(
    texts: Texts, metrics: list[Requested] | None, show: ResultWriter, **settings: Any
) -> None:
    """Find the test segments that occur in training text, and score SYSTEMs without them.

    Examples:
      truebleu check -r ref.txt -s src.txt system.txt --train corpus.en.gz --train corpus.de.gz
      zcat corpus/*.gz | truebleu check -r ref.txt --train -
    """
    counts = texts.count(metrics, keep_texts=True)
    with progress_bar(0, "searching") as progress:
        result = check(counts, progress=progress, **settings)
    show(result)
