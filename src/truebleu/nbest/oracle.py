"""Oracles: how good and how bad the best and worst choices from n-best lists are."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from truebleu._results import Result
from truebleu._settings import checked
from truebleu.errors import SettingError, UnknownNameError
from truebleu.nbest.statistics import as_nbest, count_candidates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.nbest.lists import NBest
    from truebleu.corpus.test_set import ReferencesLike
    from truebleu.metrics.base import Metric
    from truebleu.nbest.statistics import CandidateStatistics

RESULT_VERSION = 1
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

    metric: str
    signature: str
    higher_is_better: bool
    first: float
    mean: float
    best: float
    worst: float
    best_of_text: float
    worst_of_text: float
    best_indices: tuple[int, ...]
    worst_indices: tuple[int, ...]
    best_of_text_indices: tuple[int, ...]
    worst_of_text_indices: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleResult(Result):
    """Oracle scores of n-best lists by one or more metrics."""

    name: str
    segments: int
    candidates: int
    sentence: SentenceScore
    metrics: tuple[MetricOracle, ...]

    REPORT: ClassVar[str] = "truebleu.reports.nbest:oracle_document"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--format json`` prints them."""
        values = asdict(self)
        for metric in values["metrics"]:
            for key in [key for key in metric if key.endswith("_indices")]:
                metric[key] = list(metric[key])
        values["metrics"] = list(values["metrics"])
        return {"version": RESULT_VERSION, **values}


@checked
def oracle_scores(
    lists: NBest | Iterable[Iterable[str]],
    references: ReferencesLike | None = None,
    *,
    metrics: Sequence[str | Metric] = ("bleu",),
    sentence: SentenceScore = "metric",
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
        sentence: how candidates are scored by themselves.
    """
    nbest = as_nbest(lists)
    if sentence not in get_args(SentenceScore):
        raise UnknownNameError("sentence score", sentence, get_args(SentenceScore))
    if isinstance(metrics, str) or not metrics:
        raise SettingError("metrics", metrics, "a list, such as ['bleu']")
    return OracleResult(
        name=nbest.name,
        segments=len(nbest),
        candidates=nbest.candidates,
        sentence=sentence,
        metrics=tuple(
            _oracle(count_candidates(nbest, references, metric), sentence) for metric in metrics
        ),
    )


def _oracle(counted: CandidateStatistics, sentence: SentenceScore) -> MetricOracle:
    metric = counted.metric
    if metric.higher_is_better is None:
        raise SettingError("metric", metric.name, "one that says what is better")
    if sentence == "plus-one":
        scores = plus_one_bleu(counted)
    else:
        scores = counted.sign * counted.sentence_scores()
    best = _extreme(scores, counted.offsets)
    worst = _extreme(-scores, counted.offsets)
    highest, lowest = _climb(counted, best, 1), _climb(counted, worst, -1)
    sizes = np.diff(counted.offsets)
    # Each list's mean row: what one expects of a candidate drawn at random.
    means = np.add.reduceat(counted.rows, counted.offsets[:-1], axis=0) / sizes[:, None]
    return MetricOracle(
        metric=metric.name,
        signature=str(metric.signature),
        higher_is_better=metric.higher_is_better,
        first=counted.score(np.zeros(len(sizes), dtype=np.int64)),
        mean=float(metric.score(means.sum(axis=0))),
        best=counted.score(best),
        worst=counted.score(worst),
        best_of_text=counted.score(highest),
        worst_of_text=counted.score(lowest),
        best_indices=tuple(best.tolist()),
        worst_indices=tuple(worst.tolist()),
        best_of_text_indices=tuple(highest.tolist()),
        worst_of_text_indices=tuple(lowest.tolist()),
    )


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


def _extreme(scores: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first of the best of each list."""
    spans = pairwise(offsets.tolist())
    return np.array([int(np.argmax(scores[start:end])) for start, end in spans], dtype=np.int64)


def _climb(counted: CandidateStatistics, start: NDArray[np.int64], way: int) -> NDArray[np.int64]:
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
            scores = way * counted.sign * metric.score(others + rows[begin:end])
            best = int(np.argmax(scores))
            # By more than what rounding may do, or the climb could go in circles.
            if scores[best] > scores[chosen[segment]] + 1e-12 * abs(scores[best]):
                chosen[segment] = best
                sums = others + rows[begin + best]
                improved = True
        if not improved:
            break
    return chosen
