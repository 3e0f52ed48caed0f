"""N-best lists as a problem for tuners: the counts and features of all candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from truebleu.corpus.nbest import NBest, SparseFeatures, as_indices
from truebleu.corpus.nbest_files import as_nbest
from truebleu.corpus.test_set import TestSet, as_test_set
from truebleu.counts.rows import ArrayRows, Rows
from truebleu.errors import (
    SettingError,
    TransposedReferencesError,
    UnknownNameError,
    UnpairedSegmentsError,
)
from truebleu.metrics.base import MeanMetric, Signature
from truebleu.metrics.bleu import BLEU
from truebleu.metrics.registry import as_metrics
from truebleu.schema import ComparedByValue, check_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu._core import Statistics
    from truebleu.corpus.test_set import ReferencesLike
    from truebleu.metrics.base import Metric
    from truebleu.resampling import Indices, Values

    Objective = Callable[[Values], tuple[float, Values]]

__all__ = ["CandidateCounts", "FeatureMean", "count_candidates"]

#: Prefix of a metric that is the mean of a feature of the lists: ``feature:comet``.
FEATURE = "feature:"
#: Largest score on a scale from 0 to 1; a metric with a larger score has points of 100.
LARGEST_SHARE = 1.5
#: Tolerance for equal utilities, which are 1 if perfect.
TIED = 1e-12
#: Limit on weights: larger ones times features of 1e100, squared, would overflow a float64.
LARGEST_WEIGHT = 1e50
#: Limit on the features of a dense matrix.
MOST_DENSE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureMean(MeanMetric):
    """The mean of a feature of the lists, such as the scores of another metric.

    Attributes:
        name: name of the feature.
        higher_is_better: False if lower values are better.
    """

    # `field()`, or the property of the base class would become the default.
    name: str = field()
    higher_is_better: bool = True

    def count(self, test_set: TestSet) -> Statistics:  # noqa: ARG002
        """Raise SettingError, because texts have no features."""
        raise SettingError(f"metric {FEATURE}{self.name}", "texts", "n-best lists with features")

    @property
    def signature(self) -> Signature:
        """The signature, with the name of the feature."""
        return Signature.of(self.name, feature=self.name)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidateCounts(ComparedByValue):
    """Counts of every candidate of n-best lists by one metric.

    Attributes:
        metric: the metric.
        rows: counts shaped (candidate, column).
        offsets: index of each list's first candidate, and the number of candidates.
    """

    metric: Metric
    rows: Values
    offsets: Indices

    def sentence_scores(self) -> Values:
        """Score each candidate by the metric at sentence level."""
        return np.asarray(self.metric.sentence_level().score(self.rows))

    def sums(self, indices: ArrayLike) -> Values:
        """Return the summed counts of the candidates with these indices in their lists."""
        return np.asarray(self._choose(indices).sum(axis=0))

    def chosen(self, choices: Mapping[str, ArrayLike]) -> Rows:
        """Return the counts of choices as systems, without counting texts again.

        Args:
            choices: index in its list of each segment's candidate, by name of the choice.
        """
        return Rows.of(ArrayRows(np.stack([*map(self._choose, choices.values())], axis=1)))

    def _choose(self, indices: ArrayLike) -> Values:
        rows = self.offsets[:-1] + as_indices(indices, np.diff(self.offsets))
        return np.asarray(self.rows[rows])

    def score(self, indices: ArrayLike) -> float:
        """Compute the corpus score of the candidates with these indices in their lists."""
        return float(self.metric.score(self.sums(indices)))

    def landmarks(self) -> Landmarks:
        """Score the first, random and oracle choices."""
        utilities = self.metric.sign * self.sentence_scores()
        return Landmarks.of(self.rows, self.offsets, utilities, self.metric.score)


class Landmarks(NamedTuple):
    """Scores to compare any choice from lists with.

    Attributes:
        first: score of the first candidates.
        by_chance: score of average counts: of a random candidate of each list.
        oracle: score of each list's best candidate by sentence score, about the maximum of any
            choice.
    """

    first: float
    by_chance: float
    oracle: float

    @classmethod
    def of(
        cls, rows: Values, offsets: Indices, utilities: Values, score: Callable[[Values], ArrayLike]
    ) -> Landmarks:
        """Score summed `rows` of the first and oracle candidates, and of the means of each list."""
        starts, sizes = offsets[:-1], np.diff(offsets)
        means = np.add.reduceat(rows, starts, axis=0) / sizes[:, None]
        chosen = (rows[starts], means, rows[starts + first_argmax(utilities, offsets)])
        return cls(*(float(np.asarray(score(part.sum(axis=0)))) for part in chosen))


def plus_one_bleu(counted: CandidateCounts) -> Values:
    """Compute BLEU in [0, 100] of each candidate, with one more match and n-gram of every order."""
    rows = counted.rows
    orders = (rows.shape[1] - 2) // 2
    if counted.metric.name != "BLEU":
        raise SettingError("sentence", "plus-one", f"'metric' with {counted.metric.name}")
    precisions = (rows[:, 2 : 2 + orders] + 1) / (rows[:, 2 + orders :] + 1)
    lengths, references = rows[:, 0], rows[:, 1]
    with np.errstate(divide="ignore"):
        penalty = np.where(
            lengths > 0, np.exp(np.minimum(0.0, 1 - references / np.maximum(lengths, 1))), 0.0
        )
    return np.asarray(100 * penalty * np.exp(np.log(precisions).mean(axis=1)))


def list_metrics(metrics: str | Sequence[str | Metric]) -> list[Metric]:
    """Parse metrics; ``feature:NAME`` is the mean of a feature. Objects stay unchanged.

    ``feature:-NAME`` is a feature where lower is better.
    """
    parsed: list[Metric] = []
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        metrics = [metrics]
    for metric in metrics:
        if isinstance(metric, str) and metric.startswith(FEATURE):
            name = metric.removeprefix(FEATURE)
            better = not name.startswith("-")
            parsed.append(FeatureMean(name=name.removeprefix("-"), higher_is_better=better))
        else:
            parsed += as_metrics([metric])
    if not parsed:
        raise SettingError("metrics", metrics, "at least one metric, such as 'bleu'")
    return parsed


def count_candidates(
    lists: NBest | Iterable[Iterable[str]],
    references: ReferencesLike | None = None,
    metric: str | Metric = "bleu",
) -> CandidateCounts:
    """Count all candidates by a metric, in one pass over the references.

    >>> counted = count_candidates([["a b", "b a", "c"]], ["a b"], "ter")
    >>> counted.sentence_scores().tolist()
    [0.0, 50.0, 100.0]

    Args:
        lists: the candidates of each segment.
        references: references as for `truebleu.score`; None for ``feature:NAME``.
        metric: any metric whose counts add up, or ``feature:NAME`` for the mean of a feature.
    """
    nbest = as_nbest(lists)
    (metric,) = list_metrics([metric])
    if isinstance(metric, FeatureMean):
        values = nbest.feature(metric.name)
        means = np.stack([values, np.ones(len(values))], axis=1)
        return CandidateCounts(metric=metric, rows=means, offsets=nbest.offsets)
    if references is None:
        raise SettingError(
            "references", None, f"texts for {metric.name} to compare candidates with (-r FILE)"
        )
    try:
        test_set = as_test_set({nbest.name: nbest.first()}, references)
    except TransposedReferencesError as error:
        # One list looks like one output, and a text of several lines like several references.
        outputs, groups, size = error.args
        if groups > 1:
            raise
        raise UnpairedSegmentsError(nbest.name, outputs, "references", size) from None
    metric = metric.for_references(test_set.references)
    # Equal candidates of a segment are counted once.
    distinct = [tuple(dict.fromkeys(list_)) for list_ in nbest]
    rows: Values | None = None
    for segments in _similar(distinct, whole_text=metric.counts_whole_text):
        counted = _count(metric, [distinct[segment] for segment in segments], test_set, segments)
        if rows is None:
            rows = np.empty((nbest.candidates, counted.shape[-1]))
        for number, segment in enumerate(segments):
            rank = {text: index for index, text in enumerate(distinct[segment])}
            rows[nbest.span(segment)] = counted[number, [rank[text] for text in nbest[segment]]]
    assert rows is not None  # noqa: S101  # there is at least one list
    return CandidateCounts(metric=metric, rows=rows, offsets=nbest.offsets)


def _similar(lists: list[tuple[str, ...]], *, whole_text: bool) -> list[list[int]]:
    """Group segments with lists of similar length, so that `_count` fills up few candidates."""
    if whole_text:
        return [list(range(len(lists)))]
    groups: dict[int, list[int]] = {}
    for segment, list_ in enumerate(lists):
        groups.setdefault(len(list_).bit_length(), []).append(segment)
    return list(groups.values())


def _count(
    metric: Metric, lists: list[tuple[str, ...]], test_set: TestSet, segments: list[int]
) -> Values:
    """Count lists, shaped (segment, candidate, column); short lists get empty candidates."""
    columns = zip_longest(*lists, fillvalue="")
    part = TestSet(
        # Candidate k of each list is "system" k: all of them are counted in one pass.
        systems={str(rank): list(column) for rank, column in enumerate(columns)},
        references=tuple([text[segment] for segment in segments] for text in test_set.references),
    )
    return metric.count(part).array()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """Lists of candidates with features, and the objective of choices from them.

    Weights are weights of the scaled features in `matrix`: `raw` and `scaled` convert them from and
    to weights of the original features.

    Attributes:
        names: names of the features.
        matrix: values of the features divided by `scales`, shaped (candidate, feature): an array,
            or a sparse array of SciPy.
        scales: divisor of each feature.
        useless: mask of the features that are constant within every list, so that no weight
            changes a choice.
        offsets: index of each list's first candidate, and the number of candidates.
        counted: counts by each metric of the objective.
        lengths: mean length of each segment's references.
    """

    names: tuple[str, ...]
    matrix: Any
    scales: Values
    useless: NDArray[np.bool_]
    offsets: Indices
    counted: tuple[CandidateCounts, ...]
    lengths: Values

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.offsets) - 1

    @property
    def is_sparse(self) -> bool:
        """True if the matrix is sparse."""
        return not isinstance(self.matrix, np.ndarray)

    @property
    def rows(self) -> Values:
        """Counts by all metrics, with their columns concatenated."""
        if len(self.counted) == 1:
            return self.counted[0].rows
        return np.concatenate([counted.rows for counted in self.counted], axis=1)

    @property
    def unit(self) -> float:
        """The perfect score: 100 points, or 1 if no score is above 1.5."""
        largest = max(
            np.abs(counted.sentence_scores()).max(initial=0.0) for counted in self.counted
        )
        return 100.0 if largest > LARGEST_SHARE else 1.0

    def objective(self, sums: ArrayLike) -> Values:
        """Average the metrics' scores of summed rows; lower-is-better metrics are negated."""
        values = np.asarray(sums, dtype=np.float64)
        start, total = 0, np.zeros(values.shape[:-1])
        for counted in self.counted:
            end = start + counted.rows.shape[1]
            part = np.ascontiguousarray(values[..., start:end])
            total += counted.metric.sign * counted.metric.score(part)
            start = end
        return np.asarray(total / len(self.counted))

    def scorer(self, unit: float = 1.0) -> Any:
        """Return the objective divided by `unit` for the core: native metrics, or a function."""
        factor = 1.0 / (unit * len(self.counted))
        metrics = [
            (counted.metric.native(), counted.metric.sign * factor) for counted in self.counted
        ]
        if all(native is not None for native, _ in metrics):
            return metrics
        return lambda sums: self.objective(sums) / unit

    def utilities(self) -> Values:
        """Score each candidate by the objective at sentence level; 1 is perfect."""
        scores = [counted.metric.sign * counted.sentence_scores() for counted in self.counted]
        return np.asarray(np.mean(scores, axis=0) / self.unit)

    def model_scores(self, weights: ArrayLike) -> Values:
        """Compute the model's score of each candidate."""
        return np.asarray(self.matrix @ np.asarray(weights, dtype=np.float64))

    def choices(self, weights: ArrayLike) -> Indices:
        """Return the index in each list of the first candidate with the highest model score."""
        return first_argmax(self.model_scores(weights), self.offsets)

    def value(self, weights: ArrayLike) -> float:
        """Compute the objective of the candidates that the weights choose."""
        chosen = self.offsets[:-1] + self.choices(weights)
        return float(self.objective(self.rows[chosen].sum(axis=0)))

    def landmarks(self) -> Landmarks:
        """Score the first, random and oracle choices."""
        return Landmarks.of(self.rows, self.offsets, self.utilities(), self.objective)

    def take(self, segments: ArrayLike) -> Problem:
        """Return the problem restricted to `segments`."""
        chosen = np.asarray(segments, dtype=np.int64)
        spans = [np.arange(self.offsets[s], self.offsets[s + 1]) for s in chosen]
        sizes = [len(span) for span in spans]
        return replace(self.keep(np.concatenate(spans), sizes), lengths=self.lengths[chosen])

    def keep(self, candidates: Indices, sizes: ArrayLike) -> Problem:
        """Return the problem restricted to `candidates`, in lists of these sizes."""
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        counted = (replace(c, rows=c.rows[candidates], offsets=offsets) for c in self.counted)
        matrix = self.matrix[candidates]
        return replace(self, matrix=matrix, offsets=offsets, counted=tuple(counted))

    def without_ties(self) -> tuple[Problem, Indices]:
        """Drop all but the first of each list's best candidates; return its index in each list."""
        utilities, sizes = self.utilities(), np.diff(self.offsets)
        best = np.maximum.reduceat(utilities, self.offsets[:-1])
        mask = utilities < np.repeat(best - TIED, sizes)
        gold = self.offsets[:-1] + first_argmax(np.where(mask, 0.0, 1.0), self.offsets)
        mask[gold] = True
        # Number of remaining candidates before each candidate.
        before = np.concatenate([[0], np.cumsum(mask)])
        problem = self.keep(np.flatnonzero(mask), np.diff(before[self.offsets]))
        return problem, np.asarray(before[gold] - before[self.offsets[:-1]], dtype=np.int64)

    def scaled(self, weights: ArrayLike) -> Values:
        """Convert weights of the original features to weights of `matrix`."""
        return np.asarray(np.asarray(weights, dtype=np.float64) * self.scales)

    def raw(self, weights: ArrayLike) -> Values:
        """Convert weights of `matrix` to weights of the original features."""
        return np.asarray(np.asarray(weights, dtype=np.float64) / self.scales)

    def by_name(self, weights: Mapping[str, float], setting: str) -> Values:
        """Convert weights by name to an array, 0 if not given; `setting` is for messages."""
        values = np.zeros(len(self.names))
        indices = {name: index for index, name in enumerate(self.names)}
        for name, weight in weights.items():
            if name not in indices:
                raise UnknownNameError(f"feature in {setting}", name, self.names[:20])
            require_weight(name, weight)
            values[indices[name]] = weight
        return values


