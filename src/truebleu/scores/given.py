"""Scores from elsewhere as a metric, whose score of a text is the mean over its segments.

`GivenScores` need no texts: `textless_test_set` makes a test set of the systems and segments that
they have.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from truebleu._core import Segments
from truebleu.corpus._files import Files, Layout, stem
from truebleu.corpus._reading import read_labels
from truebleu.corpus.tables import Scale
from truebleu.corpus.test_set import TestSet
from truebleu.errors import AbsentSegmentError, MalformedFileError, SettingError, UnknownNameError
from truebleu.metrics.base import MeanMetric, Signature, mean_statistics
from truebleu.schema import Setting, checked_fields
from truebleu.scores.reading import read_segment_scores, scores_in_memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from truebleu._core import Statistics
    from truebleu.metrics.base import Metric
    from truebleu.scores.evaluations import SegmentScores

__all__ = ["GivenScores"]

Missing = Literal["error", "omit", "common"]
#: What several answers of a system to one item are: averaged, runs of the system, pass@K or pass^K.
ANSWERS = ("mean", "runs", "pass@K", "pass^K")


def require_answers(answers: str | None) -> None:
    """Refuse what several answers to one item cannot be."""
    passes = re.fullmatch(r"pass[@^][1-9]\d{0,3}", answers or "")
    if answers not in (None, *ANSWERS[:2]) and passes is None:
        raise UnknownNameError("way with several answers", str(answers), ANSWERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenScores(MeanMetric):
    """Scores from a file or from Python; see docs/reference/metrics/scores.md.

    The file is read when the metric is made, so that what is counted is what the signature says.
    Without one, the scores are those of a `ScoredTestSet`, whose systems are files of scores.

    >>> metric = GivenScores.of({"system": [0.5, None, 1.0]}, name="COMET", missing="omit")
    >>> print(metric.corpus(["a", "b", "c"], ["a", "b", "c"]))
    COMET = 0.7500 (segments = 2)
    """

    reads_texts: ClassVar[bool] = False

    path: str = ""
    name: str = ""
    column: str = ""
    filter: str = ""
    rater: str = ""
    higher_is_better: bool | None = None
    low: float | None = None
    high: float | None = None
    first_segment: Annotated[int, Setting(least=0, most=1)] = 1
    missing: Missing = "error"
    answers: str | None = None
    given: SegmentScores | None = field(default=None, repr=False, metadata={"text": False})
    _scores: SegmentScores | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.path and self.given is not None:
            raise SettingError("path", self.path, "none beside scores in memory")
        checked_fields(self)
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise SettingError("high", self.high, f"a number above low={self.low:g}")
        require_answers(self.answers)
        if self.answers is not None and self.path:
            expected = "a file of scores for each SYSTEM, not one for all"
            raise SettingError("answers", self.answers, expected)
        scores = self.given
        if self.path:
            about = self.column, self.filter, self.rater, self.first_segment
            scores = read_segment_scores(self.path, *about)
        elif scores is None and (self.rater, self.first_segment) != ("", 1):
            setting = "rater" if self.rater else "first_segment"
            expected = "a file of scores, as in scores:path=FILE"
            raise SettingError(setting, getattr(self, setting), expected)
        derived: dict[str, object] = {"_scores": scores}
        if scores is None:
            derived["name"] = self.name or self.column or "scores"
        else:
            derived["name"] = self.name or scores.name or stem(scores.label)
            if self.higher_is_better is None:
                derived["higher_is_better"] = scores.higher_is_better is not False
        # A frozen dataclass can only set its derived fields in this way.
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(
        cls,
        scores: Mapping[str, Iterable[object]],
        *,
        name: str = "scores",
        higher_is_better: bool = True,
        low: float | None = None,
        high: float | None = None,
        missing: Missing = "error",
    ) -> GivenScores:
        """A metric of scores that are in memory: a list or array for each system, by its name.

        A score is a number, or a judgment such as "correct"; None or NaN where it is missing.
        """
        return cls(
            given=scores_in_memory(scores),
            name=name,
            higher_is_better=higher_is_better,
            low=low,
            high=high,
            missing=missing,
        )

    @property
    def has_scores(self) -> bool:
        """Whether it has scores of its own, from a file or from Python."""
        return self._scores is not None

    @property
    def scores(self) -> SegmentScores:
        """The scores themselves, of whatever systems they are."""
        if self._scores is None:
            expected = "a file of scores, as in scores:path=FILE, or systems that are such files"
            raise SettingError("path", self.path, expected)
        return self._scores

    def count(self, test_set: TestSet) -> Statistics:
        """Columns: the score, and 1; both are 0 where a segment does not count."""
        segments, scale = len(test_set), Scale(self.low, self.high)
        scores = {
            name: self.scores.of(name, segments, scale, text)
            for name, text in test_set.systems.items()
        }
        if self.missing == "error":
            for system, column in scores.items():
                self._refuse_missing(system, column)
        elif self.missing == "common":
            rows = list(zip(*scores.values(), strict=True))
            kept = [row if None not in row else (None,) * len(row) for row in rows]
            scores = dict(zip(scores, map(list, zip(*kept, strict=True)), strict=True))
        for system, column in scores.items():
            if all(score is None for score in column):
                shared = " that every other system has too" if self.missing == "common" else ""
                raise SettingError(self._place(system), "no score at all", f"at least one{shared}")
        return mean_statistics(list(scores.values()))

    @property
    def signature(self) -> Signature:
        """Digest of the scores, columns, raters, range, and what is done about missing scores."""
        return Signature.of(
            self.name,
            scores=self.scores.digest,
            column=self.column or "only",
            raters=self.scores.raters,
            range=str(Scale(self.low, self.high)),
            missing=self.missing,
        )

    def _refuse_missing(self, system: str, scores: list[float | None]) -> None:
        if None not in scores:
            return
        others = scores.count(None) - 1
        # What people know the segment by, where it has a name.
        items = getattr(self.scores, "items", None)
        name = "" if items is None else f" of item {items[scores.index(None)][0]}"
        found = f"no score{name}" + (f", nor have {others} other segments" if others else "")
        expected = (
            "one for each segment; missing=omit leaves such segments out of this system's mean, "
            "missing=common out of all systems'"
        )
        raise AbsentSegmentError(self._place(system), scores.index(None) + 1, found, expected)

    def _place(self, system: str) -> str:
        return f"{self.scores.label}: the scores of {system!r}"


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
        (name, *_) = (metric.name for metric in metrics if not isinstance(metric, GivenScores))
        expected = f"SYSTEM... and -r REF, which {name} needs; only scores:path=FILE does without"
        raise SettingError("texts", "none", expected)
    first, *others = scores = [metric.scores for metric in given]
    names = [name for name in first.systems if all(name in other.systems for other in others)]
    if not names:
        expected = "at least two that every file has scores of"
        raise SettingError("systems", f"none in all of {len(scores)} files", expected)
    segments, largest = max((file.segments, file.label) for file in scores)
    if segments > MOST_SEGMENTS:
        found = f"a segment numbered {segments:,}"
        raise MalformedFileError(largest, None, found, f"numbers up to {MOST_SEGMENTS:,}")
    blank = Segments([""] * segments)
    layout = Layout()
    if documents is not None:
        layout = read_labels(Files(), documents, first.label, segments)
    return TestSet(
        systems=dict.fromkeys(names, blank),
        references=(blank,),
        reference_names=("none",),
        documents=layout.documents,
        domains=layout.domains,
        is_examined=True,  # there is no text to look at
    )
