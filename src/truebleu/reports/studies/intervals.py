"""Scores and intervals of samples as documents: how they vary, how often they are right."""

from __future__ import annotations

from dataclasses import asdict
from math import log2
from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Plot, Table, charted_document, table_of
from truebleu.reports.sentences import percent
from truebleu.reports.studies import rate_columns, rate_of
from truebleu.studies._study import FEWEST_SIZES, SQUARE_ROOT_NARROWING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.reports.document import Row, Value
    from truebleu.studies.coverage import Coverage, CoverageResult
    from truebleu.studies.references import FurtherReference, MetricReferences, ReferencesResult
    from truebleu.studies.replicates import MetricReplicates, ReplicatesResult
    from truebleu.studies.sampling import SampleVariation, SamplingResult, ShownSamples
    from truebleu.studies.test_size import Narrowing, ScoreAtSize, TestSizeResult


# Sampling: how much scores vary over blocks and over systematic samples.


def sampling_document(result: SamplingResult) -> Document:
    """A table of scores and differences by size, and all samples of one of them as points."""
    digits = max(metric.digits for metric in result.settings.pool.metrics)
    return charted_document(
        "Scores and differences on consecutive blocks and on systematic samples",
        Table(
            _variation_columns(digits), tuple(_variation_cells(row) for row in _in_order(result))
        ),
        [_worth_of_blocks(result, mean) for mean in result.means],
        # One scale for both panels, so that they compare.
        Plot("point", "sample", "score", panel="kind", reference_field="whole", shared_y=True),
        axes={"sample": "Number of the sample", "score": "Score of the sample"},
        chart=_sample_points(result.shown),
    )


def _in_order(result: SamplingResult) -> list[SampleVariation]:
    """The rows of each metric and size, then their means where they are of several."""
    rows: list[SampleVariation] = []
    for metric in result.settings.pool.metrics:
        for size in result.settings.sizes:
            of_size = _on_size(result.rows, metric.label, size)
            rows += of_size
            rows += [
                mean
                for mean in _on_size(result.means, metric.label, size)
                if sum(row.of == mean.of for row in of_size) > 1
            ]
    return rows


def _on_size(rows: Sequence[SampleVariation], metric: str, size: int) -> list[SampleVariation]:
    return [row for row in rows if (row.metric, row.size) == (metric, size)]


def _variation_columns(digits: int) -> tuple[Column, ...]:
    return (
        Column("metric", "Metric"),
        Column("size", "Size"),
        Column("samples", "Samples"),
        Column("of", "Score or difference"),
        Column("pool", "Pool", digits),
        Column("block_low", "Blocks from", digits),
        Column("block_high", "to", digits),
        Column("block_sd", "sd", digits),
        Column("systematic_low", "Systematic from", digits),
        Column("systematic_high", "to", digits),
        Column("systematic_sd", "sd", digits),
        Column("independent_sd", "Independent sd", digits),
        Column("block_effect", "Design effect of blocks", 2),
        Column("systematic_effect", "of systematic", 2),
    )


def _variation_cells(row: SampleVariation) -> Row:
    cells: dict[str, Value] = {
        "metric": row.metric,
        "size": row.size,
        "samples": row.samples,
        "of": f"mean of {row.of}s"
        if row.system is None
        else _system_or_pair(row.system, row.other),
        "pool": row.pool,
        "independent_sd": row.independent_sd,
    }
    for kind, deviation in (("block", row.block), ("systematic", row.systematic)):
        cells |= {
            f"{kind}_low": deviation.low,
            f"{kind}_high": deviation.high,
            f"{kind}_sd": deviation.sd,
            f"{kind}_effect": deviation.effect,
        }
    return cells


def _system_or_pair(system: str, other: str | None) -> str:
    return system if other is None else f"{system} against {other}"


