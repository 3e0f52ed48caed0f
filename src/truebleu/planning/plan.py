"""Plans of a test set: the size that detects a difference, and the power of other sizes.

The variance of the difference is estimated from a pilot: two or more systems scored on a test set
like the planned one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypedDict

import numpy as np

from truebleu import schema
from truebleu._results import Result
from truebleu.counts.counting import count_texts
from truebleu.counts.inputs import counts_of
from truebleu.errors import RefusedError, SettingError
from truebleu.metrics.base import Metric
from truebleu.planning.power import (
    MOST_UNITS,
    PlannedTest,
    Question,
    bootstrap_sd_intervals,
    difference_variance,
    influences,
    largest_share,
    round_sizes,
    varies_only_by_rounding,
)
from truebleu.resampling import Units
from truebleu.significance.intervals import min_replicates
from truebleu.significance.pairs import pairs_to_compare
from truebleu.significance.settings import CompareSettings, chosen_unit, units_of
from truebleu.significance.unit_counts import UnitCounts, count_units

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from truebleu.corpus.outline import Sizes
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike, TestSet
    from truebleu.counts.counts import Counts, MetricCounts
    from truebleu.counts.inputs import Source
    from truebleu.metrics.base import Signature
    from truebleu.metrics.registry import MetricsLike
    from truebleu.planning.power import MarginPlan, SizePower
    from truebleu.significance.unit_counts import Pair

__all__ = ["PairPlan", "Plan", "PlanSettings", "ReferencePlan"]

# Plausible range of differences; numbers outside are mistakes.
SMALLEST_NUMBER, LARGEST_NUMBER = 1e-100, 1e100
MATTERS = ": the smallest difference that matters to you"


class PlanOptions(TypedDict, total=False):
    """Options of `plan`.

    Attributes:
        difference: smallest difference that matters, for all metrics or one for each.
        margin: margin of a gate and an equivalence test of a truly equal system, which are planned
            too; for all metrics or one for each.
        power: target power: the probability of detecting a true difference of this size.
        unit: unit that the test will swap. Default: document if documents are known, else segment.
        comparisons: number of tests to correct for. Default: the number of pairs.
    """

    difference: Annotated[float | Sequence[float] | None, schema.Setting(metavar="D")]
    margin: Annotated[float | Sequence[float] | None, schema.Setting(metavar="D")]
    power: Annotated[float, schema.Setting(above=0, below=1)]
    baseline: schema.Baseline
    level: schema.Level
    unit: schema.TextUnit | None
    comparisons: Annotated[
        int | None, schema.Setting(minimum=1, maximum=10**9, metavar="K", rare=True)
    ]
    alternative: schema.Tested
    replicates: schema.Replicates
    seed: schema.Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSettings(schema.Settings):
    """Settings of a plan; `plan` describes its options."""

    OPTIONS = PlanOptions

    power: float = 0.8
    level: float = schema.DEFAULT_LEVEL
    alternative: schema.Alternative = "two-sided"
    unit: schema.TextUnit = "segment"
    comparisons: int | None = None
    baseline: str | None = None
    replicates: int = schema.DEFAULT_REPLICATES
    seed: int = schema.DEFAULT_SEED

    @staticmethod
    def refuse_conflicts(options: Mapping[str, Any]) -> None:
        """Raise SettingError if the level needs more replicates or a higher power."""
        level, power, replicates = options["level"], options["power"], options["replicates"]
        alpha, minimum = round(1 - level, 12), min_replicates(level)
        if replicates is not None and replicates < minimum:
            raise SettingError("replicates", replicates, f"at least {minimum} at this level")
        if power <= alpha:
            expected = f"more than {alpha:g}, the Type I error rate of the test"
            raise SettingError("power", power, expected)

    @property
    def alpha(self) -> float:
        """The significance level of all tests together."""
        return round(1 - self.level, 12)

    @property
    def test(self) -> PlannedTest:
        """The test of a single comparison, at alpha divided by the number of comparisons."""
        return PlannedTest(self.alpha / (self.comparisons or 1), self.alternative)


#: Warning of a plan; `truebleu.reports.planning` has their sentences.
PlanWarning = Literal[
    "few units needed",  # the normal approximation is rough for small test sets
    "small pilot",  # too few units for a good estimate of the variance
    "few documents",  # the pilot may lack the documents that vary most
    "one unit decides",  # a single unit has a large share of the variance
    "dependent segments",  # the variance by documents is larger than by segments
]
# Fewest units for a good normal approximation, and for a good estimate of the variance.
FEW_UNITS = 30
# Largest normal share of a unit in the variance, and limit up to which the power was as planned in
# simulations on real texts.
LARGE_SHARE, LARGE_PART = 0.2, 10
LARGE_DESIGN_EFFECT = 1.2
# One in seven pilots of 40 documents planned a power below .65, one in thirty of 94 to 192.
FEW_DOCUMENTS = 100
# Share of a unit in the variance above which there is no size to plan.
LARGEST_SHARE = 0.5
# Level whose one-sided interval ends at the units needed.
PLANNED_LEVEL = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePlan:
    """A plan with a number of references.

    Attributes:
        references: number of references of each segment.
        ratio: units needed with these references over units needed with all of the pilot's, for a
            difference that is the same share of the scores.
        units_needed: number of units needed; None without a plan for the pilot's references.
        segments_needed: approximate number of segments in units_needed.
        translations: number of references of all these segments.
    """

    references: int
    ratio: float
    units_needed: int | None
    segments_needed: int | None
    translations: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairPlan:
    """The plan for two systems by one metric; `reasons` explain values that are None.

    Attributes:
        metric: label of the metric.
        a: name of the first system.
        b: name of the second system, or the baseline.
        signature: signature of the metric.
        digits: decimals of scores to show.
        percent: True if all scores are 0 or 1, which people read in percent.
        difference: difference to detect.
        units_needed: number of units needed to detect the difference at the target power: the
            upper end of its one-sided 80 % interval. Pilots err, and a size that is too small in
            half of them has less power on average.
        units_by_pilot: number of units needed if the pilot's variance were exact.
        units_needed_interval: interval of the units needed by sd_interval; None for an end above
            the largest planned size.
        segments_needed: approximate number of segments in units_needed.
        smallest_difference: minimum detectable difference of the pilot's size at the target power.
        power_now: power of the pilot's size for the difference to detect.
        pilot_difference: difference a - b on the pilot, an estimate.
        sd: standard deviation of one unit: the standard error on n units is sd / sqrt(n).
        sd_interval: interval of sd, by a studentized bootstrap of the pilot.
        null_sd: standard deviation of one unit under random swaps of systems that do not differ.
        largest_share: largest share of a single unit in the variance.
        design_effect: ratio of the variance to its value for independent segments.
        units: number of units of the pilot.
        segments: number of segments of the pilot.
        sizes: power of test sets of several sizes.
        margin: plan of a gate and an equivalence test with a margin; None without a margin.
        references: plans with fewer references, up to the pilot's; empty with one reference, and
            for scores and metrics without texts.
        warnings: caveats about the plan.
        reasons: reason for each value that is None, by its name.
    """

    metric: str
    a: str
    b: str
    signature: Signature
    digits: int
    percent: bool
    difference: float | None
    units_needed: int | None
    units_by_pilot: int | None
    units_needed_interval: tuple[int | None, int | None] | None
    segments_needed: int | None
    smallest_difference: float | None
    power_now: float | None
    pilot_difference: float
    sd: float
    sd_interval: tuple[float, float]
    null_sd: float
    largest_share: float
    design_effect: float | None
    units: int
    segments: int
    sizes: tuple[SizePower, ...]
    margin: MarginPlan | None
    references: tuple[ReferencePlan, ...]
    warnings: tuple[PlanWarning, ...]
    reasons: Mapping[str, str]

    @property
    def name(self) -> str:
        """The metric and the pair."""
        return f"{self.metric}: {self.a} − {self.b}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Plan(Result):
    """Plans of a test set for each metric and pair.

    Attributes:
        settings: settings of the plan, with the number of comparisons.
        plans: plan for each metric and pair.
        test_set: sizes and names of the pilot.
    """

    REPORT: ClassVar[str] = "truebleu.reports.planning:plan_document"

    settings: PlanSettings
    plans: tuple[PairPlan, ...]
    test_set: Sizes

    def of(self, metric: str) -> tuple[PairPlan, ...]:
        """Return the plans by one metric."""
        return tuple(pair for pair in self.plans if pair.metric == metric)

    def facts(self) -> dict[str, Any]:
        """Return builtin values, without sentences; the settings include the pilot's units."""
        settings = {**schema.to_builtins(self.settings), "units": self.plans[0].units}
        return Result.facts(self) | {"settings": settings}


