"""A gate's decision as a document: a decision with its reason, by each metric."""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING

from truebleu.reports import document as doc
from truebleu.reports.compare import MCNEMAR
from truebleu.reports.percent import in_percent, unit
from truebleu.reports.words import words_of
from truebleu.schema import row_of
from truebleu.significance.groups import FEWEST_UNITS
from truebleu.significance.intervals import INTERVAL_METHODS
from truebleu.significance.tests import TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.reports.words import Words
    from truebleu.significance.gate import GateCheck, GateResult, GateSlice

# Maximum number of slices in a sentence.
MOST_SLICES = 8


def document(result: GateResult) -> doc.Document:
    """Lay out the decision as sentences, and every metric's numbers for programs."""
    data, result = check_table(result), _in_percent(result)
    people = [
        doc.people_sentence(check.difference, check.people, check.metric, 2)
        for check in result.checks
        if check.people is not None
    ]
    cautions = (
        *doc.about_answers(c.signature for c in result.checks),
        *_few_documents(result),
        *_one_unit_cautions(result),
    )
    slices = (*_worse_slices(result), *sentences(result), *_other_slices(result))
    lines = (*slices, *people, *cautions, *_look(result))
    notes = [*doc.signature_lines(check.signature for check in result.checks), method(result)]
    known = (check.people for check in result.checks if check.people is not None)
    notes += dict.fromkeys(map(doc.people_source, known))
    blocks = (doc.Sentences(lines), doc.Notes(tuple(notes)))
    checks = tuple(
        doc.Check(check.metric, check.passed, _reason(result, check)) for check in result.checks
    )
    return doc.Document(blocks, data, checks=checks)


def _in_percent(result: GateResult) -> GateResult:
    labels = {check.metric for check in result.checks if check.pass_fail}
    return in_percent(result, labels) if labels else result


def _words(result: GateResult) -> Words:
    return words_of(result.test_set.rows)


def sentences(result: GateResult) -> list[str]:
    """State the decision and its reason; with several metrics, a decision and reason for each."""
    if len(result.checks) == 1:
        (check,) = result.checks
        # A slice may fail although the whole passes.
        overall = "overall " if check.passed and not result.passed else ""
        reason = f"{overall}{_verdict(check.passed)}: {_reason(result, check)}"
        return [reason, _numbers(result, check)]
    passed = sum(check.passed for check in result.checks)
    lines = [
        f"{_verdict(result.passed)}: {result.new} passes on {passed} of {len(result.checks)} "
        "metrics and must pass on each of them."
    ]
    for check in result.checks:
        lines.append(f"  {_verdict(check.passed)}: {_reason(result, check)}")
        lines.append(f"    {_numbers(result, check)}")
    return lines


def _worse_slices(result: GateResult) -> Iterator[str]:
    """State on which slices the new system is significantly worse."""
    for of_slice in result.slices:
        if of_slice.passed is False:
            check = next(check for check in result.checks if check.metric == of_slice.metric)
            p = doc.p_equals("adjusted p", of_slice.p_adjusted or 0.0)
            where = f"{of_slice.column} {of_slice.label}"
            metric = unit(check.metric, percent=check.pass_fail)
            loss = f"{abs(of_slice.difference):.{_digits(check)}f} {metric}"
            yield f"fail: on {where}, {result.new} is worse than {result.old} by {loss}, {p}."


def _other_slices(result: GateResult) -> Iterator[str]:
    """Name the slices that were not tested, and say whether all others pass."""
    several = len(result.checks) > 1
    tested = [of_slice for of_slice in result.slices if of_slice.passed is not None]
    if tested and all(of_slice.passed for of_slice in tested):
        yield (
            f"{result.new} is not significantly worse on any of {len(tested)} slices (Holm's "
            f"correction, {doc.p_equals('smallest adjusted p', min(_adjusted(tested)))})."
        )
    few = [of_slice for of_slice in result.slices if of_slice.passed is None]
    if few:
        labels = [f"{s.column} {s.label}" + (f" by {s.metric}" if several else "") for s in few]
        reason = f"fewer than {FEWEST_UNITS} units"
        if result.settings.margin:
            reason += ", or a power below 50 % for a loss of the margin"
        yield f"Not tested ({reason}): {doc.join_names(labels, MOST_SLICES)}."


