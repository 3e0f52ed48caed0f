"""What a plan answers, as plain frozen values."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from truebleu.exhibits import Exhibit, Field, Plot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu.exhibits import Row
    from truebleu.metrics.signature import Signature

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