def require_weight(name: str, weight: float) -> None:
    """Raise SettingError for NaN, and for a weight so large that its products may overflow."""
    if not abs(weight) <= LARGEST_WEIGHT:
        expected = f"a number from -{LARGEST_WEIGHT:g} to {LARGEST_WEIGHT:g}"
        raise SettingError(f"weight of {name}", weight, expected)


def first_argmax(scores: Values, offsets: Indices) -> Indices:
    """Return the index in each list of its first maximum."""
    starts = offsets[:-1]
    best = np.maximum.reduceat(scores, starts)
    indices = np.where(
        scores == np.repeat(best, np.diff(offsets)), np.arange(len(scores)), len(scores)
    )
    return np.asarray(np.minimum.reduceat(indices, starts) - starts, dtype=np.int64)


def make_problem(
    lists: NBest | Iterable[Iterable[str]],
    references: ReferencesLike | None,
    metrics: str | Sequence[str | Metric],
    *,
    scale: bool = True,
) -> Problem:
    """Make the problem of a tuner: counts and scaled features of all candidates.

    Args:
        lists: the candidates of each segment, with features.
        references: references as for `truebleu.score`; None if all metrics are ``feature:NAME``.
        metrics: metrics whose mean is the objective.
        scale: True to divide the features that all candidates have by their standard deviation
            within lists. Sparse features are never scaled: rare ones would be enormous.
    """
    nbest = as_nbest(lists)
    counted = tuple(count_candidates(nbest, references, metric) for metric in list_metrics(metrics))
    for statistics in counted:
        if statistics.metric.higher_is_better is None:
            raise SettingError("metric", statistics.metric.name, "a metric with a direction")
    names, matrix = feature_matrix(nbest, counted)
    if not names:
        raise SettingError(f"{nbest.name}: features", "none", "features to weight")
    sizes = abs(matrix).max(axis=0)
    if not isinstance(matrix, np.ndarray):
        sizes = sizes.toarray().ravel()
    deviations = within_list_sd(matrix, nbest.offsets)
    # Ignore the deviation that rounding gives to a constant.
    useless = deviations <= 1e-12 * sizes
    dense = np.isin(names, nbest.feature_names)
    scales = np.where(dense & ~useless & scale, deviations, 1.0)
    if isinstance(matrix, np.ndarray):
        matrix = matrix / scales
    else:
        matrix = matrix.copy()
        matrix.data = matrix.data / scales[matrix.indices]
    return Problem(
        names=names,
        matrix=matrix,
        scales=scales,
        useless=useless,
        offsets=nbest.offsets,
        counted=counted,
        lengths=reference_lengths(nbest, references, counted[0].metric),
    )


