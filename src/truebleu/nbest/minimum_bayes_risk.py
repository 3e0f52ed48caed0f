"""Minimum Bayes risk: the candidate that is best on average, if each pseudo-reference may be right.

Every candidate is scored against every pseudo-reference, usually the candidates themselves, and
each pseudo-reference counts as much as it is likely. Equal texts are scored once. The default is
exact; approximations are chosen by name, and `check` says what they cost.
"""

from __future__ import annotations

from array import array
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from truebleu import _core
from truebleu._results import Result
from truebleu._settings import DEFAULT_SEED, Streams, checked, require_seed
from truebleu.corpus.test_set import as_test_set
from truebleu.errors import SettingError, UnknownNameError, UnpairedSegmentsError
from truebleu.metrics.base import use_environment
from truebleu.metrics.registry import as_metrics
from truebleu.nbest.statistics import as_nbest
from truebleu.nbest.utilities import as_utility, expected_utilities, score_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu._core import PairScorer
    from truebleu.corpus.nbest.lists import NBest
    from truebleu.corpus.test_set import ReferencesLike, TextLike
    from truebleu.metrics.base import Metric


RESULT_VERSION = 1
Weights = Literal["uniform", "probability", "counts"]
Method = Literal["exact", "aggregate", "prune", "coarse-to-fine"]

#: Expected utilities this close, relative to the larger one, are tied: rounding can do that.
TIE_TOLERANCE = 1e-12
#: Pairs that are handed to the native code at once, so that all threads have work.
BATCH_PAIRS = 1 << 22
#: Pruning looks first at so many references, then at twice as many, and so on.
FIRST_REFERENCES = 8