def _worth_of_blocks(result: SamplingResult, mean: SampleVariation) -> str:
    """How much a block is worth in independent units."""
    pool = result.settings.pool
    digits, unit = pool.metric(mean.metric).digits, pool.unit
    block = mean.block
    begin = (
        f"{mean.metric} on {mean.size:,} {unit}s: {mean.of}s have a standard deviation of "
        f"{block.sd:.{digits}f} on {mean.samples} blocks, {mean.systematic.sd:.{digits}f} on "
        f"systematic samples and {mean.independent_sd:.{digits}f} on independent {unit}s"
    )
    if block.effect is None:
        return f"{begin}; what does not vary has no design effect."
    if block.effect == 0:
        return f"{begin}."
    return (
        f"{begin}. A block of {mean.size:,} is worth {mean.size / block.effect:,.0f} independent "
        f"{unit}s (design effect {block.effect:.2f}, from {block.effect_low:.2f} to "
        f"{block.effect_high:.2f})."
    )


def _sample_points(shown: ShownSamples) -> Table:
    name = _system_or_pair(shown.system, shown.other)
    columns = (
        Column("sample", "Sample"),
        Column("score", "Score", 2),
        Column("whole", "Score of the pool", 2),
        Column("kind", "Samples"),
    )
    rows: tuple[Row, ...] = tuple(
        {
            "sample": number,
            "score": value,
            "whole": shown.pool,
            "kind": f"{shown.metric} of {name}, {kind} of {shown.size}",
        }
        for kind, values in (("blocks", shown.block), ("systematic samples", shown.systematic))
        for number, value in enumerate(values, 1)
    )
    return Table(columns, rows)


# Coverage: how many intervals contain the pool's value, by metric and size.


# A sample that is a larger share of its pool varies noticeably less than its interval says.
NOTABLE_SHARE = 0.05

COVERAGE_COLUMNS = (
    Column("metric", "Metric"),
    Column("size", "Size"),
    Column("samples", "Samples"),
    Column("intervals", "Intervals"),
    *rate_columns("coverage", "Coverage"),
    Column("above", "Wholly above", 1, percent=True),
    Column("below", "below", 1, percent=True),
    Column("width", "Mean width", 2),
)
INTERVAL_COLUMNS = (
    Column("sample", "Sample"),
    Column("value", "Score or difference", 2),
    Column("low", "Interval from", 2),
    Column("high", "to", 2),
    Column("pool", "That of the pool", 2),
    Column("contains", "Interval contains it"),
    Column("case", "Metric and system"),
)


def coverage_document(result: CoverageResult) -> Document:
    """A table of metrics and sizes, and a chart of single intervals."""
    settings = result.settings
    table = table_of(COVERAGE_COLUMNS, result.rows, **rate_of("coverage"))
    first, size = " against ".join(result.first), settings.sizes[0]
    chart = table_of(
        INTERVAL_COLUMNS,
        result.intervals,
        contains=lambda row: "yes" if row.contains else "no",
        case=lambda row: f"{row.metric} of {first}, {size} {settings.pool.unit}s",
    )
    return charted_document(
        f"Intervals of the level {100 * settings.level:g} % that contain the pool's "
        f"{settings.of.removesuffix('s')}",
        table,
        [*(_coverage_sentence(row, result) for row in result.rows), *_finite_pool(result)],
        Plot(
            "point",
            "sample",
            "value",
            errors=("low", "high"),
            series="contains",
            panel="case",
            reference_field="pool",
        ),
        axes={"sample": "Number of the sample", "value": "Score or difference on the sample"},
        chart=chart,
    )


def _coverage_sentence(row: Coverage, result: CoverageResult) -> str:
    settings = result.settings
    level, unit = f"{100 * settings.level:g} %", settings.pool.unit
    verdict = (
        f"{level} is within the error" if row.coverage.holds(settings.level) else f"not {level}"
    )
    sentence = (
        f"{row.metric} on {row.size:,} {unit}s: {row.coverage} of the intervals contain the pool's "
        f"{settings.of.removesuffix('s')}; {verdict}."
    )
    if row.least is not None:
        sentence += (
            f" Least covered is {' against '.join(row.least.systems)} with "
            f"{percent(row.least.share)} ({percent(row.least.above)} lie above, "
            f"{percent(row.least.below)} below); the effects of single {unit}s on it have a "
            f"skewness of {row.least.skewness:.1f}."
        )
    return sentence


