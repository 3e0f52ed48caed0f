"""What agreement with people was found, as plain frozen values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

import numpy as np

from truebleu._seeds import DEFAULT_SEED, require_replicates, require_seed
from truebleu.agreement.bootstrap import (
    OVER,
    Over,
    Replicates,
    bootstrap_agreement,
    bootstrap_system_agreement,
)
from truebleu.agreement.judgments import judged_value
from truebleu.agreement.measures import measure
from truebleu.agreement.questions import WITH_TIES, Question, parse_questions
from truebleu.agreement.ranking import rank_metrics
from truebleu.agreement.scores import Judged, SystemScores, judge
from truebleu.agreement.soft_pairwise import bootstrap_soft_accuracy, soft_pairwise_accuracies
from truebleu.agreement.tests import (
    FORMS,
    OUTCOMES,
    Form,
    Test,
    bootstrap_judgments,
    bootstrap_shares_of_wins,
    comparisons_test,
    items_test,
    soft_accuracy_test,
    systems_test,
)
from truebleu.errors import SettingError, UnknownNameError
from truebleu.exhibits import Exhibit, Field, Plot, Row
from truebleu.human import HumanScores
from truebleu.metrics.registry import as_metrics
from truebleu.significance.corrections import P_VALUE_CORRECTIONS, adjust
from truebleu.significance.intervals import smallest_replicates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.agreement.bootstrap import Over, Replicates
    from truebleu.agreement.coefficients import Measure
    from truebleu.agreement.measures import Measured
    from truebleu.agreement.questions import Question
    from truebleu.agreement.scores import Human, Judged, JudgedMetric
    from truebleu.agreement.tests import Test, Tested
    from truebleu.corpus import TestSet
    from truebleu.exhibits import Row
    from truebleu.metrics.base import Metric
    from truebleu.significance._checks import Values

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


# What the intervals of a question draw: segments, documents, systems, or what there is instead.


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """What is drawn.

    Attributes:
        over: as the bootstraps take it, where items are called segments whatever they are.
        name: as results call it.
        documents: the document of each segment, where documents are drawn.
        notes: why it is not what was asked for, in sentences.
        refusal: why nothing can be drawn, so that there is no interval.
    """

    over: Over
    name: str
    documents: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    refusal: str | None = None


def drawing_for(question: Question, judged: Judged, resample: Over) -> Drawing:
    """What the intervals of a question draw.

    Args:
        question: what is asked.
        judged: what people judged.
        resample: what should be drawn.

    Raises:
        SettingError: when that cannot be drawn.
    """
    people = judged.people
    over, notes = resample, []
    if question.measure is None and resample.endswith("systems"):
        over = "documents" if resample.startswith("documents") else "segments"
        notes.append(f"Only {over} were drawn: of drawn systems it would be another coefficient.")
    if question.compared and resample.endswith("systems"):
        expected = "segments or documents: people compared pairs of systems"
        raise SettingError("resample", resample, expected)
    if people.item == "system":
        if resample != "systems":
            notes.append("Systems were drawn: people scored nothing less than whole systems.")
        return Drawing(over="systems", name="systems", notes=tuple(notes))
    if over == "systems":
        return Drawing(over=over, name=over, notes=tuple(notes))
    if judged.by_segment and over.startswith("documents"):
        return _of_documents(judged, over, tuple(notes))
    judged_items = int(people.judged_cells.any(axis=0).sum())
    return Drawing(
        over=cast("Over", over.replace("documents", "segments")),
        name=over.replace("documents", "segments").replace("segment", people.item),
        notes=tuple(notes),
        refusal=_refusal(judged_items, people.item),
    )


def _of_documents(judged: Judged, over: Over, notes: tuple[str, ...]) -> Drawing:
    documents = judged.documents
    if documents is None:
        raise SettingError("resample", over, "a test set with documents; see --documents")
    segments = np.flatnonzero(judged.people.judged_cells.any(axis=0))
    found = len({documents[segment] for segment in segments})
    return Drawing(
        over=over,
        name=over,
        documents=documents,
        notes=notes,
        refusal=_refusal(found, "document"),
    )


def _refusal(units: int, what: str) -> str | None:
    return None if units > 1 else f"no interval: people judged one {what} only"


# What metrics say to a question: their values, a test of any two of them, and replicates.
#
# One function for each kind of question: of items, of systems, of comparisons, of soft accuracy.


TOO_OFTEN = "The test takes pairs for independent, which they are not: it rejects too often."


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What all questions are asked about, and how sure the answers should be."""

    judged: Judged
    settings: AgreeSettings

    @property
    def items(self) -> dict[str, Values]:
        """Every metric's scores of items."""
        found = {label: one.items for label, one in self.judged.metrics.items()}
        return {label: items for label, items in found.items() if items is not None}

    @property
    def systems(self) -> dict[str, Values]:
        """Every metric's scores of systems."""
        return {label: one.systems for label, one in self.judged.metrics.items()}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """What one question finds, before it is put together.

    Attributes:
        values: each metric's value, without interval and rank.
        test: of a metric and one that agrees no better.
        test_name: what that is called.
        replicates: draws them.
        notes: what a reader should know, in sentences.
    """

    values: Mapping[str, MetricAgreement]
    test: Test
    test_name: str
    replicates: Callable[[], Replicates]
    notes: tuple[str, ...] = ()


