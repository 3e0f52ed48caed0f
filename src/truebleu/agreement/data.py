"""Human and metric scores of the systems that people judged.

An item is a unit with a human score: a segment, or a document or domain if people judged whole
documents or domains. A metric scores the same items: segments under its sentence-level settings,
documents and domains as one text each. The scores of lower-is-better metrics are negated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from truebleu.errors import MalformedFileError, SettingError, UnpairedSegmentsError
from truebleu.human.judgments import HumanScores, PairwiseJudgments, join_names
from truebleu.metrics.base import GivenMean, MeanScorer, Signature
from truebleu.resampling import Units, on_exact_grid
from truebleu.schema import ComparedByValue
from truebleu.significance.unit_counts import UnitCounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.corpus.outline import Outline
    from truebleu.counts.counts import Counts, MetricCounts
    from truebleu.metrics.base import Scorer
    from truebleu.resampling import Values

__all__ = ["HumanSummary", "Judgments", "mean_of_segments"]

#: Human judgments as `truebleu.human` reads them.
Human: TypeAlias = HumanScores | PairwiseJudgments
#: Segments on which a metric scores systems: the whole test set, or the items that people rated.
SystemScores: TypeAlias = Literal["all", "rated"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judgments(ComparedByValue):
    """Judgments of pairs as arrays with one element per judgment.

    Attributes:
        left: row of the left system in the matrix of metric scores.
        right: row of the right system in the matrix of metric scores.
        item: column of the item in the matrix of metric scores.
        verdict: 1 if the left output is better, -1 if it is worse, 0 if both are tied.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    item: NDArray[np.int64]
    verdict: NDArray[np.int64]

    def __post_init__(self) -> None:
        for name in ("left", "right", "item", "verdict"):
            array = np.asarray(getattr(self, name))
            if array.shape != (len(self.left),) or (array.size and array.dtype.kind not in "iu"):
                shape = f"{array.dtype} of shape {array.shape}"
                expected = f"one whole number for each of {len(self.left)} judgments"
                raise SettingError(name, shape, expected)
            object.__setattr__(self, name, array.astype(np.int64))
        strange = self.verdict[np.abs(self.verdict) > 1]
        if strange.size:
            raise SettingError("verdict", int(strange[0]), "1 (left is better), 0 (tied) or -1")
        if (self.left == self.right).any():
            first = int(np.argmax(self.left == self.right)) + 1
            raise SettingError(
                "judgments", f"judgment {first} of a system and itself", "two systems in each"
            )

    def __len__(self) -> int:
        return len(self.verdict)

    def part(self, items: NDArray[np.int64]) -> Judgments:
        """Return the judgments of the sorted `items`, renumbered from 0."""
        mask = np.isin(self.item, items)
        return Judgments(
            left=self.left[mask],
            right=self.right[mask],
            item=np.searchsorted(items, self.item[mask]),
            verdict=self.verdict[mask],
        )


def shares_of_wins(judgments: Judgments, systems: int) -> Values:
    """Compute each system's wins / (wins + losses); NaN if all its judgments are ties.

    This is the ranking of WMT 2012 (Bojar et al. 2011).
    """
    wins, losses = np.zeros(systems), np.zeros(systems)
    for better in (1, -1):
        decisive = judgments.verdict == better
        winner, loser = (judgments.left, judgments.right)[::better]
        np.add.at(wins, winner[decisive], 1)
        np.add.at(losses, loser[decisive], 1)
    return ratio(wins, wins + losses)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HumanData:
    """Human judgments as arrays: scores of items, or comparisons of pairs.

    Attributes:
        systems: names of the judged systems, in the order of the test set.
        means: one human score per system: the mean of its items, or its share of wins, which is
            NaN for a system whose judgments are all ties.
        item: kind of the items: "segment", "document", "domain", or "system" if people scored
            whole systems and there are no items.
        scores: scores shaped (system, item), NaN if not judged; None without scores of items.
        judgments: comparisons of pairs, or None.
        labels: document or domain of each segment if items are documents or domains, or None.
        names: names of the items if they are documents or domains, or None.
        size: number of items.
        are_separate: True if `means` are on another scale than `scores`.
    """

    systems: tuple[str, ...]
    means: Values
    item: str
    are_separate: bool = False
    scores: Values | None = None
    judgments: Judgments | None = None
    labels: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    size: int

    @property
    def scores_with_means(self) -> Values | None:
        """Scores of items, shifted for each system so that their means are `means`."""
        if self.scores is None:
            return None
        judged = self.judged_cells
        totals = np.where(judged, self.scores, 0.0).sum(axis=1)
        shifts = self.means - ratio(totals, judged.sum(axis=1))
        # Shifts by rounding would change digits.
        shifts[np.abs(shifts) <= 1e-12 * np.abs(self.means)] = 0.0
        return self.scores + shifts[:, np.newaxis]

    @property
    def judged_cells(self) -> NDArray[np.bool_]:
        """Mask of the judged outputs, shaped (system, item)."""
        if self.scores is not None:
            return ~np.isnan(self.scores)
        cells = np.zeros((len(self.systems), self.size), dtype=np.bool_)
        if self.judgments is not None:
            cells[self.judgments.left, self.judgments.item] = True
            cells[self.judgments.right, self.judgments.item] = True
        return cells

    def by_item(self, rows: Values) -> Values:
        """Add up rows of segments to rows of items."""
        if self.labels is None:
            return rows
        indices = {label: index for index, label in enumerate(dict.fromkeys(self.labels))}
        order = [indices[name] for name in self.names or ()]
        return Units.documents(self.labels).add_up(rows)[order]

    def part(self, items: NDArray[np.int64]) -> HumanData:
        """Return the judgments of `items`."""
        names = None if self.names is None else tuple(self.names[item] for item in items)
        part = replace(self, names=names, size=len(items))
        if self.judgments is not None:
            judgments = self.judgments.part(items)
            means = shares_of_wins(judgments, len(self.systems))
            return replace(part, means=means, judgments=judgments)
        assert self.scores is not None  # noqa: S101  # whole systems are not split
        scores = np.ascontiguousarray(self.scores[:, items])
        judged = ~np.isnan(scores)
        means = ratio(np.where(judged, scores, 0.0).sum(axis=1), judged.sum(axis=1))
        # Labels are not needed any more: metrics have scored the items already.
        return replace(part, means=means, scores=scores, labels=None)


