"""Signatures: all that must match before two scores may be compared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

from truebleu import _core
from truebleu._core import VERSION
from truebleu._threads import set_threads_from_environment
from truebleu.corpus import as_test_set
from truebleu.corpus.test_set import as_text
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from truebleu._core import PairScorer, Scorer, Statistics
    from truebleu.corpus import TestSet, TextLike


@dataclass(frozen=True, slots=True)
class Signature:
    """A metric's name and settings: ``BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|…``.

    The keys are those of sacreBLEU, so that a reader of its signatures can read these.
    """

    name: str
    fields: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, name: str, **fields: str | int | bool) -> Signature:
        """A signature of these fields, in this order; a bool becomes yes or no.

        >>> Signature.of("TER", norm=False).fields
        (('norm', 'no'),)
        """
        return cls(name, tuple((key, _text(value)) for key, value in fields.items()))

    def with_references(self, references: int | None) -> Signature:
        """The signature of a score against this many references; None means a varying number."""
        count = "var" if references is None else str(references)
        return replace(self, fields=(("nrefs", count), *self.fields))

    def __str__(self) -> str:
        fields = (*self.fields, ("version", f"truebleu-{VERSION}"))
        return "|".join((self.name, *(f"{key}:{value}" for key, value in fields)))


def _text(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


# What every metric owes: counts of segments, and a score for any sum of them.


# Nothing counts before this module is imported, so this is the moment to read the environment.
set_threads_from_environment()


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The score of one text, with what it is made of in the subclasses."""

    score: float
    signature: Signature

    @property
    def name(self) -> str:
        """The metric's name, such as BLEU or chrF2."""
        return self.signature.name

    def __float__(self) -> float:
        return self.score

    def __str__(self) -> str:
        return f"{self.name} = {self.score:.2f}"

    def to_dict(self) -> dict[str, Any]:
        """The score and its parts as plain values."""
        parts = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in parts
            if name != "signature"
        }


class Metric(ABC):
    """A metric: settings in, counts out, and a score for every row of sums.

    Counts are float64, so that one kernel adds up the counts of every metric. Whole numbers below
    2**53 are exact in it: their sums do not depend on the order of adding.
    """

    __slots__ = ()

    # Whether the statistics are (sum, count) and the score is their ratio: the mean over segments.
    is_mean: ClassVar[bool] = False
    # Whether the counts of a segment depend on the other segments of the text.
    counts_whole_text: ClassVar[bool] = False

    @property
    def higher_is_better(self) -> bool | None:
        """Whether more is better; a class attribute or a setting may say otherwise.

        None where neither more nor less is better, as of a length.
        """
        return True

    @property
    def digits(self) -> int:
        """Decimals of a score that people should see; a class attribute may say otherwise."""
        return 2

    @property
    @abstractmethod
    def name(self) -> str:
        """The name that results are listed under."""

    @property
    @abstractmethod
    def signature(self) -> Signature:
        """All settings that a score depends on; `with_references` adds what only the texts tell."""

    @abstractmethod
    def count(self, test_set: TestSet) -> Statistics:
        """The statistics of all systems in one pass, in their order."""

    @abstractmethod
    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """The scores of summed rows, over any leading axes."""

    def scorer(self) -> Scorer | None:
        """The score for native kernels, which need it by the million; None where there is none."""
        return None

    def pair_scorer(self) -> PairScorer | None:
        """What scores all pairs of a list of candidates at once; None where only `count` can."""
        return None

    @abstractmethod
    def describe(self, sums: Sequence[float], references: int | None) -> Score:
        """The score of one row of sums against this many references, with its parts."""

    def sentence_level(self) -> Metric:
        """The metric as it should score single segments; itself unless it needs other settings."""
        return self

    def segment_scores(self, rows: NDArray[np.float64]) -> list[tuple[float | None, ...]]:
        """Each system's scores of single segments, of rows shaped (segment, system, column).

        None where a segment cannot have a score.
        """
        scores = self.sentence_level().score(rows)
        return [tuple(column.tolist()) for column in scores.T]

    def statistics(
        self, outputs: TextLike, references: Sequence[TextLike] | TextLike
    ) -> NDArray[np.float64]:
        """One row of counts per segment, shaped (segment, column)."""
        return self.count(as_test_set(outputs, references)).array()[:, 0]

    def corpus(self, outputs: TextLike, references: Sequence[TextLike] | TextLike) -> Score:
        """The score of a whole text.

        Args:
            outputs: one str per segment.
            references: one list of segments per translator (a single translator's list will do),
                each as long as the outputs; None where a translator skipped a segment.
        """
        test_set = as_test_set(outputs, references)
        (sums,) = self.count(test_set).sums()
        return self.describe(sums, test_set.references_per_segment)

    def sentence(self, output: str, references: Sequence[str] | str) -> Score:
        """The score of one segment against one or more references for it."""
        given = [references] if isinstance(references, str) else references
        texts = [[reference] for reference in as_text("references", given)]
        return self.sentence_level().corpus([output], texts)


