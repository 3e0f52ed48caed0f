"""An answer: how well all metrics agree with people by one coefficient, and how sure that is.

It has each metric's value with an interval, a test of every pair of metrics, and ranks. There is
one way to find them for each kind of question: of items, of systems, of comparisons, of soft
pairwise accuracy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

import numpy as np

from truebleu._settings import DEFAULT_SEED, require_replicates, require_seed
from truebleu.agreement.bootstrap import (
    MOST_NOISE,
    RESAMPLE,
    BootstrapOptions,
    Replicates,
    Resample,
    bootstrap_agreement,
    bootstrap_system_agreement,
)
from truebleu.agreement.comparisons import (
    bootstrap_judgments,
    bootstrap_shares_of_wins,
    judgment_permutation_test,
    measure_judgments,
)
from truebleu.agreement.data import SystemScores
from truebleu.agreement.measures import measure
from truebleu.agreement.ranking import MetricPair, TestedMetrics
from truebleu.agreement.soft_pairwise import (
    bootstrap_soft_pairwise,
    soft_pairwise_accuracies,
    soft_pairwise_test,
)
from truebleu.agreement.tests import (
    METHODS,
    PERMUTE,
    Method,
    MetricTest,
    Permute,
    Unit,
    pair_permutation_test,
    permutation_test,
    williams_test,
)
from truebleu.errors import SettingError, UnknownNameError
from truebleu.significance.corrections import P_VALUE_CORRECTIONS, adjust
from truebleu.significance.intervals import smallest_replicates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu._settings import Alternative
    from truebleu.agreement.data import AgreementData
    from truebleu.agreement.measures import Measure, Measured, Question
    from truebleu.resampling import Values

#: How two metrics are tested against each other.
TestName: TypeAlias = Literal["permutation", "williams"]
#: A test of a metric and of one that agrees no better, by their names.
Test: TypeAlias = Callable[[str, str], MetricTest]
#: What tests ask: whether two metrics differ; whether one agrees better than those named after it;
#: or, as the WMT metrics tasks, whether the one that does agree better does so truly.
AgreeAlternative: TypeAlias = Literal["two-sided", "greater", "observed"]
#: The pairs of metrics that are corrected for together: those of one question, or of all.
CorrectOver: TypeAlias = Literal["pairs", "all"]

TESTS: tuple[TestName, ...] = get_args(TestName)
ALTERNATIVES: tuple[AgreeAlternative, ...] = get_args(AgreeAlternative)
CORRECT_OVER: tuple[CorrectOver, ...] = get_args(CorrectOver)
# All permutations of so many systems are made, however few are asked for: 16,384.
EXACT_SYSTEMS = 14
OUTSIDE = (
    "the value is outside its interval: noise weakens agreement, and the interval is about the "
    "agreement without it"
)
# Two points always lie on a line.
FEWEST_SYSTEMS = {"pearson": 3, "spearman": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeSettings:
    """Settings of an agreement; the defaults are what we would report.

    Attributes:
        resample: what intervals resample: "segments", "documents", "systems", or both.
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
        human_lower_is_better: whether human scores were negated, since lower ones are better.
        system_scores: whether metrics score systems on "all" segments, or on those "rated".
        seed: any whole number from 0 up.
        level: of the intervals, and 1 minus the significance level of the tests.
    """

    resample: Resample = "segments"
    replicates: int = 1000
    test: TestName = "permutation"
    permutations: int = 1000
    permute: Permute = "scores"
    alternative: AgreeAlternative = "two-sided"
    correction: str = "holm"
    correct_over: CorrectOver = "pairs"
    human_lower_is_better: bool = False
    system_scores: SystemScores = "all"
    seed: int = DEFAULT_SEED
    level: float = 0.95

    def __post_init__(self) -> None:
        for setting, value, known in (
            ("resample", self.resample, RESAMPLE),
            ("test", self.test, TESTS),
            ("permute", self.permute, PERMUTE),
            ("alternative", self.alternative, ALTERNATIVES),
            ("correct_over", self.correct_over, CORRECT_OVER),
            ("correction", self.correction, P_VALUE_CORRECTIONS),
            ("system_scores", self.system_scores, get_args(SystemScores)),
        ):
            if value not in known:
                raise UnknownNameError(setting, value, tuple(known))
        require_seed(self.seed)
        require_replicates("permutations", self.permutations)
        require_replicates("replicates", self.replicates)
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
class MetricAgreement:
    """How well one metric agrees with people by one coefficient.

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

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "notes": list(self.notes)}

    def noted(self, *notes: str) -> MetricAgreement:
        """The same with further notes."""
        return replace(self, notes=(*self.notes, *notes))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """All metrics by one coefficient, best first.

    Attributes:
        question: what was asked.
        title: the same for people.
        metrics: the metrics, best first, those without a value last.
        pairs: every pair of metrics, tested.
        smallest_p: the smallest adjusted p that there could have been; above the significance
            level, nothing could have been significant. None without pairs.
        resampled: what the replicates of intervals resampled.
        method: how pairs of metrics were tested.
        family: how many pairs of metrics p-values are corrected for together.
        about_systems: whether tests are about other systems too; otherwise they take these as
            given.
        notes: what a reader should know, in sentences.
    """

    question: Question
    title: str
    metrics: tuple[MetricAgreement, ...]
    pairs: tuple[MetricPair, ...] = ()
    smallest_p: float | None = None
    resampled: str
    method: Method
    family: int = 0
    about_systems: bool = False
    notes: tuple[str, ...] = ()

    def __getitem__(self, metric: str) -> MetricAgreement:
        """The agreement of one metric, by its label."""
        for agreement in self.metrics:
            if agreement.metric == metric:
                return agreement
        raise KeyError(metric)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "question": self.question.label,
            "title": self.title,
            "level": self.question.level,
            "coefficient": self.question.coefficient,
            "resampled": self.resampled,
            "method": self.method,
            "family": self.family,
            "about_systems": self.about_systems,
            "smallest_p": self.smallest_p,
            "metrics": [agreement.to_dict() for agreement in self.metrics],
            "pairs": [pair.to_dict() for pair in self.pairs],
            "notes": list(self.notes),
        }


