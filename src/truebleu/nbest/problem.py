"""Lists as a problem for tuners: what metrics count in all candidates, and their features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from truebleu.corpus.nbest import NBest, SparseFeatures, as_indices, as_nbest
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

    Objective = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]

__all__ = ["CandidateCounts", "FeatureMean", "count_candidates"]

#: What a metric is called that is the mean of a feature of the lists: ``feature:comet``.
FEATURE = "feature:"
#: Scores of metrics are in points of 100, unless no candidate's score is larger than this.
LARGEST_SHARE = 1.5
#: Utilities, of which 1 is perfect, that differ by no more than rounding are equal.
TIED = 1e-12
#: With features of up to 1e100, squares of larger ones would not fit into a float64.
LARGEST_WEIGHT = 1e50
#: Up to so many features are kept in a full matrix.
MOST_DENSE = 1000


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
class CandidateCounts(ComparedByValue):
    """Counts of every candidate of n-best lists by one metric.

    Attributes:
        metric: the metric.
        rows: counts shaped (candidate, column).
        offsets: index of each list's first candidate, and the number of candidates.
    """

    metric: Metric
    rows: NDArray[np.float64]
    offsets: NDArray[np.int64]

    def sentence_scores(self) -> NDArray[np.float64]:
        """The score of each candidate by itself, as the metric scores single segments."""
        return np.asarray(self.metric.sentence_level().score(self.rows))

    def sums(self, indices: ArrayLike) -> NDArray[np.float64]:
        """Return the summed counts of the candidates with these indices in their lists."""
        return np.asarray(self._choose(indices).sum(axis=0))

    def chosen(self, choices: Mapping[str, ArrayLike]) -> Rows:
        """Return the counts of choices, which are systems then, without counting them again.

        Args:
            choices: index in its list of each segment's candidate, by the name of the choice.
        """
        return Rows.of(ArrayRows(np.stack([*map(self._choose, choices.values())], axis=1)))

    def _choose(self, indices: ArrayLike) -> NDArray[np.float64]:
        places = self.offsets[:-1] + as_indices(indices, np.diff(self.offsets))
        return np.asarray(self.rows[places])

    def score(self, indices: ArrayLike) -> float:
        """The score of that text."""
        return float(self.metric.score(self.sums(indices)))

    def landmarks(self) -> Landmarks:
        """What choices that know nothing, or everything, score."""
        utilities = self.metric.sign * self.sentence_scores()
        return Landmarks.of(self.rows, self.offsets, utilities, self.metric.score)


class Landmarks(NamedTuple):
    """What to see any choice from lists beside.

    Attributes:
        first: the score of the first candidates.
        by_chance: the score of average counts: of a candidate drawn at random from each list.
        oracle: the score of the candidates that are best by themselves: about the most that any
            choice could reach.
    """

    first: float
    by_chance: float
    oracle: float

    @classmethod
    def of(
        cls,
        rows: NDArray[np.float64],
        offsets: NDArray[np.int64],
        utilities: NDArray[np.float64],
        score: Callable[[NDArray[np.float64]], ArrayLike],
    ) -> Landmarks:
        """By the rows of all candidates, how good each is by itself, and what scores sums."""
        starts, sizes = offsets[:-1], np.diff(offsets)
        means = np.add.reduceat(rows, starts, axis=0) / sizes[:, None]
        chosen = (rows[starts], means, rows[starts + first_argmax(utilities, offsets)])
        return cls(*(float(np.asarray(score(part.sum(axis=0)))) for part in chosen))


def plus_one_bleu(counted: CandidateCounts) -> NDArray[np.float64]:
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
    return np.asarray(100 * penalty * np.exp(np.log(precisions).mean(axis=1)))


def list_metrics(metrics: str | Sequence[str | Metric]) -> list[Metric]:
    """Metrics as objects or as text, where ``feature:NAME`` is the mean of a feature.

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
        raise SettingError("metrics", metrics, "one at least, such as 'bleu'")
    return parsed


