"""Test size as a document: scores and relative intervals by the share of the test set used."""

from __future__ import annotations

from dataclasses import asdict
from math import log2
from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Plot, Table
from truebleu.reports.studies._shared import percent, study_document
from truebleu.studies._estimates import FEWEST_SIZES, SQUARE_ROOT_NARROWING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truebleu.studies.test_size import Narrowing, ScoreAtSize, TestSizeResult


def document(result: TestSizeResult) -> Document:
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
    return study_document(
        f"Scores and relative intervals of the level {100 * settings.level:g} % by the share of "
        f"{result.units:,} {settings.pool.unit}s used, mean of {settings.samples} random growths",
        Table(columns, tuple(map(asdict, result.rows))),
        _sentences(result),
        Plot(
            "line",
            "share",
            "score",
            errors=("score_low", "score_high"),
            series="system",
            panel="metric",
        ),
        axes={"share": "Share of the test set", "score": "Mean score of the samples"},
        chart=Table(
            (*columns, Column("score_low", "Interval from", 3), Column("score_high", "to", 3)),
            tuple(map(asdict, _drawn(result))),
        ),
    )


def _drawn(result: TestSizeResult) -> Iterator[ScoreAtSize]:
    """The best and the worst system with their intervals, as in the paper's Figs. 4 to 7."""
    for narrowing in result.narrowings:
        for system in dict.fromkeys((narrowing.best, narrowing.worst)):
            yield from (row for row in _of(result, narrowing.metric) if row.system == system)


def _of(result: TestSizeResult, metric: str) -> list[ScoreAtSize]:
    return [row for row in result.rows if row.metric == metric]


def _sentences(result: TestSizeResult) -> Iterator[str]:
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
    scores = [row.score for row in _of(result, metric) if row.share == share]
    return sum(scores) / len(scores)
