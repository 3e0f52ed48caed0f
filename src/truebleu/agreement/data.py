"""Human scores beside metric scores: systems that people judged, and what metrics say of them.

An item is what people gave a score: a segment, or a document or domain where they judged those. A
metric scores the same items: single segments under its sentence-level settings, documents and
domains as the texts that they are. The scores of lower-is-better metrics are negated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from truebleu.agreement.bootstrap import SegmentStatistics
from truebleu.agreement.comparisons import Judgments, shares_of_wins
from truebleu.errors import MalformedFileError, SettingError, UnpairedSegmentsError
from truebleu.human.judgments import HumanScores, PairwiseJudgments, listed
from truebleu.metrics.registry import metric_labels
from truebleu.resampling import Units, on_exact_grid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import Metric
    from truebleu.resampling import Values

#: What people said, as `truebleu.human` reads it.
Human: TypeAlias = HumanScores | PairwiseJudgments
#: Whether a metric scores systems on the whole test set, or on what people rated of them.
SystemScores: TypeAlias = Literal["all", "rated"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HumanData:
    """What people said, as arrays: scores of items, or comparisons.

    Attributes:
        systems: the names of those that were judged, in the order of the test set.
        means: one human score per system: the mean of its items, or its share of wins, which is
            NaN for a system of which people found nothing better or worse.
        item: what an item is: "segment", "document", "domain", or "system" where whole systems
            were scored and there are no items.
        scores: shaped (system, item), NaN where nobody judged; None without scores of items.
        judgments: comparisons of pairs, where people made those.
        labels: the document or domain of each segment, where items are those.
        names: the names of such items.
        size: the number of items.
    """

    systems: tuple[str, ...]
    means: Values
    item: str
    scores: Values | None = None
    judgments: Judgments | None = None
    labels: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    size: int

    @property
    def judged_cells(self) -> NDArray[np.bool_]:
        """Which outputs were judged, shaped (system, item)."""
        if self.scores is not None:
            return ~np.isnan(self.scores)
        cells = np.zeros((len(self.systems), self.size), dtype=np.bool_)
        if self.judgments is not None:
            cells[self.judgments.left, self.judgments.item] = True
            cells[self.judgments.right, self.judgments.item] = True
        return cells

    @property
    def order(self) -> list[int]:
        """For each item its place among the labels as they first appear."""
        places = {label: place for place, label in enumerate(dict.fromkeys(self.labels or ()))}
        return [places[name] for name in self.names or ()]

    def name_of(self, item: int) -> str:
        """What messages call an item."""
        return f"{self.item} {item + 1 if self.names is None else repr(self.names[item])}"


def human_data(test_set: TestSet, human: Human) -> HumanData:
    """What people said of a test set's systems.

    Raises:
        CorpusError: when the judgments are of other systems, segments or documents.
    """
    strange = [name for name in human.systems if name not in test_set.systems]
    if strange:
        given = f"judgments of {listed(strange)}"
        expected = f"systems of the test set, {listed(list(test_set.systems))}"
        raise MalformedFileError(human.label, None, given, expected)
    if isinstance(human, PairwiseJudgments):
        names = _judged_names(test_set, human, set(human.systems))
        return _comparing(test_set, human, names)
    judged = {name for name, row in human.scores.items() if any(s is not None for s in row)}
    names = _judged_names(test_set, human, judged)
    means = human.means() if judged == set(human.systems) else _means(human, names)
    systems = np.array([means[name] for name in names])
    if human.level == "system":
        return HumanData(systems=names, means=systems, item="system", size=0)
    return _scoring(test_set, human, names, systems)


def _judged_names(test_set: TestSet, human: Human, judged: set[str]) -> tuple[str, ...]:
    names = tuple(name for name in test_set.systems if name in judged)
    if len(names) < 2:
        given = f"judgments of {listed(names) or 'none of the systems'}"
        expected = "judgments of at least two systems: agreement is about differences"
        raise MalformedFileError(human.label, None, given, expected)
    return names


def _means(human: HumanScores, names: Sequence[str]) -> dict[str, float]:
    kept = HumanScores(
        label=human.label,
        level=human.level,
        scores={name: human.scores[name] for name in names},
        signature=human.signature,
    )
    return kept.means()


def _scoring(
    test_set: TestSet, human: HumanScores, names: tuple[str, ...], means: Values
) -> HumanData:
    cells = [[np.nan if s is None else s for s in human.scores[name]] for name in names]
    scores = np.array(cells, dtype=np.float64)
    if human.level == "segment":
        if scores.shape[1] != len(test_set):
            segments = scores.shape[1]
            raise UnpairedSegmentsError(human.label, segments, "the test set", len(test_set))
        return HumanData(
            systems=names, means=means, item="segment", scores=scores, size=len(test_set)
        )
    labels = test_set.documents if human.level == "document" else test_set.domains
    if labels is None or human.items is None:
        expected = f"a test set with {human.level}s; see --documents"
        raise SettingError(f"{human.level} scores", human.label, expected)
    strange = [name for name in human.items if name not in set(labels)]
    if strange:
        expected = f"a {human.level} of the test set, such as {labels[0]!r}"
        raise MalformedFileError(human.label, None, f"{human.level} {strange[0]!r}", expected)
    # What nobody judged is part of the test set, and so of the metrics' system scores.
    others = [label for label in dict.fromkeys(labels) if label not in human.items]
    unjudged = np.full((len(names), len(others)), np.nan)
    return HumanData(
        systems=names,
        means=means,
        item=human.level,
        scores=np.concatenate([scores, unjudged], axis=1),
        labels=labels,
        names=(*human.items, *others),
        size=len(human.items) + len(others),
    )


def _comparing(test_set: TestSet, human: PairwiseJudgments, names: tuple[str, ...]) -> HumanData:
    place = {name: number for number, name in enumerate(names)}
    last = max((judgment.segment for judgment in human.judgments), default=-1)
    if last >= len(test_set):
        raise UnpairedSegmentsError(human.label, last + 1, "the test set", len(test_set))
    judgments = Judgments(
        left=np.array([place[judgment.left] for judgment in human.judgments], dtype=np.int64),
        right=np.array([place[judgment.right] for judgment in human.judgments], dtype=np.int64),
        item=np.array([judgment.segment for judgment in human.judgments], dtype=np.int64),
        verdict=np.array([judgment.verdict for judgment in human.judgments], dtype=np.int64),
    )
    return HumanData(
        systems=names,
        means=shares_of_wins(judgments, len(names)),
        item="segment",
        judgments=judgments,
        size=len(test_set),
    )


# --------------------------------------------------------------------------------------------------
# What metrics say.


@dataclass(frozen=True, slots=True, eq=False)
class MetricData:
    """One metric's scores of the judged systems, negated where lower is better.

    Attributes:
        metric: the metric.
        items: shaped (system, item); None where people scored whole systems only.
        systems: one score per system.
        statistics: what it counted by item, or by segment where there are no items.
    """

    metric: Metric
    items: Values | None
    systems: Values
    statistics: SegmentStatistics

    @property
    def sign(self) -> int:
        """-1 where the scores were negated."""
        return self.metric.sign


@dataclass(frozen=True, slots=True, eq=False)
class AgreementData:
    """The systems that people judged, and what metrics say of them.

    Attributes:
        people: what people said of them.
        metrics: the metrics' scores by their labels.
        documents: the document of each segment, where that is known.
    """

    people: HumanData
    metrics: Mapping[str, MetricData]
    documents: tuple[str, ...] | None

    @property
    def human(self) -> Values | None:
        """Human scores shaped (system, item), NaN where nobody judged; None without items."""
        return self.people.scores

    @property
    def judgments(self) -> Judgments | None:
        """Comparisons of pairs, where people made those."""
        return self.people.judgments

    @property
    def by_segment(self) -> bool:
        """Whether items are segments, so that documents may be drawn as well."""
        return self.people.item == "segment"

    @property
    def items(self) -> dict[str, Values]:
        """Every metric's scores of items."""
        return {
            label: metric.items
            for label, metric in self.metrics.items()
            if metric.items is not None
        }

    @property
    def systems(self) -> dict[str, Values]:
        """Every metric's scores of systems."""
        return {label: metric.systems for label, metric in self.metrics.items()}