@schema.takes(PlanSettings)
def plan(
    systems: SystemsLike | Source,
    references: ReferencesLike | None = None,
    metrics: MetricsLike | None = None,
    *,
    documents: str | Iterable[object] | None = None,
    **options: Unpack[PlanOptions],
) -> Plan:
    """How many segments or documents are needed to detect a difference?

    >>> from truebleu.simulation import simulate
    >>> result = plan(simulate(segments=200, systems=[0.2, 0.3], seed=1), difference=2.0)
    >>> result.plans[0].units_needed > 200
    True

    Args:
        systems: a pilot: a test set, or the outputs of two or more systems by name.
        references: one text, or one per translator; None with a test set.
        metrics: names or objects.
        documents: document of each segment; None with a test set.
    """
    counts = counts_of(systems, references, metrics, documents, verb="plan")
    counts = counts.without_copies(options["baseline"])
    outline = counts.outline
    settings = PlanSettings.from_options(options, unit=chosen_unit(options["unit"], outline))
    names = list(outline.systems)
    if settings.baseline is None and len(names) > 2:
        raise RefusedError(f"{len(names)} systems given: choose one with --baseline (baseline=)")
    pairs = pairs_to_compare(names, settings.baseline)
    settings = replace(settings, comparisons=settings.comparisons or len(pairs))
    differences = _one_for_each("difference", options["difference"], len(counts.metrics))
    margins = _one_for_each("margin", options["margin"], len(counts.metrics))
    pilot = _Pilot(counts, settings)
    plans = [
        pair_plan
        for metric, matters, within in zip(counts.metrics, differences, margins, strict=True)
        for pair_plan in pilot.plans(metric, pairs, matters, within)
    ]
    return Plan(settings=settings, plans=tuple(plans), test_set=outline.sizes)


