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
    from collections.abc import Iterator

    from truebleu.reports.words import Words
    from truebleu.significance.gate import GateCheck, GateResult

VERDICTS = ("fail", "pass")
# Maximum number of slices in a sentence.
MOST_SLICES = 8


def document(result: GateResult) -> doc.Document:
    """Lay out the decision as sentences, and every metric's numbers for programs."""
    rate_labels = {check.metric for check in result.checks if check.pass_fail}
    data, result = check_table(result), in_percent(result, rate_labels)
    with_people = [(check, check.people) for check in result.checks if check.people is not None]
    lines = (
        *_worse_slices(result),
        *sentences(result),
        *_other_slices(result),
        *(doc.people_sentence(c.difference, people, c.metric, 2) for c, people in with_people),
        *doc.about_answers(c.signature for c in result.checks),
        *_cautions(result),
        *_look(result),
    )
    notes = [*doc.signature_lines(check.signature for check in result.checks), method(result)]
    notes += dict.fromkeys(doc.people_source(people) for _, people in with_people)
    checks = tuple(
        doc.Check(check.metric, check.passed, _reason(result, check)) for check in result.checks
    )
    return doc.Document((doc.Sentences(lines), doc.Notes(tuple(notes))), data, checks=checks)


def _words(result: GateResult) -> Words:
    return words_of(result.test_set.rows)


def sentences(result: GateResult) -> list[str]:
    """State the decision and its reason; with several metrics, a decision and reason for each."""
    if len(result.checks) == 1:
        (check,) = result.checks
        # A slice may fail although the whole passes.
        overall = "overall " if check.passed and not result.passed else ""
        reason = f"{overall}{VERDICTS[check.passed]}: {_reason(result, check)}"
        return [reason, _numbers(result, check)]
    passed = sum(check.passed for check in result.checks)
    lines = [
        f"{VERDICTS[result.passed]}: {result.new} passes on {passed} of {len(result.checks)} "
        "metrics and must pass on each of them."
    ]
    for check in result.checks:
        lines.append(f"  {VERDICTS[check.passed]}: {_reason(result, check)}")
        lines.append(f"    {_numbers(result, check)}")
    return lines


def _worse_slices(result: GateResult) -> Iterator[str]:
    """State on which slices the new system is significantly worse."""
    for of_slice in result.slices:
        if of_slice.passed is False:
            check = next(check for check in result.checks if check.metric == of_slice.metric)
            p = doc.p_equals("adjusted p", of_slice.p_adjusted or 0.0)
            loss = f"{abs(of_slice.difference):.{_digits(check)}f} {_unit(check)}"
            where = f"{of_slice.column} {of_slice.label}"
            yield f"fail: on {where}, {result.new} is worse than {result.old} by {loss}, {p}."


def _other_slices(result: GateResult) -> Iterator[str]:
    """Name the slices that were not tested, and say whether all others pass."""
    few = [of_slice for of_slice in result.slices if of_slice.passed is None]
    tested = [of_slice for of_slice in result.slices if of_slice.passed is not None]
    if tested and all(of_slice.passed for of_slice in tested):
        smallest = min(s.p_adjusted for s in tested if s.p_adjusted is not None)
        yield (
            f"{result.new} is not significantly worse on any of {len(tested)} slices (Holm's "
            f"correction, {doc.p_equals('smallest adjusted p', smallest)})."
        )
    if few:
        several = len(result.checks) > 1
        labels = [f"{s.column} {s.label}" + (f" by {s.metric}" if several else "") for s in few]
        reason = f"fewer than {FEWEST_UNITS} units"
        if result.settings.margin:
            reason += ", or a power below 50 % to detect a loss as large as the margin"
        yield f"Not tested ({reason}): {doc.join_names(labels, MOST_SLICES)}."


def method(result: GateResult) -> str:
    """Describe the method in one line: every choice that changes a number."""
    settings, checks = result.settings, result.checks
    units = doc.resampled(settings, result.units, result.test_set)
    level = f"level {_rounded(1 - result.alpha, result.alpha)}"
    exact = "Clopper and Pearson's bounds (scores are 0 or 1)"
    are_exact = {check.pass_fail for check in checks}
    if result.rule != "not worse":
        intervals = exact
        if False in are_exact:
            intervals = f"{INTERVAL_METHODS['hall'].title} intervals"
            intervals += f", and {exact}," if True in are_exact else ""
        rare = ""
        if result.units >= 6 and False in are_exact:
            # The rule of three: if 3 in n units fail, 5 % of test sets with n units have none.
            unit = _words(result).units(settings.unit)
            rare = f"; failures rarer than 1 in {result.units // 3:,} {unit}"
            rare += " may not occur in this test set"
        return f"one-sided tests by {intervals} over {units}; {level}{rare}"
    tests = [TESTS["scaled" if any(check.scaled for check in checks) else "ar"].title]
    swapped = [check for check in checks if check.replicates]
    if len(swapped) < len(checks):
        tests = [MCNEMAR, *tests[: len(swapped)]]
    over = ", Westfall and Young's correction" if len(checks) > 1 else ""
    replicates, seed = "", ""
    if swapped:
        every, kind = ("all ", "swaps") if swapped[0].exact else ("", "replicates")
        replicates = f", {every}{swapped[0].replicates:,} {kind}"
        seed = f", seed {settings.seed}"
    return (
        f"one-sided {' and '.join(tests)} over {units}{replicates}{over}; "
        f"{exact if checks[0].pass_fail else 'intervals of the inverted test'}; {level}{seed}"
    )