def agreement_data(
    test_set: TestSet,
    human: Human,
    metrics: Sequence[Metric],
    *,
    system_scores: SystemScores = "all",
) -> AgreementData:
    """Bring human scores and metrics together.

    Args:
        test_set: what the systems translated.
        human: what people said of it.
        metrics: which are judged by it.
        system_scores: "rated" scores systems on what people rated of them only.
    """
    people = human_data(test_set, human)
    if system_scores == "rated" and people.scores is None:
        expected = "'all' where people did not score segments, documents or domains"
        raise SettingError("system_scores", system_scores, expected)
    texts = replace(test_set, systems={name: test_set.systems[name] for name in people.systems})
    labels = metric_labels(metrics)
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise SettingError("metrics", f"{twice} twice", "every metric once, with its settings")
    rated = system_scores == "rated"
    scored = {
        label: _metric_data(label, metric, texts, people, rated=rated)
        for label, metric in zip(labels, metrics, strict=True)
    }
    return AgreementData(people, scored, texts.documents)


def _metric_data(
    label: str, metric: Metric, texts: TestSet, people: HumanData, *, rated: bool
) -> MetricData:
    segments = metric.count(texts).array()
    exact = on_exact_grid(segments.reshape(len(segments), -1)).reshape(segments.shape)
    rows = _by_item(exact, people)
    items = None
    if people.scores is not None or people.judgments is not None:
        # The rows as they are: their exact differences make or break ties.
        items = metric.sign * _item_scores(label, metric, _by_item(segments, people), people)
    if rated and people.scores is not None:
        rows = rows * ~np.isnan(people.scores).T[:, :, np.newaxis]
    statistics = SegmentStatistics(rows, partial(_signed_scores, metric))
    systems = statistics.score(rows.sum(axis=0))
    return MetricData(metric, items, systems, statistics)


