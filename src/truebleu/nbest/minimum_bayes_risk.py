"""Minimum Bayes risk decoding: the candidate with the highest expected utility.

Every candidate is scored against every pseudo-reference, by default the other candidates, and each
pseudo-reference is weighted by its probability. Equal texts are scored once. The default method is
exact; approximations are chosen by name, and `check` measures their loss.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypedDict

import numpy as np

from truebleu import _core
from truebleu._results import Result
from truebleu.corpus.nbest_files import as_nbest
from truebleu.corpus.test_set import TestSet
from truebleu.errors import SettingError, UnpairedSegmentsError
from truebleu.metrics.base import Metric
from truebleu.metrics.registry import as_metrics, by_name
from truebleu.metrics.threads import use_environment
from truebleu.nbest.choices import measure_gain
from truebleu.schema import (
    DEFAULT_SEED,
    Seed,
    Setting,
    Settings,
    Streams,
    check_fields,
    require_type,
    takes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from truebleu.corpus.nbest import NBest
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import ReferencesLike
    from truebleu.nbest.choices import Gain
    from truebleu.resampling import Indices, Values

    #: Exact expected utilities, and scores of candidates against themselves, or None.
    ExactUtilities = tuple[Values, Values | None]
    #: A metric by name or as an object, or a function that scores pairs.
    Utility = str | Metric | Callable[..., Any]

__all__ = [
    "Aggregate",
    "CoarseToFine",
    "Exact",
    "MBRResult",
    "MBRSegment",
    "Prune",
    "mbr",
    "utility_matrix",
]

Weights = Literal["uniform", "probability", "counts"]

#: Largest relative difference of tied expected utilities, for rounding errors.
TIE_TOLERANCE = 1e-12
#: Pairs counted at once, whose rows are in memory together.
BLOCK = 1 << 18
#: Pairs in a call of the native code, enough to keep all threads busy.
BATCH_PAIRS = 1 << 22
#: Pairs in a task of an executor, which takes well under a second.
TASK_PAIRS = 1 << 16
#: Pseudo-references in the first step of pruning; each step doubles their number.
FIRST_REFERENCES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class MBRChoice:
    """A chosen candidate: its index in the list, from 0, its text and its expected utility."""

    index: int
    text: str
    utility: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MBRSegment:
    """The choice for one segment.

    Attributes:
        segment: number of the segment, from 1.
        candidates: number of candidates.
        distinct: number of different texts among the candidates.
        effective: effective number of pseudo-references, 1 / Σp².
        chosen: the best candidates with different texts, the best first.
        ties: number of other texts tied with the best candidate.
        margin: difference in expected utility between the two best texts; None with only one.
        utilities: expected utility of each candidate in the order of the list, or None if an
            approximation skipped it.
        exact_index: choice of the exact method with `check`, or None.
        regret: expected utility lost by the approximation with `check`, or None.
    """

    segment: int
    candidates: int
    distinct: int
    effective: float
    chosen: tuple[MBRChoice, ...]
    ties: int
    margin: float | None
    utilities: tuple[float | None, ...]
    exact_index: int | None = None
    regret: float | None = None

    @property
    def best(self) -> MBRChoice:
        """The best candidate."""
        return self.chosen[0]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MBRResult(Result):
    """The choices for all segments.

    Attributes:
        name: source of the lists.
        metric: name of the utility.
        signature: signature of the utility.
        higher_is_better: direction of the utility.
        settings: settings of the choice.
        segments: the choice for each list.
        gains: gains over the first candidates by the utility and by another metric, which alone is
            evidence; empty without real references.
    """

    name: str
    metric: str
    signature: str
    higher_is_better: bool
    settings: MBRSettings
    segments: tuple[MBRSegment, ...]
    gains: tuple[Gain, ...]

    REPORT: ClassVar[str] = "truebleu.reports.nbest:mbr_document"

    @property
    def texts(self) -> list[str]:
        """The best candidate of each segment."""
        return [segment.best.text for segment in self.segments]

    @property
    def indices(self) -> list[int]:
        """Index of each segment's best candidate in its list, from 0."""
        return [segment.best.index for segment in self.segments]


# Methods of computing expected utilities.


