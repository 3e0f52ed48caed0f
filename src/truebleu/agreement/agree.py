"""Agreement of metrics with human judgments: values, intervals, tests of metrics, and ranks.

Each coefficient gives every metric a value with an interval and a rank, and tests every pair of
metrics. A grid first chooses the settings of a metric, on a part of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import comb, fsum
from os import PathLike
from os.path import basename
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias, TypedDict, cast

import numpy as np

from truebleu._results import Result
from truebleu.agreement import bootstrap, tests
from truebleu.agreement.bootstrap import MOST_NOISE, Resample, resampling_of
from truebleu.agreement.coefficients import (
    SOFT,
    Coefficient,
    MetricAgreement,
    measure_metrics,
    parse_coefficients,
    require_answerable,
)
from truebleu.agreement.data import HumanSummary, SystemScores, agreement_data, as_lists
from truebleu.agreement.grid import DEVELOPMENT, GridChoice, choose_settings
from truebleu.agreement.human_warnings import human_warnings
from truebleu.agreement.tests import METHODS, Method, MetricTest, Permute, Unit
from truebleu.counts.inputs import count_evaluation_set, counts_of
from truebleu.errors import SettingError, first_names
from truebleu.human.judgments import HumanScores, PairwiseJudgments
from truebleu.metrics.base import GivenMean, StoredMean
from truebleu.schema import (
    DEFAULT_LEVEL,
    DEFAULT_SEED,
    Column,
    Level,
    Seed,
    Setting,
    Settings,
    require_type,
    takes,
    to_builtins,
)
from truebleu.scores.evaluation_set import EvaluationSet, is_evaluation_set
from truebleu.significance.corrections import P_VALUE_CORRECTIONS, adjust
from truebleu.significance.intervals import min_replicates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from typing_extensions import Unpack

    from truebleu.agreement.bootstrap import Draws, Replicates
    from truebleu.agreement.data import AgreementData, Human, Judgments
    from truebleu.corpus.outline import Sizes
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike
    from truebleu.corpus.text_warnings import TextWarning
    from truebleu.counts.counts import Counts
    from truebleu.counts.inputs import Source
    from truebleu.metrics.base import Signature
    from truebleu.metrics.registry import MetricsLike
    from truebleu.resampling import Values
    from truebleu.schema import Alternative

__all__ = ["AgreeSettings", "Agreement", "Answer", "LeaderboardRow", "MetricSummary", "leaderboard"]

#: Human judgments as `truebleu.human` reads them, or scores of segments by system.
HumanLike: TypeAlias = "Human | Mapping[str, Sequence[float | None]]"
#: Callback that gets the number of coefficients or candidates finished since its last call.
Progress: TypeAlias = Callable[[int], object]
#: Name of the test of two metrics.
TestName: TypeAlias = Literal["permutation", "williams"]
#: A test of two metrics by name, the one that agrees better first.
Test: TypeAlias = Callable[[str, str], MetricTest]
#: Alternative hypothesis: two metrics differ; a metric agrees better than those named after it; or,
#: as in the WMT metrics tasks, the metric with the larger value agrees better.
AgreeAlternative: TypeAlias = Literal["two-sided", "greater", "observed"]


# Default coefficients: of WMT since 2024, and of most papers.
SEGMENT_COEFFICIENTS = ("acc-eq", "kendall-b")
SYSTEM_COEFFICIENTS = (SOFT, "pairwise-accuracy", "pearson")
EVALUATION_COEFFICIENTS = (*SYSTEM_COEFFICIENTS, "acc-eq", "pearson:level=segment,grouping=none")
COMPARISON_COEFFICIENTS = ("chen-cherry", "tau-13", "pairwise-accuracy", "pearson")
#: Coefficients of the WMT metrics tasks in one language pair.
TASKS = {
    "wmt23": ("pairwise-accuracy", "pearson", *EVALUATION_COEFFICIENTS[-1:], "acc-eq"),
    "wmt24": (SOFT, "acc-eq"),
    "wmt25": (SOFT, "acc-eq"),
}
# Default coefficient for choosing from a grid: Chen & Cherry (2014).
GRID_COEFFICIENT = "chen-cherry"
# Expected value of a random metric, if it is not 0.
CHANCE = {"pairwise-accuracy": 0.5, SOFT: 0.5}
# Coefficients from 0 to 1; the others are correlations.
SHARES = ("pairwise-accuracy", SOFT, "acc-eq")
# Up to this number of systems all permutations (16,384) are made, even if fewer are requested.
EXACT_SYSTEMS = 14
# Factors by which permutations increase for pairs of metrics whose p is close to the level.
RETEST_FACTORS = (2, 10)
OUTSIDE = (
    "the value is outside its interval: noise weakens agreement, and the interval estimates "
    "agreement without noise"
)


class AgreeOptions(TypedDict, total=False):
    """Options of `agree`.

    Attributes:
        coefficients: coefficients, such as "kendall-b" or "pearson:level=segment". Default: the
            coefficients of WMT.
        task: WMT metrics task whose coefficients are used.
        grid: metric with alternatives, such as "sentbleu:k=1|2|5": the best is chosen on a part of
            the data, and tested on the rest.
        development: share of the judged segments to choose on, with a grid; the first coefficient
            chooses, "chen-cherry" by default.
        resample: unit that the intervals resample.
        replicates: replicates of the intervals.
        test: test of two metrics; Williams' is for pearson of systems, or of segments with
            grouping=none.
        permutations: permutations in each test, and 2 or 10 times as many if p is close to the
            significance level; up to 14 systems are permuted exhaustively.
        permute: unit that tests swap. "scores" takes the systems as given; whole "systems"
            generalizes to other systems; outcomes of "pairs", for calibrated ties as in WMT,
            rejects too often.
        alternative: "greater" tests whether a metric agrees better than metrics named after it, if
            that was fixed beforehand. "observed" is one-sided in the direction of the data, as in
            WMT, which doubles the Type I error rate.
        correction: correction for the number of pairs of metrics; WMT uses "none".
        human_lower_is_better: treat lower human scores as better, such as penalties: negate them.
        system_scores: segments that system scores are computed on: "all", or only "rated" ones.
    """

    coefficients: Annotated[
        Sequence[str], Setting(flags=("-c", "--coefficient"), metavar="NAME", default=())
    ]
    task: Annotated[str | None, Setting(choices=tuple(TASKS), rare=True)]
    grid: Annotated[Sequence[str], Setting(group="Metrics", metavar="METRIC", default=())]
    development: Annotated[float, Setting(above=0, below=1, rare=True, default=DEVELOPMENT)]
    resample: Annotated[Resample, Setting(rare=True)]
    replicates: Annotated[int, Setting(minimum=1, rare=True)]
    test: Annotated[TestName, Setting(rare=True)]
    permutations: Annotated[int, Setting(minimum=1, rare=True)]
    permute: Annotated[Permute, Setting(rare=True)]
    alternative: Annotated[AgreeAlternative, Setting(rare=True)]
    correction: Annotated[str, Setting(choices=P_VALUE_CORRECTIONS, rare=True)]
    human_lower_is_better: Annotated[bool, Setting(group="Texts", rare=True)]
    system_scores: Annotated[SystemScores, Setting(rare=True)]
    seed: Seed
    level: Level


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeSettings(Settings):
    """Settings of an agreement; `agree` describes its options."""

    OPTIONS = AgreeOptions

    resample: Resample = "segments"
    replicates: int = 1000
    test: TestName = "permutation"
    permutations: int = 1000
    permute: Permute = "scores"
    alternative: AgreeAlternative = "two-sided"
    correction: str = "holm"
    human_lower_is_better: bool = False
    system_scores: SystemScores = "all"
    seed: int = DEFAULT_SEED
    level: float = DEFAULT_LEVEL

    @staticmethod
    def refuse_conflicts(options: Mapping[str, Any]) -> None:
        """Raise SettingError for a task with coefficients, or if `level` needs more replicates."""
        if options.get("task") and options.get("coefficients"):
            expected = "None with coefficients: a task has its own"
            raise SettingError("task", options["task"], expected)
        minimum = min_replicates(options["level"])
        if options["replicates"] < minimum:
            expected = f"at least {minimum} at the level {options['level']:g}"
            raise SettingError("replicates", options["replicates"], expected)

    @property
    def alpha(self) -> float:
        """The significance level."""
        return round(1 - self.level, 12)

    def side(self, metrics: Sequence[str], better: str, worse: str) -> Alternative:
        """Return the alternative of the test of two metrics; `metrics` are in the user's order."""
        if self.alternative == "two-sided":
            return "two-sided"
        if self.alternative == "observed":
            return "greater"
        return "greater" if metrics.index(better) < metrics.index(worse) else "less"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSummary:
    """A metric's signature, direction and scores of the judged systems.

    Attributes:
        signature: settings that must match before scores of the metric may be compared.
        higher_is_better: direction of the metric, None if unknown; scores of a lower-is-better
            metric are negated before they are compared with human scores.
        scores: scores of the judged systems by name, as the metric gives them, or None.
    """

    signature: Signature
    higher_is_better: bool | None
    scores: Mapping[str, float | None]

    def to_dict(self) -> dict[str, Any]:
        """Return builtin values for JSON."""
        return {
            "higher_is_better": self.higher_is_better,
            "scores": dict(self.scores),
            **self.signature.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """All metrics by one coefficient, best first.

    Attributes:
        question: the coefficient with all settings that must match before values may be compared.
        title: the coefficient and its settings in words.
        level: "system" or "segment" scores.
        coefficient: name of the coefficient.
        metrics: the metrics, best first, metrics without a value last.
        pairs: the test of every pair of metrics.
        smallest_p: the smallest adjusted p that was possible; if it is above the significance
            level, nothing could have been significant. None without pairs.
        resampled: unit that the replicates of intervals resampled.
        method: method of the tests of pairs of metrics.
        about_systems: True if tests generalize to other systems; otherwise they take these as
            given.
        notes: caveats for readers, in sentences.
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
        """Return the agreement of one metric, by its label."""
        return {agreement.metric: agreement for agreement in self.metrics}[metric]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderboardRow:
    """Average agreement of a metric.

    Attributes:
        metric: the metric's label.
        average: weighted mean of its values.
        values: value by each coefficient, in the order of the answers.
    """

    metric: Annotated[str, Column(heading="Metric")]
    average: Annotated[float, Column(heading="Average", digits=4)]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Agreement(Result):
    """Agreement of metrics with human judgments.

    Attributes:
        test_set: sizes and names of the test set.
        human: summary of the human judgments; with a grid, of the held-out part.
        settings: the other settings needed to repeat the agreement.
        metrics: signature, direction and scores of each metric by label.
        answers: agreement of all metrics by each coefficient.
        grid: the chosen settings and their candidates; None without a grid.
        evaluation_set: name and language pair of the evaluation set, or None.
        warnings: warnings about the texts.
    """

    REPORT: ClassVar[str] = "truebleu.reports.agree"

    test_set: Sizes
    human: HumanSummary
    settings: AgreeSettings
    metrics: Mapping[str, MetricSummary]
    answers: tuple[Answer, ...]
    grid: GridChoice | None = None
    evaluation_set: str | None = None
    warnings: tuple[TextWarning, ...] = ()

    def __getitem__(self, coefficient: str) -> Answer:
        """Return the first answer by the coefficient of that name or label."""
        for answer in self.answers:
            if coefficient in (answer.coefficient, answer.question):
                return answer
        raise KeyError(coefficient)

    @property
    def leaderboard(self) -> tuple[LeaderboardRow, ...]:
        """The average of each metric over the answers, best first."""
        return leaderboard([self])

    @property
    def all_negative(self) -> bool:
        """True if every value is below chance, by every coefficient except acc-eq and tau-eq."""
        values = [
            agreement.value - CHANCE.get(answer.coefficient, 0.0)
            for answer in self.answers
            for agreement in answer.metrics
            if agreement.value is not None and answer.coefficient not in ("acc-eq", "tau-eq")
        ]
        return bool(values) and max(values) < 0

    def facts(self) -> dict[str, Any]:
        """Return builtin values, without sentences."""
        metrics = [{"name": label, **metric.to_dict()} for label, metric in self.metrics.items()]
        values = {**Result.facts(self), "metrics": metrics, "all_negative": self.all_negative}
        if self.evaluation_set is not None:
            values["leaderboard"] = [to_builtins(row) for row in self.leaderboard]
        missing = {name for name in ("grid", "evaluation_set") if values[name] is None}
        return {name: value for name, value in values.items() if name not in missing}


def leaderboard(agreements: Sequence[Agreement]) -> tuple[LeaderboardRow, ...]:
    """Average the agreement of metrics over the coefficients of one or more language pairs.

    As in the WMT metrics tasks, a correlation is mapped from [-1, 1] to [0, 1]. Pairwise accuracies
    of several language pairs are pooled over all pairs of systems, and weigh as much as there are
    language pairs; every other value weighs 1. Only metrics with a value by each coefficient are
    listed, best first.

    Args:
        agreements: agreements with the same coefficients, one for each language pair.
    """
    if not agreements:
        raise SettingError("agreements", "none", "at least one")
    questions = [[answer.question for answer in agreement.answers] for agreement in agreements]
    if any(names != questions[0] for names in questions):
        expected = "the same coefficients everywhere, such as one task has"
        raise SettingError("agreements", "different coefficients", expected)
    rows = [
        _row(metric, agreements)
        for metric in agreements[0].metrics
        if all(metric in agreement.metrics for agreement in agreements)
        and all(answer[metric].value is not None for a in agreements for answer in a.answers)
    ]
    return tuple(sorted(rows, key=lambda row: (-row.average, row.metric)))


def _row(metric: str, agreements: Sequence[Agreement]) -> LeaderboardRow:
    values, weighted = [], []
    weights = [comb(len(agreement.human.systems), 2) for agreement in agreements]
    for answers in zip(*(agreement.answers for agreement in agreements), strict=True):
        of_pairs = [float(answer[metric].value or 0.0) for answer in answers]
        if answers[0].coefficient == "pairwise-accuracy":
            products = (value * weight for value, weight in zip(of_pairs, weights, strict=True))
            of_pairs = [fsum(products) / sum(weights)]
        values += of_pairs
        # Correlations become shares.
        is_share = answers[0].coefficient in SHARES
        mapped = [value if is_share else (value + 1) / 2 for value in of_pairs]
        weighted += [value / len(mapped) for value in mapped]
    return LeaderboardRow(
        metric=metric, average=fsum(weighted) / len(agreements[0].answers), values=tuple(values)
    )


@takes(AgreeSettings)
def agree(
    systems: SystemsLike | Source | str | PathLike[str],
    human: HumanLike | str | None = None,
    metrics: MetricsLike | None = None,
    *,
    references: ReferencesLike | None = None,
    source: TextLike | None = None,
    documents: str | Iterable[object] | None = None,
    lp: str | None = None,
    humans: bool | None = None,
    progress: Progress | None = None,
    **options: Unpack[AgreeOptions],
) -> Agreement:
    """How well do metrics agree with people?

    Args:
        systems: a test set, the outputs of two or more systems by name, scores of items by model,
            or counts; or an evaluation set, or the path of its folder.
        human: judgments that `truebleu.human.read_human` reads, or scores of segments by system,
            with None for unjudged segments; with an evaluation set the name of its scores.
        metrics: names or objects; "scores:path=FILE" takes scores of another tool. Default: BLEU,
            the scores of items, or all metrics of counts; with an evaluation set, metrics besides
            its own.
        references: one text, or one per translator; None with a test set, scores or counts; names
            with the folder of an evaluation set.
        source: source text, for metrics such as COMET.
        documents: document of each segment or item; with scores also the name of a field.
        lp: language pair of an evaluation set; None for the only one.
        humans: True to compare human translations of an evaluation set too, False to leave them
            out; None for the choice of the task.
        progress: called with 1 after every coefficient, or candidate of a grid.

    Raises:
        CorpusError: if the judgments do not fit the test set.
        SettingError: if the judgments cannot answer a coefficient, or a setting is invalid.

    >>> outputs = {"a": ["a b c d", "e f g h"], "b": ["a b c", "e f"], "c": ["a", "f x"]}
    >>> human = {"a": [5, 5], "b": [4, 3], "c": [1, 1]}
    >>> agreement = agree(outputs, human, ["chrf"], references=["a b c d", "e f g h"])
    >>> agreement["kendall-b"]["chrF2"].value
    1.0
    """
    settings, grid = AgreeSettings.from_options(options), options["grid"]
    report_progress = progress or (lambda _done: None)
    if grid and metrics is not None:
        raise SettingError("metrics", metrics, "no metrics with `grid`, which names them")
    evaluation_set = as_evaluation_set(systems, lp, references, human, humans=humans)
    if evaluation_set is not None:
        counts = count_evaluation_set(evaluation_set, metrics, human=False)
        human = stored_human_scores(evaluation_set)
    else:
        texts = cast("SystemsLike", systems)
        counts = counts_of(texts, references, metrics, documents, None, source)
    judgments = as_judgments(human, lower_is_better=settings.human_lower_is_better)
    judged = counts
    if evaluation_set is None:
        counts = judged.without_copies()
    if counts is not judged:
        judgments = _without(judgments, judged.outline.copies)
    outline = counts.outline
    names = options["coefficients"] or TASKS.get(options["task"] or "")
    if not names and evaluation_set is not None and evaluation_set.human.segments:
        names = EVALUATION_COEFFICIENTS
    names = names or ([GRID_COEFFICIENT] if grid else default_coefficients(judgments))
    coefficients = parse_coefficients(names, compared=not isinstance(judgments, HumanScores))
    _require_testable(coefficients, settings, 2 if grid else len(counts.metrics))
    choice = None
    if not grid:
        judgments = replace(judgments, notes=(*judgments.notes, *_score_notes(counts)))
        data = agreement_data(counts, judgments, system_scores=settings.system_scores)
    else:
        first = coefficients[0]
        data, choice = choose_settings(grid, counts, judgments, first, options, report_progress)
    # Check everything before the work begins.
    for by in coefficients:
        require_answerable(by, data, judgments.label)
    sizes = {"replicates": settings.replicates, "seed": settings.seed}
    resampled = [resampling_of(by, data, settings.resample, **sizes) for by in coefficients]
    answers = []
    for by, resampling in zip(coefficients, resampled, strict=True):
        answers.append(answer(data, by, settings, resampling))
        if not grid:
            report_progress(1)
    return Agreement(
        test_set=outline.sizes,
        human=HumanSummary.of(judgments, data, outline.systems),
        settings=settings,
        metrics=_summaries(data, outline.references_each),
        answers=tuple(answers),
        grid=choice,
        evaluation_set=None if evaluation_set is None else evaluation_set.label,
        warnings=(*outline.warnings, *(() if grid else human_warnings(judgments.label, data))),
    )


def _without(judgments: Human, copies: Sequence[str]) -> Human:
    """Leave out systems that are a reference, and their judgments."""
    noun = "they and their" if len(copies) > 1 else "it and its"
    verb = "are references" if len(copies) > 1 else "is a reference"
    note = f"{first_names(copies)} {verb}: {noun} human judgments are left out."
    notes = (*judgments.notes, note)
    if isinstance(judgments, HumanScores):
        scores = {name: row for name, row in judgments.scores.items() if name not in copies}
        return replace(judgments, scores=scores, notes=notes)
    kept = (one for one in judgments.judgments if not {one.left, one.right} & set(copies))
    systems = tuple(name for name in judgments.systems if name not in copies)
    return replace(judgments, systems=systems, judgments=tuple(kept), notes=notes)


def _score_notes(counts: Counts) -> Iterator[str]:
    """Yield notes on which metrics average segment scores and which have stored system scores."""
    given = [metric.scorer for metric in counts.metrics if isinstance(metric.scorer, GivenMean)]
    stored = [scorer.name for scorer in given if isinstance(scorer, StoredMean)]
    means = [scorer.name for scorer in given if scorer.name not in stored]
    if means:
        yield f"{first_names(means)}: a system's score is the mean of its segments' scores."
    if stored:
        yield (
            f"{first_names(stored)}: system scores are stored, not segment means; resampling "
            "shifts them by the change in the segment mean."
        )


def as_evaluation_set(
    systems: object, lp: str | None, references: object, human: object, *, humans: bool | None
) -> EvaluationSet | None:
    """Return or read an evaluation set; None if `systems` are something else.

    Raises SettingError for arguments that other systems do not have.
    """
    chosen: dict[str, Any] = {"lp": lp, "humans": humans}
    expected = "None unless systems are the folder of an evaluation set"
    if isinstance(systems, EvaluationSet):
        chosen |= {"references": references, "human": human}
        expected = "None with an EvaluationSet, which is read with it"
    elif isinstance(systems, str | PathLike) and is_evaluation_set(systems):
        names = [references] if isinstance(references, str) else references or ()
        require_type("human", human, str | None, "the name of human scores of the set: 'mqm'")
        chosen |= {"references": cast("Any", names), "human": human}
        return EvaluationSet.read(systems, **chosen)
    for name, value in chosen.items():
        if value is not None:
            raise SettingError(name, value, expected)
    return systems if isinstance(systems, EvaluationSet) else None


def stored_human_scores(evaluation_set: EvaluationSet) -> HumanScores:
    """Return the human scores of an evaluation set, at the level of its files."""
    stored = evaluation_set.human
    scores: Mapping[str, Sequence[float | None]] = stored.segments
    if not scores:
        scores = {system: (score,) for system, score in stored.systems.items()}
    complete = stored.systems.keys() >= scores.keys()
    return HumanScores(
        label=basename(stored.label),
        level="segment" if stored.segments else "system",
        scores={system: tuple(row) for system, row in scores.items()},
        signature=f"human|format:scores|name:{stored.name}|scores:{stored.digest}",
        notes=evaluation_set.notes,
        stored_means=stored.systems if complete else None,
        are_separate=stored.are_separate,
    )


def as_judgments(human: HumanLike | str | None, *, lower_is_better: bool = False) -> Human:
    """Convert scores of segments by system to judgments; negate scores if lower is better."""
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
        expected = "False for comparisons of pairs, which say themselves which output is better"
        raise SettingError("human_lower_is_better", True, expected)
    return replace(
        human,
        # Subtraction keeps 0 from becoming -0.
        scores={
            name: tuple(None if score is None else 0.0 - score for score in row)
            for name, row in human.scores.items()
        },
        stored_means=human.stored_means and {n: 0.0 - s for n, s in human.stored_means.items()},
        signature=f"{human.signature}|negated",
        notes=(*human.notes, "Human scores: lower is better, so they are negated."),
    )


def default_coefficients(human: Human) -> tuple[str, ...]:
    """Return the default coefficients for the kind and level of the human judgments."""
    if not isinstance(human, HumanScores):
        return COMPARISON_COEFFICIENTS
    if human.level == "system":
        return ("pairwise-accuracy", "pearson", "spearman")
    return (*SYSTEM_COEFFICIENTS, *SEGMENT_COEFFICIENTS)


def _require_testable(
    coefficients: Sequence[Coefficient], settings: AgreeSettings, metrics: int
) -> None:
    """Raise SettingError for coefficients that the tests of the settings cannot compare."""
    for by in coefficients:
        if settings.test == "williams" and (by.name, by.grouping) != ("pearson", "none"):
            expected = "'permutation': Williams' test is for Pearson's r without groups only"
            raise SettingError(f"test of {by.label}", settings.test, expected)
        if metrics < 2:
            continue
        if by.compared and settings.permute == "systems":
            expected = "'scores' for comparisons of pairs: metrics are swapped on segments"
            raise SettingError(f"permute of {by.label}", settings.permute, expected)
        outcomes = by.definition.calibrated and by.level == "segment"
        if by.epsilon and not (by.calibrated or outcomes or by.compared):
            expected = (
                "0 with several metrics: a threshold has the unit of one metric's scores. "
                "Measure one metric at a time"
            )
            raise SettingError(f"epsilon of {by.name}", by.epsilon, expected)


def _summaries(data: AgreementData, references: int | None) -> dict[str, MetricSummary]:
    summaries = {}
    for label, metric in data.metrics.items():
        scorer, scores = metric.scorer, as_lists(metric.scorer.sign * metric.systems)
        summaries[label] = MetricSummary(
            signature=scorer.signature.with_references(references),
            higher_is_better=scorer.higher_is_better,
            scores=dict(zip(data.people.systems, scores, strict=True)),
        )
    return summaries


# --------------------------------------------------------------------------------------------------
# Values, tests and replicates by one coefficient.


def resample_metrics(
    data: AgreementData, by: Coefficient, values: Mapping[str, MetricAgreement], draws: Draws
) -> Replicates:
    """Return the values of all metrics by a coefficient on bootstrap replicates."""
    human, judgments, items = data.human, data.judgments, data.items
    counts = {label: metric.counts for label, metric in data.metrics.items()}
    if judgments is not None and by.compared:
        return bootstrap.bootstrap_judgments(items, judgments, by, draws)
    if human is not None and by.name == SOFT:
        observed = {label: agreement.value for label, agreement in values.items()}
        return bootstrap.bootstrap_soft_pairwise(human, items, observed, draws)
    options = asdict(draws)
    shifted = data.people.scores_with_means if by.of_systems else None
    if shifted is not None:
        return bootstrap.bootstrap_system_agreement(shifted, counts, by, **options)
    if human is not None:
        return bootstrap.bootstrap_agreement(human, items, by, **options)
    if judgments is not None and draws.resample != "systems":
        return bootstrap.bootstrap_shares_of_wins(counts, judgments, by, draws)
    # Only whole systems can be resampled.
    return bootstrap.bootstrap_agreement(data.people.means, data.systems, by, **options)


def test_of(data: AgreementData, by: Coefficient, settings: AgreeSettings) -> tuple[Test, Method]:
    """Return the test of two metrics of the data, and its method; see `choose_test`."""
    human = data.people.means if by.of_systems or data.human is None else data.human
    metrics = data.systems if by.of_systems else data.items
    return choose_test(human, metrics, by, settings, data.judgments)


def choose_test(
    human: Values,
    metrics: Mapping[str, Values],
    by: Coefficient,
    settings: AgreeSettings,
    judgments: Judgments | None = None,
) -> tuple[Test, Method]:
    """Return the test of two metrics by their names, and its method.

    Args:
        human: human scores of systems or items, depending on the coefficient.
        metrics: the metrics' scores by name, in the shape of `human`.
        by: the coefficient.
        settings: settings of the test: permutations, their number, and the alternative.
        judgments: human comparisons of pairs, or None.
    """
    unit: Unit = "system" if by.of_systems or settings.permute == "systems" else "cell"
    permutations = settings.permutations
    if unit == "system" and len(human) <= EXACT_SYSTEMS:
        permutations = max(permutations, 2 ** len(human))
    swaps: dict[str, Any] = {"permutations": permutations, "seed": settings.seed}
    method: Method = METHODS[unit]
    test: Callable[..., MetricTest]
    # A threshold has the unit of its metric's scores, so scores of two metrics cannot be swapped.
    fixed = bool(by.epsilon) and not by.calibrated
    if judgments is not None and by.compared:
        test = partial(tests.judgment_permutation_test, judgments=judgments, by=by, **swaps)
        method = "segments"
    elif by.name == SOFT:
        test = partial(tests.soft_pairwise_test, human, unit=unit, **swaps)
    elif settings.test == "williams":
        test, method = partial(tests.williams_test, human), "williams"
    elif not by.of_systems and (fixed or (by.calibrated and settings.permute == "pairs")):
        swaps["permutations"] = settings.permutations
        test, method = partial(tests.pair_permutation_test, human, by=by, **swaps), "pairs"
    else:
        # Tests of unstudentized differences reject too often on few systems.
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
    data: AgreementData, by: Coefficient, settings: AgreeSettings, resampling: Draws
) -> Answer:
    """Compute all metrics' values, intervals over the units of `resampling`, tests and ranks."""
    metrics = measure_metrics(data, by, settings.seed)
    values = {label: agreement.value for label, agreement in metrics.items()}
    rank = partial(tests.rank_metrics, values, alpha=settings.alpha, correction=settings.correction)
    test, method = test_of(data, by, settings)
    ranks, pairs = rank(test)
    for factor in RETEST_FACTORS:
        tested = {(pair.better, pair.worse): pair for pair in pairs}
        near = {names for names, pair in tested.items() if _is_close(pair, settings.alpha)}
        if not near:
            break
        many = replace(settings, permutations=factor * settings.permutations)
        again, _ = test_of(data, by, many)
        results = {names: again(*names) if names in near else tested[names] for names in tested}
        ranks, pairs = rank(lambda *names, results=results: results[names])
    defined = [label for label, value in values.items() if value is not None]
    replicates = None
    if resampling.refusal is None and defined:
        replicates = resample_metrics(data, by, metrics, resampling)
    for label in defined:
        agreement = metrics[label].with_notes(*_constant(data, label, by))
        metrics[label] = _with_interval(agreement, replicates, resampling.refusal, settings.level)
    notes = resampling.notes
    first = next(iter(metrics.values()))
    if by.name == SOFT and (unpaired := first.undefined_groups):
        count = unpaired + (first.groups or 0)
        notes = (f"{unpaired} of {count} pairs of systems share nothing that was rated.", *notes)
    smallest = adjust([pair.smallest_p for pair in pairs], settings.correction) if pairs else None
    return Answer(
        question=by.label,
        title=by.title(data.people.item),
        level=by.level,
        coefficient=by.name,
        metrics=tuple(replace(metrics[label], rank=rank) for label, rank in ranks.items()),
        pairs=pairs,
        smallest_p=None if smallest is None else float(smallest.min()),
        resampled=resampling.name,
        method=method,
        about_systems=by.of_systems or method == "systems",
        notes=notes,
    )


def _is_close(pair: MetricTest, alpha: float) -> bool:
    """Return whether p is within 3 standard errors of alpha, where more permutations may decide."""
    if pair.exact or not pair.permutations or not pair.p or pair.p_adjusted is None:
        return False
    error = pair.p_adjusted * ((1 - pair.p) / (pair.p * pair.permutations)) ** 0.5
    return bool(abs(pair.p_adjusted - alpha) <= 3 * error)


def _with_interval(
    agreement: MetricAgreement, replicates: Replicates | None, refusal: str | None, level: float
) -> MetricAgreement:
    if replicates is None:
        return agreement if refusal is None else agreement.with_notes(refusal)
    interval = replicates.interval(agreement.metric, level)
    if interval.low is None or interval.high is None or agreement.value is None:
        return agreement.with_notes(f"no interval: {interval.reason}")
    if not interval.low <= agreement.value <= interval.high:
        agreement = agreement.with_notes(OUTSIDE)
    noise = replicates.noise.get(agreement.metric, 0.0)
    if noise > MOST_NOISE:
        agreement = agreement.with_notes(
            f"noise is {100 * min(noise, 1.0):.0f} % of the variance between systems: the interval "
            "may be too narrow"
        )
    return replace(agreement, low=interval.low, high=interval.high)


def _constant(data: AgreementData, label: str, by: Coefficient) -> list[str]:
    """Return notes about a value that is defined although human or metric scores are constant."""
    people, metric = data.people, data.metrics[label]
    human, scores, cells = people.scores, metric.items, people.judged_cells
    if by.of_systems:
        human, scores, cells = people.means, metric.systems, ~np.isnan(people.means)
    sides = {"the human scores are all equal": human, "all scores of the metric are equal": scores}
    return [
        f"{fact}, so this value says nothing"
        for fact, values in sides.items()
        if values is not None and np.ptp(values[cells]) == 0
    ]