def _signed_scores(metric: Metric, sums: Values) -> Values:
    """Scores of which higher is better."""
    return metric.sign * _text_scores(metric, sums)


def _by_item(rows: Values, people: HumanData) -> Values:
    """Rows of segments, or of documents or domains as one text each."""
    if people.labels is None:
        return rows
    return Units.documents(people.labels).add_up(rows)[people.order]


def _item_scores(label: str, metric: Metric, rows: Values, people: HumanData) -> Values:
    """A metric's scores of all items, shaped (system, item); 0 where nobody judged."""
    if people.item == "segment":
        by_system = metric.segment_scores(rows)
        scores = np.array(
            [[np.nan if score is None else score for score in scores] for scores in by_system],
            dtype=float,
        )
    else:
        scores = _text_scores(metric, rows).T
    judged = people.judged_cells
    lacking = judged & ~np.isfinite(scores)
    if lacking.any():
        system, item = (int(number) for number in np.argwhere(lacking)[0])
        where = f"{label} of {people.systems[system]!r}, {people.name_of(item)}"
        expected = "a score wherever people judged; leave that judgment out, or score the output"
        raise SettingError(where, "no score", expected)
    return np.ascontiguousarray(np.where(judged, scores, 0.0))


def _text_scores(metric: Metric, sums: Values) -> Values:
    """Scores of summed rows; NaN where a mean is of no scores at all, such as of no segment."""
    if not metric.is_mean:
        return metric.score(sums)
    empty: NDArray[np.bool_] = sums[..., 1] == 0
    scores = metric.score(np.where(empty[..., np.newaxis], 1.0, sums))
    return np.where(empty, np.nan, scores)