def human_data(outline: Outline, human: Human) -> HumanData:
    """Convert human judgments of a test set's systems to arrays.

    Raises CorpusError if the judgments are about other systems, segments or documents.
    """
    strange = [name for name in human.systems if name not in outline.systems]
    if strange:
        expected = f"systems of the test set, {join_names(outline.systems)}"
        raise MalformedFileError(human.label, None, f"judgments of {join_names(strange)}", expected)
    judged = set(human.systems)
    if isinstance(human, HumanScores):
        judged = {name for name, row in human.scores.items() if any(s is not None for s in row)}
    names = tuple(name for name in outline.systems if name in judged)
    if len(names) < 2:
        judgments = f"judgments of {join_names(names) or 'none of the systems'}"
        expected = "judgments of at least two systems: agreement is about differences"
        raise MalformedFileError(human.label, None, judgments, expected)
    if isinstance(human, PairwiseJudgments):
        return _comparison_data(outline, human, names)
    human = replace(human, scores={name: human.scores[name] for name in names})
    means = human.means()
    data = HumanData(
        systems=names,
        means=np.array([means[name] for name in names]),
        item=human.level,
        are_separate=human.are_separate,
        size=0,
    )
    return data if human.level == "system" else _add_scores(outline, human, data)


def _add_scores(outline: Outline, human: HumanScores, data: HumanData) -> HumanData:
    """Add scores of segments, documents or domains to the means of the systems."""
    rows = [[np.nan if s is None else s for s in row] for row in human.scores.values()]
    if human.level == "segment":
        for system, row in zip(human.scores, rows, strict=True):
            if len(row) != outline.segments:
                label = f"{human.label}: {system}"
                raise UnpairedSegmentsError(label, len(row), "the test set", outline.segments)
        return replace(data, scores=np.array(rows, dtype=np.float64), size=outline.segments)
    labels = outline.documents if human.level == "document" else outline.domains
    if labels is None or human.items is None:
        expected = f"a test set with {human.level}s; see --documents"
        raise SettingError(f"{human.level} scores", human.label, expected)
    strange = [name for name in human.items if name not in set(labels)]
    if strange:
        expected = f"a {human.level} of the test set, such as {labels[0]!r}"
        raise MalformedFileError(human.label, None, f"{human.level} {strange[0]!r}", expected)
    # Unjudged documents are part of the test set, and so of the metrics' system scores.
    others = [label for label in dict.fromkeys(labels) if label not in human.items]
    unjudged = np.full((len(rows), len(others)), np.nan)
    names = (*human.items, *others)
    scores = np.concatenate([np.array(rows, dtype=np.float64), unjudged], axis=1)
    return replace(data, scores=scores, labels=labels, names=names, size=len(names))