# --------------------------------------------------------------------------------------------------
# What intervals resample.


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """What the replicates of a question's intervals resample.

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

    def options(self, settings: AgreeSettings) -> BootstrapOptions:
        """How a bootstrap draws so many replicates of it."""
        return {
            "resample": self.resample,
            "documents": self.documents,
            "replicates": settings.replicates,
            "seed": settings.seed,
        }


def resampling_of(question: Question, data: AgreementData, resample: Resample) -> Resampling:
    """What the intervals of a question resample.

    Args:
        question: what is asked.
        data: what people judged.
        resample: what should be resampled.

    Raises:
        SettingError: when that cannot be resampled.
    """
    people, notes = data.people, []
    chosen = resample
    if question.measure is None and resample.endswith("systems"):
        chosen = "documents" if resample.startswith("documents") else "segments"
        notes.append(
            f"Only {chosen} were resampled: of resampled systems it would be another coefficient."
        )
    if question.compared and resample.endswith("systems"):
        expected = "segments or documents: people compared pairs of systems"
        raise SettingError("resample", resample, expected)
    if people.item == "system":
        if resample != "systems":
            notes.append("Systems were resampled: people scored nothing less than whole systems.")
        return Resampling(resample="systems", name="systems", notes=tuple(notes))
    if chosen == "systems":
        return Resampling(resample=chosen, name=chosen, notes=tuple(notes))
    judged = np.flatnonzero(people.judged_cells.any(axis=0))
    if data.by_segment and chosen.startswith("documents"):
        if data.documents is None:
            raise SettingError("resample", chosen, "a test set with documents; see --documents")
        return Resampling(
            resample=chosen,
            name=chosen,
            documents=data.documents,
            notes=tuple(notes),
            refusal=_refusal(len({data.documents[segment] for segment in judged}), "document"),
        )
    chosen = cast("Resample", chosen.replace("documents", "segments"))
    return Resampling(
        resample=chosen,
        name=chosen.replace("segment", people.item),
        notes=tuple(notes),
        refusal=_refusal(len(judged), people.item),
    )


def _refusal(units: int, what: str) -> str | None:
    return None if units > 1 else f"no interval: people judged one {what} only"


# --------------------------------------------------------------------------------------------------
# Values, tests and replicates.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evaluation:
    """What one question is answered with: values, and how to test and to resample them.

    Attributes:
        values: each metric's value, without interval and rank.
        test: of a metric and one that agrees no better.
        method: of that test.
        replicates: draws them.
        notes: what a reader should know, in sentences.
    """

    values: Mapping[str, MetricAgreement]
    test: Test
    method: Method
    replicates: Callable[[], Replicates]
    notes: tuple[str, ...] = ()


def evaluate(
    data: AgreementData, question: Question, settings: AgreeSettings, resampling: Resampling
) -> Evaluation:
    """Evaluate all metrics by one question, with replicates of what `resampling` says."""
    by = question.measure
    if by is None:
        return _of_soft_accuracy(data, settings, resampling)
    if question.level == "system":
        return _of_systems(data, by, settings, resampling)
    if question.compared:
        return _of_comparisons(data, by, settings, resampling)
    return _of_items(data, by, settings, resampling)


def _of_items(
    data: AgreementData, by: Measure, settings: AgreeSettings, resampling: Resampling
) -> Evaluation:
    human, items = data.human, data.items
    assert human is not None  # noqa: S101  # such questions are refused otherwise
    test, method = items_test(human, items, by, settings)
    return Evaluation(
        values={label: _measured(label, measure(human, items[label], by)) for label in items},
        test=test,
        method=method,
        replicates=lambda: bootstrap_agreement(human, items, by, **resampling.options(settings)),
    )


def _of_systems(
    data: AgreementData, by: Measure, settings: AgreeSettings, resampling: Resampling
) -> Evaluation:
    means, systems = data.people.means, data.systems
    test, method = systems_test(means, systems, by, settings)
    if int((~np.isnan(means)).sum()) < FEWEST_SYSTEMS.get(by.coefficient.name, 2):
        reason = "undefined for fewer than three systems: two points always lie on a line"
        values = {
            label: MetricAgreement(metric=label, value=None, notes=(reason,)) for label in systems
        }
    else:
        values = {label: _measured(label, measure(means, systems[label], by)) for label in systems}
    return Evaluation(
        values=values,
        test=test,
        method=method,
        replicates=lambda: _system_replicates(data, by, settings, resampling),
    )


def _system_replicates(
    data: AgreementData, by: Measure, settings: AgreeSettings, resampling: Resampling
) -> Replicates:
    options = resampling.options(settings)
    statistics = {label: metric.statistics for label, metric in data.metrics.items()}
    if data.human is not None:
        return bootstrap_system_agreement(data.human, statistics, by.coefficient, **options)
    if data.judgments is not None and resampling.resample != "systems":
        return bootstrap_shares_of_wins(statistics, data.judgments, by.coefficient, **options)
    # Whole systems are all there is to resample.
    return bootstrap_agreement(data.people.means, data.systems, by, **options)


def _of_comparisons(
    data: AgreementData, by: Measure, settings: AgreeSettings, resampling: Resampling
) -> Evaluation:
    judgments, items, coefficient = data.judgments, data.items, by.coefficient
    assert judgments is not None  # noqa: S101  # comparisons are asked for only where there are any
    values = {}
    for label, scores in items.items():
        value, reason = measure_judgments(scores, judgments, coefficient)
        values[label] = MetricAgreement(metric=label, value=value, notes=_notes(reason))
    test = partial(
        judgment_permutation_test,
        judgments=judgments,
        by=coefficient,
        permutations=settings.permutations,
        seed=settings.seed,
    )
    return Evaluation(
        values=values,
        test=_by_name(test, items, settings),
        method="segments",
        replicates=lambda: bootstrap_judgments(
            items, judgments, coefficient, **resampling.options(settings)
        ),
    )


def _of_soft_accuracy(
    data: AgreementData, settings: AgreeSettings, resampling: Resampling
) -> Evaluation:
    human, items = data.human, data.items
    assert human is not None  # noqa: S101  # refused otherwise
    accuracies = soft_pairwise_accuracies(human, items, seed=settings.seed)
    first = next(iter(accuracies.values()))
    notes: tuple[str, ...] = ()
    if first.unpaired:
        pairs = first.unpaired + first.pairs
        notes = (f"{first.unpaired} of {pairs} pairs of systems share nothing that was rated.",)
    unit, permutations = _permuted(settings, len(human))
    test = partial(
        soft_pairwise_test, human, unit=unit, permutations=permutations, seed=settings.seed
    )
    values = {label: accuracy.value for label, accuracy in accuracies.items()}
    return Evaluation(
        values={
            label: MetricAgreement(
                metric=label, value=value, notes=_notes(accuracies[label].reason)
            )
            for label, value in values.items()
        },
        test=_by_name(test, items, settings),
        method=METHODS[unit],
        replicates=lambda: bootstrap_soft_pairwise(
            human, items, values, **resampling.options(settings)
        ),
        notes=notes,
    )


def items_test(
    human: Values, metrics: Mapping[str, Values], by: Measure, settings: AgreeSettings
) -> tuple[Test, Method]:
    """The test of a coefficient of items, and its method."""
    coefficient = by.coefficient
    # A threshold has the unit of its metric's scores, so that these cannot be swapped.
    fixed = bool(coefficient.epsilon) and not coefficient.calibrated
    outcomes = fixed or (coefficient.calibrated and settings.permute == "pairs")
    if settings.test == "williams" or not outcomes:
        return _scores_test(human, metrics, by, settings, *_permuted(settings, len(human)))
    test = partial(
        pair_permutation_test,
        human,
        grouping=by.grouping,
        micro=by.average == "micro",
        epsilons=(coefficient.parameter, coefficient.parameter) if fixed else None,
        permutations=settings.permutations,
        seed=settings.seed,
    )
    return _by_name(test, metrics, settings), "pairs"


def systems_test(
    human: Values, metrics: Mapping[str, Values], by: Measure, settings: AgreeSettings
) -> tuple[Test, Method]:
    """The test of a coefficient of system scores, and its method."""
    permutations = _permutations(settings, len(human))
    return _scores_test(human, metrics, by, settings, "system", permutations)


def _scores_test(
    human: Values,
    metrics: Mapping[str, Values],
    by: Measure,
    settings: AgreeSettings,
    unit: Unit,
    permutations: int,
) -> tuple[Test, Method]:
    if settings.test == "williams":
        return _by_name(partial(williams_test, human), metrics, settings), "williams"
    test = partial(
        permutation_test, human, by=by, unit=unit, permutations=permutations, seed=settings.seed
    )
    return _by_name(test, metrics, settings), METHODS[unit]


def _permuted(settings: AgreeSettings, systems: int) -> tuple[Unit, int]:
    """What is permuted of segment scores, and how often."""
    if settings.permute == "systems":
        return "system", _permutations(settings, systems)
    return "cell", settings.permutations


def _permutations(settings: AgreeSettings, systems: int) -> int:
    """How many permutations of systems to make: all of them where they are few."""
    few = systems <= EXACT_SYSTEMS
    return max(settings.permutations, 2**systems) if few else settings.permutations


def _by_name(
    test: Callable[..., MetricTest], metrics: Mapping[str, Values], settings: AgreeSettings
) -> Test:
    """A test of two metrics' scores as one of their names, in the direction that is asked for."""
    return lambda better, worse: test(
        metric1=metrics[worse],
        metric2=metrics[better],
        alternative=settings.side(list(metrics), better, worse),
    )