def find(asked: Asked, question: Question, drawing: Drawing) -> Found:
    """What all metrics say to one question, with replicates of what `drawing` says."""
    if question.measure is None:
        return _of_soft_accuracy(asked, drawing)
    if question.level == "system":
        return _of_systems(asked, question.measure, drawing)
    if question.compared:
        return _of_comparisons(asked, question.measure, drawing)
    return _of_items(asked, question.measure, drawing)


def _of_items(asked: Asked, by: Measure, drawing: Drawing) -> Found:
    human, items, settings = asked.judged.human, asked.items, asked.settings
    assert human is not None  # noqa: S101  # such questions are refused otherwise
    test, name = items_test(human, items, by, settings)
    return Found(
        values={label: _value(label, measure(human, one, by)) for label, one in items.items()},
        test=test,
        test_name=name,
        replicates=lambda: bootstrap_agreement(
            human,
            items,
            by,
            over=drawing.over,
            documents=drawing.documents,
            replicates=settings.samples,
            seed=settings.seed,
        ),
        notes=(TOO_OFTEN,) if name == OUTCOMES and len(items) > 1 else (),
    )


def _of_systems(asked: Asked, by: Measure, drawing: Drawing) -> Found:
    people, systems = asked.judged.people, asked.systems
    test, name = systems_test(people.means, systems, by, asked.settings)
    return Found(
        values={
            label: _value(label, measure(people.means, one, by)) for label, one in systems.items()
        },
        test=test,
        test_name=name,
        replicates=lambda: _system_replicates(asked, by, drawing),
    )


def _system_replicates(asked: Asked, by: Measure, drawing: Drawing) -> Replicates:
    judged, settings = asked.judged, asked.settings
    statistics = {label: one.statistics for label, one in judged.metrics.items()}
    if judged.human is not None:
        return bootstrap_system_agreement(
            judged.human,
            statistics,
            by.coefficient,
            over=drawing.over,
            documents=drawing.documents,
            replicates=settings.samples,
            seed=settings.seed,
        )
    if judged.judgments is not None and drawing.over != "systems":
        return bootstrap_shares_of_wins(
            statistics,
            judged.judgments,
            by.coefficient,
            over=drawing.over,
            documents=drawing.documents,
            replicates=settings.samples,
            seed=settings.seed,
        )
    return bootstrap_agreement(
        judged.people.means,
        asked.systems,
        by,
        over="systems",
        replicates=settings.samples,
        seed=settings.seed,
    )


def _of_comparisons(asked: Asked, by: Measure, drawing: Drawing) -> Found:
    judgments, items, settings = asked.judged.judgments, asked.items, asked.settings
    assert judgments is not None  # noqa: S101  # comparisons are asked for only where there are any
    values = {label: judged_value(one, judgments, by.coefficient) for label, one in items.items()}
    test, name = comparisons_test(judgments, items, by, settings)
    return Found(
        values={
            label: MetricAgreement(metric=label, value=value, notes=_notes(reason))
            for label, (value, reason) in values.items()
        },
        test=test,
        test_name=name,
        replicates=lambda: bootstrap_judgments(
            items,
            judgments,
            by.coefficient,
            over=drawing.over,
            documents=drawing.documents,
            replicates=settings.samples,
            seed=settings.seed,
        ),
    )