def count_candidates(
    lists: NBest | Iterable[Iterable[str]],
    references: ReferencesLike | None = None,
    metric: str | Metric = "bleu",
) -> CandidateCounts:
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
    (metric,) = list_metrics([metric])
    if isinstance(metric, FeatureMean):
        values = nbest.feature(metric.name)
        means = np.stack([values, np.ones(len(values))], axis=1)
        return CandidateCounts(metric=metric, rows=means, offsets=nbest.offsets)
    if references is None:
        raise SettingError(
            "references", None, f"the texts that {metric.name} compares candidates with"
        )
    try:
        test_set = as_test_set({nbest.name: nbest.first()}, references)
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
    for segments in _similar(distinct, whole_text=metric.counts_whole_text):
        counted = _count(metric, [distinct[segment] for segment in segments], test_set, segments)
        if rows is None:
            rows = np.empty((nbest.candidates, counted.shape[-1]))
        for number, segment in enumerate(segments):
            rank = {text: place for place, text in enumerate(distinct[segment])}
            rows[nbest.span(segment)] = counted[number, [rank[text] for text in nbest[segment]]]
    assert rows is not None  # noqa: S101  # there is a list at least
    return CandidateCounts(metric=metric, rows=rows, offsets=nbest.offsets)


def _similar(lists: list[tuple[str, ...]], *, whole_text: bool) -> list[list[int]]:
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """Lists of candidates with features, and what is to be maximised by choosing from them.

    Weights are those of the features as they are here, divided by `scales`: `raw` and `scaled`
    convert them.

    Attributes:
        names: the features.
        matrix: their values divided by `scales`, shaped (candidate, feature): an array, or a sparse
            array of SciPy.
        scales: what each feature was divided by.
        useless: the features that are constant within every list: no weight changes a choice.
        offsets: where each list starts, and where the last one ends.
        counted: the statistics of each metric of the objective.
        lengths: the mean length of each segment's references.
    """

    names: tuple[str, ...]
    matrix: Any
    scales: NDArray[np.float64]
    useless: NDArray[np.bool_]
    offsets: NDArray[np.int64]
    counted: tuple[CandidateCounts, ...]
    lengths: NDArray[np.float64]

    def __len__(self) -> int:
        """The number of segments."""
        return len(self.offsets) - 1

    @property
    def is_sparse(self) -> bool:
        """Whether the matrix is sparse."""
        return not isinstance(self.matrix, np.ndarray)

    @property
    def rows(self) -> NDArray[np.float64]:
        """The statistics of all metrics, side by side."""
        if len(self.counted) == 1:
            return self.counted[0].rows
        return np.concatenate([counted.rows for counted in self.counted], axis=1)

    @property
    def unit(self) -> float:
        """What a perfect score is: 100 points, or 1 where no score is above 1.5."""
        largest = max(
            np.abs(counted.sentence_scores()).max(initial=0.0) for counted in self.counted
        )
        return 100.0 if largest > LARGEST_SHARE else 1.0

    def objective(self, sums: ArrayLike) -> NDArray[np.float64]:
        """The mean score by all metrics of summed rows; lower-is-better metrics are negated."""
        values = np.asarray(sums, dtype=np.float64)
        start, total = 0, np.zeros(values.shape[:-1])
        for counted in self.counted:
            end = start + counted.rows.shape[1]
            part = np.ascontiguousarray(values[..., start:end])
            total += counted.metric.sign * counted.metric.score(part)
            start = end
        return np.asarray(total / len(self.counted))

    def scorer(self, unit: float = 1.0) -> Any:
        """The objective divided by `unit` for the core: native metrics, or a Python function."""
        factor = 1.0 / (unit * len(self.counted))
        metrics = [
            (counted.metric.native(), counted.metric.sign * factor) for counted in self.counted
        ]
        if all(native is not None for native, _ in metrics):
            return metrics
        return lambda sums: self.objective(sums) / unit

    def utilities(self) -> NDArray[np.float64]:
        """Each candidate's own score by the objective, where 1 is perfect."""
        scores = [counted.metric.sign * counted.sentence_scores() for counted in self.counted]
        return np.asarray(np.mean(scores, axis=0) / self.unit)

    def model_scores(self, weights: ArrayLike) -> NDArray[np.float64]:
        """The model's score of each candidate."""
        return np.asarray(self.matrix @ np.asarray(weights, dtype=np.float64))

    def choices(self, weights: ArrayLike) -> NDArray[np.int64]:
        """The candidate of each list that the weights choose: the first of the best."""
        return first_argmax(self.model_scores(weights), self.offsets)

    def value(self, weights: ArrayLike) -> float:
        """The objective of what the weights choose."""
        chosen = self.offsets[:-1] + self.choices(weights)
        return float(self.objective(self.rows[chosen].sum(axis=0)))

    def landmarks(self) -> Landmarks:
        """What choices that know nothing, or everything, score."""
        return Landmarks.of(self.rows, self.offsets, self.utilities(), self.objective)

    def take(self, segments: ArrayLike) -> Problem:
        """The same of only these segments."""
        chosen = np.asarray(segments, dtype=np.int64)
        spans = [np.arange(self.offsets[s], self.offsets[s + 1]) for s in chosen]
        sizes = [len(span) for span in spans]
        return replace(self.keep(np.concatenate(spans), sizes), lengths=self.lengths[chosen])

    def keep(self, candidates: NDArray[np.int64], sizes: ArrayLike) -> Problem:
        """The same of only these candidates, in lists of these sizes."""
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        counted = (replace(c, rows=c.rows[candidates], offsets=offsets) for c in self.counted)
        matrix = self.matrix[candidates]
        return replace(self, matrix=matrix, offsets=offsets, counted=tuple(counted))

    def without_ties(self) -> tuple[Problem, NDArray[np.int64]]:
        """Each list with only the first of the candidates that are best, and which one that is."""
        utilities, sizes = self.utilities(), np.diff(self.offsets)
        best = np.maximum.reduceat(utilities, self.offsets[:-1])
        kept = utilities < np.repeat(best - TIED, sizes)
        gold = self.offsets[:-1] + first_argmax(np.where(kept, 0.0, 1.0), self.offsets)
        kept[gold] = True
        # How many of those before the gold one in its list are left.
        left = np.concatenate([[0], np.cumsum(kept)])
        problem = self.keep(np.flatnonzero(kept), np.diff(left[self.offsets]))
        return problem, np.asarray(left[gold] - left[self.offsets[:-1]], dtype=np.int64)

    def scaled(self, weights: ArrayLike) -> NDArray[np.float64]:
        """Weights of the features as the lists have them, as weights of `matrix`."""
        return np.asarray(np.asarray(weights, dtype=np.float64) * self.scales)

    def raw(self, weights: ArrayLike) -> NDArray[np.float64]:
        """Weights of `matrix`, as weights of the features as the lists have them."""
        return np.asarray(np.asarray(weights, dtype=np.float64) / self.scales)

    def by_name(self, weights: Mapping[str, float], what: str) -> NDArray[np.float64]:
        """Given numbers for some features, as an array; 0 for the others."""
        values = np.zeros(len(self.names))
        places = {name: place for place, name in enumerate(self.names)}
        for name, weight in weights.items():
            if name not in places:
                raise UnknownNameError(f"feature in {what}", name, self.names[:20])
            require_weight(name, weight)
            values[places[name]] = weight
        return values


