"""What a spread says about the size of test sets: units needed, differences found, power."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log10
from typing import TYPE_CHECKING

from truebleu.planning.plan_results import PairPlan, SizeResult
from truebleu.planning.power import MOST_UNITS, power, smallest_difference, units_needed

if TYPE_CHECKING:
    from truebleu.planning.plan_results import Bounds, Sizes
    from truebleu.planning.power import TestPlan
    from truebleu.planning.settings import PlanSettings
    from truebleu.planning.variance import Spread

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
