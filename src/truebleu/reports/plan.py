"""A plan as sentences to act on, with a table of the power of test sets of several sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.planning.plan import UNNAMED_METRIC
from truebleu.reports.json import json_text
from truebleu.reports.table import RENDERERS, Column, Table

if TYPE_CHECKING:
    from truebleu.planning.plan import PairPlan, Plan, SizeResult

SIDES = {"two-sided": "two-sided", "greater": "one-sided", "less": "one-sided"}
# Outside of these, powers of ten are easier to read than many figures.
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-9, 1e9
SUMMARY = (
    "metric",
    "a",
    "b",
    "difference",
    "units_needed",
    "low",
    "high",
    "segments_needed",
    "smallest_difference",
    "power_now",
    "pilot_difference",
    "power_for_pilot_difference",
    "sd",
    "sd_low",
    "sd_high",
    "null_sd",
    "design_effect",
    "units",
    "segments",
)


def render_plan(plan: Plan, format_: str = "text") -> str:
    """A plan in one of FORMATS, ending with a line feed."""
    if format_ == "json":
        return json_text(plan.to_dict())
    if format_ == "tsv":
        return RENDERERS["tsv"](summary_table(plan))
    parts = []
    for pair in plan.plans:
        if format_ != "latex":
            parts.append("\n".join(sentences(plan, pair)) + "\n")
        table = size_table(plan, pair)
        # Where no size is known or enough, headings would stand over nothing.
        bare = format_ != "latex" and not table.rows
        parts.append("\n".join(table.notes) + "\n" if bare else RENDERERS[format_](table))
    return "\n".join(parts)


def sentences(plan: Plan, pair: PairPlan) -> list[str]:
    """What the plan says about one pair by one metric."""
    unit = plan.settings["unit"]
    title = [] if pair.a is None else [f"{pair.metric}: {pair.a} against {pair.b}."]
    return [*title, *_needed(plan, pair, unit), *_now(plan, pair, unit), *pair.warnings]


def method(plan: Plan) -> str:
    """How the power was reckoned, in one line."""
    settings = plan.settings
    comparisons = settings["comparisons"]
    many = f", Bonferroni's correction for {comparisons} comparisons" if comparisons > 1 else ""
    return (
        f"{SIDES[settings['alternative']]} paired test at level {settings['level']:g}{many}; "
        f"independent {settings['unit']}s like the pilot's, normal approximation"
    )


def size_table(plan: Plan, pair: PairPlan) -> Table:
    """A row per size: its power for the difference, and the smallest difference it finds."""
    unit = plan.settings["unit"]
    columns = [Column(f"{unit}s", numeric=True)]
    if unit == "document":
        columns.append(Column("about segments", numeric=True))
    if pair.difference is not None:
        columns.append(Column(f"power for {_asked(pair)}", numeric=True))
    columns += [Column(f"finds with {_wanted(plan)}", numeric=True), Column("")]
    rows = tuple(_size_row(plan, pair, size) for size in pair.sizes)
    notes = (*([] if pair.signature is None else [str(pair.signature)]), method(plan))
    return Table(tuple(columns), rows, notes)


def summary_table(plan: Plan) -> Table:
    """A row per pair and metric with all its numbers; an empty cell where there is none."""
    rows = tuple(_summary_row(pair) for pair in plan.plans)
    signatures = (str(pair.signature) for pair in plan.plans if pair.signature is not None)
    notes = (*dict.fromkeys(signatures), method(plan))
    return Table(tuple(Column(heading) for heading in SUMMARY), rows, notes)


def _needed(plan: Plan, pair: PairPlan, unit: str) -> list[str]:
    if pair.difference is None:
        return []
    asked = (
        f"To find a difference of {_asked(pair)} with a power of {_wanted(plan)}, a test set needs "
    )
    if pair.units_needed is None:
        return [f"{asked}more {unit}s than there are: {pair.reasons['units_needed']}."]
    sentence = f"{asked}about {pair.units_needed:,} {unit}s"
    if unit == "document":
        sentence += f", some {pair.segments_needed:,} segments"
    if pair.units is not None:
        sentence += f": {_times(pair.units_needed / pair.units)} this one"
    sentence += "."
    if pair.units_needed_interval is None:
        return [f"{sentence} How sure that is can't be said: {_reason(pair)}."]
    low, high = (
        "more than can be" if bound is None else f"{bound:,}"
        for bound in pair.units_needed_interval
    )
    level = f"{100 * plan.settings['level']:g} %"
    told = f"As far as {pair.units:,} {unit}s can tell"
    return [f"{sentence} {told}, it is {low} to {high} ({level} interval)."]


def _reason(pair: PairPlan) -> str:
    return pair.reasons["units_needed_interval"]


def _times(ratio: float) -> str:
    return f"{ratio:.2f} times" if ratio < 10 else f"{ratio:,.0f} times"


def _now(plan: Plan, pair: PairPlan, unit: str) -> list[str]:
    """What the test set that there is can find."""
    if pair.units is None:
        return []
    units = f"{pair.units:,} {unit}s"
    if unit == "document":
        units += f" ({pair.segments:,} segments)"
    if pair.smallest_difference is None:
        return [f"On {units} nothing can be found: {pair.reasons['smallest_difference']}."]
    told = [
        f"With that power, {units} find differences from "
        f"{_score(pair, pair.smallest_difference)} {pair.metric} on."
    ]
    if pair.power_now is not None:
        told.append(
            f"Their power for a difference of {pair.difference:g} is {_percent(pair.power_now)}."
        )
    if pair.pilot_difference is not None and pair.power_for_pilot_difference is not None:
        told.append(
            f"For the difference seen, {_score(pair, pair.pilot_difference, sign='+')}, it would "
            f"be {_percent(pair.power_for_pilot_difference)} were that the true one."
        )
    if pair.difference is None:
        told[0] = told[0].replace("With that power", f"With a power of {_wanted(plan)}")
        told[1:] = [line.replace("it would be", "the power would be") for line in told[1:]]
    return told


def _wanted(plan: Plan) -> str:
    """The power that was asked for, as it was given."""
    return f"{100 * plan.settings['power']:g} %"


def _asked(pair: PairPlan) -> str:
    name = "point" if pair.metric == UNNAMED_METRIC and pair.difference == 1 else pair.metric
    return f"{pair.difference:g} {name}"


def _percent(share: float) -> str:
    """A power in percent; never 100 unless it is, for no test is that sure."""
    percent = f"{100 * share:.0f}" if share <= 0.995 else "over 99"
    return f"{percent} %"


def _score(pair: PairPlan, value: float, sign: str = "") -> str:
    """A difference with the metric's decimals, and with more where these would show nothing."""
    if value and not SMALLEST_PLAIN <= abs(value) < LARGEST_PLAIN:
        return f"{value:{sign}.3g}"
    digits = pair.digits
    while value and abs(value) < 0.95 * 10 ** (1 - digits):
        digits += 1
    return f"{value:{sign}.{digits}f}"


def _size_row(plan: Plan, pair: PairPlan, size: SizeResult) -> tuple[str, ...]:
    cells = [f"{size.units:,}"]
    if plan.settings["unit"] == "document":
        cells.append(f"{size.segments:,}")
    if pair.difference is not None:
        cells.append("" if size.power is None else _percent(size.power))
    smallest = size.smallest_difference
    cells.append("" if smallest is None else _score(pair, smallest))
    marks = []
    if size.units == pair.units_needed:
        marks.append("needed")
    if size.units == pair.units:
        marks.append("this test set")
    return (*cells, ", ".join(marks))


def _summary_row(pair: PairPlan) -> tuple[str, ...]:
    low, high = pair.units_needed_interval or (None, None)
    sd_low, sd_high = pair.sd_interval or (None, None)
    ends = {"low": low, "high": high, "sd_low": sd_low, "sd_high": sd_high}
    values = (ends[name] if name in ends else getattr(pair, name) for name in SUMMARY)
    return tuple(
        "" if value is None else value if isinstance(value, str) else repr(value)
        for value in values
    )
