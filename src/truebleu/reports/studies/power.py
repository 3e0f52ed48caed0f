"""Power as a document: right and wrong conclusions by pair and size, as in Koehn's Table 3."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from truebleu.reports.document import MISSING, Column, Document, Plot, Table
from truebleu.reports.studies._shared import (
    TEST_TITLES,
    rate_cells,
    rate_columns,
    study_document,
    trial_notes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.reports.document import Row, Value
    from truebleu.studies._estimates import Rate
    from truebleu.studies.power import MeanPower, Power, PowerResult

# The power that plans usually ask for.
USUAL_POWER = 0.8


def document(result: PowerResult) -> Document:
    """A table of pairs by sizes, the mean of all pairs below them."""
    level = result.settings.level
    digits = max(metric.digits for metric in result.settings.pool.metrics)
    difference = Column("difference", "Difference", digits, sign=True)
    data = Table(
        (
            *_names(difference),
            Column("size", "Size"),
            Column("samples", "Samples"),
            *rate_columns("right", "Right conclusions"),
            *rate_columns("wrong", "Wrong conclusions"),
        ),
        (*map(_data_row, result.rows), *map(_data_row, result.means)),
    )
    chart = Table(
        (*data.columns, Column("case", "Metric and test"), Column("sample", "Samples of")),
        tuple(
            {
                **_data_row(row),
                "case": f"{row.metric}, {TEST_TITLES[row.test]}",
                "sample": f"{row.size:,} {result.settings.pool.unit}s",
            }
            for row in result.rows
        ),
    )
    return study_document(
        f"Right/wrong conclusions at the level {100 * level:g} % on samples of each size",
        _table(result, difference),
        [
            *_sentences(result),
            *trial_notes(result.settings, result.ties, round(1 - level, 12)),
        ],
        Plot(
            "line",
            "difference",
            "right",
            errors=("right_low", "right_high"),
            interval="binomial, 95 %",
            series="sample",
            panel="case",
            zero_y=True,
        ),
        axes={
            "difference": "Difference of scores in the whole pool",
            "right": "Right conclusions, share of samples",
        },
        chart=chart,
        data=data,
    )


def _names(difference: Column) -> tuple[Column, ...]:
    return (
        Column("metric", "Metric"),
        Column("test", "Test"),
        Column("better", "Better"),
        Column("worse", "Worse"),
        difference,
    )


def _data_row(row: Power | MeanPower) -> Row:
    return {
        **_named(row),
        "size": row.size,
        "samples": row.samples,
        **rate_cells("right", row.right),
        **rate_cells("wrong", row.wrong),
    }


def _named(row: Power | MeanPower) -> dict[str, Value]:
    return {
        "metric": row.metric,
        "test": TEST_TITLES[row.test],
        "better": getattr(row, "better", "mean of all pairs"),
        "worse": getattr(row, "worse", ""),
        "difference": getattr(row, "difference", None),
    }


def _table(result: PowerResult, difference: Column) -> Table:
    """All sizes side by side, as in the paper."""
    samples = {row.size: row.samples for row in result.rows}
    columns = (
        *_names(difference),
        *(Column(f"size_{size}", f"{size:,} (×{count})") for size, count in samples.items()),
    )
    rows: list[Row] = []
    for metric, test, of_test in _cases(result):
        means = [mean for mean in result.means if (mean.metric, mean.test) == (metric, test)]
        for _, pair in groupby(of_test, key=lambda row: (row.better, row.worse)):
            rows.append(_side_by_side(list(pair)))
        if means:
            rows.append(_side_by_side(means))
    return Table(columns, tuple(rows))


def _side_by_side(rows: Sequence[Power | MeanPower]) -> Row:
    cells = {f"size_{row.size}": _cell(row.right, row.wrong) for row in rows}
    return {**_named(rows[0]), **cells}


def _cases(result: PowerResult) -> Iterator[tuple[str, str, list[Power]]]:
    for (metric, test), rows in groupby(result.rows, key=lambda row: (row.metric, row.test)):
        yield metric, test, list(rows)


def _cell(right: Rate | None, wrong: Rate) -> str:
    """12 %/1 %, as the paper has it; a dash for right conclusions about a tie."""
    shown = MISSING if right is None else _whole(right.value)
    return f"{shown}/{_whole(wrong.value)}" if wrong.value or right is None else shown


def _whole(share: float) -> str:
    """Whole percents, and a decimal where otherwise nothing would be left of something."""
    return f"{100 * share:.1f} %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


def _sentences(result: PowerResult) -> Iterator[str]:
    means = {(mean.metric, mean.test, mean.size): mean for mean in result.means}
    for metric, test, rows in _cases(result):
        for size in result.settings.sizes:
            case = f"{metric}, {TEST_TITLES[test]} on {size:,} {result.settings.pool.unit}s: "
            if mean := means.get((metric, test, size)):
                case += (
                    f"on average over the pairs {mean.right} right and {mean.wrong} wrong "
                    "conclusions; "
                )
            digits = result.settings.pool.metric(metric).digits
            yield case + _detected([row for row in rows if row.size == size], digits)


def _detected(rows: Sequence[Power], digits: int) -> str:
    """From which difference on every pair was found to differ in most samples."""
    powers = sorted((row.difference, row.right.value) for row in rows if row.right is not None)
    if not powers:
        return "no pair differs in the pool."
    enough = None
    for difference, power in reversed(powers):
        if power < USUAL_POWER:
            break
        enough = difference
    often = f"{100 * USUAL_POWER:.0f} %"
    if enough is None:
        return f"not even the largest difference was found in {often} of the samples."
    return (
        f"all differences from {enough:.{digits}f} up were found in at least {often} of the "
        "samples."
    )
