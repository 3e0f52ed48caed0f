"""Sensitivity as a document: how many pairs differ significantly by each metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Plot, Table, rows_of
from truebleu.reports.studies._shared import percent, rate_of, study_document, title_of_test

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.studies.sensitivity import MetricContrast, Sensitivity, SensitivityResult

# Where by every metric at least this share of the pairs differ, smaller samples would show more.
SATURATED = 0.95

COLUMNS = (
    Column("metric", "Metric"),
    Column("size", "Units"),
    Column("samples", "Samples"),
    Column("test", "Test"),
    Column("correction", "Correction"),
    Column("pairs", "Pairs"),
    Column("significant", "Significant", 1),
    Column("share", "Share", 1, percent=True),
    Column("share_low", "from", 1, percent=True),
    Column("share_high", "to", 1, percent=True),
    Column("width", "Relative width", 2, percent=True),
)
SYSTEM_COLUMNS = (
    Column("metric", "Metric"),
    Column("size", "Units"),
    Column("system", "System"),
    Column("median", "Median", 3),
    Column("low", "Interval from", 2, percent=True, sign=True),
    Column("high", "to", 2, percent=True, sign=True),
    Column("width", "Relative width", 2, percent=True),
    Column("significant", "Others that differ", 1),
)


def document(result: SensitivityResult) -> Document:
    """A table of metrics and tests, or of metrics and systems."""
    level = f"{100 * result.settings.level:g} %"
    several = len(result.settings.sizes) > 1
    sentences = [
        sentence
        for size in result.settings.sizes
        for sentence in _sentences(result, size, f"On {size:,} {result.settings.pool.unit}s")
    ]
    if result.by_system:
        return study_document(
            f"Relative intervals of the level {level} by metric and system",
            _system_table(result),
            sentences,
            Plot(
                "point",
                "system",
                "width",
                series="metric",
                panel="size" if several else None,
                zero_y=True,
            ),
            axes={"width": "Width of the interval, of the score"},
        )
    rows = rows_of(
        COLUMNS,
        result.rows,
        test=title_of_test,
        by=_test_and_correction,
        on=lambda row: f"{row.size} {result.settings.pool.unit}s",
        **rate_of("share"),
    )
    table = Table(COLUMNS, rows)
    return study_document(
        f"Pairs of {len(result.settings.pool.systems)} systems that differ significantly at the "
        f"level {level}, by metric",
        table,
        sentences,
        Plot(
            "bar",
            "metric",
            "share",
            errors=("share_low", "share_high"),
            interval="95 % over samples",
            series="by",
            panel="on" if several else None,
            zero_y=True,
        ),
        axes={"share": "Pairs that differ significantly, share of all"},
        chart=Table(
            (*COLUMNS, Column("by", "Test and correction"), Column("on", "Sample")), table.rows
        ),
    )


def _system_table(result: SensitivityResult) -> Table:
    return Table(SYSTEM_COLUMNS, rows_of(SYSTEM_COLUMNS, result.systems))


def _test_and_correction(row: Sensitivity) -> str:
    return title_of_test(row) + ("" if row.correction == "none" else f", {row.correction}")


def _sentences(result: SensitivityResult, size: int, start: str) -> Iterator[str]:
    rows = [
        row
        for row in result.rows
        if (row.size, row.test, row.correction) == (size, "ar", result.correction)
    ]
    yield from _most(result, rows, start)
    opposite = [
        f"{pair.a} and {pair.b} the other way round in {pair.pairs:g}"
        for pair in result.opposite
        if pair.size == size
    ]
    if opposite:
        listed = "; ".join(opposite)
        yield f"{start}, pairs differ significantly by two metrics with opposite winners: {listed}."
    yield from _widths(rows, start)


def _most(result: SensitivityResult, rows: Sequence[Sensitivity], start: str) -> Iterator[str]:
    """The metric by which most pairs differ, and how sure that is."""
    corrected = (
        "without correction" if result.correction == "none" else f"corrected ({result.correction})"
    )
    order = sorted(rows, key=lambda row: -row.significant)
    amounts = ", ".join(f"{row.metric} {_amount(row)}" for row in order)
    yield (
        f"{start}, of {rows[0].pairs} pairs these differ significantly by approximate "
        f"randomization, {corrected}: {amounts}."
    )
    if len(rows) == 1:
        yield "Another metric (-m) would show by which of them more pairs differ."
    for contrast in result.contrasts:
        if contrast.size == rows[0].size:
            yield f"{start}: {_contrast(contrast)}."
    if len(rows) > 1 and min(row.share.value for row in rows) >= SATURATED:
        yield (
            f"{start} at least {100 * SATURATED:g} % of the pairs differ significantly by every "
            "metric; smaller samples (--sizes) show more of how metrics differ."
        )


def _amount(row: Sensitivity) -> str:
    count = row.significant
    number = f"{count:.0f}" if count == int(count) else f"{count:.1f}"
    return f"{number} ({percent(row.share.value)})"


def _contrast(contrast: MetricContrast) -> str:
    """How two metrics differ: by the pairs that are significant by only one of them."""
    counts = (
        f"{contrast.only_best:g} pairs differ by {contrast.best} alone, {contrast.only_other:g} by "
        f"{contrast.other} alone"
    )
    if contrast.samples == 1:
        return counts
    difference = contrast.difference
    low, high = difference.low or 0.0, difference.high or 0.0
    sure = "clear" if low > 0 else "within the error"
    return (
        f"{counts} on average; the difference of {100 * difference.value:.1f} points "
        f"({100 * low:.1f} to {100 * high:.1f} over {contrast.samples} samples) is {sure}"
    )


def _widths(rows: Sequence[Sensitivity], start: str) -> Iterator[str]:
    known = sorted((row.width, row.metric) for row in rows if row.width is not None)
    without = [row.metric for row in rows if row.width is None]
    if known:
        widths = ", ".join(f"{metric} {100 * width:.2f} %" for width, metric in known)
        yield f"{start} the mean widths of the intervals, of the score, are {widths}."
    if without:
        yield f"{start} there is no relative interval of {', '.join(without)}: medians are 0."