def check_table(result: GateResult) -> doc.Table:
    """Make a row per metric, with all its numbers."""
    decision = {"new": result.new, "old": result.old, "rule": result.rule}
    rows = [{**decision, **row_of(check)} for check in result.checks]
    return doc.data_table(rows, doc.signature_lines(check.signature for check in result.checks))


def _reason(result: GateResult, check: GateCheck) -> str:
    """State the result of the test, and the loss that it does not exclude."""
    new, old, metric, digits = result.new, result.old, _unit(check), _digits(check)
    shown = "is shown" if check.passed else "is not shown"
    if result.rule == "not worse":
        claim = f"no evidence that {new} is worse than {old}"
        if not check.passed:
            return f"{new} is worse than {old} by {abs(check.difference):.{digits}f} {metric}."
    elif result.rule == "better":
        claim = f"{new} {shown} to be better than {old}"
    else:
        margin = (result.settings.margin or 0.0) * (100 if check.pass_fail else 1)
        claim = f"{new} {shown} to be less than {margin:g} {metric} worse than {old}"
    bound = check.interval[0 if check.higher_is_better else 1]
    limit = "any loss is possible"
    if bound is not None:
        loss = -bound if check.higher_is_better else bound
        limit = f"a loss of up to {loss:.{digits}f} {metric} is not excluded"
        if loss <= 0:
            limit = f"it is ahead by at least {-loss:.{digits}f} {metric}"
    if check.note == "identical":
        limit = f"{check.metric} counts the same in both"
    elif check.note == "few units differ":
        units = f"{result.units:,} {_words(result).units(result.settings.unit)}"
        limit = f"only {check.differing_units:,} of {units} differ: no interval, as no difference "
        limit += "can be significant"
    return f"{claim}; {limit}."


def _unit(check: GateCheck) -> str:
    return unit(check.metric, percent=check.pass_fail)


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


def _cautions(result: GateResult) -> Iterator[str]:
    """Warn of too few documents for a margin, and of decisions that depend on one unit."""
    settings, words = result.settings, _words(result)
    is_margin_of_documents = settings.margin is not None and settings.unit == "document"
    if is_margin_of_documents and result.units < doc.ENOUGH_DOCUMENTS_FOR_A_MARGIN:
        yield (
            f"Fewer than {doc.ENOUGH_DOCUMENTS_FOR_A_MARGIN} documents: a {words.system} that is "
            "worse by the margin passes more often than the level says."
        )
    unit = words.unit(settings.unit)
    for check in result.checks:
        if depends_on_one_unit(check, result.units, result.rule):
            yield (
                f"One {unit} accounts for {100 * (check.largest_share or 0):.0f} % of the variance "
                f"of the difference in {check.metric}: the decision may change with more or fewer "
                f"{unit}s like it."
            )


def depends_on_one_unit(check: GateCheck, units: int, rule: str) -> bool:
    """Return whether the claim was shown, but one unit has a large share of the variance."""
    # If units are few, one of them always has a large share.
    large = max(doc.LARGEST_SHARE, 5 / units)
    shown = check.passed != (rule == "not worse")
    return shown and not check.pass_fail and (check.largest_share or 0.0) > large


def _look(result: GateResult) -> list[str]:
    """State which look at the test set this is, and its share of the significance level."""
    look, settings = result.look, result.settings
    if look is None:
        return []
    number, alpha = f"Look {look.number} at this test set", f"tested at α = {look.alpha:.2g}"
    if look.repeated:
        tested = alpha.replace("tested", "tested again")
        return [f"{number}, recorded before: {tested}, nothing spent."]
    looks, rule = "all looks", "6/(π²k²) of it at look k"
    if look.looks is not None:
        looks, rule = f"{look.looks} looks", "equally"
    return [
        f"{number}: {alpha} out of the {settings.alpha:g} that {looks} share ({rule}), "
        f"{look.spent:.4g} spent. The level {settings.level:g} holds over all looks, unless "
        f"{_words(result).systems} are tuned on the results of earlier looks."
    ]
