"""Agree: how well metrics agree with people, how sure that is, and which metric agrees better.

For each coefficient there are each metric's value with an interval, a test of every pair of
metrics, and ranks. With a grid, settings of a metric are chosen first, on a part of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from truebleu._results import Result
from truebleu.agreement import bootstrap, tests
from truebleu.agreement.bootstrap import MOST_NOISE, Draws, Resample
from truebleu.agreement.coefficients import (
    SOFT,
    Coefficient,
    MetricAgreement,
    measure,
    measure_judgments,
    parse_coefficients,
    soft_pairwise_accuracy,
)
from truebleu.agreement.data import HumanSummary, SystemScores, agreement_data
from truebleu.agreement.tests import METHODS, Method, MetricTest, Permute, Unit
from truebleu.corpus.test_set import as_test_set
from truebleu.errors import SettingError, first_names
from truebleu.human.judgments import HumanScores, PairwiseJudgments
from truebleu.metrics.registry import metrics_for, parse_metric
from truebleu.schema import DEFAULT_SEED, Level, Seed, Setting, checked_fields, picked, verb
from truebleu.significance.corrections import P_VALUE_CORRECTIONS, adjust
from truebleu.significance.intervals import smallest_replicates

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from truebleu.agreement.bootstrap import Replicates
    from truebleu.agreement.data import AgreementData, Human, Judgments
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike, TestSet
    from truebleu.corpus.text_warnings import TextWarning
    from truebleu.metrics.base import Metric, Signature
    from truebleu.metrics.registry import MetricsLike
    from truebleu.resampling import Values
    from truebleu.schema import Alternative

__all__ = ["AgreeSettings", "Agreement", "Answer", "GridChoice", "MetricSummary"]

#: What people said: what `truebleu.human` reads, or scores of segments by system.
HumanLike: TypeAlias = "Human | Mapping[str, Sequence[float | None]]"
#: Called with how many more coefficients, or candidates, are done.
Progress: TypeAlias = Callable[[int], object]
#: How two metrics are tested against each other.
TestName: TypeAlias = Literal["permutation", "williams"]
#: A test of a metric and of one that agrees no better, by their names.
Test: TypeAlias = Callable[[str, str], MetricTest]
#: What tests ask: whether two metrics differ; whether one agrees better than those named after it;
#: or, as the WMT metrics tasks, whether the one that does agree better does so truly.
AgreeAlternative: TypeAlias = Literal["two-sided", "greater", "observed"]

Resampled = Annotated[Resample, Setting(rare=True)]
Count = Annotated[int, Setting(least=1, rare=True)]
Tests = Annotated[TestName, Setting(rare=True)]
Permuted = Annotated[Permute, Setting(rare=True)]
Asked = Annotated[AgreeAlternative, Setting(rare=True)]
Correction = Annotated[str, Setting(choices=P_VALUE_CORRECTIONS, rare=True)]
LowerIsBetter = Annotated[bool, Setting(group="Texts", rare=True)]
ScoredOn = Annotated[SystemScores, Setting(rare=True)]

# Scores of items in a chart's panel at most: more are a blot, and a file that no browser opens.
MOST_POINTS = 10_000
# What WMT asks since 2024, and what most papers ask.
SEGMENT_COEFFICIENTS = ("acc-eq", "kendall-b")
SYSTEM_COEFFICIENTS = (SOFT, "pairwise-accuracy", "pearson")
COMPARISON_COEFFICIENTS = ("chen-cherry", "tau-13", "pairwise-accuracy", "pearson")
# What a grid is chosen by: Chen & Cherry (2014).
GRID_COEFFICIENT = "chen-cherry"
# What a metric has by chance, where it is not 0.
CHANCE = {"pairwise-accuracy": 0.5, SOFT: 0.5}
# All permutations of so many systems are made, however few are asked for: 16,384.
EXACT_SYSTEMS = 14
# So many times the permutations are made of pairs of metrics whose p is close to the level.
MORE = 10
OUTSIDE = (
    "the value is outside its interval: noise weakens agreement, and the interval is about the "
    "agreement without it"
)
# Two points always lie on a line.
FEWEST_SYSTEMS = {"pearson": 3, "spearman": 3}


#: More than these would take hours for what an afternoon's thought can narrow down.
MOST_SETTINGS = 1000
BETWEEN = "|"
DEVELOPMENT = 0.5
#: With fewer in a part nothing can be said of it.
FEWEST_UNITS = 2
# Of about the size of rounding in coefficients, which have the scale 1.
SAME = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeSettings:
    """Settings of an agreement; `agree` says what they are."""

    resample: Resampled = "segments"
    replicates: Count = 1000
    test: Tests = "permutation"
    permutations: Count = 1000
    permute: Permuted = "scores"
    alternative: Asked = "two-sided"
    correction: Correction = "holm"
    human_lower_is_better: LowerIsBetter = False
    system_scores: ScoredOn = "all"
    seed: Seed = DEFAULT_SEED
    level: Level = 0.95

    def __post_init__(self) -> None:
        checked_fields(self)
        least = smallest_replicates(self.level)
        if self.replicates < least:
            expected = f"at least {least} at the level {self.level:g}"
            raise SettingError("replicates", self.replicates, expected)

    @property
    def alpha(self) -> float:
        """The significance level."""
        return round(1 - self.level, 12)

    def side(self, metrics: Sequence[str], better: str, worse: str) -> Alternative:
        """The alternative of a test of two metrics, in the order in which metrics are named."""
        if self.alternative == "two-sided":
            return "two-sided"
        if self.alternative == "observed":
            return "greater"
        return "greater" if metrics.index(better) < metrics.index(worse) else "less"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSummary:
    """What a metric is, and its scores of the judged systems.

    Attributes:
        signature: all that must match before its scores may be compared.
        higher_is_better: False where its scores were negated to be compared with human scores; None
            for a metric without direction.
        scores: of the judged systems by name, as the metric gives them; None where it has none.
        item_scores: human and metric scores of judged items, for a chart; at most 10,000.
    """

    signature: Signature
    higher_is_better: bool | None
    scores: Mapping[str, float | None]
    item_scores: tuple[tuple[float, float], ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "higher_is_better": self.higher_is_better,
            "scores": dict(self.scores),
            **self.signature.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """All metrics by one coefficient, best first.

    Attributes:
        question: the coefficient with all that must match before two values may be compared.
        title: the same for people.
        level: whether scores of systems or of segments were compared.
        coefficient: its name.
        metrics: the metrics, best first, those without a value last.
        pairs: every pair of metrics, tested.
        smallest_p: the smallest adjusted p that there could have been; above the significance
            level, nothing could have been significant. None without pairs.
        resampled: what the replicates of intervals resampled.
        method: how pairs of metrics were tested.
        about_systems: whether tests are about other systems too; otherwise they take these as
            given.
        notes: what a reader should know, in sentences.
    """

    question: str
    title: str
    level: str
    coefficient: str
    metrics: tuple[MetricAgreement, ...]
    pairs: tuple[MetricTest, ...] = ()
    smallest_p: float | None = None
    resampled: str
    method: Method
    about_systems: bool = False
    notes: tuple[str, ...] = ()

    def __getitem__(self, metric: str) -> MetricAgreement:
        """The agreement of one metric, by its label."""
        return {agreement.metric: agreement for agreement in self.metrics}[metric]


class Candidate(NamedTuple):
    """A metric with settings that may be chosen.

    Attributes:
        text: as people write it, such as "sentbleu:smoothing=4,k=2".
        metric: what it describes.
        default: the same with every setting that has alternatives at its default; where that is
            not possible, the first of the alternatives.
    """

    text: str
    metric: Metric
    default: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GridChoice:
    """Settings chosen on the development part.

    Attributes:
        candidates: how well each agrees there, in the order of the grid.
        chosen: the settings with the largest value; of equal ones the default, or else the first.
        default: what they are compared with on the held-out part.
        default_value: what that has on the development part; None where it is undefined.
        tied: how many candidates share the largest value.
        share: of what people judged that is development.
        development: what people judged of it.
    """

    candidates: tuple[MetricAgreement, ...]
    chosen: str
    default: str
    default_value: float | None
    tied: int
    share: float
    development: HumanSummary

    @property
    def value(self) -> float | None:
        """The chosen settings' value on the development part, which flatters them."""
        return {tried.metric: tried.value for tried in self.candidates}[self.chosen]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Agreement(Result):
    """How well metrics agree with people.

    Attributes:
        test_set: its outline.
        human: what people judged; with a grid, of the held-out part.
        settings: all else that is needed to repeat it.
        metrics: what the metrics are, by label.
        answers: one for each coefficient.
        grid: the settings that were chosen, and from what; None without a grid.
        warnings: about the texts.
    """

    REPORT: ClassVar[str] = "truebleu.reports.agree"

    test_set: Mapping[str, object]
    human: HumanSummary
    settings: AgreeSettings
    metrics: Mapping[str, MetricSummary]
    answers: tuple[Answer, ...]
    grid: GridChoice | None = None
    warnings: tuple[TextWarning, ...] = ()

    def __getitem__(self, coefficient: str) -> Answer:
        """The first answer by the coefficient of that name, or the one of that label."""
        for answer in self.answers:
            if coefficient in (answer.coefficient, answer.question):
                return answer
        raise KeyError(coefficient)

    @property
    def all_negative(self) -> bool:
        """Whether no metric agrees with people any better than chance, by any coefficient."""
        values = [
            agreement.value - CHANCE.get(answer.coefficient, 0.0)
            for answer in self.answers
            for agreement in answer.metrics
            if agreement.value is not None and answer.coefficient not in ("acc-eq", "tau-eq")
        ]
        return bool(values) and max(values) < 0

    def facts(self) -> dict[str, Any]:
        """Plain values, without sentences."""
        metrics = [{"name": label, **metric.to_dict()} for label, metric in self.metrics.items()]
        values = {**Result.facts(self), "metrics": metrics, "all_negative": self.all_negative}
        return values if self.grid else {k: v for k, v in values.items() if k != "grid"}


