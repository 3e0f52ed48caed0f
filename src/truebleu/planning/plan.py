"""Plan a test set: how many units find a difference, and what a test set of some size can find.

How much the difference varies comes from a pilot: two or more systems that were scored on a test
set like the one to come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from truebleu._results import Result
from truebleu._settings import (
    DEFAULT_REPLICATES,
    DEFAULT_SEED,
    Alternative,
)
from truebleu.errors import SettingError
from truebleu.metrics.registry import metric_labels
from truebleu.planning.power import PairPlan, PilotPair, PlannedTest, Question
from truebleu.planning.variance import (
    bootstrap_sd_interval,
    difference_variance,
    influences,
    largest_share,
    varies_only_by_rounding,
)
from truebleu.resampling import Units
from truebleu.schema import Baseline, Level, Replicates, Seed, Setting, Tested, picked, verb
from truebleu.scores.inputs import inputs_of
from truebleu.significance.intervals import smallest_replicates
from truebleu.significance.pairs import pairs_to_compare
from truebleu.significance.settings import CompareSettings, chosen_unit, units_of
from truebleu.significance.statistics import MetricStatistics

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from truebleu._settings import Unit
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike, TestSet
    from truebleu.metrics.base import Metric
    from truebleu.metrics.registry import MetricsLike
    from truebleu.significance.statistics import Pair

__all__ = ["Plan", "PlanSettings"]

VERSION = 1

PlanUnit = Literal["segment", "document"]

# Scores, their differences and their deviations lie far within: what lies outside is a slip.
SMALLEST_NUMBER, LARGEST_NUMBER = 1e-100, 1e100
MATTERS = ": the smallest difference that matters to you"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSettings:
    """Settings of a plan.

    See `plan` for what they mean.
    """

    power: float = 0.8
    level: float = 0.95
    alternative: Alternative = "two-sided"
    unit: Unit = "segment"
    comparisons: int | None = None
    baseline: str | None = None
    replicates: int = 10_000
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        if self.replicates < smallest_replicates(self.level):
            least = smallest_replicates(self.level)
            raise SettingError("replicates", self.replicates, f"at least {least} at this level")
        if self.power <= self.alpha:
            expected = f"more than {self.alpha:g}, how often even equal systems seem to differ"
            raise SettingError("power", self.power, expected)

    @property
    def alpha(self) -> float:
        """The significance level of all tests together."""
        return round(1 - self.level, 12)

    def test(self, pairs: int) -> PlannedTest:
        """The test of one of so many pairs."""
        return PlannedTest(self.alpha / (self.comparisons or pairs), self.alternative)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Plan(Result):
    """How large a test set must be, for each metric and pair.

    Attributes:
        settings: what was asked for, with the baseline and the number of comparisons.
        plans: one for each metric and pair.
        test_set: the pilot's outline.
    """

    REPORT: ClassVar[str] = "truebleu.reports.planning:plan_document"

    settings: PlanSettings
    plans: tuple[PairPlan, ...]
    test_set: Mapping[str, object]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``plan --format json`` prints them."""
        return {
            "version": VERSION,
            "test_set": dict(self.test_set),
            "settings": {**asdict(self.settings), "units": self.plans[0].units},
            "plans": [pair.to_dict() for pair in self.plans],
        }


@verb
def plan(
    systems: SystemsLike,
    references: ReferencesLike | None = None,
    metrics: MetricsLike = "bleu",
    *,
    difference: Annotated[float | Sequence[float] | None, Setting(metavar="D")] = None,
    margin: Annotated[float | Sequence[float] | None, Setting(metavar="D")] = None,
    power: Annotated[float, Setting(above=0, below=1)] = 0.8,
    baseline: Baseline = None,
    level: Level = 0.95,
    unit: Annotated[PlanUnit | None, Setting()] = None,
    comparisons: Annotated[int | None, Setting(least=1, most=10**9, metavar="K", rare=True)] = None,
    alternative: Tested = "two-sided",
    replicates: Replicates = None,
    seed: Seed = DEFAULT_SEED,
    documents: Iterable[object] | None = None,
) -> Plan:
    """How many segments or documents are needed to find a difference?

    >>> from truebleu.simulation import simulate
    >>> result = plan(simulate(segments=200, systems=[0.2, 0.3], seed=1), difference=2.0)
    >>> result.plans[0].units_needed > 200
    True

    Args:
        systems: a pilot: a test set, or the outputs of two or more systems by name.
        references: one text, or one per translator; None with a test set.
        metrics: names or objects.
        difference: the smallest one that matters: for all metrics, or one for each.
        margin: also say when a system that is truly equal passes a gate with this margin, and is
            shown to be equivalent within it: for all metrics, or one for each.
        power: how often a difference that is there should be found.
        baseline: compare the others with this system; the first of two, unless you choose.
        unit: what the test will swap as a whole; documents where they are known, else segments.
        comparisons: how many tests share the significance level; as many as there are pairs.
        documents: the document of each segment, where `systems` is no test set.
    """
    asked = locals()
    given, test_set = inputs_of(
        systems, references, metrics, documents=documents, compared_by="plan"
    )
    chosen = chosen_unit(unit, test_set)
    settings = picked(PlanSettings, asked, unit=chosen, replicates=replicates or DEFAULT_REPLICATES)
    names = list(test_set.systems)
    pairs = pairs_to_compare(names, _baseline(names, baseline))
    settings = replace(settings, baseline=names[pairs[0][1]], comparisons=comparisons or len(pairs))
    differences = _one_for_each("difference", difference, len(given))
    margins = _one_for_each("margin", margin, len(given))
    pilot = _Pilot(test_set, settings)
    plans = [
        pair_plan
        for label, metric, matters, within in zip(
            metric_labels(given), given, differences, margins, strict=True
        )
        for pair_plan in pilot.plans(label, metric, pairs, matters, within)
    ]
    return Plan(settings=settings, plans=tuple(plans), test_set=test_set.to_dict())