def rows_of(sums: ArrayLike, width: int) -> tuple[NDArray[np.float64], tuple[int, ...]]:
    """Sums as a matrix of rows for the native code, with the shape that the scores should have."""
    import numpy as np

    array = np.asarray(sums, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] != width:
        raise SettingError("sums", array.shape, f"an array whose last axis is {width} long")
    return array.reshape(-1, width), array.shape[:-1]


def require_whole_number(setting: str, value: object, least: int, most: int) -> None:
    """Raise SettingError unless the value is a whole number between these, both included."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SettingError(setting, value, f"a whole number from {least} to {most}")


# Metrics whose score is the mean of a score per segment: the statistics are (sum, count).


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanScore(Score):
    """The mean over so many segments."""

    segments: int

    def __str__(self) -> str:
        return f"{self.name} = {self.score:.4f} (segments = {self.segments})"


class MeanMetric(Metric):
    """A metric that scores each segment, however it likes, and a text by the mean of them."""

    __slots__ = ()

    is_mean: ClassVar[bool] = True
    # Such scores are often between 0 and 1.
    digits: ClassVar[int] = 4

    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """The means of summed rows, over any leading axes; a sum of no scores is refused."""
        rows, shape = rows_of(sums, 2)
        if not (rows[:, 1] > 0).all():
            self._refuse_no_scores()
        return (rows[:, 0] / rows[:, 1]).reshape(shape)

    def segment_scores(self, rows: NDArray[np.float64]) -> list[tuple[float | None, ...]]:
        """Each system's scores of single segments; None where a segment has none."""
        return [
            tuple(total / count if count else None for total, count in system.tolist())
            for system in rows.swapaxes(0, 1)
        ]

    def describe(self, sums: Sequence[float], references: int | None) -> MeanScore:
        """The mean of one row of sums, and over how many segments it is."""
        total, count = sums
        if not count > 0:
            self._refuse_no_scores()
        return MeanScore(
            score=total / count,
            signature=self.signature.with_references(references),
            segments=int(count),
        )

    def _refuse_no_scores(self) -> None:
        expected = (
            "at least one score in every sum; there are too few scores to resample if a resampled "
            "test set can have none"
        )
        raise SettingError(f"{self.name}: sums", "a count of 0", expected)


def mean_statistics(scores: Sequence[Sequence[float | None]]) -> Statistics:
    """Statistics of systems' segment scores; a missing one is a row of zeros, count included."""
    import numpy as np

    columns = np.array([[np.nan if s is None else s for s in system] for system in scores])
    present = ~np.isnan(columns)
    rows = np.stack([np.where(present, columns, 0.0), present], axis=-1)
    return _core.Statistics(np.ascontiguousarray(rows.transpose(1, 0, 2), dtype=np.float64))
