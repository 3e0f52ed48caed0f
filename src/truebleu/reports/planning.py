"""Plans and drawn test sets as documents: sizes and power; similarity to the pool."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from truebleu.planning.plan import FEW_DOCUMENTS, FEW_UNITS, PLANNED_LEVEL
from truebleu.planning.sample import QUANTILES, DomainShare
from truebleu.reports import document as doc
from truebleu.reports.percent import PERCENT_DIGITS, unit
from truebleu.reports.words import words_of
from truebleu.schema import columns_of, row_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truebleu.planning.plan import PairPlan, Plan, PlanWarning
    from truebleu.planning.sample import Sample
    from truebleu.reports.document import Row
    from truebleu.reports.words import Words


# The power of test sets of several sizes.


SIDES = {"two-sided": "two-sided", "greater": "one-sided", "less": "one-sided"}
# Smaller and larger numbers are written with powers of ten.
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-9, 1e9


def plan_document(plan: Plan) -> doc.Document:
    """Lay out the plan's sentences, a table of sizes or of pairs, and a chart of the power."""
    metrics = dict.fromkeys(pair.metric for pair in plan.plans)
    # The pair that needs the largest test set; without an answer, that varies most.
    hardest = [max(plan.of(m), key=lambda p: p.smallest_difference or p.sd) for m in metrics]
    lines = [line for pair in hardest for line in plan_sentences(plan, pair)]
    one = len(plan.plans) == 1
    notes = (*doc.signature_lines([pair.signature for pair in plan.plans]), _method(plan))
    blocks = (
        doc.Sentences(tuple(lines)),
        size_table(plan, plan.plans[0]) if one else pair_table(plan),
        doc.Notes(notes),
        power_chart(plan),
    )
    rows = [row_of(pair) for pair in plan.plans]
    names = (name for name in rows[0] if name not in ("digits", "percent"))
    return doc.Document(blocks, doc.Table(doc.plain_columns(*names), tuple(rows), notes))


def _words(plan: Plan) -> Words:
    return words_of(plan.test_set.rows)


def plan_sentences(plan: Plan, pair: PairPlan) -> tuple[str, ...]:
    """State the plan for one pair by one metric, with its cautions."""
    answer = [*_answer(plan, pair), *_references(plan, pair), *_margin(plan, pair)]
    if len(plan.of(pair.metric)) > 1:
        answer.append(
            f"This is for {pair.a} and {pair.b}, whose difference varies most; the table has all "
            "pairs."
        )
    return (*answer, *(_warning(warning, pair, plan) for warning in pair.warnings))


def pair_table(plan: Plan) -> doc.Table:
    """Make a row per metric and pair: the size needed, and what the pilot's size can detect."""
    words, detects = _words(plan), f"detects with {_target_power(plan)} now"
    columns = [doc.Column("metric", "Metric"), doc.Column("a", words.system.capitalize())]
    columns.append(doc.Column("b", "against"))
    if any(pair.difference is not None for pair in plan.plans):
        heading = f"{words.units(plan.settings.unit)} needed"
        columns.append(doc.Column("units_needed", heading, numeric=True))
        columns.append(doc.Column("power_now", "power now", numeric=True))
    columns.append(doc.Column("smallest_difference", detects, numeric=True))
    rows: list[Row] = []
    for pair in plan.plans:
        detected = _score(pair, pair.smallest_difference)
        needed = {"units_needed": pair.units_needed and f"{pair.units_needed:,}"}
        now = {"power_now": _power_percent(pair.power_now), "smallest_difference": detected}
        rows.append({**row_of(pair), **needed, **now})
    return doc.Table(tuple(columns), tuple(rows))


