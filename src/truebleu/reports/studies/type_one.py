"""Errors of type I as a document: rates of rejection beside the levels that tests promise."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Plot, Table, rows_of
from truebleu.reports.studies._shared import (
    NULL_TITLES,
    TEST_TITLES,
    listed,
    percent,
    rate_columns,
    rate_of,
    study_document,
    title_of_test,
)
from truebleu.significance.corrections import CORRECTIONS
from truebleu.studies._conclusions import STUDY_TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.reports.document import Row
    from truebleu.studies.type_one import (
        EquivalentPair,
        EquivalentsResult,
        FalseAlarms,
        MultiplicityResult,
        Rejections,
        TypeOneMetric,
        TypeOneResult,
    )


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
    rows = rows_of(
        COLUMNS,
        result.rows,
        test=title_of_test,
        origin=lambda row: STUDY_TESTS[row.test].origin,
        case=lambda row: f"{row.metric}, level {100 * row.alpha:g} %",
        **rate_of("rejected"),
    )
    table = Table(COLUMNS, rows)
    null, unit = NULL_TITLES[result.settings.null], result.settings.pool.unit
    return study_document(
        f"How often tests reject a true null hypothesis: {null}, tested by {unit}",
        table,
        [*_sentences(result), *_unit_note(result)],
        Plot(
            "point",
            "test",
            "rejected",
            errors=("rejected_low", "rejected_high"),
            interval="binomial, 99 %",
            panel="case",
            reference_field="alpha",
            zero_y=True,
        ),
        axes={"rejected": "Rejected true null hypotheses, share of all"},
        chart=Table((*COLUMNS, Column("case", "Metric and level")), table.rows),
    )


# What to say of each verdict.
VERDICTS = {
    "too often": "too often",
    "too seldom": "too seldom",
    "undecided": "within the error, but too few repetitions to say that it holds",
    "holds": "holds",
}


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
    levels = {
        said: [f"{100 * row.alpha:g} %" for row in rows if row.verdict == name]
        for name, said in VERDICTS.items()
    }
    verdict = "; ".join(f"{said} at {listed(at)}" for said, at in levels.items() if at)
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
    if any(row.verdict == "holds" for row in result.rows):
        yield (
            "A level holds where the 99 % interval of the rate lies between half of it and one and "
            "a half."
        )


# False alarms among many comparisons.


ALARM_COLUMNS = (
    Column("metric", "Metric"),
    Column("systems", "Systems"),
    Column("comparisons", "Comparisons"),
    Column("correction", "Correction"),
    *rate_columns("alarms", "Any false alarm", "99 % from"),
    Column("expected", "Promised", 1, percent=True),
)


def multiplicity_document(result: MultiplicityResult) -> Document:
    """A table of numbers of systems and corrections; sentences are about the most systems."""
    settings = result.settings
    rows = rows_of(
        ALARM_COLUMNS,
        result.rows,
        correction=lambda row: CORRECTIONS[row.correction].short_title,
        **rate_of("alarms"),
    )
    table = Table(ALARM_COLUMNS, rows)
    most = settings.together[-1]
    return study_document(
        "Any false alarm among all pairs of equal systems: "
        f"{TEST_TITLES[settings.test]}, {NULL_TITLES[settings.null]}",
        table,
        [_alarm_sentence(row, settings.alpha) for row in result.rows if row.systems == most],
        Plot(
            "line",
            "comparisons",
            "alarms",
            errors=("alarms_low", "alarms_high"),
            interval="binomial, 99 %",
            series="correction",
            panel="metric",
            reference=settings.alpha,
            zero_y=True,
        ),
        axes={
            "comparisons": "Comparisons made at once",
            "alarms": "Experiments with a false alarm, share of all",
        },
    )


def _alarm_sentence(row: FalseAlarms, alpha: float) -> str:
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


# Systems that are given, and taken for equal.


PAIR_COLUMNS = (Column("metric", "Metric"), Column("compared", "Compared systems"))


def equivalents_document(result: EquivalentsResult) -> Document:
    """A table of pairs, with a column for each test."""
    tests = result.settings.tests
    table = Table(
        (
            *PAIR_COLUMNS,
            Column("difference", "Difference", 3, sign=True),
            *(Column(test, f"p by {TEST_TITLES[test]}", 4) for test in tests),
        ),
        tuple(
            {**_named(row), "difference": row.difference, **dict(zip(tests, row.p, strict=True))}
            for row in result.rows
        ),
    )
    chart = Table(
        (*PAIR_COLUMNS, Column("test", "Test"), Column("p", "p-value", 3)),
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
            _p_sentence(result, metric.label, test)
            for metric in result.settings.pool.metrics
            for test in tests
        ],
        Plot(
            "point",
            "compared",
            "p",
            series="test",
            panel="metric",
            reference=result.settings.alpha,
            zero_y=True,
        ),
        chart=chart,
    )


def _named(row: EquivalentPair) -> Row:
    return {"metric": row.metric, "compared": f"{row.a} : {row.b}"}


def _p_sentence(result: EquivalentsResult, metric: str, test: str) -> str:
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