def _measured(label: str, measured: Measured) -> MetricAgreement:
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


# --------------------------------------------------------------------------------------------------
# The answer.


@dataclass(frozen=True, slots=True, eq=False)
class AskedQuestion:
    """A question answered but for the correction of p-values, which others may have a part in.

    Attributes:
        answer: as it is without tests: metrics have no rank, and there are no pairs.
        tested: the tests of all pairs of metrics.
    """

    answer: Answer
    tested: TestedMetrics

    def corrected(
        self, adjusted: Values, smallest_p: float | None, family: int, settings: AgreeSettings
    ) -> Answer:
        """The answer with corrected p-values."""
        ranked = self.tested.ranked(adjusted, alpha=settings.alpha, correction=settings.correction)
        ranks = dict(zip(ranked.order, ranked.ranks, strict=True))
        return replace(
            self.answer,
            metrics=tuple(
                replace(self.answer[label], rank=ranks.get(label))
                for label in (*ranked.order, *ranked.undefined)
            ),
            pairs=ranked.pairs,
            smallest_p=smallest_p,
            family=family,
        )


def ask(
    data: AgreementData, question: Question, settings: AgreeSettings, resampling: Resampling
) -> AskedQuestion:
    """All metrics' values, intervals over what `resampling` says, and tests of all pairs."""
    evaluation = evaluate(data, question, settings, resampling)
    values = {label: agreement.value for label, agreement in evaluation.values.items()}
    tested = TestedMetrics.of(values, evaluation.test)
    replicates = None
    if resampling.refusal is None and tested.values:
        replicates = evaluation.replicates()
    metrics = dict(evaluation.values)
    for label in tested.values:
        agreement = metrics[label].noted(*_constant(data, label, question))
        metrics[label] = _with_interval(agreement, replicates, resampling.refusal, settings.level)
    of_systems = question.level == "system" and question.measure is not None
    answer = Answer(
        question=question,
        title=question.title(data.people.item),
        metrics=tuple(metrics.values()),
        resampled=resampling.name,
        method=evaluation.method,
        about_systems=of_systems or evaluation.method == "systems",
        notes=(*evaluation.notes, *resampling.notes),
    )
    return AskedQuestion(answer, tested)


