"""Sampling as a document: how much scores vary over blocks and over systematic samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Plot, Table
from truebleu.reports.studies._shared import study_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.reports.document import Row, Value
    from truebleu.studies.sampling import SampleVariation, SamplingResult, ShownSamples


def document(result: SamplingResult) -> Document:
    """A table of scores and differences by size, and all samples of one of them as points."""
    digits = max(metric.digits for metric in result.settings.pool.metrics)
    return study_document(
        "Scores and differences on consecutive blocks and on systematic samples",
        Table(_columns(digits), tuple(_row(row) for row in _in_order(result))),
        [_worth(result, mean) for mean in result.means],
        # One scale for both panels, so that they compare.
        Plot("point", "sample", "score", panel="kind", reference_field="whole", shared_y=True),
        axes={"sample": "Number of the sample", "score": "Score of the sample"},
        chart=_points(result.shown),
    )


def _in_order(result: SamplingResult) -> list[SampleVariation]:
    """The rows of each metric and size, then their means where they are of several."""
    rows: list[SampleVariation] = []
    for metric in result.settings.pool.metrics:
        for size in result.settings.sizes:
            of_size = _of(result.rows, metric.label, size)
            rows += of_size
            rows += [
                mean
                for mean in _of(result.means, metric.label, size)
                if sum(row.of == mean.of for row in of_size) > 1
            ]
    return rows


def _of(rows: Sequence[SampleVariation], metric: str, size: int) -> list[SampleVariation]:
    return [row for row in rows if (row.metric, row.size) == (metric, size)]


def _columns(digits: int) -> tuple[Column, ...]:
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


def _row(row: SampleVariation) -> Row:
    cells: dict[str, Value] = {
        "metric": row.metric,
        "size": row.size,
        "samples": row.samples,
        "of": f"mean of {row.of}s" if row.system is None else _name(row.system, row.other),
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


def _name(system: str, other: str | None) -> str:
    return system if other is None else f"{system} against {other}"


def _worth(result: SamplingResult, mean: SampleVariation) -> str:
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


def _points(shown: ShownSamples) -> Table:
    name = _name(shown.system, shown.other)
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
