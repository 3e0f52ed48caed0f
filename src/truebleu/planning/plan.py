"""What is asked of a plan: the power, the level, the units and the number of comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from math import ceil, isfinite, log10, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from truebleu._seeds import DEFAULT_SEED, require_replicates, require_seed
from truebleu.corpus import as_test_set
from truebleu.errors import SettingError, UnknownNameError
from truebleu.exhibits import Exhibit, Field, Plot
from truebleu.metrics.registry import as_metrics
from truebleu.metrics.score import metric_labels
from truebleu.planning.power import MOST_UNITS, TestPlan, power, smallest_difference, units_needed
from truebleu.planning.variance import (
    Spread,
    bootstrap_sd_interval,
    chi_square_sd_interval,
    influences,
    largest_share,
    spread_is_zero,
    spread_of,
)
from truebleu.resampling import Units
from truebleu.significance._checks import require_level
from truebleu.significance.compare import pairs_to_compare, units_of
from truebleu.significance.intervals import smallest_replicates
from truebleu.significance.p_values import ALTERNATIVES, Alternative
from truebleu.significance.settings import CompareSettings
from truebleu.significance.statistics import MetricStatistics

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet, TextLike
    from truebleu.exhibits import Row
    from truebleu.metrics.base import Metric, Signature
    from truebleu.significance.p_values import Alternative
    from truebleu.significance.statistics import Pair

# Scores, their differences and their spread lie far within: what lies outside is a slip.
SMALLEST_NUMBER, LARGEST_NUMBER = 1e-100, 1e100

PlanUnit = Literal["segment", "document"]
PLAN_UNITS: tuple[PlanUnit, ...] = get_args(PlanUnit)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSettings:
    """Settings of a plan.

    Attributes:
        power: how often a difference that is there should be found.
        level: 1 minus the significance level of the test, and the level of intervals.
        alternative: "two-sided"; "greater" asks only whether the system is better than the
            baseline, "less" whether it is worse.
        unit: what the test will swap as a whole.
        comparisons: tests among which any false alarm counts: Bonferroni's correction divides the
            significance level by it. None for as many as there are pairs.
        baseline: the system that the others are compared with; None for the first of two.
        samples: bootstrap replicates for the interval of the standard deviation.
        seed: of these replicates.
    """

    power: float = 0.8
    level: float = 0.95
    alternative: Alternative = "two-sided"
    unit: PlanUnit = "segment"
    comparisons: int | None = None
    baseline: str | None = None
    samples: int = 10_000
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        require_level(self.level)
        if self.alternative not in ALTERNATIVES:
            raise UnknownNameError("alternative", self.alternative, ALTERNATIVES)
        if self.unit not in PLAN_UNITS:
            raise UnknownNameError("unit", self.unit, PLAN_UNITS)
        require_seed(self.seed)
        require_replicates("samples", self.samples)
        if self.samples < smallest_replicates(self.level):
            least = smallest_replicates(self.level)
            raise SettingError("samples", self.samples, f"at least {least} at this level")
        self._require_comparisons()
        if not (isfinite(self.power) and 0 < self.power < 1):
            raise SettingError("power", self.power, "a number between 0 and 1, such as 0.8")
        if self.power <= self.alpha:
            expected = f"more than {self.alpha:g}, how often even equal systems seem to differ"
            raise SettingError("power", self.power, expected)

    @property
    def alpha(self) -> float:
        """The significance level of all tests together."""
        return round(1 - self.level, 12)

    def test(self, pairs: int) -> TestPlan:
        """The test of one of so many pairs."""
        return TestPlan(self.alpha / (self.comparisons or pairs), self.alternative)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, enough to repeat the plan."""
        return asdict(self)

    def _require_comparisons(self) -> None:
        found = self.comparisons
        whole = isinstance(found, int) and not isinstance(found, bool)
        if found is not None and not (whole and 1 <= found <= 10**9):
            raise SettingError("comparisons", found, "a whole number from 1 to 1000000000")


def require_difference(difference: float) -> float:
    """The difference as a float, refused unless it is above 0."""
    if not SMALLEST_NUMBER <= difference <= LARGEST_NUMBER:
        expected = "a number above 0: the smallest difference that matters to you"
        raise SettingError("difference", difference, expected)
    return float(difference)