def _adjusted(slices: Sequence[GateSlice]) -> list[float]:
    return [of_slice.p_adjusted for of_slice in slices if of_slice.p_adjusted is not None]


def method(result: GateResult) -> str:
    """Describe the method in one line: every choice that changes a number."""
    settings, first = result.settings, result.checks[0]
    units = doc.resampled(settings, result.units, result.test_set)
    intervals = f"{INTERVAL_METHODS['hall'].title} intervals"
    level = f"level {_rounded(1 - result.alpha, result.alpha)}"
    exact = "Clopper and Pearson's bounds (scores are 0 or 1)"
    if all(check.pass_fail for check in result.checks):
        intervals = exact
    elif any(check.pass_fail for check in result.checks):
        intervals = f"{intervals}, and {exact},"
    if result.rule != "not worse":
        # The rule of three: if 3 in n units fail, 5 % of test sets with n units have no failure.
        unit = _words(result).units(settings.unit)
        rare = f"; failures rarer than 1 in {result.units // 3:,} {unit}"
        rare += " may not occur in this test set"
        if result.units < 6 or all(check.pass_fail for check in result.checks):
            rare = ""
        return f"one-sided tests by {intervals} over {units}; {level}{rare}"
    tests = [TESTS["scaled" if any(check.scaled for check in result.checks) else "ar"].title]
    swapped = [check for check in result.checks if check.replicates]
    if len(swapped) < len(result.checks):
        tests = [MCNEMAR, *tests[: len(swapped)]]
    over = ", Westfall and Young's correction" if len(result.checks) > 1 else ""
    replicates, seed = "", ""
    if swapped:
        every, kind = ("all ", "swaps") if swapped[0].exact else ("", "replicates")
        replicates = f", {every}{swapped[0].replicates:,} {kind}"
        seed = f", seed {settings.seed}"
    return (
        f"one-sided {' and '.join(tests)} over {units}{replicates}{over}; "
        f"{exact if first.pass_fail else 'intervals of the inverted test'}; {level}{seed}"
    )


def check_table(result: GateResult) -> doc.Table:
    """Make a row per metric, with all its numbers."""
    decision = {"new": result.new, "old": result.old, "rule": result.rule}
    rows = [{**decision, **row_of(check)} for check in result.checks]
    shown = [name for name in rows[0] if any(row.get(name) is not None for row in rows)]
    signatures = doc.signature_lines(check.signature for check in result.checks)
    return doc.Table(doc.plain_columns(*shown), tuple(rows), tuple(signatures))


def _verdict(passed: bool) -> str:
    return "pass" if passed else "fail"


def _reason(result: GateResult, check: GateCheck) -> str:
    """State the result of the test, and the loss that it does not exclude."""
    new, old, metric = result.new, result.old, unit(check.metric, percent=check.pass_fail)
    digits = _digits(check)
    bound = check.interval[0 if check.higher_is_better else 1]
    loss = None if bound is None else -bound if check.higher_is_better else bound
    limit = "any loss is possible"
    if loss is not None:
        limit = f"a loss of up to {loss:.{digits}f} {metric} is not excluded"
        if loss <= 0:
            limit = f"it is ahead by at least {-loss:.{digits}f} {metric}"
    if result.rule == "not worse":
        claim = f"no evidence that {new} is worse than {old}"
        if not check.passed:
            return f"{new} is worse than {old} by {abs(check.difference):.{digits}f} {metric}."
    elif result.rule == "better":
        word = "is" if check.passed else "is not"
        claim = f"{new} {word} shown to be better than {old}"
    else:
        word = "is" if check.passed else "is not"
        size = (result.settings.margin or 0.0) * (100 if check.pass_fail else 1)
        margin = f"{size:g} {metric}"
        claim = f"{new} {word} shown to be less than {margin} worse than {old}"
    if check.note == "identical":
        limit = f"{check.metric} counts the same in both"
    elif check.note == "few units differ":
        units = f"{result.units:,} {_words(result).units(result.settings.unit)}"
        limit = (
            f"only {check.differing_units:,} of {units} differ: no interval, as no difference can "
            "be significant"
        )
    return f"{claim}; {limit}."