def size_table(plan: Plan, pair: PairPlan) -> doc.Table:
    """Make a row per size: its power for the difference, and the smallest difference detected."""
    unit, words = plan.settings.unit, _words(plan)
    columns = [doc.Column("units", words.units(unit), numeric=True)]
    if unit == "document":
        columns.append(doc.Column("segments", f"about {words.rows}", numeric=True))
    if pair.difference is not None:
        columns.append(
            doc.Column("power", f"power for {_points(pair, pair.difference)}", numeric=True)
        )
    columns += [
        doc.Column("smallest_difference", f"detects with {_target_power(plan)}", numeric=True),
        doc.Column("mark", "", numeric=False),
    ]
    marks = {"needed": pair.units_needed, "by this pilot alone": pair.units_by_pilot}
    marks["this test set"] = pair.units
    rows = (
        {
            "units": f"{size.units:,}",
            "segments": f"{size.segments:,}",
            "power": _power_percent(size.power),
            "smallest_difference": _score(pair, size.smallest_difference),
            "mark": ", ".join(mark for mark, units in marks.items() if units == size.units),
        }
        for size in pair.sizes
    )
    return doc.Table(tuple(columns), tuple(rows))


def power_chart(plan: Plan) -> doc.Chart:
    """Draw the power against the size; without a difference, the smallest difference detected."""
    units = _words(plan).units(plan.settings.unit)
    differences = dict.fromkeys(pair.difference for pair in plan.plans)
    title = f"Smallest difference detected with a power of {_target_power(plan)}, by {units}"
    y, reference = "smallest_difference", None
    if None not in differences:
        sizes = " or ".join(f"{difference:g}" for difference in differences)
        title = f"Power to detect a difference of {sizes}, by {units}"
        y, reference = "power", plan.settings.power
    columns = (
        doc.Column("plan", "Metric and pair"),
        doc.Column("units", f"{units.capitalize()} in the test set"),
        doc.Column("power", "Power", digits=0, percent=True),
        doc.Column("smallest_difference", "Smallest difference detected", digits=2),
    )
    rows = tuple({"plan": pair.name, **asdict(size)} for pair in plan.plans for size in pair.sizes)
    look: dict[str, Any] = {"series": "plan", "log_x": True, "zero_y": True}
    return doc.Chart(
        title=title,
        table=doc.Table(columns, rows),
        plot=doc.Plot("line", "units", y, reference=reference, **look),
        sentences=tuple(f"{pair.name}: {next(_answer(plan, pair))}" for pair in plan.plans),
    )


def _method(plan: Plan) -> str:
    """Describe the calculation of the power in one line."""
    settings = plan.settings
    comparisons, words = settings.comparisons or 1, _words(plan)
    many = f", Bonferroni's correction for {comparisons} comparisons" if comparisons > 1 else ""
    systems = {pair.a for pair in plan.plans}
    pilot = f"{len(systems)} {words.systems}" if len(systems) > 1 else plan.plans[0].a
    units = words.units(settings.unit)
    return (
        f"{SIDES[settings.alternative]} paired test at level {settings.level:g}{many}; the size "
        f"needed is the upper end of a one-sided {100 * PLANNED_LEVEL:g} % interval; assumes "
        f"independent {units} that vary like the pilot's ({pilot} and {plan.plans[0].b}), and a "
        "normal approximation"
    )


def _warning(warning: PlanWarning, pair: PairPlan, plan: Plan) -> str:
    words, unit = _words(plan), plan.settings.unit
    return WARNINGS[warning].format(
        pair=pair,
        unit=words.unit(unit),
        units=words.units(unit),
        rows=words.rows,
        share=doc.percent(pair.largest_share or 0.0, 0),
        effect=pair.design_effect or 0.0,
    )