def correct_answers(
    questions: Sequence[AskedQuestion], settings: AgreeSettings
) -> tuple[Answer, ...]:
    """The answers, p-values corrected within each question or over all of them."""
    families = [[asked] for asked in questions]
    if settings.correct_over == "all":
        families = [list(questions)]
    answers = []
    for family in families:
        sizes = [len(asked.tested.tests) for asked in family]
        ends = np.cumsum(sizes)[:-1]
        adjusted, smallest = (
            adjust(np.concatenate(p_values), settings.correction) if sum(sizes) else np.empty(0)
            for p_values in (
                [asked.tested.p_values for asked in family],
                [asked.tested.smallest_p for asked in family],
            )
        )
        for asked, p, least in zip(
            family, np.split(adjusted, ends), np.split(smallest, ends), strict=True
        ):
            smallest_p = float(least.min()) if least.size else None
            answers.append(asked.corrected(p, smallest_p, sum(sizes), settings))
    return tuple(answers)


def answer_question(
    data: AgreementData, question: Question, settings: AgreeSettings, resampling: Resampling
) -> Answer:
    """The answer of all metrics to one question, with intervals over what `resampling` says."""
    (answer,) = correct_answers([ask(data, question, settings, resampling)], settings)
    return answer


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
    return replace(agreement, low=interval.low, high=interval.high)


def _constant(data: AgreementData, label: str, question: Question) -> tuple[str, ...]:
    """What a reader should know of a value that is defined although nothing varies."""
    people, metric = data.people, data.metrics[label]
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