def _of_soft_accuracy(asked: Asked, drawing: Drawing) -> Found:
    human, items, settings = asked.judged.human, asked.items, asked.settings
    assert human is not None  # noqa: S101  # refused otherwise
    accuracies = soft_pairwise_accuracies(human, items, seed=settings.seed)
    values = {label: one.value for label, one in accuracies.items()}
    test, name = soft_accuracy_test(human, items, settings)
    left_out = next(iter(accuracies.values()))
    notes: tuple[str, ...] = ()
    if left_out.unpaired:
        pairs = left_out.unpaired + left_out.pairs
        notes = (f"{left_out.unpaired} of {pairs} pairs of systems share nothing that was rated.",)
    return Found(
        values={
            label: MetricAgreement(metric=label, value=one.value, notes=_notes(one.reason))
            for label, one in accuracies.items()
        },
        test=test,
        test_name=name,
        replicates=lambda: bootstrap_soft_accuracy(
            human,
            items,
            values,
            over=drawing.over,
            documents=drawing.documents,
            replicates=settings.samples,
            seed=settings.seed,
        ),
        notes=notes,
    )


def _value(label: str, measured: Measured) -> MetricAgreement:
    return MetricAgreement(
        metric=label,
        value=measured.value,
        groups=measured.groups,
        undefined_groups=measured.undefined_groups,
        epsilon=None if measured.ties is None else measured.ties.epsilon,
        notes=(*_notes(measured.reason), *measured.notes),
    )


def _notes(reason: str | None) -> tuple[str, ...]:
    return () if reason is None else (reason,)


# Answers one question for all metrics: values with intervals, tests between metrics, ranks.


#: Called with how many more questions have been answered.
Progress: TypeAlias = Callable[[int], object]

OUTSIDE = (
    "the value is outside its interval: drawing adds to the noise of the scores, and noise "
    "weakens agreement"
)


def answer_question(asked: Asked, question: Question, drawing: Drawing) -> Answer:
    """The answer of all metrics to one question, with intervals over what `drawing` says."""
    found = find(asked, question, drawing)
    values = {label: one.value for label, one in found.values.items()}
    pairs, ranks = _rank(values, found.test, asked.settings)
    replicates = None
    if drawing.refusal is None and any(value is not None for value in values.values()):
        replicates = found.replicates()
    metrics = []
    for label, rank in ranks.items():
        one = replace(found.values[label], rank=rank)
        if one.value is not None:
            one = _noted(one, *_constant(asked, label, question))
            one = _with_interval(one, replicates, drawing.refusal, asked.settings.level)
        metrics.append(one)
    return Answer(
        question=question,
        title=question.title(asked.judged.people.item),
        metrics=tuple(metrics),
        pairs=pairs,
        smallest_p=_smallest_p(pairs, asked.settings.correction),
        resampled=drawing.name,
        test=found.test_name,
        notes=(*found.notes, *drawing.notes),
    )


def _rank(
    values: Mapping[str, float | None], test: Test, settings: AgreeSettings
) -> tuple[tuple[PairTest, ...], dict[str, int | None]]:
    """Every pair tested, and the metrics' ranks, best first."""
    tests: dict[tuple[str, str], Tested] = {}

    def p(better: str, worse: str) -> float:
        tests[better, worse] = test(better, worse)
        return tests[better, worse].p

    ranked = rank_metrics(values, p, alpha=settings.alpha, correction=settings.correction)
    pairs = tuple(
        PairTest(
            better=pair.better,
            worse=pair.worse,
            difference=pair.difference,
            p=pair.p,
            p_adjusted=pair.adjusted_p,
            significant=pair.significant,
            exact=tests[pair.better, pair.worse].exact,
            draws=tests[pair.better, pair.worse].draws,
            smallest_p=tests[pair.better, pair.worse].smallest,
            note=tests[pair.better, pair.worse].note,
        )
        for pair in ranked.pairs
    )
    ranks: dict[str, int | None] = dict(zip(ranked.order, ranked.ranks, strict=True))
    return pairs, {**ranks, **dict.fromkeys(ranked.undefined)}