WARNINGS: dict[PlanWarning, str] = {
    "few units needed": f"With fewer than {FEW_UNITS} {{units}}, the power given here is only "
    "approximate.",
    "small pilot": "The pilot has {pair.units:,} {units}: too few to tell how much the difference "
    "varies.",
    "few documents": f"A pilot of fewer than {FEW_DOCUMENTS} documents may lack the documents that "
    "vary most: the power can be lower than planned.",
    "one unit decides": "One {unit} makes up {share} of the variance, and the plan depends on it. "
    "Is it an error in the texts?",
    "dependent segments": "The {rows} of a document are correlated: the variance by documents is "
    "{effect:.1f} times the variance by independent {rows}. Plan with --unit document.",
}


def _answer(plan: Plan, pair: PairPlan) -> Iterator[str]:
    """State the test set size needed, and what the pilot's size can detect."""
    now = _units(plan, pair.units, pair.segments)
    difference, power = _points(pair, pair.difference or 0.0), _target_power(plan)
    goal = f"To detect a difference of {difference} with a power of {power}"
    if pair.units_needed is not None:
        words, unit = _words(plan), plan.settings.unit
        more = f", or {pair.segments_needed:,} {words.rows}" if unit == "document" else ""
        times = pair.units_needed / pair.units
        yield (
            f"{goal}, a test set needs about {pair.units_needed:,} {words.units(unit)} "
            f"({pair.units_by_pilot:,} by this pilot alone){more}, "
            f"{times:,.{2 if times < 10 else 0}f} times this one."
        )
    elif pair.units_by_pilot is not None:
        yield f"{goal}, no size can be planned from this pilot: {pair.reasons['units_needed']}."
    elif pair.difference is not None:
        yield f"{goal}, no test set is large enough: {pair.reasons['units_needed']}."
    if pair.smallest_difference is None:
        yield f"With {now}, no difference can be detected: {pair.reasons['smallest_difference']}."
        return
    detected = f"{_score(pair, pair.smallest_difference)} {_unit(pair)} or more"
    if pair.power_now is None:
        yield f"With a power of {power}, {now} can detect differences of {detected}."
    else:
        yield (
            f"With that power, {now} can detect differences of {detected}; for {difference}, "
            f"their power is {_power_percent(pair.power_now)}."
        )


def _units(plan: Plan, units: int, segments: int | None) -> str:
    unit, words = plan.settings.unit, _words(plan)
    more = f" ({segments:,} {words.rows})" if unit == "document" else ""
    return f"{units:,} {words.units(unit)}{more}"


def _references(plan: Plan, pair: PairPlan) -> Iterator[str]:
    """State the size with fewer references, and whose translations are the fewest."""
    if not pair.references:
        return
    *fewer, pilot = pair.references
    parts = [f"{part.references} would need {part.ratio:.2f} times" for part in fewer]
    cheapest = min(pair.references, key=lambda part: part.ratio * part.references)
    cost = cheapest.ratio * cheapest.references / pilot.references
    against = "" if cheapest is pilot else f", {cost:.2f} times as much as {pilot.references}"
    one = cheapest.references == 1
    yield (
        f"Instead of {pilot.references} references, {doc.join_names(parts)} the "
        f"{_words(plan).units(plan.settings.unit)}, for a difference that is the same share of the "
        f"scores. Counted in translations, {cheapest.references} reference{'s' * (not one)} for "
        f"each segment cost{'s' * one} least{against}."
    )


def _margin(plan: Plan, pair: PairPlan) -> Iterator[str]:
    """State the sizes at which a truly equal system passes a gate, or is shown to be equivalent."""
    margin = pair.margin
    if margin is None:
        return
    gate, equivalence = (
        "more than any test set has" if units is None else f"about {_units(plan, units, segments)}"
        for units, segments in (
            (margin.gate_units, margin.gate_segments),
            (margin.equivalence_units, margin.equivalence_segments),
        )
    )
    gate_now, equivalence_now = margin.gate_power_now, margin.equivalence_power_now
    yield (
        f"To pass a truly equal {_words(plan).system} with probability {_target_power(plan)}, "
        f"a gate with a margin of {_points(pair, margin.margin)} needs {gate}; to show "
        f"equivalence within that margin, {equivalence}. With this test set, the probabilities are "
        f"{_power_percent(gate_now)} and {_power_percent(equivalence_now)}."
    )