class Method:
    """A method of computing expected utilities; the fields of a subclass are its settings."""

    __slots__ = ()
    name: str

    def __post_init__(self) -> None:
        check_fields(self)

    def for_references(self, metric: Metric, pseudo: Sequence[TextLike]) -> Method:
        """Return the method with its settings fixed; raises SettingError if it rejects `metric`."""
        del metric, pseudo
        return self

    def expected(self, scoring: Scoring, batch: Sequence[Candidates]) -> list[Values]:
        """Compute the expected utilities of each segment; NaN for candidates it skips."""
        return [self.of_segment(scoring, candidates) for candidates in batch]

    def of_segment(self, scoring: Scoring, candidates: Candidates) -> Values:
        """Compute the expected utilities of one segment."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact(Method):
    """Expected utilities of all pairs."""

    name: str = field(default="exact", init=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate(Method):
    """One comparison with the mean of the pseudo-references' counts: BLEU and chrF only."""

    name: str = field(default="aggregate", init=False)

    def for_references(self, metric: Metric, pseudo: Sequence[TextLike]) -> Method:
        """Check that the metric is BLEU or chrF; raises SettingError."""
        del pseudo
        if metric.pair_scorer() is None:
            expected = "exact, since aggregation is defined for BLEU and chrF only"
            raise SettingError("method", f"aggregate, with {metric.name}", expected)
        return self

    def expected(self, scoring: Scoring, batch: Sequence[Candidates]) -> list[Values]:
        """Score each candidate against the mean of the pseudo-references' counts."""
        return _aggregated(scoring.metric, batch)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prune(Method):
    """Pruning of candidates by bootstrap samples of the pseudo-references.

    Cheng and Vlachos (2023): a growing number of references is bootstrapped; a candidate that is at
    least as good as the best one in too few replicates is dropped.

    Attributes:
        alpha: confidence that a dropped candidate is not the best.
        replicates: number of bootstrap replicates.
        seed: seed of the replicates.
    """

    name: str = field(default="prune", init=False)
    alpha: Annotated[float, Setting(above=0, below=1)] = 0.99
    replicates: Annotated[int, Setting(minimum=1)] = 500
    seed: Seed = DEFAULT_SEED

    def of_segment(self, scoring: Scoring, candidates: Candidates) -> Values:
        """Compute the exact utility of each distinct candidate; NaN if it was pruned."""
        weights = candidates.weights
        draw = Streams(self.seed, "mbr prune").at(candidates.number)
        order = sorted(range(len(weights)), key=lambda _: draw())
        alive = np.arange(len(candidates.distinct))
        scores = np.empty((len(alive), 0))
        seen, size = 0, FIRST_REFERENCES
        while seen < len(order):
            columns = np.array(order[seen:size])
            seen += len(columns)
            scores = np.hstack([scores, scoring.matrix(candidates, alive, columns)])
            if len(alive) > 1 and seen < len(order):
                keep = self._can_be_best(scoring.metric.sign * scores, weights[order[:seen]], draw)
                alive, scores = alive[keep], scores[keep]
            size *= 2
        utilities = np.full(len(candidates.distinct), np.nan)
        utilities[alive] = scores @ weights[order]
        return utilities

    def _can_be_best(
        self, scores: Values, weights: Values, draw: Callable[[], float]
    ) -> NDArray[np.bool_]:
        count = scores.shape[1]
        draws = np.array([draw() for _ in range(self.replicates * count)])
        shares = np.cumsum(weights) / weights.sum()
        indices = np.minimum(np.searchsorted(shares, draws, side="right"), count - 1)
        samples = indices.reshape(self.replicates, count)
        counts = np.stack([np.bincount(sample, minlength=count) for sample in samples])
        means = scores @ counts.T
        best = int(np.argmax(scores @ weights))
        keep: NDArray[np.bool_] = (means >= means[best]).mean(axis=1) > 1 - self.alpha
        keep[best] = True
        return keep