def feature_matrix(
    nbest: NBest, counted: Sequence[CandidateCounts] = ()
) -> tuple[tuple[str, ...], Any]:
    """Return the names and values of all features, as a sparse array if there are many.

    A feature whose mean is an objective is left out: it would be its own best predictor.
    """
    goals = {c.metric.name for c in counted if isinstance(c.metric, FeatureMean)}
    columns = [index for index, name in enumerate(nbest.feature_names) if name not in goals]
    names = [nbest.feature_names[index] for index in columns]
    dense = np.ascontiguousarray(nbest.features[:, columns])
    if nbest.sparse is None or not nbest.sparse.size:
        return tuple(names), dense
    sparse = nbest.sparse.matrix()
    columns = [index for index, name in enumerate(nbest.sparse.names) if name not in goals]
    names += [nbest.sparse.names[index] for index in columns]
    if len(columns) < nbest.sparse.size:
        sparse = sparse[:, columns]
    if len(set(names)) < len(names):
        both = sorted(set(nbest.feature_names) & set(nbest.sparse.names))
        raise SettingError(f"{nbest.name}: features", both[0], "a different name of each feature")
    from scipy.sparse import csr_array, hstack

    if len(names) <= MOST_DENSE and dense.shape[0] * len(names) <= 10**7:
        return tuple(names), np.hstack([dense, sparse.toarray()])
    return tuple(names), csr_array(hstack([csr_array(dense), sparse], format="csr"))


