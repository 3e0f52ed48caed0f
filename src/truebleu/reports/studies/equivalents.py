"""Systems taken for equal as a document: their p-values by several tests, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Plot, Table
from truebleu.reports.studies._shared import TEST_TITLES, study_document

if TYPE_CHECKING:
    from truebleu.reports.document import Row
    from truebleu.studies.equivalents import EquivalentPair, EquivalentsResult

NAMES = (Column("metric", "Metric"), Column("compared", "Compared systems"))


def document(result: EquivalentsResult) -> Document:
    """A table of pairs, with a column for each test."""
    tests = result.settings.tests
    table = Table(
        (
            *NAMES,
            Column("difference", "Difference", 3, sign=True),
            *(Column(test, f"p by {TEST_TITLES[test]}", 4) for test in tests),
        ),
        tuple(
            {**_named(row), "difference": row.difference, **dict(zip(tests, row.p, strict=True))}
            for row in result.rows
        ),
    )
    chart = Table(
        (*NAMES, Column("test", "Test"), Column("p", "p-value", 3)),
        tuple(
            {**_named(row), "test": TEST_TITLES[test], "p": p}
            for row in result.rows
            for test, p in zip(tests, row.p, strict=True)
        ),
    )
    return study_document(
        "Systems taken for equal: the p-values of their differences",
        table,
        [
            _sentence(result, metric.label, test)
            for metric in result.settings.pool.metrics
            for test in tests
        ],
        Plot(
            mark="point",
            x="compared",
            y="p",
            series="test",
            panel="metric",
            reference=result.settings.alpha,
            zero_y=True,
        ),
        chart=chart,
    )


def _named(row: EquivalentPair) -> Row:
    return {"metric": row.metric, "compared": f"{row.a} : {row.b}"}


def _sentence(result: EquivalentsResult, metric: str, test: str) -> str:
    p_values = result.p_values(metric, test)
    sentence = (
        f"{metric}, {TEST_TITLES[test]}: {result.rejected(metric, test)} of {len(p_values)} pairs "
        f"have p of at most {result.settings.alpha:g}"
    )
    first = result.settings.tests[0]
    if test == first:
        return f"{sentence}."
    pairs = list(zip(p_values, result.p_values(metric, first), strict=True))
    smaller, larger = sum(p < q for p, q in pairs), sum(p > q for p, q in pairs)
    return (
        f"{sentence}; p is smaller than by {TEST_TITLES[first]} in {smaller}, larger in {larger}."
    )
