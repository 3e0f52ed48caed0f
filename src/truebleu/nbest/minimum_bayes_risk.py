"""Minimum Bayes risk: the candidate that is best on average, if each pseudo-reference may be right.

Every candidate is scored against every pseudo-reference, usually the candidates themselves, and
each pseudo-reference counts as much as it is likely. Equal texts are scored once. The default is
exact; approximations are chosen by name, and `check` says what they cost.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from truebleu._results import Result, plain
from truebleu._settings import DEFAULT_SEED
from truebleu.corpus.test_set import as_test_set
from truebleu.errors import SettingError, UnpairedSegmentsError
from truebleu.metrics.registry import as_metrics
from truebleu.nbest.statistics import as_nbest
from truebleu.nbest.utilities import (
    Expected,
    ExpectedUtilities,
    MBRSettings,
    Method,
    Part,
    Weights,
    as_utility,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    from numpy.typing import ArrayLike, NDArray

    from truebleu.corpus.nbest.lists import NBest
    from truebleu.corpus.test_set import ReferencesLike
    from truebleu.metrics.base import Metric
    from truebleu.nbest.utilities import Candidates


#: Expected utilities this close, relative to the larger one, are tied: rounding can do that.
TIE_TOLERANCE = 1e-12


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
            "version": self.VERSION,
            "name": self.name,
            "metric": {
                "name": self.metric,
                "signature": self.signature,
                "higher_is_better": self.higher_is_better,
            },
            **{key: plain(getattr(self, key)) for key in ("settings", "evaluations", "segments")},
        }


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
    executor: Executor | None = None,
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
        executor: where segments are scored, such as `truebleu.execution.Processes(4)`; None for
            here.
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
        settings,
        None if utilities is not None else metric,
        higher_is_better=higher_is_better,
        executor=executor,
    )
    given = None if isinstance(weights, str) else weights
    segments = tuple(chooser.choose([Part(lists, others, given, utilities)], progress))
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
        executor: where segments are scored; None for here.
    """

    def __init__(
        self,
        settings: MBRSettings,
        metric: str | Metric | Callable[..., Any] | None,
        *,
        higher_is_better: bool = True,
        executor: Executor | None = None,
    ) -> None:
        if metric is None and settings.method != "exact":
            raise SettingError("method", settings.method, "exact, where utilities are given")
        if metric is None and executor is not None:
            raise SettingError("executor", executor, "none, where utilities are given")
        self.settings = settings
        self._given, self._is_higher_better = metric, higher_is_better
        self._executor = executor
        self._metric: Metric | None = None
        self._scored_as: Metric | None = None

    def choose(
        self, parts: Iterable[Part], progress: Callable[[int], None] | None = None
    ) -> Iterator[MBRSegment]:
        """What is chosen from each list, in their order.

        Args:
            parts: lists with what stands beside them; few are in memory at a time.
            progress: called with the number of segments that are done.
        """
        if self._given is None:
            sign, first = 1 if self._is_higher_better else -1, 0
            for part in parts:
                yield from _by_given(part, self.settings, sign, first)
                first += len(part.lists)
            return
        coming = iter(parts)
        opening = list(islice(coming, 1))
        if not opening:
            return
        expected = self._expected(self._given, opening[0])
        for chosen in self._chosen(expected, _in_turn(opening, coming)):
            yield from chosen
            if progress is not None:
                progress(len(chosen))

    def _expected(
        self, given: str | Metric | Callable[..., Any], opening: Part
    ) -> ExpectedUtilities:
        """What scores pairs; the first part fixes what a metric leaves to its references."""
        pseudo = [opening.pseudo_references.texts]
        self._metric = as_utility(given).for_references(pseudo)
        level = self.settings.sentence_level
        self._scored_as = self._metric.sentence_level() if level else self._metric
        return ExpectedUtilities(self._scored_as, self.settings, pseudo)

    def _chosen(
        self, expected: ExpectedUtilities, parts: Iterable[Part]
    ) -> Iterator[list[MBRSegment]]:
        """What is chosen from batches of lists; a batch ends where its part does."""
        executor = self._executor
        calls = (
            partial(_best, expected, batch)
            for segments in self._segments(parts)
            for batch in expected.batches(segments, elsewhere=executor is not None)
        )
        if executor is None:
            return (call() for call in calls)
        from truebleu.execution.executors import in_order

        return in_order(executor, calls)

    def _segments(self, parts: Iterable[Part]) -> Iterator[Iterator[Candidates]]:
        """The segments of each part."""
        first = 0
        for part in parts:
            yield part.segments(self.settings, first, collapse=True)
            first += len(part.lists)
            del part  # before the next one is read

    def utility(self) -> dict[str, Any]:
        """What results say of the utility, after a first choice."""
        metric = self._scored_as
        if metric is None:
            name = "given utilities"
            return {
                "metric": name,
                "signature": name,
                "higher_is_better": self._is_higher_better,
            }
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


def _in_turn(opening: list[Part], coming: Iterable[Part]) -> Iterator[Part]:
    """The first part and those after it; none is kept once it was taken."""
    while opening:
        yield opening.pop()
    yield from coming


def _best(expected: ExpectedUtilities, batch: Sequence[Candidates]) -> list[MBRSegment]:
    """What is chosen for each segment of a batch; may run in another process."""
    settings, sign = expected.settings, expected.metric.sign
    return [
        _segment(candidates, utilities, settings, sign)
        for candidates, utilities in zip(batch, expected.of(batch), strict=True)
    ]


def _by_given(part: Part, settings: MBRSettings, sign: int, first: int) -> Iterator[MBRSegment]:
    lists, matrices = part.lists, () if part.utilities is None else part.utilities
    if len(matrices) != len(lists):
        expected = f"{len(lists)}, as {lists.name}"
        raise SettingError("utilities", f"{len(matrices)} matrices", expected)
    segments = part.segments(settings, first, collapse=False)
    for candidates, values in zip(segments, matrices, strict=True):
        matrix = np.asarray(values, dtype=np.float64)
        shape = (len(candidates.texts), len(candidates.columns))
        if matrix.shape != shape or not np.isfinite(matrix).all():
            where = f"utilities of segment {candidates.number + 1}"
            found = f"shape {matrix.shape}" if matrix.shape != shape else "NaN or infinity"
            raise SettingError(where, found, f"finite numbers, shaped {shape}")
        own = np.diag(matrix).copy() if candidates.references is None else None
        yield _segment(candidates, Expected(matrix @ candidates.weights, own), settings, sign)


def _segment(
    candidates: Candidates, expected: Expected, settings: MBRSettings, sign: int
) -> MBRSegment:
    """Ranks candidates by the expected utilities of the different texts."""
    texts, places = candidates.texts, candidates.places
    utilities = expected.utilities[places]
    if not settings.include_self and expected.own is not None:
        left = 1 - candidates.own_weights
        alone = left <= 0
        with np.errstate(invalid="ignore", divide="ignore"):
            utilities = (utilities - candidates.own_weights * expected.own[places]) / left
        utilities[alone] = np.nan
    ranks = _ranked(texts, sign * utilities, settings.best + 1)
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
    if expected.exact is not None:
        truth = expected.exact[places]
        exact_index = _ranked(texts, sign * truth, 1)[0]
        regret = max(0.0, float(sign * (truth[exact_index] - truth[best])))
    return MBRSegment(
        segment=candidates.number + 1,
        candidates=len(texts),
        distinct=len(set(texts)),
        effective=candidates.effective,
        chosen=tuple(
            MBRChoice(index=index, text=texts[index], utility=_number(float(utilities[index])))
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
