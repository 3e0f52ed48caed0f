"""What is in n-best lists, and how good and how bad the choices from them can be: their oracles."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypedDict

import numpy as np

from truebleu._results import Result
from truebleu.corpus.nbest import as_nbest
from truebleu.errors import SettingError, UnpairedSegmentsError
from truebleu.nbest.problem import (
    count_candidates,
    first_argmax,
    list_metrics,
    plus_one_bleu,
    within_list_sd,
)
from truebleu.schema import Column, Setting, takes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from truebleu.corpus.nbest import NBest
    from truebleu.corpus.test_set import ReferencesLike
    from truebleu.metrics.base import Metric
    from truebleu.nbest.problem import CandidateCounts

__all__ = ["ListsReport", "OracleResult", "describe_lists", "oracle_scores"]


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

    name: Annotated[str, Column(heading="Feature")]
    low: Annotated[float, Column(heading="Lowest", digits=4)]
    mean: Annotated[float, Column(heading="Mean", digits=4)]
    high: Annotated[float, Column(heading="Highest", digits=4)]
    within: Annotated[float, Column(heading="Deviation within lists", digits=4)]
    constant_lists: Annotated[int, Column(heading="Lists where constant")]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
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
    return FeatureSummary(
        name=name,
        low=float(column.min()),
        mean=float(column.mean()),
        high=float(column.max()),
        within=float(within_list_sd(column[:, None], nbest.offsets)[0]),
        constant_lists=int((low == high).sum()),
    )


# Oracles.


#: How a candidate is scored by itself: as the metric scores segments, or by BLEU with one more
#: match and one more n-gram of every order, as Moses' sentence-bleu-nbest does.
SentenceScore = Literal["metric", "plus-one"]
#: Hill climbing ends after so many passes over the segments, improvement or not.
MOST_PASSES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricOracle:
    """The scores of the whole text by one metric, for several ways to choose.

    Attributes:
        metric: the metric's name.
        signature: its settings.
        higher_is_better: its direction.
        first: the score of the first candidates.
        mean: the score of average counts: what choosing at random gives.
        best: the score of the candidates that are best by themselves.
        worst: the score of those that are worst by themselves.
        best_of_text: the score after hill climbing from the best: one candidate at a time is
            exchanged for the one that improves the score of the whole text most. The best score
            that any choice has is no worse.
        worst_of_text: the same downwards from the worst: the worst score of any choice is no
            better.
        best_indices: the index, from 0, of the best candidate of each segment.
        worst_indices: that of the worst.
        best_of_text_indices: that of the best for the text.
        worst_of_text_indices: that of the worst for the text.
    """

    metric: Annotated[str, Column(heading="Metric")]
    signature: str
    higher_is_better: bool
    first: Annotated[float, Column(heading="First", digits=2)]
    mean: Annotated[float, Column(heading="At random", digits=2)]
    best: Annotated[float, Column(heading="Best", digits=2)]
    worst: Annotated[float, Column(heading="Worst", digits=2)]
    best_of_text: Annotated[float, Column(heading="Best for the text", digits=2)]
    worst_of_text: Annotated[float, Column(heading="Worst for the text", digits=2)]
    best_indices: tuple[int, ...]
    worst_indices: tuple[int, ...]
    best_of_text_indices: tuple[int, ...]
    worst_of_text_indices: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OracleResult(Result):
    """Oracle scores of n-best lists by one or more metrics."""

    name: str
    segments: int
    candidates: int
    sentence: SentenceScore
    metrics: tuple[MetricOracle, ...]

    REPORT: ClassVar[str] = "truebleu.reports.nbest:oracle_document"


class OracleOptions(TypedDict, total=False):
    """Options of `oracle_scores`.

    Attributes:
        sentence: score of a single candidate: "metric" for the metric's score of a segment, or, for
            BLEU, "plus-one", which adds 1 to matches and totals of every order.
    """

    sentence: Annotated[SentenceScore, Setting(rare=True, default="metric")]


@takes(OracleOptions)
def oracle_scores(
    lists: NBest | Iterable[Iterable[str]],
    references: ReferencesLike | None = None,
    metrics: str | Sequence[str | Metric] = ("bleu",),
    **options: Unpack[OracleOptions],
) -> OracleResult:
    """How well the lists could be chosen from, if the references were known.

    >>> result = oracle_scores([["a dog", "the cat"], ["yes", "no"]], ["the cat", "no"],
    ...                        metrics=["chrf"])
    >>> result.metrics[0].best, result.metrics[0].best_indices
    (100.0, (1, 1))

    Args:
        lists: the candidates of each segment.
        references: as for `truebleu.score`.
        metrics: any metrics whose statistics add up, or ``feature:NAME``.
    """
    nbest, sentence = as_nbest(lists), options["sentence"]
    return OracleResult(
        name=nbest.name,
        segments=len(nbest),
        candidates=nbest.candidates,
        sentence=sentence,
        metrics=tuple(
            _oracle(count_candidates(nbest, references, metric), sentence)
            for metric in list_metrics(metrics)
        ),
    )


def _oracle(counted: CandidateCounts, sentence: SentenceScore) -> MetricOracle:
    metric = counted.metric
    if metric.higher_is_better is None:
        raise SettingError("metric", metric.name, "one that says what is better")
    if sentence == "plus-one":
        scores = plus_one_bleu(counted)
    else:
        scores = metric.sign * counted.sentence_scores()
    best, worst = (first_argmax(sign * scores, counted.offsets) for sign in (1, -1))
    landmarks = counted.landmarks()
    highest, lowest = _hill_climb(counted, best, 1), _hill_climb(counted, worst, -1)
    return MetricOracle(
        metric=metric.name,
        signature=str(metric.signature),
        higher_is_better=metric.higher_is_better,
        first=landmarks.first,
        mean=landmarks.by_chance,
        best=counted.score(best),
        worst=counted.score(worst),
        best_of_text=counted.score(highest),
        worst_of_text=counted.score(lowest),
        best_indices=tuple(best.tolist()),
        worst_indices=tuple(worst.tolist()),
        best_of_text_indices=tuple(highest.tolist()),
        worst_of_text_indices=tuple(lowest.tolist()),
    )


def _hill_climb(counted: CandidateCounts, start: NDArray[np.int64], way: int) -> NDArray[np.int64]:
    """Exchange one candidate after the other for the one that is best for the whole text.

    For the worst one where `way` is -1 and not 1.
    """
    rows, offsets, metric = counted.rows, counted.offsets, counted.metric
    chosen: NDArray[np.int64] = start.copy()
    sums = counted.sums(chosen)
    for _ in range(MOST_PASSES):
        improved = False
        for segment, (begin, end) in enumerate(pairwise(offsets.tolist())):
            if end - begin == 1:
                continue
            others = sums - rows[begin + chosen[segment]]
            scores = way * metric.sign * metric.score(others + rows[begin:end])
            best = int(np.argmax(scores))
            # By more than what rounding may do, or the climb could go in circles.
            if scores[best] > scores[chosen[segment]] + 1e-12 * abs(scores[best]):
                chosen[segment] = best
                sums = others + rows[begin + best]
                improved = True
        if not improved:
            break
    return chosen
