"""Errors of type I as a document: rates of rejection beside the levels that tests promise."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Plot, Table
from truebleu.reports.studies._shared import (
    NULL_TITLES,
    listed,
    percent,
    rate_cells,
    rate_columns,
    study_document,
)
from truebleu.studies._pairs import STUDY_TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.studies.type_one import Rejections, TypeOneMetric, TypeOneResult

COLUMNS = (
    Column("metric", "Metric"),
    Column("test", "Test"),
    Column("origin", "As in"),
    Column("alpha", "Level", 1, percent=True),
    *rate_columns("rejected", "Rejected", "99 % from"),
    Column("verdict", "Verdict"),
)


def document(result: TypeOneResult) -> Document:
    """A table of tests and levels."""
    table = Table(
        COLUMNS,
        tuple(
            {
                "metric": row.metric,
                "test": STUDY_TESTS[row.test].title,
                "origin": STUDY_TESTS[row.test].origin,
                "alpha": row.alpha,
                **rate_cells("rejected", row.rejected),
                "verdict": row.verdict,
                "case": f"{row.metric}, level {100 * row.alpha:g} %",
            }
            for row in result.rows
        ),
    )
    null, unit = NULL_TITLES[result.settings.null], result.settings.pool.unit
    return study_document(
        f"How often tests reject a true null hypothesis: {null}, tested by {unit}",
        table,
        [*_sentences(result), *_unit_note(result)],
        Plot(
            mark="point",
            x="test",
            y="rejected",
            low="rejected_low",
            high="rejected_high",
            interval="binomial, 99 %",
            panel="case",
            reference_field="alpha",
            zero_y=True,
        ),
        chart=Table((*COLUMNS, Column("case", "Metric and level")), table.rows),
    )


def _sentences(result: TypeOneResult) -> Iterator[str]:
    for metric in result.metrics:
        rows = [row for row in result.rows if row.metric == metric.metric]
        for _, of_test in groupby(rows, key=lambda row: row.test):
            yield _sentence(list(of_test))
        yield from _metric_sentences(metric)


def _sentence(rows: Sequence[Rejections]) -> str:
    """What a test did at all levels."""
    rates = listed([percent(row.rejected.value) for row in rows])
    nominal = listed([f"{100 * row.alpha:g} %" for row in rows])
    if all(row.verdict == "holds" for row in rows):
        verdict = "within the error"
    else:
        levels = {
            name: [f"{100 * row.alpha:g} %" for row in rows if row.verdict == name]
            for name in ("too often", "too seldom", "holds")
        }
        verdict = "; ".join(f"{name} at {listed(at)}" for name, at in levels.items() if at)
    return (
        f"{rows[0].metric}, {STUDY_TESTS[rows[0].test].title}: {rates} of the pairs of equal "
        f"systems differ significantly at the level{'s' * (len(rows) > 1)} {nominal}: {verdict}."
    )


def _metric_sentences(metric: TypeOneMetric) -> Iterator[str]:
    if metric.absolute_below_ar is not None:
        yield (
            f"{metric.metric}: the bootstrap of absolute differences gives a smaller p than "
            f"approximate randomization in {metric.absolute_below_ar} of the comparisons."
        )
    if metric.constant:
        yield (
            f"{metric.metric}: p is the same in all comparisons; by this metric the outputs do not "
            "differ."
        )


def _unit_note(result: TypeOneResult) -> Iterator[str]:
    if result.settings.null == "document" and result.settings.pool.unit == "segment":
        yield (
            "Whole documents were swapped, as if each system had its good and bad documents, but "
            "tested as if segments were independent; --unit document tests documents."
        )
