"""Agree: how well metrics agree with people, how sure that is, and which metric agrees better."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from truebleu._results import Result
from truebleu._settings import DEFAULT_SEED
from truebleu.agreement.answers import (
    AgreeSettings,
    Answer,
    ask,
    correct_answers,
    resampling_of,
)
from truebleu.agreement.data import agreement_data
from truebleu.agreement.measures import WITH_TIES, parse_questions
from truebleu.corpus.test_set import as_test_set
from truebleu.errors import SettingError
from truebleu.human.judgments import HumanScores
from truebleu.metrics.registry import metrics_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.agreement.answers import AgreeAlternative, CorrectOver, TestName
    from truebleu.agreement.bootstrap import Resample
    from truebleu.agreement.data import AgreementData, Human, SystemScores
    from truebleu.agreement.measures import Question
    from truebleu.agreement.tests import Permute
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike, TestSet, TextWarning
    from truebleu.metrics.base import Metric, Signature
    from truebleu.resampling import Values

#: What people said: what `truebleu.human` reads, or scores of segments by system.
HumanLike: TypeAlias = "Human | Mapping[str, Sequence[float | None]]"
#: Called with how many more coefficients, or candidates, are done.
Progress: TypeAlias = Callable[[int], object]

RESULT_VERSION = 1
# Pairs of scores in a chart's panel at most: more are a blot, and a file that no browser opens.
MOST_POINTS = 10_000
# What WMT asks since 2024, and what most papers ask.
SEGMENT_COEFFICIENTS = ("acc-eq", "kendall-b")
SYSTEM_COEFFICIENTS = ("soft-pairwise-accuracy", "pairwise-accuracy", "pearson")
# What a metric has by chance, where it is not 0.
CHANCE = {"pairwise-accuracy": 0.5, "soft-pairwise-accuracy": 0.5}
COMPARISON_COEFFICIENTS = ("chen-cherry", "tau-13", "pairwise-accuracy", "pearson")


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanSummary:
    """What people judged.

    Attributes:
        file: what messages call the judgments.
        signature: how their numbers were made.
        level: what an item is: "segment", "document", "domain" or "system".
        raters: how many people judged.
        systems: those that were judged, in the order of the test set.
        ignored: systems of the file that are not in the test set.
        unjudged: systems of the test set that nobody judged.
        scores: the human score of each system; None where all its judgments are ties.
        items: how many items were judged; None where people scored whole systems.
        judged: how many outputs of an item have a score; None where people compared pairs.
        cells: how many there are.
        comparisons: how many pairs people compared; None where they gave scores.
        ties: how many of these they tied.
        notes: what a reader of the scores should know, in sentences.
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
    def of(cls, human: Human, data: AgreementData, test_set: TestSet) -> HumanSummary:
        """The summary of judgments, beside the systems that they are about."""
        people, judgments = data.people, data.judgments
        items = judged = cells = None
        if people.scores is not None:
            rated = people.judged_cells
            judged, cells, items = int(rated.sum()), rated.size, int(rated.any(axis=0).sum())
        elif judgments is not None:
            items = len(np.unique(judgments.item))
        return cls(
            file=human.label,
            signature=human.signature,
            level=people.item,
            raters=human.raters,
            systems=people.systems,
            ignored=tuple(human.ignored),
            unjudged=tuple(name for name in test_set.systems if name not in people.systems),
            scores={
                name: None if np.isnan(score) else score
                for name, score in zip(people.systems, people.means.tolist(), strict=True)
            },
            items=items,
            judged=judged,
            cells=cells,
            comparisons=None if judgments is None else len(judgments),
            ties=None if judgments is None else int((judgments.verdict == 0).sum()),
            notes=tuple(human.notes),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSummary:
    """What a metric is, and its scores of the judged systems.

    Attributes:
        signature: all that must match before its scores may be compared.
        higher_is_better: False where its scores were negated to be compared with human scores; None
            for a metric without direction.
        scores: of the judged systems by name, as the metric gives them; None where it has none.
    """

    signature: Signature
    higher_is_better: bool | None
    scores: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePairs:
    """Human and metric scores of the same systems or items, for a chart.

    Attributes:
        metric: the metric's label.
        what: what they are scores of, such as "systems" or "segments".
        lower_is_better: the metric's direction.
        human: the human scores.
        scores: the metric's, as it gives them.
        names: of the systems; empty for items.
    """

    metric: str
    what: str
    lower_is_better: bool
    human: tuple[float, ...]
    scores: tuple[float, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement(Result):
    """How well metrics agree with people.

    Attributes:
        test_set: its outline.
        human: what people judged.
        settings: all else that is needed to repeat it.
        metrics: what the metrics are, by label.
        answers: one for each coefficient.
        points: human and metric scores of systems and items, for charts.
        warnings: about the texts.
    """

    REPORT: ClassVar[str] = "truebleu.reports.agree"

    test_set: Mapping[str, object]
    human: HumanSummary
    settings: AgreeSettings
    metrics: Mapping[str, MetricSummary]
    answers: tuple[Answer, ...]
    points: tuple[ScorePairs, ...] = field(default=(), repr=False)
    warnings: tuple[TextWarning, ...] = ()

    def __getitem__(self, coefficient: str) -> Answer:
        """The first answer by the coefficient of that name, or the one of that label."""
        for answer in self.answers:
            if coefficient in (answer.question.coefficient, answer.question.label):
                return answer
        raise KeyError(coefficient)

    @property
    def all_negative(self) -> bool:
        """Whether no metric agrees with people any better than chance, by any coefficient."""
        values = [
            agreement.value - CHANCE.get(answer.question.coefficient, 0.0)
            for answer in self.answers
            for agreement in answer.metrics
            if agreement.value is not None and answer.question.coefficient not in WITH_TIES
        ]
        return bool(values) and max(values) < 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``agree --format json`` prints them."""
        return {
            "version": RESULT_VERSION,
            "test_set": dict(self.test_set),
            "settings": asdict(self.settings),
            "human": self.human.to_dict(),
            "metrics": [
                {"name": label, **asdict(metric), **metric.signature.to_dict()}
                for label, metric in self.metrics.items()
            ],
            "answers": [answer.to_dict() for answer in self.answers],
            "all_negative": self.all_negative,
            "warnings": [warning.to_dict() for warning in self.warnings],
        }


def agree(
    systems: SystemsLike,
    human: HumanLike,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    references: ReferencesLike | None = None,
    documents: Sequence[str] | None = None,
    coefficients: Sequence[str] | None = None,
    resample: Resample = "segments",
    replicates: int = 1000,
    test: TestName = "permutation",
    permutations: int = 1000,
    permute: Permute = "scores",
    alternative: AgreeAlternative = "two-sided",
    correction: str = "holm",
    correct_over: CorrectOver = "pairs",
    human_lower_is_better: bool = False,
    system_scores: SystemScores = "all",
    seed: int = DEFAULT_SEED,
    level: float = 0.95,
    progress: Progress | None = None,
) -> Agreement:
    """How well do metrics agree with people?

    Args:
        systems: a test set, or the outputs of at least two systems by name, with `references`.
        human: what people said: what `truebleu.human.read_human` reads, or scores of segments by
            system, None where nobody judged.
        metrics: which are judged; scores from elsewhere are metrics too ("scores:path=FILE").
        references: of the outputs; none beside a test set, which has its own.
        documents: the document of each segment; likewise.
        coefficients: with settings, such as "kendall-b" or "pearson:level=segment"; by default what
            WMT asks, as far as the human scores can answer it.
        resample: what intervals resample: "segments", "documents", "systems", "segments+systems" or
            "documents+systems".
        replicates: of the intervals.
        test: of two metrics: "permutation", or "williams" for Pearson's r of all scores at once.
        permutations: in each permutation test; all there are of up to 14 systems.
        permute: what tests permute: "scores", which takes the systems as given; whole "systems", to
            say something about other systems too; or, for calibrated ties, outcomes of "pairs", as
            WMT 2023 to 2025, which rejects too often.
        alternative: "two-sided"; "greater" where it was fixed beforehand that metrics agree better
            than those named after them; or "observed", one-sided in the direction that the data
            show, as the WMT tasks, which doubles the false alarms.
        correction: for the number of pairs of metrics; "none" is what the WMT tasks do.
        correct_over: the "pairs" of each question, or those of "all" questions together.
        human_lower_is_better: human scores are better the lower they are, and are negated.
        system_scores: whether metrics score systems on "all" segments, or on those "rated".
        seed: any whole number from 0 up.
        level: of the intervals, and 1 minus the significance level of the tests.
        progress: called with 1 after every coefficient.

    Raises:
        CorpusError: when the judgments do not fit the test set.
        SettingError: when the judgments have no answer to a coefficient, or a setting makes no
            sense.

    >>> outputs = {"a": ["a b c d", "e f g h"], "b": ["a b c", "e f"], "c": ["a", "f x"]}
    >>> human = {"a": [5, 5], "b": [4, 3], "c": [1, 1]}
    >>> agreement = agree(outputs, human, ["chrf"], references=["a b c d", "e f g h"])
    >>> agreement["kendall-b"]["chrF2"].value
    1.0
    """
    settings = AgreeSettings(
        resample=resample,
        replicates=replicates,
        test=test,
        permutations=permutations,
        permute=permute,
        alternative=alternative,
        correction=correction,
        correct_over=correct_over,
        human_lower_is_better=human_lower_is_better,
        system_scores=system_scores,
        seed=seed,
        level=level,
    )
    test_set = as_test_set(systems, references, documents=documents)
    judgments = as_judgments(human, lower_is_better=human_lower_is_better)
    parsed, test_set = metrics_for(metrics, test_set)
    questions = parse_questions(
        default_coefficients(judgments) if coefficients is None else coefficients,
        compared=not isinstance(judgments, HumanScores),
    )
    for question in questions:
        _require_testable(question, settings, len(parsed))
    data = agreement_data(test_set, judgments, parsed, system_scores=system_scores)
    for question in questions:
        require_answerable(question, data, judgments)
    # All that can be refused is refused before the work begins.
    resampled = [resampling_of(question, data, resample) for question in questions]
    asked = []
    for question, resampling in zip(questions, resampled, strict=True):
        asked.append(ask(data, question, settings, resampling))
        if progress is not None:
            progress(1)
    return Agreement(
        test_set=test_set.to_dict(),
        human=HumanSummary.of(judgments, data, test_set),
        settings=settings,
        metrics=_summaries(data, test_set.references_per_segment),
        answers=correct_answers(asked, settings),
        points=tuple(_points(data)),
        warnings=test_set.warnings,
    )


def as_judgments(human: HumanLike, *, lower_is_better: bool = False) -> Human:
    """Judgments as they are, or scores of segments by system; negated where lower is better."""
    if isinstance(human, Mapping):
        scores = {
            name: tuple(None if score is None else float(score) for score in row)
            for name, row in human.items()
        }
        human = HumanScores(label="human", level="segment", scores=scores, signature="human")
    if not lower_is_better:
        return human
    if not isinstance(human, HumanScores):
        expected = "no such setting where people compared pairs: they say which is better"
        raise SettingError("human_lower_is_better", True, expected)
    return replace(
        human,
        # 0 is not turned into -0.
        scores={
            name: tuple(None if score is None else 0.0 - score for score in row)
            for name, row in human.scores.items()
        },
        signature=f"{human.signature}|negated",
        notes=(*human.notes, "Human scores: lower is better, so they are negated."),
    )


def default_coefficients(human: Human) -> tuple[str, ...]:
    """What is asked by default, as far as the human scores can answer it."""
    if not isinstance(human, HumanScores):
        return COMPARISON_COEFFICIENTS
    if human.level == "system":
        return ("pairwise-accuracy", "pearson", "spearman")
    return (*SYSTEM_COEFFICIENTS, *SEGMENT_COEFFICIENTS)


def _require_testable(question: Question, settings: AgreeSettings, metrics: int) -> None:
    """Refuse a question of several metrics that no test of them can answer."""
    measure = question.measure
    if settings.test == "williams" and (
        question.coefficient != "pearson" or measure is None or measure.grouping != "none"
    ):
        expected = "'permutation': Williams' test is for Pearson's r without groups only"
        raise SettingError(f"test of {question.label}", settings.test, expected)
    if metrics < 2:
        return
    if question.compared and settings.permute == "systems":
        expected = "'scores' where people compared pairs: metrics are swapped on segments"
        raise SettingError(f"permute of {question.label}", settings.permute, expected)
    if measure is None or question.compared:
        return
    by = measure.coefficient
    outcomes = by.name in WITH_TIES and question.level == "segment"
    if by.epsilon and not by.calibrated and not outcomes:
        expected = (
            "0 where several metrics are tested: a threshold has the unit of one metric's scores. "
            "Ask about one metric at a time"
        )
        raise SettingError(f"epsilon of {by.name}", by.epsilon, expected)


def require_answerable(question: Question, data: AgreementData, human: Human) -> None:
    """Refuse what the human scores do not say."""
    if question.measure is None and data.human is None:
        expected = "human scores of segments for soft-pairwise-accuracy"
        given = "comparisons" if data.judgments is not None else "human scores of whole systems"
        raise SettingError(human.label, given, expected)
    if question.level == "segment" and data.people.item == "system":
        expected = f"human scores of segments for {question.label}; or add level=system"
        raise SettingError(human.label, "human scores of whole systems", expected)


def _summaries(data: AgreementData, references: int | None) -> dict[str, MetricSummary]:
    return {
        label: MetricSummary(
            signature=scored.metric.signature.with_references(references),
            higher_is_better=scored.metric.higher_is_better,
            scores={
                name: float(scored.sign * score) if np.isfinite(score) else None
                for name, score in zip(data.people.systems, scored.systems, strict=True)
            },
        )
        for label, scored in data.metrics.items()
    }


def _points(data: AgreementData) -> list[ScorePairs]:
    """Human and metric scores of systems, then of items; metrics as they are."""
    people = data.people
    points = [
        _score_pairs(
            label, "systems", scored.sign, people.means, scored.systems, names=people.systems
        )
        for label, scored in data.metrics.items()
    ]
    if people.scores is None:
        return points
    rated = people.judged_cells
    human = people.scores[rated]
    step = -(-len(human) // MOST_POINTS)
    what = f"{people.item}s" if step == 1 else f"one {people.item} score in {step}"
    return points + [
        _score_pairs(label, what, scored.sign, human[::step], scored.items[rated][::step])
        for label, scored in data.metrics.items()
        if scored.items is not None
    ]


def _score_pairs(
    label: str,
    what: str,
    sign: int,
    human: Values,
    scores: Values,
    names: Sequence[str] = (),
) -> ScorePairs:
    finite = np.isfinite(human) & np.isfinite(scores)
    return ScorePairs(
        metric=label,
        what=what,
        lower_is_better=sign < 0,
        human=tuple(human[finite].tolist()),
        scores=tuple((sign * scores[finite]).tolist()),
        names=tuple(name for name, kept in zip(names, finite, strict=False) if kept),
    )
