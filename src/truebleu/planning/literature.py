"""Plan a test set without texts: from a standard deviation, error or interval of the literature."""

from __future__ import annotations

from math import isfinite, sqrt
from statistics import NormalDist

from truebleu.errors import SettingError
from truebleu.inference.arguments import require_level
from truebleu.planning.answers import answer
from truebleu.planning.plan_results import Plan
from truebleu.planning.settings import (
    LARGEST_NUMBER,
    SMALLEST_NUMBER,
    PlanSettings,
    require_difference,
)
from truebleu.planning.variance import Spread, chi_square_sd_interval

#: What a score is called whose metric nobody named.
POINTS = "points"


def plan_from_literature(
    difference: float | None = None,
    *,
    sd: float | None = None,
    se: float | None = None,
    interval: tuple[float, float] | None = None,
    interval_level: float | None = None,
    segments: int | None = None,
    metric: str = POINTS,
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
        direction=_direction(middle, settings),
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


def _direction(middle: float | None, settings: PlanSettings) -> int:
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