def within_list_sd(matrix: Any, offsets: Indices) -> Values:
    """Compute the standard deviation of every feature within lists, pooled over all lists."""
    starts, sizes = offsets[:-1], np.diff(offsets)
    if isinstance(matrix, np.ndarray):
        means = np.add.reduceat(matrix, starts, axis=0) / sizes[:, None]
        deviations = matrix - np.repeat(means, sizes, axis=0)
        return np.asarray(np.sqrt(np.square(deviations).mean(axis=0)))
    from scipy.sparse import csr_array

    count = int(offsets[-1])
    adder = csr_array((np.ones(count), np.arange(count), offsets), shape=(len(offsets) - 1, count))
    sums = adder @ matrix
    sums.data **= 2
    between = sums.T @ (1.0 / sizes)
    squares = np.asarray(matrix.power(2).sum(axis=0)).ravel()
    return np.asarray(np.sqrt(np.maximum(squares - between, 0.0) / matrix.shape[0]))


def reference_lengths(nbest: NBest, references: ReferencesLike | None, metric: Metric) -> Values:
    """Average the number of tokens of each segment's references; 1 without references."""
    if references is None:
        return np.ones(len(nbest))
    tokenize = getattr(metric, "tokenize", None)
    bleu = BLEU(
        tokenize=tokenize if isinstance(tokenize, str) else "13a", reference_length="average"
    )
    firsts = [[text] for text in nbest.first()]
    return np.maximum(count_candidates(firsts, references, bleu).rows[:, 1], 1.0)


