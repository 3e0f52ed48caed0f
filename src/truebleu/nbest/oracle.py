"""Descriptions of n-best lists, and oracle scores: of the best and worst choices from them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypedDict

import numpy as np

from truebleu._results import Result
from truebleu.corpus.nbest_files import as_nbest
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

    from typing_extensions import Unpack

    from truebleu.corpus.nbest import NBest
    from truebleu.corpus.test_set import ReferencesLike
    from truebleu.metrics.base import Metric
    from truebleu.nbest.problem import CandidateCounts
    from truebleu.resampling import Indices, Values

__all__ = ["ListsReport", "OracleResult", "describe_lists", "oracle_scores"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureSummary:
    """A summary of a feature that all candidates have.

    Attributes:
        name: name of the feature.
        low: smallest value.
        mean: mean value.
        high: largest value.
        within: standard deviation within lists.
        constant_lists: number of lists in which all candidates have equal values.
    """

    name: Annotated[str, Column(heading="Feature")]
    low: Annotated[float, Column(heading="Lowest", digits=4)]
    mean: Annotated[float, Column(heading="Mean", digits=4)]
    high: Annotated[float, Column(heading="Highest", digits=4)]
    within: Annotated[float, Column(heading="Deviation within lists", digits=4)]
    constant_lists: Annotated[int, Column(heading="Lists where constant")]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ListsReport(Result):
    """A description of n-best lists.

    Attributes:
        name: source of the lists.
        format: format of the file.
        segments: number of lists.
        candidates: number of candidates of all lists.
        shortest: smallest number of candidates of a segment.
        longest: largest number of candidates of a segment.
        distinct: number of different texts, counted in each list.
        empty: number of empty candidates.
        single_lists: number of lists with only one candidate.
        equal_lists: number of lists of several candidates with only one text.
        line_breaks: number of candidates with a line break.
        has_scores: True if the model's scores are known.
        has_log_probabilities: True if log-probabilities are known.
        has_counts: True if the number of samples of each candidate is known.
        unordered_lists: number of lists that are not in the order of the model's scores.
        sparse_features: number of features that only some candidates have.
        features: features that all candidates have.
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
    """Describe n-best lists: their sizes, texts and features.

    >>> describe_lists([["a", "a", "b"], ["c"]]).distinct
    3

    Args:
        lists: the candidates of each segment.
        references: number of segments of the references; raises UnpairedSegmentsError if the number
            of lists differs.
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
    # Scores may be costs, with the lowest for the best candidate.
    return sum(bool((step > 0).any() and (step < 0).any()) for step in steps)


def _summary(name: str, column: Values, nbest: NBest) -> FeatureSummary:
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


#: Score of a single candidate: the metric's score of a segment, or BLEU with one more match and one
#: more n-gram of every order, as in Moses' sentence-bleu-nbest.
SentenceScore = Literal["metric", "plus-one"]
#: Limit on the passes of hill climbing over the segments.
MOST_PASSES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricOracle:
    """Corpus scores by one metric of several choices from the lists.

    Attributes:
        metric: name of the metric.
        signature: signature of the metric.
        higher_is_better: direction of the metric.
        first: score of the first candidates.
        mean: score of average counts: of a random choice.
        best: score of each segment's best candidate by sentence score.
        worst: score of each segment's worst candidate by sentence score.
        best_of_text: score after hill climbing from `best`, which replaces one candidate at a time
            by the candidate that improves the corpus score most; the best possible score is at
            least as good.
        worst_of_text: score after hill climbing downwards from `worst`; the worst possible score is
            at least as bad.
        best_indices: index, from 0, of each segment's best candidate.
        worst_indices: index, from 0, of each segment's worst candidate.
        best_of_text_indices: index, from 0, of each segment's candidate of `best_of_text`.
        worst_of_text_indices: index, from 0, of each segment's candidate of `worst_of_text`.
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
    """How good are the best and worst choices from the lists, given the references?

    >>> result = oracle_scores([["a dog", "the cat"], ["yes", "no"]], ["the cat", "no"],
    ...                        metrics=["chrf"])
    >>> result.metrics[0].best, result.metrics[0].best_indices
    (100.0, (1, 1))

    Args:
        lists: the candidates of each segment.
        references: references as for `truebleu.score`.
        metrics: any metrics whose counts add up, or ``feature:NAME``.
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
        raise SettingError("metric", metric.name, "a metric with a direction")
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


def _hill_climb(counted: CandidateCounts, start: Indices, sign: int) -> Indices:
    """Improve the corpus score by hill climbing, one candidate at a time.

    If `sign` is -1 instead of 1, worsen it.
    """
    rows, offsets, metric = counted.rows, counted.offsets, counted.metric
    chosen: Indices = start.copy()
    sums = counted.sums(chosen)
    for _ in range(MOST_PASSES):
        improved = False
        for segment, (begin, end) in enumerate(pairwise(offsets.tolist())):
            if end - begin == 1:
                continue
            others = sums - rows[begin + chosen[segment]]
            scores = sign * metric.sign * metric.score(others + rows[begin:end])
            best = int(np.argmax(scores))
            # Ignore rounding errors, or the climb could go in circles.
            if scores[best] > scores[chosen[segment]] + 1e-12 * abs(scores[best]):
                chosen[segment] = best
                sums = others + rows[begin + best]
                improved = True
        if not improved:
            break
    return chosen
