"""Multiplicity as a document: any false alarm among many comparisons, by correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Plot, Table
from truebleu.reports.studies._shared import (
    NULL_TITLES,
    TEST_TITLES,
    percent,
    rate_cells,
    rate_columns,
    study_document,
)
from truebleu.significance.corrections import CORRECTIONS

if TYPE_CHECKING:
    from truebleu.studies.multiplicity import FalseAlarms, MultiplicityResult

COLUMNS = (
    Column("metric", "Metric"),
    Column("systems", "Systems"),
    Column("comparisons", "Comparisons"),
    Column("correction", "Correction"),
    *rate_columns("alarms", "Any false alarm", "99 % from"),
    Column("expected", "Promised", 1, percent=True),
)


def document(result: MultiplicityResult) -> Document:
    """A table of numbers of systems and corrections; sentences are about the most systems."""
    settings = result.settings
    table = Table(
        COLUMNS,
        tuple(
            {
                "metric": row.metric,
                "systems": row.systems,
                "comparisons": row.comparisons,
                "correction": CORRECTIONS[row.correction].short_title,
                **rate_cells("alarms", row.alarms),
                "expected": row.expected,
            }
            for row in result.rows
        ),
    )
    most = settings.together[-1]
    return study_document(
        "Any false alarm among all pairs of equal systems: "
        f"{TEST_TITLES[settings.test]}, {NULL_TITLES[settings.null]}",
        table,
        [_sentence(row, settings.alpha) for row in result.rows if row.systems == most],
        Plot(
            mark="line",
            x="comparisons",
            y="alarms",
            low="alarms_low",
            high="alarms_high",
            interval="binomial, 99 %",
            series="correction",
            panel="metric",
            reference=settings.alpha,
            zero_y=True,
        ),
    )


def _sentence(row: FalseAlarms, alpha: float) -> str:
    comparisons = f"{row.comparisons} comparison{'s' * (row.comparisons > 1)}"
    alarms = f"a false alarm in {row.alarms} of the cases with {comparisons}"
    if row.correction == "none":
        return (
            f"{row.metric}, no correction: {alarms}; independent comparisons would have "
            f"{percent(row.expected)}."
        )
    verdict = "is kept" if row.alarms.low <= alpha else "is not kept"
    title = CORRECTIONS[row.correction].short_title
    return f"{row.metric}, {title}: {alarms}; {100 * alpha:g} % {verdict}."