class _Pilot:
    """A test set with what all of its pairs and metrics share."""

    def __init__(self, test_set: TestSet, settings: PlanSettings) -> None:
        self._test_set = test_set
        self._settings = settings
        self._names = list(test_set.systems)
        self._units = units_of(test_set, CompareSettings(unit=settings.unit))
        # Characters of the reference: how much a segment weighs in most metrics.
        self._sizes = self._units.add_up(np.maximum(test_set.reference_lengths, 1.0))
        documents = test_set.documents
        self._by_document: Units | None = None
        if documents is not None and len(set(documents)) > 1:
            self._by_document = Units.documents(documents)

    def plans(
        self,
        label: str,
        metric: Metric,
        pairs: Sequence[Pair],
        asked: float | None,
        margin: float | None,
    ) -> list[PairPlan]:
        """The plan of each pair by one metric."""
        rows = metric.count(self._test_set).array()
        statistics = MetricStatistics.of(label, metric, rows, self._units)
        clustered = None
        if self._by_document is not None:
            by_segment = Units.segments(len(self._test_set))
            clustered = (
                MetricStatistics.of(label, metric, rows, by_segment),
                MetricStatistics.of(label, metric, rows, self._by_document),
            )
        return [
            self._pair_plan(
                statistics, pair, asked, margin, clustered and _design_effect(*clustered, pair)
            )
            for pair in pairs
        ]

    def _pair_plan(
        self,
        statistics: MetricStatistics,
        pair: Pair,
        asked: float | None,
        margin: float | None,
        effect: float | None,
    ) -> PairPlan:
        settings, (a, b) = self._settings, pair
        influence = influences(statistics, a, b)
        self._require_variance(statistics, pair, influence)
        difference = float(statistics.scores[a] - statistics.scores[b])
        direction = _direction(difference, statistics.sign, settings.alternative)
        references = self._test_set.references_per_segment
        variance = difference_variance(statistics, pair, self._sizes, direction, settings.seed)
        question = Question(
            variance=variance,
            skewness=statistics.sign * direction * variance.skewness,
            test=settings.test(1),
            wanted=settings.power,
            unit=settings.unit,
            difference=asked,
            margin=margin,
            segments_per_unit=len(self._test_set) / len(influence),
        )
        pilot = PilotPair(
            sd_interval=bootstrap_sd_interval(
                influence, settings.level, settings.replicates, settings.seed
            ),
            units=len(influence),
            segments=len(self._test_set),
            pilot_difference=difference,
            metric=statistics.label,
            digits=statistics.metric.digits,
            a=self._names[a],
            b=self._names[b],
            signature=statistics.metric.signature.with_references(references),
            largest_share=largest_share(influence),
            design_effect=effect,
        )
        return question.pair_plan(pilot)

    def _require_variance(
        self, statistics: MetricStatistics, pair: Pair, influence: NDArray[np.float64]
    ) -> None:
        if varies_only_by_rounding(influence, statistics.scale):
            a, b = (self._names[system] for system in pair)
            unit = self._settings.unit
            found = f"{a} and {b}, which differ by the same {statistics.label} in every {unit}"
            expected = "two systems whose difference varies: without spread nothing can be planned"
            raise SettingError("systems", found, expected)


def _direction(difference: float, sign: int, alternative: Alternative) -> int:
    """Where a test looks: a two-sided one where the pilot's difference points."""
    if alternative == "two-sided":
        return 1 if difference >= 0 else -1
    return sign if alternative == "greater" else -sign


def _baseline(names: Sequence[str], baseline: str | None) -> str | None:
    """The first of two systems, unless another is named."""
    if baseline is not None or len(names) < 2:
        return baseline
    if len(names) > 2:
        expected = f"one of {', '.join(names)}, to compare the others with; or two systems only"
        raise SettingError("baseline", "none", expected)
    return names[0]


def _design_effect(
    by_segment: MetricStatistics, by_document: MetricStatistics, pair: Pair
) -> float | None:
    """The variance by documents over that by segments (Kish 1965, §8.2)."""
    variances = []
    for statistics in (by_segment, by_document):
        influence = influences(statistics, *pair)
        if varies_only_by_rounding(influence, statistics.scale):
            return None
        variances.append(float(influence.var(ddof=1)) / len(influence))
    return variances[1] / variances[0]


def _one_for_each(
    setting: str, given: float | Sequence[float] | None, metrics: int
) -> list[float | None]:
    if given is None:
        return [None] * metrics
    values = list(given) if isinstance(given, Sequence) else [given]
    checked: list[float | None] = [_positive(setting, value) for value in values]
    if len(checked) not in (1, metrics):
        expected = f"one for all metrics, or one for each of {metrics}"
        raise SettingError(setting, f"{len(checked)} {setting}s", expected)
    return checked if len(checked) == metrics else checked * metrics


def _positive(name: str, value: float) -> float:
    if not SMALLEST_NUMBER <= value <= LARGEST_NUMBER:
        raise SettingError(name, value, f"a number above 0{MATTERS}")
    return float(value)