@dataclass(frozen=True, slots=True, kw_only=True)
class CoarseToFine(Method):
    """Expected utilities of only the candidates that are best by a cheaper metric.

    Attributes:
        keep: number of candidates to keep.
        coarse: cheaper metric.
    """

    name: str = field(default="coarse-to-fine", init=False)
    keep: Annotated[int, Setting(minimum=1)] = 16
    coarse: str | Metric = "chrf"

    def for_references(self, metric: Metric, pseudo: Sequence[TextLike]) -> Method:
        """Return the method with the coarse metric at sentence level."""
        del metric
        coarse = as_utility(self.coarse).for_references(pseudo).sentence_level()
        return replace(self, coarse=coarse)

    def of_segment(self, scoring: Scoring, candidates: Candidates) -> Values:
        """Compute exact utilities of the candidates that are best by the coarse metric."""
        coarse = as_utility(self.coarse)
        if coarse.pair_scorer() is not None:
            (scores,) = _aggregated(coarse, [candidates])
        else:
            scores = _from_matrix(coarse, candidates)[0]
        best_first = np.argsort(-coarse.sign * scores, kind="stable")
        rows = np.sort(best_first[: self.keep])
        weights = candidates.weights
        utilities = np.full(len(scores), np.nan)
        utilities[rows] = scoring.matrix(candidates, rows, np.arange(len(weights))) @ weights
        return utilities


_METHODS: tuple[type[Method], ...] = (Exact, Aggregate, Prune, CoarseToFine)
METHODS = {method().name: method for method in _METHODS}


def as_method(method: str | Method) -> Method:
    """Return a method, or parse its name and settings, such as ``prune:alpha=0.9``."""
    return method if isinstance(method, Method) else by_name("method", str(method), METHODS)