# Duplicates, which are common in samples of language models and in rounds of a decoder.


def drop_duplicates(nbest: NBest) -> NBest:
    """Drop candidates with the text and features of an earlier one in their list.

    >>> drop_duplicates(NBest.of([["a", "b", "a"]]))[0]
    ('a', 'b')
    """
    rows: list[int] = []
    sizes = []
    for span in nbest.spans():
        first: dict[Any, int] = {}
        for row in range(span.start, span.stop):
            first.setdefault(_candidate_key(nbest, row), row)
        rows += first.values()
        sizes.append(len(first))
    return with_candidates(nbest, np.array(rows), np.concatenate([[0], np.cumsum(sizes)]))


def _candidate_key(nbest: NBest, candidate: int) -> tuple[str | bytes, ...]:
    """Return the text and the bytes of the features of a candidate."""
    dense = (nbest.texts[candidate], nbest.features[candidate].tobytes())
    if nbest.sparse is None:
        return dense
    span = slice(*nbest.sparse.indptr[candidate : candidate + 2])
    return *dense, nbest.sparse.indices[span].tobytes(), nbest.sparse.values[span].tobytes()


def with_candidates(nbest: NBest, rows: Indices, offsets: Indices) -> NBest:
    """Return lists of the candidates at `rows`, in this order."""
    numbers: dict[str, Any] = {
        name: None if getattr(nbest, name) is None else getattr(nbest, name)[rows]
        for name in ("scores", "log_probabilities", "counts")
    }
    return replace(
        nbest,
        texts=tuple(nbest.texts[row] for row in rows),
        offsets=offsets,
        features=nbest.features[rows],
        sparse=None
        if nbest.sparse is None
        else _as_features(nbest.sparse.names, nbest.sparse.matrix()[rows]),
        **numbers,
    )


