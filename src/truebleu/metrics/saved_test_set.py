"""Test sets without texts: verbs take them, and reading text is an error.

What was counted or scored elsewhere is known instead, here the statistics of statistics files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from truebleu._settings import checked
from truebleu.corpus.test_set import TestSet
from truebleu.errors import AbsentTextError, DuplicateSystemError, EmptyTextError
from truebleu.metrics.base import CountedMetric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu._core import Statistics
    from truebleu.metrics.base import Metric
    from truebleu.metrics.statistics_files import SavedStatistics

__all__ = ["CountedTestSet", "SavedTestSet"]


class AbsentText(Sequence[str]):
    """A text that is known by its length alone; whoever reads it learns that it is not there."""

    def __init__(self, label: str, length: int) -> None:
        self._label = label
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AbsentText):
            return NotImplemented
        return (self._label, self._length) == (other._label, other._length)

    def __hash__(self) -> int:
        return hash((self._label, self._length))

    def _refuse(self, *_: object) -> NoReturn:
        raise AbsentTextError(self._label)

    __getitem__ = __iter__ = __contains__ = __reversed__ = _refuse


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedTestSet(TestSet):
    """A test set without texts, which says what metrics count in it.

    Attributes:
        counted_references: how many each segment was counted with; None where that varies.
    """

    is_counted: ClassVar[bool] = True

    counted_references: int | None = 0

    def __post_init__(self) -> None:
        """Nothing to check: what it is made of was checked when it was read."""

    def examined(self) -> TestSet:
        """This test set: there is nothing to look at."""
        return self

    @property
    def references_per_segment(self) -> int | None:
        """As the signatures of the metrics say it."""
        return self.counted_references

    @checked
    def part(self, segments: Sequence[int]) -> TestSet:
        """Some of its segments, for metrics that have counted them already."""

        def of(labels: tuple[str, ...] | None) -> tuple[str, ...] | None:
            return None if labels is None else tuple(labels[place] for place in segments)

        text = AbsentText("a part of the test set", len(segments))
        return CountedTestSet(
            systems=dict.fromkeys(self.systems, text),
            references=(text,) * len(self.references),
            reference_names=self.reference_names,
            documents=of(self.documents),
            domains=of(self.domains),
            is_examined=True,
            counted_references=self.references_per_segment,
        )

    @checked
    def metrics(self, metrics: Sequence[Metric]) -> list[Metric]:
        """The metrics with what is known instead of texts; here, what they counted already."""
        return list(metrics)


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedTestSet(CountedTestSet):
    """A test set without texts; `saved` has the statistics of each system by its name."""

    saved: tuple[SavedStatistics, ...] = ()

    @classmethod
    @checked
    def of(cls, saved: Sequence[SavedStatistics]) -> SavedTestSet:
        """The systems of one or more statistics files, for `compare`, `plan`, `panel`, ….

        All must have been counted against the same references; documents and domains are those of
        the first that has them.

        >>> from truebleu.metrics import SavedStatistics
        >>> from truebleu.corpus import as_test_set
        >>> texts = as_test_set({"a": ["A cat sat."], "b": ["The cat sat."]}, ["The cat sat."])
        >>> list(SavedTestSet.of(SavedStatistics.of_systems(texts, ["chrf"])).systems)
        ['a', 'b']
        """
        if not saved:
            raise EmptyTextError("statistics")
        first = saved[0]
        names = [statistics.system for statistics in saved]
        for place, statistics in enumerate(saved):
            if statistics.system in names[:place]:
                raise DuplicateSystemError(statistics.system)
            statistics.require_same_as(first)
        text = AbsentText(first.label, first.segments)
        return cls(
            systems={one.system: AbsentText(one.label, one.segments) for one in saved},
            references=(text,) * first.references,
            reference_names=tuple(f"reference {i}" for i in range(1, first.references + 1)),
            documents=next((one.documents for one in saved if one.documents is not None), None),
            domains=next((one.domains for one in saved if one.domains is not None), None),
            is_examined=True,
            saved=tuple(saved),
        )

    @property
    def references_per_segment(self) -> int | None:
        """As the signatures of the metrics say it."""
        return self.saved[0].references_per_segment

    @property
    def reference_lengths(self) -> tuple[int, ...]:
        """Characters of the first reference that each segment has."""
        return self.saved[0].lengths

    @property
    def fingerprint(self) -> str:
        """Of the references that the statistics were counted against."""
        return self.saved[0].fingerprint

    @checked
    def metrics(self, metrics: Sequence[Metric]) -> list[Metric]:
        """The metrics with the counts that were saved; others are refused."""
        by_name = {statistics.system: statistics for statistics in self.saved}
        return [SavedMetric(self.saved[0].fixed(metric), by_name) for metric in metrics]


class SavedMetric(CountedMetric):
    """A metric whose counts were saved, of whichever systems a test set has."""

    def __init__(self, metric: Metric, saved: dict[str, SavedStatistics]) -> None:
        self._saved = saved
        super().__init__(metric, _stacked(metric, list(saved.values())))

    def count(self, test_set: TestSet) -> Statistics:
        """What was saved of its systems."""
        return _stacked(self.metric, [self._saved[name] for name in test_set.systems])

    def sentence_level(self) -> Metric:
        """That of the metric."""
        return self.metric.sentence_level()

    def segment_scores(self, rows: NDArray[Any]) -> list[tuple[float | None, ...]]:
        """As the metric does."""
        return self.metric.segment_scores(rows)

    def column_parts(self, width: int) -> tuple[str, ...]:
        """As the metric says."""
        return self.metric.column_parts(width)


def _stacked(metric: Metric, saved: Sequence[SavedStatistics]) -> Statistics:
    import numpy as np

    from truebleu._core import Statistics

    return Statistics(np.stack([statistics.by(metric) for statistics in saved], axis=1))