def _finite_pool(result: CoverageResult) -> Iterator[str]:
    largest = result.settings.sizes[-1] / result.units
    if result.settings.sampling == "independent" or largest <= NOTABLE_SHARE:
        return
    narrower = 100 * (1 - (1 - largest) ** 0.5)
    # Of random samples, which may have units in common, this holds as well.
    yield (
        f"The largest samples are {100 * largest:.0f} % of the pool and have no unit twice: they "
        f"vary by {narrower:.0f} % less around its score than around that of endless text, so "
        "more intervals contain it than would contain that."
    )


# Test size: scores and relative intervals by the share of the test set used.


def test_size_document(result: TestSizeResult) -> Document:
    """A table of systems by shares; the best and the worst system with their intervals as lines."""
    settings = result.settings
    columns = (
        Column("metric", "Metric"),
        Column("system", "System"),
        Column("share", "Share", percent=True),
        Column("size", "Units"),
        Column("score", "Mean score", 3),
        Column("score_sd", "SD of scores", 3),
        Column("low", "Interval from", 2, percent=True, sign=True),
        Column("high", "to", 2, percent=True, sign=True),
        Column("width", "Relative width", 2, percent=True),
        Column("fitted", "By the law", 2, percent=True),
    )
    return charted_document(
        f"Scores and relative intervals of the level {100 * settings.level:g} % by the share of "
        f"{result.units:,} {settings.pool.unit}s used, mean of {settings.samples} random growths",
        table_of(columns, result.rows),
        _size_sentences(result),
        Plot(
            "line",
            "share",
            "score",
            errors=("score_low", "score_high"),
            series="system",
            panel="metric",
        ),
        axes={"share": "Share of the test set", "score": "Mean score of the samples"},
        chart=table_of(
            (*columns, Column("score_low", "Interval from", 3), Column("score_high", "to", 3)),
            _drawn(result),
        ),
    )


def _drawn(result: TestSizeResult) -> Iterator[ScoreAtSize]:
    """The best and the worst system with their intervals, as in the paper's Figs. 4 to 7."""
    for narrowing in result.narrowings:
        for system in dict.fromkeys((narrowing.best, narrowing.worst)):
            yield from (row for row in _of_metric(result, narrowing.metric) if row.system == system)


def _of_metric(result: TestSizeResult, metric: str) -> list[ScoreAtSize]:
    return [row for row in result.rows if row.metric == metric]


def _size_sentences(result: TestSizeResult) -> Iterator[str]:
    for narrowing in result.narrowings:
        yield _law(narrowing, result.settings.pool.unit)
        yield _drift(result, narrowing.metric)
        if narrowing.weighed_by_whole and not result.settings.recount:
            yield (
                f"{narrowing.metric} is weighed by the whole test set here, so that sizes compare; "
                "the scores that smaller test sets would have by themselves need --recount."
            )


def _law(narrowing: Narrowing, unit: str) -> str:
    """What doubling the data does to the intervals of a metric."""
    laws = [of_system.law for of_system in narrowing.systems if of_system.law is not None]
    by_doubling = narrowing.doubling
    if not laws or by_doubling is None:
        return (
            f"{narrowing.metric}: no law can be fitted: fewer than {FEWEST_SIZES} sizes have "
            "intervals, since scores are 0 or do not vary."
        )
    without = [of_system.system for of_system in narrowing.systems if of_system.law is None]
    note = f" without {', '.join(without)}, whose scores are 0 or do not vary" if without else ""
    shares = [law.narrowing for law in laws]
    by_system = ""
    if len(laws) > 1:
        by_system = f"; from {100 * min(shares):.1f} to {percent(max(shares))} by system"
    verb = "narrows" if by_doubling.value >= 0 else "widens"
    shown = by_doubling if by_doubling.value >= 0 else by_doubling.negated()
    return (
        f"{narrowing.metric}: doubling the data {verb} the interval by {shown.percent()}"
        f"{by_system}{note}. Independent {unit}s would give {percent(SQUARE_ROOT_NARROWING)}. The "
        f"law is width = c · n^{log2(1 - by_doubling.value):.2f}, and misses no mean width by more "
        f"than {percent(max(law.misfit for law in laws))}."
    )


