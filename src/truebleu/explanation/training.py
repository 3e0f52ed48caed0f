"""Test segments that occur in training text, and scores without them (Koehn, 2004, section 8)."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypedDict

from truebleu import _core
from truebleu._results import Result
from truebleu.corpus._files import Files, expand_paths
from truebleu.counts.inputs import counts_of
from truebleu.errors import SettingError
from truebleu.metrics.threads import use_environment
from truebleu.schema import Setting, takes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from typing_extensions import Unpack

    from truebleu.corpus.test_set import ReferencesLike, SystemsLike, TestSet
    from truebleu.counts.counts import Counts, MetricCounts
    from truebleu.counts.inputs import Source
    from truebleu.metrics.base import Signature
    from truebleu.metrics.registry import MetricsLike

__all__ = ["ScoreWithoutSeen", "SeenSegment", "TrainingCheck", "check"]

# Number of pieces of a file that all threads search together.
PIECES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenSegment:
    """First occurrence of a test segment, or else of one of its n-grams, in the training text.

    Attributes:
        segment: number of the segment, from 1.
        seen: kind of occurrence: a "whole" line, or an "n-gram".
        file: file of the training text.
        line: number of the line in the file, from 1.
    """

    segment: int
    seen: Literal["whole", "n-gram"]
    file: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreWithoutSeen:
    """A system's score by a metric, with and without the segments seen in training.

    Attributes:
        system: name of the system.
        metric: label of the metric.
        score: score on the whole test set.
        without: score on the other segments, or None if all segments were seen.
        difference: second score minus the first, or None if all segments were seen.
    """

    system: str
    metric: str
    score: float
    without: float | None
    difference: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TrainingCheck(Result):
    """Test segments that occur in the training text.

    Attributes:
        ngram: number of consecutive words that count as seen.
        files: files of the training text.
        lines: number of lines in the training text.
        segments: number of segments in the test set.
        seen: segments that occur in the training text, in their order.
        systems: scores with and without these segments, for each metric and system.
        signatures: signatures of the metrics by label.
        digits: number of decimals of scores, by label of the metric.
    """

    REPORT: ClassVar[str] = "truebleu.reports.explain:training_document"

    ngram: int
    files: tuple[str, ...]
    lines: int
    segments: int
    seen: tuple[SeenSegment, ...]
    systems: tuple[ScoreWithoutSeen, ...]
    signatures: Mapping[str, Signature]
    digits: Mapping[str, int]


class _Train(TypedDict):
    train: Annotated[Sequence[str | PathLike[str]], Setting(metavar="FILE", group="Texts")]


class CheckOptions(_Train, total=False):
    """Options of `check`.

    Attributes:
        train: training text of either language, a segment per line; may be compressed, a folder, a
            pattern, or - for standard input. Repeat it for several.
        ngram: a segment counts as seen if N consecutive words of it occur; a shorter one only as a
            whole line.
    """

    ngram: Annotated[int, Setting(minimum=1, maximum=1000, metavar="N", default=13)]


@takes(CheckOptions)
def check(
    systems: SystemsLike | Source,
    references: ReferencesLike | None = None,
    metrics: MetricsLike | None = None,
    *,
    progress: Callable[[int], object] | None = None,
    **options: Unpack[CheckOptions],
) -> TrainingCheck:
    """Which test segments occur in training text, and what are the scores without them?

    A word is a run of letters and digits, ignoring case, so that tokenized training text matches,
    too; in scripts without spaces each letter is a word. References and source are both searched
    for, so that either side of the training text works.

    Args:
        systems: a test set, outputs by name, or counts with their texts.
        references: one text, or one per translator; None with a test set or counts.
        metrics: names or objects; BLEU by default.
        progress: function that is called with the number of lines since the last call.
    """
    train, ngram = options["train"], options["ngram"]
    counts = counts_of(systems, references, metrics)
    test_set = counts.require_texts()
    use_environment()
    files = [os.fspath(path) for path in expand_paths(train)]
    if not files or isinstance(train, str):
        raise SettingError("train", train, "a list of files of training text")
    index, starts = _look_through(test_set, files, ngram, progress)
    seen = tuple(_seen(index, files, starts))
    by_metric = counts.metrics if test_set.systems else ()
    left_out = {segment.segment - 1 for segment in seen}
    unseen = [position for position in range(len(test_set)) if position not in left_out]
    return TrainingCheck(
        ngram=ngram,
        files=tuple(files),
        lines=index.lines,
        segments=len(test_set),
        seen=seen,
        systems=tuple(score for metric in by_metric for score in _scores(metric, counts, unseen)),
        signatures={metric.label: counts.signature(metric) for metric in by_metric},
        digits={metric.label: metric.scorer.digits for metric in by_metric},
    )


def _look_through(
    test_set: TestSet,
    files: Sequence[str],
    ngram: int,
    progress: Callable[[int], object] | None,
) -> tuple[_core.TrainingIndex, list[int]]:
    """Search the training text; return the index of occurrences and each file's first line."""
    texts = [*test_set.references, *([] if test_set.source is None else [test_set.source])]
    native = [t if isinstance(t, _core.Segments) else _core.Segments(t) for t in texts]
    index = _core.TrainingIndex(native, ngram)
    reader, starts = Files(), []
    for path in files:
        starts.append(index.lines)
        with closing(reader.opened(path)) as file:
            while pieces := [piece for _ in range(PIECES) if (piece := file.read())]:
                before = index.lines
                index.add(b"".join(pieces))
                if progress is not None:
                    progress(index.lines - before)
        index.add(b"")
    return index, starts


def _seen(
    index: _core.TrainingIndex, files: Sequence[str], starts: Sequence[int]
) -> Iterator[SeenSegment]:
    """Yield each segment that occurs once, as a whole line if it is one anywhere."""
    occurrences = {segment: (whole, line) for segment, whole, line in index.sightings()}
    for segment, (whole, line) in occurrences.items():
        number = bisect_right(starts, line) - 1
        yield SeenSegment(
            segment=segment + 1,
            seen="whole" if whole else "n-gram",
            file=files[number],
            line=line - starts[number] + 1,
        )


def _scores(
    metric: MetricCounts, counts: Counts, unseen: Sequence[int]
) -> Iterator[ScoreWithoutSeen]:
    """Yield each system's score by a metric, and its score on the segments in `unseen`."""
    scores = metric.scorer.score(metric.rows.sums()).tolist()
    without_seen = [None] * len(scores)
    if unseen:
        without_seen = metric.scorer.score(metric.rows.subset(unseen).sums()).tolist()
    for system, score, without in zip(counts.outline.systems, scores, without_seen, strict=True):
        difference = None if without is None else without - score
        yield ScoreWithoutSeen(
            system=system, metric=metric.label, score=score, without=without, difference=difference
        )
