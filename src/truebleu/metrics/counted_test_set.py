"""Test sets without texts: verbs take them, and reading text is an error.

What was counted or scored elsewhere is known instead: see `statistics_files`, `scored_test_set`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NoReturn

from truebleu._settings import checked
from truebleu.corpus.test_set import TestSet
from truebleu.errors import AbsentTextError

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric


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