def merge_lists(old: NBest, new: NBest) -> tuple[NBest, int]:
    """Merge two sets of lists without duplicates; return them and the number of new candidates.

    Each list has the candidates of `old` first.

    >>> old, new = NBest.of([["a", "b"]]), NBest.of([["b", "c"]])
    >>> merged, count = merge_lists(old, new)
    >>> merged[0], count
    (('a', 'b', 'c'), 1)
    """
    if len(old) != len(new):
        raise SettingError(new.name, f"{len(new)} lists", f"{len(old)}, as before")
    if set(old.feature_names) != set(new.feature_names):
        unlike = sorted(set(old.feature_names) ^ set(new.feature_names))
        raise SettingError(f"{new.name}: features", unlike[0], "the same features as before")
    columns = [new.feature_names.index(name) for name in old.feature_names]
    joined = NBest(
        texts=old.texts + new.texts,
        offsets=np.concatenate([old.offsets, old.candidates + new.offsets[1:]]),
        feature_names=old.feature_names,
        features=np.concatenate([old.features, new.features[:, columns]]),
        sparse=_stacked(old, new),
        name="merged lists",
        format=old.format,
    )
    segments = [np.repeat(np.arange(len(lists)), lists.sizes) for lists in (old, new)]
    rows = np.argsort(np.concatenate(segments), kind="stable")
    merged = drop_duplicates(with_candidates(joined, rows, old.offsets + new.offsets))
    before = drop_duplicates(old).candidates
    return replace(merged, sources=old.sources), merged.candidates - before


def _stacked(old: NBest, new: NBest) -> SparseFeatures | None:
    """Concatenate the sparse features of `old` and `new`, candidate by candidate."""
    if old.sparse is None and new.sparse is None:
        return None
    first, second = (n.sparse or SparseFeatures.of([{}] * n.candidates) for n in (old, new))
    columns = {name: index for index, name in enumerate(dict.fromkeys(first.names + second.names))}
    second_columns = np.array([columns[name] for name in second.names], dtype=np.int64)
    from scipy.sparse import csr_array

    values = np.concatenate([first.values, second.values])
    indices = np.concatenate([first.indices, second_columns[second.indices]])
    starts = np.concatenate([first.indptr, first.indptr[-1] + second.indptr[1:]])
    shape = (len(starts) - 1, len(columns))
    return _as_features(tuple(columns), csr_array((values, indices, starts), shape=shape))


def _as_features(names: tuple[str, ...], matrix: Any) -> SparseFeatures:
    matrix.sort_indices()
    return SparseFeatures(
        names=names, indptr=matrix.indptr, indices=matrix.indices, values=matrix.data
    )


# N-grams of candidates as features (Riezler & Maxwell, 2005, rerank by phrases of two and three
# words and the system's scores).


NGRAM = "ngram:"