class MBROptions(TypedDict, total=False):
    """Options of `mbr`.

    Attributes:
        temperature: number that log-probabilities are divided by, with weights by probability.
        include_self: True to compare a candidate with itself, too.
        sentence_level: True to score pairs as the metric scores single segments, such as BLEU with
            effective order.
        best: number of candidates of each segment to return.
        check: True to measure the loss of an approximation.
    """

    temperature: Annotated[float, Setting(above=0, rare=True)]
    include_self: Annotated[bool, Setting(option=False)]
    sentence_level: Annotated[bool, Setting(option=False)]
    best: Annotated[int, Setting(minimum=1, group="Output")]
    check: Annotated[bool, Setting(rare=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class MBRSettings(Settings):
    """Settings of a choice; `mbr` describes its options.

    Attributes:
        weigh_by: weights of pseudo-references: equal (``uniform``, duplicates add up), by the model
            (``probability``) or by the number of samples (``counts``); ``given`` for numbers.
        method: method of computing expected utilities.
    """

    OPTIONS = MBROptions

    weigh_by: Literal["uniform", "probability", "counts", "given"] = "uniform"
    temperature: float = 1.0
    include_self: bool = True
    sentence_level: bool = True
    method: Method = Exact()
    best: int = 1
    check: bool = False

    @staticmethod
    def refuse_conflicts(options: Mapping[str, Any]) -> None:
        """Raise SettingError if `check` or `include_self` contradicts the method."""
        method = options.get("method")
        if isinstance(method, Exact) and options["check"]:
            raise SettingError(
                "check", True, "no check with method exact, which is not approximate"
            )
        if not (options["include_self"] or method is None or isinstance(method, Exact)):
            raise SettingError("include_self", False, "method exact")


# Choosing.


@takes(MBRSettings)
def mbr(
    candidates: NBest | Iterable[Iterable[str]],
    references: ReferencesLike | None = None,
    metric: Utility = "chrf",
    *,
    pseudo_references: NBest | Iterable[Iterable[str]] | None = None,
    weigh_by: Weights | Sequence[ArrayLike] = "uniform",
    method: str | Method = "exact",
    progress: Callable[[int], None] | None = None,
    executor: Executor | None = None,
    **options: Unpack[MBROptions],
) -> MBRResult:
    """Choose the candidate of each segment with the highest expected utility.

    >>> result = mbr([["the cat sat", "a cat sat", "the cat ran", "dogs bark"]], metric="chrf")
    >>> result.texts
    ['the cat sat']

    Args:
        candidates: n-best lists or samples: see `read_nbest`, or lists of str.
        references: real references, to measure the gain by this and another metric.
        metric: the utility: any metric that scores single segments, by name or as an object, or a
            function that takes an output and the list of its references.
        pseudo_references: texts to compare candidates with. Default: the candidates.
        weigh_by: weights of pseudo-references: "uniform" (duplicates count twice), "probability"
            (by the model) or "counts" (the number of samples); or a list of numbers for each
            segment.
        method: "exact", "aggregate", "prune" or "coarse-to-fine", with settings after a colon; or
            an object: `Exact`, `Aggregate`, `Prune` or `CoarseToFine` of `truebleu.nbest`.
        progress: callback, called with the number of segments finished since the last call.
        executor: executor that scores segments, such as `truebleu.execution.Processes(4)`; None
            for this process.
    """
    lists = as_nbest(candidates)
    others = None if pseudo_references is None else as_nbest(pseudo_references)
    if others is not None and len(others) != len(lists):
        raise UnpairedSegmentsError(others.name, len(others), lists.name, len(lists))
    weights = None if isinstance(weigh_by, str) else weigh_by
    require_type("weigh_by", weights, Iterable | None, "a name, or numbers for each segment")
    chosen_weights = weigh_by if isinstance(weigh_by, str) else "given"
    settings = MBRSettings.from_options(options, weigh_by=chosen_weights, method=as_method(method))
    pseudo = [(lists if others is None else others).texts]
    utility = as_utility(metric).for_references(pseudo)
    scored = utility.sentence_level() if settings.sentence_level else utility
    by_segment = _candidates(lists, others, weights, settings)
    segments: list[MBRSegment] = []
    for batch in Scoring(scored, settings, pseudo).chosen(by_segment, executor):
        segments += batch
        if progress is not None:
            progress(len(batch))
    gains: tuple[Gain, ...] = ()
    if references is not None:
        first, chosen = [0] * len(lists), [segment.best.index for segment in segments]
        gains = measure_gain(lists, references, [utility], first, [chosen])
    return MBRResult(
        name=lists.name,
        metric=scored.name,
        signature=str(scored.signature),
        higher_is_better=scored.higher_is_better is not False,
        settings=settings,
        segments=tuple(segments),
        gains=gains,
    )


def _segment(
    candidates: Candidates,
    expected: Values,
    exact: ExactUtilities | None,
    settings: MBRSettings,
    sign: int,
) -> MBRSegment:
    """Choose candidates of a segment by the expected utilities of its different texts."""
    texts, indices = candidates.texts, candidates.indices
    utilities = expected[indices]
    if not settings.include_self and exact is not None and exact[1] is not None:
        self_weights = candidates.self_weights
        remaining = 1 - self_weights
        with np.errstate(invalid="ignore", divide="ignore"):
            utilities = (utilities - self_weights * exact[1][indices]) / remaining
        utilities[remaining <= 0] = np.nan
    ranks = _rank(texts, sign * utilities, settings.best + 1)
    best = ranks[0]
    best_utility = float(utilities[best])
    margin = None
    if len(ranks) > 1 and np.isfinite(utilities[ranks[1]]):
        margin = abs(best_utility - float(utilities[ranks[1]]))
    tied = {
        text
        for text, utility in zip(texts, utilities.tolist(), strict=True)
        if _tied(utility, best_utility)
    }
    exact_index = regret = None
    if settings.check and exact is not None:
        truth = exact[0][indices]
        exact_index = _rank(texts, sign * truth, 1)[0]
        regret = max(0.0, float(sign * (truth[exact_index] - truth[best])))
    known = tuple(u if isfinite(u) else None for u in utilities.tolist())
    return MBRSegment(
        segment=candidates.number + 1,
        candidates=len(texts),
        distinct=len(set(texts)),
        effective=float(1 / np.square(candidates.weights).sum()),
        chosen=tuple(
            MBRChoice(index=index, text=texts[index], utility=known[index])
            for index in ranks[: settings.best]
        ),
        ties=max(0, len(tied) - 1),
        margin=margin,
        utilities=known,
        exact_index=exact_index,
        regret=regret,
    )


def _tied(utility: float, other: float) -> bool:
    return abs(utility - other) <= TIE_TOLERANCE * max(abs(utility), abs(other))


def _differ(utility: float, other: float) -> bool:
    return isfinite(utility) != isfinite(other) or (isfinite(utility) and not _tied(utility, other))


def _rank(texts: Sequence[str], goodness: Values, count: int) -> list[int]:
    """Return the indices of the `count` best candidates with different texts.

    Ties are in the order of the list; candidates without a utility come last.
    """
    order = np.argsort(-np.where(np.isnan(goodness), -np.inf, goodness), kind="stable").tolist()
    ranks: list[int] = []
    used_texts: set[str] = set()
    start = 0
    while start < len(order) and len(ranks) < count:
        end = start + 1
        top = float(goodness[order[start]])
        while end < len(order) and not _differ(float(goodness[order[end]]), top):
            end += 1
        for index in sorted(order[start:end]):
            if texts[index] not in used_texts and len(ranks) < count:
                used_texts.add(texts[index])
                ranks.append(index)
        start = end
    return ranks


# Utilities: scores of candidates against pseudo-references.


def as_utility(metric: str | Metric | Callable[..., Any]) -> Metric:
    """Return a metric of texts; a function takes an output and the list of its references."""
    if callable(metric):
        from truebleu.metrics.function import FunctionMetric

        name = getattr(metric, "__name__", type(metric).__name__)
        return FunctionMetric(function=metric, name=name)
    (parsed,) = as_metrics([metric])
    if not parsed.reads_texts:
        raise SettingError("metric", parsed.name, "a metric of texts")
    if parsed.higher_is_better is None:
        raise SettingError("metric", parsed.name, "a metric with a direction")
    if not parsed.needs_references:
        raise SettingError("metric", parsed.name, "a metric that compares with references")
    return parsed


def utility_matrix(
    metric: str | Metric | Callable[..., Any],
    candidates: Sequence[str],
    references: Sequence[str] | None = None,
    *,
    source: str | None = None,
) -> Values:
    """Compute ``metric.sentence`` of all pairs, shaped (candidate, reference).

    >>> utility_matrix("ter", ["a b", "b"]).tolist()
    [[0.0, 100.0], [50.0, 0.0]]

    Args:
        metric: a metric, or a function of an output and the list of its references.
        candidates: the candidates of one segment.
        references: texts to compare candidates with. Default: the candidates.
        source: source text, for metrics that use it.
    """
    texts = candidates if references is None else references
    for name, strings in (("candidates", candidates), ("references", texts)):
        if not len(strings):
            raise SettingError(name, [], "at least one string")
    utility = as_utility(metric).for_references([texts]).sentence_level()
    return score_pairs(utility, candidates, references, source)


def score_pairs(
    metric: Metric, candidates: Sequence[str], references: Sequence[str] | None, source: str | None
) -> Values:
    """Score all pairs by a metric, without changing its settings."""
    scorer = metric.pair_scorer()
    columns = candidates if references is None else references
    if scorer is not None:
        matrix = scorer.matrix(list(candidates), None if references is None else list(references))
        return matrix.reshape(len(candidates), len(columns))
    return _counted(metric, candidates, columns, source)


def _counted(
    metric: Metric, candidates: Sequence[str], references: Sequence[str], source: str | None
) -> Values:
    """Score all pairs by any metric: references are segments, and candidates are systems."""
    # If counts depend on all segments of a text, each reference must be a separate text.
    step = 1 if metric.counts_whole_text else max(1, BLOCK // len(candidates))
    blocks = []
    for start in range(0, len(references), step):
        block = list(references[start : start + step])
        test_set = TestSet(
            systems={str(i): [text] * len(block) for i, text in enumerate(candidates)},
            references=(block,),
            source=None if source is None else [source] * len(block),
        )
        scores: Values = metric.score(metric.count(test_set).array())
        blocks.append(scores.T)
    return np.concatenate(blocks, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The candidates of one segment, and their weighted pseudo-references.

    Attributes:
        number: number of the segment, from 0.
        texts: candidates in the order of the list.
        distinct: distinct candidates, in the order of the list.
        indices: index in `distinct` of each candidate.
        references: distinct pseudo-references; None if they are the candidates.
        weights: weight of each distinct pseudo-reference; they add up to 1.
        self_weights: weight of each item of the list of pseudo-references, which may repeat texts.
        source: source text, or None if unknown.
    """

    number: int
    texts: tuple[str, ...]
    distinct: tuple[str, ...]
    indices: Indices
    references: tuple[str, ...] | None
    weights: Values
    self_weights: Values
    source: str | None

    @property
    def columns(self) -> tuple[str, ...]:
        """The distinct pseudo-references."""
        return self.distinct if self.references is None else self.references


def _candidates(
    lists: NBest, others: NBest | None, weights: Sequence[ArrayLike] | None, settings: MBRSettings
) -> Iterator[Candidates]:
    """Yield the candidates of each segment.

    Args:
        lists: all candidates.
        others: the pseudo-references; None if these are the candidates.
        weights: given weights of the pseudo-references, or None.
        settings: settings with the weights of pseudo-references.
    """
    pseudo = lists if others is None else others
    if others is not None and not settings.include_self:
        raise SettingError("include_self", False, "True with pseudo_references")
    if settings.weigh_by == "probability" and pseudo.log_probabilities is None:
        expected = (
            "log-probabilities that are not normalised by length, such as logprob in JSON Lines"
        )
        raise SettingError("weigh_by", f"probability, of {pseudo.name}", expected)
    if settings.weigh_by == "counts" and pseudo.counts is None:
        raise SettingError("weigh_by", f"counts, of {pseudo.name}", "lists with counts")
    if weights is not None and len(weights) != len(pseudo):
        raise SettingError("weigh_by", f"{len(weights)} lists", f"{len(pseudo)}")
    for segment, texts in enumerate(lists):
        given = None if weights is None else weights[segment]
        self_weights = _weights(pseudo, segment, settings, given)
        distinct, indices = _distinct(texts)
        references, columns = None, indices
        if others is not None:
            references, columns = _distinct(others[segment])
        size = len(distinct if references is None else references)
        yield Candidates(
            segment,
            texts,
            distinct,
            indices,
            references,
            np.bincount(columns, weights=self_weights, minlength=size).astype(np.float64),
            self_weights,
            None if lists.sources is None else lists.sources[segment],
        )


def _distinct(texts: tuple[str, ...]) -> tuple[tuple[str, ...], Indices]:
    """Return the different texts, and the index of each text among them."""
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return tuple(numbers), np.array([numbers[text] for text in texts])


def _weights(lists: NBest, segment: int, settings: MBRSettings, given: ArrayLike | None) -> Values:
    """Return the weight of each pseudo-reference of a segment; they add up to 1."""
    span = lists.span(segment)
    size = span.stop - span.start
    if given is not None:
        weights = np.asarray(given, dtype=np.float64)
        ok = weights.shape == (size,) and np.isfinite(weights).all() and (weights >= 0).all()
        if not ok or not weights.sum() > 0:
            expected = f"{size} numbers from 0 up, and a sum above 0"
            raise SettingError(f"weights of segment {segment + 1}", given, expected)
    elif settings.weigh_by == "counts" and lists.counts is not None:
        weights = lists.counts[span].astype(np.float64)
    elif settings.weigh_by == "probability" and lists.log_probabilities is not None:
        logs = lists.log_probabilities[span] / settings.temperature
        weights = np.exp(logs - logs.max())
        # Equal texts with equal probability are duplicates of one hypothesis.
        pairs = list(zip(lists.texts[span], logs.tolist(), strict=True))
        first = {pair: index for index, pair in reversed(list(enumerate(pairs)))}
        duplicates = [index for index, pair in enumerate(pairs) if first[pair] != index]
        weights[duplicates] = 0.0
    else:
        weights = np.ones(size)
    return np.asarray(weights / weights.sum())


class Scoring:
    """Expected utilities of the candidates of many segments, by one metric and method.

    Args:
        metric: the utility, which scores pairs.
        settings: settings with the method.
        pseudo: pseudo-references, which fix the open settings of a coarse metric.
    """

    def __init__(self, metric: Metric, settings: MBRSettings, pseudo: Sequence[TextLike]) -> None:
        use_environment()
        self.metric, self.settings = metric, settings
        self.method = settings.method.for_references(metric, pseudo)

    def chosen(
        self, segments: Iterable[Candidates], executor: Executor | None
    ) -> Iterator[list[MBRSegment]]:
        """Return an iterator over batches of choices; an executor computes a few batches ahead."""
        batches = self.batches(segments, executor is not None)
        calls = (partial(self.best, batch) for batch in batches)
        if executor is None:
            return (call() for call in calls)
        from truebleu.execution.executors import in_order

        return in_order(executor, calls)

    def best(self, batch: Sequence[Candidates]) -> list[MBRSegment]:
        """Choose candidates for each segment of a batch; may run in another process."""
        settings, is_exact = self.settings, isinstance(self.method, Exact)
        exact: list[Any] = [None] * len(batch)
        if is_exact or settings.check:
            exact = self.exact(batch)
        expected = [e[0] for e in exact] if is_exact else self.method.expected(self, batch)
        return [
            _segment(*of_segment, settings, self.metric.sign)
            for of_segment in zip(batch, expected, exact, strict=True)
        ]

    def batches(
        self, segments: Iterable[Candidates], elsewhere: bool
    ) -> Iterator[list[Candidates]]:
        """Yield segments in batches that are large enough for a call and fit into memory.

        In this process a batch keeps all threads busy; in another it is a task of several segments.
        """
        minimum, max_pairs = 4 * _core.threads(), BATCH_PAIRS
        if elsewhere:
            # A metric without native code is slow, so a single segment makes a task.
            minimum, max_pairs = 1, 1 if self.metric.pair_scorer() is None else TASK_PAIRS
        batch: list[Candidates] = []
        pairs = 0
        for candidates in segments:
            batch.append(candidates)
            pairs += len(candidates.distinct) * len(candidates.columns)
            if pairs >= max_pairs and len(batch) >= minimum:
                yield batch
                batch, pairs = [], 0
        if batch:
            yield batch

    def exact(self, batch: Sequence[Candidates]) -> list[ExactUtilities]:
        """Compute exact expected utilities, and scores of candidates against themselves or None."""
        scorer = self.metric.pair_scorer()
        if scorer is None:
            pairs = (
                (output, reference, candidates.source)
                for candidates in batch
                for output in candidates.distinct
                for reference in candidates.columns
            )
            self.metric.score_ahead(pairs)
            return [_from_matrix(self.metric, candidates) for candidates in batch]
        texts, ends, weights, others, other_ends = _side_by_side(batch)
        utilities, self_utilities = scorer.expected(texts, ends, weights, others, other_ends)
        parts = np.split(utilities, ends[:-1])
        if others is not None:
            return [(part, None) for part in parts]
        return list(zip(parts, np.split(self_utilities, ends[:-1]), strict=True))

    def matrix(self, candidates: Candidates, rows: Indices, columns: Indices) -> Values:
        """Score the candidates at `rows` against the pseudo-references at `columns`."""
        texts = [candidates.distinct[row] for row in rows]
        others = [candidates.columns[column] for column in columns]
        return score_pairs(self.metric, texts, others, candidates.source)


def _aggregated(metric: Metric, batch: Sequence[Candidates]) -> list[Values]:
    """Score each candidate against the mean of the pseudo-references' counts."""
    scorer = metric.pair_scorer()
    assert scorer is not None  # noqa: S101  # `for_references` checked it
    texts, ends, weights, others, other_ends = _side_by_side(batch)
    return np.split(scorer.aggregate(texts, ends, weights, others, other_ends), ends[:-1])


def _from_matrix(metric: Metric, candidates: Candidates) -> ExactUtilities:
    """Compute expected utilities from the scores of all pairs, and the candidates' self scores."""
    matrix = _counted(metric, candidates.distinct, candidates.columns, candidates.source)
    self_utilities = np.diag(matrix).copy() if candidates.references is None else None
    return matrix @ candidates.weights, self_utilities


def _side_by_side(
    batch: Sequence[Candidates],
) -> tuple[list[str], list[int], Values, list[str] | None, list[int] | None]:
    """Concatenate the texts of several segments for the native code."""
    texts = [text for candidates in batch for text in candidates.distinct]
    ends = np.cumsum([len(candidates.distinct) for candidates in batch]).tolist()
    weights = np.concatenate([candidates.weights for candidates in batch])
    if batch[0].references is None:
        return texts, ends, weights, None, None
    others = [text for candidates in batch for text in candidates.columns]
    other_ends = np.cumsum([len(candidates.columns) for candidates in batch]).tolist()
    return texts, ends, weights, others, other_ends
