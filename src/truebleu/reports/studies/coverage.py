"""Coverage as a document: how many intervals contain the pool's value, by metric and size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Plot, Table, rows_of
from truebleu.reports.studies._shared import percent, rate_columns, rate_of, study_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truebleu.studies.coverage import Coverage, CoverageResult

# A sample that is a larger share of its pool varies noticeably less than its interval says.
NOTABLE_SHARE = 0.05

COLUMNS = (
    Column("metric", "Metric"),
    Column("size", "Size"),
    Column("samples", "Samples"),
    Column("intervals", "Intervals"),
    *rate_columns("coverage", "Coverage"),
    Column("above", "Wholly above", 1, percent=True),
    Column("below", "below", 1, percent=True),
    Column("width", "Mean width", 2),
)
CHART_COLUMNS = (
    Column("sample", "Sample"),
    Column("value", "Score or difference", 2),
    Column("low", "Interval from", 2),
    Column("high", "to", 2),
    Column("pool", "That of the pool", 2),
    Column("contains", "Interval contains it"),
    Column("case", "Metric and system"),
)


def document(result: CoverageResult) -> Document:
    """A table of metrics and sizes, and a chart of single intervals."""
    settings = result.settings
    table = Table(COLUMNS, rows_of(COLUMNS, result.rows, **rate_of("coverage")))
    first, size = " against ".join(result.first), settings.sizes[0]
    chart = Table(
        CHART_COLUMNS,
        tuple(
            {
                "sample": row.sample,
                "value": row.value,
                "low": row.low,
                "high": row.high,
                "pool": row.pool,
                "contains": "yes" if row.contains else "no",
                "case": f"{row.metric} of {first}, {size} {settings.pool.unit}s",
            }
            for row in result.intervals
        ),
    )
    return study_document(
        f"Intervals of the level {100 * settings.level:g} % that contain the pool's "
        f"{settings.of.removesuffix('s')}",
        table,
        [*(_sentence(row, result) for row in result.rows), *_finite_pool(result)],
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


def _sentence(row: Coverage, result: CoverageResult) -> str:
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