def _drift(result: TestSizeResult, metric: str) -> str:
    """How the mean score of the smallest part differs from that of the largest."""
    shares = result.settings.shares
    small, large = (_mean_score(result, metric, share) for share in (shares[0], shares[-1]))
    smallest, largest = (f"{100 * share:g} %" for share in (shares[0], shares[-1]))
    digits = result.settings.pool.metric(metric).digits + 1
    beside = f"the {large:.{digits}f} with {largest}"
    change = 100 * (small - large) / abs(large) if large else 0.0
    if f"{abs(change):.1f}" == "0.0":
        compared = f"beside {beside}"
    else:
        compared = f"{abs(change):.1f} % {'more' if change > 0 else 'less'} than {beside}"
    start = f"{metric}: the mean score with {smallest} of the data is {small:.{digits}f}"
    return f"{start}, {compared}."


def _mean_score(result: TestSizeResult, metric: str, share: float) -> float:
    scores = [row.score for row in _of_metric(result, metric) if row.share == share]
    return sum(scores) / len(scores)


# References: relative intervals by references and share of the test set.


def references_document(result: ReferencesResult) -> Document:
    """A table of references by shares, and the widths as a line for each number of references."""
    columns = (
        Column("metric", "Metric"),
        Column("references", "References"),
        Column("sets", "Sets"),
        Column("share", "Share", percent=True),
        Column("size", "Units"),
        Column("median", "Mean of medians", 3),
        Column("low", "Interval from", 2, percent=True, sign=True),
        Column("high", "to", 2, percent=True, sign=True),
        Column("width", "Relative width", 2, percent=True),
        Column("alone", "As one reference on", 0, percent=True),
    )
    return charted_document(
        f"Relative intervals of the level {100 * result.settings.level:g} % by the number of "
        "references and the share of the test set",
        table_of(columns, result.rows),
        _reference_sentences(result),
        Plot("line", "share", "width", series="given", panel="metric"),
        axes={"share": "Share of the test set", "width": "Width of the interval, of the score"},
        chart=table_of(
            (*columns, Column("given", "References")),
            result.rows,
            given=lambda row: _references(row.references),
        ),
    )


def _references(count: int) -> str:
    return "1 reference" if count == 1 else f"{count} references"


def _reference_sentences(result: ReferencesResult) -> Iterator[str]:
    for metric in result.metrics:
        if metric.depends is None:
            yield f"{metric.metric}: nothing can be said: scores are 0 or do not vary."
        elif not metric.depends:
            yield f"{metric.metric}: its intervals do not depend on the references."
        else:
            yield _all_references(metric)
            for further in metric.further:
                yield _worth_of_reference(metric.metric, further)
    taken = "s were taken" if result.sets > 1 else " was taken"
    yield (
        f"{result.sets} set{taken} of {result.settings.pool.references} references, with all "
        "systems, on the same parts and replicates; figures are means over sets, systems and "
        f"{result.settings.samples} random growths."
    )


def _all_references(metric: MetricReferences) -> str:
    first, last = metric.widths[0] or 0.0, metric.widths[-1] or 0.0
    change = 1 - last / first
    verb = "narrower" if change > 0 else "wider"
    return (
        f"{metric.metric}: with {len(metric.widths)} references the interval is "
        f"{percent(abs(change))} {verb} than with one, {percent(last, 2)} of the score instead of "
        f"{percent(first, 2)}."
    )