def _target_power(plan: Plan) -> str:
    """Format the target power with the digits of the setting."""
    return f"{100 * plan.settings.power:g} %"


def _points(pair: PairPlan, value: float) -> str:
    """Format a difference that was given as a number, with its unit."""
    return f"{100 * value if pair.percent else value:g} {_unit(pair)}"


def _unit(pair: PairPlan) -> str:
    return unit(pair.metric, percent=pair.percent)


def _power_percent(share: float | None) -> str:
    """Format a power in percent; above 99.5 % it is "over 99 %", as no test is certain."""
    if share is None:
        return doc.NO_VALUE
    return "over 99 %" if share > 0.995 else doc.percent(share, 0)


def _score(pair: PairPlan, value: float | None) -> str:
    """Format a difference with the metric's decimals, or more if two digits need them."""
    if value is None:
        return doc.NO_VALUE
    digits = PERCENT_DIGITS if pair.percent else pair.digits
    value *= 100 if pair.percent else 1
    if value and not SMALLEST_PLAIN <= abs(value) < LARGEST_PLAIN:
        return f"{value:.3g}"
    while value and abs(value) < 0.95 * 10 ** (1 - digits):
        digits += 1
    return f"{value:.{digits}f}"


# Test sets drawn from a pool.


DRAWS = {
    "systematic": "evenly spread, one in {step:.4g}",
    "random": "at random",
    "stratified": "at random within each stratum",
    "document": "whole documents at random",
}


def sample_document(sample: Sample) -> doc.Document:
    """Lay out the size of a sample and its similarity to the pool, with lengths and domains."""
    tables = [length_table(sample)]
    if sample.domains:
        columns = tuple(columns_of(DomainShare).values())
        tables.append(doc.Table(columns, tuple(map(row_of, sample.domains))))
    return doc.Document((doc.Sentences(sample_sentences(sample)), *tables), data=tables[0])


def sample_sentences(sample: Sample) -> tuple[str, ...]:
    """State the size of a sample, and its similarity to the pool."""
    size, pool, requested = len(sample.segments), len(sample.pool), sample.settings.size
    how = DRAWS[sample.settings.draw].format(step=pool / size)
    lines = [f"Drew {size:,} of {pool:,} segments, {how} (seed {sample.settings.seed})."]
    if size != requested:
        lines.append(f"{requested:,} were requested; whole documents come no nearer in this draw.")
    if sample.documents is not None:
        lines.append(f"They come from {sample.documents:,} of {sample.pool_documents:,} documents.")
    if sample.usual_distance:
        lines.append(
            "Their distribution of lengths differs from the pool's by at most "
            f"{100 * sample.length_distance:.1f} points (Kolmogorov–Smirnov; 95 % of random "
            f"samples: {100 * sample.usual_distance:.1f})."
        )
    return tuple(lines)


def length_table(sample: Sample) -> doc.Table:
    """Make a table of the mean and quantiles of words per segment."""
    names = {0.0: "least", 0.5: "median", 1.0: "most"}
    headings = [names.get(share, f"{100 * share:g} %") for share in QUANTILES]
    columns = (
        doc.Column("texts", "words per segment"),
        doc.Column("segments", "segments"),
        doc.Column("mean", "mean", digits=1),
        *(doc.Column(heading, heading) for heading in headings),
    )
    sides = (
        ("test set", sample.segments, sample.lengths),
        ("pool", sample.pool, sample.pool_lengths),
    )
    rows: tuple[Row, ...] = tuple(
        {
            "texts": name,
            "segments": len(segments),
            "mean": lengths.mean,
            **dict(zip(headings, lengths.quantiles.values(), strict=True)),
        }
        for name, segments, lengths in sides
    )
    return doc.Table(columns, rows)
