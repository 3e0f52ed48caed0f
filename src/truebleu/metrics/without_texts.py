"""A test set without texts: the systems and segments that given scores are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._core import Segments
from truebleu.corpus import TestSet
from truebleu.corpus.files import Files
from truebleu.corpus.labels import read_labels
from truebleu.corpus.texts import Layout, NamedText
from truebleu.errors import MalformedFileError, SettingError
from truebleu.metrics.given import GivenScores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.metrics.metric import Metric


# A slip in a number must not take all memory.
MOST_SEGMENTS = 10_000_000


def textless_test_set(metrics: Sequence[Metric], documents: str | None = None) -> TestSet:
    """The systems that all metrics have scores of, and as many segments as the largest has.

    Args:
        metrics: scores from elsewhere; any other metric needs texts, and is refused.
        documents: a file with the document of each segment.
    """
    given = [metric for metric in metrics if isinstance(metric, GivenScores)]
    if len(given) < len(metrics):
        (name, *_) = (one.name for one in metrics if not isinstance(one, GivenScores))
        expected = f"SYSTEM... and -r REF, which {name} needs; only scores:path=FILE does without"
        raise SettingError("texts", "none", expected)
    scores = [metric.scores for metric in given]
    names = [name for name in scores[0].systems if all(name in one.systems for one in scores)]
    if not names:
        expected = "at least two that every file has scores of"
        raise SettingError("systems", f"none in all of {len(scores)} files", expected)
    segments, largest = max((one.segments, one.label) for one in scores)
    if segments > MOST_SEGMENTS:
        found = f"a segment numbered {segments:,}"
        raise MalformedFileError(largest, None, found, f"numbers up to {MOST_SEGMENTS:,}")
    blank = Segments([""] * segments)
    layout = Layout()
    if documents is not None:
        text = NamedText(scores[0].label, scores[0].label, names[0], blank)
        layout = read_labels(Files(), documents, text, default=layout)
    return TestSet(
        systems=dict.fromkeys(names, blank),
        references=(blank,),
        reference_names=("none",),
        documents=layout.documents,
        domains=layout.domains,
    )