def _numbers(result: GateResult, check: GateCheck) -> str:
    digits = _digits(check)
    percent = _rounded(100 - 200 * result.alpha, 200 * result.alpha)
    corrected = len(result.checks) > 1 and result.rule == "not worse"
    p = doc.p_equals("adjusted p" if corrected else "p", check.p_adjusted)
    lower = " (lower is better)" if not check.higher_is_better else ""
    sign, changed = (" %" if check.pass_fail else ""), ""
    if check.fixed is not None and check.broken is not None:
        same = result.test_set.segments - check.fixed - check.broken
        changed = f" {check.fixed:,} fixed, {check.broken:,} broken, {same:,} the same."
    interval = f"{percent} % interval {doc.bracketed(check.interval, digits, sign='+')}"
    if corrected:
        interval = f"adjusted {interval}"
    if check.interval == (None, None):
        interval = "no interval"
    return (
        f"{check.metric}{lower} {check.new_score:.{digits}f}{sign} against "
        f"{check.old_score:.{digits}f}{sign}, {result.new} − {result.old}: "
        f"{check.difference:+.{digits}f}, {interval}, {p}.{changed}"
    )


def _digits(check: GateCheck) -> int:
    """Return the decimals that show two digits of the interval's width, at least 2."""
    low, high = check.interval
    width = 0.0 if low is None or high is None else high - low
    minimum = 1 if check.pass_fail else 2
    return minimum if width <= 0 else max(minimum, 1 - floor(log10(width)))


def _rounded(value: float, distance: float) -> str:
    """Format a number with two digits of its `distance` to a whole number."""
    return f"{round(value, 1 - floor(log10(distance))):.12g}"


def _few_documents(result: GateResult) -> list[str]:
    """Warn if documents are too few for a test with a margin to keep its level."""
    settings, enough = result.settings, doc.ENOUGH_DOCUMENTS_FOR_A_MARGIN
    if settings.margin is None or settings.unit != "document" or result.units >= enough:
        return []
    return [
        f"Fewer than {enough} documents: a {_words(result).system} that is worse by the margin "
        "passes more often than the level says."
    ]


def _one_unit_cautions(result: GateResult) -> list[str]:
    """Warn about metrics whose decision depends on one unit."""
    unit = _words(result).unit(result.settings.unit)
    return [
        f"One {unit} accounts for {100 * (check.largest_share or 0):.0f} % of the variance of the "
        f"difference in {check.metric}: the decision may change with more or fewer {unit}s like it."
        for check in result.checks
        if depends_on_one_unit(check, result.units, result.rule)
    ]


def depends_on_one_unit(check: GateCheck, units: int, rule: str) -> bool:
    """Return whether the claim was shown, but one unit has a large share of the variance."""
    # If units are few, one of them always has a large share.
    large = max(doc.LARGEST_SHARE, 5 / units)
    shown = check.passed != (rule == "not worse")
    return shown and not check.pass_fail and (check.largest_share or 0.0) > large


def _look(result: GateResult) -> list[str]:
    """State which look at the test set this is, and its share of the significance level."""
    look, level = result.look, result.settings.level
    if look is None:
        return []
    shared = f"{result.settings.alpha:g} that "
    shared += f"{look.looks} looks share" if look.looks is not None else "all looks share"
    if look.repeated:
        return [
            f"Look {look.number} at this test set, recorded before: tested again at "
            f"α = {look.alpha:.2g}, nothing spent."
        ]
    rule = "equally" if look.looks is not None else "6/(π²k²) of it at look k"
    return [
        f"Look {look.number} at this test set: tested at α = {look.alpha:.2g} out of the {shared} "
        f"({rule}), {look.spent:.4g} spent. The level {level:g} holds over all looks, unless "
        f"{_words(result).systems} are tuned on the results of earlier looks."
    ]
