"""What is in n-best lists, and what about them should be known before they are used."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from truebleu._results import Result
from truebleu._settings import checked
from truebleu.errors import UnpairedSegmentsError
from truebleu.nbest.statistics import as_nbest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from truebleu.corpus.nbest.lists import NBest

RESULT_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureSummary:
    """A feature that all candidates have.

    Attributes:
        name: its name.
        low: its smallest value.
        mean: its mean.
        high: its largest value.
        within: the standard deviation within lists: what it can tell candidates apart by.
        constant_lists: in how many lists it is the same for all candidates.
    """

    name: str
    low: float
    mean: float
    high: float
    within: float
    constant_lists: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListsReport(Result):
    """What is in n-best lists.

    Attributes:
        name: where they are from.
        format: the format of the file.
        segments: how many lists there are.
        candidates: how many candidates in all.
        shortest: the fewest candidates of a segment.
        longest: the most.
        distinct: how many different texts, counted in each list.
        empty: how many candidates are empty.
        single_lists: how many lists have only one candidate.
        equal_lists: how many lists of several candidates have only one text.
        line_breaks: how many candidates contain a line break.
        has_scores: whether the model's scores are known.
        has_log_probabilities: whether log-probabilities are known.
        has_counts: whether it is known how often candidates were sampled.
        unordered_lists: how many lists are not in the order of the model's scores.
        sparse_features: how many features only some candidates have.
        features: the features that all candidates have.
    """

    name: str
    format: str
    segments: int
    candidates: int
    shortest: int
    longest: int
    distinct: int
    empty: int
    single_lists: int
    equal_lists: int
    line_breaks: int
    has_scores: bool
    has_log_probabilities: bool
    has_counts: bool
    unordered_lists: int
    sparse_features: int
    features: tuple[FeatureSummary, ...]

    REPORT: ClassVar[str] = "truebleu.reports.nbest:lists_document"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--format json`` prints them."""
        values = asdict(self)
        return {"version": RESULT_VERSION, **values, "features": list(values["features"])}


@checked
def describe_lists(
    lists: NBest | Iterable[Iterable[str]], *, references: int | None = None
) -> ListsReport:
    """Count what is in lists.

    >>> describe_lists([["a", "a", "b"], ["c"]]).distinct
    3

    Args:
        lists: the candidates of each segment.
        references: how many segments the references have; another number of lists is refused.
    """
    nbest = as_nbest(lists)
    if references is not None and references != len(nbest):
        raise UnpairedSegmentsError(nbest.name, len(nbest), "reference", references)
    sizes = nbest.sizes
    distinct = np.array([len(set(list_)) for list_ in nbest])
    return ListsReport(
        name=nbest.name,
        format=nbest.format,
        segments=len(nbest),
        candidates=nbest.candidates,
        shortest=int(sizes.min()),
        longest=int(sizes.max()),
        distinct=int(distinct.sum()),
        empty=sum(not text.strip() for text in nbest.texts),
        single_lists=int((sizes == 1).sum()),
        equal_lists=int(((sizes > 1) & (distinct == 1)).sum()),
        line_breaks=sum("\n" in text for text in nbest.texts),
        has_scores=nbest.scores is not None,
        has_log_probabilities=nbest.log_probabilities is not None,
        has_counts=nbest.counts is not None,
        unordered_lists=_unordered(nbest),
        sparse_features=0 if nbest.sparse is None else nbest.sparse.size,
        features=tuple(
            _summary(name, column, nbest)
            for name, column in zip(nbest.feature_names, nbest.features.T, strict=True)
        ),
    )


def _unordered(nbest: NBest) -> int:
    if nbest.scores is None:
        return 0
    steps = [np.diff(nbest.scores[span]) for span in nbest.spans()]
    # Scores may be costs: then the best has the lowest.
    return sum(bool((step > 0).any() and (step < 0).any()) for step in steps)


def _summary(name: str, column: NDArray[np.float64], nbest: NBest) -> FeatureSummary:
    starts = nbest.offsets[:-1]
    low, high = np.minimum.reduceat(column, starts), np.maximum.reduceat(column, starts)
    means = np.add.reduceat(column, starts) / nbest.sizes
    deviations = column - np.repeat(means, nbest.sizes)
    return FeatureSummary(
        name=name,
        low=float(column.min()),
        mean=float(column.mean()),
        high=float(column.max()),
        within=float(np.sqrt(np.square(deviations).mean())),
        constant_lists=int((low == high).sum()),
    )
