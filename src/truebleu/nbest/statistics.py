"""The statistics of all candidates: one row each, counted against the segment's references."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from truebleu._results import ComparedByValue
from truebleu.corpus.nbest.lists import NBest, SparseFeatures, as_indices
from truebleu.corpus.nbest.reading import NBEST_FORMATS, read_nbest
from truebleu.corpus.test_set import TestSet, as_test_set
from truebleu.errors import SettingError, TransposedReferencesError, UnpairedSegmentsError
from truebleu.metrics.base import MeanMetric, Signature
from truebleu.metrics.registry import as_metrics

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    from truebleu._core import Statistics
    from truebleu.corpus.test_set import ReferencesLike
    from truebleu.metrics.base import Metric

__all__ = [
    "NBEST_FORMATS",
    "CandidateStatistics",
    "FeatureMean",
    "NBest",
    "SparseFeatures",
    "as_nbest",
    "count_candidates",
    "read_nbest",
]

#: What a metric is called that is the mean of a feature of the lists: ``feature:comet``.
FEATURE = "feature:"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureMean(MeanMetric):
    """The mean of a feature of the lists, such as scores that another metric gave.

    Attributes:
        name: the feature.
        higher_is_better: whether more is better.
    """

    # A field, or the property of the base class would be its default.
    name: str = field()
    higher_is_better: bool = True

    def count(self, test_set: TestSet) -> Statistics:  # noqa: ARG002
        """Refuses: only lists have features."""
        raise SettingError(f"metric {FEATURE}{self.name}", "texts", "n-best lists with features")

    @property
    def signature(self) -> Signature:
        """The feature."""
        return Signature.of(self.name, feature=self.name)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidateStatistics(ComparedByValue):
    """What a metric counted in every candidate.

    Attributes:
        metric: the metric.
        rows: its counts, shaped (candidate, column).
        offsets: where each segment's candidates start, and where the last one's end.
    """

    metric: Metric
    rows: NDArray[np.float64]
    offsets: NDArray[np.int64]

    @property
    def sign(self) -> int:
        """1 where higher is better, -1 where lower is."""
        return self.metric.sign

    def sentence_scores(self) -> NDArray[np.float64]:
        """The score of each candidate by itself, as the metric scores single segments."""
        scores: NDArray[np.float64] = self.metric.sentence_level().score(self.rows)
        return scores

    def sums(self, indices: ArrayLike) -> NDArray[np.float64]:
        """The counts of the text that takes the candidate with this index from each list."""
        chosen = as_indices(indices, np.diff(self.offsets))
        sums: NDArray[np.float64] = self.rows[self.offsets[:-1] + chosen].sum(axis=0)
        return sums

    def score(self, indices: ArrayLike) -> float:
        """The score of that text."""
        return float(self.metric.score(self.sums(indices)))


def plus_one_bleu(counted: CandidateStatistics) -> NDArray[np.float64]:
    """BLEU in [0, 100] of each candidate with one more match and n-gram of every order."""
    rows = counted.rows
    orders = (rows.shape[1] - 2) // 2
    if counted.metric.name != "BLEU":
        raise SettingError("sentence", "plus-one", f"metric, with {counted.metric.name}")
    precisions = (rows[:, 2 : 2 + orders] + 1) / (rows[:, 2 + orders :] + 1)
    lengths, references = rows[:, 0], rows[:, 1]
    with np.errstate(divide="ignore"):
        penalty = np.where(
            lengths > 0, np.exp(np.minimum(0.0, 1 - references / np.maximum(lengths, 1))), 0.0
        )
    scores: NDArray[np.float64] = 100 * penalty * np.exp(np.log(precisions).mean(axis=1))
    return scores


def as_nbest(lists: NBest | Iterable[Iterable[str]]) -> NBest:
    """N-best lists as they are, or of lists of texts."""
    return lists if isinstance(lists, NBest) else NBest.of(lists)


def as_list_metric(metric: str | Metric) -> Metric:
    """A metric as an object or as text, where ``feature:NAME`` is the mean of a feature.

    ``feature:-NAME`` is a feature where lower is better.
    """
    if isinstance(metric, str) and metric.startswith(FEATURE):
        name = metric.removeprefix(FEATURE)
        return FeatureMean(name=name.removeprefix("-"), higher_is_better=not name.startswith("-"))
    (parsed,) = as_metrics([metric])
    return parsed


def count_candidates(
    lists: NBest | Iterable[Iterable[str]],
    references: ReferencesLike | None = None,
    metric: str | Metric = "bleu",
) -> CandidateStatistics:
    """Count all candidates in one pass: a segment's references are looked at once.

    >>> counted = count_candidates([["a b", "b a", "c"]], ["a b"], "ter")
    >>> counted.sentence_scores().tolist()
    [0.0, 50.0, 100.0]

    Args:
        lists: the candidates of each segment.
        references: as for `truebleu.score`; not needed for ``feature:NAME``.
        metric: any metric whose statistics add up, or ``feature:NAME`` for the mean of a feature.
    """
    nbest = as_nbest(lists)
    metric = as_list_metric(metric)
    if isinstance(metric, FeatureMean):
        values = nbest.feature(metric.name)
        means = np.stack([values, np.ones(len(values))], axis=1)
        return CandidateStatistics(metric=metric, rows=means, offsets=nbest.offsets)
    if references is None:
        raise SettingError(
            "references", None, f"the texts that {metric.name} compares candidates with"
        )
    try:
        test_set = as_test_set(nbest.choose(np.zeros(len(nbest), dtype=np.int64)), references)
    except UnpairedSegmentsError as error:
        left, n_left, right, n_right = error.args
        text, length = (left, n_left) if n_left != len(nbest) else (right, n_right)
        raise UnpairedSegmentsError(nbest.name, len(nbest), text, length) from None
    except TransposedReferencesError as error:
        # One list, and one text of many lines: that is what it looks like.
        outputs, groups, size = error.args
        if groups > 1:
            raise
        raise UnpairedSegmentsError(nbest.name, outputs, "references", size) from None
    metric = metric.for_references(test_set.references)
    # Equal candidates of a segment are counted once.
    distinct = [tuple(dict.fromkeys(list_)) for list_ in nbest]
    rows: NDArray[np.float64] | None = None
    for segments in _groups(distinct, whole_text=metric.counts_whole_text):
        counted = _count(metric, [distinct[segment] for segment in segments], test_set, segments)
        if rows is None:
            rows = np.empty((nbest.candidates, counted.shape[-1]))
        for number, segment in enumerate(segments):
            rank = {text: place for place, text in enumerate(distinct[segment])}
            rows[nbest.span(segment)] = counted[number, [rank[text] for text in nbest[segment]]]
    assert rows is not None  # noqa: S101  # there is a list at least
    return CandidateStatistics(metric=metric, rows=rows, offsets=nbest.offsets)


def _groups(lists: list[tuple[str, ...]], *, whole_text: bool) -> list[list[int]]:
    """Segments whose lists are of about the same length, so that little is counted for nothing."""
    if whole_text:
        return [list(range(len(lists)))]
    groups: dict[int, list[int]] = {}
    for segment, list_ in enumerate(lists):
        groups.setdefault(len(list_).bit_length(), []).append(segment)
    return list(groups.values())


def _count(
    metric: Metric, lists: list[tuple[str, ...]], test_set: TestSet, segments: list[int]
) -> NDArray[np.float64]:
    """The rows of lists, shaped (segment, candidate, column); short lists are filled up."""
    columns = zip_longest(*lists, fillvalue="")
    part = TestSet(
        # Candidate k of each list is "system" k: all of them are counted in one pass.
        systems={str(rank): list(column) for rank, column in enumerate(columns)},
        references=tuple([text[segment] for segment in segments] for text in test_set.references),
    )
    return metric.count(part).array()
