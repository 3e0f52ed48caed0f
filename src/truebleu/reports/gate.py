"""A gate's decision in words: one line, and one more for each of several metrics."""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING

from truebleu.reports.document import (
    Check,
    Document,
    Notes,
    Sentences,
    Table,
    bounds_of,
    plain_columns,
    signature_lines,
    table_of,
)
from truebleu.reports.sentences import (
    ENOUGH_DOCUMENTS_FOR_A_MARGIN,
    ENOUGH_EFFECTIVE_UNITS,
    LARGEST_SHARE,
    bracketed,
    p_equals,
    people_sentence,
    resampled,
    unit_sentences,
)
from truebleu.significance.intervals import INTERVAL_METHODS
from truebleu.significance.tests import TESTS

if TYPE_CHECKING:
    from truebleu.significance.gate import GateCheck, GateResult

# The numbers of a check, one column each.
NUMBERS = (
    "passed",
    "new_score",
    "old_score",
    "difference",
    "low",
    "high",
    "p",
    "p_se",
    "p_adjusted",
    "differing_units",
)


def document(result: GateResult) -> Document:
    """The decision as sentences, and every metric's numbers for programs."""
    effects = {check.metric: [check.design_effect] for check in result.checks}
    unit = unit_sentences(result.test_set, result.settings, result.units, effects)
    people = [
        people_sentence(check.difference, check.people, check.metric, 2)
        for check in result.checks
        if check.people is not None
    ]
    lines = (*sentences(result), *dict.fromkeys(people), *unit, *_few(result))
    signatures = [check.signature for check in result.checks]
    notes = (*signature_lines(signatures), method(result))
    blocks = (Sentences((*lines, *_tails(result), *_look(result))), Notes(notes))
    checks = tuple(
        Check(check.metric, check.passed, _reason(result, check)) for check in result.checks
    )
    return Document(blocks, check_table(result), checks=checks)


def sentences(result: GateResult) -> list[str]:
    """The decision and its reason; by several metrics, one for each below the decision."""
    if len(result.checks) == 1:
        (check,) = result.checks
        return [f"{_verdict(check.passed)}: {_reason(result, check)}"]
    passed = sum(check.passed for check in result.checks)
    control = "each tested at the full level: to pass all takes no correction"
    if result.rule == "not worse":
        control = "tested together at the level (Westfall and Young's correction)"
    summary = (
        f"{_verdict(result.passed)}: {result.new} passes by {passed} of {len(result.checks)} "
        f"metrics and must pass by all, {control}"
    )
    return [
        summary,
        *(f"  {_verdict(check.passed)}: {_reason(result, check)}" for check in result.checks),
    ]


def method(result: GateResult) -> str:
    """How the decision was made, in one line: every choice that changes a number."""
    settings, first = result.settings, result.checks[0]
    units = resampled(settings, result.units)
    intervals = f"{INTERVAL_METHODS['hall'].title} intervals"
    level = f"level {_rounded(1 - result.alpha, result.alpha)}"
    if result.rule != "not worse":
        return f"one-sided tests by {intervals} over {units}; {level}"
    every, kind = ("all ", "swaps") if first.exact else ("", "replicates")
    over = ", Westfall and Young's correction" if len(result.checks) > 1 else ""
    return (
        f"one-sided {TESTS['ar'].title} over {units}, {every}{first.replicates:,} {kind}{over}; "
        f"{intervals}; {level}, seed {settings.seed}"
    )


def check_table(result: GateResult) -> Table:
    """A row per metric, with all its numbers."""
    numbers = plain_columns("metric", *NUMBERS)
    decision = {name: getattr(result, name) for name in ("new", "old", "rule")}
    checks = table_of(numbers, result.checks, **bounds_of())
    rows = tuple({**decision, **row} for row in checks.rows)
    signatures = signature_lines(check.signature for check in result.checks)
    return Table((*plain_columns(*decision), *numbers), rows, tuple(signatures))


def _verdict(passed: bool) -> str:
    return "pass" if passed else "fail"


def _reason(result: GateResult, check: GateCheck) -> str:
    claim, numbers = _claim(result, check), _numbers(result, check)
    return f"{claim}: {numbers}" + (f"; {_note(result, check)}" if check.note else "")


