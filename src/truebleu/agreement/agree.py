"""Agree: how well metrics agree with people, how sure that is, and which metric agrees better."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from truebleu.agreement.answering import answer_question
from truebleu.agreement.certainty.bootstrap import OVER, Over
from truebleu.agreement.certainty.drawing import drawing_for
from truebleu.agreement.certainty.permutation import FORMS, Form
from truebleu.agreement.finding import Asked
from truebleu.agreement.judged import Judged, SystemScores, judge
from truebleu.agreement.outline import judged_by, notes, outline, points
from truebleu.agreement.questions import WITH_TIES, Question, parse_questions
from truebleu.agreement.results import Agreement
from truebleu.corpus.human import HumanScores
from truebleu.errors import SettingError, UnknownNameError
from truebleu.inference.intervals import smallest_replicates
from truebleu.inference.multiplicity import CORRECTIONS
from truebleu.metrics.registry import as_metrics
from truebleu.seeds import DEFAULT_SEED, require_replicates, require_seed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.agreement.answering import Progress
    from truebleu.agreement.human_items import Human
    from truebleu.corpus import TestSet
    from truebleu.metrics.metric import Metric

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
            ("correction", self.correction, CORRECTIONS),
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
        human: what people said, such as `truebleu.corpus.human.read_human` reads.
        metrics: which are judged; scores from elsewhere are metrics too ("scores:path=FILE").
        questions: coefficients with settings, such as "kendall-b" or "pearson:level=segment"; by
            default what WMT asks, as far as the human scores can answer it.
        settings: how sure the answers should be.
        progress: hears of every question that is answered.

    Raises:
        CorpusError: when the judgments do not fit the test set.
        SettingError: when the judgments cannot answer a question, or a setting makes no sense.

    >>> from truebleu.corpus import as_test_set
    >>> from truebleu.corpus.human import HumanScores
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