class _Pilot:
    """A pilot, with the units and sizes shared by all pairs and metrics."""

    def __init__(self, counts: Counts, settings: PlanSettings) -> None:
        self._outline, self._texts = counts.outline, counts.texts
        self._settings = settings
        self._names = counts.outline.systems
        self._units = units_of(counts.outline, CompareSettings(unit=settings.unit))
        # Characters of the reference: the weight of a segment in most metrics.
        self._sizes = self._units.add_up(np.maximum(counts.lengths, 1.0))
        documents = counts.outline.documents
        self._by_document: Units | None = None
        if documents is not None and len(set(documents)) > 1:
            self._by_document = Units.documents(documents)

    def plans(
        self,
        metric: MetricCounts,
        pairs: Sequence[Pair],
        target: float | None,
        margin: float | None,
    ) -> list[PairPlan]:
        """Plan each pair by one metric."""

        def by(units: Units) -> UnitCounts:
            return UnitCounts.of(metric.label, metric.scorer, metric.rows.stored(), units)

        statistics = by(self._units)
        clustered = None
        if self._by_document is not None:
            by_segment = Units.segments(self._outline.segments)
            clustered = by(by_segment), by(self._by_document)
        by_references = counts_by_references(self._texts, metric, self._units)
        return [
            self._pair_plan(
                statistics,
                pair,
                target,
                margin,
                clustered and _design_effect(*clustered, pair),
                reference_ratios(by_references, pair),
            )
            for pair in pairs
        ]

    def _pair_plan(
        self,
        statistics: UnitCounts,
        pair: Pair,
        target: float | None,
        margin: float | None,
        effect: float | None,
        ratios: Mapping[int, float],
    ) -> PairPlan:
        settings, (a, b) = self._settings, pair
        influence = influences(statistics, a, b)
        self._require_variance(statistics, pair, influence)
        units, segments = len(influence), self._outline.segments
        difference = float(statistics.scores[a] - statistics.scores[b])
        direction = _direction(difference, statistics.sign, settings.alternative)
        variance = difference_variance(statistics, pair, self._sizes, direction, settings.seed)
        question = Question(
            variance=variance,
            test=settings.test,
            target_power=settings.power,
            difference=target,
            segments_per_unit=segments / units,
        )
        # One end of an interval at .6 is the end of a one-sided interval at .8.
        (_, planned), interval = bootstrap_sd_intervals(
            influence, (2 * PLANNED_LEVEL - 1, settings.level), settings.replicates, settings.seed
        )
        share = largest_share(influence)
        by_pilot, now = question.units_needed(), question.size(units)
        needed = None if share > LARGEST_SHARE else question.units_needed(planned)
        anchors = [size for size in (needed, by_pilot, units) if size is not None]
        skewness = statistics.sign * direction * variance.skewness
        references = self._outline.references_each
        values: dict[str, Any] = {
            "difference": target,
            "units_needed": needed,
            "units_by_pilot": by_pilot,
            "units_needed_interval": None
            if by_pilot is None
            else tuple(map(question.units_needed, interval)),
            "segments_needed": question.segments(needed),
            "smallest_difference": now.smallest_difference,
            "power_now": now.power,
            "design_effect": effect,
            "margin": None
            if margin is None
            else question.margin_plan(margin, units, skewness, planned),
        }
        reasons = _reasons(question)
        if by_pilot is not None and needed is None and share > LARGEST_SHARE:
            dominated = f"one {settings.unit} makes up {100 * share:.0f} % of the variance"
            reasons |= dict.fromkeys(("units_needed", "segments_needed"), dominated)
        return PairPlan(
            metric=statistics.label,
            a=self._names[a],
            b=self._names[b],
            signature=statistics.metric.signature.with_references(references),
            digits=statistics.metric.digits,
            percent=statistics.items is not None,
            pilot_difference=difference,
            sd=variance.sd,
            sd_interval=interval,
            null_sd=variance.null_sd,
            largest_share=share,
            units=units,
            segments=segments,
            sizes=tuple(map(question.size, round_sizes(anchors, question.test.min_units))),
            references=tuple(_reference_plans(ratios, needed, question)),
            warnings=self._warnings(units, needed, share, effect),
            reasons={name: reasons[name] for name, value in values.items() if value is None},
            **values,
        )

    def _warnings(
        self, units: int, needed: int | None, share: float, effect: float | None
    ) -> tuple[PlanWarning, ...]:
        by_segment = self._settings.unit == "segment"
        checks: dict[PlanWarning, bool] = {
            "few units needed": needed is not None and needed < FEW_UNITS,
            "small pilot": units < FEW_UNITS,
            "few documents": not by_segment and FEW_UNITS <= units < FEW_DOCUMENTS,
            "one unit decides": share > max(LARGE_SHARE, LARGE_PART / units),
            "dependent segments": by_segment and (effect or 0) > LARGE_DESIGN_EFFECT,
        }
        return tuple(warning for warning, applies in checks.items() if applies)

    def _require_variance(
        self, statistics: UnitCounts, pair: Pair, influence: NDArray[np.float64]
    ) -> None:
        if varies_only_by_rounding(influence, statistics.scale):
            a, b = (self._names[system] for system in pair)
            unit = self._settings.unit
            found = f"{a} and {b}, which differ by the same {statistics.label} in every {unit}"
            expected = "two systems whose difference varies; a plan needs its variance"
            raise SettingError("systems", found, expected)