def with_ngrams(
    nbest: NBest, *, orders: int, min_segments: int = 2, only: Collection[str] | None = None
) -> NBest:
    """Add counts of each candidate's n-grams to the lists, as sparse features.

    >>> from truebleu.corpus.nbest import NBest
    >>> with_ngrams(NBest.of([["a b", "b"]]), orders=2, min_segments=1).sparse.names
    ('ngram:a', 'ngram:b', 'ngram:a b')

    Args:
        nbest: the lists.
        orders: longest n-grams, in words.
        min_segments: smallest number of segments whose lists have the n-gram.
        only: names of the n-grams to count; `min_segments` is ignored then.
    """
    if not orders:
        return nbest
    if only is None:
        lists = ({name for text in list_ for name in _ngrams(text, orders)} for list_ in nbest)
        segments = Counter(name for names in lists for name in names)
        only = [name for name, count in segments.items() if count >= min_segments]
    names = set(only)
    features = SparseFeatures.of(
        Counter(name for name in _ngrams(text, orders) if name in names) for text in nbest.texts
    )
    return replace(nbest, sparse=_side_by_side(nbest.sparse, features))


def _ngrams(text: str, orders: int) -> list[str]:
    words = text.split()
    return [
        NGRAM + " ".join(words[start : start + order])
        for order in range(1, orders + 1)
        for start in range(len(words) - order + 1)
    ]


def _side_by_side(first: SparseFeatures | None, second: SparseFeatures) -> SparseFeatures:
    if first is None:
        return second
    from scipy.sparse import csr_array, hstack

    matrix = csr_array(hstack([first.matrix(), second.matrix()], format="csr"))
    return _as_features(first.names + second.names, matrix)


# Shared parts of tuners: the start of a search, reproducible random numbers, and a minimiser.


class Tuner:
    """An algorithm that finds the weights of a problem; its fields are its settings."""

    __slots__ = ()

    #: Name for `tune`.
    name: str
    #: Description in words.
    title: ClassVar[str]
    #: True if another seed may give other weights.
    is_random: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def steps(self) -> int:
        """Number of times that a search reports progress."""
        return 0

    def weights(self, problem: Problem, search: Search) -> Values:
        """Find the best weights of the problem's features."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """The start and the bounds of a tuner's search.

    Attributes:
        start: weights to start from.
        lower: lowest weights.
        upper: highest weights.
        seed: seed of the random parts.
        progress: callback, called with the number of steps finished since the last call, or None.
    """

    start: Values
    lower: Values
    upper: Values
    seed: int = 0
    progress: Callable[[int], None] | None = None

    @classmethod
    def of(
        cls,
        start: ArrayLike,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        *,
        seed: int = 0,
    ) -> Search:
        """Make a search from any weights, by default without bounds."""
        first = np.array(start, dtype=np.float64)
        low, high = (
            np.full(len(first), end) if bound is None else np.asarray(bound, dtype=np.float64)
            for bound, end in ((lower, -np.inf), (upper, np.inf))
        )
        return cls(first, low, high, seed)

    def step(self) -> None:
        """Report a finished step."""
        if self.progress is not None:
            self.progress(1)


def uniforms(count: int, seed: int, purpose: str, *index: int) -> Values:
    """Draw numbers in [0, 1) that depend on seed, purpose and index alone.

    >>> bool((uniforms(3, 1, "example", 0) == uniforms(3, 1, "example", 0)).all())
    True
    """
    key = "|".join([str(seed), purpose, *map(str, index)])
    digest = blake2b(key.encode(), digest_size=16).digest()
    # NumPy guarantees the stream of a bit generator across versions, but not of a Generator.
    raw = np.random.PCG64(int.from_bytes(digest, "big")).random_raw(count)
    return np.asarray(raw >> np.uint64(11), dtype=np.float64) * 2.0**-53


def order(count: int, seed: int, purpose: str, *index: int) -> Indices:
    """Draw a random permutation of the numbers below `count`."""
    return np.argsort(uniforms(count, seed, purpose, *index), kind="stable")


def seed_of_run(seed: int, run: int) -> int:
    """Return the seed of one of several runs; run 0 has `seed` itself."""
    if not run:
        return seed
    return int.from_bytes(blake2b(f"{seed}|run|{run}".encode(), digest_size=8).digest(), "big")


def minimize(objective: Objective, search: Search, *, iterations: int = 1000) -> Values:
    """Minimise by L-BFGS-B; return a local minimum, the minimum of a convex function."""
    from scipy.optimize import Bounds, minimize as scipy_minimize

    bounds = None
    if np.isfinite([search.lower, search.upper]).any():
        bounds = Bounds(search.lower, search.upper)
    minimum = scipy_minimize(
        objective,
        search.start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": iterations, "maxfun": 4 * iterations, "ftol": 1e-15, "gtol": 1e-9},
    )
    return np.asarray(minimum.x, dtype=np.float64)
