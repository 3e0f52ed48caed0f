"""A plan as sentences to act on, and how representative of its pool a drawn test set is."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from truebleu.planning.power import FEW_UNITS
from truebleu.planning.sample import QUANTILES
from truebleu.reports.document import (
    Chart,
    Column,
    Document,
    Plot,
    Sentences,
    Table,
    bounds_of,
    plain_columns,
    signature_lines,
    table_of,
)

if TYPE_CHECKING:
    from truebleu.planning.plan import Plan
    from truebleu.planning.power import PairPlan, PlanWarning, SizePower
    from truebleu.planning.sample import Sample, SystemOnSample
    from truebleu.reports.document import Block, Row


# The power of test sets of several sizes.


SIDES = {"two-sided": "two-sided", "greater": "one-sided", "less": "one-sided"}
# Outside of these, powers of ten are easier to read than many figures.
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-9, 1e9
# The numbers of each pair and metric, one column each.
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
    "sd",
    "sd_low",
    "sd_high",
    "null_sd",
    "design_effect",
    "units",
    "segments",
)


def plan_document(plan: Plan) -> Document:
    """What the plan says about each pair by each metric, and the power by size as a chart."""
    blocks: list[Block] = []
    for pair in plan.plans:
        blocks += [Sentences(plan_sentences(plan, pair)), size_table(plan, pair)]
    return Document((*blocks, power_chart(plan)), _summary_table(plan))


def plan_sentences(plan: Plan, pair: PairPlan) -> tuple[str, ...]:
    """What the plan says about one pair by one metric."""
    unit = plan.settings.unit
    title = f"{pair.metric}: {pair.a} against {pair.b}."
    warnings = (_warning(warning, pair, unit) for warning in pair.warnings)
    margin = _margin(plan, pair, unit)
    return (title, *_needed(plan, pair, unit), *_now(plan, pair, unit), *margin, *warnings)


def size_table(plan: Plan, pair: PairPlan) -> Table:
    """A row per size: its power for the difference, and the smallest difference it finds."""
    unit = plan.settings.unit
    columns = [Column("units", f"{unit}s", numeric=True)]
    if unit == "document":
        columns.append(Column("segments", "about segments", numeric=True))
    if pair.difference is not None:
        columns.append(Column("power", f"power for {_asked(pair)}", numeric=True))
    columns += [
        Column("smallest_difference", f"finds with {_wanted(plan)}", numeric=True),
        Column("mark", "", numeric=False),
    ]
    rows = tuple(_size_row(pair, size) for size in pair.sizes)
    notes = (*signature_lines([pair.signature]), _method(plan))
    return Table(tuple(columns), rows, notes)


def power_chart(plan: Plan) -> Chart:
    """The power against the size; without a difference, the smallest difference found."""
    unit, wanted = plan.settings.unit, plan.settings.power
    asked = dict.fromkeys(pair.difference for pair in plan.plans)
    title = f"Smallest difference found with a power of {100 * wanted:g} %, by {unit}s"
    if None not in asked:
        sizes = " or ".join(f"{difference:g}" for difference in asked)
        title = f"Power to find a difference of {sizes}, by {unit}s"
    columns = (
        Column("plan", "Metric and pair"),
        Column("units", f"{unit.capitalize()}s in the test set"),
        Column("power", "Power", digits=0, percent=True),
        Column("smallest_difference", "Smallest difference found", digits=2),
    )
    rows = tuple({"plan": pair.name, **asdict(size)} for pair in plan.plans for size in pair.curve)
    return Chart(
        title=title,
        table=Table(columns, rows),
        plot=Plot(
            "line",
            "units",
            "smallest_difference" if None in asked else "power",
            series="plan",
            reference=None if None in asked else wanted,
            log_x=True,
            zero_y=True,
        ),
        sentences=tuple(_conclusion(pair, unit, wanted) for pair in plan.plans),
    )


def _conclusion(pair: PairPlan, unit: str, wanted: float) -> str:
    """The number of units, or where none was asked for the smallest difference."""
    if pair.units_needed is not None:
        return (
            f"{pair.name}: {pair.units_needed:,} {unit}s find a difference of "
            f"{pair.difference:g} with a power of {100 * wanted:g} %."
        )
    if pair.smallest_difference is not None:
        return (
            f"{pair.name}: {pair.units:,} {unit}s find differences from "
            f"{pair.smallest_difference:.{pair.digits}f} on with a power of {100 * wanted:g} %."
        )
    return f"{pair.name}: {'; '.join(pair.reasons.values())}."


def _summary_table(plan: Plan) -> Table:
    """A row per pair and metric with all its numbers."""
    notes = (*signature_lines([pair.signature for pair in plan.plans]), _method(plan))
    columns = plain_columns(*SUMMARY)
    sd = bounds_of("sd_interval")
    bounds = bounds_of("units_needed_interval") | {f"sd_{end}": cell for end, cell in sd.items()}
    return replace(table_of(columns, plan.plans, **bounds), notes=notes)


def _method(plan: Plan) -> str:
    """How the power was calculated, in one line."""
    settings = plan.settings
    comparisons = settings.comparisons or 1
    many = f", Bonferroni's correction for {comparisons} comparisons" if comparisons > 1 else ""
    return (
        f"{SIDES[settings.alternative]} paired test at level {settings.level:g}{many}; "
        f"independent {settings.unit}s like the pilot's, normal approximation"
    )


def _warning(warning: PlanWarning, pair: PairPlan, unit: str) -> str:
    if warning == "estimated difference":
        return (
            "The pilot's own difference is an estimate. If a pilot is followed up because it "
            "looked good, it overstates the difference (the winner's curse); plan for one that "
            "matters to you."
        )
    if warning == "few units needed":
        return f"With fewer than {FEW_UNITS} {unit}s, the power given here is only approximate."
    if warning == "small pilot":
        return (
            f"The pilot has {pair.units:,} {unit}s: so few tell only roughly how much the "
            "difference varies."
        )
    if warning == "one unit decides":
        return (
            f"One {unit} makes up {100 * (pair.largest_share or 0):.0f} % of the variance: the "
            f"plan depends on whether the new test set has such a {unit}. Is it an error in the "
            "texts?"
        )
    return (
        "Segments of a document go together: drawn by documents, the variance is "
        f"{pair.design_effect or 0:.1f} times that of independent segments. Plan with --unit "
        "document."
    )


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
    sentence += f": {_times(pair.units_needed / pair.units)} this one."
    low, high = (
        "more than can be" if bound is None else f"{bound:,}"
        for bound in pair.units_needed_interval or (None, None)
    )
    level = f"{100 * plan.settings.level:g} %"
    limits = f"As far as {pair.units:,} {unit}s can tell"
    return [f"{sentence} {limits}, it is {low} to {high} ({level} interval)."]


def _margin(plan: Plan, pair: PairPlan, unit: str) -> list[str]:
    """When a system that is truly equal passes a gate, or is shown to be equivalent."""
    margin = pair.margin
    if margin is None:
        return []

    def size(units: int | None, segments: int | None) -> str:
        if units is None:
            return f"more {unit}s than there are"
        about = f"about {units:,} {unit}s"
        return about if unit == "segment" else f"{about}, some {segments:,} segments"

    wanted = _wanted(plan)
    told = [
        f"For a gate with a margin of {margin.margin:g} {pair.metric} to pass a system that is "
        f"truly equal with a chance of {wanted}, it takes "
        f"{size(margin.gate_units, margin.gate_segments)}; for an equivalence test within that "
        f"margin to show it, {size(margin.equivalence_units, margin.equivalence_segments)}."
    ]
    powers = map(_power_percent, (margin.gate_power_now, margin.equivalence_power_now))
    return [*told, f"On {pair.units:,} {unit}s the chances are {' and '.join(powers)}."]


def _times(ratio: float) -> str:
    return f"{ratio:.2f} times" if ratio < 10 else f"{ratio:,.0f} times"


def _now(plan: Plan, pair: PairPlan, unit: str) -> list[str]:
    """What the test set that there is can find."""
    units = f"{pair.units:,} {unit}s"
    if unit == "document":
        units += f" ({pair.segments:,} segments)"
    if pair.smallest_difference is None:
        return [f"On {units} nothing can be found: {pair.reasons['smallest_difference']}."]
    lead = "With that power"
    if pair.difference is None:
        lead = f"With a power of {_wanted(plan)}"
    smallest = _score(pair, pair.smallest_difference)
    told = [f"{lead}, {units} find differences from {smallest} {pair.metric} on."]
    if pair.power_now is not None:
        power = _power_percent(pair.power_now)
        told.append(f"Their power for a difference of {pair.difference:g} is {power}.")
    return told


def _wanted(plan: Plan) -> str:
    """The power that was asked for, as it was given."""
    return f"{100 * plan.settings.power:g} %"


def _asked(pair: PairPlan) -> str:
    return f"{pair.difference:g} {pair.metric}"


def _power_percent(share: float) -> str:
    """A power in percent; never 100 unless it is, for no test is that sure."""
    percent = f"{100 * share:.0f}" if share <= 0.995 else "over 99"
    return f"{percent} %"


def _score(pair: PairPlan, value: float) -> str:
    """A difference with the metric's decimals, and with more where these would show nothing."""
    if value and not SMALLEST_PLAIN <= abs(value) < LARGEST_PLAIN:
        return f"{value:.3g}"
    digits = pair.digits
    while value and abs(value) < 0.95 * 10 ** (1 - digits):
        digits += 1
    return f"{value:.{digits}f}"