def require_weight(name: str, weight: float) -> None:
    """Refuse a weight whose products with features, or their squares, would be infinite."""
    if not abs(weight) <= LARGEST_WEIGHT:
        expected = f"a number from -{LARGEST_WEIGHT:g} to {LARGEST_WEIGHT:g}"
        raise SettingError(f"weight of {name}", weight, expected)


def first_argmax(scores: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The index in its list of the first of the highest scores of each list."""
    starts = offsets[:-1]
    best = np.maximum.reduceat(scores, starts)
    places = np.where(
        scores == np.repeat(best, np.diff(offsets)), np.arange(len(scores)), len(scores)
    )
    return np.asarray(np.minimum.reduceat(places, starts) - starts, dtype=np.int64)


def make_problem(
    lists: NBest | Iterable[Iterable[str]],
    references: ReferencesLike | None,
    metrics: str | Sequence[str | Metric],
    *,
    scale: bool = True,
) -> Problem:
    """Count the candidates and prepare their features.

    Args:
        lists: the candidates of each segment, with features.
        references: as for `truebleu.score`; not needed where all metrics are ``feature:NAME``.
        metrics: the metrics whose mean is the objective.
        scale: divide the features that all candidates have by their standard deviation within
            lists. Sparse features stay as they are: divided by it, rare ones would be enormous.
    """
    nbest = as_nbest(lists)
    counted = tuple(count_candidates(nbest, references, metric) for metric in list_metrics(metrics))
    for statistics in counted:
        if statistics.metric.higher_is_better is None:
            raise SettingError("metric", statistics.metric.name, "one that says what is better")
    names, matrix = feature_matrix(nbest, counted)
    if not names:
        raise SettingError(f"{nbest.name}: features", "none", "features to weight")
    sizes = abs(matrix).max(axis=0)
    if not isinstance(matrix, np.ndarray):
        sizes = sizes.toarray().ravel()
    deviations = within_list_sd(matrix, nbest.offsets)
    # What is left of a constant after rounding is no variation.
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
    """The names and values of all features: an array, or a sparse array where there are many.

    A feature that the objective is the mean of is left out: it would be its own best predictor.
    """
    goals = {c.metric.name for c in counted if isinstance(c.metric, FeatureMean)}
    kept = [place for place, name in enumerate(nbest.feature_names) if name not in goals]
    names = [nbest.feature_names[place] for place in kept]
    dense = np.ascontiguousarray(nbest.features[:, kept])
    if nbest.sparse is None or not nbest.sparse.size:
        return tuple(names), dense
    sparse = nbest.sparse.matrix()
    columns = [place for place, name in enumerate(nbest.sparse.names) if name not in goals]
    names += [nbest.sparse.names[place] for place in columns]
    if len(columns) < nbest.sparse.size:
        sparse = sparse[:, columns]
    if len(set(names)) < len(names):
        both = sorted(set(nbest.feature_names) & set(nbest.sparse.names))
        raise SettingError(f"{nbest.name}: features", both[0], "a name that only one feature has")
    from scipy.sparse import csr_array, hstack

    if len(names) <= MOST_DENSE and dense.shape[0] * len(names) <= 10**7:
        return tuple(names), np.hstack([dense, sparse.toarray()])
    return tuple(names), csr_array(hstack([csr_array(dense), sparse], format="csr"))


def within_list_sd(matrix: Any, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """The standard deviation of every feature within lists, pooled over all of them."""
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


def reference_lengths(
    nbest: NBest, references: ReferencesLike | None, metric: Metric
) -> NDArray[np.float64]:
    """The mean number of tokens of each segment's references; 1 without references."""
    if references is None:
        return np.ones(len(nbest))
    tokenize = getattr(metric, "tokenize", None)
    bleu = BLEU(
        tokenize=tokenize if isinstance(tokenize, str) else "13a", reference_length="average"
    )
    firsts = [[text] for text in nbest.first()]
    return np.maximum(count_candidates(firsts, references, bleu).rows[:, 1], 1.0)


# Copies: samples of language models and the rounds of a decoder are full of them.


def drop_duplicates(nbest: NBest) -> NBest:
    """Each list with one candidate in place of those whose text and features are all the same.

    >>> drop_duplicates(NBest.of([["a", "b", "a"]]))[0]
    ('a', 'b')
    """
    kept: list[int] = []
    sizes = []
    for span in nbest.spans():
        first: dict[Any, int] = {}
        for place in range(span.start, span.stop):
            first.setdefault(_identity(nbest, place), place)
        kept += first.values()
        sizes.append(len(first))
    return _with_candidates(nbest, np.array(kept), np.concatenate([[0], np.cumsum(sizes)]))


def _identity(nbest: NBest, candidate: int) -> tuple[str | bytes, ...]:
    """What tells a candidate from the others of its list."""
    dense = (nbest.texts[candidate], nbest.features[candidate].tobytes())
    if nbest.sparse is None:
        return dense
    span = slice(*nbest.sparse.indptr[candidate : candidate + 2])
    return *dense, nbest.sparse.indices[span].tobytes(), nbest.sparse.values[span].tobytes()


def _with_candidates(nbest: NBest, places: NDArray[np.int64], offsets: NDArray[np.int64]) -> NBest:
    """The lists with these of all candidates, in this order."""
    numbers: dict[str, Any] = {
        name: None if getattr(nbest, name) is None else getattr(nbest, name)[places]
        for name in ("scores", "log_probabilities", "counts")
    }
    return replace(
        nbest,
        texts=tuple(nbest.texts[place] for place in places),
        offsets=offsets,
        features=nbest.features[places],
        sparse=None
        if nbest.sparse is None
        else _as_features(nbest.sparse.names, nbest.sparse.matrix()[places]),
        **numbers,
    )


def merge_lists(old: NBest, new: NBest) -> tuple[NBest, int]:
    """All different candidates of both, those of `old` first, and how many only `new` has.

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
    places = np.argsort(np.concatenate(segments), kind="stable")
    merged = drop_duplicates(_with_candidates(joined, places, old.offsets + new.offsets))
    before = drop_duplicates(old).candidates
    return replace(merged, sources=old.sources), merged.candidates - before


def _stacked(old: NBest, new: NBest) -> SparseFeatures | None:
    """The sparse features of both, one after the other."""
    if old.sparse is None and new.sparse is None:
        return None
    first, second = (n.sparse or SparseFeatures.of([{}] * n.candidates) for n in (old, new))
    columns = {name: place for place, name in enumerate(dict.fromkeys(first.names + second.names))}
    moved = np.array([columns[name] for name in second.names], dtype=np.int64)
    from scipy.sparse import csr_array

    values = np.concatenate([first.values, second.values])
    indices = np.concatenate([first.indices, moved[second.indices]])
    starts = np.concatenate([first.indptr, first.indptr[-1] + second.indptr[1:]])
    shape = (len(starts) - 1, len(columns))
    return _as_features(tuple(columns), csr_array((values, indices, starts), shape=shape))


def _as_features(names: tuple[str, ...], matrix: Any) -> SparseFeatures:
    matrix.sort_indices()
    return SparseFeatures(
        names=names, indptr=matrix.indptr, indices=matrix.indices, values=matrix.data
    )


# N-grams of candidates as features: Riezler & Maxwell (2005) rerank by phrases of two and three
# words besides the system's own scores.


NGRAM = "ngram:"


def with_ngrams(
    nbest: NBest, *, orders: int, least: int = 2, only: Collection[str] | None = None
) -> NBest:
    """The lists with how often each candidate has an n-gram.

    >>> from truebleu.corpus.nbest import NBest
    >>> with_ngrams(NBest.of([["a b", "b"]]), orders=2, least=1).sparse.names
    ('ngram:a', 'ngram:b', 'ngram:a b')

    Args:
        nbest: the lists.
        orders: n-grams of up to so many words.
        least: what appears in the lists of fewer segments than this is left out.
        only: count only these, whatever their number.
    """
    if not orders:
        return nbest
    if only is None:
        lists = ({name for text in list_ for name in _ngrams(text, orders)} for list_ in nbest)
        segments = Counter(name for names in lists for name in names)
        only = [name for name, count in segments.items() if count >= least]
    kept = set(only)
    features = SparseFeatures.of(
        Counter(name for name in _ngrams(text, orders) if name in kept) for text in nbest.texts
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


# What tuners share: where a search starts, random numbers that are the same on every machine, and a
# minimiser.


class Tuner:
    """What finds the weights of a problem; the fields of a subclass are its settings."""

    __slots__ = ()

    #: How `tune` calls it.
    name: str
    #: What it does, for people.
    title: ClassVar[str]
    #: Whether another seed may give other weights.
    is_random: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def steps(self) -> int:
        """How often a search reports progress."""
        return 0

    def weights(self, problem: Problem, search: Search) -> NDArray[np.float64]:
        """The best weights of the problem's features that it finds."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """Where a tuner starts and within which bounds it stays.

    Attributes:
        start: the weights to start from.
        lower: the lowest weights.
        upper: the highest.
        seed: of its random parts.
        progress: called with the number of steps done since the last call.
    """

    start: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
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
        """From any weights, by default without bounds."""
        first = np.array(start, dtype=np.float64)
        low, high = (
            np.full(len(first), end) if bound is None else np.asarray(bound, dtype=np.float64)
            for bound, end in ((lower, -np.inf), (upper, np.inf))
        )
        return cls(first, low, high, seed)

    def step(self) -> None:
        """Say that a step is done."""
        if self.progress is not None:
            self.progress(1)


def uniforms(count: int, seed: int, purpose: str, *index: int) -> NDArray[np.float64]:
    """Numbers in [0, 1) that depend on seed, purpose and index alone.

    >>> bool((uniforms(3, 1, "example", 0) == uniforms(3, 1, "example", 0)).all())
    True
    """
    key = "|".join([str(seed), purpose, *map(str, index)])
    digest = blake2b(key.encode(), digest_size=16).digest()
    # NumPy promises the bits of a bit generator for all its versions, not those of a Generator.
    raw = np.random.PCG64(int.from_bytes(digest, "big")).random_raw(count)
    return np.asarray(raw >> np.uint64(11), dtype=np.float64) * 2.0**-53


def order(count: int, seed: int, purpose: str, *index: int) -> NDArray[np.int64]:
    """A random order of so many things."""
    return np.argsort(uniforms(count, seed, purpose, *index), kind="stable")


def seed_of_run(seed: int, run: int) -> int:
    """The seed of one of several runs; the first has the seed itself."""
    if not run:
        return seed
    return int.from_bytes(blake2b(f"{seed}|run|{run}".encode(), digest_size=8).digest(), "big")


def minimize(
    objective: Objective, search: Search, *, iterations: int = 1000
) -> NDArray[np.float64]:
    """Where L-BFGS-B ends: a minimum, of a convex function the minimum."""
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
