"""Judged systems: human and metric scores side by side, of systems and of their items.

An item is what people gave a score: a segment, or a document or domain where they judged those. A
metric scores the same items: single segments under its sentence-level settings, documents and
domains as the texts that they are. Scores are turned so that more is better.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from truebleu.agreement.certainty.system_bootstrap import SegmentStatistics
from truebleu.agreement.human_items import Human, People, people_of
from truebleu.errors import SettingError
from truebleu.inference.counted import Counted
from truebleu.metrics.scoring import metric_labels
from truebleu.resampling import Units

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.agreement.measures.judgments import Judgments
    from truebleu.corpus import TestSet
    from truebleu.inference.arguments import Values
    from truebleu.metrics.metric import Metric

#: Whether a metric scores systems on the whole test set, or on what people rated of them.
SystemScores: TypeAlias = Literal["all", "rated"]


@dataclass(frozen=True, slots=True, eq=False)
class JudgedMetric:
    """One metric's scores of the judged systems, turned so that more is better.

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
        """-1 where the scores were turned."""
        return -1 if self.metric.higher_is_better is False else 1


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The systems that people judged, and what metrics say of them.

    Attributes:
        people: what people said of them.
        metrics: the metrics' scores by their labels.
        documents: the document of each segment, where that is known.
    """

    people: People
    metrics: Mapping[str, JudgedMetric]
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


def judge(
    test_set: TestSet,
    human: Human,
    metrics: Sequence[Metric],
    *,
    system_scores: SystemScores = "all",
) -> Judged:
    """Bring human scores and metrics together.

    Args:
        test_set: what the systems translated.
        human: what people said of it.
        metrics: which are judged by it.
        system_scores: "rated" scores systems on what people rated of them only.
    """
    people = people_of(test_set, human)
    if system_scores == "rated" and people.scores is None:
        expected = "'all' where people did not score segments, documents or domains"
        raise SettingError("system_scores", system_scores, expected)
    texts = replace(test_set, systems={name: test_set.systems[name] for name in people.systems})
    labels = metric_labels(metrics)
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise SettingError("metrics", f"{twice} twice", "every metric once, with its settings")
    rated = system_scores == "rated"
    judged = {
        label: _judged_metric(label, metric, texts, people, rated=rated)
        for label, metric in zip(labels, metrics, strict=True)
    }
    return Judged(people, judged, texts.documents)


def _judged_metric(
    label: str, metric: Metric, texts: TestSet, people: People, *, rated: bool
) -> JudgedMetric:
    segments = metric.count(texts).array()
    one = Counted.of(label, metric, segments, Units.segments(len(texts)))
    rows = _by_item(one.rows, people)
    items = None
    if people.scores is not None or people.judgments is not None:
        # The rows as they are: their exact differences make or break ties.
        items = one.sign * _item_scores(one, _by_item(segments, people), people)
    if rated and people.scores is not None:
        rows = rows * ~np.isnan(people.scores).T[:, :, np.newaxis]
    statistics = SegmentStatistics(rows, lambda sums: one.sign * _text_scores(metric, sums))
    systems = statistics.score(rows.sum(axis=0))
    return JudgedMetric(metric, items, systems, statistics)


def _by_item(rows: Values, people: People) -> Values:
    """Rows of segments, or of documents or domains as one text each."""
    if people.labels is None:
        return rows
    return Units.documents(people.labels).add_up(rows)[people.order]


def _item_scores(one: Counted, rows: Values, people: People) -> Values:
    """A metric's scores of all items, shaped (system, item); 0 where nobody judged."""
    if people.item == "segment":
        found = one.metric.segment_scores(rows)
        scores = np.array([[np.nan if s is None else s for s in of] for of in found], dtype=float)
    else:
        scores = _text_scores(one.metric, rows).T
    judged = people.judged_cells
    lacking = judged & ~np.isfinite(scores)
    if lacking.any():
        system, item = (int(number) for number in np.argwhere(lacking)[0])
        where = f"{one.label} of {people.systems[system]!r}, {people.name_of(item)}"
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