# What a plan answers, as plain frozen values.


PLAN_VERSION = 1

Bounds = tuple[float, float]
# None where a size is beyond reach.
Sizes = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeResult:
    """A test set of some size.

    Attributes:
        units: its units.
        segments: about how many segments that is; None where that is not known.
        power: for the difference asked about; None where none was.
        smallest_difference: found with the power wanted; None where no difference can be.
    """

    units: int
    segments: int | None
    power: float | None
    smallest_difference: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairPlan:
    """The plan for two systems by one metric. What is None has its reason under its name.

    Attributes:
        metric: the metric's label.
        a: the system; None in a plan from the literature.
        b: the baseline; None likewise.
        signature: all settings of the metric; None in a plan from the literature.
        digits: decimals of a score that people should see.
        sd: of one unit, so that the standard error on n units is sd / sqrt(n).
        sd_interval: where it lies, as far as the pilot tells.
        null_sd: the same of the test by swaps, between systems that do not differ.
        largest_share: how much of the variance is a single unit's.
        units: of the pilot.
        segments: of the pilot.
        difference: the difference to find.
        units_needed: to find it with the power wanted.
        units_needed_interval: where that lies, from sd_interval.
        segments_needed: about how many segments that is.
        smallest_difference: that the pilot's size finds with the power wanted.
        power_now: of the pilot's size for the difference to find.
        pilot_difference: a - b on the pilot, an estimate.
        power_for_pilot_difference: of the pilot's size, were that the true difference.
        design_effect: how many times larger the variance is than if segments were independent.
        sizes: the power of test sets of several sizes.
        curve: the same of more sizes, to draw.
        warnings: what a reader must know.
        reasons: why a value is None, by its name.
    """

    metric: str
    a: str | None
    b: str | None
    signature: Signature | None
    digits: int
    sd: float
    sd_interval: Bounds | None
    null_sd: float
    largest_share: float | None
    units: int | None
    segments: int | None
    difference: float | None
    units_needed: int | None
    units_needed_interval: Sizes | None
    segments_needed: int | None
    smallest_difference: float | None
    power_now: float | None
    pilot_difference: float | None
    power_for_pilot_difference: float | None
    design_effect: float | None
    sizes: tuple[SizeResult, ...]
    curve: tuple[SizeResult, ...]
    warnings: tuple[str, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The metric and the pair."""
        return self.metric if self.a is None else f"{self.metric}: {self.a} − {self.b}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, without the points that are only drawn."""
        values = {key: getattr(self, key) for key in self.__slots__ if key != "curve"}
        return {
            **{key: list(v) if isinstance(v, tuple) else v for key, v in values.items()},
            "signature": None if self.signature is None else str(self.signature),
            "sizes": [asdict(size) for size in self.sizes],
            "reasons": dict(self.reasons),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How large a test set must be, for each metric and pair."""

    settings: Mapping[str, Any]
    plans: tuple[PairPlan, ...]
    test_set: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``plan --format json`` prints them."""
        return {
            "version": PLAN_VERSION,
            "test_set": None if self.test_set is None else dict(self.test_set),
            "settings": dict(self.settings),
            "plans": [plan.to_dict() for plan in self.plans],
        }

    def exhibit(self) -> Exhibit:
        """The power against the size, to draw; without a difference, what each size finds."""
        asked = any(plan.difference is not None for plan in self.plans)
        unit, wanted = self.settings["unit"], self.settings["power"]
        fields = (
            Field("plan", "Metric and pair"),
            Field("units", f"{unit}s"),
            Field("segments", "about segments"),
            Field("power", "power", digits=0, percent=True),
            Field("smallest_difference", "smallest difference", digits=2),
        )
        # What is always None is no column; documents have their segments beside them.
        hidden = set() if asked else {"power"}
        hidden |= {"segments"} if unit == "segment" else set()
        return Exhibit(
            name="plan",
            title=self._title(unit, wanted),
            fields=tuple(one for one in fields if one.name not in hidden),
            rows=tuple(row for plan in self.plans for row in _rows(plan, plan.sizes)),
            findings=tuple(_finding(plan, unit, wanted) for plan in self.plans),
            plot=Plot(
                mark="line",
                x="units",
                y="power" if asked else "smallest_difference",
                series="plan",
                reference=wanted if asked else None,
                log_x=True,
                zero_y=True,
            ),
            plot_rows=tuple(row for plan in self.plans for row in _rows(plan, plan.curve)),
            settings={
                **self.settings,
                "signatures": [str(plan.signature) for plan in self.plans if plan.signature],
            },
        )

    def _title(self, unit: str, wanted: float) -> str:
        asked = dict.fromkeys(plan.difference for plan in self.plans)
        if None in asked:
            return f"Smallest difference found with a power of {100 * wanted:g} %, by {unit}s"
        sizes = " or ".join(f"{difference:g}" for difference in asked if difference is not None)
        return f"Power to find a difference of {sizes}, by {unit}s"


def _rows(plan: PairPlan, sizes: tuple[SizeResult, ...]) -> list[Row]:
    return [{"plan": plan.name, **asdict(size)} for size in sizes]


def _finding(plan: PairPlan, unit: str, wanted: float) -> str:
    """The number of units, or where none was asked for the smallest difference."""
    if plan.units_needed is not None:
        return (
            f"{plan.name}: {plan.units_needed:,} {unit}s find a difference of "
            f"{plan.difference:g} with a power of {100 * wanted:g} %."
        )
    if plan.smallest_difference is not None:
        return (
            f"{plan.name}: {plan.units:,} {unit}s find differences from "
            f"{plan.smallest_difference:.{plan.digits}f} on with a power of {100 * wanted:g} %."
        )
    return f"{plan.name}: {'; '.join(plan.reasons.values())}."


# What a spread says about the size of test sets: units needed, differences found, power.


# Rows of a table that fits a page, and points of a curve that looks smooth.
MOST_ROWS, POINTS = 12, 40
SMALLEST_FACTOR = 1e-9
# Below that, the normal approximation is rough, and so is a pilot's spread.
FEW_UNITS = 30
TOLD_BY_TEXTS = ("a", "b", "signature", "largest_share", "design_effect")
WINNERS_CURSE = (
    "The pilot's own difference is an estimate. Where a pilot is followed up because it looked "
    "good, it overstates the difference (the winner's curse); plan for one that matters to you."
)


def answer(
    *,
    spread: Spread,
    sd_interval: Bounds | None,
    units: int | None,
    segments_per_unit: float,
    difference: float | None,
    pilot_difference: float | None,
    settings: PlanSettings,
    test: TestPlan,
    metric: str,
    digits: int = 2,
    direction: int = 1,
) -> PairPlan:
    """The plan for one pair by one metric, as far as the spread and the settings say it.

    Args:
        spread: of the difference, by unit.
        sd_interval: where its standard deviation lies.
        units: of the pilot.
        segments_per_unit: on average.
        difference: the one to find, above 0.
        pilot_difference: the one that the pilot had, with its sign.
        settings: what is asked.
        test: the test of this pair.
        metric: the metric's label.
        digits: decimals of its scores.
        direction: -1 where the test looks for, or the pilot showed, a negative difference.
    """
    ask = _Question(spread, settings.power, test, difference, segments_per_unit)
    needed = ask.units_needed(spread)
    own = None
    if pilot_difference is not None and units is not None:
        own = power(units, direction * pilot_difference, spread, test)
    anchors = [size for size in (needed, units) if size is not None]
    return PairPlan(
        metric=metric,
        a=None,
        b=None,
        signature=None,
        digits=digits,
        sd=spread.sd,
        sd_interval=sd_interval,
        null_sd=spread.null_sd,
        largest_share=None,
        units=units,
        segments=units,
        difference=difference,
        units_needed=needed,
        units_needed_interval=ask.interval(sd_interval) if needed is not None else None,
        segments_needed=None if needed is None else round(needed * segments_per_unit),
        smallest_difference=(
            None if units is None else smallest_difference(units, settings.power, spread, test)
        ),
        power_now=None if units is None else ask.power(units),
        pilot_difference=pilot_difference,
        power_for_pilot_difference=own,
        design_effect=None,
        sizes=tuple(ask.size(count) for count in _round_sizes(anchors, test.fewest)),
        curve=tuple(ask.size(count) for count in _dense_sizes(anchors, test.fewest)),
        warnings=_warnings(needed, pilot_difference, settings.unit),
        reasons=_reasons(difference, needed, units, pilot_difference, sd_interval, test),
    )


@dataclass(frozen=True, slots=True)
class _Question:
    """A difference to find with some power."""

    spread: Spread
    wanted: float
    test: TestPlan
    difference: float | None
    segments_per_unit: float

    def units_needed(self, spread: Spread) -> int | None:
        """The units that find the difference, if there is one and this is the spread."""
        if self.difference is None:
            return None
        return units_needed(self.difference, self.wanted, spread, self.test)

    def interval(self, sd_interval: Bounds | None) -> Sizes | None:
        """The units needed at both ends of the standard deviation's interval."""
        if sd_interval is None:
            return None
        # A spread of 0, as of a pilot's few equal units, would ask for a division by it.
        low, high = (max(sd / self.spread.sd, SMALLEST_FACTOR) for sd in sd_interval)
        return self.units_needed(self.spread.scaled(low)), self.units_needed(
            self.spread.scaled(high)
        )

    def power(self, units: int) -> float | None:
        """For the difference, if there is one."""
        if self.difference is None:
            return None
        return power(units, self.difference, self.spread, self.test)

    def size(self, units: int) -> SizeResult:
        """What a test set of so many units is good for."""
        return SizeResult(
            units=units,
            segments=round(units * self.segments_per_unit),
            power=self.power(units),
            smallest_difference=smallest_difference(units, self.wanted, self.spread, self.test),
        )


def _round_sizes(anchors: list[int], fewest: int) -> list[int]:
    """Sizes for a table: the anchors and round numbers around them."""
    if not anchors:
        return []
    low, high = max(min(anchors) / 4, fewest), max(max(anchors) * 4, fewest)
    decades = range(int(log10(low)), ceil(log10(high)) + 1)
    for leading in ((1, 2, 5), (1,)):
        numbers = [lead * 10**decade for decade in decades for lead in leading]
        sizes = {number for number in numbers if low <= number <= high}
        # What is nearly an anchor would only repeat it.
        sizes = {size for size in sizes if all(abs(size / anchor - 1) > 0.1 for anchor in anchors)}
        sizes |= {max(size, fewest) for size in anchors}
        if len(sizes) <= MOST_ROWS:
            break
    return sorted(sizes)


def _dense_sizes(anchors: list[int], fewest: int) -> list[int]:
    """Sizes for a curve, from a tenth of the smaller anchor to four times the larger."""
    if not anchors:
        return []
    low, high = max(min(anchors) / 10, fewest), max(max(anchors) * 4, fewest)
    sizes = {round(low * (high / low) ** (point / POINTS)) for point in range(POINTS + 1)}
    return sorted(sizes | {max(size, fewest) for size in anchors})


def _warnings(needed: int | None, pilot_difference: float | None, unit: str) -> tuple[str, ...]:
    warnings = [] if pilot_difference is None else [WINNERS_CURSE]
    if needed is not None and needed < FEW_UNITS:
        warnings.append(
            f"With fewer than {FEW_UNITS} {unit}s the power is only roughly what is said here."
        )
    return tuple(warnings)


def _reasons(
    difference: float | None,
    needed: int | None,
    units: int | None,
    pilot_difference: float | None,
    sd_interval: Bounds | None,
    test: TestPlan,
) -> dict[str, str]:
    """Why values are None, by their names."""
    reasons = {}
    if difference is None:
        for name in ("difference", "units_needed", "units_needed_interval", "segments_needed"):
            reasons[name] = "no difference was asked about; see --difference"
        reasons["power_now"] = reasons["difference"]
    elif needed is None:
        for name in ("units_needed", "units_needed_interval", "segments_needed"):
            reasons[name] = f"more than {MOST_UNITS:.0e} would be needed"
    if units is None:
        for name in ("units", "segments", "smallest_difference", "power_now"):
            reasons[name] = "the size of the test set is not known; see --segments"
        reasons["power_for_pilot_difference"] = reasons["units"]
    elif units < test.fewest:
        reasons["smallest_difference"] = (
            f"a test needs at least {test.fewest} units to be significant at {test.alpha:g}"
        )
    if pilot_difference is None:
        for name in ("pilot_difference", "power_for_pilot_difference"):
            reasons[name] = "the difference is not known"
    if sd_interval is None:
        for name in ("sd_interval", "units_needed_interval"):
            reasons[name] = "it is not known how many segments the standard deviation is from"
    for name in TOLD_BY_TEXTS:
        reasons[name] = "the texts are not known"
    return reasons


# Plan a test set from a pilot: two or more systems that were scored on one.


# Of normal values the largest one has less than this share, and in simulations on real texts the
# power was as promised up to here.
LARGE_SHARE, LARGE_PART = 0.2, 10
LARGE_DESIGN_EFFECT = 1.2


def plan(
    systems: Mapping[str, TextLike],
    references: Sequence[TextLike] | TextLike,
    difference: float | Sequence[float] | None = None,
    metrics: Sequence[str | Metric] = ("bleu",),
    settings: PlanSettings | None = None,
) -> Plan:
    """How many segments are needed to find a difference?

    >>> from truebleu.simulation import simulate
    >>> texts = simulate(segments=200, systems=[0.2, 0.3], seed=1)
    >>> result = plan(texts.systems, texts.references, difference=2.0)
    >>> result.plans[0].units_needed > 200
    True

    Args:
        systems: the outputs of two or more systems by name, one str per segment.
        references: as for ``compare``.
        difference: the smallest one that matters: for all metrics, or one for each.
        metrics: names or objects.
        settings: the power, the level, the unit and so on.
    """
    return plan_test_set(as_test_set(systems, references), difference, metrics, settings)


def plan_test_set(
    test_set: TestSet,
    difference: float | Sequence[float] | None = None,
    metrics: Sequence[str | Metric] = ("bleu",),
    settings: PlanSettings | None = None,
) -> Plan:
    """Plan from a pilot that was read from files; `plan` says what the arguments are."""
    settings = settings or PlanSettings()
    names = list(test_set.systems)
    pairs = pairs_to_compare(names, _baseline(names, settings.baseline))
    parsed = as_metrics(metrics)
    differences = _one_for_each(difference, len(parsed))
    pilot = _Pilot(test_set, settings)
    plans = []
    for label, metric, asked in zip(metric_labels(parsed), parsed, differences, strict=True):
        rows = metric.count(test_set).array()
        counted = MetricStatistics.of(label, metric, rows, pilot.units)
        by_document = None
        if pilot.documents is not None:
            by_document = MetricStatistics.of(label, metric, rows, pilot.documents)
        by_segment = MetricStatistics.of(label, metric, rows, Units.segments(len(test_set)))
        plans += [
            pilot.pair_plan(counted, by_segment, by_document, pair, len(pairs), asked)
            for pair in pairs
        ]
    return Plan(
        settings={
            **settings.to_dict(),
            "baseline": names[pairs[0][1]],
            "comparisons": settings.comparisons or len(pairs),
            "units": len(pilot.units),
        },
        plans=tuple(plans),
        test_set=test_set.to_dict(),
    )


class _Pilot:
    """A test set with what all of its pairs and metrics share."""

    def __init__(self, test_set: TestSet, settings: PlanSettings) -> None:
        self.test_set = test_set
        self.settings = settings
        self.names = list(test_set.systems)
        self.units = units_of(test_set, CompareSettings(unit=settings.unit))
        self.sizes = self.units.add_up(_reference_lengths(test_set))
        self.documents: Units | None = None
        if test_set.documents is not None and len(set(test_set.documents)) > 1:
            self.documents = Units.documents(test_set.documents)

    def pair_plan(
        self,
        counted: MetricStatistics,
        by_segment: MetricStatistics,
        by_document: MetricStatistics | None,
        pair: Pair,
        pairs: int,
        asked: float | None,
    ) -> PairPlan:
        """The plan for one pair by one metric."""
        a, b = pair
        influence = influences(counted, a, b)
        self._refuse_no_spread(counted, pair, influence)
        settings, segments = self.settings, len(self.test_set)
        difference = float(counted.scores[a] - counted.scores[b])
        direction = _direction(difference, counted.sign, settings.alternative)
        found = answer(
            spread=spread_of(counted, pair, self.sizes, direction, settings.seed),
            sd_interval=bootstrap_sd_interval(
                influence, settings.level, settings.samples, settings.seed
            ),
            units=len(counted.rows),
            segments_per_unit=segments / len(counted.rows),
            difference=asked,
            pilot_difference=difference,
            direction=direction,
            settings=settings,
            test=settings.test(pairs),
            metric=counted.label,
            digits=counted.metric.digits,
        )
        references = self.test_set.references_per_segment
        share, effect = largest_share(influence), _design_effect(by_segment, by_document, pair)
        reasons = dict(found.reasons)
        for name in TOLD_BY_TEXTS:
            del reasons[name]
        if effect is None:
            reasons["design_effect"] = "no two documents are known, or segments do not vary"
        return replace(
            found,
            a=self.names[a],
            b=self.names[b],
            signature=counted.metric.signature.with_references(references),
            largest_share=share,
            design_effect=effect,
            segments=segments,
            warnings=(*found.warnings, *self._warnings(share, effect, len(influence))),
            reasons=reasons,
        )

    def _refuse_no_spread(
        self, counted: MetricStatistics, pair: Pair, influence: NDArray[np.float64]
    ) -> None:
        if spread_is_zero(influence, counted.scale):
            a, b = (self.names[system] for system in pair)
            found = f"{a} and {b}, which differ by the same {counted.label} in every "
            found += self.settings.unit
            expected = "two systems whose difference varies: without spread nothing can be planned"
            raise SettingError("systems", found, expected)

    def _warnings(self, share: float, effect: float | None, units: int) -> list[str]:
        unit = self.settings.unit
        warnings = []
        if units < FEW_UNITS:
            warnings.append(
                f"The pilot has {units} {unit}s: what so few tell about the spread is rough."
            )
        if share > max(LARGE_SHARE, LARGE_PART / units):
            warnings.append(
                f"One {unit} makes up {100 * share:.0f} % of the variance: the plan hangs on "
                "whether the new test set has such a one. Is it an error in the texts?"
            )
        if unit == "segment" and effect is not None and effect > LARGE_DESIGN_EFFECT:
            warnings.append(
                "Segments of a document go together: drawn by documents, the variance is "
                f"{effect:.1f} times that of independent segments. Plan with --unit document."
            )
        return warnings


def _direction(difference: float, sign: int, alternative: Alternative) -> int:
    """Where a test looks: one with two sides where the pilot's difference points."""
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


def _one_for_each(difference: float | Sequence[float] | None, metrics: int) -> list[float | None]:
    if difference is None:
        return [None] * metrics
    given = list(difference) if isinstance(difference, Sequence) else [difference]
    checked: list[float | None] = [require_difference(one) for one in given]
    if len(checked) not in (1, metrics):
        expected = f"one for all metrics, or one for each of {metrics}"
        raise SettingError("difference", f"{len(checked)} differences", expected)
    return checked if len(checked) == metrics else checked * metrics


def _reference_lengths(test_set: TestSet) -> NDArray[np.float64]:
    """Characters of each segment's first reference: how much a segment weighs in most metrics."""
    lengths = [
        max(len(next(text for text in segment if text is not None)), 1)
        for segment in zip(*test_set.references, strict=True)
    ]
    return np.array(lengths, dtype=np.float64)


def _design_effect(
    by_segment: MetricStatistics, by_document: MetricStatistics | None, pair: Pair
) -> float | None:
    """The variance by documents over that by segments (Kish 1965, §8.2)."""
    if by_document is None:
        return None
    variances = []
    for counted in (by_segment, by_document):
        influence = influences(counted, *pair)
        if spread_is_zero(influence, counted.scale):
            return None
        variances.append(float(influence.var(ddof=1)) / len(influence))
    return variances[1] / variances[0]


# Plan a test set without texts: from a standard deviation, error or interval of the literature.


#: What a score is called whose metric nobody named.
UNNAMED_METRIC = "points"


def plan_from_literature(
    difference: float | None = None,
    *,
    sd: float | None = None,
    se: float | None = None,
    interval: tuple[float, float] | None = None,
    interval_level: float | None = None,
    segments: int | None = None,
    metric: str = UNNAMED_METRIC,
    settings: PlanSettings | None = None,
) -> Plan:
    """Plan from what was published about the difference of two systems.

    One of sd, se and interval says how much it varies; with se or interval, segments must say on
    how many. All three are about the *difference* of two systems on the same segments: the spread
    of one system's score is larger, and would ask for too much. The interval is taken for a normal
    one, its middle for the difference, and the segments' values for normal where the interval of
    the standard deviation is made.

    >>> result = plan_from_literature(0.5, interval=(0.1, 1.1), segments=2000)
    >>> result.plans[0].units_needed
    4089

    Args:
        difference: the smallest one that matters.
        sd: standard deviation of one segment's part in the difference.
        se: standard error of the difference.
        interval: confidence interval of the difference.
        interval_level: its level; by default that of the settings.
        segments: how many segments se or interval are from, and the test set now has.
        metric: what to call the score.
        settings: the power, the level and so on; the unit is the segment.
    """
    settings = settings or PlanSettings()
    _refuse_settings(settings)
    asked = None if difference is None else require_difference(difference)
    if segments is not None:
        _require_segments(segments)
    if asked is None and segments is None:
        expected = "a difference to find, or --segments to ask what so many find"
        raise SettingError("difference", "none", expected)
    given = {"sd": sd, "se": se, "interval": interval}
    if sum(value is not None for value in given.values()) != 1:
        found = " and ".join(name for name, value in given.items() if value is not None) or "none"
        raise SettingError("spread", found, "exactly one of sd, se and interval")
    level = settings.level if interval_level is None else require_level(interval_level)
    if interval_level is not None and interval is None:
        raise SettingError("interval_level", interval_level, "an interval that has this level")
    deviation = _deviation(sd, se, interval, level, segments)
    middle = None if interval is None else (interval[0] + interval[1]) / 2
    plan = answer(
        spread=Spread.known(deviation),
        sd_interval=(
            None
            if segments is None
            else chi_square_sd_interval(deviation, segments, settings.level)
        ),
        units=segments,
        segments_per_unit=1.0,
        difference=asked,
        pilot_difference=middle,
        direction=_literature_direction(middle, settings),
        settings=settings,
        test=settings.test(1),
        metric=metric,
    )
    return Plan(
        settings={
            **settings.to_dict(),
            "comparisons": settings.comparisons or 1,
            "units": segments,
            "sd": sd,
            "se": se,
            "interval": None if interval is None else list(interval),
            "interval_level": None if interval is None else level,
        },
        plans=(plan,),
    )


def _literature_direction(middle: float | None, settings: PlanSettings) -> int:
    if settings.alternative == "two-sided":
        return -1 if middle is not None and middle < 0 else 1
    return 1 if settings.alternative == "greater" else -1


def _deviation(
    sd: float | None,
    se: float | None,
    interval: tuple[float, float] | None,
    level: float,
    segments: int | None,
) -> float:
    """The standard deviation of one segment's part in the difference."""
    if sd is not None:
        return _positive("sd", sd)
    if segments is None:
        name = "se" if se is not None else "interval"
        raise SettingError("segments", "none", f"the number of segments that the {name} is from")
    if interval is not None:
        low, high = interval
        if not (isfinite(low) and isfinite(high) and low < high):
            raise SettingError("interval", interval, "two finite numbers, the lower one first")
        se = (high - low) / (2 * NormalDist().inv_cdf((1 + level) / 2))
    return _positive("se", se) * sqrt(segments)


def _positive(name: str, value: float | None) -> float:
    if value is None or not SMALLEST_NUMBER <= value <= LARGEST_NUMBER:
        raise SettingError(name, value, "a number above 0")
    return float(value)


def _require_segments(segments: int) -> None:
    whole = isinstance(segments, int) and not isinstance(segments, bool)
    if not (whole and 2 <= segments <= 10**12):
        raise SettingError("segments", segments, "a whole number from 2 up")


def _refuse_settings(settings: PlanSettings) -> None:
    """Refuse what needs texts."""
    if settings.unit != "segment":
        raise SettingError("unit", settings.unit, "'segment' where there are no texts")
    if settings.baseline is not None:
        raise SettingError("baseline", settings.baseline, "none where there are no texts")