def _size_row(pair: PairPlan, size: SizePower) -> Row:
    smallest = size.smallest_difference
    marks = []
    if size.units == pair.units_needed:
        marks.append("needed")
    if size.units == pair.units:
        marks.append("this test set")
    return {
        "units": f"{size.units:,}",
        "segments": f"{size.segments:,}",
        "power": "" if size.power is None else _power_percent(size.power),
        "smallest_difference": "" if smallest is None else _score(pair, smallest),
        "mark": ", ".join(marks),
    }


# A test set that was drawn from a pool.


DRAWN = {
    "systematic": "evenly spread, one in {step:.4g}",
    "random": "at random",
    "stratified": "at random within each stratum",
    "document": "whole documents at random",
}
# Further from the pool than this, and the sample is an odd one.
MANY_ERRORS = 2.0


def sample_document(sample: Sample) -> Document:
    """What was drawn and how like the pool it is; lengths, domains and scores as tables."""
    tables = [length_table(sample)]
    if sample.domains:
        tables.append(domain_table(sample))
    if sample.systems:
        tables.append(score_table(sample))
    return Document((Sentences(sample_sentences(sample)), *tables), long_table(sample))


def sample_sentences(sample: Sample) -> tuple[str, ...]:
    """What was drawn, and how like the pool it is."""
    lines = [_drawn(sample)]
    size, asked = len(sample.segments), sample.settings.size
    if size != asked:
        lines.append(f"{asked:,} were asked for; whole documents come no nearer in this draw.")
    if sample.documents is not None:
        lines.append(f"It takes from {sample.documents:,} of {sample.pool_documents:,} documents.")
    lines.append(_distance(sample))
    words = sample.vocabulary
    if words.tokens_covered is not None and words.types_covered is not None:
        lines.append(
            f"It has {_percent(words.types_covered)} of the pool's {words.pool_types:,} different "
            f"words, and with them {_percent(words.tokens_covered)} of its running words."
        )
    if words.out_of_vocabulary is not None:
        lines.append(
            f"Of the words outside of it, it has never seen {_percent(words.out_of_vocabulary)}."
        )
    return (*lines, *_odd_scores(sample))