def _reasons(question: Question) -> dict[str, str]:
    """Explain for each value why it would be None."""
    no_difference = needed = "no difference was given; see --difference"
    if question.difference is not None:
        needed = f"more than {MOST_UNITS:.0e} would be needed"
    test = question.test
    return {
        **dict.fromkeys(("difference", "power_now"), no_difference),
        **dict.fromkeys(
            ("units_needed", "units_by_pilot", "segments_needed", "units_needed_interval"), needed
        ),
        "margin": "no margin was given; see --margin",
        "smallest_difference": f"a test needs at least {test.min_units} units to be significant at "
        f"{test.alpha:g}",
        "design_effect": "fewer than two documents are known, or segments do not vary",
    }


def _direction(difference: float, sign: int, alternative: schema.Alternative) -> int:
    """Return the sign of the difference to detect; a two-sided test has the pilot's sign."""
    if alternative == "two-sided":
        return 1 if difference >= 0 else -1
    return sign if alternative == "greater" else -sign


def _design_effect(by_segment: UnitCounts, by_document: UnitCounts, pair: Pair) -> float | None:
    """Return the variance by documents over the variance by segments (Kish 1965, §8.2)."""
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
    """Check one number for all metrics or one for each; return a list with one for each."""
    if given is None:
        return [None] * metrics
    values = list(given) if isinstance(given, Sequence) else [given]
    checked: list[float | None] = [_positive(setting, value) for value in values]
    if len(checked) not in (1, metrics):
        expected = f"one for all metrics, or one for each of {metrics}"
        raise SettingError(setting, f"{len(checked)} {setting}s", expected)
    return checked if len(checked) == metrics else checked * metrics