def _smallest_p(pairs: tuple[PairTest, ...], correction: str) -> float | None:
    """The smallest adjusted p there could have been: above alpha, nothing can be significant."""
    if not pairs:
        return None
    return float(adjust(np.array([pair.smallest_p for pair in pairs]), correction).min())


def _with_interval(
    found: MetricAgreement, replicates: Replicates | None, refusal: str | None, level: float
) -> MetricAgreement:
    if replicates is None:
        return found if refusal is None else _noted(found, refusal)
    interval = replicates.interval(found.metric, level)
    if interval.low is None or interval.high is None or found.value is None:
        return _noted(found, f"no interval: {interval.reason}")
    if not interval.low <= found.value <= interval.high:
        found = _noted(found, OUTSIDE)
    return replace(found, low=interval.low, high=interval.high)


def _constant(asked: Asked, label: str, question: Question) -> tuple[str, ...]:
    """What is to be known of a value that is defined although nothing varies."""
    people, metric = asked.judged.people, asked.judged.metrics[label]
    human: Values | None
    scores: Values | None
    if question.level == "system" and question.measure is not None:
        human, scores = people.means[~np.isnan(people.means)], metric.systems
    else:
        cells = people.judged_cells
        human = None if people.scores is None else people.scores[cells]
        scores = None if metric.items is None else metric.items[cells]
    notes = []
    if human is not None and np.ptp(human) == 0:
        notes.append("people give everything the same score: the value tells nothing")
    if scores is not None and np.ptp(scores) == 0:
        notes.append("the metric gives everything the same score: the value tells nothing of it")
    return tuple(notes)


def _noted(found: MetricAgreement, *notes: str) -> MetricAgreement:
    return replace(found, notes=(*found.notes, *notes))


# What an agreement says about its inputs: human scores, metrics, and points for a chart.


# Names that a note lists at most.
MOST_NAMES = 5
# Points of a panel at most.
MOST_POINTS = 10_000


def outline(human: Human, judged: Judged) -> dict[str, Any]:
    """What results say about the human scores."""
    people = judged.people
    found: dict[str, Any] = {
        "file": human.label,
        "signature": human.signature,
        "level": people.item,
        "raters": human.raters,
        "systems": list(people.systems),
        "ignored": list(human.ignored),
        "scores": {
            name: None if np.isnan(score) else score
            for name, score in zip(people.systems, people.means.tolist(), strict=True)
        },
    }
    if people.scores is not None:
        rated = people.judged_cells
        found["judged"] = int(rated.sum())
        found["cells"] = rated.size
        found["items"] = int(rated.any(axis=0).sum())
    if people.judgments is not None:
        found["comparisons"] = len(people.judgments)
        found["ties"] = int((people.judgments.verdict == 0).sum())
        found["items"] = len(np.unique(people.judgments.item))
    return found


def judged_by(judged: Judged, references: int | None) -> dict[str, JudgedBy]:
    """What results say about the metrics."""
    systems = judged.people.systems
    return {
        label: JudgedBy(
            signature=str(one.metric.signature.with_references(references)),
            higher_is_better=one.metric.higher_is_better,
            scores={
                name: float(one.sign * score) if np.isfinite(score) else None
                for name, score in zip(systems, one.systems, strict=True)
            },
        )
        for label, one in judged.metrics.items()
    }


def notes(human: Human, judged: Judged, test_set: TestSet) -> tuple[str, ...]:
    """What a reader should know about the human scores and the metrics, in sentences."""
    found = [note if note.endswith(".") else f"{note}." for note in human.notes]
    people = judged.people
    unjudged = [name for name in test_set.systems if name not in people.systems]
    if unjudged:
        found.append(f"Nobody judged {_names(unjudged)}: left out.")
    only_ties = [
        n for n, score in zip(people.systems, people.means, strict=True) if np.isnan(score)
    ]
    if only_ties:
        found.append(f"Only ties in the judgments of {_names(only_ties)}: no share of wins.")
    for label, one in judged.metrics.items():
        if one.metric.higher_is_better is False:
            found.append(
                f"{label}: less is better; it counts turned round, so that agreement is above 0."
            )
        elif one.metric.higher_is_better is None:
            found.append(f"{label} has no direction: it counts as if more were better.")
    return tuple(found)


