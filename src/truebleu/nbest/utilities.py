"""Utilities: how good a candidate is, judged by others that are taken for the reference.

A utility is the score of one pair. The expected one is the mean over all pseudo-references, each
with its weight; how it is computed is the method: exact, or one of three approximations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from truebleu import _core
from truebleu._settings import (
    DEFAULT_SEED,
    Streams,
    require_name,
    require_seed,
    require_whole_number,
)
from truebleu.corpus.test_set import TestSet
from truebleu.errors import SettingError
from truebleu.metrics.base import use_environment
from truebleu.metrics.registry import as_metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.corpus.nbest.lists import NBest
    from truebleu.corpus.test_set import TextLike
    from truebleu.metrics.base import Metric

    Values = NDArray[np.float64]

Weights = Literal["uniform", "probability", "counts"]
Method = Literal["exact", "aggregate", "prune", "coarse-to-fine"]

#: Scores of pairs that are counted at once; their rows of counts are in memory together.
BLOCK = 1 << 18
#: Pairs that are handed to the native code at once, so that all threads have work.
BATCH_PAIRS = 1 << 22
#: Pairs of a call that goes elsewhere: well under a second.
TASK_PAIRS = 1 << 16
#: Pruning looks first at so many references, then at twice as many, and so on.
FIRST_REFERENCES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class MBRSettings:
    """How the best candidate is found.

    Attributes:
        weights: how likely a pseudo-reference is: all alike (``uniform``, duplicates add up), by
            the model (``probability``) or as often as it was sampled (``counts``); ``given`` where
            numbers were handed over.
        temperature: with ``probability``, log-probabilities are divided by it.
        include_self: whether a candidate is compared with itself too.
        sentence_level: whether pairs are scored as the metric scores single segments; BLEU with
            effective order, for example.
        method: ``exact``, ``aggregate`` (one comparison with the mean of the references' counts),
            ``prune`` (candidates that bootstrap samples of the references rule out are dropped) or
            ``coarse-to-fine`` (only the best by a cheaper metric are compared).
        best: how many candidates of each segment to return.
        check: whether the exact result is computed too, to see what an approximation misses.
        keep: with ``coarse-to-fine``, how many candidates are kept.
        coarse: with ``coarse-to-fine``, the cheaper metric.
        alpha: with ``prune``, how sure it must be that a candidate is not the best.
        replicates: with ``prune``, how many bootstrap samples of the references.
        seed: with ``prune``, what the samples are drawn with.
    """

    weights: str = "uniform"
    temperature: float = 1.0
    include_self: bool = True
    sentence_level: bool = True
    method: Method = "exact"
    best: int = 1
    check: bool = False
    keep: int = 16
    coarse: str = "chrf"
    alpha: float = 0.99
    replicates: int = 500
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        if self.weights != "given":
            require_name("weights", self.weights, get_args(Weights))
        require_name("method", self.method, get_args(Method))
        if not (isfinite(self.temperature) and self.temperature > 0):
            raise SettingError("temperature", self.temperature, "a number above 0")
        if not 0 < self.alpha < 1:
            raise SettingError("alpha", self.alpha, "a number between 0 and 1")
        for name in ("best", "keep", "replicates"):
            require_whole_number(name, getattr(self, name), 1)
        require_seed(self.seed)
        if self.method == "exact" and self.check:
            raise SettingError("check", True, "an approximate method; exact has nothing to check")
        if not self.include_self and self.method != "exact":
            raise SettingError("include_self", False, "method exact")


def as_utility(metric: str | Metric | Callable[..., Any]) -> Metric:
    """A metric of texts; a function takes an output and the list of its references."""
    if callable(metric):
        from truebleu.metrics.function import FunctionMetric

        name = getattr(metric, "__name__", type(metric).__name__)
        return FunctionMetric(function=metric, name=name)
    (parsed,) = as_metrics([metric])
    if not parsed.reads_texts:
        expected = "a metric of texts; scores of pairs are handed over as utilities"
        raise SettingError("metric", parsed.name, expected)
    if parsed.higher_is_better is None:
        raise SettingError("metric", parsed.name, "one that says what is better")
    return parsed


def utility_matrix(
    metric: str | Metric | Callable[..., Any],
    candidates: Sequence[str],
    references: Sequence[str] | None = None,
    *,
    source: str | None = None,
) -> NDArray[np.float64]:
    """Scores shaped (candidate, reference), each as ``metric.sentence`` gives it.

    >>> utility_matrix("ter", ["a b", "b"]).tolist()
    [[0.0, 100.0], [50.0, 0.0]]

    Args:
        metric: a metric, or a function of an output and the list of its references.
        candidates: the candidates of one segment.
        references: what they are compared with; by default with each other.
        source: what was translated, for metrics that look at it.
    """
    texts = candidates if references is None else references
    for name, strings in (("candidates", candidates), ("references", texts)):
        if not len(strings):
            raise SettingError(name, [], "at least one string")
    utility = as_utility(metric).for_references([texts]).sentence_level()
    return score_pairs(utility, candidates, references, source)


def score_pairs(
    metric: Metric,
    candidates: Sequence[str],
    references: Sequence[str] | None,
    source: str | None,
) -> NDArray[np.float64]:
    """The matrix of a metric as it is."""
    scorer = metric.pair_scorer()
    columns = candidates if references is None else references
    if scorer is not None:
        matrix = scorer.matrix(list(candidates), None if references is None else list(references))
        return matrix.reshape(len(candidates), len(columns))
    return _counted(metric, candidates, columns, source)


def _counted(
    metric: Metric, candidates: Sequence[str], references: Sequence[str], source: str | None
) -> NDArray[np.float64]:
    """Any metric: each reference is a segment, and every candidate a system's output for it."""
    # Where counts depend on all segments of a text, each reference must be a text of its own.
    step = 1 if metric.counts_whole_text else max(1, BLOCK // len(candidates))
    blocks = []
    for start in range(0, len(references), step):
        block = list(references[start : start + step])
        test_set = TestSet(
            systems={str(i): [text] * len(block) for i, text in enumerate(candidates)},
            references=(block,),
            source=None if source is None else [source] * len(block),
        )
        scores: NDArray[np.float64] = metric.score(metric.count(test_set).array())
        blocks.append(scores.T)
    return np.concatenate(blocks, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """One segment: different candidates, what they are compared with, and how that is weighted.

    Attributes:
        number: the segment's number, from 0.
        texts: the candidates as the list has them.
        distinct: the different ones.
        places: for each candidate, which of `distinct` it is.
        references: the different pseudo-references; None if they are the candidates.
        weights: the weight of each different pseudo-reference; they add up to 1.
        own_weights: the weight of each candidate as a pseudo-reference, where it is one.
        source: what was translated, where that is known.
    """

    number: int
    texts: tuple[str, ...]
    distinct: tuple[str, ...]
    places: NDArray[np.int64]
    references: tuple[str, ...] | None
    weights: NDArray[np.float64]
    own_weights: NDArray[np.float64]
    source: str | None

    @property
    def columns(self) -> tuple[str, ...]:
        """The different pseudo-references."""
        return self.distinct if self.references is None else self.references

    @property
    def effective(self) -> float:
        """How many equally likely pseudo-references would be as diverse."""
        return float(1 / np.square(self.weights).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some lists, and what stands beside them.

    Attributes:
        lists: the candidates of each segment.
        others: their pseudo-references; None where these are the candidates.
        weights: of the pseudo-references, where numbers are given.
        utilities: a matrix for each list, where they are given.
    """

    lists: NBest
    others: NBest | None = None
    weights: Sequence[ArrayLike] | None = None
    utilities: Sequence[ArrayLike] | None = None

    @property
    def pseudo_references(self) -> NBest:
        """What candidates are compared with."""
        return self.lists if self.others is None else self.others

    def segments(
        self, settings: MBRSettings, first: int, *, collapse: bool
    ) -> Iterator[Candidates]:
        """The candidates of each segment.

        Args:
            settings: how pseudo-references are weighted.
            first: the first segment's number, from 0.
            collapse: whether equal texts are taken for one.
        """
        self._require_weights(settings)
        lists, others, of = self.lists, self.others, self.pseudo_references
        for segment in range(len(lists)):
            given = None if self.weights is None else self.weights[segment]
            weights = _weights(of, segment, settings, given)
            texts = lists[segment]
            distinct, places = _distinct(texts, collapse=collapse)
            if others is None:
                references, columns, size = None, places, len(distinct)
            else:
                references, columns = _distinct(others[segment], collapse=collapse)
                size = len(references)
            yield Candidates(
                first + segment,
                texts,
                distinct,
                places,
                references,
                np.bincount(columns, weights=weights, minlength=size).astype(np.float64),
                weights,
                None if lists.sources is None else lists.sources[segment],
            )

    def _require_weights(self, settings: MBRSettings) -> None:
        of = self.pseudo_references
        if self.others is not None and not settings.include_self:
            raise SettingError("include_self", False, "candidates that are compared mutually")
        if settings.weights == "probability" and of.log_probabilities is None:
            expected = (
                "log-probabilities that are not normalised by length; say what the scores are "
                "(log_base, length_normalized=False, or the key of a log-probability)"
            )
            raise SettingError("weights", f"probability, of {of.name}", expected)
        if settings.weights == "counts" and of.counts is None:
            raise SettingError("weights", f"counts, of {of.name}", "lists with counts (count_key)")
        if self.weights is not None and len(self.weights) != len(of):
            raise SettingError("weights", f"{len(self.weights)} lists", f"{len(of)}")


def _distinct(
    texts: tuple[str, ...], *, collapse: bool
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    if not collapse:
        return texts, np.arange(len(texts))
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return tuple(numbers), np.array([numbers[text] for text in texts])


def _weights(
    lists: NBest, segment: int, settings: MBRSettings, given: ArrayLike | None
) -> NDArray[np.float64]:
    """The weight of each pseudo-reference of a segment; they add up to 1."""
    span = lists.span(segment)
    size = span.stop - span.start
    if given is not None:
        weights = np.asarray(given, dtype=np.float64)
        ok = weights.shape == (size,) and np.isfinite(weights).all() and (weights >= 0).all()
        if not ok or not weights.sum() > 0:
            expected = f"{size} numbers from 0 up, not all of them 0"
            raise SettingError(f"weights of segment {segment + 1}", given, expected)
    elif settings.weights == "counts" and lists.counts is not None:
        weights = lists.counts[span].astype(np.float64)
    elif settings.weights == "probability" and lists.log_probabilities is not None:
        logs = lists.log_probabilities[span] / settings.temperature
        weights = np.exp(logs - logs.max())
        # The same text with the same probability is the same hypothesis, sampled again.
        pairs = list(zip(lists.texts[span], logs.tolist(), strict=True))
        first = {pair: place for place, pair in reversed(list(enumerate(pairs)))}
        again = [place for place, pair in enumerate(pairs) if first[pair] != place]
        weights[again] = 0.0
    else:
        weights = np.ones(size)
    normalized: NDArray[np.float64] = weights / weights.sum()
    return normalized


class Expected(NamedTuple):
    """The expected utilities of one segment's different candidates.

    Attributes:
        utilities: by the method; NaN for a candidate that it did not look at.
        own: the score of each against itself, where that is known.
        exact: the exact ones, where the method is checked.
    """

    utilities: Values
    own: Values | None = None
    exact: Values | None = None


class ExpectedUtilities:
    """Expected utilities of the candidates of many segments, by one metric and method.

    Args:
        metric: the utility, as it scores pairs.
        settings: the method and what it needs.
        pseudo: pseudo-references, which fix what a coarse metric leaves to them.
    """

    def __init__(self, metric: Metric, settings: MBRSettings, pseudo: Sequence[TextLike]) -> None:
        use_environment()
        self.metric = metric
        self.settings = settings
        self.coarse: Metric | None = None
        if settings.method == "aggregate" and self.scorer is None:
            expected = "exact; aggregation is defined for BLEU and chrF"
            raise SettingError("method", f"aggregate, with {metric.name}", expected)
        if settings.method == "coarse-to-fine":
            self.coarse = as_utility(settings.coarse).for_references(pseudo).sentence_level()

    @cached_property
    def scorer(self) -> _core.PairScorer | None:
        """The native code that scores pairs, where the metric has it."""
        return self.metric.pair_scorer()

    def __getstate__(self) -> dict[str, Any]:
        # Another process makes a scorer of its own.
        return {name: value for name, value in self.__dict__.items() if name != "scorer"}

    def of(self, batch: Sequence[Candidates]) -> list[Expected]:
        """Those of each segment."""
        method = self.settings.method
        if method == "exact":
            return self._exact(batch)
        if method == "aggregate":
            expected = [Expected(utilities) for utilities in self._aggregate(self.scorer, batch)]
        else:
            approximate = self._pruned if method == "prune" else self._kept
            expected = [Expected(approximate(candidates)) for candidates in batch]
        if not self.settings.check:
            return expected
        exact = self._exact(batch)
        return [
            by_method._replace(exact=truth.utilities)
            for by_method, truth in zip(expected, exact, strict=True)
        ]

    def batches(
        self, segments: Iterable[Candidates], *, elsewhere: bool
    ) -> Iterator[list[Candidates]]:
        """Segments in batches that are worth a call, while memory stays bounded.

        Here a batch keeps all threads busy; elsewhere several short ones travel together.
        """
        least, most_pairs = 4 * _core.threads(), BATCH_PAIRS
        if elsewhere:
            # Without native code each pair takes long, and so does a single segment.
            least, most_pairs = 1, 1 if self.scorer is None else TASK_PAIRS
        batch: list[Candidates] = []
        pairs = 0
        for candidates in segments:
            batch.append(candidates)
            pairs += len(candidates.distinct) * len(candidates.columns)
            if pairs >= most_pairs and len(batch) >= least:
                yield batch
                batch, pairs = [], 0
        if batch:
            yield batch

    def _exact(self, batch: Sequence[Candidates]) -> list[Expected]:
        if self.scorer is None:
            return [_from_matrix(self.metric, candidates) for candidates in batch]
        texts, ends, weights, others, other_ends = _side_by_side(batch)
        utilities, own = self.scorer.expected(texts, ends, weights, others, other_ends)
        parts = np.split(utilities, ends[:-1])
        if others is not None:
            return [Expected(part) for part in parts]
        return list(map(Expected, parts, np.split(own, ends[:-1])))

    def _aggregate(
        self, scorer: _core.PairScorer | None, batch: Sequence[Candidates]
    ) -> list[Values]:
        assert scorer is not None  # noqa: S101  # refused when this was made
        texts, ends, weights, others, other_ends = _side_by_side(batch)
        return np.split(scorer.aggregate(texts, ends, weights, others, other_ends), ends[:-1])

    def _kept(self, candidates: Candidates) -> NDArray[np.float64]:
        """Exact utilities of the candidates that are best by the coarse metric, else NaN."""
        assert self.coarse is not None  # noqa: S101  # set when this was made
        scorer, weights = self.coarse.pair_scorer(), candidates.weights
        if scorer is not None:
            (scores,) = self._aggregate(scorer, [candidates])
        else:
            scores = _from_matrix(self.coarse, candidates).utilities
        best_first = np.argsort(-self.coarse.sign * scores, kind="stable")
        kept = np.sort(best_first[: self.settings.keep])
        utilities = np.full(len(scores), np.nan)
        utilities[kept] = self._matrix(candidates, kept, np.arange(len(weights))) @ weights
        return utilities

    def _pruned(self, candidates: Candidates) -> NDArray[np.float64]:
        """Exact utilities of the candidates that samples of the references do not rule out.

        Cheng and Vlachos (2023): of ever more references, bootstrap samples are drawn; a candidate
        that reaches the best one in too few of them is dropped.
        """
        settings, weights = self.settings, candidates.weights
        draw = Streams(settings.seed, "mbr prune").at(candidates.number)
        order = sorted(range(len(weights)), key=lambda _: draw())
        alive = np.arange(len(candidates.distinct))
        scores = np.empty((len(alive), 0))
        seen = 0
        size = FIRST_REFERENCES
        while seen < len(order):
            columns = np.array(order[seen:size])
            seen += len(columns)
            scores = np.hstack([scores, self._matrix(candidates, alive, columns)])
            if len(alive) > 1 and seen < len(order):
                keep = self._can_be_best(scores, weights[order[:seen]], draw)
                alive, scores = alive[keep], scores[keep]
            size *= 2
        utilities = np.full(len(candidates.distinct), np.nan)
        utilities[alive] = scores @ weights[order]
        return utilities

    def _can_be_best(
        self, scores: NDArray[np.float64], weights: NDArray[np.float64], draw: Callable[[], float]
    ) -> NDArray[np.bool_]:
        count = scores.shape[1]
        draws = np.array([draw() for _ in range(self.settings.replicates * count)])
        shares = np.cumsum(weights) / weights.sum()
        drawn = np.minimum(np.searchsorted(shares, draws, side="right"), count - 1)
        samples = drawn.reshape(self.settings.replicates, count)
        counts = np.stack([np.bincount(sample, minlength=count) for sample in samples])
        means = self.metric.sign * (scores @ counts.T)
        best = int(np.argmax(self.metric.sign * (scores @ weights)))
        reaches = (means >= means[best]).mean(axis=1)
        keep: NDArray[np.bool_] = reaches > 1 - self.settings.alpha
        keep[best] = True
        return keep

    def _matrix(
        self, candidates: Candidates, rows: NDArray[np.int64], columns: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        texts = [candidates.distinct[row] for row in rows]
        others = [candidates.columns[column] for column in columns]
        return score_pairs(self.metric, texts, others, candidates.source)


def _from_matrix(metric: Metric, candidates: Candidates) -> Expected:
    """By the scores of all pairs."""
    matrix = _counted(metric, candidates.distinct, candidates.columns, candidates.source)
    own = np.diag(matrix).copy() if candidates.references is None else None
    return Expected(matrix @ candidates.weights, own)


def _side_by_side(
    batch: Sequence[Candidates],
) -> tuple[list[str], list[int], NDArray[np.float64], list[str] | None, list[int] | None]:
    """The texts of several segments, one after the other, as the native code takes them."""
    texts = [text for candidates in batch for text in candidates.distinct]
    ends = np.cumsum([len(candidates.distinct) for candidates in batch]).tolist()
    weights = np.concatenate([candidates.weights for candidates in batch])
    if batch[0].references is None:
        return texts, ends, weights, None, None
    others = [text for candidates in batch for text in candidates.columns]
    other_ends = np.cumsum([len(candidates.columns) for candidates in batch]).tolist()
    return texts, ends, weights, others, other_ends