def _positive(name: str, value: float) -> float:
    if not schema.is_of(float, value) or not SMALLEST_NUMBER <= value <= LARGEST_NUMBER:
        raise SettingError(name, value, f"a number above 0{MATTERS}")
    return float(value)


# More segments or more references: what each number of references is worth (Zhang & Vogel 2004).
#
# Zhang & Vogel (§4.2) compare relative intervals, since more references raise all scores. So does
# this plan: a difference to detect is the same share of the scores with any number of references,
# and the units that detect it are proportional to the variance of the difference over the squared
# scores.


def _reference_plans(
    ratios: Mapping[int, float], needed: int | None, question: Question
) -> Iterator[ReferencePlan]:
    """Yield a plan for each number of references, from the units that all of them need."""
    for references, ratio in ratios.items():
        units = None if needed is None else math.ceil(round(needed * ratio, 6))
        segments = question.segments(units)
        yield ReferencePlan(
            references=references,
            ratio=ratio,
            units_needed=units,
            segments_needed=segments,
            translations=None if segments is None else segments * references,
        )


def counts_by_references(
    texts: TestSet | None, metric: MetricCounts, units: Units
) -> Mapping[int, Sequence[UnitCounts]]:
    """Count texts with 1, 2, … of their references, and with all of them.

    Of each number the sets of successive references are taken, so that each reference is in
    equally many. Empty with one reference, and if texts are not in memory, have segments without
    some reference, or are scored by a metric that is not native.
    """
    scorer = metric.scorer
    count = 0 if texts is None else texts.references_per_segment or 0
    if texts is None or count < 2 or not isinstance(scorer, Metric) or scorer.native() is None:
        return {}
    return {
        size: [
            count_units(count_texts(texts.with_references(chosen), [scorer]), units)[0]
            for first in range(count if size < count else 1)
            for chosen in [[(first + index) % count for index in range(size)]]
        ]
        for size in range(1, count + 1)
    }


def reference_ratios(counts: Mapping[int, Sequence[UnitCounts]], pair: Pair) -> dict[int, float]:
    """Return the units needed with each number of references over those with all references.

    Empty if a system has a score of 0 with some of the references.
    """
    variances = {}
    for size, sets in counts.items():
        scales = [float(np.abs(statistics.scores[list(pair)]).mean()) for statistics in sets]
        if min(scales) <= 0:
            return {}
        relative = [
            influences(statistics, *pair).var() / scale**2
            for statistics, scale in zip(sets, scales, strict=True)
        ]
        variances[size] = float(np.mean(relative))
    return {size: variance / variances[max(variances)] for size, variance in variances.items()}