def points(judged: Judged) -> list[Row]:
    """Human and metric scores of systems, then of items, for a chart; metrics as they are."""
    people = judged.people
    rows: list[Row] = []
    for label, one in judged.metrics.items():
        rows += _panel(_panel_name(label, one, "systems"), people.means, one.sign * one.systems)
    if people.scores is None:
        return rows
    rated = people.judged_cells
    human = people.scores[rated]
    # So many points are a blot, and a file that no browser opens.
    step = -(-len(human) // MOST_POINTS)
    what = f"{people.item}s" if step == 1 else f"one {people.item} score in {step}"
    for label, one in judged.metrics.items():
        if one.items is not None:
            scores = one.sign * one.items[rated]
            rows += _panel(_panel_name(label, one, what), human[::step], scores[::step])
    return rows


def _panel(name: str, human: Values, scores: Values) -> list[Row]:
    return [
        {"of": name, "human": float(h), "score": float(m)}
        for h, m in zip(human, scores, strict=True)
        if np.isfinite(h) and np.isfinite(m)
    ]


def _panel_name(label: str, one: JudgedMetric, what: str) -> str:
    return f"{label}, {what}" + (" (less is better)" if one.sign < 0 else "")


def _names(names: list[str]) -> str:
    if len(names) > MOST_NAMES:
        return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


# Agree: how well metrics agree with people, how sure that is, and which metric agrees better.


#: How two metrics are tested against each other.
TestName: TypeAlias = Literal["permutation", "williams"]

TESTS: tuple[TestName, ...] = get_args(TestName)
# What WMT asks since 2024, and what most papers ask.
SEGMENT_QUESTIONS = ("acc-eq", "kendall-b")
SYSTEM_QUESTIONS = ("soft-pairwise-accuracy", "pairwise-accuracy", "pearson")
COMPARISON_QUESTIONS = ("chen-cherry", "tau-13", "pairwise-accuracy", "pearson")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeSettings:
    """Settings of an agreement; the defaults are what we would report.

    Attributes:
        resample: what intervals draw: "segments", "documents", "systems", or both.
        samples: replicates of the intervals.
        test: of two metrics: "permutation", or "williams" for Pearson's r of all scores at once.
        draws: exchanges in each permutation test; all there are of up to 14 systems.
        exchange: what tests of calibrated ties exchange: "scores", calibrated anew in every draw,
            or outcomes of "pairs", as WMT 2023 to 2025, which rejects too often.
        correction: for the number of pairs of metrics; "none" is what the WMT tasks do.
        system_scores: whether metrics score systems on "all" segments, or on those "rated".
        seed: any whole number from 0 up.
        level: of the intervals, and 1 minus the significance level of the tests.
    """

    resample: Over = "segments"
    samples: int = 1000
    test: TestName = "permutation"
    draws: int = 1000
    exchange: Form = "scores"
    correction: str = "holm"
    system_scores: SystemScores = "all"
    seed: int = DEFAULT_SEED
    level: float = 0.95

    def __post_init__(self) -> None:
        for setting, value, known in (
            ("resample", self.resample, OVER),
            ("test", self.test, TESTS),
            ("exchange", self.exchange, FORMS),
            ("correction", self.correction, P_VALUE_CORRECTIONS),
            ("system_scores", self.system_scores, get_args(SystemScores)),
        ):
            if value not in known:
                raise UnknownNameError(setting, value, tuple(known))
        require_seed(self.seed)
        require_replicates("draws", self.draws)
        require_replicates("samples", self.samples)
        least = smallest_replicates(self.level)
        if self.samples < least:
            expected = f"at least {least} at the level {self.level:g}"
            raise SettingError("samples", self.samples, expected)

    @property
    def alpha(self) -> float:
        """The significance level."""
        return round(1 - self.level, 12)


def agree(
    test_set: TestSet,
    human: Human,
    metrics: Sequence[str | Metric] = ("bleu",),
    questions: Sequence[str] | None = None,
    settings: AgreeSettings | None = None,
    progress: Progress | None = None,
) -> Agreement:
    """How well do metrics agree with people?

    Args:
        test_set: the texts of at least two systems that people judged.
        human: what people said, such as `truebleu.human.read_human` reads.
        metrics: which are judged; scores from elsewhere are metrics too ("scores:path=FILE").
        questions: coefficients with settings, such as "kendall-b" or "pearson:level=segment"; by
            default what WMT asks, as far as the human scores can answer it.
        settings: how sure the answers should be.
        progress: hears of every question that is answered.

    Raises:
        CorpusError: when the judgments do not fit the test set.
        SettingError: when the judgments cannot answer a question, or a setting makes no sense.

    >>> from truebleu.corpus import as_test_set
    >>> from truebleu.human import HumanScores
    >>> outputs = {"a": ["a b c d", "e f g h"], "b": ["a b c", "e f"], "c": ["a", "f x"]}
    >>> test_set = as_test_set(outputs, ["a b c d", "e f g h"])
    >>> scores = {"a": (5, 5), "b": (4, 3), "c": (1, 1)}
    >>> human = HumanScores(label="people", level="segment", scores=scores, signature="human")
    >>> agree(test_set, human, ["chrf"], ["kendall-b"])["kendall-b"]["chrF2"].value
    1.0
    """
    settings = settings or AgreeSettings()
    parsed = as_metrics(metrics)
    compared = not isinstance(human, HumanScores)
    asked = parse_questions(
        default_questions(human) if questions is None else questions, compared=compared
    )
    for question in asked:
        _require_testable(question, settings, len(parsed))
    judged = judge(test_set, human, parsed, system_scores=settings.system_scores)
    for question in asked:
        _require_answerable(question, judged, human)
    # All that can be refused is refused before the work begins.
    drawings = [drawing_for(question, judged, settings.resample) for question in asked]
    how, answers = Asked(judged, settings), []
    for question, drawing in zip(asked, drawings, strict=True):
        answers.append(answer_question(how, question, drawing))
        if progress is not None:
            progress(1)
    return Agreement(
        test_set=test_set.to_dict(),
        human=outline(human, judged),
        settings=asdict(settings),
        metrics=judged_by(judged, test_set.references_per_segment),
        answers=tuple(answers),
        points=tuple(points(judged)),
        notes=notes(human, judged, test_set),
        warnings=tuple(warning.to_dict() for warning in test_set.warnings),
    )


def default_questions(human: Human) -> tuple[str, ...]:
    """What is asked by default, as far as the human scores can answer it."""
    if not isinstance(human, HumanScores):
        return COMPARISON_QUESTIONS
    if human.level == "system":
        return ("pairwise-accuracy", "pearson", "spearman")
    return (*SYSTEM_QUESTIONS, *SEGMENT_QUESTIONS)


def _require_testable(question: Question, settings: AgreeSettings, metrics: int) -> None:
    """Refuse a question of several metrics that no test of them can answer."""
    measure = question.measure
    if settings.test == "williams" and (
        question.coefficient != "pearson" or measure is None or measure.grouping != "none"
    ):
        expected = "'permutation': Williams' test is for Pearson's r without groups only"
        raise SettingError(f"test of {question.label}", settings.test, expected)
    if metrics < 2 or measure is None or question.compared:
        return
    by = measure.coefficient
    outcomes = by.name in WITH_TIES and question.level == "segment"
    if by.epsilon and not by.calibrated and not outcomes:
        expected = (
            "0 where several metrics are tested: a threshold has the unit of one metric's scores. "
            "Ask about one metric at a time"
        )
        raise SettingError(f"epsilon of {by.name}", by.epsilon, expected)


def _require_answerable(question: Question, judged: Judged, human: Human) -> None:
    """Refuse what the human scores do not say."""
    if question.measure is None and judged.human is None:
        expected = "human scores of segments for soft-pairwise-accuracy"
        found = "comparisons" if judged.judgments is not None else "human scores of whole systems"
        raise SettingError(human.label, found, expected)
    if question.level == "segment" and judged.people.item == "system":
        expected = f"human scores of segments for {question.label}; or add level=system"
        raise SettingError(human.label, "human scores of whole systems", expected)