def _comparison_data(
    outline: Outline, human: PairwiseJudgments, names: tuple[str, ...]
) -> HumanData:
    """Convert comparisons of pairs to arrays."""
    index = {name: number for number, name in enumerate(names)}
    rows = [(index[j.left], index[j.right], j.segment, j.verdict) for j in human.judgments]
    left, right, item, verdict = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    if item.size and item.max() >= outline.segments:
        last = int(item.max()) + 1
        raise UnpairedSegmentsError(human.label, last, "the test set", outline.segments)
    judgments = Judgments(left=left, right=right, item=item, verdict=verdict)
    means = shares_of_wins(judgments, len(names))
    return HumanData(
        systems=names, means=means, item="segment", judgments=judgments, size=outline.segments
    )


# --------------------------------------------------------------------------------------------------
# Metric scores.


def mean_of_segments(scores: ArrayLike) -> UnitCounts:
    """Wrap segment scores as counts of a metric whose system score is their mean.

    Args:
        scores: finite scores shaped (system, segment).
    """
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise SettingError("metric", matrix.shape, "finite scores shaped (system, segment)")
    return mean_counts("metric", matrix)


def mean_counts(label: str, scores: Values) -> UnitCounts:
    """Wrap scores shaped (system, item), NaN if missing, as counts whose score is their mean."""
    present = ~np.isnan(scores)
    rows = np.stack([np.where(present, scores, 0.0).T, present.T.astype(np.float64)], axis=2)
    return UnitCounts(label, GivenMean(name=label, signature=Signature(label, ())), rows)


def signed_scores(scorer: Scorer, sums: Values) -> Values:
    """Return the scores of summed rows, negated if lower is better; NaN for a mean of no scores."""
    if not isinstance(scorer, MeanScorer):
        return scorer.sign * scorer.score(sums)
    empty: NDArray[np.bool_] = sums[..., 1] == 0
    scores = scorer.score(np.where(empty[..., np.newaxis], 1.0, sums))
    return np.where(empty, np.nan, scorer.sign * scores)


def as_lists(values: Values) -> list[Any]:
    """Convert an array to nested lists, with None for NaN."""
    items = values.astype(object)
    items[np.isnan(values)] = None
    return list(items.tolist())