def _note(result: GateResult, check: GateCheck) -> str:
    if check.note == "identical":
        return f"{check.metric} counts the same in both"
    return (
        f"they differ in {check.differing_units:,} of {result.units:,} {result.settings.unit}s, "
        "too few for any difference to be significant"
    )


def _claim(result: GateResult, check: GateCheck) -> str:
    new, old, margin = result.new, result.old, result.settings.margin
    if result.rule == "not worse":
        word = "is not" if check.passed else "is"
        return f"{new} {word} significantly worse than {old}"
    word = "is shown" if check.passed else "is not shown"
    if result.rule == "better":
        return f"{new} {word} to be better than {old}"
    return f"{new} {word} to be less than {margin:g} {check.metric} worse than {old}"


def _numbers(result: GateResult, check: GateCheck) -> str:
    low, high = check.interval
    digits = _digits(high - low)
    percent = _rounded(100 - 200 * result.alpha, 200 * result.alpha)
    level = _rounded(1 - result.alpha, result.alpha)
    corrected = len(result.checks) > 1 and result.rule == "not worse"
    p = p_equals("adjusted p" if corrected else "p", check.p_adjusted)
    lower = "" if check.higher_is_better else " (lower is better)"
    return (
        f"{check.metric}{lower} {check.new_score:.{digits}f} against {check.old_score:.{digits}f}, "
        f"difference {check.difference:+.{digits}f}, {percent} % interval "
        f"{bracketed(check.interval, digits, sign='+')}, {p} (level {level})"
    )


def _rounded(value: float, rest: float) -> str:
    """A number near a whole one, with two digits of what is missing."""
    return f"{round(value, 1 - floor(log10(rest))):.12g}"


def _few(result: GateResult) -> list[str]:
    """Whether documents are too few for a margin's test to keep its level."""
    settings, enough = result.settings, ENOUGH_DOCUMENTS_FOR_A_MARGIN
    if settings.margin is None or settings.unit != "document" or result.units >= enough:
        return []
    return [
        f"Fewer than {enough} documents: a system that is worse by the margin passes more often "
        "than the level says."
    ]


def _tails(result: GateResult) -> list[str]:
    """Metrics whose difference depends on one unit: there, no interval holds."""
    unit = result.settings.unit
    lines = []
    for check in result.checks:
        if hangs_on_one(check, result.units):
            lines.append(
                f"One {unit} carries {100 * (check.largest_share or 0):.0f} % of the variance of "
                f"the difference by {check.metric}: a test set with more or fewer like it may "
                "decide otherwise."
            )
        elif result.settings.margin is not None and hangs_on_few(check, result.units):
            lines.append(
                f"A few {unit}s carry much of the variance of the difference by {check.metric}, "
                f"which is known only as well as from {check.effective_units:,} ordinary {unit}s: "
                "a system that is worse by the margin may pass more often than the level says."
            )
    return lines


def hangs_on_one(check: GateCheck, units: int) -> bool:
    """Whether one unit carries so much of the variance that it decides."""
    # Of few units, one always has much.
    large = max(LARGEST_SHARE, 5 / units)
    return check.largest_share is not None and check.largest_share > large


def hangs_on_few(check: GateCheck, units: int) -> bool:
    """Whether so few units carry the variance that a margin's test may not keep its level."""
    few = check.effective_units or units
    return few < ENOUGH_EFFECTIVE_UNITS and 2 * few < units


def _look(result: GateResult) -> list[str]:
    """Which look at the test set this is, and what it costs."""
    look, level = result.look, result.settings.level
    if look is None:
        return []
    shared = f"{result.settings.alpha:g} that "
    shared += f"{look.looks} looks share" if look.looks is not None else "all looks share"
    if look.repeated:
        return [
            f"Look {look.number} at this test set, recorded before: decided again at "
            f"{look.alpha:.2g}, nothing spent."
        ]
    rule = "equally" if look.looks is not None else "6/(π²k²) of it at look k"
    return [
        f"Look {look.number} at this test set: decided at {look.alpha:.2g} of the {shared} "
        f"({rule}), {look.spent:.4g} spent. Over all looks, the level is {level:g}, unless systems "
        "are tuned on what earlier looks showed."
    ]


def _digits(width: float) -> int:
    """Decimals that show two digits of the interval's width, but at least two decimals."""
    return 2 if width <= 0 else max(2, 1 - floor(log10(width)))
