"""What the reports of studies share: the order of their blocks, and words for numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truebleu.reports.document import Chart, Column, Document, Heading, Sentences, Table
from truebleu.significance.tests import fewest_units
from truebleu.studies._conclusions import STUDY_TESTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from truebleu.reports.document import Plot, Row, Value
    from truebleu.studies._conclusions import Tie, TrialSettings
    from truebleu.studies._estimates import Mean, Rate

__all__ = [
    "NULL_TITLES",
    "TEST_TITLES",
    "listed",
    "percent",
    "rate_cells",
    "rate_columns",
    "rate_of",
    "study_document",
    "title_of_test",
    "trial_notes",
]


TEST_TITLES = {name: test.title for name, test in STUDY_TESTS.items()}
NULL_TITLES = {
    "segment": "outputs swapped by segment",
    "document": "outputs swapped by document",
    "simulated": "simulated systems with equal channels",
    "sampled": "samples of two systems with one score on the whole test set",
}


def study_document(
    title: str,
    table: Table,
    sentences: Iterable[str],
    plot: Plot,
    *,
    axes: Mapping[str, str] | None = None,
    chart: Table | None = None,
    data: Table | None = None,
) -> Document:
    """A title, a table, what it says, and a chart.

    Args:
        title: of the table and of the chart.
        table: for people.
        sentences: what it says.
        plot: how to draw it.
        axes: what axes measure, by column, where headings of the table are too short for it.
        chart: what is drawn, where that is not the table.
        data: for programs, where that is not the table.
    """
    lines = tuple(sentences)
    drawn, titles = chart or table, axes or {}
    columns = (
        replace(column, heading=titles.get(column.name, column.heading)) for column in drawn.columns
    )
    return Document(
        blocks=(
            Heading(title),
            table,
            Sentences(lines),
            Chart(
                title=title,
                table=replace(drawn, columns=tuple(columns)),
                plot=plot,
                sentences=lines,
            ),
        ),
        data=data or table,
    )


def rate_columns(name: str, heading: str, low: str = "from") -> tuple[Column, ...]:
    """A share with the bounds of its interval."""
    return (
        Column(name, heading, 1, percent=True),
        Column(f"{name}_low", low, 1, percent=True),
        Column(f"{name}_high", "to", 1, percent=True),
    )


def rate_of(name: str) -> dict[str, Callable[[Any], Value]]:
    """The cells of those columns, for rows that have the share as an attribute of that name."""

    def cell_of(cell: str) -> Callable[[Any], Value]:
        return lambda row: rate_cells(name, getattr(row, name))[cell]

    return {cell: cell_of(cell) for cell in (name, f"{name}_low", f"{name}_high")}


def title_of_test(row: Any) -> str:
    """The title of the test that a row is about."""
    return TEST_TITLES[row.test]


def rate_cells(name: str, rate: Rate | Mean | None) -> Row:
    """The cells of those columns."""
    if rate is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: rate.value, f"{name}_low": rate.low, f"{name}_high": rate.high}


def percent(share: float, digits: int = 1) -> str:
    """A share in percent.

    >>> percent(0.123)
    '12.3 %'
    """
    return f"{100 * share:.{digits}f} %"


def listed(parts: Sequence[str]) -> str:
    """Some words with commas and "and".

    >>> listed(["1 %", "5 %", "10 %"])
    '1 %, 5 % and 10 %'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def trial_notes(settings: TrialSettings, ties: Sequence[Tie], alpha: float) -> list[str]:
    """What a reader must know of trials: ties, metrics without direction, samples too small."""
    notes = []
    for metric in settings.pool.metrics:
        tied = [f"{tie.a} and {tie.b}" for tie in ties if tie.metric == metric.label]
        if tied:
            notes.append(
                f"{metric.label}: {'; '.join(tied)} tie in the pool, so no conclusion about them "
                "can be right."
            )
        if metric.higher_is_better is None:
            notes.append(
                f"{metric.label} has no better or worse: a right conclusion says which system has "
                "more, as in the pool."
            )
    least = fewest_units(alpha)
    small = [size for size in settings.sizes if size < least]
    if small and "ar" in settings.tests:
        notes.append(
            f"{TEST_TITLES['ar'].capitalize()} of {small[-1]} {settings.pool.unit}s cannot "
            f"conclude anything at the level {100 * (1 - alpha):g} %: it needs at least {least}."
        )
    return notes