@checked
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
        if self.weights not in (*get_args(Weights), "given"):
            raise UnknownNameError("weights", self.weights, get_args(Weights))
        if self.method not in get_args(Method):
            raise UnknownNameError("method", self.method, get_args(Method))
        if not (isfinite(self.temperature) and self.temperature > 0):
            raise SettingError("temperature", self.temperature, "a number above 0")
        if not 0 < self.alpha < 1:
            raise SettingError("alpha", self.alpha, "a number between 0 and 1")
        for name in ("best", "keep", "replicates"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise SettingError(name, value, "a whole number from 1 up")
        require_seed(self.seed)
        if self.method == "exact" and self.check:
            raise SettingError("check", True, "an approximate method; exact has nothing to check")
        if not self.include_self and self.method != "exact":
            raise SettingError("include_self", False, "method exact")


@dataclass(frozen=True, slots=True, kw_only=True)
class MBRChoice:
    """A chosen candidate: its index in the list, from 0, its text and its expected utility."""

    index: int
    text: str
    utility: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MBRSegment:
    """What was chosen for one segment.

    Attributes:
        segment: the segment's number, from 1.
        candidates: how many candidates it has.
        distinct: how many of them are different texts.
        effective: how many equally likely pseudo-references would be as diverse: 1 / Σp².
        chosen: the best candidates, different texts, the best first.
        ties: how many other texts have the same expected utility as the best.
        margin: by how much the best one is better than the next text; None where there is none.
        utilities: the expected utility of each candidate in the order of the list; None for one
            that an approximation did not look at.
        exact_index: the choice of the exact method, where it was checked.
        regret: how much expected utility the approximation gave away, where it was checked.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MBREvaluation:
    """Scores against real references: of the first candidates and of the chosen ones."""

    metric: str
    signature: str
    higher_is_better: bool | None
    first: float
    chosen: float


def _floats() -> array[float]:
    return array("d")


@dataclass(slots=True)
class MBRTally:
    """What the choices for all segments come to, in a few numbers of each.

    Attributes:
        candidates: how many each segment has.
        distinct: how many of them are different texts.
        effective: how many equally likely pseudo-references would be as diverse.
        utility: the expected utility of the choice, where it has one.
        margin: to the next text, where there is one.
        regret: of an approximation, where it was checked.
        moved: in how many segments another candidate than the first was chosen.
        tied: in how many several texts are as good.
    """

    candidates: array[float] = field(default_factory=_floats)
    distinct: array[float] = field(default_factory=_floats)
    effective: array[float] = field(default_factory=_floats)
    utility: array[float] = field(default_factory=_floats)
    margin: array[float] = field(default_factory=_floats)
    regret: array[float] = field(default_factory=_floats)
    moved: int = 0
    tied: int = 0

    @classmethod
    def of(cls, segments: Iterable[MBRSegment]) -> MBRTally:
        """Of segments."""
        tally = cls()
        for segment in segments:
            tally.add(segment)
        return tally

    def add(self, segment: MBRSegment) -> None:
        """Count one segment more."""
        self.candidates.append(segment.candidates)
        self.distinct.append(segment.distinct)
        self.effective.append(segment.effective)
        for column, value in (
            (self.utility, segment.best.utility),
            (self.margin, segment.margin),
            (self.regret, segment.regret),
        ):
            if value is not None:
                column.append(value)
        self.moved += segment.best.index != 0
        self.tied += segment.ties > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MBRSummary(Result):
    """What choices come to that were written somewhere else; the attributes are those of results.

    Attributes:
        tally: of all segments.
    """

    name: str
    metric: str
    signature: str
    higher_is_better: bool
    settings: MBRSettings
    tally: MBRTally
    evaluations: tuple[MBREvaluation, ...] = ()

    REPORT: ClassVar[str] = "truebleu.reports.nbest:mbr_summary_document"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        values = asdict(self)
        values["tally"] = {
            name: list(value) if isinstance(value, array) else value
            for name, value in values["tally"].items()
        }
        return {"version": RESULT_VERSION, **values, "evaluations": list(values["evaluations"])}


@dataclass(frozen=True, slots=True, kw_only=True)
class MBRResult(Result):
    """The choices for all segments.

    Attributes:
        name: where the lists are from.
        metric: the name of the utility.
        signature: its settings.
        higher_is_better: its direction.
        settings: how the choice was made.
        segments: one for each list.
        evaluations: scores against real references, where there are some.
    """

    name: str
    metric: str
    signature: str
    higher_is_better: bool
    settings: MBRSettings
    segments: tuple[MBRSegment, ...]
    evaluations: tuple[MBREvaluation, ...] = ()

    REPORT: ClassVar[str] = "truebleu.reports.nbest:mbr_document"

    @property
    def texts(self) -> list[str]:
        """The best candidate of each segment."""
        return [segment.best.text for segment in self.segments]

    @property
    def tally(self) -> MBRTally:
        """What the choices come to."""
        return MBRTally.of(self.segments)

    @property
    def indices(self) -> list[int]:
        """Its index in the list, from 0."""
        return [segment.best.index for segment in self.segments]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--format json`` prints them."""
        return {
            "version": RESULT_VERSION,
            "name": self.name,
            "metric": {
                "name": self.metric,
                "signature": self.signature,
                "higher_is_better": self.higher_is_better,
            },
            "settings": asdict(self.settings),
            "evaluations": [asdict(evaluation) for evaluation in self.evaluations],
            "segments": [
                {
                    **asdict(segment),
                    "chosen": [asdict(choice) for choice in segment.chosen],
                    "utilities": list(segment.utilities),
                }
                for segment in self.segments
            ],
        }


@checked
def mbr(
    candidates: NBest | Iterable[Iterable[str]],
    *,
    metric: str | Metric | Callable[..., Any] = "chrf",
    pseudo_references: NBest | Iterable[Iterable[str]] | None = None,
    weights: Weights | Sequence[ArrayLike] = "uniform",
    temperature: float = 1.0,
    include_self: bool = True,
    sentence_level: bool = True,
    method: Method = "exact",
    best: int = 1,
    check: bool = False,
    keep: int = 16,
    coarse: str = "chrf",
    alpha: float = 0.99,
    replicates: int = 500,
    seed: int = DEFAULT_SEED,
    utilities: Sequence[ArrayLike] | None = None,
    higher_is_better: bool = True,
    references: ReferencesLike | None = None,
    progress: Callable[[int], None] | None = None,
) -> MBRResult:
    """Choose the candidate of each segment with the highest expected utility.

    >>> result = mbr([["the cat sat", "a cat sat", "the cat ran", "dogs bark"]], metric="chrf")
    >>> result.texts
    ['the cat sat']

    Args:
        candidates: n-best lists or samples: see `read_nbest`, or lists of str.
        metric: the utility: any metric that scores single segments, by name or as an object, or a
            function that takes an output and the list of its references.
        pseudo_references: what candidates are compared with; by default with each other.
        weights: how likely each pseudo-reference is; or a list of numbers for each segment.
        temperature: see MBRSettings, as for what follows.
        include_self: whether a candidate is compared with itself too.
        sentence_level: whether pairs are scored as the metric scores single segments.
        method: exact, aggregate, prune or coarse-to-fine.
        best: how many candidates of each segment to return.
        check: whether to measure what an approximation misses.
        keep: with coarse-to-fine, how many candidates are kept.
        coarse: with coarse-to-fine, the cheaper metric.
        alpha: with prune, how sure it must be that a candidate is not the best.
        replicates: with prune, how many bootstrap samples.
        seed: with prune, what they are drawn with.
        utilities: a matrix for each segment, shaped (candidate, pseudo-reference), in place of a
            metric.
        higher_is_better: the direction of these utilities.
        references: real references, to see what the choice is worth by this and another metric.
        progress: called with the number of segments that are done.
    """
    lists = as_nbest(candidates)
    settings = MBRSettings(
        weights=weights if isinstance(weights, str) else "given",
        temperature=float(temperature),
        include_self=include_self,
        sentence_level=sentence_level,
        method=method,
        best=best,
        check=check,
        keep=keep,
        coarse=coarse,
        alpha=alpha,
        replicates=replicates,
        seed=seed,
    )
    others = None if pseudo_references is None else as_nbest(pseudo_references)
    if others is not None and len(others) != len(lists):
        raise UnpairedSegmentsError(others.name, len(others), lists.name, len(lists))
    chooser = Chooser(
        settings, None if utilities is not None else metric, higher_is_better=higher_is_better
    )
    given = None if isinstance(weights, str) else weights
    chosen = chooser.choose(lists, others, weights=given, utilities=utilities, progress=progress)
    segments = tuple(chosen)
    evaluations: tuple[MBREvaluation, ...] = ()
    if references is not None:
        first = lists.choose(np.zeros(len(lists), dtype=np.int64))
        texts = [segment.best.text for segment in segments]
        evaluations = chooser.evaluate(first, texts, references)
    return MBRResult(
        name=lists.name,
        segments=segments,
        evaluations=evaluations,
        settings=settings,
        **chooser.utility(),
    )


class Chooser:
    """Chooses from lists, all at once or part by part.

    The texts of the first part fix what a metric leaves to them, such as how words are cut.

    Args:
        settings: how the choice is made.
        metric: the utility; None where utilities are given.
        higher_is_better: the direction of given ones.
    """

    def __init__(
        self,
        settings: MBRSettings,
        metric: str | Metric | Callable[..., Any] | None,
        *,
        higher_is_better: bool = True,
    ) -> None:
        if metric is None and settings.method != "exact":
            raise SettingError("method", settings.method, "exact, where utilities are given")
        self.settings = settings
        self._given, self._is_higher_better = metric, higher_is_better
        self._metric: Metric | None = None
        self._decider: _Decider | None = None
        self._done = 0

    def choose(
        self,
        lists: NBest,
        others: NBest | None = None,
        *,
        weights: Sequence[ArrayLike] | None = None,
        utilities: Sequence[ArrayLike] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Iterator[MBRSegment]:
        """What is chosen from the next lists; the arguments are those of `mbr`, for these lists."""
        settings = self.settings
        if others is not None and not settings.include_self:
            raise SettingError("include_self", False, "candidates that are compared mutually")
        first, self._done = self._done, self._done + len(lists)
        problems = _problems(
            lists, others, settings, weights, first=first, collapse=self._given is not None
        )
        if self._given is None:
            sign = 1 if self._is_higher_better else -1
            matrices = () if utilities is None else utilities
            yield from _by_given(list(problems), matrices, settings, sign, lists.name)
            return
        if self._decider is None:
            pseudo = [(lists if others is None else others).texts]
            self._metric = as_utility(self._given).for_references(pseudo)
            metric = self._metric.sentence_level() if settings.sentence_level else self._metric
            self._decider = _Decider(metric, settings, pseudo)
        yield from self._decider.segments(problems, progress)

    def utility(self) -> dict[str, Any]:
        """What results say of the utility, after a first choice."""
        if self._decider is None:
            name = "given utilities"
            return {
                "metric": name,
                "signature": name,
                "higher_is_better": self._is_higher_better,
            }
        metric = self._decider.metric
        return {
            "metric": metric.name,
            "signature": str(metric.signature),
            "higher_is_better": metric.higher_is_better is not False,
        }

    def evaluate(
        self, first: Sequence[str], chosen: Sequence[str], references: ReferencesLike
    ) -> tuple[MBREvaluation, ...]:
        """Scores of the first and the chosen candidates by the utility and by another metric."""
        metrics: list[Metric] = [] if self._metric is None else [self._metric]
        # A choice by BLEU should be better by BLEU: only another metric is evidence.
        second = "chrf" if self.utility()["metric"] == "BLEU" else "bleu"
        metrics += as_metrics([second])
        test_set = as_test_set({"first": list(first), "chosen": list(chosen)}, references)
        evaluations = []
        for unfixed in metrics:
            metric = unfixed.for_references(test_set.references)
            scores = [float(metric.score(sums)) for sums in metric.count(test_set).sums()]
            evaluations.append(
                MBREvaluation(
                    metric=metric.name,
                    signature=str(
                        metric.signature.with_references(test_set.references_per_segment)
                    ),
                    higher_is_better=metric.higher_is_better,
                    first=scores[0],
                    chosen=scores[1],
                )
            )
        return tuple(evaluations)


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
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
        return self.distinct if self.references is None else self.references

    @property
    def effective(self) -> float:
        return float(1 / np.square(self.weights).sum())


def _problems(
    lists: NBest,
    others: NBest | None,
    settings: MBRSettings,
    given: Sequence[ArrayLike] | None,
    *,
    first: int,
    collapse: bool,
) -> Iterator[_Problem]:
    of = lists if others is None else others
    if settings.weights == "probability" and of.log_probabilities is None:
        expected = (
            "log-probabilities that are not normalised by length; say what the scores are "
            "(log_base, length_normalized=False, or the key of a log-probability)"
        )
        raise SettingError("weights", f"probability, of {of.name}", expected)
    if settings.weights == "counts" and of.counts is None:
        raise SettingError("weights", f"counts, of {of.name}", "lists with counts (count_key)")
    if given is not None and len(given) != len(of):
        raise SettingError("weights", f"{len(given)} lists", f"{len(of)}")
    for segment in range(len(lists)):
        weights = _weights(of, segment, settings, None if given is None else given[segment])
        texts = lists[segment]
        distinct, places = _distinct(texts, collapse=collapse)
        if others is None:
            references, columns, size = None, places, len(distinct)
        else:
            references, columns = _distinct(others[segment], collapse=collapse)
            size = len(references)
        yield _Problem(
            first + segment,
            texts,
            distinct,
            places,
            references,
            np.bincount(columns, weights=weights, minlength=size).astype(np.float64),
            weights,
            None if lists.sources is None else lists.sources[segment],
        )


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


class _Decider:
    """Finds the best candidates of many segments by one metric."""

    def __init__(self, metric: Metric, settings: MBRSettings, pseudo: Sequence[TextLike]) -> None:
        use_environment()
        self.metric = metric
        self.settings = settings
        self.sign = metric.sign
        self.scorer: PairScorer | None = metric.pair_scorer()
        self.coarse: Metric | None = None
        if settings.method == "aggregate" and self.scorer is None:
            expected = "exact; aggregation is defined for BLEU and chrF"
            raise SettingError("method", f"aggregate, with {metric.name}", expected)
        if settings.method == "coarse-to-fine":
            self.coarse = as_utility(settings.coarse).for_references(pseudo).sentence_level()

    def segments(
        self, problems: Iterable[_Problem], progress: Callable[[int], None] | None
    ) -> Iterator[MBRSegment]:
        """What is chosen for each segment; a batch of them is in memory at a time."""
        for batch in _batches(problems):
            if self.settings.method == "exact":
                utilities = self._exact(batch)
            elif self.settings.method == "aggregate":
                utilities = [(scores, None) for scores in self._aggregate(batch)]
            elif self.settings.method == "prune":
                utilities = [(self._pruned(problem), None) for problem in batch]
            else:
                utilities = [(self._kept(problem), None) for problem in batch]
            exact = self._exact(batch) if self.settings.check else [(None, None)] * len(batch)
            for problem, (scores, own), (truth, _) in zip(batch, utilities, exact, strict=True):
                yield _segment(problem, scores, own, self.settings, self.sign, truth)
            if progress is not None:
                progress(len(batch))

    def _exact(
        self, batch: Sequence[_Problem]
    ) -> list[tuple[NDArray[np.float64], NDArray[np.float64] | None]]:
        if self.scorer is None:
            return [
                expected_utilities(self.metric, None, p.distinct, p.references, p.weights, p.source)
                for p in batch
            ]
        texts, ends, weights, others, other_ends = _side_by_side(batch)
        expected, own = self.scorer.expected(texts, ends, weights, others, other_ends)
        parts = np.split(expected, ends[:-1])
        if others is not None:
            return [(part, None) for part in parts]
        return list(zip(parts, np.split(own, ends[:-1]), strict=True))

    def _aggregate(self, batch: Sequence[_Problem]) -> list[NDArray[np.float64]]:
        assert self.scorer is not None  # noqa: S101  # refused when this was made
        texts, ends, weights, others, other_ends = _side_by_side(batch)
        scores = self.scorer.aggregate(texts, ends, weights, others, other_ends)
        return np.split(scores, ends[:-1])

    def _kept(self, problem: _Problem) -> NDArray[np.float64]:
        """Exact utilities of the candidates that are best by the coarse metric, else NaN."""
        assert self.coarse is not None  # noqa: S101  # set when this was made
        coarse = self.coarse.pair_scorer()
        sign = self.coarse.sign
        texts, ends, weights, others, other_ends = _side_by_side([problem])
        if coarse is not None:
            scores = coarse.aggregate(texts, ends, weights, others, other_ends)
        else:
            scores, _ = expected_utilities(
                self.coarse, None, texts, others, weights, problem.source
            )
        kept = np.sort(np.argsort(-sign * scores, kind="stable")[: self.settings.keep])
        utilities = np.full(len(texts), np.nan)
        utilities[kept] = self._matrix(problem, kept, np.arange(len(weights))) @ weights
        return utilities

    def _pruned(self, problem: _Problem) -> NDArray[np.float64]:
        """Exact utilities of the candidates that samples of the references do not rule out.

        Cheng and Vlachos (2023): of ever more references, bootstrap samples are drawn; a candidate
        that reaches the best one in too few of them is dropped.
        """
        settings, weights = self.settings, problem.weights
        draw = Streams(settings.seed, "mbr prune").at(problem.number)
        order = sorted(range(len(weights)), key=lambda _: draw())
        alive = np.arange(len(problem.distinct))
        scores = np.empty((len(alive), 0))
        seen = 0
        size = FIRST_REFERENCES
        while seen < len(order):
            columns = np.array(order[seen:size])
            seen += len(columns)
            scores = np.hstack([scores, self._matrix(problem, alive, columns)])
            if len(alive) > 1 and seen < len(order):
                keep = self._can_be_best(scores, weights[order[:seen]], draw)
                alive, scores = alive[keep], scores[keep]
            size *= 2
        utilities = np.full(len(problem.distinct), np.nan)
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
        means = self.sign * (scores @ counts.T)
        best = int(np.argmax(self.sign * (scores @ weights)))
        reaches = (means >= means[best]).mean(axis=1)
        keep: NDArray[np.bool_] = reaches > 1 - self.settings.alpha
        keep[best] = True
        return keep

    def _matrix(
        self, problem: _Problem, rows: NDArray[np.int64], columns: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        texts = [problem.distinct[row] for row in rows]
        others = [problem.columns[column] for column in columns]
        return score_pairs(self.metric, texts, others, problem.source)


def _batches(problems: Iterable[_Problem]) -> Iterator[list[_Problem]]:
    """Segments in batches that keep all threads busy, and memory bounded."""
    batch: list[_Problem] = []
    pairs, least = 0, 4 * _core.threads()
    for problem in problems:
        batch.append(problem)
        pairs += len(problem.distinct) * len(problem.columns)
        if pairs >= BATCH_PAIRS and len(batch) >= least:
            yield batch
            batch, pairs = [], 0
    if batch:
        yield batch


def _side_by_side(
    batch: Sequence[_Problem],
) -> tuple[list[str], list[int], NDArray[np.float64], list[str] | None, list[int] | None]:
    """The texts of several segments, one after the other, as the native code takes them."""
    texts = [text for problem in batch for text in problem.distinct]
    ends = np.cumsum([len(problem.distinct) for problem in batch]).tolist()
    weights = np.concatenate([problem.weights for problem in batch])
    if batch[0].references is None:
        return texts, ends, weights, None, None
    others = [text for problem in batch for text in problem.columns]
    other_ends = np.cumsum([len(problem.columns) for problem in batch]).tolist()
    return texts, ends, weights, others, other_ends


def _by_given(
    problems: Sequence[_Problem],
    utilities: Sequence[ArrayLike],
    settings: MBRSettings,
    sign: int,
    name: str,
) -> Iterator[MBRSegment]:
    if len(utilities) != len(problems):
        raise SettingError("utilities", f"{len(utilities)} matrices", f"{len(problems)}, as {name}")
    for problem, values in zip(problems, utilities, strict=True):
        matrix = np.asarray(values, dtype=np.float64)
        shape = (len(problem.texts), len(problem.columns))
        if matrix.shape != shape or not np.isfinite(matrix).all():
            where = f"utilities of segment {problem.number + 1}"
            found = f"shape {matrix.shape}" if matrix.shape != shape else "NaN or infinity"
            raise SettingError(where, found, f"finite numbers, shaped {shape}")
        own = np.diag(matrix).copy() if problem.references is None else None
        yield _segment(problem, matrix @ problem.weights, own, settings, sign, None)


def _segment(
    problem: _Problem,
    scores: NDArray[np.float64],
    own: NDArray[np.float64] | None,
    settings: MBRSettings,
    sign: int,
    exact: NDArray[np.float64] | None,
) -> MBRSegment:
    """Ranks candidates by the expected utilities of the different texts."""
    places = problem.places
    utilities = scores[places]
    if not settings.include_self and own is not None:
        left = 1 - problem.own_weights
        alone = left <= 0
        with np.errstate(invalid="ignore", divide="ignore"):
            utilities = (utilities - problem.own_weights * own[places]) / left
        utilities[alone] = np.nan
    ranks = _ranked(problem.texts, sign * utilities, settings.best + 1)
    best = ranks[0]
    best_utility = float(utilities[best])
    margin = None
    if len(ranks) > 1 and np.isfinite(utilities[ranks[1]]):
        margin = abs(best_utility - float(utilities[ranks[1]]))
    tied = {
        text
        for text, utility in zip(problem.texts, utilities.tolist(), strict=True)
        if _tied(utility, best_utility)
    }
    exact_index = regret = None
    if exact is not None:
        truth = exact[places]
        exact_index = _ranked(problem.texts, sign * truth, 1)[0]
        regret = max(0.0, float(sign * (truth[exact_index] - truth[best])))
    return MBRSegment(
        segment=problem.number + 1,
        candidates=len(problem.texts),
        distinct=len(set(problem.texts)),
        effective=problem.effective,
        chosen=tuple(
            MBRChoice(
                index=index, text=problem.texts[index], utility=_number(float(utilities[index]))
            )
            for index in ranks[: settings.best]
        ),
        ties=max(0, len(tied) - 1),
        margin=margin,
        utilities=tuple(map(_number, utilities.tolist())),
        exact_index=exact_index,
        regret=regret,
    )


def _number(utility: float) -> float | None:
    return utility if isfinite(utility) else None


def _tied(utility: float, other: float) -> bool:
    return abs(utility - other) <= TIE_TOLERANCE * max(abs(utility), abs(other))


def _apart(utility: float, other: float) -> bool:
    return isfinite(utility) != isfinite(other) or (isfinite(utility) and not _tied(utility, other))


def _ranked(texts: Sequence[str], goodness: NDArray[np.float64], count: int) -> list[int]:
    """The indices of the best candidates with different texts; of tied ones, the first in the list.

    What has no utility comes last, in the order of the list.
    """
    order = np.argsort(-np.where(np.isnan(goodness), -np.inf, goodness), kind="stable").tolist()
    ranks: list[int] = []
    taken: set[str] = set()
    start = 0
    while start < len(order) and len(ranks) < count:
        end = start + 1
        top = float(goodness[order[start]])
        while end < len(order) and not _apart(float(goodness[order[end]]), top):
            end += 1
        for index in sorted(order[start:end]):
            if texts[index] not in taken and len(ranks) < count:
                taken.add(texts[index])
                ranks.append(index)
        start = end
    return ranks