def ratio(total: Values, count: Values) -> Values:
    """Divide totals by their counts; NaN if a count is 0."""
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class MetricData:
    """Scores of the judged systems by one metric, negated if lower is better.

    Attributes:
        counts: counts by item, or by segment if people scored whole systems.
        items: scores shaped (system, item), or None if people scored whole systems.
    """

    counts: UnitCounts
    items: Values | None

    @property
    def scorer(self) -> Scorer:
        """The metric's scorer."""
        return self.counts.metric

    @property
    def systems(self) -> Values:
        """The score of each system."""
        return signed_scores(self.scorer, self.counts.sums)

    def part(self, items: NDArray[np.int64]) -> MetricData:
        """Return the scores of `items`.

        Counts that depend on the whole text, such as NIST's information, are not recomputed.
        """
        rows = np.ascontiguousarray(self.counts.rows[items])
        return MetricData(
            replace(self.counts, rows=rows),
            None if self.items is None else np.ascontiguousarray(self.items[:, items]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class AgreementData:
    """Human and metric scores of the systems that people judged.

    Attributes:
        people: human judgments as arrays.
        metrics: scores of each metric by its label.
        documents: document of each segment, or None.
        repeats: index of the first equal segment of each, if many are repeated; None if few are.
    """

    people: HumanData
    metrics: Mapping[str, MetricData]
    documents: tuple[str, ...] | None
    repeats: tuple[int, ...] | None = None

    @classmethod
    def of(
        cls, people: HumanData, counts: Counts, *, system_scores: SystemScores = "all"
    ) -> AgreementData:
        """Compute the metric scores of the systems and items that people judged.

        Args:
            people: human judgments of some of the systems.
            counts: counts of all systems by each metric.
            system_scores: "all" segments, or "rated" to score each system on its rated items only.
        """
        rated = system_scores == "rated"
        if rated and people.scores is None:
            expected = "'all' without human scores of segments, documents or domains"
            raise SettingError("system_scores", system_scores, expected)
        judged = counts.select(people.systems)
        metrics = {m.label: _metric_data(m, people, rated=rated) for m in judged.metrics}
        return cls(people, metrics, judged.outline.documents, judged.outline.repeats)

    @property
    def human(self) -> Values | None:
        """Human scores shaped (system, item), NaN if not judged; None without items."""
        return self.people.scores

    @property
    def judgments(self) -> Judgments | None:
        """Human comparisons of pairs, or None."""
        return self.people.judgments

    @property
    def by_segment(self) -> bool:
        """True if items are segments, so that documents can be resampled too."""
        return self.people.item == "segment"

    @property
    def items(self) -> dict[str, Values]:
        """Scores of items by metric; empty if people scored whole systems."""
        scores = {label: metric.items for label, metric in self.metrics.items()}
        return {label: items for label, items in scores.items() if items is not None}

    @property
    def systems(self) -> dict[str, Values]:
        """Scores of systems by metric."""
        return {label: metric.systems for label, metric in self.metrics.items()}

    def part(self, items: NDArray[np.int64]) -> AgreementData:
        """Return the judgments and metric scores of `items`."""
        documents = repeats = None
        if self.documents is not None and self.by_segment:
            documents = tuple(self.documents[item] for item in items)
        if self.repeats is not None and self.by_segment:
            repeats = tuple(self.repeats[item] for item in items)
        metrics = {label: metric.part(items) for label, metric in self.metrics.items()}
        return AgreementData(self.people.part(items), metrics, documents, repeats)


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanSummary:
    """A summary of human judgments.

    Attributes:
        file: name of the judgments in messages.
        signature: settings that produced the human scores.
        level: kind of the items: "segment", "document", "domain" or "system".
        raters: number of human raters.
        systems: judged systems, in the order of the test set.
        ignored: systems of the file that are not in the test set.
        unjudged: systems of the test set without judgments.
        scores: human score of each system, or None if all its judgments are ties.
        items: number of judged items; None if people scored whole systems.
        judged: number of cells with a human score; None without scores of items.
        cells: number of cells, an output of one item each; None without scores of items.
        comparisons: number of compared pairs of outputs; None if people gave scores.
        ties: number of ties among the comparisons; None if people gave scores.
        notes: caveats about the scores, in sentences.
    """

    file: str
    signature: str
    level: str
    raters: int
    systems: tuple[str, ...]
    ignored: tuple[str, ...]
    unjudged: tuple[str, ...]
    scores: Mapping[str, float | None]
    items: int | None = None
    judged: int | None = None
    cells: int | None = None
    comparisons: int | None = None
    ties: int | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, human: Human, data: AgreementData, systems: Sequence[str]) -> HumanSummary:
        """Summarize judgments; `systems` are all systems of the test set."""
        people, judgments = data.people, data.judgments
        items: dict[str, int] = {}
        if people.scores is not None:
            rated = people.judged_cells
            items = {"judged": int(rated.sum()), "cells": rated.size}
            items["items"] = int(rated.any(axis=0).sum())
        elif judgments is not None:
            items = {"comparisons": len(judgments), "ties": int((judgments.verdict == 0).sum())}
            items["items"] = len(np.unique(judgments.item))
        return cls(
            file=human.label,
            signature=human.signature,
            level=people.item,
            raters=human.raters,
            systems=people.systems,
            ignored=tuple(human.ignored),
            unjudged=tuple(name for name in systems if name not in people.systems),
            scores=dict(zip(people.systems, as_lists(people.means), strict=True)),
            notes=tuple(human.notes),
            **items,
        )


def agreement_data(
    counts: Counts, human: Human, *, system_scores: SystemScores = "all"
) -> AgreementData:
    """Combine the counts of metrics with human judgments.

    Args:
        counts: counts of the systems' outputs by each metric.
        human: human judgments of the outputs.
        system_scores: "all" segments, or "rated" to score each system on its rated items only.
    """
    people = human_data(counts.outline, human)
    return AgreementData.of(people, counts, system_scores=system_scores)


def _metric_data(metric: MetricCounts, people: HumanData, *, rated: bool) -> MetricData:
    """Return one metric's counts by item, and its scores of the items that people judged."""
    segments = metric.rows.floats()
    exact = on_exact_grid(segments.reshape(len(segments), -1)).reshape(segments.shape)
    rows = people.by_item(exact)
    items = None
    if people.scores is not None or people.judgments is not None:
        # Scores of items use unrounded rows: exact differences decide ties.
        items = _item_scores(metric, people.by_item(segments), people)
    if rated and people.scores is not None:
        rows = rows * ~np.isnan(people.scores).T[:, :, np.newaxis]
    return MetricData(UnitCounts(metric.label, metric.scorer, rows), items)


def _item_scores(metric: MetricCounts, rows: Values, people: HumanData) -> Values:
    """Return a metric's signed scores of items, shaped (system, item); 0 if not judged."""
    if people.item == "segment":
        # A missing score is None, and becomes NaN.
        by_system = np.array(metric.scorer.segment_scores(rows), dtype=np.float64)
        scores = metric.scorer.sign * by_system
    else:
        scores = signed_scores(metric.scorer, rows).T
    judged = people.judged_cells
    missing = judged & ~np.isfinite(scores)
    if missing.any():
        system, item = (int(number) for number in np.argwhere(missing)[0])
        name = item + 1 if people.names is None else repr(people.names[item])
        where = f"{metric.label} of {people.systems[system]!r}, {people.item} {name}"
        expected = "a score wherever people judged; leave that judgment out, or score the output"
        raise SettingError(where, "no score", expected)
    return np.ascontiguousarray(np.where(judged, scores, 0.0))