def _worth_of_reference(metric: str, further: FurtherReference) -> str:
    """What one reference more is worth, with its error over growths and its range over systems."""
    share, lowest, highest = further.share, further.lowest, further.highest
    if share is None or lowest is None or highest is None:
        return (
            f"{metric}: what reference {further.references} is worth is unknown: more data do "
            "not help."
        )
    error = ""
    if share.low is not None and share.high is not None:
        error = f" (error {100 * share.low:.0f} to {100 * share.high:.0f})"
    ends = [f"{100 * end:.0f}" for end in (lowest, highest)]
    systems = f", from {ends[0]} to {ends[1]} by system," if ends[0] != ends[1] else ""
    worth = (
        f"the further reference is worth {100 * (1 / share.value - 1):.0f} % more data"
        if share.value < 1
        else f"the further reference widens it as {100 * (1 - 1 / share.value):.0f} % less data "
        "would"
    )
    return (
        f"{metric}: all of the data with {_references(further.references - 1)} give as narrow an "
        f"interval as {percent(share.value, 0)}{error}{systems} of them with "
        f"{further.references}; {worth}."
    )


# Replicates: how much intervals of B replicates differ from run to run.


def replicates_document(result: ReplicatesResult) -> Document:
    """A table of systems by B, and the deviation of bounds as a line for each metric."""
    columns = (
        Column("metric", "Metric"),
        Column("system", "System"),
        Column("replicates", "B"),
        Column("runs", "Runs"),
        Column("median", "Median", 3),
        Column("low", "Interval from", 2, percent=True, sign=True),
        Column("high", "to", 2, percent=True, sign=True),
        Column("sd_low", "SD of lower", 3, percent=True),
        Column("sd_high", "of upper", 3, percent=True),
        Column("theory", "By theory", 3, percent=True),
        Column("relative_sd", "SD / width", 1, percent=True),
    )
    lines = {metric.metric: metric.means for metric in result.metrics} | {"theory": result.theory}
    return charted_document(
        f"Relative intervals of the level {100 * result.settings.level:g} % from B replicates, "
        "and how far they differ between runs",
        table_of(columns, result.rows),
        _replicate_sentences(result),
        Plot(
            "line",
            "replicates",
            "relative_sd",
            series="of",
            reference=result.limit,
            log_x=True,
            zero_y=True,
        ),
        axes={"replicates": "Bootstrap replicates (B)"},
        chart=Table(
            (
                Column("replicates", "B"),
                Column("relative_sd", "SD of the bounds / width of the interval", 1, percent=True),
                Column("of", "Metric"),
            ),
            tuple({**asdict(mean), "of": name} for name, means in lines.items() for mean in means),
        ),
    )


def _replicate_sentences(result: ReplicatesResult) -> Iterator[str]:
    for metric in result.metrics:
        if all(mean.relative_sd is None for mean in metric.means):
            yield f"{metric.metric}: there is nothing to measure: its scores are 0 or do not vary."
            continue
        yield _enough(metric, result)
        if metric.exponent is not None:
            yield (
                f"{metric.metric}: the deviation falls with B to the power {metric.exponent:.2f}; "
                "theory says -0.5, so that four times the replicates halve it."
            )
        without = dict.fromkeys(
            row.system
            for row in result.rows
            if row.metric == metric.metric and row.relative_sd is None
        )
        if without:
            systems = ", ".join(without)
            yield f"{metric.metric}: no figures of {systems}: scores are 0 or do not vary."


def _enough(metric: MetricReplicates, result: ReplicatesResult) -> str:
    limit = f"{100 * result.limit:g} % of the interval's width"
    by_theory = f"normal theory asks for {result.needed_by_theory:,}"
    known = {
        mean.replicates: mean.relative_sd for mean in metric.means if mean.relative_sd is not None
    }
    if metric.enough is not None:
        return (
            f"{metric.metric}: {metric.enough:,} replicates are enough: from there on the bounds' "
            f"standard deviation is at most {limit}, at {metric.enough:,} it is "
            f"{percent(known[metric.enough])}; {by_theory}."
        )
    largest = max(known)
    return (
        f"{metric.metric}: even {largest:,} replicates are not enough: the bounds' standard "
        f"deviation is {percent(known[largest])} of the width, above {limit}; {by_theory}."
    )