def length_table(sample: Sample) -> Table:
    """Mean and quantiles of the words per segment."""
    names = {0.0: "least", 0.5: "median", 1.0: "most"}
    headings = [names.get(share, f"{100 * share:g} %") for share in QUANTILES]
    columns = (
        Column("texts", "words per segment"),
        Column("segments", "segments", numeric=True),
        Column("mean", "mean", digits=1),
        *(Column(heading, heading) for heading in headings),
    )
    rows: tuple[Row, ...] = tuple(
        {
            "texts": name,
            "segments": f"{size:,}",
            "mean": lengths.mean,
            **dict(zip(headings, lengths.quantiles, strict=True)),
        }
        for name, size, lengths in (
            ("test set", len(sample.segments), sample.lengths),
            ("pool", len(sample.pool), sample.pool_lengths),
        )
    )
    return Table(columns, rows)


def domain_table(sample: Sample) -> Table:
    """Each domain's segments and shares."""
    columns = (
        Column("domain", "domain"),
        Column("segments", "segments", numeric=True),
        Column("share", "share", digits=1, percent=True),
        Column("pool_segments", "in the pool", numeric=True),
        Column("pool_share", "share of the pool", digits=1, percent=True),
    )
    return table_of(
        columns,
        sample.domains,
        segments=lambda domain: f"{domain.segments:,}",
        pool_segments=lambda domain: f"{domain.pool_segments:,}",
    )


