"""What agreement with people was found, as plain frozen values."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from truebleu.exhibits import Exhibit, Field, Plot, Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu.agreement.questions import Question

RESULT_VERSION = 1

FIELDS = (
    Field("level", "Level"),
    Field("coefficient", "Coefficient"),
    Field("metric", "Metric"),
    Field("value", "Value", 4),
    Field("low", "from", 4),
    Field("high", "to", 4),
    Field("rank", "Rank"),
)
PLOT_FIELDS = (
    Field("human", "Human score", 3),
    Field("score", "Metric score", 3),
    Field("of", "Metric and level"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricAgreement:
    """One metric's answer to one question.

    Attributes:
        metric: the metric's label.
        value: None where it is undefined, which is not 0; `notes` say why.
        low: the lower bound of the interval; None where there is none.
        high: the upper bound.
        rank: the number of its cluster, from 1; None without a value.
        groups: how many groups the value is made of; None where nothing is grouped.
        undefined_groups: how many groups have no value.
        epsilon: the tie threshold, where it was calibrated.
        notes: what a reader should know.
    """

    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None
    rank: int | None = None
    groups: int | None = None
    undefined_groups: int | None = None
    epsilon: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTest:
    """Whether a metric agrees better with people than one whose value is no higher.

    Attributes:
        better: the metric with the higher value.
        worse: the other.
        difference: by how much it is higher.
        p: one-sided, that it is truly better.
        p_adjusted: p after the correction for the number of pairs.
        significant: whether p_adjusted is at most the significance level.
        exact: whether no chance is in p.
        draws: exchanges that were made; 0 where p is computed without them.
        smallest_p: the smallest p there could have been.
        note: what a reader must know, such as that there is nothing to test.
    """

    better: str
    worse: str
    difference: float
    p: float
    p_adjusted: float
    significant: bool
    exact: bool
    draws: int
    smallest_p: float
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """All metrics' answers to one question, best first.

    Attributes:
        question: what was asked.
        title: the same for people.
        metrics: the metrics, best first, those without a value last.
        pairs: every pair of metrics, tested.
        smallest_p: the smallest adjusted p that there could have been; above the significance
            level, nothing could have been significant. None without pairs.
        resampled: what the intervals drew.
        test: how pairs of metrics were tested.
        notes: what a reader should know, in sentences.
    """

    question: Question
    title: str
    metrics: tuple[MetricAgreement, ...]
    pairs: tuple[PairTest, ...]
    smallest_p: float | None
    resampled: str
    test: str
    notes: tuple[str, ...] = ()

    def __getitem__(self, metric: str) -> MetricAgreement:
        """The answer of one metric, by its label."""
        for one in self.metrics:
            if one.metric == metric:
                return one
        raise KeyError(metric)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "question": self.question.label,
            "title": self.title,
            "level": self.question.level,
            "coefficient": self.question.coefficient,
            "resampled": self.resampled,
            "test": self.test,
            "smallest_p": self.smallest_p,
            "metrics": [{**asdict(one), "notes": list(one.notes)} for one in self.metrics],
            "pairs": [asdict(pair) for pair in self.pairs],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedBy:
    """What a metric is.

    Attributes:
        signature: all that must match before its scores may be compared.
        higher_is_better: False where its scores were turned; None for a metric without direction.
        scores: of the judged systems by name, in its own direction; None where it has none.
    """

    signature: str
    higher_is_better: bool | None
    scores: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How well metrics agree with people.

    Attributes:
        test_set: its outline.
        human: the judgments' outline: file, signature, raters, systems, share of cells judged.
        settings: all that is needed to repeat it.
        metrics: what the metrics are, by label.
        answers: one for each question.
        points: human and metric scores of systems and items, for charts.
        notes: about the human scores and the metrics, in sentences.
        warnings: about the texts.
    """

    test_set: Mapping[str, Any]
    human: Mapping[str, Any]
    settings: Mapping[str, Any]
    metrics: Mapping[str, JudgedBy]
    answers: tuple[Answer, ...]
    points: tuple[Row, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()
    warnings: tuple[Mapping[str, Any], ...] = ()

    def __getitem__(self, question: str) -> Answer:
        """The answer to the first question of that coefficient's name, or of that label."""
        for answer in self.answers:
            if question in (answer.question.coefficient, answer.question.label):
                return answer
        raise KeyError(question)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``agree --format json`` prints them."""
        return {
            "version": RESULT_VERSION,
            "test_set": dict(self.test_set),
            "settings": dict(self.settings),
            "human": dict(self.human),
            "metrics": [{"name": label, **asdict(one)} for label, one in self.metrics.items()],
            "answers": [answer.to_dict() for answer in self.answers],
            "notes": list(self.notes),
            "warnings": [dict(warning) for warning in self.warnings],
        }

    def exhibit(self) -> Exhibit:
        """All values in one table, and metric against human scores as a chart."""
        rows: list[Row] = [
            {
                "level": answer.question.level,
                "coefficient": answer.title,
                "metric": one.metric,
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "rank": one.rank,
            }
            for answer in self.answers
            for one in answer.metrics
        ]
        return Exhibit(
            name="agree",
            title="Metric scores against human scores",
            fields=FIELDS,
            rows=tuple(rows),
            findings=self.notes,
            plot=Plot(mark="point", x="human", y="score", panel="of", shared_y=False),
            plot_rows=self.points,
            plot_fields=PLOT_FIELDS,
            settings=self.settings,
        )