@verb
def agree(
    systems: SystemsLike,
    human: HumanLike,
    metrics: MetricsLike = "bleu",
    *,
    references: ReferencesLike | None = None,
    documents: Iterable[object] | None = None,
    coefficients: Annotated[
        Sequence[str], Setting(flags=("-c", "--coefficient"), metavar="NAME")
    ] = (),
    grid: Annotated[Sequence[str], Setting(group="Metrics", metavar="METRIC")] = (),
    development: Annotated[float, Setting(above=0, below=1, rare=True)] = DEVELOPMENT,
    resample: Resampled = "segments",
    replicates: Count = 1000,
    test: Tests = "permutation",
    permutations: Count = 1000,
    permute: Permuted = "scores",
    alternative: Asked = "two-sided",
    correction: Correction = "holm",
    human_lower_is_better: LowerIsBetter = False,
    system_scores: ScoredOn = "all",
    seed: Seed = DEFAULT_SEED,
    level: Level = 0.95,
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
        coefficients: a coefficient, such as "kendall-b" or "pearson:level=segment"; by default
            those of WMT.
        grid: a metric with alternatives, such as "sentbleu:k=1|2|5": choose the best on a part of
            the data, and test it on the rest.
        development: the share of what people judged to choose on, with a grid; the first
            coefficient chooses, "chen-cherry" by default.
        resample: what the intervals resample.
        replicates: of the intervals.
        test: of two metrics; Williams' is for pearson of systems, or of segments with
            grouping=none.
        permutations: in each permutation test, and 10 times as many where p is close to the
            significance level; all there are of up to 14 systems.
        permute: "scores" takes the systems as given; whole "systems" says something about other
            systems too; outcomes of "pairs", for calibrated ties as in WMT, rejects too often.
        alternative: "greater" where it was fixed beforehand that metrics agree better than those
            named after them; "observed" is one-sided in the direction that the data show, as in
            WMT, which doubles the false alarms.
        correction: for the number of pairs of metrics; "none" is what WMT does.
        human_lower_is_better: lower human scores are better, such as penalties: negate them.
        system_scores: score systems on all segments, or on those that people rated.
        progress: called with 1 after every coefficient, or candidate of a grid.

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
    settings = picked(AgreeSettings, locals())
    report = progress or (lambda _done: None)
    test_set = as_test_set(systems, references, documents=documents)
    judgments = as_judgments(human, lower_is_better=human_lower_is_better)
    names = coefficients or ([GRID_COEFFICIENT] if grid else default_coefficients(judgments))
    asked = parse_coefficients(names, compared=not isinstance(judgments, HumanScores))
    choice = None
    if not grid:
        parsed, test_set = metrics_for(metrics, test_set)
        _require_testable(asked, settings, len(parsed))
        outside = [metric.name for metric in parsed if not metric.reads_texts]
        if outside:
            note = f"{first_names(outside)}: a system's score is the mean of its segments' scores"
            judgments = replace(judgments, notes=(*judgments.notes, note))
        data = agreement_data(test_set, judgments, parsed, system_scores=system_scores)
    else:
        if metrics != "bleu":
            raise SettingError("metrics", "given", "none beside a grid, which has its own")
        test_set = test_set.examined()
        _require_testable(asked, settings, 2)
        data, choice = _choose(grid, test_set, judgments, asked[0], settings, development, report)
    # All that can be refused is refused before the work begins.
    for by in asked:
        require_answerable(by, data, judgments.label)
    resampled = [resampling_of(by, data, resample) for by in asked]
    answers = []
    for by, resampling in zip(asked, resampled, strict=True):
        answers.append(answer(data, by, settings, resampling))
        if not grid:
            report(1)
    return Agreement(
        test_set=test_set.to_dict(),
        human=HumanSummary.of(judgments, data, test_set),
        settings=settings,
        metrics=_summaries(data, test_set.references_per_segment),
        answers=tuple(answers),
        grid=choice,
        warnings=test_set.warnings,
    )


def as_judgments(human: HumanLike, *, lower_is_better: bool = False) -> Human:
    """Judgments as they are, or scores of segments by system; negated where lower is better."""
    if isinstance(human, Mapping):
        scores = {}
        for name, row in human.items():
            try:
                scores[name] = tuple(None if score is None else float(score) for score in row)
            except (TypeError, ValueError, OverflowError):
                expected = "a number for each segment"
                raise SettingError(f"human scores of {name}", row, expected) from None
        human = HumanScores(label="human", level="segment", scores=scores, signature="human")
    if not isinstance(human, HumanScores | PairwiseJudgments):
        expected = "what read_human returns, or scores of segments by system"
        raise SettingError("human", human, expected)
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


def _require_testable(
    coefficients: Sequence[Coefficient], settings: AgreeSettings, metrics: int
) -> None:
    """Refuse coefficients of several metrics that no test of them can answer."""
    for by in coefficients:
        if settings.test == "williams" and (by.name, by.grouping) != ("pearson", "none"):
            expected = "'permutation': Williams' test is for Pearson's r without groups only"
            raise SettingError(f"test of {by.label}", settings.test, expected)
        if metrics < 2:
            continue
        if by.compared and settings.permute == "systems":
            expected = "'scores' where people compared pairs: metrics are swapped on segments"
            raise SettingError(f"permute of {by.label}", settings.permute, expected)
        outcomes = by.definition.calibrated and by.level == "segment"
        if by.epsilon and not (by.calibrated or outcomes or by.compared):
            expected = (
                "0 where several metrics are tested: a threshold has the unit of one metric's "
                "scores. Ask about one metric at a time"
            )
            raise SettingError(f"epsilon of {by.name}", by.epsilon, expected)


def _summaries(data: AgreementData, references: int | None) -> dict[str, MetricSummary]:
    people = data.people
    rated = people.judged_cells
    human = np.empty(0) if people.scores is None else people.scores[rated]
    step = max(1, -(-len(human) // MOST_POINTS))
    summaries = {}
    for label, scored in data.metrics.items():
        sign, items = scored.metric.sign, np.empty(0)
        if people.scores is not None and scored.items is not None:
            items = sign * scored.items[rated]
        summaries[label] = MetricSummary(
            signature=scored.metric.signature.with_references(references),
            higher_is_better=scored.metric.higher_is_better,
            scores={
                name: float(sign * score) if np.isfinite(score) else None
                for name, score in zip(people.systems, scored.systems, strict=True)
            },
            item_scores=tuple(zip(human[::step].tolist(), items[::step].tolist(), strict=True)),
        )
    return summaries


def require_answerable(by: Coefficient, data: AgreementData, label: str) -> None:
    """Refuse what the human scores of that label do not say."""
    judged = "comparisons" if data.judgments is not None else "human scores of whole systems"
    if by.name == SOFT and data.human is None:
        raise SettingError(label, judged, f"human scores of segments for {SOFT}")
    if by.level == "segment" and data.people.item == "system":
        expected = f"human scores of segments for {by.label}; or add level=system"
        raise SettingError(label, judged, expected)


# --------------------------------------------------------------------------------------------------
# What intervals resample.


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """What the replicates of a coefficient's intervals resample.

    Attributes:
        resample: as the bootstraps take it, where items are called segments whatever they are.
        name: as results call it.
        documents: the document of each segment, where documents are resampled.
        notes: why it is not what was asked for, in sentences.
        refusal: why nothing can be resampled, so that there is no interval.
    """

    resample: Resample
    name: str
    documents: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    refusal: str | None = None


def resampling_of(by: Coefficient, data: AgreementData, resample: Resample) -> Resampling:
    """What the intervals of a coefficient resample.

    Args:
        by: the coefficient.
        data: what people judged.
        resample: what should be resampled.

    Raises:
        SettingError: when that cannot be resampled.
    """
    people, notes, chosen = data.people, [], resample
    if by.name == SOFT and resample.endswith("systems"):
        chosen = "documents" if resample.startswith("documents") else "segments"
        notes.append(
            f"Only {chosen} were resampled: of resampled systems it would be another coefficient."
        )
    if by.compared and resample.endswith("systems"):
        expected = "segments or documents: people compared pairs of systems"
        raise SettingError("resample", resample, expected)
    if people.item == "system" and resample != "systems":
        chosen = "systems"
        notes.append("Systems were resampled: people scored nothing less than whole systems.")
    if chosen == "systems":
        return Resampling(resample=chosen, name=chosen, notes=tuple(notes))
    judged_items = np.flatnonzero(people.judged_cells.any(axis=0))
    documents, unit, units = None, people.item, len(judged_items)
    if not data.by_segment:
        chosen = cast("Resample", chosen.replace("documents", "segments"))
    elif chosen.startswith("documents"):
        if data.documents is None:
            raise SettingError("resample", chosen, "a test set with documents; see --documents")
        documents, unit = data.documents, "document"
        units = len({documents[segment] for segment in judged_items})
    return Resampling(
        resample=chosen,
        name=chosen.replace("segment", people.item),
        documents=documents,
        notes=tuple(notes),
        refusal=None if units > 1 else f"no interval: people judged one {unit} only",
    )


# --------------------------------------------------------------------------------------------------
# Values, tests and replicates by one coefficient.


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Values by one coefficient, and how to test and to resample them.

    Attributes:
        values: each metric's value, without interval and rank.
        test: of a metric and one that agrees no better.
        method: of that test.
        replicates: draws them.
    """

    values: Mapping[str, MetricAgreement]
    test: Test
    method: Method
    replicates: Callable[[], Replicates]


def evaluate(
    data: AgreementData, by: Coefficient, settings: AgreeSettings, resampling: Resampling
) -> Evaluation:
    """Evaluate all metrics by one coefficient, with replicates of what `resampling` says."""
    values = _values(data, by, settings.seed)
    human = data.people.means if by.of_systems or data.human is None else data.human
    metrics = data.systems if by.of_systems else data.items
    test, method = choose_test(human, metrics, by, settings, data.judgments)
    sizes = {"replicates": settings.replicates, "seed": settings.seed}
    draws = Draws(resample=resampling.resample, documents=resampling.documents, **sizes)
    return Evaluation(values, test, method, partial(_replicates, data, by, values, draws))


def _values(data: AgreementData, by: Coefficient, seed: int) -> dict[str, MetricAgreement]:
    """How well each metric agrees by a coefficient."""
    human, judgments, means = data.human, data.judgments, data.people.means
    if by.of_systems:
        if int((~np.isnan(means)).sum()) < FEWEST_SYSTEMS.get(by.name, 2):
            reason = "undefined for fewer than three systems: two points always lie on a line"
            undefined = MetricAgreement(value=None, notes=(reason,))
            values = dict.fromkeys(data.metrics, undefined)
        else:
            values = {label: measure(means, s, by) for label, s in data.systems.items()}
    elif by.compared:
        assert judgments is not None  # noqa: S101  # asked for only where there are any
        values = {label: measure_judgments(s, judgments, by) for label, s in data.items.items()}
    else:
        assert human is not None  # noqa: S101  # refused otherwise
        if by.name == SOFT:
            return soft_pairwise_accuracy(human, data.items, seed=seed)
        values = {label: measure(human, s, by) for label, s in data.items.items()}
    return {label: replace(value, metric=label) for label, value in values.items()}


def _replicates(
    data: AgreementData, by: Coefficient, values: Mapping[str, MetricAgreement], draws: Draws
) -> Replicates:
    human, judgments, items = data.human, data.judgments, data.items
    statistics = {label: metric.statistics for label, metric in data.metrics.items()}
    if judgments is not None and by.compared:
        return bootstrap.bootstrap_judgments(items, judgments, by, draws)
    if human is not None and by.name == SOFT:
        observed = {label: agreement.value for label, agreement in values.items()}
        return bootstrap.bootstrap_soft_pairwise(human, items, observed, draws)
    options = asdict(draws)
    if human is not None and by.of_systems:
        return bootstrap.bootstrap_system_agreement(human, statistics, by, **options)
    if human is not None:
        return bootstrap.bootstrap_agreement(human, items, by, **options)
    if judgments is not None and draws.resample != "systems":
        return bootstrap.bootstrap_shares_of_wins(statistics, judgments, by, draws)
    # Whole systems are all there is to resample.
    return bootstrap.bootstrap_agreement(data.people.means, data.systems, by, **options)


def choose_test(
    human: Values,
    metrics: Mapping[str, Values],
    by: Coefficient,
    settings: AgreeSettings,
    judgments: Judgments | None = None,
) -> tuple[Test, Method]:
    """The test of two metrics by their names, and its method.

    Args:
        human: human scores of systems, or of items where the coefficient is of those.
        metrics: the metrics' scores by name, shaped alike.
        by: the coefficient.
        settings: what is permuted, how often, and in which direction it is asked.
        judgments: where people compared pairs.
    """
    unit: Unit = "system" if by.of_systems or settings.permute == "systems" else "cell"
    permutations = settings.permutations
    if unit == "system" and len(human) <= EXACT_SYSTEMS:
        permutations = max(permutations, 2 ** len(human))
    swaps: dict[str, Any] = {"permutations": permutations, "seed": settings.seed}
    method: Method = METHODS[unit]
    test: Callable[..., MetricTest]
    # A threshold has the unit of its metric's scores, so that these cannot be swapped.
    fixed = bool(by.epsilon) and not by.calibrated
    if judgments is not None and by.compared:
        test = partial(tests.judgment_permutation_test, judgments=judgments, by=by, **swaps)
        method = "segments"
    elif by.name == SOFT:
        test = partial(tests.soft_pairwise_test, human, unit=unit, **swaps)
    elif settings.test == "williams":
        test, method = partial(tests.williams_test, human), "williams"
    elif not by.of_systems and (fixed or (by.calibrated and settings.permute == "pairs")):
        test = partial(
            tests.pair_permutation_test,
            human,
            grouping=by.grouping,
            micro=by.average == "micro",
            epsilon=by.parameter if fixed else None,
            permutations=settings.permutations,
            seed=settings.seed,
        )
        method = "pairs"
    else:
        # On few systems, plain differences of correlations are called real too often.
        studentized = by.of_systems and by.name == "pearson"
        test = partial(
            tests.permutation_test, human, by=by, unit=unit, studentized=studentized, **swaps
        )
    return (
        lambda better, worse: test(
            metric1=metrics[worse],
            metric2=metrics[better],
            alternative=settings.side(list(metrics), better, worse),
        ),
        method,
    )


def answer(
    data: AgreementData, by: Coefficient, settings: AgreeSettings, resampling: Resampling
) -> Answer:
    """All metrics' values, intervals over what `resampling` says, tests of all pairs, and ranks."""
    evaluation = evaluate(data, by, settings, resampling)
    values = {label: agreement.value for label, agreement in evaluation.values.items()}
    rank = partial(tests.rank_metrics, values, alpha=settings.alpha, correction=settings.correction)
    ranks, pairs = rank(evaluation.test)
    tested = {(pair.better, pair.worse): pair for pair in pairs}
    if near := {names for names, pair in tested.items() if _is_close(pair, settings.alpha)}:
        many = replace(settings, permutations=MORE * settings.permutations)
        test = evaluate(data, by, many, resampling).test
        ranks, pairs = rank(lambda *names: test(*names) if names in near else tested[names])
    defined = [label for label, value in values.items() if value is not None]
    replicates = None
    if resampling.refusal is None and defined:
        replicates = evaluation.replicates()
    metrics = dict(evaluation.values)
    for label in defined:
        agreement = metrics[label].noted(*_constant(data, label, by))
        metrics[label] = _with_interval(agreement, replicates, resampling.refusal, settings.level)
    notes = resampling.notes
    unpaired = next(iter(metrics.values())).undefined_groups if by.name == SOFT else 0
    if unpaired:
        count = unpaired + (next(iter(metrics.values())).groups or 0)
        notes = (f"{unpaired} of {count} pairs of systems share nothing that was rated.", *notes)
    least = adjust([pair.smallest_p for pair in pairs], settings.correction) if pairs else None
    return Answer(
        question=by.label,
        title=by.title(data.people.item),
        level=by.level,
        coefficient=by.name,
        metrics=tuple(replace(metrics[label], rank=rank) for label, rank in ranks.items()),
        pairs=pairs,
        smallest_p=None if least is None else float(least.min()),
        resampled=resampling.name,
        method=evaluation.method,
        about_systems=by.of_systems or evaluation.method == "systems",
        notes=notes,
    )


def _is_close(pair: MetricTest, alpha: float) -> bool:
    """Whether other permutations might decide otherwise: the level is within 3 standard errors."""
    if pair.exact or not pair.permutations or not pair.p or pair.p_adjusted is None:
        return False
    error = pair.p_adjusted * ((1 - pair.p) / (pair.p * pair.permutations)) ** 0.5
    return bool(abs(pair.p_adjusted - alpha) <= 3 * error)


def _with_interval(
    agreement: MetricAgreement, replicates: Replicates | None, refusal: str | None, level: float
) -> MetricAgreement:
    if replicates is None:
        return agreement if refusal is None else agreement.noted(refusal)
    interval = replicates.interval(agreement.metric, level)
    if interval.low is None or interval.high is None or agreement.value is None:
        return agreement.noted(f"no interval: {interval.reason}")
    if not interval.low <= agreement.value <= interval.high:
        agreement = agreement.noted(OUTSIDE)
    noise = replicates.noise.get(agreement.metric, 0.0)
    if noise > MOST_NOISE:
        agreement = agreement.noted(
            f"noise is {100 * min(noise, 1.0):.0f} % of the variance between systems: the interval "
            "may be too narrow"
        )
    nested = replicates.nested.get(agreement.metric)
    coverage = None if nested is None else round(nested.coverage(level), 2)
    return replace(agreement, low=interval.low, high=interval.high, coverage=coverage)


def _constant(data: AgreementData, label: str, by: Coefficient) -> list[str]:
    """What a reader should know of a value that is defined although nothing varies."""
    people, metric = data.people, data.metrics[label]
    human: Values | None = people.means[~np.isnan(people.means)]
    scores: Values | None = metric.systems
    if not by.of_systems:
        cells = people.judged_cells
        human = None if people.scores is None else people.scores[cells]
        scores = None if metric.items is None else metric.items[cells]
    notes = []
    if human is not None and np.ptp(human) == 0:
        notes.append("people give everything the same score: the value tells nothing")
    if scores is not None and np.ptp(scores) == 0:
        notes.append("the metric gives everything the same score: the value tells nothing of it")
    return notes


# --------------------------------------------------------------------------------------------------
# A grid of a metric's settings, and the parts to choose on and to report on.
#
# Every candidate of a grid is measured on a development part, and the best is chosen, as Chen &
# Cherry (2014, §3.1) do. Its value there flatters it: the largest of many values is large by chance
# too. So it is measured once more on the held-out part, which had no part in the choice, beside the
# default settings.
#
# Segments of one document go to the same part where documents are known: they resemble each other,
# and a setting that fits half a document fits its other half better than it fits other text. Parts
# are systematic: taken in turn, over the whole test set. What people judged and what nobody judged
# are split apart, so that each part has its share of both.


def parse_grid(grid: str | Sequence[str]) -> tuple[Candidate, ...]:
    """All candidates of one grid or of several, each once, in the order they are written.

    Args:
        grid: a metric with alternatives, such as "sentbleu:smoothing=4,k=1|2|5"; several settings
            with alternatives stand for all their combinations. Or several such texts.

    Raises:
        SettingError: when a combination is not possible, or there are too few or too many.

    >>> for candidate in parse_grid("chrf:char_order=4|6,beta=1|2"):
    ...     print(candidate.text)
    chrf:char_order=4,beta=1
    chrf:char_order=4,beta=2
    chrf:char_order=6,beta=1
    chrf:char_order=6,beta=2
    >>> {candidate.default for candidate in parse_grid("sentbleu:smoothing=4,k=1|2")}
    {'sentbleu:smoothing=4'}
    """
    grids = [_alternatives(text) for text in ([grid] if isinstance(grid, str) else grid)]
    count = sum(prod(map(len, settings)) for _, settings in grids)
    if count > MOST_SETTINGS:
        expected = (
            f"at most {MOST_SETTINGS:,}: write fewer alternatives, or choose one setting after "
            "the other"
        )
        raise SettingError("grid", f"{count:,} settings", expected)
    candidates: list[Candidate] = []
    for name, settings in grids:
        default = _default(name, settings)
        for combination in product(*settings):
            text = _written(name, combination)
            metric = _parsed(text)
            # Two ways to write the same settings are one candidate.
            if all(metric != other.metric for other in candidates):
                candidates.append(Candidate(text, metric, default))
    if len(candidates) < 2:
        texts = ", ".join(candidate.text for candidate in candidates) or "nothing"
        expected = "at least two settings to choose from, such as sentbleu:smoothing=4,k=1|2|5"
        raise SettingError("grid", texts, expected)
    return tuple(candidates)


def _alternatives(text: str) -> tuple[str, list[list[str]]]:
    """A metric's name, and for each of its settings the ways to write it."""
    name, _, rest = text.partition(":")
    settings = []
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        values = list(dict.fromkeys(value.split(BETWEEN)))
        if equals and "" in values:
            expected = f"values with {BETWEEN} between them, such as 1{BETWEEN}2{BETWEEN}5"
            raise SettingError(f"{name}: {key}", value, expected)
        settings.append([f"{key}{equals}{value}" for value in values])
    return name, settings


def _written(name: str, settings: Sequence[str]) -> str:
    return ":".join(filter(None, (name, ",".join(settings))))


def _parsed(text: str) -> Metric:
    try:
        return parse_metric(text)
    except SettingError as error:
        # Of many combinations, say which one it is.
        raise SettingError("grid", text, f"settings that go together ({error})") from error


def _default(name: str, settings: Sequence[Sequence[str]]) -> str:
    """The text without the settings that have alternatives, or with the first of them."""
    text = _written(name, [written[0] for written in settings if len(written) == 1])
    try:
        parse_metric(text)
    except SettingError:
        return _written(name, [written[0] for written in settings])
    return text


def split_items(data: AgreementData, share: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The items of the development part, and those of the held-out part.

    Args:
        data: what people judged.
        share: of what was judged that should be development, above 0 and below 1.

    Raises:
        SettingError: when there is nothing to split, or too little.
    """
    people, documents = data.people, data.documents
    if people.item == "system":
        raise SettingError("grid", "human scores of whole systems", "scores of segments to split")
    units, what = np.arange(people.size), people.item
    if data.by_segment and documents is not None:
        numbers = {name: number for number, name in enumerate(dict.fromkeys(documents))}
        units, what = np.array([numbers[name] for name in documents]), "document"
    sizes = np.bincount(units, weights=people.judged_cells.any(axis=0))
    chosen = np.zeros(len(sizes), dtype=np.bool_)
    # Units with judgments by how much was judged in them; the others by their size.
    for kind, weights in ((sizes > 0, sizes), (sizes == 0, np.bincount(units))):
        chosen[kind] = _in_turn(weights[kind].tolist(), share)
    judged = sizes > 0
    if min((chosen & judged).sum(), (~chosen & judged).sum()) < FEWEST_UNITS:
        expected = (
            f"a share that leaves at least {FEWEST_UNITS} judged {what}s to each part, of the "
            f"{int(judged.sum())} that there are"
        )
        raise SettingError("development", share, expected)
    return np.flatnonzero(chosen[units]), np.flatnonzero(~chosen[units])


def _in_turn(weights: Sequence[float], share: float) -> list[bool]:
    """Which units are development: at each one the share so far stays as near as it can."""
    chosen, taken, total = [], 0.0, 0.0
    for weight in weights:
        total += weight
        takes = abs(taken + weight - share * total) <= abs(taken - share * total)
        taken += weight if takes else 0.0
        chosen.append(takes)
    return chosen


def best_candidate(
    candidates: Sequence[Candidate],
    values: Sequence[MetricAgreement],
    references: Sequence[TextLike],
) -> tuple[Candidate, Candidate, int]:
    """The candidate with the largest value, its default, and how many share that value.

    Of equals it is the default, since there is no reason to depart from it, or else the first.
    """
    most = max((tried.value for tried in values if tried.value is not None), default=None)
    if most is None:
        expected = "a coefficient that some settings have on the development part"
        raise SettingError("grid", f"undefined: {values[0].reason}", expected)
    best = [
        candidate
        for candidate, tried in zip(candidates, values, strict=True)
        if tried.value is not None and tried.value >= most - SAME
    ]
    defaults = [_default_of(candidates, candidate, references) for candidate in best]
    place = next((n for n, default in enumerate(defaults) if default == best[n]), 0)
    return best[place], defaults[place], len(best)


def _default_of(
    candidates: Sequence[Candidate], chosen: Candidate, references: Sequence[TextLike]
) -> Candidate:
    """The default settings of what was chosen, as the grid writes them if it has them."""
    metric = parse_metric(chosen.default).for_references(references)
    for candidate in candidates:
        if candidate.metric == metric:
            return candidate
    return Candidate(chosen.default, metric, chosen.default)


def _choose(
    grid: Sequence[str],
    test_set: TestSet,
    human: Human,
    by: Coefficient,
    settings: AgreeSettings,
    share: float,
    progress: Progress,
) -> tuple[AgreementData, GridChoice]:
    """Choose settings on the development part; they and the default on the held-out part."""
    references = test_set.references
    candidates = [
        candidate._replace(metric=candidate.metric.for_references(references))
        for candidate in parse_grid(grid)
    ]

    def scored(metric: Metric) -> AgreementData:
        return agreement_data(test_set, human, [metric], system_scores=settings.system_scores)

    data = scored(candidates[0].metric)
    development, held_out = split_items(data, share)
    require_answerable(by, data, human.label)
    resampling_of(by, data.part(held_out), settings.resample)

    def value(text: str, metric: Metric) -> MetricAgreement:
        (agreement,) = _values(scored(metric).part(development), by, settings.seed).values()
        return replace(agreement, metric=text)

    values = []
    for candidate in candidates:
        values.append(value(candidate.text, candidate.metric))
        progress(1)
    chosen, default, tied = best_candidate(candidates, values, references)
    whole = {candidate.text: scored(candidate.metric) for candidate in (chosen, default)}
    metrics = {}
    for text, data in whole.items():
        (metrics[text],) = data.part(held_out).metrics.values()
    choice = GridChoice(
        candidates=tuple(values),
        chosen=chosen.text,
        default=default.text,
        default_value=value(default.text, default.metric).value,
        tied=tied,
        share=share,
        development=HumanSummary.of(human, whole[chosen.text].part(development), test_set),
    )
    return replace(whole[chosen.text].part(held_out), metrics=metrics), choice