def score_table(sample: Sample) -> Table:
    """Each system's score on the test set and on the pool."""
    columns = (
        Column("system", "system"),
        Column("metric", "metric"),
        Column("score", "score", numeric=True),
        Column("pool_score", "on the pool", numeric=True),
        Column("difference", "difference", numeric=True),
        Column("standard_errors", "in standard errors", numeric=True),
    )
    rows = tuple(_system_cells(system, sample.digits[system.metric]) for system in sample.systems)
    return Table(columns, rows, tuple(signature_lines(sample.signatures.values())))


def long_table(sample: Sample) -> Table:
    """Every number in a row of its own."""
    words = sample.vocabulary
    rows: list[Row] = [
        _measure("segments", "", len(sample.segments), len(sample.pool)),
        _measure("documents", "", sample.documents, sample.pool_documents),
        _measure("mean length", "", sample.lengths.mean, sample.pool_lengths.mean),
    ]
    ends = zip(QUANTILES, sample.lengths.quantiles, sample.pool_lengths.quantiles, strict=True)
    rows += [_measure("length quantile", f"{share:g}", here, pool) for share, here, pool in ends]
    rows += [
        _measure("length distance", "", sample.length_distance),
        _measure("usual distance", "", sample.usual_distance),
        _measure("types", "", words.types, words.pool_types),
        _measure("types covered", "", words.types_covered),
        _measure("tokens covered", "", words.tokens_covered),
        _measure("out of vocabulary", "", words.out_of_vocabulary),
    ]
    rows += [
        _measure("domain share", domain.domain, domain.share, domain.pool_share)
        for domain in sample.domains
    ]
    for system in sample.systems:
        name, metric = system.system, system.metric
        rows.append(_measure(metric, name, system.score, system.pool_score))
        rows.append(_measure(f"{metric} standard errors", name, system.standard_errors))
    columns = plain_columns("measure", "of", "test_set", "pool")
    return Table(columns, tuple(rows), tuple(signature_lines(sample.signatures.values())))


def _measure(measure: str, of: str, value: float | None, pool: float | None = None) -> Row:
    return {"measure": measure, "of": of, "test_set": value, "pool": pool}


def _drawn(sample: Sample) -> str:
    size, pool = len(sample.segments), len(sample.pool)
    how = DRAWN[sample.settings.draw].format(step=pool / size)
    return f"Drew {size:,} of {pool:,} segments, {how} (seed {sample.settings.seed})."


def _distance(sample: Sample) -> str:
    distance, usual = sample.length_distance, sample.usual_distance
    sentence = (
        "The shares of segments up to any length differ from the pool's by "
        f"{_points(distance)} at most"
    )
    if not usual:
        return f"{sentence}."
    return (
        f"{sentence} (Kolmogorov and Smirnov's distance); of random samples, 95 % stay below "
        f"{_points(usual)}."
    )


def _points(share: float) -> str:
    return f"{100 * share:.1f} points"


def _odd_scores(sample: Sample) -> list[str]:
    """The systems whose scores are far from those on the pool."""
    odd = [
        f"{system.system} ({system.metric})"
        for system in sample.systems
        if system.standard_errors is not None and abs(system.standard_errors) > MANY_ERRORS
    ]
    if not odd:
        return []
    return [
        f"More than {MANY_ERRORS:g} standard errors from the score on the pool: "
        f"{', '.join(odd)}. About one in twenty is, by chance."
    ]


def _system_cells(system: SystemOnSample, digits: int) -> Row:
    errors = system.standard_errors
    return {
        "system": system.system,
        "metric": system.metric,
        "score": f"{system.score:.{digits}f}",
        "pool_score": f"{system.pool_score:.{digits}f}",
        "difference": f"{system.difference:+.{digits}f}",
        "standard_errors": "" if errors is None else f"{errors:+.1f}",
    }


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
